"""The layout of an array or tensor that exists, read from its own strides."""

from typing import Any

import numpy as np

from ..model.errors import LayoutError, phrase, refusal
from ..model.facts import least_offset
from ..model.layout import Layout, packed_digits, packed_strides

_FIELD = "array"


def layout_of(array: Any, *, dims: str | None = None) -> Layout:
    """Return how an existing array or tensor lies in memory.

    ``array``: of NumPy, PyTorch, CuPy, JAX, or anything that tells its strides: a method
    ``stride()`` in elements (PyTorch), an attribute ``strides`` in bytes (NumPy, CuPy, memoryview),
    the CUDA or NumPy array interface, the order of dimensions of a ``format`` (JAX), or DLPack on
    the host. Nothing is imported, copied or moved. ``dims``: names of the dimensions, by default
    those of strides. The offset is in elements: in PyTorch from the start of the storage, in NumPy
    from the start of the array that owns the memory, else the least that strides below zero need.
    Errors: LayoutError naming ``array`` if it has no strides to tell, as a sparse tensor, or if
    they are no whole number of elements, as those of a field of a structured array.

    >>> import numpy as np
    >>> from stridescope import layout_of
    >>> found = layout_of(np.zeros((2, 3, 8, 8), np.float32)[:, ::2, ::-1])
    >>> found.shape, found.strides, found.offset
    ((2, 2, 8, 8), (192, 128, -8, 1), 56)
    """
    try:
        shape = getattr(array, "shape", None)
    except RuntimeError:  # PyTorch's nested tensors
        shape = None
    if not isinstance(shape, tuple):  # PyTorch's torch.Size is one
        raise LayoutError(_FIELD, array, phrase("array"))
    if callable(getattr(array, "stride", None)):
        strides, offset = _of_torch(array)
        sizes = tuple(map(int, shape))
    else:
        sizes = tuple(map(int, shape))
        strides, offset = _of_bytes(array, sizes)
    offset = least_offset(sizes, strides) if offset is None else offset
    return Layout.strided(sizes, strides, offset, dims=dims)


def _of_torch(tensor: Any) -> tuple[tuple[int, ...], int | None]:
    # PyTorch answers strides of 0 for a sparse tensor, and any for oneDNN's.
    kind = str(getattr(tensor, "layout", "torch.strided"))
    try:
        if kind == "torch.strided":
            offset = getattr(tensor, "storage_offset", None)
            strides = tuple(map(int, tensor.stride()))
            return strides, int(offset()) if callable(offset) else None
    except (RuntimeError, NotImplementedError, TypeError, AttributeError):  # nested tensors
        pass
    raise refusal(_FIELD, f"a tensor of layout {kind}", "array.strided")


def _of_bytes(array: Any, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], int | None]:
    """Strides and offset in elements, from what tells them in bytes."""
    item_bytes = getattr(getattr(array, "dtype", array), "itemsize", None)  # a memoryview's own
    for name in ("__cuda_array_interface__", "__array_interface__"):
        told = getattr(array, name, None)
        if isinstance(told, dict):
            item_bytes = item_bytes or np.dtype(told["typestr"]).itemsize
            byte_strides = told.get("strides")
            if byte_strides is None:  # the interfaces say so of row-major arrays
                return packed_strides(sizes), None
            return _whole(byte_strides, item_bytes), _offset(array, item_bytes)
    byte_strides = getattr(array, "strides", None)
    if isinstance(byte_strides, tuple) and item_bytes:
        return _whole(byte_strides, item_bytes), None
    # JAX tells its own, also where DLPack refuses: bfloat16, a GPU.
    placed: Any = getattr(array, "format", None)
    order = getattr(getattr(placed, "layout", None), "major_to_minor", None)
    if order is not None and not placed.layout.tiling and placed.sharding.num_devices == 1:
        return tuple(g.stride for (g,) in packed_digits(sizes, [(d, None) for d in order])), None
    try:
        return _of_bytes(np.from_dlpack(array), sizes)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        got = f"a value of type {type(array).__name__} that tells no strides"
        raise refusal(_FIELD, got, "array.told") from error


def _whole(byte_strides: Any, item_bytes: int) -> tuple[int, ...]:
    if any(s % item_bytes for s in byte_strides):
        got = f"strides of {tuple(byte_strides)} bytes"
        raise refusal(_FIELD, got, "strides.multiples", bytes=item_bytes)
    return tuple(s // item_bytes for s in byte_strides)


def _offset(array: Any, item_bytes: int) -> int | None:
    """Elements from the start of the memory's owner, None where the owner is not known."""
    owner = array
    while getattr(owner, "base", None) is not None:
        owner = owner.base
    if not isinstance(owner, np.ndarray) or owner is array or not owner.flags.owndata:
        return None
    start = np.lib.array_utils.byte_bounds(owner)[0]
    found, rest = divmod(array.__array_interface__["data"][0] - start, item_bytes)
    return None if rest else int(found)
