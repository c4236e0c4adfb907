"""Letters: dimensions as capitals in memory order, optionally with a block of the channels.

Grammar:

    text     = letters [block]
    letters  = distinct letters of N C D H W, or of G O I D H W (weights), outermost first
    block    = a positive integer x: C is split into ⌈C/x⌉, in the place of C, and x, innermost

    A size that is not a multiple of the block is padded.

Example: NCHW4 with shape (2, 6, 3, 3) pads 6 channels to two blocks of 4.

Trap: the letters give only the memory order. The logical order is always N, C, D, H, W (weights:
G, O, I, D, H, W), so the shape of NHWC is still in the order N, C, H, W.

Source: DirectML's names of orders; MegEngine's NCHWX and CHWN4.
"""

from __future__ import annotations

import re

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, Phrase, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, outer_order
from ..orders import DigitOrder, order_is_layout, order_of_tag
from ..specs import OrderSpec

CANONICAL = ("NCDHW", "GOIDHW")
_FORM = re.compile(r"([A-Z]+)([0-9]*)")
_MAX_BLOCK_DIGITS = 18


def recognises(text: str) -> bool:
    """Whether ``text`` is letters of one logical order, then perhaps a number."""
    return _FORM.fullmatch(text) is not None and _canonical(letters_of(text)) is not None


def letters_of(text: str) -> str:
    """The leading letters of ``text``."""
    found = _FORM.match(text)
    return found[1] if found else ""


def _canonical(letters: str) -> str | None:
    """The logical order that contains all letters, None if there is none."""
    return next((c for c in CANONICAL if set(letters) <= set(c)), None)


def read(text: str) -> OrderSpec:
    """The order of a format such as NCHW4. Errors: LayoutError with the position."""
    letters = letters_of(text)
    if not letters:
        raise unreadable(text, 0, Phrase("letters", "letters of N, C, D, H, W in memory order"))
    canonical = _canonical(letters)
    if canonical is None:
        at = next(i for i in range(len(letters)) if _canonical(letters[: i + 1]) is None)
        said = "letters of N, C, D, H, W (or G, O, I, D, H, W for weights)"
        raise unreadable(text, at, Phrase("letters.all", said))
    for at, letter in enumerate(letters):
        if letter in letters[:at]:
            raise unreadable(text, at, Phrase("letters.once", "each letter once"))
    block = _block(text, letters)
    names = "".join(c for c in canonical if c in letters)
    return OrderSpec.of_tag(text, letters + (f"{block}c" if block else ""), names)


def _block(text: str, letters: str) -> int | None:
    tail = text[len(letters) :]
    if not tail:
        return None
    wrong = next((i for i, c in enumerate(tail) if c not in "0123456789"), None)
    if wrong is not None:
        expected = Phrase("letters.block", "a block size, as in NCHW4, or nothing")
        raise unreadable(text, len(letters) + wrong, expected)
    if tail.startswith("0") or len(tail) > _MAX_BLOCK_DIGITS:
        expected = Phrase("letters.block_size", "a positive block size below 10^18")
        raise LayoutError("layout", tail, expected, position=len(letters))
    if "C" not in letters:
        expected = Phrase("letters.no_block", "no block size: the block splits C, which is missing")
        raise unreadable(text, len(letters), expected)
    return int(tail)


def write(layout: Layout, _dtype: ElementType, order: DigitOrder | None) -> str:
    """The letters in memory order, then C's block. Errors: CannotSayError. ``order``: the order as
    it was written. It is used if sizes of 1 allow several orders."""
    if not layout.rank or _canonical(layout.dims) is None:
        raise CannotSayError("The dimensions are not named by letters of N, C, D, H, W.")
    letters = "".join(layout.dims[d] for d in outer_order(layout, order))
    inner = [g.extent for digits in layout.digits for g in digits[1:]]
    block = str(inner[-1]) if inner else ""
    possible = not inner or ("C" in letters and 0 < inner[-1] < 10**_MAX_BLOCK_DIGITS)
    tag = letters + (f"{block}c" if block else "")
    if not possible or not order_is_layout(order_of_tag(tag, layout.dims), layout):
        raise CannotSayError("Letters describe only packed memory with at most one block, of C.")
    return letters + block


DIALECT = Dialect("letters", "letters", "Formats", recognises, read, write)
