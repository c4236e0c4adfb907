"""`kill -9` of one of several workers of the server loses its own connections, and nothing else."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.connections.served import HEALTH, until

START_S = 60
CONNECTIONS = 16


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, int]]:
    """A server with two workers: its port and its process."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = ["uvicorn", "app.main:app", "--workers", "2", "--fd", str(listener.fileno())]
        command += ["--timeout-keep-alive", str(START_S)]
        program = subprocess.Popen(
            [sys.executable, "-m", *command, "--log-level", "critical"],
            pass_fds=[listener.fileno()],
            # No connection ends while the others are made.
            env={**os.environ, "STRIDESCOPE_IDLE_SECONDS": str(START_S)},
        )
        try:
            yield listener.getsockname()[1], program.pid
        finally:
            program.terminate()
            program.wait(START_S)


def children(process: int) -> list[int]:
    """What a process has started, from any of its threads."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for one in lists for each in one.read_text(encoding="ascii").split()]


def workers(server: int) -> set[int]:
    """The processes of the server that accept connections."""
    return {each for each in children(server) if "spawn_main" in command_of(each)}


def command_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return ""


def sockets(process: int) -> set[str]:
    """The inodes of the sockets that a process has open."""
    found = set()
    for each in Path(f"/proc/{process}/fd").iterdir():
        try:
            target = str(each.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            found.add(target[len("socket:[") : -1])
    return found


def inode_at_server(wire: socket.socket) -> str:
    """The server's end of a connection, as the kernel lists it."""
    here, there = (f":{name[1]:04X}" for name in (wire.getsockname(), wire.getpeername()))
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        _, local, remote, *others = line.split()
        if local.endswith(there) and remote.endswith(here):
            return others[6]
    raise AssertionError(wire)


def answers(wire: socket.socket) -> bool:
    """Whether the other side still answers."""
    try:
        wire.sendall(HEALTH)
        return wire.recv(1 << 12).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False


def connected(port: int) -> socket.socket:
    wire = socket.create_connection(("127.0.0.1", port), START_S)
    assert answers(wire)
    return wire


def test_a_killed_worker_loses_only_its_own_connections(server: tuple[int, int]) -> None:
    port, program = server
    connected(port).close()
    until(lambda: len(workers(program)) == 2, START_S)
    first, second = sorted(workers(program))
    wires: list[socket.socket] = []
    try:
        while len(wires) < CONNECTIONS:
            wires.append(connected(port))
        inodes = [inode_at_server(each) for each in wires]
        of_first = [each in sockets(first) for each in inodes]
        killed = first if any(of_first) else second
        lost = [mine == (killed == first) for mine in of_first]
        os.kill(killed, signal.SIGKILL)
        until(lambda: killed not in workers(program))
        assert [not answers(each) for each in wires] == lost
    finally:
        for each in wires:
            each.close()
    for _ in range(CONNECTIONS):
        connected(port).close()
    until(lambda: len(workers(program)) == 2, START_S)


def test_what_the_killed_worker_had_started_ends_with_it(server: tuple[int, int]) -> None:
    port, program = server
    until(lambda: len(workers(program)) == 2, START_S)
    wire = connected(port)
    owner = next(each for each in workers(program) if inode_at_server(wire) in sockets(each))
    until(lambda: children(owner), START_S)
    started = children(owner)
    os.kill(owner, signal.SIGKILL)
    until(lambda: not any(map(command_of, started)), START_S)
    assert not answers(wire)
    wire.close()
