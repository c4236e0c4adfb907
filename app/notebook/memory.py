"""Where the memory of a tensor begins, so that tensors of one memory can be told."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contract.requests import TensorJson
from ..engine import Layout, layout_of
from ..engine.model.dtypes import ELEMENT_TYPES, ElementType, find_dtype
from ..engine.model.errors import Described, LayoutError, one_of, refusal
from ..picture.composed import NAMES


@dataclass(frozen=True, slots=True)
class Held:
    """A tensor of the session. ``storage``: what it shares with other views, None if not known.

    ``layout``: its offset is in elements from the start of that storage.
    """

    layout: Layout
    dtype: ElementType
    storage: tuple[str, int] | None

    def json(self) -> TensorJson:
        """As the contract takes it."""
        shape = list(self.layout.shape)
        return TensorJson(shape=shape, layout=str(self.layout), dtype=self.dtype.name)


def held(x: Any) -> Held:
    """Read the layout, the element type and the storage of a tensor. Errors: LayoutError."""
    layout, dtype = layout_of(x), _dtype(x)
    if callable(getattr(x, "untyped_storage", None)):
        return Held(layout, dtype, _torch_storage(x))
    place = _of_interface(x)
    if place is None:
        return Held(layout, dtype, None)
    device, start, first = place
    offset, rest = divmod((first - start) * 8, dtype.bits)
    if rest or layout.strides is None or dtype.bits < 8:
        return Held(layout, dtype, None)
    return Held(Layout.strided(layout.shape, layout.strides, offset), dtype, (device, start))


def together(x: Held, more: tuple[Any, ...]) -> list[Held]:
    """Read further tensors of the storage of ``x``. Errors: LayoutError naming ``more[i]``."""
    if len(more) >= len(NAMES):
        raise refusal("more", f"{len(more) + 1} tensors", "show.tensors", most=len(NAMES))
    found = []
    for i, each in enumerate(more):
        other = held(each)
        if x.storage is None or other.storage != x.storage:
            raise refusal(f"more[{i}]", "a tensor of another memory", "show.storage")
        if other.dtype.bits != x.dtype.bits:
            got = f"elements of {other.dtype.bits} bits"
            raise refusal(f"more[{i}]", got, "show.bits", bits=x.dtype.bits)
        found.append(other)
    return found


def _dtype(x: Any) -> ElementType:
    """The element type, that of the stored integers where those stand for other numbers.

    Errors: LayoutError.
    """
    told = getattr(x, "dtype", None)
    for interface in ("__cuda_array_interface__", "__array_interface__"):
        if told is None and isinstance(getattr(x, interface, None), dict):
            told = np.dtype(getattr(x, interface)["typestr"])
    if told is None:
        told = (np.asarray(x) if isinstance(x, memoryview) else np.from_dlpack(x)).dtype
    name = str(getattr(told, "name", told)).removeprefix("torch.")
    if getattr(told, "kind", "") in {"m", "M"}:  # NumPy's times
        name = "int64"
    found = find_dtype(name) or find_dtype(name.removeprefix("q"))  # PyTorch's quantised types
    if found is None:
        raise LayoutError("array", Described(f"elements of type {name}"), one_of(ELEMENT_TYPES))
    return found


def _torch_storage(x: Any) -> tuple[str, int]:
    """Device and storage, by its address where it has memory, which many storages may show."""
    storage = x.untyped_storage()
    try:
        start = int(storage.data_ptr())
    except (RuntimeError, NotImplementedError):  # that of a fake tensor
        start = 0
    return str(x.device), start or int(storage._cdata)  # PyTorch has no other name


def _of_interface(x: Any) -> tuple[str, int, int] | None:
    told = getattr(x, "__cuda_array_interface__", None)
    if isinstance(told, dict):
        start = getattr(getattr(getattr(x, "data", None), "mem", None), "ptr", None)  # CuPy's
        first = int(told["data"][0])
        return "cuda", int(start) if start else first, first
    told = getattr(x, "__array_interface__", None)
    if not isinstance(told, dict) or not told.get("data"):
        return None
    owner, first = x, int(told["data"][0])
    while isinstance(getattr(owner, "base", None), np.ndarray):
        owner = owner.base
    if not isinstance(owner, np.ndarray):
        return "host", first, first
    return "host", int(np.lib.array_utils.byte_bounds(owner)[0]), first
