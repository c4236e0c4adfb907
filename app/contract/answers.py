"""The answer to each request, as the API sends it and the command line prints it.

Beside what JSON has, an answer holds arrays of int64, long lists and dataclasses: see ``plain``.
``most``: the largest number of values, coordinates or offsets that one call may list.
"""

import math
from typing import Any, cast

import numpy as np

from ..engine.description.description import Description, describe
from ..engine.description.tensor import parse_target
from ..engine.model.address import offset_map, offsets_of
from ..engine.model.address.offsets import refuse
from ..engine.model.dtypes import ELEMENT_TYPES, ElementType
from ..engine.model.errors import Described, LayoutError, Phrase
from ..engine.model.layout import INT64_MAX, Int64Array
from ..engine.network.rules.pytorch_eager.memory import elementwise
from ..engine.notation import DIALECTS, Written
from ..engine.notation.formats import FORMATS
from ..engine.notation.paste.reading import Read, read_text
from ..engine.reorder.execute import reordered
from ..engine.reorder.moved import read_bytes
from ..engine.reorder.moves import moves_of
from ..engine.reorder.plan import Plan, plan
from . import requests, shapes
from .allowance import hold
from .owners import owners_listed
from .plain import plain
from .rows import in_parts
from .steps import viewed, views_of
from .values import parse_values, values_json

MAX_VALUES = 1 << 22
# What an entry of an answer takes at most: in arrays, as a Python object, and in its text.
_NUMBER_BYTES = 8 + 20
_VALUE_BYTES = 24 + 40 + 24


def limited(field: str, elements: int, most: int) -> None:
    """Refuse an answer that lists more than ``most`` elements: a LayoutError naming ``field``."""
    if elements > most:
        expected = Phrase("most", "at most {most}", most=most)
        raise LayoutError(field, Described(f"{elements} elements"), expected)


def answer_describe(request: requests.TensorJson) -> Description:
    """Strides, sizes, properties, names and notations."""
    return request.parse().describe()


def answer_read(request: requests.ReadRequest) -> Read:
    """Shape, element type and layout from a notation, or from text of a session or a log."""
    return read_text(request.text)


def answer_offsets(request: requests.OffsetsRequest, most: int = MAX_VALUES) -> shapes.OffsetsJson:
    """Addresses of coordinates, in elements and whole bytes."""
    coordinates = request.coordinates
    limited("coordinates", len(coordinates), most)
    hold(len(coordinates) * 2 * _NUMBER_BYTES)
    tensor = request.tensor.parse("tensor")
    layout, dtype = tensor.layout, tensor.dtype
    found = np.empty(len(coordinates), np.int64)
    start = 0
    for part in in_parts(coordinates, layout.rank, "coordinates"):
        try:
            offsets_of(layout, part, out=found[start : start + len(part)])
        except LayoutError:
            refuse(layout, part, start)
        start += len(part)
    if layout.buffer_elements * dtype.bits > INT64_MAX:
        return {"offsets": found, "byte_offsets": [dtype.byte_offset(a) for a in found.tolist()]}
    return {"offsets": found, "byte_offsets": found * dtype.bits // 8}


def answer_coordinates(
    request: requests.CoordinatesRequest, most: int = MAX_VALUES
) -> shapes.OwnersJson:
    """Owner of each address: element, shared, padding, gap, outside or, rarely, undetermined."""
    limited("offsets", len(request.offsets), most)
    return {"owners": owners_listed(request.tensor.parse("tensor"), request.offsets, most)}


def answer_slice(request: requests.SliceRequest, most: int = MAX_VALUES) -> shapes.SliceJson:
    """Take a DML_SLICE1 window or a NumPy basic index: offsets, values, and the view if any."""
    tensor = request.tensor.parse("tensor")
    taken = request.taken(viewed(tensor.layout, request.steps))
    listed = taken.elements if request.first is None else min(request.first, taken.elements)
    limited("window" if request.window else "index", listed, most)
    hold(listed * (_NUMBER_BYTES + (_VALUE_BYTES if request.values is not None else 0)))
    view, offsets, values = taken.view(), taken.flat_offsets(first=listed), None
    if request.values is not None:
        limited("values", len(request.values), most)
        buffer = parse_values(request.values, tensor.dtype, tensor.buffer_elements)
        values = values_json(buffer[offsets], tensor.dtype)
    return {
        "shape": taken.shape,
        "offsets": offsets,
        "values": values,
        "view": None if view is None else tensor.describe_view(view),
        "picks": taken.picks,
    }


def answer_view(request: requests.ViewRequest) -> shapes.ViewJson:
    """Apply the steps. The first step that needs a copy ends the call with its reason."""
    tensor = request.tensor.parse("tensor")
    results, stop = views_of(tensor.layout, request.steps)
    last = tensor.describe_view(results[-1] if results else tensor.layout)
    reason, breaks = None, None
    if stop is not None:
        why = stop.copy
        reason = f"Step {stop.step + 1} ({stop.op}) needs a copy: {why.reason}"
        breaks = shapes.BreaksJson(
            step=stop.step, op=stop.op, reason=why.reason, dim=why.dim, jump=why.jump, before=last
        )
    return {
        "tensor": last if stop is None else None,
        "is_view": stop is None,
        "reason": reason,
        "results": [
            {
                "shape": each.shape,
                "dims": each.dims,
                "offset": each.offset,
                "strides": each.strides,
                "digits": each.digits,
            }
            for each in results
        ],
        "breaks": breaks,
    }


def answer_elementwise(request: requests.ElementwiseRequest) -> shapes.ElementwiseJson:
    """The layout of an element-wise result, by PyTorch's eager rule."""
    operands = [x.parse(f"operands[{i}]") for i, x in enumerate(request.operands)]
    dtype = operands[0].dtype
    for i, x in enumerate(operands):
        if x.dtype != dtype:
            said = "{dtype}, the type of the first operand"
            expected = Phrase("operands.dtype", said, dtype=dtype.name)
            raise LayoutError(f"operands[{i}].dtype", x.dtype.name, expected)
    return {"tensor": describe(elementwise([x.layout for x in operands]), dtype)}


def answer_reorder(request: requests.ReorderRequest, most: int = MAX_VALUES) -> shapes.ReorderJson:
    """Copy each element to its address in the target. Without values, elements are numbered."""
    source = request.source.parse("source")
    written = parse_target(request.target, source)
    target = written.layout
    limited("target", math.prod(target.padded_shape), most)
    limited("target", target.buffer_elements, most)
    limited("source", source.layout.elements, most)
    hold(max(target.buffer_elements, source.layout.elements) * _VALUE_BYTES)
    planned = plan(source.layout, target)
    if request.values is None:
        return planned_answer(planned, written, source.dtype, values=_labels(planned))
    buffer = parse_values(request.values, source.dtype, source.buffer_elements)
    done = reordered(buffer, source.layout, planned.target)
    values = values_json(done.buffer, source.dtype)
    return planned_answer(planned, written, source.dtype, values=values, backend=done.backend)


def planned_answer(
    planned: Plan,
    target: Written,
    dtype: ElementType,
    *,
    values: Int64Array | list[Any] | None = None,
    backend: str | None = None,
) -> shapes.ReorderJson:
    """Return the answer to a reorder.

    ``target``: the layout with the text it was written in. ``backend``: the name of the backend
    that copied the values, None if none did.
    """
    moves = moves_of(planned.boxes, dtype.bits)
    written_bits = sum(move.units * move.unit_bits for move in moves)
    return {
        "values": cast("list[Any]", values),
        "target": describe(target, dtype),
        "plan": {
            "kernel": planned.kernel,
            "backend": backend,
            "copy_needed": planned.copy_needed,
            "elements": planned.elements,
            "bytes_read": read_bytes(planned.source, dtype),
            "bytes_written": max(-(-written_bits // 8), dtype.size_bytes(planned.elements)),
            "moves": [plain(move) for move in moves],
        },
    }


def _labels(planned: Plan) -> Int64Array | list[int | None]:
    """Return logical row-major numbers in the target's address order; None in padding and gaps."""
    found = np.full(planned.target.buffer_elements, -1, dtype=np.int64)
    if planned.elements:
        found[offset_map(planned.target).ravel()] = np.arange(planned.elements)
    unlabelled = np.flatnonzero(found < 0)
    if not len(unlabelled):
        return found
    labels: list[int | None] = [*found.tolist()]
    for at in unlabelled.tolist():
        labels[at] = None
    return labels


def answer_formats() -> shapes.FormatsJson:
    """Named formats, element types and notations."""
    return {
        "formats": FORMATS,
        "dtypes": [
            {"name": t.name, "bits": t.bits, "kind": t.kind} for t in ELEMENT_TYPES.values()
        ],
        "systems": [d.system for d in DIALECTS],
    }
