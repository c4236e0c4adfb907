"""Layouts as index expressions: the code that the dialects ``c`` and ``python`` share.

``division`` is the language's operator of integer division, ``/`` or ``//``.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...model.digits import places as places_of
from ...model.dtypes import ElementType
from ...model.errors import LayoutError, phrase, unreadable
from ...model.layout import INT64_MAX, Digit, Layout, default_dims
from ..dialect import CannotSayError, Dialect, Family, readable, refusal
from ..orders import DigitOrder
from ..specs import Request, Spec, Written, match_rank
from .affine import Term, cuts_of, digits_of, is_sum
from .index_grammar import ExpressionReader, Form

_GENERIC = "abcdefghijklmnopqrstuvwxyz"
# Logical orders of the letters in a text, for ranks that have several usual orders.
_CANONICAL = ("NCDHW", "GOIDHW", "TNC", "LDIGO", "LDNC")
# Orders of weights, for a text that leaves out a letter because its stride is 0.
_WEIGHTS = ("OIW", "OIHW", "OIDHW", "GOIW", "GOIHW", "GOIDHW")
_CHARACTERS = re.compile(r"[A-Za-z0-9\s+\-*/%&^<>()]+", re.ASCII)
_RUN = re.compile(r"[A-Za-z][A-Za-z0-9]|[0-9][A-Za-z]", re.ASCII)
_OPERATOR = re.compile(r"[+\-*/%&^]|<<|>>")
# Where a letter stands in place of a constant, it may be a size.
_NO_CONSTANT = {"index.product", "index.constant", "index.sum"}
_DIVISION = re.compile(r"//?")
_LETTER = re.compile(r"[A-Za-z]", re.ASCII)
_NUMBER_FIRST = re.compile(r"[\s(]*-?[0-9]")  # how a list of strides begins

# (stride, variable, place, modulus): one term of the text; modulus 0 if there is none.
_Term = tuple[int, str, int, int]


def dialect(system: str, title: str, division: str, read: Callable[[str], Spec]) -> Dialect:
    """The dialect of a language; ``division`` is its operator of integer division."""

    def recognises(text: str) -> bool:
        """Whether ``text`` is single letters and integers with operators between them."""
        return (
            _CHARACTERS.fullmatch(text) is not None
            and _RUN.search(text) is None
            and _OPERATOR.search(text) is not None
            and _LETTER.search(text) is not None
            and all(d == division for d in _DIVISION.findall(text))
        )

    def writes(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
        return _write(layout, division)

    family: Family = "Index expressions"
    return Dialect(system, title, family, recognises, read, writes, says_swizzle=True)


@dataclass(frozen=True, slots=True)
class IndexSpec(Spec):
    """A sum of multiples of digits of its variables, which are the letters of the dimensions.

    ``variables``: the position of each variable's first use. ``places``: for each (variable,
    place) the position of its operator. ``spelling``: the text, with its system as a prefix if
    another dialect would read it.
    """

    text: str
    spelling: str
    form: Form
    variables: Mapping[str, int]
    places: Mapping[tuple[str, int], int]

    def takes(self, dims: str) -> bool:
        return self.variables.keys() <= letters_of(dims).keys()

    def apply(self, request: Request) -> Written:
        dims = self.dims_for(request)
        dimension_of, shape = letters_of(dims), request.shape
        grouped: list[dict[Term, int]] = [{} for _ in shape]
        for term, factor in self.form.sum.terms.items():
            grouped[dimension_of[term[0]]][term] = factor
        digits = tuple(map(self._digits, shape, grouped))
        layout = Layout(shape, dims, digits, self.form.sum.constant, self.form.swizzle)
        return Written(layout, self.spelling)

    def dims_for(self, request: Request) -> str:
        """Names of the logical dimensions: the request's, else usual names with the letters."""
        if request.dims is not None:
            match_rank(request, request.dims)
            named = letters_of(request.dims)
            for letter, at in self.variables.items():
                if letter not in named:
                    listed = ", ".join(variables_of(request.dims)) or "none"
                    raise unreadable(self.text, at, phrase("index.letter", letters=listed))
            return request.dims
        rank = len(request.shape)
        found = default_names(frozenset(self.variables), rank)
        if found is not None:
            return found
        if len(self.variables) > rank:
            raise LayoutError("shape", request.shape, phrase("index.sizes", n=len(self.variables)))
        default = default_dims(rank)
        expected = ", ".join(variables_of(default)) or "no letters"
        odd = min(at for c, at in self.variables.items() if c not in letters_of(default))
        raise unreadable(self.text, odd, phrase("index.names", letters=expected, rank=rank))

    def _digits(self, size: int, terms: Mapping[Term, int]) -> tuple[Digit, ...]:
        """Mixed-radix digits of one dimension, cut at the places that occur in the text."""
        summed: dict[tuple[int, int], int] = {}
        for (_, place, modulus), factor in terms.items():  # c and C are one dimension
            summed[place, modulus] = summed.get((place, modulus), 0) + factor
        digits = digits_of(summed, size, bounded=True)
        if digits is None:
            pairs = itertools.pairwise(cuts_of(summed))
            inner, outer = next((low, high) for low, high in pairs if high % low)
            end = len(self.text)
            at = min(self.places.get((name, outer), end) for name, _, _ in terms)
            raise unreadable(self.text, at, phrase("nesting", outer=outer, inner=inner))
        if any(abs(g.stride) > INT64_MAX for g in digits):
            at = min(self.variables[name] for name, _, _ in terms)
            raise refusal("a stride out of range", phrase("strides.int64"), at)
        return digits


@dataclass(frozen=True, slots=True)
class SizedSpec(IndexSpec):
    """An index expression with sizes as letters, as ``h*W + w``: a capital is the size of the
    dimension whose small letter stands beside it. ``variables``: the position of each small letter.
    ``refused``: why it is no sum without sizes; the form is empty until they are known.
    """

    division: str
    refused: LayoutError

    def apply(self, request: Request) -> Written:
        dims = self.dims_for(request)
        dimension_of = letters_of(dims)
        sizes = {name.upper(): request.shape[dimension_of[name]] for name in self.variables}
        if any(dimension_of[name] != dimension_of[name.lower()] for name in sizes):
            raise self.refused.copy()  # both cases are names of dimensions
        reader = ExpressionReader(self.text, self.division, sizes)
        form = reader.read()
        spec = IndexSpec(self.text, self.spelling, form, reader.variables, reader.places)
        return spec.apply(Request(request.shape, dims, request.dtype))


def read(text: str, division: str, own: Dialect) -> Spec:
    """The spec of an index expression of the dialect ``own``. Errors: LayoutError."""
    ours = own.recognises(text) and not _NUMBER_FIRST.match(text)
    spelling = text if ours else f"{own.system}:{text}"
    reader = ExpressionReader(text, division)
    try:
        form = reader.read()
    except LayoutError as error:
        first = {found[0]: found.start() for found in reversed([*_LETTER.finditer(text)])}
        small = {name: at for name, at in first.items() if name.islower()}
        # Sizes are capitals, each beside its small letter.
        sizes = {name.lower() for name in first.keys() - small.keys()}
        if error.expectation.code not in _NO_CONSTANT or not sizes or not sizes <= small.keys():
            raise
        return SizedSpec(text, spelling, Form(), small, {}, division, error)
    return IndexSpec(text, spelling, form, reader.variables, reader.places)


@lru_cache(maxsize=512)
def default_names(used: frozenset[str], rank: int) -> str | None:
    """The first usual names of ``rank`` dimensions that include all variables, else None."""
    return next(
        (d for d in _candidates({c.lower() for c in used}, rank) if used <= letters_of(d).keys()),
        None,
    )


def _candidates(used: set[str], rank: int) -> Iterable[str]:
    yield default_dims(rank)
    for canonical in _CANONICAL:
        ordered = "".join(c for c in canonical if c.lower() in used)
        if len(ordered) == rank:
            yield ordered
    yield from (dims for dims in _WEIGHTS if len(dims) == rank)
    yield _GENERIC[:rank]
    if len(used) == rank:
        yield "".join(sorted(used))


@lru_cache(maxsize=512)
def letters_of(dims: str) -> Mapping[str, int]:
    """The dimension of each letter. Upper and lower case are the same unless both are names."""
    named = {c: d for d, c in enumerate(dims)}
    for d, c in enumerate(dims):
        named.setdefault(c.lower(), d)
        named.setdefault(c.upper(), d)
    return named


def variables_of(dims: str) -> str:
    """The letters to write for ``dims``: lower case, unless two names differ only in case."""
    small = dims.lower()
    return small if len(set(small)) == len(dims) else dims


def _write(layout: Layout, division: str) -> str:
    """The address as a sum in memory order, then the offset, then the XOR of a swizzle."""
    if layout.swizzle and not layout.swizzle.bits:
        raise CannotSayError("index.swizzle")
    for choose in (_short_terms, _bounded_terms, _all_terms):
        written, is_layout = _tried(choose, layout)
        text = readable(written.replace("/", division))
        if is_layout:
            return text
    raise CannotSayError("index.empty")


@lru_cache(maxsize=64)
def _tried(choose: Callable[[Layout], list[_Term]], layout: Layout) -> tuple[str, bool]:
    """The text of the terms, and whether it is the layout. Cached: both languages write the same
    but for their operator of division."""
    terms = _named(choose(layout), layout)
    grouped: dict[str, dict[tuple[int, int], int]] = {c: {} for c in variables_of(layout.dims)}
    for stride, variable, place, modulus in terms:
        mine = grouped[variable]
        mine[place, modulus] = mine.get((place, modulus), 0) + stride
    return _text(terms, layout), is_sum(layout, grouped.values(), bounded=True)


def _named(terms: list[_Term], layout: Layout) -> list[_Term]:
    """The terms, with ``a*0`` for each missing dimension if the text needs it. It needs it if a
    reader without ``dims`` would otherwise choose other names."""
    names = variables_of(layout.dims)
    used = frozenset(name for _, name, _, _ in terms)
    if default_names(used, layout.rank) == layout.dims:
        return terms
    if default_names(frozenset(names), layout.rank) != layout.dims:
        return terms  # a reader needs dims with or without these terms
    return [*terms, *((0, name, 1, 0) for name in names if name not in used)]


def _short_terms(layout: Layout) -> list[_Term]:
    """Terms of the digits that some coordinate reaches; a size of 1 keeps its written stride."""
    terms: list[_Term] = []
    for d, variable in enumerate(variables_of(layout.dims)):
        digits = layout.reached[d]
        if not digits and len(layout.digits[d]) == 1 and layout.shape[d] == 1:
            digits = layout.digits[d]
        terms += _terms(digits, variable)
        if digits and digits[0].stride:
            stride, _, place, _ = terms[-1]
            terms[-1] = (stride, variable, place, 0)
    return [term for term in terms if term[0]]


def _bounded_terms(layout: Layout) -> list[_Term]:
    """The short terms, with a modulus on the outermost if there is padding beyond the blocks."""
    names = variables_of(layout.dims)
    sizes = dict(zip(names, zip(layout.shape, layout.padded_shape, strict=True), strict=True))
    return [
        (stride, name, place, padded // place)
        if not modulus and -(-size // place) * place != padded
        else (stride, name, place, modulus)
        for stride, name, place, modulus in _short_terms(layout)
        for size, padded in [sizes[name]]
    ]


def _all_terms(layout: Layout) -> list[_Term]:
    """Every digit with its extent, reachable or not."""
    named = zip(layout.digits, variables_of(layout.dims), strict=True)
    return [t for digits, name in named for t in _terms(digits, name) if t[3] != 1]


def _terms(digits: Sequence[Digit], variable: str) -> list[_Term]:
    """A term per digit, innermost first."""
    return [(g.stride, variable, place, g.extent) for place, g in places_of(digits)]


def _text(terms: Sequence[_Term], layout: Layout) -> str:
    terms = sorted(terms, key=lambda term: -abs(term[0]))
    parts: list[tuple[bool, str]] = []
    for stride, variable, place, modulus in terms:
        digit = variable if place == 1 else f"{variable}/{place}"
        digit += f"%{modulus}" if modulus else ""
        parts.append((stride < 0, digit if abs(stride) == 1 else f"{digit}*{abs(stride)}"))
    offset = (False, str(layout.offset))
    if not parts or parts[0][0]:  # a leading minus would apply before %
        parts.insert(0, offset)
    elif layout.offset:
        parts.append(offset)
    total = parts[0][1]
    total += "".join((" - " if negative else " + ") + part for negative, part in parts[1:])
    if layout.swizzle is None:
        return total
    if _OPERATOR.search(total):
        total = f"({total})"
    return f"{total} ^ {layout.swizzle.moved_text(total)}"
