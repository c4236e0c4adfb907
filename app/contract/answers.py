"""The answer to each request, as the API sends it and the command line prints it.

Beside what JSON has, an answer holds arrays of int64, long lists and dataclasses: see ``shapes``.
``most``: the largest number of values, coordinates or offsets that one call may list.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, cast

import numpy as np
import numpy.typing as npt

from ..engine.description.description import Description, describe
from ..engine.description.tensor import Tensor, parse_target
from ..engine.inverse.owners import KINDS, Owners, owners_of
from ..engine.inverse.search import SHOWN, Budget
from ..engine.model.address import offset_map, offsets_of, refuse
from ..engine.model.dtypes import ELEMENT_TYPES, ElementType
from ..engine.model.errors import LayoutError, phrase, refusal
from ..engine.model.layout import INT64_MAX, Int64Array
from ..engine.network.rules.pytorch_eager.memory import iterate
from ..engine.notation import DIALECTS, Written
from ..engine.notation.formats import FORMATS
from ..engine.notation.paste.reading import Read, read_text
from ..engine.reorder.execute import reordered
from ..engine.reorder.moves import moves_of
from ..engine.reorder.plan import Plan, plan, read_bytes
from ..engine.runs.report import RunKind, kind_of
from . import requests, shapes
from .allowance import BeyondError, hold, most_steps
from .fields import in_parts
from .shapes import Listed, plain, told
from .steps import viewed, views_of
from .values import parse_values, values_json

MAX_VALUES = 1 << 22
# What an entry of an answer takes at most: in arrays, as a Python object, and in its text.
_NUMBER_BYTES = 8 + 20
_VALUE_BYTES = 24 + 40 + 24
_COORDINATES_AT_ONCE = 1 << 22  # integers that one batch of shared owners may list
# What an owner takes at most: in arrays, and in its text; the second for each dimension.
_OWNER_BYTES = 64 + 72
_OWNER_COLUMN_BYTES = 8 + 20


def limited(field: str, elements: int, most: int) -> None:
    """Refuse an answer that lists more than ``most`` elements: a LayoutError naming ``field``."""
    if elements > most:
        raise refusal(field, f"{elements} elements", "most", most=most)


def answer_describe(request: requests.TensorJson) -> Description:
    """Strides, sizes, properties, names and notations."""
    return request.parse().describe()


@dataclass(frozen=True, slots=True)
class ReadJson(Read):
    """What a pasted text says. ``run``: what /run reads it as, None if it is of no run."""

    run: RunKind | None = None


def answer_read(request: requests.ReadRequest) -> Annotated[ReadJson, ReadJson, Read]:
    """Shape, element type and layout from a notation, or from text of a session or a log."""
    run = kind_of(request.text)
    try:
        found = read_text(request.text)
    except LayoutError:
        if run is None:
            raise
        raise refusal("text", "the text of a run without a tensor", "text.run", kind=run) from None
    said = {each.name: getattr(found, each.name) for each in fields(found) if each.init}
    return ReadJson(**said, run=run)


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
    return {"owners": _owners(request.tensor.parse("tensor"), request.offsets, most)}


def _owners(tensor: Tensor, asked: Sequence[int], most: int) -> Listed:
    """Return the owner of each address.

    Beyond one coordinate per address, at most ``most`` integers of coordinates are listed.
    Errors: LayoutError naming ``offsets``.
    """
    rank = tensor.layout.rank
    hold(len(asked) * (_OWNER_BYTES + _OWNER_COLUMN_BYTES * rank))
    # Each distinct address is searched once, and all batches share the budget of one call.
    addresses, asked_at, times = np.unique(
        np.array(asked, dtype=np.int64), return_inverse=True, return_counts=True
    )
    steps = most_steps()
    budget = Budget() if steps is None else Budget(steps)
    parts: list[Owners] = []
    beyond_one_each = 0
    batch = _COORDINATES_AT_ONCE // (SHOWN * max(rank, 1))
    for start in range(0, len(addresses), batch):
        part = addresses[start : start + batch]
        found = owners_of(
            tensor.layout, part, buffer_elements=tensor.buffer_elements, budget=budget
        )
        if steps is not None and budget.left < 0:
            raise BeyondError
        beyond = (np.diff(found.starts) - 1) * times[start : start + batch]
        beyond_one_each += max(int(beyond.sum()), 0) * rank
        if beyond_one_each > most:
            raise LayoutError("offsets", asked, phrase("owners.fewer", most=most))
        parts.append(found)
    hold(beyond_one_each * _NUMBER_BYTES)
    return Listed(len(asked), _lister(addresses, asked_at, parts))


def _lister(
    addresses: Int64Array, asked_at: npt.NDArray[np.intp], parts: Sequence[Owners]
) -> Callable[[int, int], list[shapes.OwnerJson]]:
    """A function that makes the owners from one index up to another of what was asked."""
    none = np.empty(0, dtype=np.int64)
    kinds = np.concatenate([none, *(part.kinds for part in parts)])
    counts = np.concatenate([none, *(part.counts for part in parts)])
    lengths = np.concatenate([none, *(np.diff(part.starts) for part in parts)])
    rows = np.concatenate([part.coordinates for part in parts]) if parts else none
    starts = np.cumsum(lengths) - lengths

    def owners(start: int, stop: int) -> list[shapes.OwnerJson]:
        chosen = asked_at[start:stop]
        of_each = lengths[chosen]
        ends = np.cumsum(of_each)
        first = starts[chosen] - (ends - of_each)
        coordinates = rows[np.arange(ends[-1]) + np.repeat(first, of_each)].tolist()
        columns = (addresses[chosen], kinds[chosen], counts[chosen], ends - of_each, ends)
        return [
            {"offset": at, "kind": KINDS[k], "count": count, "coordinates": coordinates[i:j]}
            for at, k, count, i, j in zip(*(each.tolist() for each in columns), strict=True)
        ]

    return owners


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
    shown = None if view is None else tensor.describe_view(view)
    return told(shapes.SliceJson, taken, offsets=offsets, values=values, view=shown)


def answer_view(request: requests.ViewRequest) -> shapes.ViewJson:
    """Apply the steps. The first step that needs a copy ends the call with its reason."""
    tensor = request.tensor.parse("tensor")
    results, stop = views_of(tensor.layout, request.steps)
    last = tensor.describe_view(results[-1] if results else tensor.layout)
    reason, breaks = None, None
    if stop is not None:
        why = stop.copy
        reason = f"Step {stop.step + 1} ({stop.op}) needs a copy: {why.reason}"
        breaks = told(shapes.BreaksJson, why, step=stop.step, op=stop.op, before=last)
    return {
        "tensor": last if stop is None else None,
        "is_view": stop is None,
        "reason": reason,
        "results": [told(shapes.StepResultJson, each) for each in results],
        "breaks": breaks,
    }


def answer_elementwise(request: requests.ElementwiseRequest) -> shapes.ElementwiseJson:
    """The layout of an element-wise result, by PyTorch's eager rule."""
    operands = [x.parse(f"operands[{i}]") for i, x in enumerate(request.operands)]
    dtype = operands[0].dtype
    for i, x in enumerate(operands):
        if x.dtype != dtype:
            expected = phrase("operands.dtype", dtype=dtype.name)
            raise LayoutError(f"operands[{i}].dtype", x.dtype.name, expected)
    return {"tensor": describe(iterate([x.layout for x in operands]), dtype)}


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
        "plan": told(
            shapes.PlanJson,
            planned,
            backend=backend,
            bytes_read=read_bytes(planned.source, dtype),
            bytes_written=max(-(-written_bits // 8), dtype.size_bytes(planned.elements)),
            moves=[plain(move) for move in moves],
        ),
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
        "dtypes": [told(shapes.DtypeJson, each) for each in ELEMENT_TYPES.values()],
        "systems": [d.system for d in DIALECTS],
    }
