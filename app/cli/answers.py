"""Answers in the shape of the HTTP contract, for ``--json``."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TypedDict

import typer

from app.cli.arguments import Tensor
from app.engine.address import KINDS, offsets_of, owners_of
from app.engine.description import checked_buffer, describe
from app.engine.dtypes import ELEMENT_TYPES, ElementType
from app.engine.errors import Described, LayoutError
from app.engine.formats import FORMATS
from app.engine.notation import DIALECTS
from app.engine.reorders import Plan
from app.engine.slices import Slice

MAX_RESULT_ELEMS = 1 << 22


class Owner(TypedDict):
    """Who owns one address; the first 64 coordinates of a shared one."""

    offset: int
    kind: str
    count: int
    coordinates: list[list[int]]


def emit(answer: dict[str, object]) -> None:
    """Print JSON on one line; integers of any length stay exact."""
    typer.echo(json.dumps(answer, ensure_ascii=False))


def offsets(tensor: Tensor, coordinates: Sequence[Sequence[int]]) -> list[int]:
    """Address of each coordinate, in elements. Errors: LayoutError naming the coordinate."""
    for i, coordinate in enumerate(coordinates):
        if len(coordinate) != tensor.layout.rank:
            raise LayoutError(
                f"coordinates[{i}]", coordinate, f"{tensor.layout.rank} integers, one per dimension"
            )
    rows = [list(coordinate) for coordinate in coordinates]
    return [int(offset) for offset in offsets_of(tensor.layout, rows)]


def owners(tensor: Tensor, asked: Sequence[int]) -> list[Owner]:
    """Who owns each address of ``asked``, in elements."""
    limit = checked_buffer(tensor.layout, tensor.buffer_elements)
    found = owners_of(tensor.layout, list(asked), buffer_elements=limit)
    return [
        {
            "offset": offset,
            "kind": KINDS[found.kinds[i]],
            "count": int(found.counts[i]),
            "coordinates": found.coordinates[found.starts[i] : found.starts[i + 1]].tolist(),
        }
        for i, offset in enumerate(asked)
    ]


def sliced(tensor: Tensor, what: Slice) -> dict[str, object]:
    """The slice's shape, its addresses in row-major order and its view, null if there is none.

    Errors: LayoutError where the result is too large to list.
    """
    if what.elements > MAX_RESULT_ELEMS:
        raise LayoutError(
            "slice",
            Described(f"a result of {what.elements:,} elements"),
            f"at most {MAX_RESULT_ELEMS:,} to list",
        )
    view = what.view()
    return {
        "shape": list(what.shape),
        "offsets": what.flat_offsets().tolist(),
        "values": None,
        "view": None if view is None else describe(view, tensor.dtype).as_dict(),
    }


def reordered(planned: Plan, dtype: ElementType) -> dict[str, object]:
    """The target's description and the plan; the values are in the file."""
    moved_bytes = dtype.size_bytes(planned.elements)
    return {
        "values": None,
        "target": describe(planned.target, dtype).as_dict(),
        "plan": {
            "kernel": planned.kernel,
            "elements": planned.elements,
            "bytes_read": moved_bytes,
            "bytes_written": moved_bytes,
            "boxes": [dataclasses.asdict(box) for box in planned.boxes],
            "padding": [dataclasses.asdict(box) for box in planned.padding],
        },
    }


def catalogue() -> dict[str, object]:
    """Named formats, element types and notations."""
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
        "systems": [dialect.system for dialect in DIALECTS],
    }
