"""The functions of ``import stridescope`` that take what the HTTP API takes.

The others are the engine's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import overload

from .engine.description import description
from .engine.description.description import Description
from .engine.description.tensor import parse_tensor
from .engine.dtypes import DEFAULT, ElementType, parse_dtype
from .engine.errors import Described, LayoutError
from .engine.layout import Layout
from .engine.notation import LayoutSource
from .engine.views import steps as views
from .engine.views.reshape import NeedsCopy, reshape


@overload
def describe(
    layout: Layout, *, dtype: str | ElementType = DEFAULT, elements: int | None = None
) -> Description: ...


@overload
def describe(
    layout: LayoutSource,
    shape: Sequence[int],
    dims: str | None = None,
    dtype: str | ElementType = DEFAULT,
    *,
    elements: int | None = None,
) -> Description: ...


def describe(
    layout: Layout | LayoutSource,
    shape: Sequence[int] | None = None,
    dims: str | None = None,
    dtype: str | ElementType = DEFAULT,
    *,
    elements: int | None = None,
) -> Description:
    """Strides, sizes, properties, names and notations of a layout: the answer of ``/describe``.

    ``layout``: a Layout, or any notation with the ``shape`` and perhaps the ``dims`` that
    ``parse_layout`` takes. ``dtype``: the element type, for all that counts bytes. ``elements``:
    the size of the buffer, where it is larger than the layout needs. Strides and offsets are in
    elements unless their name says bytes. Errors: LayoutError naming the argument.

    >>> from stridescope import describe
    >>> found = describe("NCHW4", (2, 6, 3, 3), dtype="float16")
    >>> found.padded_shape, found.physical_shape, found.buffer.bytes
    ((2, 8, 3, 3), (2, 2, 3, 3, 4), 288)
    >>> found.notations["onednn"]
    {'text': 'aBcd4b'}
    """
    element = dtype if isinstance(dtype, ElementType) else parse_dtype(dtype)
    if not isinstance(layout, Layout):
        if shape is None:
            raise LayoutError("shape", None, "the sizes of the tensor, beside its notation")
        return parse_tensor(shape, layout, dims, element, elements).describe()
    for name, value in (("shape", shape), ("dims", dims)):
        if value is not None:
            raise LayoutError(name, value, "nothing beside a Layout, which has its own")
    return description.describe(layout, element, buffer_elements=elements)


def view(layout: Layout, steps: Sequence[Mapping[str, object]]) -> Layout:
    """The layout after view ``steps``, over the same buffer: the steps of ``/view``.

    Each step is a mapping with ``op`` and its arguments, in elements: ``permute`` (dims),
    ``transpose`` (dim0, dim1), ``chunk`` (dim, chunks, index), ``reshape`` (shape),
    ``broadcast`` (shape), ``narrow`` (dim, start, length), ``select`` (dim, index),
    ``unsqueeze`` (dim), ``squeeze`` (dim, or none for all sizes of 1), ``flip`` (dim),
    ``submemory`` (offsets, sizes). Errors: LayoutError naming the step, also where no view
    expresses it and a copy is needed.

    >>> from stridescope import parse_layout, view
    >>> nchw = parse_layout("NCHW", (2, 6, 3, 3))
    >>> part = view(nchw, [{"op": "permute", "dims": [0, 2, 3, 1]},
    ...                    {"op": "narrow", "dim": 3, "start": 2, "length": 4}])
    >>> part.shape, part.strides, part.offset
    ((2, 3, 3, 4), (54, 3, 1, 9), 18)
    """
    for i, step in enumerate(steps):
        try:
            viewed = _apply(layout, step)
        except LayoutError as error:
            raise error.within(f"steps[{i}]") from None
        if isinstance(viewed, NeedsCopy):
            what = Described(f"a step that needs a copy ({viewed.reason.removesuffix('.')})")
            raise LayoutError(f"steps[{i}]", what, "a step that a view expresses")
        layout = viewed
    return layout


_Step = Callable[..., Layout | NeedsCopy]
_STEPS: dict[str, tuple[_Step, tuple[str, ...]]] = {
    "permute": (views.permute, ("dims",)),
    "transpose": (views.transpose, ("dim0", "dim1")),
    "chunk": (views.chunk, ("dim", "chunks", "index")),
    "reshape": (reshape, ("shape",)),
    "broadcast": (views.broadcast, ("shape",)),
    "narrow": (views.narrow, ("dim", "start", "length")),
    "select": (views.select, ("dim", "index")),
    "unsqueeze": (views.unsqueeze, ("dim",)),
    "squeeze": (views.squeeze, ("dim",)),
    "flip": (views.flip, ("dim",)),
    "submemory": (views.submemory, ("offsets", "sizes")),
}


def _apply(layout: Layout, step: Mapping[str, object]) -> Layout | NeedsCopy:
    op = step.get("op")
    found = _STEPS.get(op) if isinstance(op, str) else None
    if found is None:
        raise LayoutError("op", op, "one of " + ", ".join(_STEPS))
    run, names = found
    given = {"dim": None, **step} if op == "squeeze" else dict(step)
    del given["op"]
    if set(given) != set(names):
        raise LayoutError("", Described("other arguments"), f"{' and '.join(names)} beside op")
    return run(layout, **given)
