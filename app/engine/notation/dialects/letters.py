"""Letters: axes as capitals in memory order, with a block of the channels.

Grammar:

    text     = letters [block]
    letters  = distinct letters of N C D H W, or of G O I D H W (weights), outermost first
    block    = a positive integer x: C is split into ⌈C/x⌉, at C's place, and x innermost

    Sizes that the block does not divide are padded.

Example: NCHW4 with shape (2, 6, 3, 3) pads 6 channels to two blocks of 4.

Trap: the letters say the memory order alone. The logical order stays canonical (N, C, D, H, W),
so NHWC still takes its shape as N, C, H, W.

Source: DirectML's names of orders; MegEngine's NCHWX and CHWN4.
"""

from __future__ import annotations

import re

from ...dtypes import ElementType
from ...errors import LayoutError
from ...layout import Layout
from ..dialect import (
    CannotSayError,
    Dialect,
    TensorText,
    match_dims,
    outer_order,
    same_addresses,
    unreadable,
)

CANONICAL = ("NCDHW", "GOIDHW")
_FORM = re.compile(r"([A-Z]+)([0-9]*)")
_MAX_BLOCK_DIGITS = 18


def recognises(text: str) -> bool:
    """Whether ``text`` is made of capital letters and perhaps a number."""
    return _FORM.fullmatch(text) is not None and any(
        set(letters_of(text)) <= set(c) for c in CANONICAL
    )


def letters_of(text: str) -> str:
    """The leading letters of ``text``."""
    found = _FORM.match(text)
    return found[1] if found else ""


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a format such as NCHW4; errors mark the character at fault."""
    letters = letters_of(text)
    if not letters:
        raise unreadable(text, 0, "letters of N, C, D, H, W in memory order")
    canonical = next((c for c in CANONICAL if set(letters) <= set(c)), None)
    if canonical is None:
        at = next(
            i
            for i in range(len(letters))
            if not any(set(letters[: i + 1]) <= set(c) for c in CANONICAL)
        )
        raise unreadable(text, at, "letters of N, C, D, H, W (or G, O, I, D, H, W for weights)")
    for at, letter in enumerate(letters):
        if letter in letters[:at]:
            raise unreadable(text, at, "each letter once")
    block = _block(text, letters)
    names = "".join(c for c in canonical if c in letters)
    dims = match_dims(tensor, names)
    order: list[tuple[int, int | None]] = [(dims.index(c), None) for c in letters]
    if block is not None:
        order.append((dims.index("C"), block))
    return Layout.packed(tensor.shape, dims, order, spelling=text)


def _block(text: str, letters: str) -> int | None:
    tail = text[len(letters) :]
    if not tail:
        return None
    wrong = next((i for i, c in enumerate(tail) if c not in "0123456789"), None)
    if wrong is not None:
        raise unreadable(text, len(letters) + wrong, "a block size, as in NCHW4, or nothing")
    if tail.startswith("0") or len(tail) > _MAX_BLOCK_DIGITS:
        raise LayoutError(
            "layout", tail, "a positive block size below 10^18", position=len(letters)
        )
    if "C" not in letters:
        raise unreadable(text, len(letters), "no block size: the block splits C, which is missing")
    return int(tail)


def write(layout: Layout, dtype: ElementType) -> str:
    """The letters in memory order, with C's block; as written where sizes of 1 leave it open."""
    if not any(set(layout.dims) <= set(c) for c in CANONICAL) or not layout.rank:
        raise CannotSayError("The dimensions are not named by letters of N, C, D, H, W.")
    text = _candidate(layout)
    try:
        again = parse(text, TensorText(layout.shape, layout.dims, dtype))
    except LayoutError:
        again = None
    if again is None or not same_addresses(again, layout):
        raise CannotSayError("Letters say packed orders with at most one block, of C.")
    return text


def _candidate(layout: Layout) -> str:
    """The only format that could be this layout: outer digits by stride, C's inner extent."""
    letters = "".join(layout.dims[d] for d in outer_order(layout))
    inner = [g.extent for digits in layout.digits for g in digits[1:]]
    return letters + (str(inner[-1]) if inner else "")


DIALECT = Dialect("letters", recognises, parse, write)
