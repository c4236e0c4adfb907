"""The installed wheel answers, in an environment and a folder that know no checkout."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.places import ROOT
from tests.wheel.conftest import Installed, serving

CLIENT = Path(__file__).with_name("client.py")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_it_imports_as_stridescope_alone(installed: Installed) -> None:
    names = {path.name for path in installed.packages.iterdir()}
    assert "stridescope" in names
    assert not names & {"app", "static", "templates", "setup.py"}
    code = "import stridescope as s; print(s.__file__, s.__version__, sep='\\n')"
    path, version = installed.run("python", "-c", code).splitlines()
    assert Path(path) == installed.packages / "stridescope" / "__init__.py"
    assert version == VERSION


def test_the_examples_of_the_readme_run(installed: Installed) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    examples = re.findall(r"^```python\n(.+?)^```", readme, re.MULTILINE | re.DOTALL)
    assert examples
    installed.run("python", "-c", "\n".join(examples))


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


@pytest.fixture(scope="module")
def explorer(installed: Installed) -> Iterator[httpx2.Client]:
    """A client of the installed program."""
    with serving(installed) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/reorder", "/network"])
def test_a_page_and_the_bundles_that_it_names_are_served(
    explorer: httpx2.Client, installed: Installed, path: str
) -> None:
    page = explorer.get(path)
    assert page.status_code == 200
    named = set(re.findall(r'(?:href|src)="/(static/[^"]+)"', page.text))
    assert 4 <= len(named) <= 6
    for each in sorted(named):
        answer = explorer.get(f"/{each}")
        assert answer.status_code == 200, each
        file = re.sub(r"^static/v-[0-9a-f]{16}/", "static/", each)
        assert answer.content == (installed.packages / "stridescope" / file).read_bytes(), each


def test_a_layout_is_described_over_http(explorer: httpx2.Client) -> None:
    query = {"shape": "2,6,3,3", "layout": "NCHW4"}
    answer = explorer.get("/api/v1/describe", params=query).json()
    assert answer["physical_shape"] == [2, 2, 3, 3, 4]
    body = {"source": {"shape": [2, 3], "layout": "HW"}, "target": "WH"}
    answer = explorer.post("/api/v1/reorder", json=body).json()
    assert answer["values"] == [0, 3, 1, 4, 2, 5]
    assert explorer.get("/openapi.json").json()["info"]["version"] == VERSION
