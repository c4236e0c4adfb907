"""Each call of the contract as a plain function from a checked request to a JSON-ready value."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from typing import Any

import numpy as np

from app.api.schemas import CoordinatesRequest, OffsetsRequest, ReorderRequest, SliceRequest, Tensor
from app.api.values import parse_values, values_json
from app.engine import (
    ElementType,
    Layout,
    LayoutError,
    describe,
    index_expression,
    offset_map,
    offsets_of,
    owners_of,
    parse_layout,
    plan,
    reorder,
    window,
)
from app.engine.address import KINDS
from app.engine.description import checked_buffer
from app.engine.dtypes import ELEMENT_TYPES
from app.engine.errors import Described
from app.engine.formats import FORMATS
from app.engine.layout import INT64_MAX
from app.engine.notation import DIALECTS
from app.engine.search import SHOWN

_COORDINATES_AT_ONCE = 1 << 22  # integers that one batch of shared owners may list


def answer_describe(tensor: Tensor) -> dict[str, Any]:
    """The Description of ``tensor``."""
    layout, dtype = tensor.parse()
    return describe(layout, dtype, buffer_elements=tensor.elements).as_dict()


def answer_offsets(request: OffsetsRequest) -> dict[str, Any]:
    """Addresses of coordinates, in elements and bytes."""
    layout, dtype = request.tensor.parse("tensor")
    given = request.coordinates
    if not set(map(len, given)) <= {layout.rank}:
        at = next(i for i, row in enumerate(given) if len(row) != layout.rank)
        raise LayoutError(f"coordinates[{at}]", given[at], f"{layout.rank} integers")
    flat = np.fromiter(chain.from_iterable(given), np.int64, len(given) * layout.rank)
    offsets = offsets_of(layout, flat.reshape(len(given), layout.rank))
    listed = offsets.tolist()
    if layout.buffer_elements * dtype.bits > INT64_MAX:
        return {"offsets": listed, "byte_offsets": [dtype.byte_offset(a) for a in listed]}
    return {"offsets": offsets, "byte_offsets": offsets * dtype.bits // 8}


def answer_coordinates(request: CoordinatesRequest, max_values: int) -> dict[str, Any]:
    """Owners of addresses."""
    layout, _ = request.tensor.parse("tensor")
    buffer = checked_tensor_buffer(request.tensor, layout)
    asked = np.array(request.offsets, dtype=np.int64)
    owners: list[dict[str, Any]] = []
    beyond_one_each = 0
    batch = _COORDINATES_AT_ONCE // (SHOWN * max(layout.rank, 1))
    for start in range(0, len(asked), batch):
        part = asked[start : start + batch]
        found = owners_of(layout, part, buffer_elements=buffer)
        beyond_one_each += max(len(found.coordinates) - len(part), 0) * layout.rank
        if beyond_one_each > max_values:
            raise LayoutError(
                "offsets",
                request.offsets,
                f"fewer: the shared ones have over {max_values} integers of coordinates to list",
            )
        coordinates, starts = found.coordinates.tolist(), found.starts.tolist()
        owners += [
            {
                "offset": offset,
                "kind": KINDS[kind],
                "count": count,
                "coordinates": coordinates[starts[i] : starts[i + 1]],
            }
            for i, (offset, kind, count) in enumerate(
                zip(part.tolist(), found.kinds.tolist(), found.counts.tolist(), strict=True)
            )
        ]
    return {"owners": owners}


def checked_tensor_buffer(tensor: Tensor, layout: Layout) -> int:
    """Elements of the tensor's buffer; errors name ``tensor.elements``."""
    try:
        return checked_buffer(layout, tensor.elements)
    except LayoutError as error:
        raise error.within("tensor") from None


def answer_slice(request: SliceRequest, max_values: int) -> dict[str, Any]:
    """A window or an index: offsets, values and the view."""
    layout, dtype = request.tensor.parse("tensor")
    buffer = checked_tensor_buffer(request.tensor, layout)
    if request.window is not None:
        w = request.window
        taken = window(layout, w.offsets, w.sizes, w.strides, w.output_sizes)
    else:
        taken = index_expression(layout, request.index or "")
    _limit("window" if request.window else "index", taken.elements, max_values)
    offsets = taken.flat_offsets()
    values = None
    if request.values is not None:
        _limit("values", len(request.values), max_values)
        values = values_json(parse_values(request.values, dtype, buffer)[offsets], dtype)
    view = taken.view()
    return {
        "shape": taken.shape,
        "offsets": offsets,
        "values": values,
        "view": None if view is None else describe(view, dtype).as_dict(),
    }


def _limit(field: str, elements: int, most: int) -> None:
    if elements > most:
        raise LayoutError(field, Described(f"{elements} elements"), f"at most {most}")


def answer_reorder(request: ReorderRequest, max_values: int) -> dict[str, Any]:
    """The target buffer, with labels where no values came."""
    source, dtype = request.source.parse("source")
    target = _target(request.target, source, dtype)
    made = plan(source, target)
    _limit("target", made.target.buffer_elements, max_values)
    _limit("source", made.source.elements, max_values)
    if request.values is None:
        labels = np.full(made.target.buffer_elements, -1, dtype=np.int64)
        if made.elements:
            labels[offset_map(made.target).ravel()] = np.arange(made.elements)
        values = [None if v < 0 else v for v in labels.tolist()]
    else:
        buffer = checked_buffer(source, request.source.elements)
        given = parse_values(request.values, dtype, buffer)
        values = values_json(reorder(given, source, made.target), dtype)
    moved = dtype.size_bytes(made.elements)
    return {
        "values": values,
        "target": describe(made.target, dtype).as_dict(),
        "plan": {
            "kernel": made.kernel,
            "elements": made.elements,
            "bytes_read": moved,
            "bytes_written": moved,
            "boxes": [asdict(box) for box in made.boxes],
            "padding": [asdict(box) for box in made.padding],
        },
    }


def _target(text: Any, source: Layout, dtype: ElementType) -> Layout:
    """The target layout: its letters match the source's dims by name, else by position."""
    try:
        try:
            return parse_layout(text, source.shape, source.dims, dtype)
        except LayoutError as error:
            if error.field != "dims":
                raise
            return parse_layout(text, source.shape, None, dtype)
    except LayoutError as error:
        below = error.field.removeprefix("layout")
        raise error.under("target" + below if below != error.field else "target") from None


def answer_formats() -> dict[str, Any]:
    """The catalogue of formats, element types and systems."""
    return {
        "formats": [
            {
                "system": f.system,
                "name": f.text,
                "dims": f.dims,
                "rank": f.rank,
                "summary": f.summary,
            }
            for f in FORMATS
        ],
        "dtypes": [{"name": t.name, "bits": t.bits} for t in ELEMENT_TYPES.values()],
        "systems": [d.system for d in DIALECTS],
    }
