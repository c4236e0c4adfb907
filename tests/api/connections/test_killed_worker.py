"""`kill -9` of one of several workers of the server loses its own calls, and no others.

Nothing here depends on how fast the machine is. Which worker has a connection is known, because the
other one was stopped while it was made. A call runs for as long as half of its body is not sent.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import numpy as np

from tests.api.connections.served import HEALTH, PATIENCE_S, until
from tests.attack.program import rest
from tests.places import ROOT
from tests.ports import reserved_port

SIDE = 64
BODY = json.dumps({"source": {"shape": [SIDE, SIDE], "layout": "HW"}, "target": "WH"}).encode()
HEAD = (
    b"POST /api/v1/reorder HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(BODY)
)
TRANSPOSED = np.arange(SIDE * SIDE).reshape(SIDE, SIDE).T.ravel().tolist()


@dataclass(frozen=True, slots=True)
class Program:
    """``stridescope serve`` with two workers."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def alive(self) -> list[int]:
        """The workers that have not ended, as they started; none while one is not ready."""
        text = self.log.read_text("utf-8")
        assert self.process.poll() is None, text
        pids = [int(each) for each in re.findall(r"Started server process \[(\d+)\]", text)]
        ready = text.count("Application startup complete") == len(pids)
        return [each for each in pids if ready and state_of(each) not in {"", "Z"}]

    def two_workers(self) -> list[int]:
        """The workers, once both are ready."""
        until(lambda: len(self.alive()) == 2)
        return self.alive()


@contextmanager
def serving(folder: Path) -> Iterator[Program]:
    """The program. It does without Numba, which is not needed here and takes long to start."""
    (folder / "numba.py").write_text("raise ImportError\n")
    log = folder / "log"
    environment = {**os.environ, "PYTHONPATH": str(folder), "STRIDESCOPE_STOP_SECONDS": "0.5"}
    with reserved_port() as port, log.open("wb") as out:
        command = [sys.executable, "-m", "app.cli", "serve", "--workers", "2", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        try:
            yield Program(process, port, log)
        finally:
            for pid, _ in family(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()


def fields_of(pid: int) -> list[str]:
    """What the kernel says of a process, from its state on; nothing if there is none."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return []


def state_of(pid: int) -> str:
    return "".join(fields_of(pid)[:1])


def family(pid: int) -> set[tuple[int, str]]:
    """A process and all below it, each with the time of its start: a number may come again."""
    found = {int(each.name): fields_of(int(each.name)) for each in Path("/proc").glob("[0-9]*")}
    below = [pid]
    for one in below:
        below += [each for each, fields in found.items() if fields and int(fields[1]) == one]
    return {(each, found[each][19]) for each in below if found.get(each)}


def have_ended(processes: set[tuple[int, str]]) -> bool:
    """Whether none of them is left; one that has ended and that no one asked about has ended."""
    now = ((fields_of(pid), began) for pid, began in processes)
    return all(not fields or fields[0] == "Z" or fields[19] != began for fields, began in now)


def answer(wire: socket.socket) -> Any:
    """What the server answers with status 200."""
    response = HTTPResponse(wire)
    response.begin()
    assert response.status == 200
    return json.loads(response.read())


def begun(program: Program, *, other: int) -> socket.socket:
    """A call that the worker that is not ``other`` has begun to read."""
    os.kill(other, signal.SIGSTOP)
    try:
        until(lambda: state_of(other) == "T")
        wire = socket.create_connection(("127.0.0.1", program.port), PATIENCE_S)
        wire.sendall(HEALTH)
        assert answer(wire) == {"status": "ok"}
    finally:
        os.kill(other, signal.SIGCONT)
    wire.sendall(HEAD + BODY[:20])
    return wire


def finished(wire: socket.socket) -> bool:
    """Whether the rest of a call gets the right answer."""
    wire.sendall(BODY[20:])
    return bool(answer(wire)["values"] == TRANSPOSED)


def test_a_killed_worker_loses_its_own_calls_only(tmp_path: Path) -> None:
    with serving(tmp_path) as program, ExitStack() as wires:
        killed, other = program.two_workers()
        its_own = [wires.enter_context(begun(program, other=other)) for _ in range(2)]
        others = [wires.enter_context(begun(program, other=killed)) for _ in range(2)]

        had = family(killed)
        os.kill(killed, signal.SIGKILL)
        assert [rest(each) for each in its_own] == [b"", b""]
        assert finished(others[0])  # while there is one worker
        until(lambda: have_ended(had))

        kept, new = program.two_workers()
        assert kept == other
        assert finished(others[1])
        for each in (other, new):
            assert finished(wires.enter_context(begun(program, other=each)))

        # A call that never ends keeps nobody from stopping.
        never = wires.enter_context(begun(program, other=new))
        had = family(program.process.pid)
        program.process.terminate()
        assert rest(never) == b""
        assert program.process.wait(PATIENCE_S) == 0
        until(lambda: have_ended(had))
