"""Bytes of a buffer by the rule of each system, or why the system cannot have such a tensor.

NumPy, PyTorch and cuDNN need 1 + Σ (size-1)·|stride| elements, DirectML as many, rounded up to
4 bytes (DMLCalcBufferTensorSize); oneDNN: see ``onednn_bytes``. An offset is no part of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from ..model.dtypes import ElementType
from ..model.layout import INT64_MAX, Layout
from ..notation import notations
from ..notation.code.onednn import onednn_bytes
from ..notation.dialect import CannotSayError, Notation
from ..notation.dialects import directml
from ..notation.dialects.strides import plain_strides

Said = Mapping[str, Notation]
_DIRECTML_RANK: Final = 4  # of fewer sizes the others are 1
_VECTORS: Final = {"int8": (4, 32), "uint8": (4,)}  # of cuDNN's NCHW_VECT_C


def buffer_sizes(
    layout: Layout, dtype: ElementType, said: Said | None = None
) -> tuple[dict[str, int | None], dict[str, str]]:
    """Bytes by system, None where it cannot have the tensor, and by system the reason why not.

    ``said``: the notations of the layout, if they are known.
    """
    if said is None or layout.bounds[0]:
        layout = replace(layout, offset=layout.offset - layout.bounds[0])
        said = notations(layout, dtype)
    rules: dict[str, Callable[[Layout, ElementType, Said], int]] = {
        "numpy": _numpy,
        "pytorch": _pytorch,
        "cudnn": _cudnn,
        "directml": _directml,
        "onednn": lambda layout, dtype, _: onednn_bytes(layout, dtype),
    }
    found: dict[str, int | None] = {}
    reasons: dict[str, str] = {}
    for system, rule in rules.items():
        try:
            found[system] = _counted(rule(layout, dtype, said))
        except CannotSayError as error:
            found[system], reasons[system] = None, str(error)
    return found, reasons


def _check(written: Notation) -> None:
    if "reason" in written:
        raise CannotSayError(written["code"].removeprefix("cannot."), **written["params"])


def _counted(size_bytes: int) -> int:
    if size_bytes > INT64_MAX:
        raise CannotSayError("size_bytes")
    return size_bytes


def _numpy(layout: Layout, dtype: ElementType, said: Said) -> int:
    _check(said["strides"])
    # ml_dtypes stores a type of half a byte in a byte.
    item_bytes = max(dtype.bits // 8, 1)
    _counted(layout.elements * item_bytes)  # of a view too, that repeats a few
    return layout.span_elements * item_bytes


def _pytorch(layout: Layout, dtype: ElementType, said: Said) -> int:
    if dtype.itemsize is None:
        raise CannotSayError("pytorch.half_byte", type=dtype.name)
    _check(said["pytorch"])
    return dtype.size_bytes(layout.span_elements)


def _cudnn(layout: Layout, dtype: ElementType, said: Said) -> int:
    if not dtype.cudnn:
        raise CannotSayError("cudnn.type", type=dtype.name)
    _check(said["cudnn"])
    if layout.strides is None:
        vector = layout.digits[layout.dims.index("C")][-1].extent
        if vector not in _VECTORS.get(dtype.name, ()):
            raise CannotSayError("cudnn.vectors", vector=vector, type=dtype.name)
    return dtype.size_bytes(layout.span_elements)


def _directml(layout: Layout, dtype: ElementType, said: Said) -> int:
    if not dtype.directml:
        raise CannotSayError("directml.type", type=dtype.name)
    missing = _DIRECTML_RANK - layout.rank
    if missing <= 0:
        _check(said["directml"])
    else:
        sizes, strides = (1,) * missing + layout.shape, (0,) * missing + plain_strides(layout)
        directml.write(Layout.strided(sizes, strides, layout.offset), dtype, None)
    return -(-dtype.size_bytes(layout.span_elements) // 4) * 4
