"""DirectML: buffer tensors of 1 to 8 dimensions, with strides in elements or null.

Shapes of fewer than 4 dimensions get leading sizes of 1. The fixed order is N, C, H, W or
N, C, D, H, W. Text that names Sizes or Strides is recognised; other text needs ``directml:``.

Grammar:
    text    = "null" | "nullptr" | strides | a letter format, as in NHWC
            | [ "Sizes" ["="] list [","|";"] ] "Strides" ["="] ( list | "null" | "nullptr" )
    strides = list of integers, as in {15, 1, 5, 1}
    list    = "{" integer { "," integer } "}"

Example: Sizes {1, 1, 3, 5} Strides {15, 1, 5, 1} with shape (1, 1, 3, 5): packed NHWC.

Trap: sizes and strides are 32-bit. If strides are given, DMLCalcBufferTensorSize computes the last
index in 32 bits: from 2^32 elements on it overflows and returns far too few bytes.

Source: DML_BUFFER_TENSOR_DESC, DML_SLICE1_OPERATOR_DESC, DMLCalcBufferTensorSize.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, phrase, unreadable
from ...model.layout import Layout, NormalForm, packed_strides
from ..dialect import CannotSayError, Dialect, per_size, skip_blanks, skip_comma
from ..grammar.cursor import Literal, read_literal
from ..orders import DigitOrder
from ..specs import Request, Spec, Written, match_shape, strided
from . import letters
from .strides import braces, parse_numbers, plain_strides, write_numbers

_MAX_RANK = 8
_MIN_FILLED = 4
_NULL = {"null", "nullptr"}
_FIELD = re.compile(r"\s*(Sizes|Strides)\s*=?\s*(?=[{\[(n])")
_UINT = 1 << 32
# Types that DMLCalcBufferTensorSize accepts; it returns 0 for any other.
_HELPER_TYPES = frozenset(
    {"float64", "float32", "float16"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in (64, 32, 16, 8)}
)


def read(text: str) -> Spec:
    stripped = text.strip()
    if stripped in _NULL:
        return _Buffer(stripped, None)
    if letters.recognises(stripped):
        return _of_letters(stripped)
    if _FIELD.match(stripped):
        return _of_fields(stripped)
    strides, offset = parse_numbers(text)
    if offset:
        raise LayoutError("layout", text, phrase("directml.offset"))
    for i, stride in enumerate(strides):
        if stride < 0:
            raise LayoutError(f"layout.strides[{i}]", stride, phrase("directml.stride"))
    return _Buffer(text, tuple(strides))


def _of_letters(text: str) -> _Letters:
    missing = "".join(c for c in ("NC" if "D" in text else "NCHW") if c not in text)
    order = letters.DIALECT.attempt(missing + text)
    if isinstance(order, LayoutError):
        raise order.shifted(-len(missing))
    return _Letters(missing + text, order)


def _check_rank(request: Request) -> None:
    if len(request.shape) > _MAX_RANK:
        raise LayoutError("shape", request.shape, phrase("directml.rank", most=_MAX_RANK))


def _filled(request: Request, rank: int) -> Request:
    """The request with leading sizes of 1, so that it has at least ``rank`` sizes."""
    missing = rank - len(request.shape)
    if missing <= 0:
        return request
    return replace(request, shape=(1,) * missing + request.shape, dims=None)


@dataclass(frozen=True, slots=True)
class _Letters(Spec):
    """A format without blocks. Letters of missing leading dimensions are added."""

    text: str
    order: Spec

    def _rank(self) -> int:
        return len(letters.letters_of(self.text))

    def takes(self, dims: str) -> bool:
        return len(dims) < self._rank() or self.order.takes(dims)

    def apply(self, request: Request) -> Written:
        _check_rank(request)
        made = self.order.apply(_filled(request, self._rank()))
        if _has_blocks(made.layout.normal_form):
            raise LayoutError("layout", self.text, phrase("directml.blocks"))
        return made

    def memory(self, request: Request) -> NormalForm | None:
        found = self.order.memory(_filled(request, self._rank()))
        return None if found is None or _has_blocks(found) else found


def _has_blocks(memory: NormalForm) -> bool:
    return memory.padded_shape != memory.shape or any(len(mine) > 1 for mine in memory.reached)


@dataclass(frozen=True, slots=True)
class _Buffer(Spec):
    """Strides, None if they are null, and the sizes if the text names them. ``strides_at``: the
    position of the strides in ``text``, None if ``text`` is only strides."""

    text: str
    strides: tuple[int, ...] | None
    shape: tuple[int, ...] | None = None
    strides_at: int | None = None

    def apply(self, request: Request) -> Written:
        _check_rank(request)
        filled = _filled(request, len(self.shape or ()))
        if filled.shape != self.shape:
            match_shape(self.shape, request)
        rank = len(filled.shape)
        if self.strides is None:
            filled = _filled(filled, _MIN_FILLED)
            return strided(filled, packed_strides(filled.shape), 0, "directml:null")
        if self.strides_at is not None and len(self.strides) < rank:
            raise unreadable(self.text, self.strides_at, per_size(filled.shape))
        filled = _filled(filled, max(len(self.strides), _MIN_FILLED))
        leading = len(filled.shape) - rank if len(self.strides) == rank else 0
        strides = (*packed_strides(filled.shape)[:leading], *self.strides)
        return strided(filled, strides, 0, write_numbers(strides, 0))


def _unsigned(text: str, literal: Literal) -> tuple[int, ...]:
    numbers = literal.integers(text)
    assert isinstance(literal.value, tuple)  # or it would have no integers
    for number, entry in zip(numbers, literal.value, strict=True):
        if not 0 <= number < _UINT:
            raise unreadable(text, entry.at, phrase("integer.uint32"))
    if not 1 <= len(numbers) <= _MAX_RANK:
        raise unreadable(text, literal.at, phrase("directml.numbers", most=_MAX_RANK))
    return numbers


def _of_fields(text: str) -> _Buffer:
    fields: dict[str, Literal] = {}
    at = 0
    while at < len(text):
        named = _FIELD.match(text, at)
        if named is None or named[1] in fields:
            raise unreadable(text, skip_blanks(text, at), phrase("directml.fields"))
        fields[named[1]], at = read_literal(text, named.end())
        at = skip_comma(text, at, ",;")
    sizes = _unsigned(text, fields["Sizes"]) if "Sizes" in fields else None
    given = fields.get("Strides")
    if given is None:
        raise unreadable(text, len(text), phrase("directml.strides"))
    if given.value is None:
        return _Buffer(text, None, sizes)
    strides = _unsigned(text, given)
    if sizes and len(strides) != len(sizes):
        raise unreadable(text, given.at, per_size(sizes))
    return _Buffer(text, strides, sizes, given.at)


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
    strides = plain_strides(layout)
    if not 1 <= layout.rank <= _MAX_RANK:
        raise CannotSayError("directml.rank")
    if layout.rank < _MIN_FILLED:
        raise CannotSayError("directml.leading")
    if layout.offset or any(s < 0 for s in strides):
        raise CannotSayError("directml.offset")
    if max((*strides, *layout.shape)) >= _UINT:
        raise CannotSayError("directml.numbers")
    return braces(strides)


def helper_size_bytes(sizes: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """The result of DMLCalcBufferTensorSize in bytes, with the errors of its 32-bit arithmetic.

    ``sizes`` and ``strides`` in elements, below 2^32. Without strides DirectML multiplies in
    64 bits, which is correct. Source: DirectML helper functions.
    """
    last = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) % _UINT
    return ((last + 1) * itemsize + 3) % (1 << 64) // 4 * 4


def wraps_32_bit(layout: Layout, dtype: ElementType) -> str | None:
    """A warning in one sentence if DMLCalcBufferTensorSize would overflow; else None.

    Also None for layouts that DirectML does not accept: blocks, negative strides, offsets, empty
    tensors, other types.
    """
    strides, itemsize = layout.strides, dtype.itemsize
    if strides is None or itemsize is None or dtype.name not in _HELPER_TYPES:
        return None
    sizes = layout.shape
    moving = [s for n, s in zip(sizes, strides, strict=True) if n > 1]
    if layout.offset or 0 in sizes or min((*moving, 0)) < 0 or max((*moving, *sizes, 0)) >= _UINT:
        return None
    last = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    exact_bytes = -(-(last + 1) * itemsize // 4) * 4
    wrapped_bytes = helper_size_bytes(sizes, strides, itemsize)
    if wrapped_bytes == exact_bytes:
        return None
    row_major = zip(sizes, strides, packed_strides(sizes), strict=True)
    null = all(n == 1 or s == p for n, s, p in row_major)
    cure = ", and the right size where the strides are null." if null else "."
    return (
        "DMLCalcBufferTensorSize adds up the last index in 32 bits: with these strides it returns "
        f"{wrapped_bytes} bytes instead of {exact_bytes}{cure}"
    )


DIALECT = Dialect("directml", "DirectML", "Strides", _FIELD.match, read, write)
