"""The installed wheel answers, in an environment and a folder that know no checkout."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.ports import reserved_port
from tests.wheel.conftest import ROOT, Installed

START_LIMIT_S = 120
CLIENT = Path(__file__).with_name("client.py")
EXAMPLES = """
import doctest, stridescope
runner = doctest.DocTestRunner()
for name in ["", *stridescope.__all__]:
    value = getattr(stridescope, name) if name else stridescope
    for test in doctest.DocTestFinder().find(value, name or "stridescope", globs={}):
        runner.run(test)
print(runner.summarize().failed, runner.tries > len(stridescope.__all__))
"""
CUDA = """
from importlib import resources
files = resources.files("stridescope.engine.reorder.cuda")
print((files / "kernels.cu").read_text("utf-8"), end="")
"""


def project() -> dict[str, str]:
    """The table ``project`` of pyproject.toml."""
    table: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def test_the_package_has_its_name_alone(installed: Installed) -> None:
    names = {path.name for path in installed.packages.iterdir()}
    assert "stridescope" in names
    assert not names & {"app", "static", "templates", "setup.py"}


def test_it_imports_as_stridescope(installed: Installed) -> None:
    code = "import stridescope as s; print(s.__file__, s.__version__, sep='\\n')"
    path, version = installed.run("python", "-c", code).splitlines()
    assert Path(path) == installed.packages / "stridescope" / "__init__.py"
    assert version == project()["version"]


def test_a_users_program_runs(installed: Installed) -> None:
    program = shutil.copy(CLIENT, installed.elsewhere)
    assert installed.run("python", str(program)) == "as expected\n"


def test_a_users_program_is_typed(installed: Installed, tmp_path: Path) -> None:
    """mypy is the checkout's; what it reads is the environment's, by its ``py.typed``."""
    program = shutil.copy(CLIENT, tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(program)]
    command += ["--cache-dir", str(tmp_path), "--python-executable", str(installed.python)]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=installed.environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_examples_of_the_docstrings_are_true(installed: Installed) -> None:
    assert installed.run("python", "-c", EXAMPLES).endswith("0 True\n")


def test_the_example_of_the_readme_runs(installed: Installed) -> None:
    examples = re.findall(r"^```python\n(.+?)^```", (ROOT / "README.md").read_text("utf-8"),
                          re.MULTILINE | re.DOTALL)  # fmt: skip
    assert examples
    for code in examples:
        installed.run("python", "-c", code)


def test_the_gpus_kernels_are_there(installed: Installed) -> None:
    source = ROOT / "app" / "engine" / "reorder" / "cuda" / "kernels.cu"
    assert installed.run("python", "-c", CUDA) == source.read_text("utf-8")


def test_the_command_line_describes(installed: Installed) -> None:
    answer = json.loads(installed.run("stridescope", "describe", "2,6,3,3", "NCHW4", "--json"))
    assert answer["physical_shape"] == [2, 2, 3, 3, 4]
    assert "padded" in installed.run("stridescope", "describe", "2,6,3,3", "NCHW4")


@pytest.fixture(scope="module")
def explorer(installed: Installed) -> Iterator[httpx2.Client]:
    """A client of ``stridescope serve``, run by the environment in a process of its own."""
    with reserved_port() as port:
        server = subprocess.Popen(
            [installed.programs / "stridescope", "serve"],
            cwd=installed.elsewhere,
            env=installed.environment | {"HOST": "127.0.0.1", "PORT": str(port)},
            stderr=subprocess.PIPE,
            text=True,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            with httpx2.Client(base_url=url, timeout=START_LIMIT_S) as client:
                wait_until_healthy(client, server)
                yield client
            server.send_signal(signal.SIGINT)
            _, log = server.communicate(timeout=START_LIMIT_S)
        finally:
            server.kill()
    assert "Finished server process" in log
    assert "Traceback" not in log


def wait_until_healthy(client: httpx2.Client, server: subprocess.Popen[str]) -> None:
    """Return once /healthz answers."""
    deadline_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline_s:
        assert server.poll() is None, server.communicate()[1]
        try:
            assert client.get("/healthz").json() == {"status": "ok"}
        except httpx2.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")


def test_the_explorer_and_all_that_it_names_are_served(explorer: httpx2.Client) -> None:
    page = explorer.get("/")
    assert page.status_code == 200
    assert "<stride-explorer" in page.text
    named = set(re.findall(r'(?:href|src)="/(static/[^"]+)"', page.text))
    assert len(named) > 20
    for path in sorted(named):
        answer = explorer.get(f"/{path}")
        assert answer.status_code == 200, path
        file = re.sub(r"^static/v-[0-9a-f]{16}/", "static/", path)
        assert answer.content == (ROOT / file).read_bytes(), path


def test_a_layout_is_described_over_http(explorer: httpx2.Client) -> None:
    query = {"shape": "2,6,3,3", "layout": "NCHW4"}
    answer = explorer.get("/api/v1/describe", params=query).json()
    assert answer["physical_shape"] == [2, 2, 3, 3, 4]
    body = {"source": {"shape": [2, 3], "layout": "HW"}, "target": "WH"}
    answer = explorer.post("/api/v1/reorder", json=body).json()
    assert answer["values"] == [0, 3, 1, 4, 2, 5]


def test_the_api_says_its_version(explorer: httpx2.Client) -> None:
    assert explorer.get("/docs").status_code == 200
    assert explorer.get("/openapi.json").json()["info"]["version"] == project()["version"]
