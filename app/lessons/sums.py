"""Addresses in words and numbers: the formula of a layout, with a coordinate filled in."""

from collections.abc import Sequence

from ..engine import Layout, coordinates_of, offsets_of
from ..engine.model.digits import digit_values
from .lesson import Answer


def address_of(layout: Layout, at: Sequence[int]) -> int:
    """The address of a coordinate, in elements."""
    return int(offsets_of(layout, [tuple(at)])[0])


def cell_at(layout: Layout, address: int) -> tuple[int, ...]:
    """The coordinate of the element at an address."""
    return tuple(coordinates_of(layout, [address])[0].tolist())


def named(layout: Layout, at: Sequence[int]) -> str:
    """A coordinate as its reader says it: ``c 2, h 1, w 2``."""
    letters = layout.dims.lower()
    return ", ".join(f"{d} {index}" for d, index in zip(letters, at, strict=True))


def filled(layout: Layout, at: Sequence[int]) -> str:
    """The sum that leads to the address, outermost first: ``h 1·12 + w 2·4 + c 1·1 = 21``."""
    terms = []
    for d, letter in enumerate(layout.dims.lower()):
        digits = digit_values(layout.digits[d], at[d])
        names = ("block", "place") if len(digits) > 1 else (letter,)
        terms += [(name, *digit) for name, digit in zip(names, digits, strict=True)]
    parts = [str(layout.offset)] if layout.offset else []
    for name, value, stride in sorted(terms, key=lambda term: -abs(term[2])):
        parts.append(f"{name} {value}·{stride}" if stride >= 0 else f"{name} {value}·({stride})")
    return f"{' + '.join(parts)} = {address_of(layout, at)}"


def from_block(layout: Layout, at: Sequence[int]) -> str:
    """The block of four channels that a coordinate is in, what one takes, and the sum."""
    channel = layout.dims.index("C")
    block, place = divmod(at[channel], 4)
    size = layout.digits[channel][0].stride
    inside = [
        str(extent)
        for dim, (extent, digits) in enumerate(zip(layout.shape, layout.digits, strict=True))
        if dim != channel and digits[0].stride < size
    ]
    return (
        f"c {4 * block + place} is in block {block} at place {place}, and a block takes "
        f"{'·'.join(('4', *inside))} = {size} places: {filled(layout, at)}"
    )


def strides_text(layout: Layout) -> str:
    """The strides by their letters: ``c 6, h 3, w 1``; of a block first from block to block."""
    parts = []
    for letter, digits in zip(layout.dims.lower(), layout.digits, strict=True):
        if len(digits) > 1:
            parts.append(f"from block to block of {letter} {digits[0].stride}")
            parts.append(f"{letter} inside its block {digits[-1].stride}")
        else:
            parts.append(f"{letter} {digits[0].stride}")
    return ", ".join(parts)


def times(shape: Sequence[int]) -> str:
    """Sizes as a product: ``2 × 64 × 3``."""
    return " × ".join(map(str, shape))


def ints(answer: Answer) -> tuple[int, ...]:
    """The integers of an answer."""
    entries = answer if isinstance(answer, tuple) else (answer,)
    return tuple(each for each in entries if isinstance(each, int))
