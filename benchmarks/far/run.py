"""How long the first picture takes for readers who are far away, and what it loads until then.

    python benchmarks/far/run.py [--rounds 5]

Starts the program and Debian's chromium, with an empty cache for each visit. "Slow 4G" is as in
Chromium's own tools, 150 ms a round trip and 1.6 Mbit/s, here with a processor four times slower;
"near" has 40 ms and 20 Mbit/s. A picture is there when the grids of the page's HTML are painted, or
the canvas of each grid that the page shows has a pixel; it is live with the canvases. Requests and
compressed bytes are counted until then. Call ``make bundles`` first for
what the wheel and the image serve; a checkout without them serves single modules.
"""

import argparse
import os
import shutil
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.frame.opening import served  # noqa: E402  # so that it runs from any folder

PAGES = {"/": ["logical-view", "memory-view"], "/reorder": ["reorder-memory"], "/network": []}
FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
# Sets window.pictured and window.live, in milliseconds since the visit began; asks every 50 ms.
WATCH = """(() => {
    const wanted = %s;
    const drawn = (name) => {
        const canvas = document.querySelector(`${name} canvas:not(.rail)`);
        const pen = canvas?.width && canvas.getContext('2d');
        if (!pen) return false;
        const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value !== 0);
    };
    const there = () => wanted.length
        ? wanted.every(drawn)
        : document.querySelector('network-graph svg > *') !== null;
    let fromServer = false;
    const look = () => {
        const painted = performance.getEntriesByName('first-contentful-paint')[0];
        fromServer ||= document.querySelector('.first') !== null;
        if (painted && fromServer) window.pictured ??= painted.startTime;
        if (!document.body || !there()) return setTimeout(look, 50);
        window.live = performance.now();
        window.pictured ??= window.live;
    };
    look();
})();"""


@dataclass(frozen=True, slots=True)
class Network:
    """``round_trip_ms``, ``bytes_per_s`` and how many times slower the processor is."""

    name: str
    round_trip_ms: float
    bytes_per_s: float
    slower: int


NETWORKS = (
    Network("slow 4G, CPU / 4", 150, 1.6e6 / 8, 4),
    Network("near", 40, 20e6 / 8, 1),
)


@dataclass(frozen=True, slots=True)
class Visit:
    """What one visit took until its first picture."""

    seconds: float
    live_seconds: float
    requests: int
    kilobytes: float


def visit(browser: Browser, url: str, path: str, network: Network) -> Visit:
    """Open a page with an empty cache."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    tools = context.new_cdp_session(page)
    sizes: list[float] = []
    tools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    tools.send("Network.enable")
    tools.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": network.round_trip_ms,
            "downloadThroughput": network.bytes_per_s,
            "uploadThroughput": network.bytes_per_s,
        },
    )
    tools.send("Emulation.setCPUThrottlingRate", {"rate": network.slower})
    wanted: Any = PAGES[path]
    page.add_init_script(WATCH % wanted)
    page.goto(url + path, wait_until="commit")
    page.wait_for_function("() => window.live", timeout=120_000)
    seconds, live = page.evaluate("() => [window.pictured / 1000, window.live / 1000]")
    found = Visit(seconds, live, len(sizes), sum(sizes) / 1000)
    context.close()
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    table = Table(title=f"To the first picture, medians of {rounds}")
    for name in ("page", "network", "picture s", "live s", "requests", "kB compressed"):
        table.add_column(name, justify="left" if name in {"page", "network"} else "right")
    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        for network in NETWORKS:
            found: dict[str, list[Visit]] = {path: [] for path in PAGES}
            for _ in range(rounds):
                for path, visits in found.items():
                    visits.append(visit(browser, url, path, network))
            for path, visits in found.items():
                table.add_row(
                    path,
                    network.name,
                    f"{statistics.median(each.seconds for each in visits):.2f}",
                    f"{statistics.median(each.live_seconds for each in visits):.2f}",
                    f"{statistics.median(each.requests for each in visits):.0f}",
                    f"{statistics.median(each.kilobytes for each in visits):.0f}",
                )
        browser.close()
    Console().print(table)


if __name__ == "__main__":
    main()
