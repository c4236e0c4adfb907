"""Bytes of a buffer by the rule of each system, or why the system cannot have such a tensor.

NumPy, PyTorch and cuDNN need 1 + Σ (size-1)·|stride| elements, DirectML as many, rounded up to
4 bytes (DMLCalcBufferTensorSize); oneDNN: see ``onednn_bytes``. An offset is no part of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..model.dtypes import ElementType
from ..model.layout import INT64_MAX, Layout
from ..notation.code.onednn import onednn_bytes
from ..notation.dialect import CannotSayError
from ..notation.dialects import cudnn, directml, pytorch
from ..notation.dialects.strides import plain_strides

_DIRECTML_RANK: Final = 4  # of fewer sizes the others are 1
_VECTORS: Final = {"int8": (4, 32), "uint8": (4,)}  # of cuDNN's NCHW_VECT_C


def buffer_sizes(
    layout: Layout, dtype: ElementType
) -> tuple[dict[str, int | None], dict[str, str]]:
    """Bytes by system, None where it cannot have the tensor, and by system the reason why not."""
    rules: dict[str, Callable[[Layout, ElementType], int]] = {
        "numpy": _numpy,
        "pytorch": _pytorch,
        "cudnn": _cudnn,
        "directml": _directml,
        "onednn": onednn_bytes,
    }
    found: dict[str, int | None] = {}
    reasons: dict[str, str] = {}
    at_zero = replace(layout, offset=layout.offset - layout.bounds[0])
    for system, rule in rules.items():
        try:
            found[system] = _counted(rule(at_zero, dtype))
        except CannotSayError as error:
            found[system], reasons[system] = None, str(error)
    return found, reasons


def _counted(size_bytes: int) -> int:
    if size_bytes > INT64_MAX:
        raise CannotSayError("The size in bytes is beyond 2^63-1.")
    return size_bytes


def _numpy(layout: Layout, dtype: ElementType) -> int:
    plain_strides(layout)
    # ml_dtypes stores a type of half a byte in a byte.
    item_bytes = max(dtype.bits // 8, 1)
    _counted(layout.elements * item_bytes)  # of a view too, that repeats a few
    return layout.span_elements * item_bytes


def _pytorch(layout: Layout, dtype: ElementType) -> int:
    if dtype.itemsize is None:
        raise CannotSayError(f"PyTorch has no tensors of {dtype.name}, which is half a byte.")
    pytorch.write(layout, dtype, None)
    return dtype.size_bytes(layout.span_elements)


def _cudnn(layout: Layout, dtype: ElementType) -> int:
    if not dtype.cudnn:
        raise CannotSayError(f"cuDNN has no data type for {dtype.name}.")
    cudnn.write(layout, dtype, None)
    if layout.strides is None:
        vector = layout.digits[layout.dims.index("C")][-1].extent
        if vector not in _VECTORS.get(dtype.name, ()):
            raise CannotSayError(f"cuDNN has no vectors of {vector} elements of {dtype.name}.")
    return dtype.size_bytes(layout.span_elements)


def _directml(layout: Layout, dtype: ElementType) -> int:
    if not dtype.directml:
        raise CannotSayError(f"DirectML has no data type for {dtype.name}.")
    missing = max(_DIRECTML_RANK - layout.rank, 0)
    sizes, strides = (1,) * missing + layout.shape, (0,) * missing + plain_strides(layout)
    directml.write(Layout.strided(sizes, strides, layout.offset), dtype, None)
    return -(-dtype.size_bytes(layout.span_elements) // 4) * 4
