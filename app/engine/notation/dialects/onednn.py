"""oneDNN: format tags.

Grammar:

    text   = [scope] order {block}
    scope  = ["dnnl::"] ["memory::"] "format_tag::" | "dnnl_", as C++ and C name the tag
    order  = the dimensions in memory order, outermost first; capital where blocked
    block  = integer letter, outermost block first; the blocks lie innermost in memory

    Letters are a, b, c… for the 1st, 2nd, 3rd… dimension, up to l, or the letters of a domain:
    n c d h w (activations), g o i d h w (weights), t n c and l d i g o (RNN).

Example: OIhw4i16o4i with shape (16, 32, 3, 3) splits the input channels twice: 2 by 4 by 4.

Trap: six aliases differ from their spelling. OhwI24o, OhwI32o, gOhwI24o and gOhwI32o do not block
their I; gIOhw2i8o16i2o and gIOdhw2i8o16i2o keep O outside I. They are read as in the library.

Source: oneDNN, include/oneapi/dnnl/dnnl_types.h; memory_desc_wrapper::compute_blocking.
"""

import json
import re
from pathlib import Path
from typing import Final

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, phrase, refusal, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, match_end, outer_order
from ..orders import DigitOrder, Order, blocking, order_is_layout
from ..specs import OrderSpec

_GENERIC = "abcdefghijkl"
# Logical order per domain: the position of a letter is the dimension that it names.
_DOMAINS = {
    frozenset(order): order
    for order in (
        *("x", "nc", "ncw", "nchw", "ncdhw", "oi", "oiw", "oihw", "oidhw"),
        *("goi", "goiw", "goihw", "goidhw", "tn", "tnc", "ldnc", "ldgo", "ldio", "ldigo"),
    )
}
_TAG = re.compile(r"([a-zA-Z]+)((?:[0-9]+[a-z])*)")
_SCOPE = re.compile(r"(?:(?:dnnl::)?memory::)?format_tag::|dnnl_(?!format_tag)")
_DIGITS = re.compile(r"[0-9]*")
_MAX_BLOCK_DIGITS = 18
# What oneDNN's C and C++ interfaces can name. Version 2 takes any blocks in dnnl_memory_desc_t;
# version 3 keeps that structure private, so its blocked layouts are those of these tags, with their
# dimensions in any order. Tags and types stand under the first version whose header has them, types
# without those that every version has; no tag was ever removed. `make conformance` compares them
# with the headers.
# Source: include/oneapi/dnnl/dnnl_types.h (dnnl_format_tag_t, dnnl_data_type_t) of 2.0, 2.4, 2.5,
# 2.6, 3.0, 3.1, 3.2, 3.5 to 3.9, 3.11 and 3.13.
_LISTED: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())
# Aliases that dnnl_types.h defines as a tag other than their own spelling.
_MISLEADING: Final = _LISTED["aliases"]
TAG_SINCE: Final = {
    tag: version for version, rows in _LISTED["tags"].items() for row in rows for tag in row.split()
}
TYPE_SINCE: Final = {
    name: version for version, names in _LISTED["types"].items() for name in names.split()
}


def recognises(text: str) -> bool:
    """Whether ``text`` is letters of one alphabet, with or without blocks after them."""
    found = _TAG.fullmatch(text, match_end(_SCOPE, text))
    return found is not None and _logical_order(found[1]) is not None


def _logical_order(letters: str) -> str | None:
    """The letters in logical order, None if no alphabet has exactly these."""
    present = frozenset(letters.lower())
    if len(present) != len(letters):
        return None
    generic = _GENERIC[: len(letters)]
    return generic if present == set(generic) else _DOMAINS.get(present)


def read(text: str) -> OrderSpec:
    scope = match_end(_SCOPE, text)
    try:
        return _read_tag(text[scope:])
    except LayoutError as error:
        raise error.shifted(scope) from None


def _read_tag(text: str) -> OrderSpec:
    if text == "wino":
        raise refusal("layout", text, "onednn.opaque")
    spelled = _MISLEADING.get(text, text)
    letters = re.split(r"[^a-zA-Z]", spelled, maxsplit=1)[0]
    logical = _logical_order(letters)
    if logical is None or not text:
        raise unreadable(text, _first_odd_letter(letters), phrase("onednn.letters"))
    blocks = _blocks(spelled, len(letters), logical)
    blocked = {d for d, _ in blocks}
    for at, letter in enumerate(letters):
        d = logical.index(letter.lower())
        if letter.isupper() != (d in blocked):
            small = phrase("onednn.small")
            raise unreadable(text, at, phrase("onednn.capital") if d in blocked else small)
    order: Order = (*((logical.index(c.lower()), None) for c in letters), *blocks)
    if logical[0] == "a":
        return OrderSpec(text, logical, order, by_name=False, any_names=True)
    # The letters of a domain are names, so a request may list them in another order.
    return OrderSpec(text, logical.upper(), order, any_names=True, any_case=True)


def _first_odd_letter(letters: str) -> int:
    """Position of the first letter that is a repeat or fits no alphabet: the one to mark."""
    for at, letter in enumerate(letters.lower()):
        seen = letters[:at].lower()
        if letter in seen or not any(
            set(seen + letter) <= set(alphabet) for alphabet in (_GENERIC, *_DOMAINS.values())
        ):
            return at
    return len(letters)


def _blocks(text: str, start: int, logical: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    at = start
    while at < len(text):
        end = match_end(_DIGITS, text, at)
        if end == at or end - at > _MAX_BLOCK_DIGITS or text[at] == "0":
            raise unreadable(text, at, phrase("onednn.block"))
        if end == len(text) or text[end] not in logical:
            raise unreadable(text, end, phrase("onednn.dimension", letters=tuple(logical)))
        blocks.append((logical.index(text[end]), int(text[at:end])))
        at = end + 1
    return blocks


def write(layout: Layout, _dtype: ElementType, order: DigitOrder | None) -> str:
    """The primary tag, in letters a, b, c… Errors: CannotSayError."""
    if not 1 <= layout.rank <= len(_GENERIC):
        raise CannotSayError("onednn.rank", most=12)
    view = blocking(layout)
    if view is None:
        raise CannotSayError("onednn.blocks")
    outer = outer_order(layout, order)
    blocks = [(d, size) for size, d in view.inner_blocks]
    said: Order = (*((d, None) for d in outer), *blocks)
    if any(size < 1 or size >= 10**_MAX_BLOCK_DIGITS for _, size in blocks) or (
        not order_is_layout(said, layout)
    ):
        raise CannotSayError("onednn.dense")
    blocked = {d for d, _ in blocks}
    text = "".join(_GENERIC[d].upper() if d in blocked else _GENERIC[d] for d in outer)
    return text + "".join(f"{size}{_GENERIC[d]}" for d, size in blocks)


DIALECT = Dialect("onednn", "oneDNN", "Formats", recognises, read, write, words=tuple(TAG_SINCE))
