"""Execute a plan with NumPy: strided copies, or look-ups through the address tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.address import offset_map
from app.engine.dtypes import ElementType, parse_dtype
from app.engine.errors import Described, LayoutError
from app.engine.layout import Layout
from app.engine.reorders.plan import Box, Plan, plan
from app.engine.views import narrow

Buffer1D = npt.NDArray[Any]
_GATHERED_ELEMENTS = 1 << 20  # elements per table look-up, so that the maps stay in cache reach


def reorder(
    buffer: Buffer1D,
    source: Layout,
    target: Layout,
    *,
    out: Buffer1D | None = None,
    dtype: str | ElementType | None = None,
    threads: int | None = None,
    backend: str | None = None,
) -> Buffer1D:
    """Copy every element from its address in ``source`` to its address in ``target``.

    ``buffer``: one-dimensional, in address order, at least ``source.buffer_elements`` long.
    ``out``: written in place (padding zero, gaps left); by default a fresh array of
    ``target.buffer_elements`` with zeros in padding and gaps. ``dtype``: needed for int4 and
    uint4 alone, whose buffers are packed uint8, two elements to a byte. ``threads``: an upper
    bound. ``backend``: None or "numpy". Errors: LayoutError naming the argument.
    """
    if threads is not None and threads < 1:
        raise LayoutError("threads", threads, "a positive integer")
    if backend not in {None, "numpy"}:
        raise LayoutError("backend", backend, "numpy")
    what = plan(source, target)
    element = parse_dtype(dtype) if isinstance(dtype, str) else dtype
    if element is not None and element.bits < 8:
        return _reorder_packed(buffer, what, out, element)
    _check_buffer("buffer", buffer, what.source.buffer_elements)
    if out is None:
        fresh = np.zeros(what.target.buffer_elements, dtype=buffer.dtype)
        _copy(what, _bits(buffer), _bits(fresh))
        return fresh
    _check_buffer("out", out, what.target.buffer_elements)
    if out.dtype != buffer.dtype or not out.flags.writeable or not out.flags.c_contiguous:
        raise LayoutError(
            "out",
            Described("an array of another type, read-only or with gaps"),
            "a writable contiguous array of the buffer's dtype",
        )
    if np.may_share_memory(out, buffer):
        buffer = buffer.copy()
    _zero_padding(what, _bits(out))
    _copy(what, _bits(buffer), _bits(out))
    return out


def _check_buffer(name: str, buffer: Buffer1D, elements: int) -> None:
    if buffer.ndim != 1 or len(buffer) < elements:
        raise LayoutError(
            name,
            Described(f"an array of shape {buffer.shape}"),
            f"at least {elements} elements in one dimension",
        )


def _bits(buffer: Buffer1D) -> Buffer1D:
    """The elements as bare bits: a copy need not know a type, and NumPy's views not ml_dtypes."""
    return np.ascontiguousarray(buffer).view(f"V{buffer.itemsize}")


def _copy(what: Plan, buffer: Buffer1D, out: Buffer1D) -> None:
    if what.kernel == "gather":
        _gather(what.source, what.target, buffer, out)
        return
    for box in what.boxes:
        source = _view(buffer, box, box.source_offset, [x.source_stride for x in box.loops])
        np.copyto(_target_view(out, box), source)


def _zero_padding(what: Plan, out: Buffer1D) -> None:
    if what.padding is None:
        whole = replace(what.target, shape=what.target.padded_shape)
        out[offset_map(whole)] = np.zeros((), dtype=out.dtype)
        return
    for box in what.padding:
        _target_view(out, box)[...] = np.zeros((), dtype=out.dtype)


def _target_view(out: Buffer1D, box: Box) -> Buffer1D:
    return _view(out, box, box.target_offset, [x.target_stride for x in box.loops])


def _view(buffer: Buffer1D, box: Box, offset_elems: int, strides_elems: list[int]) -> Buffer1D:
    """The elements of ``box`` as a strided view; NumPy refuses one that leaves the buffer."""
    size = buffer.itemsize
    return np.ndarray(
        shape=[x.extent for x in box.loops],
        dtype=buffer.dtype,
        buffer=buffer,
        offset=offset_elems * size,
        strides=[s * size for s in strides_elems],
    )


def _gather(source: Layout, target: Layout, buffer: Buffer1D, out: Buffer1D) -> None:
    """Through the tables, a slab of the outermost dimension at a time."""
    if source.elements <= _GATHERED_ELEMENTS or source.rank == 0:
        out[offset_map(target)] = buffer[offset_map(source)]
        return
    d = max(range(source.rank), key=lambda d: source.shape[d])
    half = source.shape[d] // 2
    for start, count in ((0, half), (half, source.shape[d] - half)):
        parts = narrow(source, d, start, 1, count), narrow(target, d, start, 1, count)
        if parts[0] is None or parts[1] is None:
            out[offset_map(target)] = buffer[offset_map(source)]
            return
        _gather(parts[0], parts[1], buffer, out)


def _reorder_packed(
    packed: Buffer1D, what: Plan, out: Buffer1D | None, element: ElementType
) -> Buffer1D:
    _check_buffer("buffer", packed, element.size_bytes(what.source.buffer_elements))
    nibbles = unpack_nibbles(packed)
    target = np.zeros(what.target.buffer_elements, dtype=np.uint8)
    if out is not None:
        _check_buffer("out", out, element.size_bytes(what.target.buffer_elements))
        target = unpack_nibbles(out)
        _zero_padding(what, target)
    _copy(what, nibbles, target)
    if out is None:
        return pack_nibbles(target)
    out[...] = pack_nibbles(target)
    return out


def unpack_nibbles(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """One uint8 per nibble, 0 to 15, low nibble first: shape (2n,) of (n,)."""
    nibbles = np.empty(2 * len(packed), dtype=np.uint8)
    np.bitwise_and(packed, 0xF, out=nibbles[0::2])
    np.right_shift(packed, 4, out=nibbles[1::2])
    return nibbles


def pack_nibbles(nibbles: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Two nibbles to a byte, low nibble first; an odd count leaves the last high nibble zero."""
    packed = np.zeros(-(-len(nibbles) // 2), dtype=np.uint8)
    np.bitwise_and(nibbles[0::2], 0xF, out=packed)
    packed[: len(nibbles) // 2] |= nibbles[1::2] << 4
    return packed
