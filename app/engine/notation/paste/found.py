"""What a pasted text may contain: tensors, each with the place where the text names it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model.dtypes import find_dtype
from ...model.errors import LayoutError, phrase
from ...model.facts import is_dense

VECTORS = phrase("paste.vectors")
# Sizes, in bytes, of the element types that NumPy's strides can count.
_ITEM_BYTES = (8, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class Base:
    """The tensor of which a view is taken. ``shape``: its sizes. ``layout``: as the field of
    /describe. ``steps``: those of the view, as /view takes them."""

    shape: tuple[int, ...]
    layout: str
    steps: tuple[dict[str, Any], ...] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Item:
    """One tensor as a reader finds it; what is not told here is as in FoundTensor.

    ``at``: the position of its first character. ``byte_strides``: strides in bytes of a text that
    names no element type. ``itemsize``: the bytes of an element, where the text says them.
    ``in_elements``: the layout if strides that are read as bytes count elements. ``least_offset``:
    as in FoundTensor. ``group``: the number of a log's line, the same for all its tensors.
    ``error``: why the tensor cannot be read. ``spans``: the parts of the text that say it.
    """

    at: int
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    layout: str | None = None
    role: str | None = None
    source: str | None = None
    dims: str | None = None
    byte_strides: tuple[int, ...] | None = None
    itemsize: int | None = None
    in_elements: str | None = None
    least_offset: int | None = None
    group: int | None = None
    error: LayoutError | None = None
    system: str | None = None
    copied: str | None = None
    base: Base | None = None
    spans: tuple[tuple[int, int], ...] = ()


def plausible_itemsizes(
    shape: tuple[int, ...] | None, byte_strides: tuple[int, ...]
) -> tuple[int, ...]:
    """Sizes of an element, in bytes, that divide all strides; first the one that leaves no gaps.
    Strides of dimensions of size 1 or 0 say nothing, but must be divisible as well."""
    fitting = [size for size in _ITEM_BYTES if all(s % size == 0 for s in byte_strides)]
    sizes = shape or (2,) * len(byte_strides)
    used = [abs(s) for n, s in zip(sizes, byte_strides, strict=True) if n > 1 and s]
    dense = min(used, default=0)
    return tuple(sorted(fitting, key=lambda size: size != dense))


def may_count(strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether strides in bytes may be those of elements of so many bytes."""
    return itemsize in {*_ITEM_BYTES, 16} and all(s % itemsize == 0 for s in strides)


def type_of_code(code: str, itemsize: int | None) -> str | None:
    """The element type of a buffer of Python: ``d``, or ``l``, whose size the platform gives."""
    try:
        kind = np.dtype(code)
        if itemsize not in {None, kind.itemsize}:
            kind = np.dtype(f"{kind.kind}{itemsize}")
    except TypeError:
        return None
    known = find_dtype(kind.name)
    return None if known is None else known.name


def fills(shape: tuple[int, ...], strides: tuple[int, ...], unit: int) -> bool:
    """Whether elements of ``unit`` bytes at these strides leave no gaps and do not overlap."""
    return (
        len(shape) == len(strides)
        and all(s % unit == 0 for s in strides)
        and is_dense(shape, [abs(s) // unit for s in strides])
    )
