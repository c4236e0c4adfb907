"""Requests per second and latencies of the service, beside an empty FastAPI endpoint.

    python -m benchmarks.service.run [--seconds 0.5] [--rounds 5] [--connections 1 16 64]

First processor time of describe without HTTP: of layouts never seen, and of the worst texts. Then
every call, at each number of connections. Both servers run under uvicorn with the same settings.
For each row they take turns, so that a busy moment of the machine meets both; medians of the rounds
are printed, and the ratio of the requests per second of each round. "server µs" is the processor
time of the server and of its workers for one request, which other work on the machine does not
change much; the last column is the empty endpoint's part of it. "never seen": each request names
another layout. "client alone" is what the client reaches with a server of bare bytes.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

from rich.console import Console
from rich.table import Table

from app.api.answers import encode
from app.contract.answers import answer_describe
from app.contract.requests import TensorJson
from app.files.strict_json import parse_json
from benchmarks.load.proxy import free_port
from benchmarks.load.replicas import tree
from benchmarks.service.client import Measured, ask
from benchmarks.service.questions import (
    LAYOUTS,
    NEVER_SEEN,
    Row,
    describe_question,
    never_seen,
    question,
    rows,
)
from tests.engine.description.worst_texts import TEXTS

ROOT = Path(__file__).parents[2]
_KERNELS_READY = b"\nstridescope_kernels_ready 1.0\n"
_READY_LIMIT_S = 300  # kernels that are not on disk are compiled first


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs: its port and its process."""

    port: int
    pid: int

    def spent_s(self) -> float:
        """Seconds of processor time so far, of its workers too."""
        return sum(map(_spent_s, tree(self.pid)))

    def ask(self, asked: Iterator[bytes], status: str, count: int, seconds: float) -> Measured:
        """Ask it for some seconds, and note what it spent."""
        before = self.spent_s()
        measured = ask(self.port, asked, status, count, seconds)
        measured.server_s = self.spent_s() - before
        return measured

    def wait_for_kernels(self) -> None:
        """Return when no kernel is compiled or loaded any more. Errors: TimeoutError."""
        until = time.monotonic() + _READY_LIMIT_S
        while time.monotonic() < until:
            with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
                if _KERNELS_READY in answer.read():
                    return
            time.sleep(0.2)
        raise TimeoutError


def _spent_s(pid: int) -> float:
    """Seconds of a process, and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:  # it has ended meanwhile: its parent has its time
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(*command: str) -> Iterator[Server]:
    """A server on a free port; ``PORT`` in the command stands for it."""
    port = free_port()
    filled = [part.replace("PORT", str(port)) for part in command]
    process = subprocess.Popen(
        [sys.executable, *filled], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait()


def uvicorn(application: str) -> tuple[str, ...]:
    """The command of a server, with its log as it is by default."""
    return ("-m", "uvicorn", application, "--port", "PORT")


def _milliseconds(rounds: Sequence[Measured], part: float) -> str:
    return f"{1000 * median(m.quantile(part) for m in rounds):.2f}"


def _spent_ms(tensor: dict[str, Any]) -> float:
    """Milliseconds of the processor for one description, from the bytes to the bytes."""
    body = json.dumps(tensor).encode()
    began = time.thread_time()
    encode(answer_describe(TensorJson.model_validate(parse_json(body))))
    return 1000 * (time.thread_time() - began)


def in_process(rounds: int) -> Table:
    """Processor time of describe without HTTP: layouts never seen, and layouts seen before."""
    title = "describe in process, ms of the processor"
    table = Table("layout", "cold p50", "cold p99", "seen before", title=title)
    tensors = list(islice(never_seen(3), 40 * rounds * len(LAYOUTS)))
    for layout in LAYOUTS:
        these = [each for each in tensors if each["layout"] == layout]
        cold = sorted(map(_spent_ms, these))
        seen = median(_spent_ms(these[-1]) for _ in range(100))
        p50, p99 = cold[len(cold) // 2], cold[int(0.99 * len(cold))]
        table.add_row(layout, *(f"{each:.3f}" for each in (p50, p99, seen)))
    return table


def worst_texts(rounds: int) -> Table:
    """Processor time of the texts that cost most, each with buffers never seen."""
    title = "describe of the worst texts, ms of the processor"
    table = Table("text", "characters", "first", "median", title=title)
    for name, (shape, text) in TEXTS.items():
        spent = [
            _spent_ms({"shape": shape, "layout": text, "elements": (1 << 60) + at})
            for at in range(4 * rounds)
        ]
        table.add_row(name, str(len(text)), f"{spent[0]:.1f}", f"{median(spent):.1f}")
    return table


def _measure(
    row: Row, ours: Server, empty: Server, count: int, given: argparse.Namespace
) -> tuple[str, ...]:
    """The cells of one row."""
    nothing = repeat(question("GET", "/empty"))
    mine, theirs = [], []
    if NEVER_SEEN not in row.name:  # its answer is kept, or its worker is there
        ours.ask(row.asked, row.status, count, 0)
    for _ in range(given.rounds):
        theirs.append(empty.ask(nothing, "200", count, given.seconds))
        mine.append(ours.ask(row.asked, row.status, count, given.seconds))
    pairs = list(zip(mine, theirs, strict=True))
    ratio = median(a.per_second / b.per_second for a, b in pairs)
    wrong = sum(m.wrong for m in mine)
    each_us, empty_us = (
        1e6 * sum(m.server_s for m in some) / sum(len(m.seconds) for m in some)
        for some in (mine, theirs)
    )
    return (
        row.name + (f" ({wrong} not {row.status})" if wrong else ""),
        f"{median(m.per_second for m in mine):.0f}",
        _milliseconds(mine, 0.5),
        _milliseconds(mine, 0.99),
        f"{ratio:.2f}",
        f"{each_us:.0f}",
        f"{empty_us / each_us:.2f}",
    )


def main() -> None:
    """Measure all in turn and print the tables."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("--seconds", type=float, default=0.5)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--connections", type=int, nargs="+", default=[1, 16, 64])
    reader.add_argument("--only", default="", help="rows whose name contains this")
    given = reader.parse_args()
    console = Console(width=110)
    if not given.only:
        console.print(in_process(given.rounds), worst_texts(given.rounds))
    with (
        served(*uvicorn("app.main:app")) as ours,
        served(*uvicorn("benchmarks.service.empty:app")) as empty,
        served("-m", "benchmarks.service.empty", "PORT") as bare,
    ):
        ours.wait_for_kernels()
        found = list(rows(_etag(ours.port)))
        for count in given.connections:
            table = Table(
                "call",
                "requests/s",
                "p50 ms",
                "p99 ms",
                "of empty",
                "server µs",
                "of empty",
                title=f"{count} connection{'s' * (count > 1)}",
            )
            client = bare.ask(repeat(question("GET", "/empty")), "200", count, given.seconds)
            table.add_row("client alone", f"{client.per_second:.0f}")
            for row in found:
                if given.only in row.name:
                    table.add_row(*_measure(row, ours, empty, count, given))
            console.print(table)


def _etag(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        wire.sendall(describe_question(more="Connection: close\r\n"))
        received = b""
        while piece := wire.recv(1 << 16):
            received += piece
    head = received.split(b"\r\n\r\n")[0].decode().lower()
    return next(x.split(": ", 1)[1] for x in head.split("\r\n") if x.startswith("etag: "))


if __name__ == "__main__":
    main()
