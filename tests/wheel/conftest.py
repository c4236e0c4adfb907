"""The wheel, and an environment that holds it and what it asks for, nothing else."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from benchmarks.load.replicas import Replica
from tests.places import ROOT
from tests.ports import reserved_port

START_LIMIT_S = 120
LOCK = ROOT / "requirements" / "lowest.lock"
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

    def install(self, *what: str) -> None:
        """``pip install`` into it.

        Without bytecode: compiling all modules of all libraries takes half as long again, and a
        process compiles the few that it imports.
        """
        pip = [sys.executable, "-m", "pip", "--python", str(self.programs.parent), "install"]
        pip += ["--quiet", "--no-compile", *what]
        subprocess.run(pip, cwd=self.elsewhere, check=True, timeout=900)

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
    """The wheel and what it asks for, in the lowest versions that its metadata allows."""
    locked = re.findall(r"^[\w-]+==.*(?= \\$)", LOCK.read_text("utf-8"), re.MULTILINE)
    constraints = tmp_path_factory.mktemp("lowest") / "constraints.txt"
    constraints.write_text("\n".join(locked), "utf-8")
    folder = tmp_path_factory.mktemp("environment")
    venv = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(venv, check=True, timeout=900)
    found = Installed(folder / "bin", tmp_path_factory.mktemp("elsewhere"))
    found.install("--constraint", str(constraints), str(wheel))
    return found


@contextmanager
def serving(installed: Installed) -> Iterator[httpx2.Client]:
    """A client of ``stridescope serve``, run by the environment in a process of its own."""
    log, command = installed.elsewhere / "log", str(installed.programs / "stridescope")
    elsewhere = ("env", f"--chdir={installed.elsewhere}")
    with reserved_port() as port:
        server = Replica(port, log, (*elsewhere, command, "serve"), installed.environment)
        try:
            server.start()
            server.wait(START_LIMIT_S)
            with httpx2.Client(base_url=server.url, timeout=START_LIMIT_S) as client:
                assert client.get("/healthz").json() == {"status": "ok"}
                yield client
            assert server.process is not None
            server.process.send_signal(signal.SIGINT)
            server.process.wait(START_LIMIT_S)
        finally:
            server.kill()
    said = log.read_text("utf-8")
    assert "Finished server process" in said
    assert "Traceback" not in said
