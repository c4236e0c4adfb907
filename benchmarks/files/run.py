"""Round trips of a file through POST /reorder/file, compared with an echo of the same bytes.

    python benchmarks/files/run.py [--megabytes 64] [--rounds 9] [--memory-megabytes 256]

Starts the program in its own process, and a second process that receives as many bytes over a
socket and sends them back. One client calls both in turn over connections that stay open. The
first and the last answer of each case are checked against NumPy's. Prints median times, and the
median ratio of the echo's time to the program's in the same round: 1 means that the reorder costs
nothing beside the transfer.
"""

import argparse
import http.client
import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
ECHO = "--echo"
AIM = 0.7


@dataclass(frozen=True, slots=True)
class Case:
    """One file: its kind, the layouts, and the same reorder in NumPy (``expected``)."""

    kind: str
    dtype: str
    source: str
    target: str
    channels: int
    expected: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]


def blocked(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """NCHW to N, C/32, H, W, 32."""
    n, c, h, w = values.shape
    return values.reshape(n, c // 32, 32, h, w).transpose(0, 1, 3, 4, 2)


CASES = [
    Case("raw", "float32", "NCHW", "NCHW", 64, lambda x: x),
    Case("raw", "float32", "NCHW", "NHWC", 64, lambda x: x.transpose(0, 2, 3, 1)),
    Case("npy", "float32", "NCHW", "NHWC", 64, lambda x: x.transpose(0, 2, 3, 1)),
    Case("npy", "float32", "NCHW", "NCHW32", 64, blocked),
    Case("npy", "float16", "NCHW", "NCHW32", 64, blocked),
    Case("npy", "int8", "NCHW", "NHWC", 64, lambda x: x.transpose(0, 2, 3, 1)),
]


def values_of(case: Case, size_bytes: int) -> npt.NDArray[Any]:
    """An NCHW tensor of about ``size_bytes``."""
    dtype = np.dtype(case.dtype)
    side = 128
    images = max(1, size_bytes // (case.channels * side * side * dtype.itemsize))
    count = images * case.channels * side * side
    # A pattern that shows if a wrong copy exchanges bytes.
    pattern = np.arange(count, dtype=np.uint32).astype(np.uint64) * 2654435761 % 251
    return pattern.astype(dtype).reshape(images, case.channels, side, side)


def body_of(case: Case, values: npt.NDArray[Any]) -> bytes:
    """The file as the client sends it."""
    if case.kind == "raw":
        return values.tobytes()
    written = io.BytesIO()
    np.save(written, values)
    return written.getvalue()


def receive_into(connection: socket.socket, view: memoryview) -> None:
    """Fill ``view`` from the socket."""
    at = 0
    while at < len(view):
        got = connection.recv_into(view[at:])
        if not got:
            raise SystemExit("the other side has closed the connection")
        at += got


def echo(size_bytes: int) -> None:
    """The echo: receive ``size_bytes`` and send them back, until the client closes.

    It receives into new memory each time, as a server does that keeps none between requests.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        connection, _ = server.accept()
        with connection:
            while True:
                content = np.empty(size_bytes, np.uint8).data
                try:
                    receive_into(connection, content)
                except SystemExit:
                    return
                connection.sendall(content)


@contextmanager
def echo_connection(size_bytes: int) -> Iterator[socket.socket]:
    """A connection to an echo in its own process."""
    command = [sys.executable, str(Path(__file__)), ECHO, str(size_bytes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as connection:
            yield connection


@contextmanager
def program(memory_bytes: int) -> Iterator[int]:
    """Start the program under uvicorn; its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {
        "STRIDESCOPE_MAX_FILE_MEMORY_BYTES": str(memory_bytes),
        # The connections wait for each other, longer than a server lets strangers.
        "STRIDESCOPE_IDLE_SECONDS": "600",
        "STRIDESCOPE_HEAD_SECONDS": "600",
    }
    command = [sys.executable, "-m", "uvicorn", "app.main:app", "--port", str(port)]
    quiet = ["--log-level", "warning", "--timeout-keep-alive", "120"]
    with subprocess.Popen([*command, *quiet], cwd=ROOT, env=environment) as process:
        try:
            wait_until_ready(port)
            yield port
        finally:
            process.terminate()


def wait_until_ready(port: int) -> None:
    """Wait until /readyz returns 200."""
    for _ in range(300):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the program did not start")


class Caller:
    """One case over one connection."""

    def __init__(self, case: Case, port: int, size_bytes: int) -> None:
        values = values_of(case, size_bytes)
        self.case, self.body = case, body_of(case, values)
        self.expected = case.expected(values).tobytes()
        self.connection = socket.create_connection(("127.0.0.1", port))
        shape = ",".join(map(str, values.shape))
        query = f"shape={shape}&source={case.source}&target={case.target}"
        dtype = f"&dtype={case.dtype}" if case.kind == "raw" else ""
        self.head = (
            f"POST /api/v1/reorder/file?format={case.kind}&{query}{dtype} HTTP/1.1\r\n"
            f"Host: localhost\r\nContent-Length: {len(self.body)}\r\n\r\n"
        ).encode()
        self.answer = bytearray(len(self.body) + 4096)

    def ask(self) -> float:
        """Seconds of one round trip. The answer is as long as the file: no case has padding."""
        began = time.perf_counter()
        self.connection.sendall(self.head)
        self.connection.sendall(self.body)
        got = self.connection.recv_into(self.answer)
        begin = self.answer.find(b"\r\n\r\n", 0, got) + 4
        receive_into(self.connection, memoryview(self.answer)[got : begin + len(self.body)])
        seconds = time.perf_counter() - began
        if not self.answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{self.case}: {self.answer[:400]!r}")
        self.end = begin + len(self.body)
        return seconds

    def check(self) -> None:
        """Stop if the last answer differs from NumPy's result."""
        if not self.answer[: self.end].endswith(self.expected):
            raise SystemExit(f"{self.case}: a wrong answer")


def ask_echo(connection: socket.socket, content: memoryview) -> float:
    """Seconds of one echo, received into ``content`` again."""
    began = time.perf_counter()
    connection.sendall(content)
    receive_into(connection, content)
    return time.perf_counter() - began


def main() -> None:
    """Call all in turn and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--memory-megabytes", type=int, default=256)
    arguments = parser.parse_args()
    size_bytes = arguments.megabytes << 20
    content = memoryview(bytearray(size_bytes))
    with program(arguments.memory_megabytes << 20) as port, echo_connection(size_bytes) as wire:
        callers = [Caller(case, port, size_bytes) for case in CASES]
        for caller in callers:  # the first request makes the plan and touches new memory
            caller.ask()
            caller.check()
        ask_echo(wire, content)
        seconds: list[list[float]] = [[] for _ in callers]
        echoes: list[list[float]] = [[] for _ in callers]
        for _ in range(arguments.rounds):
            for caller, own, beside in zip(callers, seconds, echoes, strict=True):
                beside.append(ask_echo(wire, content))
                own.append(caller.ask())
        for caller in callers:
            caller.check()
    table = Table(title=f"{arguments.megabytes} MB there and back, {arguments.rounds} rounds")
    for heading in ("file", "dtype", "from", "to", "ms", "echo ms", "ratio", f">= {AIM}"):
        table.add_column(heading, justify="left" if heading in {"file", "dtype"} else "right")
    for caller, own, beside in zip(callers, seconds, echoes, strict=True):
        case = caller.case
        ratio = median(e / s for e, s in zip(beside, own, strict=True))
        milliseconds = (f"{1000 * median(times):.0f}" for times in (own, beside))
        met = "yes" if ratio >= AIM else "no"
        table.add_row(
            case.kind, case.dtype, case.source, case.target, *milliseconds, f"{ratio:.2f}", met
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    if sys.argv[1:2] == [ECHO]:
        echo(int(sys.argv[2]))
    else:
        main()
