"""The answers of the HTTP contract as JSON-ready values; the command line prints the same.

Arrays are int64 and become JSON lists at the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

import numpy as np

from app.engine.address import KINDS, offset_map, offsets_of, owners_of
from app.engine.catalogue import FORMATS
from app.engine.description import describe
from app.engine.dtypes import ELEMENT_TYPES, ElementType
from app.engine.errors import Described, LayoutError
from app.engine.layout import INT64_MAX
from app.engine.notation import DIALECTS
from app.engine.reorders import Plan, moves_of
from app.engine.search import SHOWN, Budget
from app.engine.slices import Slice
from app.engine.tensor import Tensor

MAX_VALUES = 1 << 22  # values, coordinates or offsets in one answer
_COORDINATES_AT_ONCE = 1 << 22  # integers that one batch of shared owners may list

Answer = dict[str, Any]


def limited(field: str, elements: int, most: int = MAX_VALUES) -> None:
    """Refuse an answer that would list more than ``most`` elements."""
    if elements > most:
        raise LayoutError(field, Described(f"{elements} elements"), f"at most {most}")


def offsets(tensor: Tensor, coordinates: Sequence[Sequence[int]]) -> Answer:
    """Addresses of coordinates, in elements and in whole bytes."""
    layout, dtype = tensor.layout, tensor.dtype
    if not set(map(len, coordinates)) <= {layout.rank}:
        at = next(i for i, row in enumerate(coordinates) if len(row) != layout.rank)
        raise LayoutError(
            f"coordinates[{at}]", coordinates[at], f"{layout.rank} integers, one per dimension"
        )
    count = len(coordinates)
    flat = np.fromiter(chain.from_iterable(coordinates), np.int64, count * layout.rank)
    found = offsets_of(layout, flat.reshape(count, layout.rank))
    if layout.buffer_elements * dtype.bits > INT64_MAX:
        return {"offsets": found, "byte_offsets": [dtype.byte_offset(a) for a in found.tolist()]}
    return {"offsets": found, "byte_offsets": found * dtype.bits // 8}


def owners(tensor: Tensor, asked: Sequence[int], *, most: int = MAX_VALUES) -> Answer:
    """Who owns each address; the first 64 coordinates of a shared one.

    Errors: LayoutError where the shared ones have over ``most`` integers to list.
    """
    # Each address is looked for once, and all batches share what one call may spend.
    addresses, asked_at, times = np.unique(
        np.array(asked, dtype=np.int64), return_inverse=True, return_counts=True
    )
    budget = Budget()
    rank = tensor.layout.rank
    listed: list[Answer] = []
    beyond_one_each = 0
    batch = _COORDINATES_AT_ONCE // (SHOWN * max(rank, 1))
    for start in range(0, len(addresses), batch):
        part = addresses[start : start + batch]
        found = owners_of(
            tensor.layout, part, buffer_elements=tensor.buffer_elements, budget=budget
        )
        beyond = (np.diff(found.starts) - 1) * times[start : start + batch]
        beyond_one_each += max(int(beyond.sum()), 0) * rank
        if beyond_one_each > most:
            raise LayoutError(
                "offsets",
                asked,
                f"fewer: the shared ones have over {most} integers of coordinates to list",
            )
        coordinates, starts = found.coordinates.tolist(), found.starts.tolist()
        listed += [
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
    return {"owners": [listed[i] for i in asked_at.tolist()]}


def sliced(tensor: Tensor, taken: Slice, *, field: str, most: int = MAX_VALUES) -> Answer:
    """Shape, row-major addresses and the view of a slice; the values are the caller's.

    Errors: LayoutError naming ``field`` where the result has over ``most`` elements.
    """
    limited(field, taken.elements, most)
    view = taken.view()
    return {
        "shape": taken.shape,
        "offsets": taken.flat_offsets(),
        "values": None,
        "view": None if view is None else describe(view, tensor.dtype).as_dict(),
    }


def reordered(planned: Plan, dtype: ElementType) -> Answer:
    """The target and the plan of a reorder; the values and the backend are the caller's."""
    moves = moves_of(planned.boxes, dtype.bits)
    moved_bytes = dtype.size_bytes(planned.elements)
    written_bits = sum(move.units * move.unit_bits for move in moves)
    return {
        "values": None,
        "target": describe(planned.target, dtype).as_dict(),
        "plan": {
            "kernel": planned.kernel,
            "backend": None,
            "copy_needed": planned.copy_needed,
            "elements": planned.elements,
            "bytes_read": moved_bytes,
            "bytes_written": max(-(-written_bits // 8), moved_bytes),
            "moves": [asdict(move) for move in moves],
        },
    }


def labels(planned: Plan) -> list[int | None]:
    """Logical row-major numbers in the target's address order; None in padding and gaps."""
    found = np.full(planned.target.buffer_elements, -1, dtype=np.int64)
    if planned.elements:
        found[offset_map(planned.target).ravel()] = np.arange(planned.elements)
    return [None if label < 0 else label for label in found.tolist()]


def catalogue() -> Answer:
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
        "systems": [d.system for d in DIALECTS],
    }
