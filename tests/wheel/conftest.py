"""The wheel, and an environment that holds it and what it asks for, nothing else."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.ports import reserved_port

START_LIMIT_S = 120
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


def install(places: pytest.TempPathFactory, *what: str) -> Installed:
    """What ``pip install`` puts into an empty environment.

    Without bytecode: compiling all modules of all libraries takes half as long again, and a
    process compiles the few that it imports.
    """
    folder = places.mktemp("environment")
    venv = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    pip += ["--no-compile", *what]
    for command in (venv, pip):
        subprocess.run(command, cwd=folder, check=True, timeout=900)
    return Installed(folder / "bin", places.mktemp("elsewhere"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own."""
    return install(tmp_path_factory, str(wheel))


@contextmanager
def serving(installed: Installed) -> Iterator[httpx2.Client]:
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
                _wait_until_healthy(client, server)
                yield client
            server.send_signal(signal.SIGINT)
            _, log = server.communicate(timeout=START_LIMIT_S)
        finally:
            server.kill()
    assert "Finished server process" in log
    assert "Traceback" not in log


def _wait_until_healthy(client: httpx2.Client, server: subprocess.Popen[str]) -> None:
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
