"""Make the pictures of the README, docs/*.png, with the program itself.

Run it as ``python docs/screenshot.py`` from the project's virtual environment.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
# By name, the page, and what is on it once it is drawn.
PICTURES = {
    "explorer.png": (
        "/?shape=1,6,4,5&layout=NCHW4&at=0,2,1,2",  # the second example
        "memory-view[side=a] canvas[data-cell_css]",
    ),
    "reorder.png": (
        "/reorder?shape=1,6,4,6&layout=NCHW&b-layout=NCHW4&step=74",
        "reorder-registers canvas[aria-label]",
    ),
    "network.png": ("/network?preset=inception-block", "network-graph svg .box"),
}
SIZE = {"width": 1440, "height": 900}
START_LIMIT_S = 30


def main() -> int:
    """Serve on a free port, draw, write the picture; the process's exit code."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("chromium is missing: run .ci/system as root\n")
        return 1
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", "app.main:app", "--log-level", "warning"]
    command += ["--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT)  # noqa: S603 - this interpreter, no input
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/healthz")
        for name, (path, drawn) in PICTURES.items():
            draw(chromium, url + path, drawn, ROOT / "docs" / name)
    finally:
        server.terminate()
        server.wait()
    return 0


def wait_for(url: str) -> None:
    """Return once ``url`` answers. TimeoutError if it does not."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline_s:
        try:
            with urlopen(url, timeout=2):  # noqa: S310 - our own server, started above
                return
        except URLError:
            time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer within {START_LIMIT_S} s")


def draw(chromium: str, url: str, drawn: str, target: Path) -> None:
    """Write the picture of the page at ``url`` to ``target``, once ``drawn`` is on the page."""
    # Chromium refuses its sandbox to root, and only to root.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    arguments = ["--disable-gpu", "--disable-quic", "--disable-background-networking", *sandbox]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()  # type: ignore[arg-type]  # a literal size
        page.goto(url)
        page.locator(drawn).first.wait_for()
        page.wait_for_load_state("networkidle")
        page.evaluate("() => Promise.all(document.getAnimations().map((each) => each.finished))")
        page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
