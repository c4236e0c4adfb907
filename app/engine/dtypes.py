"""Element types and their bits. The only module that knows what a byte is.

Names are NumPy's and ml_dtypes'. Sub-byte integers are packed two to a byte, the
element with the even address in the low nibble (DirectML, oneDNN and CUTLASS agree).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .errors import LayoutError

Kind = Literal["float", "int", "uint", "bool"]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type: ``bits`` per element, ``kind``, and the NumPy type that holds one.

    >>> from stridescope import parse_dtype
    >>> parse_dtype("bfloat16")
    ElementType(name='bfloat16', bits=16, kind='float')
    >>> parse_dtype("int4").size_bytes(3)  # two to a byte
    2
    """

    name: str
    bits: int
    kind: Kind

    def numpy(self) -> np.dtype[Any]:
        """The NumPy type of one *unpacked* element; int4 and bfloat16 come from ml_dtypes."""
        if self.name in _EXTENDED:
            import ml_dtypes  # noqa: PLC0415  # 30 ms that most callers never need

            extended: np.dtype[Any] = np.dtype(getattr(ml_dtypes, self.name))
            return extended
        return np.dtype(self.name)

    def size_bytes(self, elements: int) -> int:
        """Bytes of ``elements`` packed elements, rounded up to whole bytes."""
        return -(-elements * self.bits // 8)

    def byte_offset(self, offset_elems: int) -> int:
        """Byte in which the element at ``offset_elems`` starts (a floor for int4)."""
        return offset_elems * self.bits // 8

    @property
    def itemsize(self) -> int | None:
        """Whole bytes of one element, None for the sub-byte types."""
        return self.bits // 8 if self.bits % 8 == 0 else None

    def limits(self) -> tuple[int, int]:
        """Least and greatest integer of an integer type or bool."""
        if self.kind == "bool":
            return 0, 1
        if self.kind == "uint":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


ELEMENT_TYPES: dict[str, ElementType] = {
    t.name: t
    for t in (
        ElementType("float64", 64, "float"),
        ElementType("float32", 32, "float"),
        ElementType("float16", 16, "float"),
        ElementType("bfloat16", 16, "float"),
        ElementType("float8_e4m3fn", 8, "float"),
        ElementType("float8_e5m2", 8, "float"),
        *(ElementType(f"int{b}", b, "int") for b in (64, 32, 16, 8, 4)),
        *(ElementType(f"uint{b}", b, "uint") for b in (64, 32, 16, 8, 4)),
        ElementType("bool", 8, "bool"),
    )
}

_EXTENDED = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"})

# Spellings of oneDNN (f32, s8), C and PyTorch (half, double) for the same types.
_ALIASES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
    "f8_e4m3": "float8_e4m3fn", "f8_e5m2": "float8_e5m2",
    "s64": "int64", "s32": "int32", "s16": "int16", "s8": "int8", "s4": "int4",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8", "u4": "uint4",
    "double": "float64", "float": "float32", "half": "float16",
    "long": "int64", "int": "int32", "short": "int16",
}  # fmt: skip

DEFAULT = ELEMENT_TYPES["float32"]


def parse_dtype(text: str, *, field: str = "dtype") -> ElementType:
    """Element type by name: NumPy's, ``torch.``'s, oneDNN's or DirectML's upper case.

    Errors: LayoutError naming ``field`` for any other text.

    >>> from stridescope import parse_dtype
    >>> parse_dtype("torch.half").name, parse_dtype("s8").name
    ('float16', 'int8')
    """
    name = text.lower().removeprefix("torch.").removeprefix("np.")
    found = ELEMENT_TYPES.get(_ALIASES.get(name, name))
    if found is None:
        raise LayoutError(field, text, "one of " + ", ".join(ELEMENT_TYPES))
    return found
