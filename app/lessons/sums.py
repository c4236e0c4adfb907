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
    """The sum that leads to the address, as the explorer orders it, first with letters.

    ``c·1 + h·12 + w·4 = 1·1 + 1·12 + 2·4 = 21``.
    """
    letters = [str(layout.offset)] if layout.offset else []
    numbers = letters.copy()
    for d, letter in enumerate(layout.dims.lower()):
        digits, size = digit_values(layout.digits[d], at[d]), layout.digits[d][-1].extent
        blocked = (f"⌊{letter}/{size}⌋", f"({letter} mod {size})")
        names = blocked if len(digits) > 1 else (letter,)
        for name, (value, stride) in zip(names, digits, strict=True):
            times_stride = f"·{stride}" if stride >= 0 else f"·({stride})"
            letters.append(name + times_stride)
            numbers.append(f"{value}{times_stride}")
    return f"{' + '.join(letters)} = {' + '.join(numbers)} = {address_of(layout, at)}"


def from_block(layout: Layout, at: Sequence[int]) -> str:
    """The block of four channels that a coordinate is in, what one takes, and the sum."""
    channel = layout.dims.index("C")
    block, inside = divmod(at[channel], 4)
    size = layout.digits[channel][0].stride
    within = [
        dim
        for dim, digits in enumerate(layout.digits)
        if dim != channel and digits[0].stride < size
    ]
    letters = "·".join(["4", *(layout.dims[dim] for dim in within)])
    sizes = "·".join(["4", *(str(layout.shape[dim]) for dim in within)])
    return (
        f"c {at[channel]} is in block ⌊{at[channel]}/4⌋ = {block}, and {at[channel]} mod 4 is "
        f"{inside}. A block takes {letters} = {sizes} = {size} places: {filled(layout, at)}"
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
