"""Frame times of a reorder that plays on the page /reorder, on a screen of 1920x1080."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from playwright.sync_api import Page
from rich.table import Table

from app.contract.schedules import scheduled_plan
from app.contract.shapes import plain
from app.engine import Layout, parse_dtype, parse_layout
from app.engine.reorder.schedule import schedule

MEASURE = (
    "async ([cases, frames]) => "
    "(await import('/benchmarks/frame/reorder.js')).measureReorders(cases, frames)"
)
REORDERS = [("NCHW", "NHWC", "float32"), ("NCHW", "NCHW4", "float32"), ("NCHW", "NHWC", "int8")]
CELLS_CSS = (34.0, 8.0, 5.0)
MEMORY_CSS = (800, 720)  # of each of the two memories

Shapes = Mapping[str, tuple[int, ...]]


def measure(page: Page, shapes: Shapes, frames: int) -> tuple[Table, float]:
    """Return a table of median frames, with the longest of each, and the longest median."""
    table = Table(title="A reorder that plays on 1920x1080: median frame, ms (longest)")
    for heading in ("reorder", "type", "zoom", "window"):
        table.add_column(heading)
    for size in shapes:
        table.add_column(size, justify="right")
    longest_ms = 0.0
    for source, target, dtype in REORDERS:
        for cell_css in CELLS_CSS:
            for scrolls in (False, True):
                cases = [
                    {**case, "cell_css": cell_css, "scrolls": scrolls}
                    for case in cases_of(source, target, dtype, shapes)
                ]
                results = page.evaluate(MEASURE, [cases, frames])
                longest_ms = max(longest_ms, *(each["frame_ms"] for each in results))
                table.add_row(
                    f"{source} to {target}",
                    dtype,
                    f"{cell_css:g} px",
                    "scrolls" if scrolls else "stands",
                    *(f"{each['frame_ms']:.1f} ({each['worst_ms']:.1f})" for each in results),
                )
    return table, longest_ms


def cases_of(source: str, target: str, dtype: str, shapes: Shapes) -> Iterator[dict[str, Any]]:
    """What reorder.js draws, one case a size, with the plan as the API answers it."""
    element = parse_dtype(dtype)
    for shape in shapes.values():
        found = schedule(parse_layout(source, shape), parse_layout(target, shape), dtype=element)
        yield {
            "answer": {"steps": found.steps, "plan": as_json(scheduled_plan(found, element))},
            "source": described(found.planned.source),
            "target": described(found.planned.target),
            "itemsize_bits": element.bits,
            "width_css": MEMORY_CSS[0],
            "height_css": MEMORY_CSS[1],
        }


def as_json(answer: object) -> Any:
    """An answer as a caller of the API reads it."""
    return json.loads(json.dumps(answer, default=plain))


def described(layout: Layout) -> dict[str, Any]:
    """The parts of a description that the drawing reads."""
    return {
        "shape": layout.shape,
        "dims": layout.dims,
        "digits": [[asdict(digit) for digit in digits] for digits in layout.digits],
        "offset": layout.offset,
        "swizzle": None,
        "buffer": {"elements": layout.buffer_elements},
    }
