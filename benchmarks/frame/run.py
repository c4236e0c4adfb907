"""Frame times of the two grids for 10^6, 10^9 and 10^12 elements with the same cells visible.

    python benchmarks/frame/run.py [--frames 25]

Starts a static server on a free port and Debian's chromium (software rendering), draws each
grid over half of a 1440x900 and of a 1920x1080 screen, and prints median milliseconds per frame
and the ratio to the 10^6 tensor. A walk is a step drawn in both grids, over the whole screen: in
memory order, and in loops whose steps jump, so that the window moves with each. A ratio below 1
in a row with text: the indices are too long for a cell, so fewer or none are written. A second
table has the frames of a reorder that plays, a third what opening a tensor costs the page
(``--only reorders`` and ``--only opening`` print them alone).
"""

import argparse
import functools
import http.server
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from app.engine import parse_layout  # noqa: E402  # so that it runs from any folder
from benchmarks.frame import opening, reorders  # noqa: E402  # as above

SCREENS = [(1440, 900), (1920, 1080)]
ZOOMS = {"text, 40 px": 40.0, "texture, 1 px": 1.0, "far, 0.2 px": 0.2}
ROW_LENGTH_ELEMS = 1848
MEMORY_SHAPES = {
    "10^6": (1, 100, 100, 100),
    "10^9": (10, 100, 1000, 1000),
    "10^12": (1000, 1000, 1000, 1000),
}
# All planes have one width, so that each screen shows the same cells for every size.
LOGICAL_SHAPES = {
    "10^6": (1, 1, 520, 1923),
    "10^9": (10, 100, 520, 1923),
    "10^12": (1000, 1000, 520, 1923),
}
LAYOUTS = ["NCHW", "NHWC", "NCHW4"]
# What is measured: the grid, the walk in it, the tensors.
KINDS: dict[str, tuple[str, str | None, Mapping[str, tuple[int, ...]]]] = {
    "memory": ("memory", None, MEMORY_SHAPES),
    "logical": ("logical", None, LOGICAL_SHAPES),
    "walk by address": ("both", "memory", LOGICAL_SHAPES),
    "walk that jumps": ("both", "loops", LOGICAL_SHAPES),
}
MEASURE = (
    "async ([cases, frames]) => (await import('/benchmarks/frame/frame.js')).measure(cases, frames)"
)
CHROMIUM_ARGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves the repository's files and an empty page at /blank, without a log."""

    def do_GET(self) -> None:
        if self.path != "/blank":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(
            b"<!doctype html><title>frames</title><link rel=icon href=data:,><body></body>"
        )

    def log_message(self, *_: Any) -> None:
        """Print nothing: one line per module would hide the table."""


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page of Debian's chromium, opened on a static server of its own."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is missing: run .ci/system")
    handler = functools.partial(QuietHandler, directory=str(ROOT))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=[*CHROMIUM_ARGS, *sandbox]
            )
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/blank")
            yield page
            browser.close()
    finally:
        server.shutdown()


def case_of(
    grid: str,
    shape: tuple[int, ...],
    layout_text: str,
    cell_css: float,
    screen: tuple[int, int],
    *,
    walk: str | None = None,
) -> dict[str, Any]:
    """One case for frame.js to draw, with the engine's digits."""
    layout = parse_layout(layout_text, shape)
    return {
        "grid": grid,
        "walk": walk,
        "shape": shape,
        "digits": [[asdict(digit) for digit in digits] for digits in layout.digits],
        "buffer_elements": layout.buffer_elements,
        "cell_css": cell_css,
        "width_css": screen[0],
        "height_css": screen[1] // 2,
        "rowLength_elems": ROW_LENGTH_ELEMS,
    }


def rows_of(kind: str) -> Iterator[tuple[str, tuple[int, int], str, float]]:
    """Layout, screen and zoom of every row; the logical grid does not depend on the layout."""
    for layout_text in LAYOUTS if kind == "memory" else LAYOUTS[:1]:
        for screen in SCREENS:
            for zoom, cell_css in ZOOMS.items():
                yield layout_text, screen, zoom, cell_css


def main() -> None:
    """Measure all cases, the sizes in turn, and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--frames", type=int, default=25)
    parser.add_argument("--only", choices=["grids", "opening", "reorders"])
    given = parser.parse_args()
    frames = given.frames
    if given.only in (None, "opening"):
        with browser_page() as page:
            Console(width=130).print(opening.measure(page))
    if given.only in (None, "reorders"):
        with browser_page() as page:
            reordered, longest_ms = reorders.measure(page, MEMORY_SHAPES, frames)
        Console(width=130).print(reordered)
        print(f"slowest frame of a reorder {longest_ms:.1f} ms")
    if given.only in ("reorders", "opening"):
        return

    table = Table(title="Median frame, ms (ratio to the smallest tensor that fills the screen)")
    for heading in ("grid", "layout", "screen", "zoom", "visible cells"):
        table.add_column(heading)
    for size in MEMORY_SHAPES:
        table.add_column(size, justify="right")
    table.add_column("set-up 10^12", justify="right")
    worst_ratio, worst_ms = 0.0, 0.0
    with browser_page() as page:
        for kind, (grid, walk, shapes) in KINDS.items():
            for layout_text, screen, zoom, cell_css in rows_of(kind):
                # With five cells per pixel, 10^6 elements do not fill a screen.
                filling = [size for size in shapes if cell_css >= 1 or size != "10^6"]
                cases = [
                    case_of(grid, shapes[size], layout_text, cell_css, screen, walk=walk)
                    for size in filling
                ]
                results = page.evaluate(MEASURE, [cases, frames])
                times_ms = [result["frame_ms"] for result in results]
                ratios = [frame_ms / times_ms[0] for frame_ms in times_ms]
                worst_ms, worst_ratio = max(worst_ms, *times_ms), max(worst_ratio, *ratios)
                shown = [f"{t:.1f} ({r:.2f})" for t, r in zip(times_ms, ratios, strict=True)]
                table.add_row(
                    kind,
                    layout_text,
                    f"{screen[0]}x{screen[1]}",
                    zoom,
                    f"{results[-1]['cells']:,.0f}",
                    *["-"] * (len(shapes) - len(filling)),
                    *shown,
                    f"{results[-1]['setup_ms']:.1f}",
                )
    Console(width=130).print(table)
    print(f"slowest frame {worst_ms:.1f} ms; greatest ratio {worst_ratio:.2f}")


if __name__ == "__main__":
    main()
