"""The order of a walk, from a text such as ``NHWC`` or ``IJ32i32j``, and its addresses."""

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..model.errors import Described, LayoutError, Phrase
from ..model.layout import Int64Array, Layout
from ..notation.orders import Order

__all__ = ["Order", "addresses", "order_text", "parse_order"]

_MOST_DIGITS = 18  # of a block
_LOOP = re.compile(r"(?=[^ ,])([0-9]*)([^0-9]|\Z)")  # a block and a letter, which a last one lacks
_CHUNK = 1 << 17  # steps computed at once


def parse_order(text: str | None, dims: str, field: str = "walk.order") -> Order:
    """The loops of ``text`` over dimensions of these names, outermost first.

    Entries are those of ``Layout.packed``: (d, None) is the part of dimension d outside all its
    blocks, (d, x) a block of x of its indices. ``text``: each letter of ``dims`` once, and blocks
    such as ``4c``; upper and lower case are the same where only one of them is a name. A number
    at the end without a letter is a block of C, as in NCHW4. None: the logical order.
    Errors: LayoutError naming ``field``, with the position.
    """
    if text is None:
        return tuple((d, None) for d in range(len(dims)))
    found: list[tuple[int, int | None]] = []
    for loop in _LOOP.finditer(text):
        block, letter = _block(loop[1], field, loop.start()), loop[2]
        d = _dim(letter or "C", dims, field, loop.start(2) if letter else loop.start())
        if block is None and (d, None) in found:
            expected = Phrase("order.once", "the loop over {dim} once", dim=dims[d])
            raise _refused(field, f"{letter} again", expected, loop.start(2))
        found.append((d, block))
    missing = [name for d, name in enumerate(dims) if (d, None) not in found]
    if missing:
        expected = Phrase("order.missing", "a loop for {names} too", names=tuple(missing))
        raise _refused(field, "an order without some dimensions", expected, None)
    return tuple(found)


def _block(digits: str, field: str, at: int) -> int | None:
    if not digits:
        return None
    if len(digits) > _MOST_DIGITS or int(digits) == 0:
        expected = Phrase("order.block", "a positive block below 10^18")
        raise _refused(field, "such a block", expected, at)
    return int(digits)


def _dim(letter: str, dims: str, field: str, at: int) -> int:
    for name in (letter, letter.swapcase()):
        if len(name) == 1 and name in dims:
            return dims.index(name)
    if not dims:
        raise _refused(field, "a letter", Phrase("order.none", "no letters: rank 0"), at)
    said = "the letters {dims}, and blocks such as 4{last}"
    expected = Phrase("order.letters", said, dims=tuple(dims), last=dims[-1].lower())
    raise _refused(field, "an unknown letter", expected, at)


def _refused(field: str, what: str, expected: Phrase, at: int | None) -> LayoutError:
    return LayoutError(field, Described(what), expected, position=at)


def order_text(order: Sequence[tuple[int, int | None]], dims: str) -> str:
    """The text of an order, which ``parse_order`` reads back."""
    return "".join(dims[d] if block is None else f"{block}{dims[d]}" for d, block in order)


def loop_places(order: Order, d: int) -> list[tuple[int, int]]:
    """(position in ``order``, place) of each loop over dimension ``d``, outermost place first.

    The place of a loop is the step of its index: the product of the blocks inside it. The blocks
    of one dimension nest in the given order, and the rest is outside them wherever it stands.
    """
    blocks = [(at, block) for at, (e, block) in enumerate(order) if e == d and block is not None]
    rest = next(at for at, (e, block) in enumerate(order) if e == d and block is None)
    place = math.prod(block for _, block in blocks)
    found = [(rest, place)]
    for at, block in blocks:
        place //= block
        found.append((at, place))
    return found


def addresses(layout: Layout, order: Order, most: int) -> Iterator[Int64Array]:
    """Addresses in elements of the first ``most`` accesses of a walk, in chunks.

    Indices beyond the sizes, which blocks that do not divide them reach, are left out. Also ends
    after 4·``most`` steps of the loops, which only such blocks reach.
    """
    if 0 in layout.shape:
        return
    loops = _steps(layout, order)
    steps = math.prod(extent for _, _, extent in loops)
    left = most
    for first in range(0, min(steps, 4 * most), _CHUNK):
        at = np.arange(first, min(first + _CHUNK, steps))
        indices = [np.zeros_like(at) for _ in layout.shape]
        for d, place, extent in reversed(loops):
            at, digit = np.divmod(at, extent)
            indices[d] += digit * place
        found = np.full_like(at, layout.offset)
        inside = np.ones(len(at), dtype=np.bool_)
        for d, size in enumerate(layout.shape):
            if size == 1 and not any(e == d for e, _, _ in loops):
                continue
            inside &= indices[d] < size
            found += layout.dim_offsets(d, indices[d])
        found = found[inside][:left]
        left -= len(found)
        yield layout.swizzle(found) if layout.swizzle else found
        if not left:
            return


def _steps(layout: Layout, order: Order) -> list[tuple[int, int, int]]:
    """(dimension, place, steps) of each loop of the order, outermost first."""
    found: dict[int, tuple[int, int, int]] = {}
    for d, size in enumerate(layout.shape):
        outside = size
        for at, place in loop_places(order, d):
            found[at] = (d, place, -(-min(outside, size) // place))
            outside = place
    return [found[at] for at in sorted(found) if found[at][2] > 1]
