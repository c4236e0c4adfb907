"""Addresses compared with NumPy: the offset map with a fill, batches with NumPy's functions.

    python benchmarks/addresses/run.py [--rounds 7]

The calls take turns, and medians of processor time are printed. Every result is checked once before
it is timed. NumPy's functions return new memory, so the rows with a required ratio do so too; the
rows with ``out=`` show what reused memory saves. NumPy takes and gives one array per dimension, the
engine one of rows.
"""

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from app.engine import (  # noqa: E402  # so that it runs from any folder
    Layout,
    coordinates_of,
    offset_map,
    offsets_of,
    owners_of,
    parse_layout,
)

MAP_SHAPE = (500, 64, 56, 56)
SHAPE = (64, 64, 56, 56)
WIDE = {
    "2^32": (2**9, 2**9, 2**7, 2**7),
    "2^42": (2**10, 2**12, 2**10, 2**10),
    "2^63": (2**14 - 1, 2**16 - 1, 2**15 - 1, 2**17 + 1),
}
BATCH = 10**7
MAP_RATIO, OFFSETS_RATIO, COORDINATES_RATIO = 0.8, 0.6, 0.8


@dataclass(frozen=True, slots=True)
class Row:
    """A call of the engine and one of the peer; ``required``: least ratio of their speeds."""

    name: str
    peer_name: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]
    items: int
    required: float | None


def maps() -> list[Row]:
    """The offset map of 10^8 elements, compared with a fill of as many int64."""
    layout = parse_layout("NCHW4", MAP_SHAPE)
    count = layout.elements
    reused = np.zeros(MAP_SHAPE, dtype=np.int64)
    rows = [
        Row(
            f"offset_map {text}",
            "np.full",
            partial(offset_map, parse_layout(text, MAP_SHAPE)),
            lambda: np.full(count, 7),
            count,
            MAP_RATIO,
        )
        for text in ("NCHW", "NCHW4")
    ]
    rows.append(
        Row(
            "offset_map NCHW4, out=",
            "fill",
            lambda: offset_map(layout, out=reused),
            lambda: reused.fill(7),
            count,
            None,
        )
    )
    return rows


def batches() -> list[Row]:
    """Random coordinates to offsets, and offsets to coordinates."""
    rng = np.random.default_rng(1)
    n, c, h, w = columns = [rng.integers(0, size, BATCH) for size in SHAPE]
    coordinates = np.stack(columns, axis=1)
    plain, nhwc, blocked = (parse_layout(t, SHAPE) for t in ("NCHW", "NHWC", "NCHW4"))
    physical = blocked.physical_shape
    if physical is None:
        raise ValueError("NCHW4 nests")
    sizes_nhwc = (SHAPE[0], *SHAPE[2:], SHAPE[1])
    addresses = {x: offsets_of(x, coordinates) for x in (plain, nhwc, blocked)}
    offsets, found = np.empty(BATCH, dtype=np.int64), np.empty_like(coordinates)

    def ravel_blocked() -> Any:
        return np.ravel_multi_index((n, c // 4, h, w, c % 4), physical)

    def unravel_blocked() -> Any:
        n, c, h, w, lane = np.unravel_index(addresses[blocked], physical)
        return n, c * 4 + lane, h, w

    def unravel_nhwc() -> Any:
        n, h, w, c = np.unravel_index(addresses[nhwc], sizes_nhwc)
        return n, c, h, w

    for layout, expected in (
        (plain, np.ravel_multi_index((n, c, h, w), SHAPE)),
        (nhwc, np.ravel_multi_index((n, h, w, c), sizes_nhwc)),
        (blocked, ravel_blocked()),
    ):
        if not np.array_equal(addresses[layout], expected):
            raise ValueError(f"{layout}: the addresses differ from NumPy's")
        if not np.array_equal(coordinates_of(layout, expected), coordinates):
            raise ValueError(f"{layout}: the coordinates differ from NumPy's")

    ravel = "np.ravel_multi_index"
    unravel = "np.unravel_index"
    asked = addresses[plain]
    return [
        Row(
            "offsets_of NCHW",
            ravel,
            lambda: offsets_of(plain, coordinates),
            lambda: np.ravel_multi_index((n, c, h, w), SHAPE),
            BATCH,
            OFFSETS_RATIO,
        ),
        Row(
            "offsets_of NHWC",
            ravel,
            lambda: offsets_of(nhwc, coordinates),
            lambda: np.ravel_multi_index((n, h, w, c), sizes_nhwc),
            BATCH,
            OFFSETS_RATIO,
        ),
        Row(
            "offsets_of NCHW4",
            f"{ravel}, c//4, c%4",
            lambda: offsets_of(blocked, coordinates),
            ravel_blocked,
            BATCH,
            OFFSETS_RATIO,
        ),
        Row(
            "offsets_of NCHW, out=",
            ravel,
            lambda: offsets_of(plain, coordinates, out=offsets),
            lambda: np.ravel_multi_index((n, c, h, w), SHAPE),
            BATCH,
            None,
        ),
        Row(
            "coordinates_of NCHW",
            unravel,
            lambda: coordinates_of(plain, asked),
            lambda: np.unravel_index(asked, SHAPE),
            BATCH,
            COORDINATES_RATIO,
        ),
        Row(
            "coordinates_of NHWC",
            unravel,
            lambda: coordinates_of(nhwc, addresses[nhwc]),
            unravel_nhwc,
            BATCH,
            COORDINATES_RATIO,
        ),
        Row(
            "coordinates_of NCHW4",
            f"{unravel}, c·4 + lane",
            lambda: coordinates_of(blocked, addresses[blocked]),
            unravel_blocked,
            BATCH,
            COORDINATES_RATIO,
        ),
        Row(
            "coordinates_of NCHW, out=",
            unravel,
            lambda: coordinates_of(plain, asked, out=found),
            lambda: np.unravel_index(asked, SHAPE),
            BATCH,
            None,
        ),
        Row(
            "owners_of NCHW",
            unravel,
            lambda: owners_of(plain, asked),
            lambda: np.unravel_index(asked, SHAPE),
            BATCH,
            None,
        ),
    ]


def wide() -> list[Row]:
    """Offsets to coordinates, from 2^31 addresses on, and of one to eight dimensions."""
    rng = np.random.default_rng(2)
    shapes: dict[str, tuple[int, ...]] = {f"NCHW {name}": shape for name, shape in WIDE.items()}
    for rank in (1, 2, 3, 6, 8):
        shapes[f"{rank}-D 2^40"] = (int(2 ** (40 / rank)),) * rank
    rows = []
    for name, shape in shapes.items():
        offsets = rng.integers(0, math.prod(shape), BATCH // 4)
        layout = Layout.strided(shape, [math.prod(shape[d + 1 :]) for d in range(len(shape))])
        expected = np.stack(np.unravel_index(offsets, shape), axis=1)
        if not np.array_equal(coordinates_of(layout, offsets), expected):
            raise ValueError(f"{name}: the coordinates differ from NumPy's")
        rows.append(
            Row(
                f"coordinates_of {name}",
                "np.unravel_index",
                partial(coordinates_of, layout, offsets),
                partial(np.unravel_index, offsets, shape),
                len(offsets),
                COORDINATES_RATIO,
            )
        )
    return rows


def seconds(rows: list[Row], rounds: int) -> list[tuple[float, float]]:
    """Median seconds of the engine's and the peer's call, per row, after one round to warm up."""
    taken: list[tuple[list[float], list[float]]] = [([], []) for _ in rows]
    for _ in range(rounds + 1):
        for row, times in zip(rows, taken, strict=True):
            for call, into in zip((row.ours, row.peer), times, strict=True):
                start = time.process_time()  # other programs count little in it
                call()
                into.append(time.process_time() - start)
    return [(statistics.median(a[1:]), statistics.median(b[1:])) for a, b in taken]


def main() -> int:
    """Print the table; return 1 if a required ratio is not reached, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    table = Table(title=f"Addresses: medians of {asked.rounds}")
    for heading in ("call", "peer", "ms", "peer, ms", "millions/s", "times the peer", "required"):
        table.add_column(heading, justify="left" if heading in {"call", "peer"} else "right")
    missed = 0
    for make in (maps, batches, wide):
        rows = make()
        for row, (ours, peer) in zip(rows, seconds(rows, asked.rounds), strict=True):
            ratio = peer / ours
            missed += row.required is not None and ratio < row.required
            table.add_row(
                row.name,
                row.peer_name,
                f"{ours * 1e3:.1f}",
                f"{peer * 1e3:.1f}",
                f"{row.items / ours / 1e6:.0f}",
                f"{ratio:.2f}",
                "" if row.required is None else f"{row.required}",
            )
    Console(width=118).print(table)
    print("all required ratios are reached" if not missed else f"{missed} below the required ratio")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
