"""Element types, one row each. Elements become bits and bytes in this module only.

Names are those of NumPy and ml_dtypes. Types of 4 bits are packed two to a byte, the element with
the even address in the low nibble, as in DirectML, oneDNN and CUTLASS.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .errors import LayoutError, one_of
from .nearest import nearest

Kind = Literal["float", "int", "uint", "bool"]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type: ``bits`` per element, ``kind``, and its names in other systems.

    ``onnx``: its number there (TensorProto.DataType). ``onednn``, ``xla``, ``mlir``,
    ``safetensors``: the system's own name, None if oneDNN or safetensors does not have the type.
    ``aliases``: other spellings, in lower case. ``extended``: the NumPy type comes from ml_dtypes.
    ``non_finite``: which of infinity and NaN a floating-point type has.

    >>> from stridescope import parse_dtype
    >>> parse_dtype("bfloat16").bits
    16
    >>> parse_dtype("int4").size_bytes(3)  # two to a byte
    2
    """

    name: str
    bits: int
    kind: Kind
    onnx: int
    onednn: str | None
    xla: str
    mlir: str
    safetensors: str | None = None
    aliases: tuple[str, ...] = ()
    extended: bool = False
    non_finite: tuple[str, ...] = ("infinity", "nan")

    def numpy(self) -> np.dtype[Any]:
        """The NumPy type of one *unpacked* element."""
        if self.extended:
            import ml_dtypes  # noqa: PLC0415  # takes 30 ms, and most callers do not need it

            extended: np.dtype[Any] = np.dtype(getattr(ml_dtypes, self.name))
            return extended
        return np.dtype(self.name)

    def size_bytes(self, elements: int) -> int:
        """Bytes of ``elements`` packed elements, rounded up to whole bytes."""
        return -(-elements * self.bits // 8)

    def byte_offset(self, offset_elems: int) -> int:
        """Byte in which the element at ``offset_elems`` starts, rounded down for 4-bit types."""
        return offset_elems * self.bits // 8

    @property
    def itemsize(self) -> int | None:
        """Bytes of one element, None for types smaller than a byte."""
        return self.bits // 8 if self.bits % 8 == 0 else None

    def overflows_from(self) -> float:
        """Least number that overflows a floating-point type when rounded to nearest even."""
        import ml_dtypes  # noqa: PLC0415  # as in numpy()

        about: Any = ml_dtypes.finfo(self.numpy())  # type: ignore[no-untyped-call]  # finfo has no types
        greatest = float(about.max)
        step = float(about.eps) * 2.0 ** math.floor(math.log2(greatest))
        return greatest + step / 2

    def limits(self) -> tuple[int, int]:
        """Least and greatest integer of an integer type or bool."""
        if self.kind == "bool":
            return 0, 1
        if self.kind == "uint":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


_FLOATS = (
    ElementType("float64", 64, "float", 11, "f64", "f64", "f64", "F64", ("double", "fp64")),
    ElementType("float32", 32, "float", 1, "f32", "f32", "f32", "F32", ("float", "fp32", "single")),
    ElementType("float16", 16, "float", 10, "f16", "f16", "f16", "F16", ("half", "fp16")),
    ElementType(
        "bfloat16", 16, "float", 16, "bf16", "bf16", "bf16", "BF16", ("bfloat",), extended=True,
    ),
    ElementType(
        "float8_e4m3fn", 8, "float", 17, "f8_e4m3", "f8e4m3fn", "f8E4M3FN", "F8_E4M3",
        ("fp8_e4m3", "fp8_e4m3fn", "e4m3", "e4m3fn"),
        extended=True, non_finite=("nan",),
    ),
    ElementType(
        "float8_e5m2", 8, "float", 19, "f8_e5m2", "f8e5m2", "f8E5M2", "F8_E5M2",
        ("fp8_e5m2", "e5m2"), extended=True,
    ),
    ElementType(
        "float4_e2m1fn", 4, "float", 23, "f4_e2m1", "f4e2m1fn", "f4E2M1FN", "F4", ("fp4_e2m1",),
        extended=True, non_finite=(),
    ),
)  # fmt: skip
_INTEGERS = (
    ElementType("int64", 64, "int", 7, "s64", "s64", "i64", "I64", ("long", "longlong")),
    ElementType("int32", 32, "int", 6, "s32", "s32", "i32", "I32", ("int",)),
    ElementType("int16", 16, "int", 5, None, "s16", "i16", "I16", ("s16", "short")),
    ElementType("int8", 8, "int", 3, "s8", "s8", "i8", "I8", ("char",)),
    ElementType("int4", 4, "int", 22, "s4", "s4", "i4", extended=True),
    ElementType("uint64", 64, "uint", 13, None, "u64", "ui64", "U64", ("ulong",)),
    ElementType("uint32", 32, "uint", 12, None, "u32", "ui32", "U32", ("uint",)),
    ElementType("uint16", 16, "uint", 4, None, "u16", "ui16", "U16", ("ushort",)),
    ElementType("uint8", 8, "uint", 2, "u8", "u8", "ui8", "U8", ("ubyte", "uchar")),
    ElementType("uint4", 4, "uint", 21, "u4", "u4", "ui4", extended=True),
    ElementType("bool", 8, "bool", 9, None, "pred", "i1", "BOOL", ("boolean", "bool_")),
)
ELEMENT_TYPES = {t.name: t for t in (*_FLOATS, *_INTEGERS)}
BY_ONNX = {t.onnx: t for t in ELEMENT_TYPES.values()}

_BY_SPELLING = {
    spelling: t
    for t in ELEMENT_TYPES.values()
    for spelling in (t.name, *t.aliases, *(s.lower() for s in (t.onednn, t.xla, t.mlir) if s))
}
# What languages and libraries write before the name of a type.
_SCOPE = re.compile(
    r"(?i:(?:torch|np|numpy|jnp|jax\.numpy|tf|ml_dtypes|cp|cupy)\."
    r"|cudnn_data_|dml_tensor_data_type_|(?:dnnl::)?memory::data_type::|dnnl_)"
    r"|(?:(?:nvinfer1::)?DataType::)?k(?=[A-Z])"
)
_TYPESTR = re.compile(r"[<>|=]([fiub])([1-9])")
_TYPESTR_KINDS = {"f": "float", "i": "int", "u": "uint"}

DEFAULT = ELEMENT_TYPES["float32"]


def find_dtype(text: str) -> ElementType | None:
    """Element type by name, None if no type has this name.

    ``text``: NumPy's name, another system's name or an alias, also after ``torch.``, ``np.``,
    ``CUDNN_DATA_``, ``k`` and the like, with C's ``_t``, or as NumPy's ``<f4``. Capital letters
    make no difference: DirectML and cuDNN write FLOAT16.
    """
    stripped = text.strip()
    if code := _TYPESTR.fullmatch(stripped):
        kind, size = code.groups()
        name = "bool" if (kind, size) == ("b", "1") else None
        return ELEMENT_TYPES.get(name or f"{_TYPESTR_KINDS.get(kind)}{8 * int(size)}")
    scope = _SCOPE.match(stripped)
    name = stripped[scope.end() if scope else 0 :].lower()
    return _BY_SPELLING.get(name) or _BY_SPELLING.get(name.removesuffix("_t"))


def parse_dtype(text: str, *, field: str = "dtype") -> ElementType:
    """Element type by name. Errors: LayoutError naming ``field`` if no type has this name.

    >>> from stridescope import parse_dtype
    >>> parse_dtype("torch.half").name, parse_dtype("s8").name
    ('float16', 'int8')
    """
    found = find_dtype(text)
    if found is None:
        raise LayoutError(
            field,
            text,
            one_of(ELEMENT_TYPES),
            suggestion=nearest(text, ELEMENT_TYPES) or nearest(text, _BY_SPELLING),
        )
    return found


def by_name_in(system: Literal["onednn", "xla", "mlir", "safetensors"]) -> dict[str, ElementType]:
    """The element types that a system has, by the system's names."""
    return {name: t for t in ELEMENT_TYPES.values() if (name := getattr(t, system)) is not None}
