"""The wheel, and an environment that holds it and what it asks for, nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser.conftest import browser_type_launch_args

__all__ = ["browser_type_launch_args"]

ROOT = Path(__file__).parents[2]
_LEADS_TO_THE_CHECKOUT = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True)
class Installed:
    """``programs``: the environment's bin. ``elsewhere``: an empty folder to run them in."""

    programs: Path
    elsewhere: Path

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.programs / "python"

    @property
    def packages(self) -> Path:
        """Its site-packages."""
        (found,) = self.programs.parent.glob("lib/python*/site-packages")
        return found

    @property
    def environment(self) -> dict[str, str]:
        """Variables that lead to no checkout."""
        return {k: v for k, v in os.environ.items() if k not in _LEADS_TO_THE_CHECKOUT}

    def run(self, program: str, *arguments: str) -> str:
        """What ``program`` of the environment prints, run elsewhere; it must end well."""
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.elsewhere,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    """The wheel of a checkout or of an sdist, built in ``folder`` with the tools of `.venv`."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, cwd=folder, check=True, timeout=900)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with the bundles of its pages, as a wheel is released."""
    copy = tmp_path_factory.mktemp("checkout")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    (copy / "node_modules").symlink_to(ROOT / "node_modules")
    command = [sys.executable, str(copy / "deploy" / "bundle.py")]
    subprocess.run(command, cwd=copy, check=True, timeout=900)
    return copy


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of that checkout."""
    return build_wheel(checkout, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel as ``pip install`` puts it into an empty environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", str(wheel)]
    for command in (venv, pip):
        subprocess.run(command, cwd=folder, check=True, timeout=900)
    return Installed(folder / "bin", tmp_path_factory.mktemp("elsewhere"))
