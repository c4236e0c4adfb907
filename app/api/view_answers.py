"""The calls that take layouts to layouts: /view and /elementwise."""

from __future__ import annotations

from typing import Any

from app.api.schemas import (
    Broadcast,
    Chunk,
    ElementwiseRequest,
    Flip,
    Narrow,
    Permute,
    Reshape,
    Select,
    Squeeze,
    Step,
    Submemory,
    Transpose,
    Unsqueeze,
    ViewRequest,
)
from app.engine import Layout, LayoutError, describe, steps
from app.engine.elementwise import elementwise
from app.engine.reshape import NeedsCopy, reshape


def answer_view(request: ViewRequest) -> dict[str, Any]:
    """Apply the steps; the first that no view expresses ends it with its reason."""
    layout, dtype = request.tensor.parse("tensor")
    for i, step in enumerate(request.steps):
        try:
            viewed = _apply(layout, step)
        except LayoutError as error:
            raise error.within(f"steps[{i}]") from None
        if isinstance(viewed, NeedsCopy):
            reason = f"Step {i + 1} ({step.op}) needs a copy: {viewed.reason}"
            return {"tensor": None, "is_view": False, "reason": reason}
        layout = viewed
    return {"tensor": describe(layout, dtype).as_dict(), "is_view": True, "reason": None}


def _apply(layout: Layout, step: Step) -> Layout | NeedsCopy:
    match step:
        case Permute():
            return steps.permute(layout, step.dims)
        case Transpose():
            return steps.transpose(layout, step.dim0, step.dim1)
        case Chunk():
            return steps.chunk(layout, step.dim, step.chunks, step.index)
        case Reshape():
            return reshape(layout, step.shape)
        case Broadcast():
            return steps.broadcast(layout, step.shape)
        case Narrow():
            return steps.narrowed(layout, step.dim, step.start, step.length)
        case Select():
            return steps.selected(layout, step.dim, step.index)
        case Unsqueeze():
            return steps.inserted(layout, step.dim)
        case Squeeze():
            return steps.squeeze(layout, step.dim)
        case Flip():
            return steps.flip(layout, step.dim)
        case Submemory():
            return steps.submemory(layout, step.offsets, step.sizes)


def answer_elementwise(request: ElementwiseRequest) -> dict[str, Any]:
    """Describe the result of an element-wise operation."""
    parsed = [x.parse(f"operands[{i}]") for i, x in enumerate(request.operands)]
    dtype = parsed[0][1]
    for i, (_, other) in enumerate(parsed):
        if other != dtype:
            raise LayoutError(
                f"operands[{i}].dtype", other.name, f"{dtype.name}, the type of the first operand"
            )
    return {"tensor": describe(elementwise([layout for layout, _ in parsed]), dtype).as_dict()}
