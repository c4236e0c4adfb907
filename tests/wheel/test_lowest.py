"""The wheel beside the lowest versions that its metadata allows: requirements/lowest.lock."""

import json
import re
import tomllib

from tests.places import ROOT
from tests.wheel.conftest import LOCK, Installed, serving

PAGES = ("/", "/reorder", "/network", "/docs", "/openapi.json", "/metrics", "/api/v1/limits")


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


def test_commands_and_pages_work_beside_the_extras(installed: Installed) -> None:
    """The other tests of the wheel have the lowest versions too, without the extras."""
    installed.install("--require-hashes", "--requirement", str(LOCK))
    installed.run("stridescope", "--help")
    answer = json.loads(installed.run("stridescope", "describe", "2,6,3,3", "NCHW4", "--json"))
    assert answer["physical_shape"] == [2, 2, 3, 3, 4]
    assert "no reorders" in installed.run("stridescope", "network", "resnet-50", "--plan")
    with serving(installed) as client:
        assert [client.get(path).status_code for path in PAGES] == [200] * len(PAGES)
        body = {"source": {"shape": [2, 3], "layout": "HW"}, "target": "WH"}
        answer = client.post("/api/v1/reorder", json=body).json()
        assert answer["values"] == [0, 3, 1, 4, 2, 5]
