"""The service in a process of its own, its memory, and how fast it says that it is alive."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.places import ROOT
from tests.ports import reserved_port

START_S = 120
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
_EVERY_S = 0.02
_QUIET_LOOKS = 5
# States of connections, by the kernel's numbers.
_ENDED = {"06", "07", "0A"}  # waiting it out, closed, listening
_SAID = {"05"}  # all was sent and taken, the end among it


@dataclass(slots=True)
class Program:
    """A running service. ``settings``: as create_app takes them. ``rest_bytes``: held at rest."""

    port: int
    process: subprocess.Popen[bytes]
    settings: dict[str, Any]
    rest_bytes: int = 0

    def connect(self, *, window: int | None = None, timeout_s: float = 300) -> socket.socket:
        """A bare connection."""
        wire = socket.socket()
        if window is not None:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        wire.settimeout(timeout_s)
        try:
            wire.connect(("127.0.0.1", self.port))
        except BaseException:
            wire.close()
            raise
        return wire

    def ask(self, request: bytes, *, timeout_s: float = 300) -> bytes:
        """The answer to a request, until the server closes; what came of it if it was cut off."""
        with self.connect(timeout_s=timeout_s) as wire:
            with suppress(BrokenPipeError, ConnectionResetError):
                wire.sendall(request)
            return rest(wire)

    def lost_workers(self) -> int:
        """How many workers have died in a call so far."""
        figures = self.ask(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return int(float(figures.split(b"\nstridescope_workers_lost_total ")[1].split(b"\n")[0]))

    def callers(self) -> set[int]:
        """The ports of all connections that the service, or the system for it, has not closed.

        A caller that reads nothing is not told of the end, for its window has no room for that.
        """
        found = set()
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            local, remote = (int(fields[at].rpartition(":")[2], 16) for at in (1, 2))
            # Without an inode it is the system's alone, which waits for nothing but the other side.
            ended = fields[3] in _ENDED or (fields[3] in _SAID and fields[9] == "0")
            if local == self.port and not ended:
                found.add(remote)
        return found

    def settle(self) -> None:
        """Wait until it has loaded what it loads in the background; then it is at rest.

        On a busy machine it has few turns, so it must have computed nothing for a while.
        """
        quiet, last_s, ends_s = 0, -1.0, time.monotonic() + START_S
        while quiet < _QUIET_LOOKS and time.monotonic() < ends_s:
            time.sleep(0.2)
            spent_s = self.processor_s()
            quiet = quiet + 1 if spent_s <= last_s + 0.02 else 0
            last_s = spent_s
        self.rest_bytes = self.memory_bytes()

    def processor_s(self) -> float:
        """What all its processes have computed so far."""
        total = 0
        for pid in self.family():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def family(self) -> list[int]:
        """The process and all processes below it."""
        parents: dict[int, int] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                parents[int(stat.parent.name)] = int(fields[1])
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def memory_bytes(self) -> int:
        """What all its processes hold; shared pages count once."""
        return sum(map(_held_bytes, self.family()))

    def disk_bytes(self) -> int:
        """Blocks of the temporary files that it has open, which have no name."""
        sizes_bytes = {}
        for each in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(OSError):
                if str(each.readlink()).startswith(f"{tempfile.gettempdir()}/"):
                    found = each.stat()
                    sizes_bytes[found.st_ino] = found.st_blocks * 512
        return sum(sizes_bytes.values())


def _held_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    return 0


def rest(wire: socket.socket) -> bytes:
    """What a connection still brings until it is closed or reset."""
    received = []
    with suppress(ConnectionResetError):
        while piece := wire.recv(1 << 20):
            received.append(piece)
    return b"".join(received)


@contextmanager
def started(**settings: Any) -> Iterator[Program]:
    """The service by the command of `make run`, with these settings."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STRIDESCOPE_")}
    for name, value in settings.items():
        environment[f"STRIDESCOPE_{name.upper()}"] = str(value)
    with reserved_port() as port:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app.main:app", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        yield from _serving(Program(port, process, settings))


def _serving(program: Program) -> Iterator[Program]:
    process = program.process
    try:
        deadline_s = time.monotonic() + START_S
        while True:
            assert process.poll() is None
            assert time.monotonic() < deadline_s
            with suppress(OSError), program.connect(timeout_s=1) as wire:
                wire.sendall(HEALTH)
                if wire.recv(1 << 12).startswith(b"HTTP/1.1 200"):
                    break
            time.sleep(0.05)
        program.settle()
        yield program
    finally:
        process.kill()
        process.wait()


def stop(program: Program) -> float:
    """Seconds from signal 15 to the end of the process."""
    began_s = time.monotonic()
    program.process.send_signal(signal.SIGTERM)
    program.process.wait(30)
    return time.monotonic() - began_s


@dataclass(slots=True)
class Watch:
    """What was seen while something ran: the most memory and disk, and delays of /healthz.

    ``pauses_s``: how much longer another process took, on the same machine, that sleeps 20 ms and
    computes for 5: what of a delay is the machine's.
    """

    program: Program
    most_bytes: int = 0
    most_disk_bytes: int = 0
    delays_s: list[float] = field(default_factory=list)
    pauses_s: list[float] = field(default_factory=list)
    failures: int = 0
    lost_workers: int = 0
    seconds: float = 0

    @property
    def growth_bytes(self) -> int:
        """The most memory above that of the service at rest."""
        return self.most_bytes - self.program.rest_bytes

    def delay_s(self, share: float) -> float:
        """The delay of /healthz that this share of the calls did not exceed."""
        return _quantile(self.delays_s, share)

    def pause_s(self, share: float) -> float:
        """The same of the machine's part."""
        return _quantile(self.pauses_s, share)


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


_SLEEPER = """
import sys, time
while True:
    began, spent = time.monotonic(), time.process_time()
    time.sleep(0.02)
    while time.process_time() < spent + 0.005:
        pass
    print(time.monotonic() - began - 0.025, flush=True)
"""

# A process of its own, which no attack keeps from its turn. It ends with its standard input.
_ASKER = """
import select, socket, sys, time
port, every_s, patience_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
while not select.select([sys.stdin], [], [], every_s)[0]:
    began = sent = time.monotonic()
    answer = b""
    try:
        # A connection of its own each time, as a balancer's check has.
        with socket.create_connection(("127.0.0.1", port), 120) as wire:
            wire.sendall(sys.argv[4].encode())
            sent = time.monotonic()
            answer = wire.recv(4096)
    except OSError:
        pass
    # The service may give up a caller that connects and then has no turn of the machine.
    good = answer.startswith(b"HTTP/1.1 200") or sent - began > patience_s
    print(time.monotonic() - began, int(good), flush=True)
"""


@contextmanager
def watching(program: Program) -> Iterator[Watch]:
    """Watch memory, disk and /healthz until the block ends."""
    found = Watch(program)
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            found.most_bytes = max(found.most_bytes, program.memory_bytes())
            found.most_disk_bytes = max(found.most_disk_bytes, program.disk_bytes())

    patience_s = program.settings["head_seconds"] / 2
    told = [str(program.port), str(_EVERY_S), str(patience_s), HEALTH.decode()]
    sleeper = subprocess.Popen([sys.executable, "-c", _SLEEPER], stdout=subprocess.PIPE, text=True)
    asker = subprocess.Popen(
        [sys.executable, "-c", _ASKER, *told],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    thread = threading.Thread(target=look, daemon=True)
    lost_workers = program.lost_workers()
    began_s = time.monotonic()
    thread.start()
    try:
        yield found
    finally:
        found.seconds = time.monotonic() - began_s
        found.lost_workers = program.lost_workers() - lost_workers
        ended.set()
        thread.join()
        for line in asker.communicate()[0].splitlines():
            delay_s, good = line.split()
            found.delays_s.append(float(delay_s))
            found.failures += good == "0"
        sleeper.kill()
        found.pauses_s = [float(line) for line in sleeper.communicate()[0].splitlines()[:-1]]
