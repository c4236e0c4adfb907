"""The order of a walk: which loop is inside which, from a text such as ``NHWC`` or ``IJ32i32j``."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..model.errors import Described, LayoutError
from ..notation.orders import Order

__all__ = ["Order", "order_text", "parse_order"]

_MOST_DIGITS = 18  # of a block
_SEPARATORS = " ,"


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
    at = 0
    while at < len(text):
        if text[at] in _SEPARATORS:
            at += 1
            continue
        start = at
        while at < len(text) and text[at] in "0123456789":
            at += 1
        block = _block(text[start:at], field, start)
        if at == len(text):
            found.append((_dim("C", dims, field, start), block))
            break
        d = _dim(text[at], dims, field, at)
        if block is None and (d, None) in found:
            raise _refused(field, f"{text[at]} again", f"the loop over {dims[d]} once", at)
        found.append((d, block))
        at += 1
    missing = [name for d, name in enumerate(dims) if (d, None) not in found]
    if missing:
        names = ", ".join(missing)
        raise _refused(field, "an order without some dimensions", f"a loop for {names} too", None)
    return tuple(found)


def _block(digits: str, field: str, at: int) -> int | None:
    if not digits:
        return None
    if len(digits) > _MOST_DIGITS or int(digits) == 0:
        raise _refused(field, "such a block", "a positive block below 10^18", at)
    return int(digits)


def _dim(letter: str, dims: str, field: str, at: int) -> int:
    for name in (letter, letter.swapcase()):
        if len(name) == 1 and name in dims:
            return dims.index(name)
    if not dims:
        raise _refused(field, "a letter", "no letters: rank 0", at)
    expected = f"the letters {', '.join(dims)}, and blocks such as 4{dims[-1].lower()}"
    raise _refused(field, "an unknown letter", expected, at)


def _refused(field: str, what: str, expected: str, at: int | None) -> LayoutError:
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
