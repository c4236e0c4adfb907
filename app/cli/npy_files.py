"""Reading and writing ``.npy`` buffers in address order."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.dtypes import ELEMENT_TYPES, ElementType
from app.engine.errors import Described, LayoutError
from app.engine.layout import Layout
from app.engine.notation import parse_layout

_MAX_NPY_RANK = 64


@dataclass(frozen=True, slots=True)
class NpyBuffer:
    """A file's elements in address order, and the extents of memory, outermost first.

    A file in Fortran order has its header's shape reversed here: memory is what is read.
    """

    elements: npt.NDArray[Any]
    physical_shape: tuple[int, ...]
    dtype: ElementType


def read(path: Path) -> NpyBuffer:
    """The buffer of a ``.npy`` file; never unpickles.

    Errors: LayoutError naming the file's part at fault, OSError.
    """
    with path.open("rb") as file:
        try:
            array = np.lib.format.read_array(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise LayoutError(
                str(path), Described("a file that NumPy does not read as .npy"),
                "a .npy file of numbers, whole and without pickled objects",
            ) from error  # fmt: skip
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        array = array.T
    # The name is without the byte order, which is kept as it is.
    name = array.dtype.name if array.dtype.names is None else "record"
    if name not in ELEMENT_TYPES or not _in_npy(ELEMENT_TYPES[name]):
        raise LayoutError(
            str(path), Described("elements of another type"),
            "elements of " + ", ".join(n for n, t in ELEMENT_TYPES.items() if _in_npy(t)),
        )  # fmt: skip
    return NpyBuffer(array.reshape(-1), array.shape, ELEMENT_TYPES[name])


def _in_npy(dtype: ElementType) -> bool:
    """Whether the format itself has the type; ml_dtypes' are not NumPy's own."""
    return dtype.numpy().isbuiltin == 1


def write(path: Path, elements: npt.NDArray[Any], layout: Layout) -> tuple[int, ...]:
    """Write a buffer of ``layout`` and return the header's shape.

    The shape is the layout's physical one where that says the whole buffer, else the buffer's
    length. A reader never sees half a file: it is written beside and moved into place.
    """
    shape = stored_shape(layout)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            np.lib.format.write_array(file, elements.reshape(shape), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return shape


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def stored_shape(layout: Layout) -> tuple[int, ...]:
    """The header's shape for a buffer of ``layout``."""
    physical = layout.physical_shape
    whole = physical is not None and math.prod(physical) == layout.buffer_elements
    if physical is None or not whole or layout.offset or len(physical) > _MAX_NPY_RANK:
        return (layout.buffer_elements,)
    return physical


def source_layout(
    text: str, file: NpyBuffer, shape: Sequence[int] | None, dims: str | None
) -> Layout:
    """The layout of what lies in ``file``.

    ``shape``: the logical sizes; without them they are read off the header's extents, which
    needs a layout that says its memory order (NHWC, NCHW4, nChw16c) and a file that has one
    axis per extent. Errors: LayoutError naming shape, layout or the buffer.
    """
    sizes = logical_shape(text, file, dims) if shape is None else tuple(shape)
    layout = parse_layout(text, sizes, dims, file.dtype)
    extents = file.physical_shape
    if len(extents) == 1:
        if extents[0] < layout.buffer_elements:
            raise LayoutError(
                "shape", Described(f"{layout.buffer_elements} elements of memory"),
                f"at most the {extents[0]} in the file",
            )  # fmt: skip
    elif extents != stored_shape(layout):
        raise LayoutError(
            "shape", Described(f"a layout whose memory is {stored_shape(layout)}"),
            f"{extents}, the extents in the file, or a one-dimensional file",
        )  # fmt: skip
    return layout


def logical_shape(text: str, file: NpyBuffer, dims: str | None) -> tuple[int, ...]:
    """Logical sizes from the extents of memory, by the order in which ``text`` writes them.

    Errors: LayoutError naming shape where the layout does not say them.
    """
    extents = file.physical_shape
    for rank in range(len(extents), 0, -1):
        try:
            probe = parse_layout(text, (1,) * rank, dims, file.dtype)
        except LayoutError as error:
            if error.field not in {"shape", "layout.strides"}:
                raise
            continue
        if probe.order is not None and len(probe.order) == len(extents):
            sizes = [1] * rank
            for (d, _), extent in zip(probe.order, extents, strict=True):
                sizes[d] *= extent
            return tuple(sizes)
    raise LayoutError("shape", None, "--shape: the file and the layout leave the sizes open")
