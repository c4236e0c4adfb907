"""What lies in the wheel and in the sdist: every file of the program, under its new name."""

import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

from tests.places import ROOT
from tests.wheel.conftest import build_wheel

PLACES = {
    "app": "stridescope",
    "static": "stridescope/static",
    "templates": "stridescope/templates",
}
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def contents(wheel: Path) -> dict[str, bytes]:
    """Every file of a wheel by its name."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sources(root: Path) -> dict[str, bytes]:
    """Every file of the program by the name that it has in the wheel."""
    return {
        f"{place}/{path.relative_to(root / folder).as_posix()}": path.read_bytes()
        for folder, place in PLACES.items()
        for path in (root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_the_version_and_holds_the_program_alone(wheel: Path, checkout: Path) -> None:
    found = {n: c for n, c in contents(wheel).items() if ".dist-info/" not in n}
    wanted = sources(checkout)
    assert sorted(found) == sorted(wanted)
    assert found == wanted
    assert {"stridescope/py.typed", "stridescope/engine/reorder/cuda/kernels.cu"} <= set(found)
    assert "stridescope/static/bundles/index.json" in found
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert wheel.name == f"stridescope-{project['version']}-py3-none-any.whl"


def test_the_sdist_makes_the_same_wheel(wheel: Path, checkout: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SDIST, str(tmp_path)]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True, timeout=900)
    (sdist,) = tmp_path.glob("*.tar.gz")
    assert contents(build_wheel(sdist, tmp_path)) == contents(wheel)
    # A build leaves nothing in the checkout.
    left = [path.name for path in checkout.iterdir() if path.suffix == ".egg-info"]
    assert not left
    assert not (checkout / "build").exists()
