"""TVM: axes as capital letters; a factor before the small letter splits an axis. Or an index map.

Grammar:

    text   = item {item} | map
    item   = axis | split | "[" split split {split} "]"
    axis   = a capital A to Z, once each; outermost first
    split  = factor letter: a factor from 1 to 2^31-1 and the small letter of an axis

    map    = ["IndexMap(" | "IndexMap.from_func(" | "T.index_map("] lambda [")"]
    lambda = "lambda" name {"," name} ":" (sum | "(" sum {"," sum} ")" | "[" sum {"," sum} "]")
    sum    = expressions of the names and integers with + - * // % and brackets

    Each item is a dimension of memory, in the order of the text. A bracket fuses its splits into
    one dimension, which changes no address. Splits of one axis nest in the order of the text.
    The capital is the part of the axis outside its splits, wherever it is in the text. A size
    that is not a multiple of the factors is padded.

Example: NCHW4n4c with shape (2, 20, 3, 3) pads 2 images to 4 and stores 5 blocks of 4 by 4.

Trap: a split may come before its axis: in N4cCHW the 4 channels of a block have the largest stride
of C, but they are still the low digit. TVM 0.27 accepts one split per axis and rejects OIHW4i16o4i,
which releases before the brackets read as here. A bracket needs two splits. With three splits,
forward_index of 0.27 returns indices outside the bracket's range; here the bracket is the fusion
that its shape gives. TVM silently ignores a factor at the end, as in NCHW4; here it is an error.
The sizes of an index map's tensor are in the order of its names; c % 4 has a range of 4 even if C
is 3.

Source: TVM, src/s_tir/data_layout.cc (SLayout, SBijectiveLayout), src/tir/ir/data_layout.cc in
earlier releases; src/tir/ir/index_map.cc (IndexMap::MapIndices, MapShape).
"""

import re
import string
from dataclasses import dataclass

from ...model.dtypes import ElementType
from ...model.errors import phrase, unreadable
from ...model.layout import Digit, Layout
from ..dialect import CannotSayError, Dialect
from ..grammar.affine import SIGNS, Expression, Reader, read_names, row_major
from ..grammar.cursor import Cursor
from ..grammar.dense import obstacle
from ..orders import DigitOrder, Order, order_is_layout
from ..specs import OrderSpec, Request, Spec, Written, match_count, names_for

_FORM = re.compile(r"(?:[A-Z]|[0-9]+[a-z]|\[(?:[0-9]+[a-z]){2,}\])+")
_MAP = re.compile(r"(?:(?:\w+\.){0,3}(?:IndexMap(?:\.from_func)?|index_map)\s*(\()\s*)?lambda\b")
_CANONICAL = ("NCDHW", "GOIDHW")
_MAX_FACTOR = 2**31 - 1
_Item = tuple[str, int | None]  # a capital, and the factor of a split


def recognises(text: str) -> bool:
    """Whether ``text`` is axes and at least one split, and not also a oneDNN tag. OI16i16o is both,
    and both read it in the same way: every axis is split, the splits come last."""
    if _FORM.fullmatch(text) is None:
        return _MAP.match(text) is not None
    axes, splits = set(re.findall(r"[A-Z]", text)), set(re.findall(r"[a-z]", text))
    splits = {c.upper() for c in splits}
    onednn = axes == splits and re.fullmatch(r"[A-Z]+[0-9a-z]+", text) is not None
    return bool(splits) and splits <= axes and not onednn


@dataclass(frozen=True, slots=True)
class _IndexMap(Spec):
    """An index map. ``names``: of its dimensions, None if they are no letters."""

    text: str
    rank: int
    names: str | None
    results: tuple[tuple[Expression, int], ...]

    def apply(self, request: Request) -> Written:
        match_count(request, self.rank)
        digits, offset = row_major(self.results, request.shape, self.text)
        layout = Layout(request.shape, names_for(request, self.names), digits, offset)
        return Written(layout, self.text)


def _index_map(text: str, opened: re.Match[str]) -> _IndexMap:
    cursor = Cursor(text)
    cursor.at = opened.end()
    names = read_names(cursor, ":", phrase("tvm.colon"))
    reader = Reader(cursor, names, SIGNS)
    closing = {"(": ")", "[": "]"}.get(cursor.rest()[:1], "")
    start = cursor.at
    results = _coordinates(cursor, reader, closing) if closing else [reader.result()]
    if len(results) == 1 and cursor.rest().startswith(("+", "-", "*", *SIGNS)):
        cursor.at = start  # the brackets were those of an expression
        results = [reader.result()]
    if opened[1]:
        cursor.need(")", phrase("tvm.bracket"))
    cursor.end()
    letters = "".join(names).upper()
    usual = len(letters) == len(names) and any(set(letters) <= set(c) for c in _CANONICAL)
    return _IndexMap(text, len(names), letters if usual else None, tuple(results))


def _coordinates(cursor: Cursor, reader: Reader, closing: str) -> list[tuple[Expression, int]]:
    """The results in brackets; Python allows a comma behind the last."""
    cursor.at += 1
    results: list[tuple[Expression, int]] = []
    while not cursor.take(closing):
        if results:
            cursor.need(",", phrase("tvm.operator", closing=closing))
            if cursor.take(closing):
                break
        results.append(reader.result())
    return results


def read(text: str) -> Spec:
    if opened := _MAP.match(text):
        return _index_map(text, opened)
    items = _items(text)
    letters = "".join(letter for letter, factor in items if factor is None)
    names = _logical(letters)
    order = tuple((names.index(letter), factor) for letter, factor in items)
    return OrderSpec(text, names, order, any_case=True)


def _logical(letters: str) -> str:
    """The letters in logical order: N, C, D, H, W or G, O, I, D, H, W, else A, B, C… Other letters
    keep the order in which they appear."""
    for canonical in (*_CANONICAL, string.ascii_uppercase[: len(letters)]):
        if set(letters) <= set(canonical):
            return "".join(c for c in canonical if c in letters)
    return letters


def _items(text: str) -> list[_Item]:
    items: list[_Item] = []
    places: list[int] = []
    opened = -1
    cursor = Cursor(text)
    while (at := cursor.at) < len(text):
        c = text[at]
        if "0" <= c <= "9":
            factor = cursor.integer(phrase("tvm.number"), least=1, most=_MAX_FACTOR)
            letter = text[cursor.at : cursor.at + 1]
            if not "a" <= letter <= "z":
                raise unreadable(text, cursor.at, phrase("tvm.small"))
            items.append((letter.upper(), factor))
            places.append(cursor.at)
        elif c == "]" and opened >= 0:
            if len(items) - opened < 2:
                raise unreadable(text, at, phrase("splits"))
            opened = -1
        elif opened >= 0:
            raise unreadable(text, at, phrase("tvm.factor"))
        elif c == "[":
            opened = len(items)
        elif "A" <= c <= "Z" and (c, None) not in items:
            items.append((c, None))
            places.append(at)
        else:
            other = phrase("tvm.before") if "a" <= c <= "z" else phrase("tvm.axes")
            raise unreadable(text, at, phrase("tvm.once") if "A" <= c <= "Z" else other)
        cursor.at += 1
    if opened >= 0:
        raise unreadable(text, len(text), phrase("tvm.closing"))
    axes = {letter for letter, factor in items if factor is None}
    for (letter, _), place in zip(items, places, strict=True):
        if letter not in axes:
            raise unreadable(text, place, phrase("tvm.axis", letter=letter))
    return items


def write(layout: Layout, _dtype: ElementType, order: DigitOrder | None) -> str:
    """Axes and splits in memory order, without brackets and without splits of 1."""
    if not layout.rank or len(set(layout.dims.upper())) != layout.rank:
        raise CannotSayError("tvm.names")
    merged = tuple(mine or (Digit(1, 0),) for mine in layout.reached)
    for digits, written in ((layout.digits, order), (merged, None)):
        said = _order(digits, written)
        if all(0 < (factor or 1) <= _MAX_FACTOR for _, factor in said) and order_is_layout(
            said, layout
        ):
            return "".join(
                layout.dims[d].upper() if factor is None else f"{factor}{layout.dims[d].lower()}"
                for d, factor in said
            )
    raise CannotSayError(obstacle(layout) or "tvm.dense")


def _order(digits: tuple[tuple[Digit, ...], ...], order: DigitOrder | None) -> Order:
    """The digits in memory order, as written or by stride, without blocks of one element."""
    if order is None:
        every = [(d, k) for d, mine in enumerate(digits) for k in range(len(mine))]
        every.sort(key=lambda p: (-abs(digits[p[0]][p[1]].stride), digits[p[0]][p[1]].extent <= 1))
        order = tuple(every)
    return tuple(
        (d, None if k == 0 else digits[d][k].extent)
        for d, k in order
        if k == 0 or digits[d][k].extent != 1
    )


DIALECT = Dialect("tvm", "TVM", "Formats", recognises, read, write)
