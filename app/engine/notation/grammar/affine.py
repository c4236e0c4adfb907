"""Affine expressions over the dimensions, stored as digits: floor(i / divisor) mod modulus.

    sum     = product {("+" | "-") product}
    product = operand {("*" | "floordiv" | "ceildiv" | "mod" | "//" | "%") operand}
    operand = "-" operand | "(" sum ")" | dimension | integer

One factor of ``*`` must be a constant, and so must every divisor. MLIR writes the operators as
words, Python as signs.
Source: MLIR docs/Dialects/Affine.md, AffineParser.cpp.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from ...model.errors import LayoutError, Phrase, phrase, unreadable
from ...model.layout import INT64_MAX, Digit, Layout, checked_product
from ..orders import Order
from .cursor import MAX_NESTING, Cursor

# (dimension, divisor, modulus), modulus 0 if there is none; the dimension's number or letter
Term = tuple[Any, int, int]
Sizes = Sequence[int] | Mapping[Any, int]
ENDLESS: Final[Sizes] = defaultdict(lambda: INT64_MAX)  # what no sum of coordinates stays below


@dataclass(frozen=True, slots=True)
class Affine:
    """Σ factor · term + constant. A term with factor 0 still shows where a dimension is cut."""

    terms: Mapping[Term, int]
    constant: int = 0

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        terms = dict(self.terms)
        for term, f in other.terms.items():
            terms[term] = terms.get(term, 0) + f * factor
        return Affine(terms, self.constant + other.constant * factor)

    def times(self, factor: int) -> Affine:
        return Affine({}).plus(self, factor)

    def bounds(self, shape: Sizes, *, whole: bool = False) -> tuple[int, int]:
        """Smallest and largest value for coordinates within ``shape``. ``whole``: with padding, so
        that every value of a modulus counts."""
        low = high = self.constant
        for (d, divisor, modulus), factor in self.terms.items():
            last = max(shape[d] - 1, 0) // divisor
            if modulus:
                last = modulus - 1 if whole else min(last, modulus - 1)
            low += min(factor * last, 0)
            high += max(factor * last, 0)
        return low, high


# An expression as it was read: a sum of digits for coordinates within a shape. Errors: LayoutError.
Expression = Callable[[Sizes], Affine]


def read_names(cursor: Cursor, closing: str, expectation: Phrase) -> list[str]:
    """The names of the dimensions up to and with ``closing``, each once. Errors: LayoutError."""
    names: list[str] = []
    while not cursor.take(closing):
        if names:
            cursor.need(",", expectation)
        cursor.rest()
        at, name = cursor.at, cursor.word()
        if not name or name in names:
            raise cursor.refuse(phrase("mlir.dimension"), at)
        names.append(name)
    return names


WORDS = ("floordiv", "ceildiv", "mod")
SIGNS = ("//", "%")


class Reader:
    """Reads expressions over dimensions with the given names; ``operators``: WORDS or SIGNS."""

    def __init__(
        self, cursor: Cursor, names: Sequence[str], operators: Sequence[str] = WORDS
    ) -> None:
        self.cursor = cursor
        self.operators = ("*", *operators)
        self.names = {name: d for d, name in enumerate(names)}

    def result(self) -> tuple[Expression, int]:
        """Read an expression; return it and the position of its first character."""
        self.cursor.rest()
        at = self.cursor.at
        return self.sum(), at

    def sum(self, depth: int = 0) -> Expression:
        """Read an expression, up to the first character that does not belong to it."""
        terms = [(self._product(depth), 1)]
        while self.cursor.rest().startswith(("+", "-")):
            factor = 1 if self.cursor.take("+") else -1
            self.cursor.take("-" if factor < 0 else "")
            terms.append((self._product(depth), factor))
        if len(terms) == 1:
            return terms[0][0]

        def total(shape: Sizes) -> Affine:
            found = Affine({})
            for term, factor in terms:
                found = found.plus(term(shape), factor)
            return found

        return total

    def _product(self, depth: int) -> Expression:
        first = self._operand(depth)
        steps: list[tuple[str, int, int, Expression]] = []

        def product(shape: Sizes) -> Affine:
            value = first(shape)
            for operator, start, at, right in steps:
                value = self._applied(operator, start, at, value, right(shape), shape)
            return value

        while True:
            rest = self.cursor.rest()
            start = self.cursor.at
            operator = next(filter(rest.startswith, self.operators), None)
            if operator is None or self.cursor.word() not in {"", operator}:
                if rest[:1].isalpha():
                    listed = ", ".join(self.operators[:-1])
                    last = self.operators[-1]
                    expected = phrase("affine.operator", operators=listed, last=last)
                    raise self.cursor.refuse(expected, start)
                return product if steps else first
            self.cursor.at = start + len(operator)
            self.cursor.rest()
            at = self.cursor.at
            steps.append((operator, start, at, self._operand(depth)))

    def _applied(
        self, operator: str, start: int, at: int, value: Affine, by: Affine, shape: Sizes
    ) -> Affine:
        """``value`` with an operator at ``start`` and its right operand, ``by`` at ``at``."""
        text = self.cursor.text
        if operator == "*":
            if value.terms and by.terms:
                raise unreadable(text, start, phrase("affine.factor"))
            return value.times(by.constant) if value.terms else by.times(value.constant)
        if by.terms or by.constant < 1:
            raise unreadable(text, at, phrase("divisor"))
        if operator == "ceildiv":
            value = value.plus(Affine({}, by.constant - 1))
        parts = divided(value, by.constant, shape)
        if parts is None:
            raise unreadable(text, start, phrase("affine.splits", operator=operator))
        return parts[operator in {"mod", "%"}]

    def _operand(self, depth: int) -> Expression:
        cursor = self.cursor
        cursor.rest()
        start = cursor.at
        if depth == MAX_NESTING:
            raise cursor.refuse(phrase("affine.depth", most=MAX_NESTING))
        if cursor.take("-"):
            negated = self._operand(depth + 1)
            return lambda shape: negated(shape).times(-1)
        if cursor.take("("):
            inner = self.sum(depth + 1)
            cursor.need(")", phrase("affine.closing"))
            return inner
        name = cursor.word()
        if name and name not in self.names:
            listed = ", ".join(self.names) if 0 < len(self.names) <= 12 else "the map's own"
            raise cursor.refuse(phrase("affine.dimension", names=listed), start)
        if name:
            value = Affine({(self.names[name], 1, 0): 1})
        else:
            value = Affine({}, cursor.integer(phrase("affine.term")))
        return lambda _shape: value


def divided(sum_: Affine, divisor: int, shape: Sizes) -> tuple[Affine, Affine] | None:
    """Quotient and remainder, None if a carry would go from one dimension to another."""
    quotient = {t: f // divisor for t, f in sum_.terms.items() if f % divisor == 0}
    carried, constant = divmod(sum_.constant, divisor)
    rest = {t: f for t, f in sum_.terms.items() if f % divisor}
    whole = Affine(quotient, carried)
    if len(rest) == 1 and constant == 0:  # whatever the sizes: a modulus may pad
        parts = _last_divided(whole, list(rest.items()), 0, divisor, shape)
        if parts:
            return parts
    remainder = Affine(rest, constant)
    low, high = remainder.bounds(shape)
    if low >= 0 and high < divisor:
        return whole, remainder
    small = Affine({}, constant)
    ascending = sorted(rest.items(), key=lambda item: abs(item[1]))
    for i, (term, factor) in enumerate(ascending):
        unit = math.gcd(divisor, *(f for _, f in ascending[i:]))
        low, high = small.bounds(shape)
        if unit > 1 and low >= 0 and high < unit and len(ascending) - i > 1:
            parts = divided(
                Affine({t: f // unit for t, f in ascending[i:]}), divisor // unit, shape
            )
            return parts and (whole.plus(parts[0]), small.plus(parts[1], unit))
        small = small.plus(Affine({term: factor}))
    return _last_divided(whole, ascending, constant, divisor, shape)


def _last_divided(
    whole: Affine, ascending: list[tuple[Term, int]], constant: int, divisor: int, shape: Sizes
) -> tuple[Affine, Affine] | None:
    """Divide the last term alone; None unless the smaller terms stay below its factor."""
    term, factor = ascending[-1]
    small = Affine(dict(ascending[:-1]), constant)
    low, high = small.bounds(shape)
    if factor < 1 or divisor % factor or low < 0 or high >= factor:
        return None
    d, by, modulus = term
    step = divisor // factor
    if modulus and (modulus % step or modulus == step):
        return None  # nothing of the last term is in the quotient
    quotient = Affine({(d, by * step, modulus // step): 1})
    return whole.plus(quotient), small.plus(Affine({(d, by, step): factor}))


def order_of(results: Sequence[Expression], rank: int) -> Order | None:
    """The memory order of coordinates of a row-major array, None if they define no order. They
    define one if each is a dimension, or ``d floordiv x`` or ``d mod x`` with the same x."""
    try:
        order = [_entry(result(ENDLESS)) for result in results]
    except LayoutError:
        return None
    blocks: dict[int, int] = {d: x for entry in order if entry for d, x, is_block in [entry]}
    wanted = {(d, blocks.get(d, 1), False) for d in range(rank)}
    wanted |= {(d, x, True) for d, x in blocks.items() if x > 1}
    if None in order or len(order) != len(wanted) or set(order) != wanted:
        return None
    return tuple((d, x if is_block else None) for d, x, is_block in filter(None, order))


def _entry(result: Affine) -> tuple[int, int, bool] | None:
    """Dimension, block size, and whether this is the block; None if it is not one digit."""
    if result.constant or [*result.terms.values()] != [1]:
        return None
    [(d, divisor, modulus)] = result.terms
    if modulus:
        return (d, modulus, True) if divisor == 1 else None
    return d, divisor, False


def cuts_of(terms: Iterable[tuple[int, int]]) -> list[int]:
    """Where terms with these (divisor, modulus) cut a dimension, from 1."""
    return sorted({1, *(place for by, m in terms for place in (by, by * (m or 1)))})


def digits_of(
    terms: Mapping[tuple[int, int], int], size: int, *, bounded: bool = False
) -> tuple[Digit, ...] | None:
    """The digits of one dimension, outermost first; None if its cuts do not nest. ``terms``: factor
    by (divisor, modulus). A modulus means a whole tile: ``i mod 4`` pads a size of 6 to 8.
    ``bounded``: where all terms have one, the outermost extent is at least 1."""
    if len(terms) == 1 and (1, 0) in terms:  # as usual: nothing is cut
        return (Digit(size, terms[1, 0]),)
    cuts = cuts_of(terms)
    if any(high % low for low, high in pairwise(cuts)):
        return None
    least = int(bounded and bool(terms) and all(modulus for _, modulus in terms))
    digits = []
    for low, high in pairwise([*cuts, 0]):
        stride = sum(
            f * (low // by) for (by, m), f in terms.items() if by <= low and (not m or low < by * m)
        )
        digits.append(Digit(high // low if high else max(-(-size // low), least), stride))
    if len(digits) > 1 and digits[-1] == Digit(1, 0):
        digits.pop()
    return tuple(reversed(digits))


def is_sum(
    layout: Layout, terms: Iterable[Mapping[tuple[int, int], int]], *, bounded: bool = False
) -> bool:
    """Whether these terms of each dimension, read back by ``digits_of``, have the addresses and the
    buffer of ``layout``. The offset and the swizzle are the layout's."""
    sizes = zip(terms, layout.shape, strict=True)
    read = (digits_of(mine, size, bounded=bounded) for mine, size in sizes)
    digits = tuple(mine for mine in read if mine is not None)
    if digits == layout.digits or len(digits) < layout.rank:
        return digits == layout.digits
    try:
        return replace(layout, digits=digits).normal_form == layout.normal_form
    except LayoutError:  # beyond int64
        return False


def check_strides(digits: Sequence[Digit]) -> None:
    """Raise LayoutError for a stride outside int64."""
    for g in digits:
        if abs(g.stride) > INT64_MAX:
            raise LayoutError("layout", g.stride, phrase("strides.int64"))


def row_major(
    results: Sequence[tuple[Expression, int]], shape: tuple[int, ...], text: str
) -> tuple[tuple[tuple[Digit, ...], ...], int]:
    """Digits and offset of results that are coordinates of a row-major array. One result is the
    address itself. Each has its position in ``text``. Errors: LayoutError."""
    values = []
    for expression, at in results:
        values.append(expression(shape))
        if values[-1].bounds(shape)[0] < 0:
            raise unreadable(text, at, phrase("mlir.never_negative"))
    inner = [value.bounds(shape, whole=True)[1] + 1 for value in values[1:]]
    checked_product("layout", inner)
    total = values[-1] if values else Affine({})
    for i, value in enumerate(values[:-1]):
        total = total.plus(value, math.prod(inner[i:]))
    by_dimension: list[dict[tuple[int, int], int]] = [{} for _ in shape]
    for (d, by, modulus), factor in total.terms.items():
        by_dimension[d][by, modulus] = factor
    digits = []
    for d, (terms, size) in enumerate(zip(by_dimension, shape, strict=True)):
        mine = digits_of(terms, size)
        if mine is None:
            raise unreadable(text, len(text) - 1, phrase("mlir.tiles", d=d))
        check_strides(mine)
        digits.append(mine)
    return tuple(digits), total.constant
