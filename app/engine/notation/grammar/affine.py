"""Affine expressions over the dimensions, stored as digits: floor(i / divisor) mod modulus.

    sum     = product {("+" | "-") product}
    product = operand {("*" | "floordiv" | "ceildiv" | "mod") operand}
    operand = "-" operand | "(" sum ")" | dimension | integer

One factor of ``*`` must be a constant, and so must every divisor.
Source: MLIR docs/Dialects/Affine.md, AffineParser.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ...model.errors import LayoutError, Phrase, unreadable
from ...model.layout import INT64_MAX, Digit
from ..orders import Order
from .cursor import MAX_NESTING, Cursor

# (dimension, divisor, modulus), modulus 0 if there is none
Term = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Affine:
    """Σ factor · term + constant. A term with factor 0 still shows where a dimension is cut."""

    terms: Mapping[Term, int]
    constant: int = 0

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """The sum of this and ``factor`` times ``other``."""
        terms = dict(self.terms)
        for term, f in other.terms.items():
            terms[term] = terms.get(term, 0) + f * factor
        return Affine(terms, self.constant + other.constant * factor)

    def times(self, factor: int) -> Affine:
        """The product of this and ``factor``."""
        return Affine({}).plus(self, factor)

    def bounds(self, shape: Sequence[int], *, whole: bool = False) -> tuple[int, int]:
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


class Expression(Protocol):
    """An expression as it was read. ``over`` converts it to a sum of digits for given sizes."""

    def over(self, shape: Sequence[int], text: str) -> Affine:
        """The sum for coordinates within ``shape``. Errors: LayoutError marking ``text``."""
        ...


@dataclass(frozen=True, slots=True)
class Leaf:
    """A dimension or an integer."""

    value: Affine

    def over(self, shape: Sequence[int], text: str) -> Affine:
        del shape, text
        return self.value


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms, each with the factor 1 or -1. One flat list, so that long sums need no recursion."""

    terms: tuple[tuple[Expression, int], ...]

    def over(self, shape: Sequence[int], text: str) -> Affine:
        total = Affine({})
        for term, factor in self.terms:
            total = total.plus(term.over(shape, text), factor)
        return total


@dataclass(frozen=True, slots=True)
class AffineStep:
    """``*``, ``floordiv``, ``ceildiv`` or ``mod`` with its right operand. ``at``, ``at_right``:
    positions of the operator and of the right operand."""

    operator: str
    right: Expression
    at: int
    at_right: int

    def applied(self, left: Affine, shape: Sequence[int], text: str) -> Affine:
        """``left`` after this step. Errors: LayoutError marking ``text``."""
        right = self.right.over(shape, text)
        if self.operator == "*":
            if left.terms and right.terms:
                expected = Phrase("affine.factor", "a constant factor: this is not affine")
                raise unreadable(text, self.at, expected)
            return left.times(right.constant) if left.terms else right.times(left.constant)
        divisor = right.constant
        if right.terms or divisor < 1:
            raise unreadable(text, self.at_right, Phrase("divisor", "a positive constant divisor"))
        if self.operator == "ceildiv":
            left = left.plus(Affine({}, divisor - 1))
        parts = _divided(left, divisor, shape)
        if parts is None:
            said = "a sum that {operator} splits by dimension: here one dimension carries"
            raise unreadable(text, self.at, Phrase("affine.splits", said, operator=self.operator))
        return parts[self.operator == "mod"]


@dataclass(frozen=True, slots=True)
class Product:
    """An operand and the steps that follow it, from left to right."""

    first: Expression
    steps: tuple[AffineStep, ...]

    def over(self, shape: Sequence[int], text: str) -> Affine:
        value = self.first.over(shape, text)
        for step in self.steps:
            value = step.applied(value, shape, text)
        return value


class Reader:
    """Reads expressions over dimensions with the given names."""

    def __init__(self, cursor: Cursor, names: Sequence[str]) -> None:
        self.cursor = cursor
        self.names = {name: d for d, name in enumerate(names)}

    def result(self) -> tuple[Expression, int]:
        """Read an expression; return it and the position of its first character."""
        self.cursor.rest()
        at = self.cursor.at
        return self.sum(), at

    def sum(self, depth: int = 0) -> Expression:
        """Read an expression, up to the first character that does not belong to it."""
        terms = [(self._product(depth), 1)]
        while True:
            if self.cursor.take("+"):
                terms.append((self._product(depth), 1))
            elif self.cursor.take("-"):
                terms.append((self._product(depth), -1))
            else:
                return terms[0][0] if len(terms) == 1 else Sum(tuple(terms))

    def _product(self, depth: int) -> Expression:
        first = self._operand(depth)
        steps: list[AffineStep] = []
        while True:
            self.cursor.rest()
            start = self.cursor.at
            operator = "*" if self.cursor.take("*") else self.cursor.word()
            if not operator:
                return Product(first, tuple(steps)) if steps else first
            if operator not in {"*", "floordiv", "ceildiv", "mod"}:
                said = "an operator: +, -, *, floordiv, ceildiv or mod"
                raise self.cursor.refuse(Phrase("affine.operator", said), start)
            self.cursor.rest()
            at = self.cursor.at
            steps.append(AffineStep(operator, self._operand(depth), start, at))

    def _operand(self, depth: int) -> Expression:
        cursor = self.cursor
        cursor.rest()
        start = cursor.at
        if depth == MAX_NESTING:
            said = "at most {most} nested parentheses and signs"
            raise cursor.refuse(Phrase("affine.depth", said, most=MAX_NESTING))
        if cursor.take("-"):
            return Sum(((self._operand(depth + 1), -1),))
        if cursor.take("("):
            inner = self.sum(depth + 1)
            cursor.need(")", Phrase("affine.closing", "an operator or )"))
            return inner
        name = cursor.word()
        if name in self.names:
            return Leaf(Affine({(self.names[name], 1, 0): 1}))
        if name:
            listed = ", ".join(self.names) if 0 < len(self.names) <= 12 else "the map's own"
            said = "a dimension ({names}) or an integer"
            raise cursor.refuse(Phrase("affine.dimension", said, names=listed), start)
        term = Phrase("affine.term", "a dimension, an integer, - or (")
        return Leaf(Affine({}, cursor.integer(term)))


def _divided(sum_: Affine, divisor: int, shape: Sequence[int]) -> tuple[Affine, Affine] | None:
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
            parts = _divided(
                Affine({t: f // unit for t, f in ascending[i:]}), divisor // unit, shape
            )
            return parts and (whole.plus(parts[0]), small.plus(parts[1], unit))
        small = small.plus(Affine({term: factor}))
    return _last_divided(whole, ascending, constant, divisor, shape)


def _last_divided(
    whole: Affine,
    ascending: list[tuple[Term, int]],
    constant: int,
    divisor: int,
    shape: Sequence[int],
) -> tuple[Affine, Affine] | None:
    """Divide the last term alone; None unless the smaller terms stay below its factor."""
    term, factor = ascending[-1]
    small = Affine(dict(ascending[:-1]), constant)
    low, high = small.bounds(shape)
    if factor < 1 or divisor % factor or low < 0 or high >= factor:
        return None
    d, by, modulus = term
    step = divisor // factor
    if modulus and modulus % step:
        return None
    quotient = Affine({(d, by * step, modulus // step): 1})
    return whole.plus(quotient), small.plus(Affine({(d, by, step): factor}))


def order_of(results: Sequence[Expression], rank: int) -> Order | None:
    """The memory order of coordinates of a row-major array, None if they define no order. They
    define one if each is a dimension, or ``d floordiv x`` or ``d mod x`` with the same x."""
    order = tuple(map(_entry, results))
    blocks: dict[int, int] = {d: x for entry in order if entry for d, x, is_block in [entry]}
    wanted = {(d, blocks.get(d, 1), False) for d in range(rank)}
    wanted |= {(d, x, True) for d, x in blocks.items() if x > 1}
    if None in order or len(order) != len(wanted) or set(order) != wanted:
        return None
    return tuple((d, x if is_block else None) for d, x, is_block in filter(None, order))


def _entry(result: Expression) -> tuple[int, int, bool] | None:
    """Dimension, block size, and whether this is the block; None if it is not one digit."""
    leaf, step = result, None
    if isinstance(result, Product) and len(result.steps) == 1:
        leaf, step = result.first, result.steps[0]
    if not isinstance(leaf, Leaf) or len(leaf.value.terms) != 1:
        return None
    d = next(iter(leaf.value.terms))[0]
    if step is None:
        return d, 1, False
    if step.operator not in {"floordiv", "mod"} or not isinstance(step.right, Leaf):
        return None
    divisor = step.right.value
    return None if divisor.terms else (d, divisor.constant, step.operator == "mod")


def digits_of(terms: Mapping[tuple[int, int], int], size: int) -> tuple[Digit, ...] | None:
    """The digits of one dimension, outermost first; None if its cuts do not nest. ``terms``: factor
    by (divisor, modulus). A modulus means a whole tile: ``i mod 4`` pads a size of 6 to 8."""
    if len(terms) == 1 and (1, 0) in terms:  # as usual: nothing is cut
        return (Digit(size, terms[1, 0]),)
    cuts = sorted({1, *(by for by, _ in terms), *(by * m for by, m in terms if m)})
    if any(high % low for low, high in pairwise(cuts)):
        return None
    digits = []
    for low, high in pairwise([*cuts, 0]):
        stride = sum(
            f * (low // by) for (by, m), f in terms.items() if by <= low and (not m or low < by * m)
        )
        digits.append(Digit(high // low if high else -(-size // low), stride))
    if len(digits) > 1 and digits[-1].extent == 1:
        digits.pop()
    return tuple(reversed(digits))


def check_strides(digits: Sequence[Digit]) -> None:
    """Raise LayoutError for a stride outside int64."""
    for g in digits:
        if abs(g.stride) > INT64_MAX:
            expected = Phrase("strides.int64", "strides from -(2^63-1) to 2^63-1")
            raise LayoutError("layout", g.stride, expected)
