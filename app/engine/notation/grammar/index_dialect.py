"""Index expressions as layouts: what the dialects ``c`` and ``python`` share.

``division`` is the language's word for whole division, ``/`` or ``//``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence

from ...digits import places as places_of
from ...dtypes import DEFAULT
from ...errors import Described, LayoutError
from ...layout import INT64_MAX, Digit, Layout, default_dims
from ..dialect import CannotSayError, TensorText, match_rank, readable, same_addresses, unreadable
from .index_forms import Atom
from .index_grammar import ExpressionReader

_GENERIC = "abcdefghijklmnopqrstuvwxyz"
# Logical orders of the letters that a text uses, where the rank alone does not say.
_CANONICAL = ("NCDHW", "GOIDHW", "TNC", "LDIGO", "LDNC")
# Those of weights, for a text that leaves out a letter whose stride would be 0.
_WEIGHTS = ("OIW", "OIHW", "OIDHW", "GOIW", "GOIHW", "GOIDHW")
_CHARACTERS = re.compile(r"[A-Za-z0-9\s+\-*/%&^<>()]+", re.ASCII)
_RUN = re.compile(r"[A-Za-z][A-Za-z0-9]|[0-9][A-Za-z]", re.ASCII)
_OPERATOR = re.compile(r"[+\-*/%&^]|<<|>>")
_LETTER = re.compile(r"[A-Za-z]", re.ASCII)
_NUMBER_FIRST = re.compile(r"[\s(]*-?[0-9]")  # as a list of strides begins

# (stride, variable, place, modulus), as one term of the text.
_Term = tuple[int, str, int, int | None]


def looks_like_index(text: str) -> bool:
    """Whether ``text`` is single letters and integers with operators between them."""
    return (
        _CHARACTERS.fullmatch(text) is not None
        and _RUN.search(text) is None
        and _OPERATOR.search(text) is not None
        and _LETTER.search(text) is not None
    )


def read(text: str, tensor: TensorText, division: str) -> Layout:
    """Layout of an index expression; its variables are the dimensions' letters."""
    reader = ExpressionReader(text, division)
    form = reader.read()
    dims, dimension_of = _names(reader, tensor)
    grouped: list[dict[Atom, int]] = [{} for _ in tensor.shape]
    for atom, coefficient in form.atoms.items():
        grouped[dimension_of[atom[0]]][atom] = coefficient
    digits = tuple(
        _digits(size, atoms, reader) for size, atoms in zip(tensor.shape, grouped, strict=True)
    )
    return Layout(tensor.shape, dims, digits, form.constant, form.swizzle)


def _names(reader: ExpressionReader, tensor: TensorText) -> tuple[str, dict[str, int]]:
    """Names of the logical dimensions, and the dimension that each variable stands for."""
    used = reader.variables
    if tensor.dims is not None:
        match_rank(tensor, tensor.dims)
        named = letters_of(tensor.dims)
        for letter, at in used.items():
            if letter not in named:
                listed = ", ".join(variables_of(tensor.dims)) or "none"
                raise unreadable(reader.text, at, f"a dimension's letter, one of {listed}")
        return tensor.dims, named
    rank = len(tensor.shape)
    for dims in _candidates({c.lower() for c in used}, rank):
        named = letters_of(dims)
        if used.keys() <= named.keys():
            return dims, named
    expected = ", ".join(variables_of(default_dims(rank))) or "no letters"
    if len(used) > rank:
        raise LayoutError("shape", tensor.shape, f"{len(used)} sizes, one per letter of the layout")
    odd = [at for c, at in used.items() if c not in letters_of(default_dims(rank))]
    raise unreadable(reader.text, min(odd), f"{expected} for {rank} sizes, or dims that name them")


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


def letters_of(dims: str) -> dict[str, int]:
    """The dimension of each letter: as written, or in the other case where that names no other."""
    named = {c: d for d, c in enumerate(dims)}
    for d, c in enumerate(dims):
        named.setdefault(c.lower(), d)
        named.setdefault(c.upper(), d)
    return named


def variables_of(dims: str) -> str:
    """The letters to write for ``dims``: small ones, unless two names differ in case alone."""
    small = dims.lower()
    return small if len(set(small)) == len(dims) else dims


def _digits(size: int, atoms: dict[Atom, int], reader: ExpressionReader) -> tuple[Digit, ...]:
    """Mixed-radix digits of one dimension, their radices between the places that occur."""
    edges = {1}
    for _, place, modulus in atoms:
        edges |= {place} if modulus is None else {place, place * modulus}
    places = sorted(edges)
    for inner, outer in itertools.pairwise(places):
        if outer % inner:
            at = min(reader.places.get((name, outer), len(reader.text)) for name, _, _ in atoms)
            raise unreadable(
                reader.text, at, f"blocks that nest: {outer} is no multiple of {inner}"
            )
    bounded = bool(atoms) and all(modulus is not None for _, _, modulus in atoms)
    outermost = max(-(-size // places[-1]), 1 if bounded else 0)
    extents = [b // a for a, b in itertools.pairwise(places)] + [outermost]
    digits = [
        Digit(extent, _stride(place, atoms, reader))
        for place, extent in zip(places, extents, strict=True)
    ]
    if len(digits) > 1 and digits[-1].extent == 1 and digits[-1].stride == 0:
        digits.pop()
    return tuple(reversed(digits))


def _stride(at_place: int, atoms: dict[Atom, int], reader: ExpressionReader) -> int:
    stride = sum(
        coefficient * (at_place // place)
        for (_, place, modulus), coefficient in atoms.items()
        if place <= at_place and (modulus is None or at_place < place * modulus)
    )
    if abs(stride) > INT64_MAX:
        at = min(reader.variables[name] for name, _, _ in atoms)
        raise LayoutError(
            "layout", Described("a stride out of range"), "strides from -(2^63-1) to 2^63-1",
            position=at,
        )  # fmt: skip
    return stride


def write(layout: Layout, division: str) -> str:
    """The address as a sum in memory order, then the offset, then the XOR of a swizzle."""
    if not all(c.isascii() and c.isalpha() for c in layout.dims):
        raise CannotSayError("The dimensions are not named by letters.")
    if layout.swizzle and not layout.swizzle.bits:
        raise CannotSayError("A swizzle of no bits leaves nothing to write.")
    for terms in (_short_terms, _bounded_terms, _all_terms):
        text = readable(_text(terms(layout), layout, division))
        if _says(text, layout, division):
            return text
    raise CannotSayError("An empty dimension is padded, which an expression does not show.")


def _says(text: str, layout: Layout, division: str) -> bool:
    try:
        again = read(text, TensorText(layout.shape, layout.dims, DEFAULT), division)
    except LayoutError:  # padding that the text extends may reach below address 0
        return False
    return same_addresses(again, layout)


def _short_terms(layout: Layout) -> list[_Term]:
    """Only what some coordinate moves; strides of size 1 are kept as they are written."""
    terms: list[_Term] = []
    for d, variable in enumerate(variables_of(layout.dims)):
        digits: Sequence[Digit] = layout.reachable_digits(d)
        if not digits and len(layout.digits[d]) == 1 and layout.shape[d] == 1:
            digits = layout.digits[d]
        terms += _terms(digits, variable)
        if digits and digits[0].stride:
            stride, _, place, _ = terms[-1]
            terms[-1] = (stride, variable, place, None)
    return [term for term in terms if term[0]]


def _bounded_terms(layout: Layout) -> list[_Term]:
    """The short ones, with a modulus on the outermost where padding goes on beyond the size."""
    names = variables_of(layout.dims)
    terms: list[_Term] = []
    for stride, name, place, modulus in _short_terms(layout):
        size, padded = layout.shape[names.index(name)], layout.padded_shape[names.index(name)]
        if modulus is None and -(-size // place) * place != padded:
            terms.append((stride, name, place, padded // place))
        else:
            terms.append((stride, name, place, modulus))
    return terms


def _all_terms(layout: Layout) -> list[_Term]:
    """Every digit with its extent, reachable or not."""
    variables = variables_of(layout.dims)
    return [
        term
        for d, variable in enumerate(variables)
        for term in _terms(layout.digits[d], variable)
        if term[3] != 1
    ]


def _terms(digits: Sequence[Digit], variable: str) -> list[_Term]:
    """A term per digit, innermost first."""
    return [(g.stride, variable, place, g.extent or None) for place, g in places_of(digits)]


def _text(terms: list[_Term], layout: Layout, division: str) -> str:
    terms = sorted(terms, key=lambda term: -abs(term[0]))
    parts = [
        (stride < 0, _factors(abs(stride), variable, place, extent, division))
        for stride, variable, place, extent in terms
    ]
    offset = (False, str(layout.offset))
    if not parts or parts[0][0]:  # a leading minus would bind before % does
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


def _factors(stride: int, variable: str, place: int, modulus: int | None, division: str) -> str:
    text = variable if place == 1 else f"{variable}{division}{place}"
    text += "" if modulus is None else f"%{modulus}"
    return text if stride == 1 else f"{text}*{stride}"


def spelled(layout: Layout, text: str, system: str, recognises: Callable[[str], bool]) -> Layout:
    """``layout`` under a spelling that no other dialect takes for its own."""
    ours = recognises(text) and not _NUMBER_FIRST.match(text)
    return layout.spelled(text if ours else f"{system}:{text}")
