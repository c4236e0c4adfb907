"""A live server, Debian's chromium and axe for the browser tests."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.explorer import DESK, Explorer, listen, one_page
from tests.browser.networks import Networks
from tests.browser.pages import Pages
from tests.places import ROOT
from tests.ports import reserved_port

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
START_LIMIT_S = 120
# Longer than anything that comes takes on a busy machine; only a test that fails waits so long.
EXPECT_MS = 60_000
CHROMIUM_ARGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No page of a test lives long enough to win back what the optimising compilers take.
    "--js-flags=--no-maglev --no-opt",
]
WCAG_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


# What passes is not collected: that and its way here would take six times as long as the checks.
RUN_AXE = """async ([within, tags]) => {
    const wanted = {
        runOnly: {type: 'tag', values: tags}, resultTypes: ['violations'], selectors: false,
    };
    const {violations} = await axe.run(within, wanted);
    return violations.map(({id, help, nodes}) => ({id, help, nodes: nodes.map(({html}) => html)}));
}"""
expect.set_options(timeout=EXPECT_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any],
) -> dict[str, Any]:
    """Launch options for Debian's chromium; a missing one fails, with what to install.

    The same engine without a window's parts comes first: it takes a third less time.
    """
    chromium = (
        os.environ.get("CHROMIUM")
        or shutil.which("chromium-headless-shell")
        or shutil.which("chromium")
    )
    if chromium is None:
        pytest.fail(
            "chromium is missing: run .ci/system as root, or sudo apt-get install "
            "--no-install-recommends chromium-headless-shell fonts-dejavu-core",
            pytrace=False,
        )
    # Chromium refuses its sandbox to root, and only to root.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": [*browser_type_launch_args.get("args", []), *CHROMIUM_ARGS, *sandbox],
    }


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The program with bundles, as it is released, on a free port; yields its URL, no final slash.

    A page of single modules costs browser and server twice as much. It does without Numba: no page
    needs it, and its kernels take longer to load than many tests.
    """
    copy = tmp_path_factory.mktemp("program")
    for name in ("app", "deploy", "static", "templates"):
        shutil.copytree(ROOT / name, copy / name)
    shutil.copy2(ROOT / "pyproject.toml", copy)
    (copy / "node_modules").symlink_to(ROOT / "node_modules")
    subprocess.run([sys.executable, "deploy/bundle.py"], cwd=copy, check=True, timeout=900)
    first = tmp_path_factory.mktemp("first")
    (first / "numba.py").write_text("raise ImportError\n")
    with reserved_port() as port, TemporaryFile("w+") as log:
        url = f"http://127.0.0.1:{port}"
        server = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app.main:app", "--port", str(port)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(first)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_healthy(server, url, log)
            yield url
        finally:
            server.terminate()
            try:
                server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@pytest.fixture(scope="session")
def base_url(live_server: str) -> str:
    """Lets a test write ``page.goto("/")``."""
    return live_server


@pytest.fixture(scope="session")
def pages(browser: Browser, live_server: str) -> Iterator[Pages]:
    """Where every page is opened; its contexts are closed at the end of the run."""
    opened = Pages(browser, live_server)
    yield opened
    for context in opened.contexts.values():
        context.close()


@pytest.fixture
def new_page(pages: Pages, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """``new_page(viewport=…, color_scheme=…, has_touch=…)``: a page for one test."""
    opened: list[Page] = []
    failed = request.session.testsfailed

    def run(**options: Any) -> Page:
        opened.append(pages.open(**options))
        return opened[-1]

    yield run
    for page in opened:
        pages.close(page, again=request.session.testsfailed == failed)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of the usual size, instead of the plugin's, which has a new context each time.

    The same one for many tests: what lasts in it is done by ``hear`` and ``lasting``.
    """
    return new_page()


@pytest.fixture(scope="module")
def shared(pages: Pages) -> Iterator[Explorer]:
    """One page for a file of tests, each of which begins with a link of its own."""
    with one_page(pages) as explorer:
        yield explorer


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[dict[str, Any]]]:
    """``axe(page, within="main")`` runs axe-core for WCAG 2.2 AA; returns the violations."""
    if not AXE.is_file():
        pytest.fail("axe-core is missing: run npm ci", pytrace=False)
    source = AXE.read_text(encoding="utf-8")

    def run(page: Page, within: str = "html") -> list[dict[str, Any]]:
        # Evaluated, not added as a script element: the pages' policy forbids inline scripts.
        if not page.evaluate("typeof axe === 'object'"):
            page.evaluate(source)
        found: list[dict[str, Any]] = page.evaluate(RUN_AXE, [within, WCAG_TAGS])
        return found

    return run


def _wait_until_healthy(server: subprocess.Popen[bytes], url: str, log: IO[str]) -> None:
    deadline_s = time.monotonic() + START_LIMIT_S
    while server.poll() is None and time.monotonic() < deadline_s:
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/healthz", timeout=10).is_success:
                return
        time.sleep(0.1)
    log.seek(0)
    pytest.fail(f"the server did not start:\n{log.read()}", pytrace=False)


@pytest.fixture
def networks(page: Page) -> Iterator[Networks]:
    page.set_viewport_size(DESK)
    said = listen(page)
    yield Networks(page)
    assert said == []
