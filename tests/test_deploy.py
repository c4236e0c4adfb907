"""What is deployed names settings and metrics that exist, and keeps what the program needs."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from app.engine.reorder.kernels import store as kernel_store
from app.settings import Settings
from deploy import prune, sbom
from tests.places import ROOT

PROGRAM_BYTES = 1 << 30  # a replica and its workers, at rest 0.3 to 0.6 GB
DEPLOYED = ("compose.yaml", "deploy/kubernetes.yaml", "Dockerfile", "SECURITY.md")


@pytest.mark.parametrize("name", DEPLOYED)
def test_it_names_settings_that_exist(name: str) -> None:
    known = {f"STRIDESCOPE_{field.upper()}" for field in Settings.model_fields}
    known.add(kernel_store.VARIABLE)
    named = set(re.findall(r"STRIDESCOPE_[A-Z_]+", (ROOT / name).read_text("utf-8")))
    assert named
    assert named <= known


def test_the_dashboard_draws_metrics_that_exist(client: TestClient) -> None:
    client.get("/healthz")
    families = text_string_to_metric_families(client.get("/metrics").text)
    known = {sample.name for family in families for sample in family.samples}
    board = json.loads((ROOT / "deploy/metrics/dashboards/stridescope.json").read_text("utf-8"))
    asked = " ".join(each["expr"] for panel in board["panels"] for each in panel["targets"])
    named = set(re.findall(r"(?:stridescope|process)_\w+", asked))
    assert len(named) >= 4
    assert named <= known


def test_pruning_keeps_what_a_program_reads(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    kept = ["a/__init__.py", "a/data.json", "a/testing/x.py", "a/lib.so.1", "numpy/lib/x.py"]
    gone = ["a/tests/x.py", "a/x.pyi", "a/include/x.h", "a/__pycache__/x.pyc", "numpy/f2py/x.py"]
    for name in (*kept, *gone):
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    shutil.copy(packages / "a/lib.so.1", packages / "a/lib.so.1.2")
    prune.remove(packages)
    prune.link_copies(packages)
    left = {str(path.relative_to(packages)) for path in packages.rglob("*") if path.is_file()}
    assert left == {*kept, "a/lib.so.1.2"}
    assert (packages / "a/lib.so.1.2").is_symlink()


def test_the_list_of_what_is_inside_is_that_of_the_images_python() -> None:
    lock = (ROOT / "requirements/runtime.lock").read_text("utf-8")
    locked = re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)
    for python in ("3.11", "3.12", "3.13"):
        names = [each.name for each in sbom.packages(lock, python)]
        assert set(locked) - set(names) == {"colorama"}  # for Windows alone
        assert len(names) == len(set(names)), python  # one numpy of the two
    # What is inside is needed by something inside.
    said = sbom.document(sbom.python_of_base())
    needs = {each["ref"]: each["dependsOn"] for each in said["dependencies"]}
    reached, waiting = set(), [said["metadata"]["component"]["bom-ref"]]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += needs[name]
    assert reached == needs.keys()
    assert reached == {each["bom-ref"] for each in said["components"]} | {"stridescope"}


def test_the_label_of_the_version_is_the_programs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"ARG VERSION={project['version']}\n" in (ROOT / "Dockerfile").read_text("utf-8")


def test_replicas_have_memory_for_all_that_settings_let_them_hold() -> None:
    replica = (ROOT / "compose.yaml").read_text("utf-8").split("\n  proxy:")[0]
    temporary = int(*re.findall(r'MAX_TEMPORARY_BYTES: "(\d+)"', replica))
    memory = int(*re.findall(r"memory: (\d+)g", replica)) << 30
    settings = Settings()
    # Files in memory and temporary ones, which are in memory too, and what the program itself has.
    held = settings.max_memory_bytes + settings.max_file_memory_bytes + temporary
    assert held + PROGRAM_BYTES <= memory
    assert temporary <= int(*re.findall(r":size=(\d+)g", replica)) << 30
