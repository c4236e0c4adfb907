"""The grammar of index expressions that C and Python share.

An expression is read as a sum of multiples of ``(variable / place) % modulus``, which are digits
of mixed-radix numbers. It is never evaluated. Coordinates are never negative, so division that
truncates equals division that floors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...model.errors import LayoutError, Phrase, phrase, unreadable
from ...model.layout import INT64_MAX, Swizzle
from ..dialect import refusal
from .affine import ENDLESS, Affine, divided
from .cursor import MAX_NESTING

_TOKEN = re.compile(r"\s*(?:([0-9]+)|([A-Za-z])|(//|<<|>>|[-+*/%()&^])|(\S))", re.ASCII)
# What binds least comes first.
_LEVELS = (("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "//", "%"))
_MAX_SHIFT = 62
_ZERO = Affine({})
# What to write instead of the other language's operator of division.
_OTHER_DIVISION = {"/": phrase("index.python_division"), "//": phrase("index.c_division")}


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of digits, with a swizzle or without.

    ``masked``: (sum, mask, shift to the right) if the value is ``(sum & mask) >> shift``, the right
    side of a swizzle's XOR. ``readable``: whether the sum is the value of the text. It is not if a
    mask or a shift cannot be written as a sum of digits; such a form is valid only as that side of
    a swizzle.
    """

    sum: Affine = _ZERO
    masked: tuple[Affine, int, int] | None = None
    readable: bool = True
    swizzle: Swizzle | None = None


_Operand = tuple[Form, int]  # and the position that an error marks


def _divided(total: Affine, by: int) -> tuple[Affine, Affine] | None:
    """Quotient and remainder, None if they are no sums of digits for all sizes."""
    exact = not any(n % by for n in (total.constant, *total.terms.values()))
    return divided(total, by, ENDLESS) if exact or total.bounds(ENDLESS)[0] >= 0 else None


class ExpressionReader:
    """A recursive-descent parser of one expression; every error marks a character.

    ``division`` is ``/`` or ``//``. ``sizes`` are constants by their letters. ``variables`` maps
    each variable to the position of its first use. ``places`` maps (variable, place) and
    (variable, place · modulus) to the position of the operator.
    """

    def __init__(self, text: str, division: str, sizes: Mapping[str, int] | None = None) -> None:
        self.text = text
        self.division = division
        self.sizes = sizes or {}
        self.variables: dict[str, int] = {}
        self.places: dict[tuple[str, int], int] = {}
        self._at = 0
        self._depth = 0
        self._kind = ""  # "number", "variable", an operator, "" at the end
        self._word = ""
        self._start = 0
        self._advance()

    def read(self) -> Form:
        """Read the whole text as one form. Errors: LayoutError with the position."""
        form = self._level(0)
        if self._kind:
            raise self._unexpected(phrase("index.operator"))
        return form if form.swizzle else Form(self._plain(form, 0))

    def _advance(self) -> None:
        token = _TOKEN.match(self.text, self._at)
        if token is None:
            self._kind, self._word, self._start = "", "", len(self.text)
            return
        self._at, self._start = token.end(), token.start(token.lastindex or 0)
        self._word = token[0].lstrip()
        self._kind = "number" if token[1] else "variable" if token[2] else self._word
        if token[4]:
            raise self._unexpected(phrase("index.term"))

    def _unexpected(self, expectation: Phrase, at: int | None = None) -> LayoutError:
        return unreadable(self.text, self._start if at is None else at, expectation)

    def _plain(self, form: Form, at: int) -> Affine:
        if form.swizzle:
            raise self._unexpected(phrase("index.swizzle_last"), at)
        if not form.readable:
            raise self._unexpected(phrase("index.mask"), at)
        return form.sum

    def _level(self, k: int) -> Form:
        """Operands of ``_LEVELS[k]``, with its operators between them."""
        if k == len(_LEVELS):
            return self._factor()
        at, left = self._start, self._level(k + 1)
        at = at if k else self._start  # of an XOR, its sign is marked
        apply = (self._xor, self._and, self._shift, self._sum, self._product)[k]
        while self._kind in _LEVELS[k]:
            operator, word = self._start, self._word
            if word in _OTHER_DIVISION and word != self.division:
                raise self._unexpected(_OTHER_DIVISION[word], operator)
            if word in {"+", "-"}:
                self._plain(left, at)
            self._advance()
            at_right = self._start
            left = apply(word, operator, (left, at), (self._level(k + 1), at_right))
        return left

    def _xor(self, _word: str, operator: int, left: _Operand, right: _Operand) -> Form:
        (form, at), (other, _) = left, right
        if other.masked is None:
            form, other = other, form
        if other.masked is None or other.masked[0] != self._plain(form, at):
            raise self._unexpected(phrase("index.xor"), operator)
        return replace(form, masked=None, swizzle=self._swizzle(*other.masked[1:], operator))

    def _swizzle(self, mask: int, shift: int, at: int) -> Swizzle:
        low = (mask & -mask).bit_length() - 1
        bits, base = mask.bit_count(), low - max(shift, 0)
        if mask == 0 or mask >> low != (1 << bits) - 1 or base < 0:
            raise unreadable(self.text, at, phrase("index.offset_mask"))
        try:
            return Swizzle(bits, base, shift)
        except LayoutError as error:
            raise unreadable(self.text, at, error.expectation) from error

    def _and(self, _word: str, operator: int, left: _Operand, right: _Operand) -> Form:
        (form, at), (other, _) = left, right
        if other.sum.terms:
            form, other = other, form
        mask = self._constant(other, operator, phrase("index.and"))
        inner = self._plain(form, at)
        kept = _masked(inner, mask)
        if kept is not None:
            self._record(kept, operator)
        return Form(kept or _ZERO, (inner, mask, 0), kept is not None)

    def _shift(self, word: str, operator: int, left: _Operand, right: _Operand) -> Form:
        (form, at), (other, _) = left, right
        count = self._constant(other, operator, phrase("index.bits"))
        if count > _MAX_SHIFT:
            raise unreadable(self.text, operator, phrase("index.shift", most=_MAX_SHIFT))
        masked = None
        if form.masked and not form.masked[2]:
            masked = (*form.masked[:2], count if word == ">>" else -count)
        else:
            self._plain(form, at)
        moved = form.sum.times(1 << count)
        if word == ">>":
            parts = _divided(form.sum, 1 << count)
            if parts is None:
                raise self._inseparable(operator, "shifted")
            moved = parts[0]
        self._record(moved, operator)
        return Form(moved, masked, form.readable)

    def _sum(self, word: str, _operator: int, left: _Operand, right: _Operand) -> Form:
        return Form(left[0].sum.plus(self._plain(*right), 1 if word == "+" else -1))

    def _product(self, word: str, operator: int, left: _Operand, right: _Operand) -> Form:
        value, by = self._plain(*left), self._plain(*right)
        if word == "*":
            if value.terms and by.terms:
                raise unreadable(self.text, operator, phrase("index.product"))
            return Form(by.times(value.constant) if by.terms else value.times(by.constant))
        divisor = self._constant(*right, phrase("index.constant"), least=1)
        parts = _divided(value, divisor)
        if parts is None:
            raise self._inseparable(operator, "divided")
        self._record(parts[word == "%"], operator)
        return Form(parts[word == "%"])

    def _inseparable(self, operator: int, verb: str) -> LayoutError:
        return self._unexpected(phrase("index.sum", verb=verb), operator)

    def _constant(self, form: Form, at: int, expectation: Phrase, *, least: int = 0) -> int:
        if form.sum.terms or form.sum.constant < least or not form.readable or form.swizzle:
            raise unreadable(self.text, at, expectation)
        return form.sum.constant

    def _record(self, total: Affine, operator: int) -> None:
        for name, place, modulus in total.terms:
            self.places.setdefault((name, place), operator)
            if modulus:
                self.places.setdefault((name, place * modulus), operator)

    def _factor(self) -> Form:
        kind, word, start = self._kind, self._word, self._start
        if kind in {"-", "+", "("}:
            self._depth += 1
            if self._depth > MAX_NESTING:
                raise self._unexpected(phrase("index.depth", most=MAX_NESTING))
            self._advance()
            if kind == "(":
                inner = self._level(0)
                if self._kind != ")":
                    raise self._unexpected(phrase("index.closing"))
                self._advance()
            else:
                at = self._start
                inner = Form(self._plain(self._factor(), at).times(-1 if kind == "-" else 1))
            self._depth -= 1
            return inner
        if kind == "number":
            if len(word) > len(str(INT64_MAX)) or int(word) > INT64_MAX:
                raise refusal("a number out of range", phrase("integers.positive_int64"), start)
            self._advance()
            return Form(Affine({}, int(word)))
        if kind == "variable" and word in self.sizes:
            self._advance()
            return Form(Affine({}, self.sizes[word]))
        if kind == "variable":
            self.variables.setdefault(word, start)
            self._advance()
            return Form(Affine({(word, 1, 0): 1}))
        raise self._unexpected(phrase("factor"))


def _masked(total: Affine, mask: int) -> Affine | None:
    """total & mask, None if that is not a sum of digits."""
    low = max((mask & -mask).bit_length() - 1, 0)
    width = (mask >> low) + 1
    if width & (width - 1):
        return None
    moved = _divided(total, 1 << low)
    kept = moved and _divided(moved[0], width)
    return kept[1].times(1 << low) if kept else None
