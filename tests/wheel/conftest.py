"""The wheel, and an environment that holds it and what it asks for, nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel as ``pip install`` puts it into an empty environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", str(wheel)]
    for command in (venv, pip):
        subprocess.run(command, cwd=folder, check=True, timeout=900)
    return Installed(folder / "bin", tmp_path_factory.mktemp("elsewhere"))
