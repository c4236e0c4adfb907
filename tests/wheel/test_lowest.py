"""The wheel beside the lowest versions that its metadata allows: requirements/lowest.lock."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.wheel.conftest import ROOT, Installed, install, serving

LOCK = ROOT / "requirements" / "lowest.lock"
PAGES = ("/", "/reorder", "/network", "/docs", "/openapi.json", "/metrics", "/api/v1/limits")


@pytest.fixture(scope="module")
def lowest(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of the lowest versions."""
    found = install(tmp_path_factory, "--require-hashes", "--requirement", str(LOCK))
    pip = [sys.executable, "-m", "pip", "--python", str(found.programs.parent), "install"]
    subprocess.run([*pip, "--quiet", "--no-deps", str(wheel)], check=True, timeout=900)
    return found


def test_the_lock_has_the_floors_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["dependencies"]
    for extra in ("fast", "onnx", "cluster"):
        wanted = wanted + project["optional-dependencies"][extra]
    locked = dict(re.findall(r"^([\w-]+)==([\w.]+)", LOCK.read_text("utf-8"), re.MULTILINE))
    for each in wanted:
        name, floor = re.match(r"([\w-]+)(?:>=|==)([\w.]+)", each).groups()  # type: ignore[union-attr]  # a floor each
        padded = floor.split(".") + ["0"] * 3
        assert locked[name].split(".")[:3] == padded[: len(locked[name].split("."))][:3], each


def test_commands_run(lowest: Installed) -> None:
    lowest.run("stridescope", "--help")
    answer = json.loads(lowest.run("stridescope", "describe", "2,6,3,3", "NCHW4", "--json"))
    assert answer["physical_shape"] == [2, 2, 3, 3, 4]
    assert "no reorders" in lowest.run("stridescope", "network", "resnet-50", "--plan")


def test_pages_and_calls_are_served(lowest: Installed) -> None:
    with serving(lowest) as client:
        assert [client.get(path).status_code for path in PAGES] == [200] * len(PAGES)
        body = {"source": {"shape": [2, 3], "layout": "HW"}, "target": "WH"}
        answer = client.post("/api/v1/reorder", json=body).json()
        assert answer["values"] == [0, 3, 1, 4, 2, 5]
