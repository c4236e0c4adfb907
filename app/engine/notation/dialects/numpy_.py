"""NumPy: strides in bytes, the orders C and F, flags, and the array interface.

A bare tuple means elements here and is NumPy's only under ``numpy:``. The pointer in ``data``
does not count: the offset is what lies between the buffer's start and the first element.

Grammar:
    text      = "C" | "F" | strides [ "+" offset ] | interface | flags
    strides   = "(" { integer "," } ")"                      in bytes
    interface = "{" "'shape'" ":" strides "," "'strides'" ":" ( strides | "None" ) ","
                "'typestr'" ":" "'<f8'" … "}"                in any order
    flags     = "C_CONTIGUOUS :" bool "F_CONTIGUOUS :" bool …

Example: (2304, 36, 12, 4) with shape (2, 64, 3, 3): NCHW of float32.

Trap: strides are in bytes, so the same array has other strides after a change of type; PyTorch,
oneDNN and DirectML count elements. ``strides`` of None means C order, not the absence of an order.

Source: numpy.ndarray.strides, numpy.ndarray.flags, and the array interface protocol, version 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...dtypes import ELEMENT_TYPES, ElementType
from ...errors import LayoutError
from ...layout import Layout, default_dims, packed_strides
from ..dialect import CannotSayError, Dialect, TensorText, match_rank, skip_blanks, unreadable
from ..grammar.literals import Literal, read_literal
from .strides import parse_numbers, plain_strides, strided, write_numbers

_INTERFACE = re.compile(r"\{\s*['\"]")
_FLAG = re.compile(r"\s*([A-Z_]+)\s*:\s*(True|False)\b(?:\s*\([^()\n]*\))?", re.ASCII)
_TYPESTR = re.compile(r"[<>|=]?([a-zA-Z])([0-9]{1,3})", re.ASCII)
_KINDS = {"f": "float", "i": "int", "u": "uint"}


def recognises(text: str) -> bool:
    """Whether ``text`` is an array interface or flags; strides are NumPy's only when forced."""
    return _INTERFACE.match(text) is not None or text.startswith(("C_CONTIGUOUS", "F_CONTIGUOUS"))


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of byte strides; they must be whole multiples of the item size."""
    stripped = text.strip()
    if _INTERFACE.match(stripped):
        return _of_interface(stripped, tensor)
    if "_CONTIGUOUS" in stripped:
        return _ordered(_order_of_flags(stripped), tensor)
    if stripped in {"C", "F"}:
        return _ordered(stripped, tensor)
    strides, offset = parse_numbers(text)
    return from_bytes(strides, offset, tensor, field="layout")


def _ordered(order: str, tensor: TensorText) -> Layout:
    rank = len(tensor.shape)
    dims = default_dims(rank) if tensor.dims is None else tensor.dims
    match_rank(tensor, dims)
    if 0 in tensor.shape:
        # A fresh array without elements has all strides 0 since NumPy 2.4.
        spelling = f"numpy:{order}"
        return Layout.strided(tensor.shape, [0] * rank, dims=dims, spelling=spelling)
    axes = range(rank) if order == "C" else reversed(range(rank))
    return Layout.packed(tensor.shape, dims, [(d, None) for d in axes], spelling=f"numpy:{order}")


def _order_of_flags(text: str) -> str:
    """``C`` or ``F``; where both flags hold, both orders are the same memory."""
    flags: dict[str, bool] = {}
    at = 0
    while text[at:].strip():
        found = _FLAG.match(text, at)
        if found is None:
            raise unreadable(text, skip_blanks(text, at), "a flag such as C_CONTIGUOUS : True")
        flags[found[1]] = found[2] == "True"
        at = found.end()
    for order in "CF":
        if flags.get(f"{order}_CONTIGUOUS"):
            return order
    raise unreadable(text, len(text), "C_CONTIGUOUS : True or F_CONTIGUOUS : True, or strides")


def _interface(text: str) -> Mapping[str, Literal]:
    literal, end = read_literal(text)
    if not isinstance(literal.value, Mapping):
        raise unreadable(text, literal.at, "'key': value")
    end = skip_blanks(text, end)
    if end < len(text):
        raise unreadable(text, end, "the end of the text")
    return literal.value


def _of_interface(text: str, tensor: TensorText) -> Layout:
    found = _interface(text)
    if "shape" not in found:
        raise unreadable(text, 0, "a 'shape' in the array interface")
    shape = found["shape"].integers(text)
    if shape != tensor.shape:
        raise LayoutError("shape", tensor.shape, f"the sizes of the array interface, {shape}")
    itemsize = tensor.dtype.itemsize
    if "typestr" in found:
        typestr = found["typestr"]
        kind = _TYPESTR.fullmatch(typestr.value) if isinstance(typestr.value, str) else None
        if kind is None:
            raise unreadable(text, typestr.at, "a type such as '<f4'")
        if int(kind[2]) != itemsize:
            raise LayoutError("dtype", tensor.dtype.name, f"a type of {int(kind[2])} bytes")
    offset = found["offset"].integer(text) if "offset" in found else 0
    given = found.get("strides")
    if given is None or given.value is None:
        packed = [s * (itemsize or 0) for s in packed_strides(shape)]
        return from_bytes(packed, offset, tensor, field="layout")
    strides = list(given.integers(text))
    if len(strides) != len(shape):
        raise unreadable(text, given.at, f"{len(shape)} strides, one per size")
    return from_bytes(strides, offset, tensor, field="layout")


def own_shape(text: str) -> tuple[int, ...] | None:
    """The sizes that an array interface carries."""
    stripped = text.strip()
    try:
        found = _interface(stripped) if _INTERFACE.match(stripped) else {}
        return found["shape"].integers(stripped) if "shape" in found else None
    except LayoutError:
        return None


def own_dtype(text: str) -> str | None:
    """The element type that an array interface carries."""
    stripped = text.strip()
    try:
        found = _interface(stripped) if _INTERFACE.match(stripped) else {}
    except LayoutError:
        return None
    typestr = found.get("typestr")
    return dtype_of_typestr(typestr.value) if typestr and isinstance(typestr.value, str) else None


def dtype_of_typestr(typestr: str) -> str | None:
    """The element type of NumPy's ``<f8`` or ``float64``; None for one that is not known here.

    ml_dtypes' types show as ``<V2`` and ``|V1``, which do not say which they are.
    """
    kind = _TYPESTR.fullmatch(typestr)
    if typestr in ELEMENT_TYPES:
        return typestr
    if kind is None:
        return None
    if kind[1] == "b" and kind[2] == "1":
        return "bool"
    name = f"{_KINDS.get(kind[1], '')}{8 * int(kind[2])}"
    return name if name in ELEMENT_TYPES else None


def short_form(text: str) -> str:
    """An array interface as ``numpy:`` text without pointer and type."""
    found = _interface(text)
    strides, offset = found.get("strides"), found.get("offset")
    start = offset.integer(text) if offset else 0
    if strides is None or strides.value is None:
        return f"numpy:{text}" if start else "numpy:C"
    return "numpy:" + write_numbers(strides.integers(text), start)


def from_bytes(strides: list[int], offset: int, tensor: TensorText, *, field: str) -> Layout:
    """Layout of ``strides`` and ``offset`` in bytes."""
    itemsize = tensor.dtype.itemsize
    if itemsize is None:
        raise LayoutError(
            field, strides, f"strides in elements: {tensor.dtype.name} is no whole byte"
        )
    for value in (*strides, offset):
        if value % itemsize:
            raise LayoutError(
                field, value, f"multiples of the {itemsize} bytes of {tensor.dtype.name}"
            )
    layout = strided([s // itemsize for s in strides], offset // itemsize, tensor)
    return layout.spelled(write_numbers([s // itemsize for s in strides], layout.offset))


def write(layout: Layout, dtype: ElementType) -> str:
    """Byte strides and offset."""
    strides = plain_strides(layout)
    if dtype.itemsize is None:
        raise CannotSayError(f"NumPy strides are whole bytes and {dtype.name} is half a byte.")
    n = dtype.itemsize
    return write_numbers([s * n for s in strides], layout.offset * n)


DIALECT = Dialect("numpy", recognises, parse, write, own_shape=own_shape, own_dtype=own_dtype)
