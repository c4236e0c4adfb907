"""Element types, one row each, and their names as people write them.

Names are those of NumPy and ml_dtypes. Types of 4 bits are packed two to a byte, the element with
the even address in the low nibble, as in DirectML, oneDNN and CUTLASS.
"""

import math
import re
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from ...nearest import nearest
from .errors import LayoutError, one_of

Kind = Literal["float", "complex", "int", "uint", "bool"]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type: ``bits`` per element, ``kind``, and its names in other systems.

    ``onnx``: its number there (TensorProto.DataType). ``onednn``, ``xla``, ``mlir``,
    ``safetensors``: the system's own name, None if oneDNN or safetensors does not have the type.
    ``aliases``: other spellings, in lower case. ``extended``: the NumPy type comes from ml_dtypes.
    ``non_finite``: which of infinity and NaN a floating-point type has. ``cudnn``, ``directml``:
    whether the system has the type.

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
    safetensors: str | None
    aliases: tuple[str, ...]
    extended: bool
    non_finite: tuple[str, ...]
    cudnn: bool
    directml: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Its other names, in lower case: the aliases, and those of oneDNN, XLA and MLIR."""
        named = (name.lower() for name in (self.onednn, self.xla, self.mlir) if name)
        return tuple(dict.fromkeys((*self.aliases, *named)))

    def numpy(self) -> np.dtype[Any]:
        """The NumPy type of one *unpacked* element."""
        if self.extended:
            import ml_dtypes  # noqa: PLC0415  # takes 30 ms, and most callers do not need it

            extended: np.dtype[Any] = np.dtype(getattr(ml_dtypes, self.name))
            return extended
        return np.dtype(self.name)

    def size_bytes(self, elements: int) -> int:
        """Bytes of ``elements`` side by side, two of 4 bits to a byte; rounded up."""
        return -(-elements * self.bits // 8)

    def byte_offset(self, offset_elems: int) -> int:
        """Byte in which the element at ``offset_elems`` starts, rounded down for 4-bit types."""
        return offset_elems * self.bits // 8

    @property
    def itemsize(self) -> int | None:
        """Bytes of one element, None for types smaller than a byte."""
        return self.bits // 8 if self.bits % 8 == 0 else None

    def stored(self) -> np.dtype[Any]:
        """A type of as many bytes that any library copies as they are; of types of whole bytes."""
        return np.dtype(f"u{self.bits // 8}" if self.bits <= 64 else "c16")

    def overflows_from(self) -> float:
        """Least number that overflows a floating-point type when rounded to nearest even."""
        import ml_dtypes  # noqa: PLC0415  # as in numpy()

        about: Any = ml_dtypes.finfo(self.numpy())  # type: ignore[no-untyped-call]  # finfo has no types
        greatest = float(about.max)
        step = float(about.eps) * 2.0 ** math.floor(math.log2(greatest))
        return greatest + step / 2

    @property
    def exact_up_to(self) -> int:
        """The greatest number up to which the type holds each whole number from 0 on."""
        digits = _DIGITS.get(self.name)
        return self.limits()[1] if digits is None else 2**digits

    def limits(self) -> tuple[int, int]:
        """Least and greatest integer of an integer type or bool."""
        if self.kind == "bool":
            return 0, 1
        if self.kind == "uint":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


# One row each. "-": the system does not have the type. Column ``of``: its NumPy type is NumPy's own
# (np) or of ml_dtypes (ml). Column ``in``: cuDNN (c) and DirectML (d) have it. Column ``no``: its
# number in ONNX. Column ``file``: its name in safetensors files.
_ROWS = """
name          bit kind    of in no onednn  xla      file    mlir     aliases
float64       64  float   np cd 11 f64     f64      F64     f64      double,fp64
float32       32  float   np cd 1  f32     f32      F32     f32      float,fp32,single
float16       16  float   np cd 10 f16     f16      F16     f16      half,fp16
bfloat16      16  float   ml c  16 bf16    bf16     BF16    bf16     bfloat
float8_e4m3fn 8   float   ml c  17 f8_e4m3 f8e4m3fn F8_E4M3 f8E4M3FN fp8_e4m3,fp8_e4m3fn,e4m3,e4m3fn
float8_e5m2   8   float   ml c  19 f8_e5m2 f8e5m2   F8_E5M2 f8E5M2   fp8_e5m2,e5m2
float4_e2m1fn 4   float   ml c  23 f4_e2m1 f4e2m1fn F4      f4E2M1FN fp4_e2m1
complex128    128 complex np c  15 -       c128     -     complex<f64> complex,cdouble,complexdouble
complex64     64  complex np c  14 -       c64      C64   complex<f32> cfloat,csingle,complexfloat
int64         64  int     np cd 7  s64     s64      I64     i64      long,longlong
int32         32  int     np cd 6  s32     s32      I32     i32      int
int16         16  int     np d  5  -       s16      I16     i16      s16,short
int8          8   int     np cd 3  s8      s8       I8      i8       char
int4          4   int     ml cd 22 s4      s4       -       i4       -
uint64        64  uint    np d  13 -       u64      U64     ui64     ulong
uint32        32  uint    np cd 12 -       u32      U32     ui32     uint
uint16        16  uint    np d  4  -       u16      U16     ui16     ushort
uint8         8   uint    np cd 2  u8      u8       U8      ui8      ubyte,uchar,byte
uint4         4   uint    ml cd 21 u4      u4       -       ui4      -
bool          8   bool    np c  9  -       pred     BOOL    i1       boolean,bool_
"""
# Binary digits of a number, with the one that is not stored; of a complex one in each part.
_DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8, "float8_e4m3fn": 4}
_DIGITS |= {"float8_e5m2": 3, "float4_e2m1fn": 2, "complex128": 53, "complex64": 24}
_NON_FINITE = {"float8_e4m3fn": ("nan",), "float4_e2m1fn": ()}


def _read_row(row: str) -> ElementType:
    name, bits, kind, library, held, onnx, *names = row.split()
    onednn, xla, safetensors, mlir, aliases = (None if each == "-" else each for each in names)
    return ElementType(
        name,
        int(bits),
        cast(Kind, kind),
        int(onnx),
        onednn,
        xla or "",
        mlir or "",
        safetensors,
        tuple(aliases.split(",")) if aliases else (),
        extended=library == "ml",
        non_finite=_NON_FINITE.get(name, ("infinity", "nan")),
        cudnn="c" in held,
        directml="d" in held,
    )


ELEMENT_TYPES = {t.name: t for t in map(_read_row, _ROWS.splitlines()[2:])}
BY_ONNX = {t.onnx: t for t in ELEMENT_TYPES.values()}

DEFAULT = ELEMENT_TYPES["float32"]


def by_name_in(system: Literal["onednn", "xla", "mlir", "safetensors"]) -> dict[str, ElementType]:
    """The element types that a system has, by the system's names."""
    return {name: t for t in ELEMENT_TYPES.values() if (name := getattr(t, system)) is not None}


_BY_SPELLING = {spelling: t for t in ELEMENT_TYPES.values() for spelling in (t.name, *t.names)}
# NumPy's type codes count bytes (i8 has 64 bits), its plain words have 64 bits, its byte a sign.
_NUMPYS = {f"{t.kind[0]}{t.bits // 8}": t for t in ELEMENT_TYPES.values() if not t.extended} | {
    **{kind: ELEMENT_TYPES[f"{kind}64"] for kind in ("float", "int", "uint")},
    "byte": ELEMENT_TYPES["int8"],
}
# Names of two types, such as i8: eight bits in XLA and MLIR, eight bytes in NumPy.
AMBIGUOUS = {
    name: (t, _NUMPYS[name]) for name, t in _BY_SPELLING.items() if _NUMPYS.get(name, t) is not t
}
# What languages and libraries write before the name of a type.
_SCOPE = re.compile(
    r"(?i:(?P<numpy>(?:np|numpy|jnp|jax\.numpy|cp|cupy)\.)|(?:torch|tf|ml_dtypes)\."
    r"|cudnn_data_|dml_tensor_data_type_|(?:dnnl::)?memory::data_type::|dnnl_)"
    r"|(?:(?:nvinfer1::)?DataType::)?k(?=[A-Z])|(?:std|cute|cutlass)::"
    r"|(?:(?:c10|at|torch)::)+(?:ScalarType::)?k?(?=[A-Z])"
)
_TYPESTR = re.compile(r"[<>|=]([fiubc][1-9][0-9]?)")


def find_dtype(text: str) -> ElementType | None:
    """Element type by name, None if no type has this name, or two have it (``AMBIGUOUS``).

    ``text``: NumPy's name, another system's name or an alias, also after ``torch.``, ``np.``,
    ``CUDNN_DATA_``, ``k``, ``c10::`` and the like, with C's ``_t``, or as NumPy's ``<f4``. What
    stands before a name decides between two types. Capital letters make no difference: cuDNN
    writes FLOAT.
    """
    stripped = text.strip()
    if code := _TYPESTR.fullmatch(stripped):
        return _NUMPYS.get(code[1])
    scope = _SCOPE.match(stripped)
    name = stripped[scope.end() if scope else 0 :].lower()
    if name in AMBIGUOUS:
        if scope is None:
            return None
        return AMBIGUOUS[name][scope["numpy"] is not None]
    return _BY_SPELLING.get(name) or _BY_SPELLING.get(name.removesuffix("_t"))


def parse_dtype(text: str, *, field: str = "dtype") -> ElementType:
    """Element type by name. Errors: LayoutError naming ``field`` if no type or two have this name.

    >>> from stridescope import parse_dtype
    >>> parse_dtype("torch.half").name, parse_dtype("s8").name
    ('float16', 'int8')
    """
    if not isinstance(text, str):
        raise LayoutError(field, text, one_of(ELEMENT_TYPES))
    found = find_dtype(text)
    if found is None:
        meant = AMBIGUOUS.get(text.strip().lower())
        if meant is not None:
            near: str | None = " or ".join(t.name for t in meant)
        else:
            near = nearest(text, ELEMENT_TYPES) or nearest(text, _BY_SPELLING)
        raise LayoutError(field, text, one_of(ELEMENT_TYPES), suggestion=near)
    return found
