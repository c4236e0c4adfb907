"""Processes of the program on loopback, and what they take."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .proxy import free_port

_ROOT = Path(__file__).parents[2]
SERVE = (sys.executable, "-m", "app.cli", "serve")
_STOP_LIMIT_S = 15


@dataclass(slots=True)
class Replica:
    """One replica on ``port``, which may be stopped and started again."""

    port: int
    log: Path
    command: Sequence[str] = SERVE
    environment: Mapping[str, str] | None = None
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    def made(cls, log: Path) -> Replica:
        """Return one of this checkout on a free port, not yet started."""
        return cls(free_port(), log)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the program; its output is appended to the log."""
        told = {"HOST": "127.0.0.1", "PORT": str(self.port)}
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self.command,
                cwd=_ROOT,
                env={**(os.environ if self.environment is None else self.environment), **told},
                stdout=out,
                stderr=out,
            )

    def wait(self, limit_s: float = 60) -> float:
        """Return the seconds until /healthz answers. Errors: TimeoutError, with the log."""
        begin_s = time.monotonic()
        while time.monotonic() - begin_s < limit_s:
            if self.process is None or self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=1):
                    return time.monotonic() - begin_s
            except OSError:
                time.sleep(0.02)
        raise TimeoutError(self.log.read_text(errors="replace"))

    def kill(self) -> None:
        """End the program without warning, as kill -9 does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self) -> float:
        """End the program by SIGTERM; return the seconds until it is gone."""
        if self.process is None or self.process.poll() is not None:
            return 0.0
        begin_s = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        return time.monotonic() - begin_s

    def memory_bytes(self) -> int:
        """Return the resident memory of the program and all that it started; 0 if it is gone."""
        if self.process is None or self.process.poll() is not None:
            return 0
        return sum(_resident(pid) for pid in tree(self.process.pid))


def tree(pid: int) -> list[int]:
    """Return a process and all that it started and that run still."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:  # the task has ended meanwhile
            continue
        for child in children:
            found += tree(int(child))
    return found


def _resident(pid: int) -> int:
    """Return the proportional memory of a process: what it shares is divided by its sharers."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
