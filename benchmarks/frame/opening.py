"""What the page computes when a tensor is opened and when its layout changes, at two sizes.

The aim is under 100 ms of the main thread for each, on a quiet machine. `tests/js/draw` counts the
turns of every loop of the drawing, at any size; how long they take is for this table.
"""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from playwright.sync_api import Page
from rich.table import Table

from benchmarks.frame.clock import Clock

ROOT = Path(__file__).parents[2]
AIM_MS = 100
START_S = 60
SHAPES = {"810,000 elements": "30,30,30,30", "10^12 elements": "1000,1000,1000,1000"}
LAYOUTS = ("NCHW", "NHWC", "NCHW4")
DRAWN = "layout => document.querySelector('memory-view .about')?.textContent.startsWith(layout)"
AT_REST = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@contextmanager
def served() -> Iterator[str]:
    """The program on a free port; its address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "uvicorn", "app.main:app", "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        ends_s = time.monotonic() + START_S
        while time.monotonic() < ends_s:
            with suppress(OSError), urllib.request.urlopen(f"{url}/healthz", timeout=5):
                break
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()


def measure(page: Page, rounds: int = 5) -> Table:
    """The least of ``rounds``, the sizes in turn."""
    clock = Clock(page)
    spent: dict[str, dict[str, list[float]]] = {}

    def drawn(layout: str) -> None:
        page.wait_for_function(DRAWN, arg=f"{layout} ")
        page.evaluate(AT_REST)

    def opened(url: str) -> None:
        page.goto(url)
        drawn("WHCN")

    def changed(layout: str) -> None:
        page.fill("#a-layout", layout)
        drawn(layout)

    with served() as url:
        for _ in range(rounds):
            for name, shape in SHAPES.items():
                page.goto("about:blank")
                query = f"{url}/?shape={shape}&layout=WHCN&at=0,1,2,3"
                works = {"opening": clock.spent_ms(partial(opened, query))}
                for layout in LAYOUTS:
                    works[f"to {layout}"] = clock.spent_ms(partial(changed, layout))
                for work, ms in works.items():
                    spent.setdefault(work, {}).setdefault(name, []).append(ms)
    table = Table(title=f"Work of the page's main thread, ms (aim: under {AIM_MS})")
    for heading in ("what", *SHAPES):
        table.add_column(heading)
    for work, found in spent.items():
        table.add_row(work, *(f"{min(times):.0f}" for times in found.values()))
    return table
