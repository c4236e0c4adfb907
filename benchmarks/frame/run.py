"""Frame times of the two grids for 10^6, 10^9 and 10^12 elements with the same cells visible.

    python benchmarks/frame/run.py [--frames 25]

Starts a static server on a free port and Debian's chromium (software rendering), draws each
grid over half of a 1440x900 and of a 1920x1080 screen, and prints median milliseconds per frame
and the ratio to the 10^6 tensor.
"""

import argparse
import functools
import http.server
import math
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from app.engine import parse_layout  # noqa: E402  # run as a script, from any folder

SCREENS = [(1440, 900), (1920, 1080)]
ZOOMS = {"text, 40 px": 40.0, "texture, 1 px": 1.0, "far, 0.2 px": 0.2}
ROW_LENGTH_ELEMS = 1848
MEMORY_SHAPES = {
    "10^6": (1, 100, 100, 100),
    "10^9": (10, 100, 1000, 1000),
    "10^12": (1000, 1000, 1000, 1000),
}
# Planes of one width, so that each screen shows the same cells whatever lies beyond.
LOGICAL_SHAPES = {
    "10^6": (1, 1, 520, 1923),
    "10^9": (10, 100, 520, 1923),
    "10^12": (1000, 1000, 520, 1923),
}
LAYOUTS = ["NCHW", "NHWC", "NCHW4"]
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
        self.wfile.write(b"<!doctype html><title>frames</title><body></body>")

    def log_message(self, *_: Any) -> None:
        """Nothing: a line per module would hide the table."""


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page of Debian's chromium on a static server of its own."""
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


def measure(
    page: Page,
    *,
    grid: str,
    shape: tuple[int, ...],
    layout_text: str,
    cell_css: float,
    screen: tuple[int, int],
    frames: int,
) -> dict[str, float]:
    """Set-up and median frame time in milliseconds, and the visible cells."""
    layout = parse_layout(layout_text, shape)
    case = {
        "grid": grid,
        "shape": shape,
        "digits": [[asdict(digit) for digit in digits] for digits in layout.digits],
        "buffer_elements": layout.buffer_elements,
        "cell_css": cell_css,
        "width_css": screen[0],
        "height_css": screen[1] // 2,
        "rowLength_elems": ROW_LENGTH_ELEMS,
        "frames": frames,
    }
    result: dict[str, float] = page.evaluate(
        "async (c) => (await import('/benchmarks/frame/frame.js')).measure(c)", case
    )
    return result


def main() -> None:
    """Measure everything, size beside size, and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--frames", type=int, default=25)
    frames = parser.parse_args().frames

    table = Table(title="Median frame time, ms (ratio to 10^6, or to 10^9 where 10^6 is too small)")
    for heading in ("grid", "layout", "screen", "zoom", "visible cells"):
        table.add_column(heading)
    for size in MEMORY_SHAPES:
        table.add_column(size, justify="right")
    table.add_column("set-up 10^12", justify="right")
    worst_ratio, worst_ms = 0.0, 0.0
    with browser_page() as page:
        for grid, shapes, layouts in (
            ("memory", MEMORY_SHAPES, LAYOUTS),
            ("logical", LOGICAL_SHAPES, LAYOUTS[:1]),
        ):
            for layout_text in layouts:
                for screen in SCREENS:
                    for zoom, cell_css in ZOOMS.items():
                        cells, base_ms, setup_ms = 0.0, math.nan, math.nan
                        row = []
                        for size, shape in shapes.items():
                            # A million elements do not fill a screen at five cells a pixel.
                            if cell_css < 1 and size == "10^6":
                                row.append("-")
                                continue
                            result = measure(
                                page,
                                grid=grid,
                                shape=shape,
                                layout_text=layout_text,
                                cell_css=cell_css,
                                screen=screen,
                                frames=frames,
                            )
                            frame_ms, setup_ms = result["frame_ms"], result["setup_ms"]
                            if math.isnan(base_ms):
                                base_ms, cells = frame_ms, result["cells"]
                            ratio = frame_ms / base_ms
                            worst_ratio, worst_ms = max(worst_ratio, ratio), max(worst_ms, frame_ms)
                            row.append(f"{frame_ms:.1f} ({ratio:.2f})")
                        table.add_row(
                            grid,
                            layout_text,
                            f"{screen[0]}x{screen[1]}",
                            zoom,
                            f"{cells:,.0f}",
                            *row,
                            f"{setup_ms:.1f}",
                        )
    Console(width=130).print(table)
    print(f"slowest frame {worst_ms:.1f} ms; greatest ratio {worst_ratio:.2f}")


if __name__ == "__main__":
    main()
