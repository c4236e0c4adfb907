"""``show`` in a notebook that a real Jupyter ran, opened by JupyterLab and from a file."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import conftest as browser_tests
from tests.places import ROOT
from tests.ports import reserved_port

JUPYTER = ROOT / ".venv-docs" / "bin" / "jupyter"
PICTURES = ROOT / "build" / "notebook"  # to be looked at
START_LIMIT_S = 120
browser_type_launch_args = browser_tests.browser_type_launch_args  # the same chromium
# PyTorch is what `make conformance` installs; what Jupyter's own environment has comes first.
[LIBRARIES] = (ROOT / ".venv-conformance").glob("lib/python*/site-packages")
CELLS = [
    "import numpy as np\nfrom stridescope import show\nbase = np.zeros((2, 4, 5, 3), np.float32)",
    f"import sys\nsys.path.append({str(LIBRARIES)!r})\nimport torch",
    "show(torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)[:, 1:])",
    "show(np.lib.stride_tricks.sliding_window_view(base[0, 0, :, 0].copy(), 3))",
    "show(np.broadcast_to(np.arange(3), (4, 3)))",
    "show(base, base[0, 1:3], base[1].T)",
]
# What the line below the live grids says of each; tensors of one memory are a picture alone.
SAID = ["2 × 2 × 4 × 5, float32", "3 × 3, float32", "4 × 3, int64"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Jupyter's own folders, empty, so that nothing is trusted; the checkout's package."""
    home = str(tmp_path_factory.mktemp("home"))
    names = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    return {**os.environ, **dict.fromkeys(names, home), "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """A notebook that was executed: as it is, trusted, and as HTML."""
    folder = tmp_path_factory.mktemp("notebook")
    empty: dict[str, object] = {"metadata": {}, "outputs": [], "execution_count": None}
    cells = [
        {"cell_type": "code", "id": f"cell{at}", "source": source, **empty}
        for at, source in enumerate(CELLS)
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "asked.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    steps = [
        ("nbconvert", "--to", "notebook", "--execute", "--output", "plain.ipynb", "asked.ipynb"),
        ("nbconvert", "--to", "html", "--output", "page.html", "plain.ipynb"),
    ]
    for step in steps:
        subprocess.run([JUPYTER, *step], cwd=folder, env=environment, check=True)
    executed = (folder / "plain.ipynb").read_text(encoding="utf-8")
    # A signature is of the contents: another text keeps the first notebook without one.
    (folder / "trusted.ipynb").write_text(executed.replace("cell0", "first"), encoding="utf-8")
    subprocess.run([JUPYTER, "trust", "trusted.ipynb"], cwd=folder, env=environment, check=True)
    return folder


@pytest.fixture(scope="module")
def lab(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """JupyterLab on the loopback; yields its address."""
    with reserved_port() as port:
        command = [str(JUPYTER), "lab", "--no-browser", "--allow-root", f"--port={port}"]
        options = ["--IdentityProvider.token=", "--ServerApp.password=", "--port-retries=0"]
        with (folder / "lab.log").open("w") as log:
            server = subprocess.Popen(
                [*command, *options], cwd=folder, env=environment, stdout=log, stderr=log
            )
            try:
                _await(f"http://127.0.0.1:{port}/api", folder / "lab.log")
                yield f"http://127.0.0.1:{port}"
            finally:
                server.terminate()
                server.wait()


def _await(url: str, log: Path) -> None:
    end = time.monotonic() + START_LIMIT_S
    while True:
        try:
            with urlopen(url):  # noqa: S310  # on the loopback
                return
        except OSError:
            if time.monotonic() > end:
                pytest.fail(log.read_text(encoding="utf-8"))
            time.sleep(0.2)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in which nothing outside the loopback is asked for."""
    context = browser.new_context(viewport={"width": 1440, "height": 4000})
    context.route("**/*", lambda route: route.continue_() if _is_here(route) else route.abort())
    yield context.new_page()
    context.close()


def _is_here(route: object) -> bool:
    url = str(getattr(route, "request").url)  # noqa: B009  # playwright's route, of any kind
    return url.startswith(
        ("http://127.0.0.1", "ws://127.0.0.1", "file:", "data:", "blob:", "about:")
    )


def _shows_pictures(page: Page, within: str) -> None:
    """Each of the four outputs has its picture, decoded."""
    images = page.locator(f"{within} img[src^='data:image/svg']")
    expect(images).to_have_count(4, timeout=60_000)
    for image in images.all():
        image.scroll_into_view_if_needed()
        assert image.evaluate("each => each.decode().then(() => each.naturalWidth)") > 100


def _shows_live_grids(page: Page, within: str) -> None:
    frames = page.locator(f"{within} iframe[srcdoc]")
    expect(frames).to_have_count(len(SAID), timeout=60_000)
    for at, said in enumerate(SAID):
        frame = page.frame_locator(f"{within} iframe[srcdoc] >> nth={at}")
        expect(frame.get_by_role("status")).to_have_text(said, timeout=60_000)


@pytest.mark.parametrize("name", ["plain", "trusted"])
def test_jupyterlab_shows_the_tensors(page: Page, lab: str, name: str) -> None:
    page.goto(f"{lab}/lab/workspaces/{name}/tree/{name}.ipynb")
    outputs = ".jp-Notebook .jp-OutputArea-output"
    _shows_pictures(page, outputs)
    if name == "trusted":
        _shows_live_grids(page, outputs)
    else:
        expect(page.locator(f"{outputs} iframe")).to_have_count(0)
    page.screenshot(path=PICTURES / f"jupyterlab-{name}.png")


def test_nbconvert_s_page_works_from_a_file(page: Page, folder: Path) -> None:
    page.goto((folder / "page.html").as_uri())
    _shows_pictures(page, "body")
    _shows_live_grids(page, "body")
    page.screenshot(path=PICTURES / "nbconvert.png")
