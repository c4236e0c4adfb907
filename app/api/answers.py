"""Each call of the contract as a plain function from a checked request to a JSON-ready value."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ..engine import Layout, LayoutError, answers, describe, plan
from ..engine.description.tensor import parse_target
from ..engine.elementwise import elementwise
from ..engine.notation.paste.reading import read_text
from ..engine.reorders import reordered
from ..engine.views import steps
from ..engine.views.reshape import NeedsCopy, reshape
from ..engine.views.slices import index_expression, window
from .schemas import (
    Broadcast,
    Chunk,
    CoordinatesRequest,
    ElementwiseRequest,
    Flip,
    Narrow,
    OffsetsRequest,
    Permute,
    ReadRequest,
    ReorderRequest,
    Reshape,
    Select,
    SliceRequest,
    Squeeze,
    Step,
    Submemory,
    Transpose,
    Unsqueeze,
    ViewRequest,
)
from .values import parse_values, values_json

Answer = dict[str, Any]


def answer_read(request: ReadRequest) -> Answer:
    """Shape, element type and layout of a notation or of a paste from a session or a log."""
    return asdict(read_text(request.text))


def answer_offsets(request: OffsetsRequest, max_values: int) -> Answer:
    """Addresses of coordinates, in elements and bytes."""
    answers.limited("coordinates", len(request.coordinates), max_values)
    return answers.offsets(request.tensor.parse("tensor"), request.coordinates)


def answer_coordinates(request: CoordinatesRequest, max_values: int) -> Answer:
    """Each address is element, shared, padding, gap, outside or, rarely, undetermined."""
    answers.limited("offsets", len(request.offsets), max_values)
    return answers.owners(request.tensor.parse("tensor"), request.offsets, most=max_values)


def answer_slice(request: SliceRequest, max_values: int) -> Answer:
    """A DML_SLICE1 window or a NumPy basic index: offsets, values, and the view if any."""
    tensor = request.tensor.parse("tensor")
    if request.window is not None:
        w = request.window
        taken = window(tensor.layout, w.offsets, w.sizes, w.strides, w.output_sizes)
    else:
        taken = index_expression(tensor.layout, request.index or "")
    field = "window" if request.window else "index"
    answer = answers.sliced(tensor, taken, field=field, most=max_values)
    if request.values is not None:
        answers.limited("values", len(request.values), max_values)
        buffer = parse_values(request.values, tensor.dtype, tensor.buffer_elements)
        answer["values"] = values_json(buffer[answer["offsets"]], tensor.dtype)
    return answer


def answer_reorder(request: ReorderRequest, max_values: int) -> Answer:
    """Copy each element to its address in the target; labels where no values come."""
    source = request.source.parse("source")
    written = parse_target(request.target, source)
    target = written.layout
    answers.limited("target", math.prod(target.padded_shape), max_values)
    answers.limited("target", target.buffer_elements, max_values)
    answers.limited("source", source.layout.elements, max_values)
    planned = plan(source.layout, target)
    answer = answers.reordered(planned, source.dtype, written)
    if request.values is None:
        answer["values"] = answers.labels(planned)
    else:
        buffer = parse_values(request.values, source.dtype, source.buffer_elements)
        done = reordered(buffer, source.layout, planned.target)
        answer["plan"]["backend"] = done.backend
        answer["values"] = values_json(done.buffer, source.dtype)
    return answer


def answer_view(request: ViewRequest) -> Answer:
    """Apply the steps; the first that no view expresses ends it with its reason."""
    tensor = request.tensor.parse("tensor")
    layout = tensor.layout
    for i, step in enumerate(request.steps):
        try:
            viewed = _apply(layout, step)
        except LayoutError as error:
            raise error.within(f"steps[{i}]") from None
        if isinstance(viewed, NeedsCopy):
            reason = f"Step {i + 1} ({step.op}) needs a copy: {viewed.reason}"
            return {"tensor": None, "is_view": False, "reason": reason}
        layout = viewed
    return {"tensor": describe(layout, tensor.dtype).as_dict(), "is_view": True, "reason": None}


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
            return steps.narrow(layout, step.dim, step.start, step.length)
        case Select():
            return steps.select(layout, step.dim, step.index)
        case Unsqueeze():
            return steps.unsqueeze(layout, step.dim)
        case Squeeze():
            return steps.squeeze(layout, step.dim)
        case Flip():
            return steps.flip(layout, step.dim)
        case Submemory():
            return steps.submemory(layout, step.offsets, step.sizes)


def answer_elementwise(request: ElementwiseRequest) -> Answer:
    """The layout of an element-wise result, by PyTorch's eager rule."""
    operands = [x.parse(f"operands[{i}]") for i, x in enumerate(request.operands)]
    dtype = operands[0].dtype
    for i, x in enumerate(operands):
        if x.dtype != dtype:
            raise LayoutError(
                f"operands[{i}].dtype",
                x.dtype.name,
                f"{dtype.name}, the type of the first operand",
            )
    return {"tensor": describe(elementwise([x.layout for x in operands]), dtype).as_dict()}
