"""Requests per second and latencies of the service, beside an empty FastAPI endpoint.

    python -m benchmarks.service.run [--seconds 0.5] [--rounds 5] [--connections 1 16 64]

Both run under uvicorn with the same settings. For each row they take turns, so that a busy moment
of the machine meets both; medians of the rounds are printed, and the ratio of the requests per
second of each round. "server µs" is the processor time of the server for one request, which other
work on the machine does not change much; the last column is the empty endpoint's part of it.
"client alone" is what the client reaches with a server of bare bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from rich.console import Console
from rich.table import Table

from app.api.encoding import encode
from app.api.strict_json import parse_json
from app.contract.answers import answer_describe
from app.contract.requests import Tensor
from benchmarks.service.client import Measured, ask

ROOT = Path(__file__).parents[2]
TENSOR: dict[str, Any] = {"shape": [2, 64, 56, 56], "layout": "NCHW4"}
PLAIN: dict[str, Any] = {"shape": [1, 8, 6, 6], "layout": "NHWC"}
GRAPH: dict[str, Any] = {
    "inputs": {"x": PLAIN},
    "nodes": [
        {"op": "relu", "inputs": ["x"], "outputs": ["a"]},
        {"op": "add", "inputs": ["a", "x"], "outputs": ["b"]},
    ],
}
POSTS: dict[str, dict[str, Any]] = {
    "describe": TENSOR,
    "read": {"text": "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"},
    "offsets": {"tensor": TENSOR, "coordinates": [[0, 1, 2, 3]]},
    "coordinates": {"tensor": TENSOR, "offsets": [0, 698]},
    "slice": {"tensor": PLAIN, "index": "0, ::-1, 1:3"},
    "view": {"tensor": PLAIN, "steps": [{"op": "permute", "dims": [0, 2, 3, 1]}]},
    "elementwise": {"operands": [PLAIN, PLAIN]},
    "propagate": {"graph": GRAPH, "rules": "pytorch-eager"},
    "arrange": {"graph": GRAPH},
    "offers": {"graph": GRAPH, "node": "a"},
    "plan": {"graph": GRAPH},
    "reorder": {"source": {"shape": [1, 8, 2, 2], "layout": "NCHW"}, "target": "NCHW4"},
    "cost": {"tensor": PLAIN, "walk": {}},
    "schedule": {
        "source": {"shape": [1, 8, 2, 2], "layout": "NCHW"},
        "target": "NHWC", "first": 0, "count": 4,
    },
}  # fmt: skip
QUERY = "/api/v1/describe?" + urlencode({"shape": "2,64,56,56", "layout": "NCHW4"})


def question(method: str, path: str, body: bytes = b"", *, more: str = "") -> bytes:
    """The bytes of a request, as a browser's fetch would send it."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n{more}"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def questions(etag: str) -> dict[str, tuple[bytes, str]]:
    """The request of each row, and the status of its answer."""
    rows = {
        f"POST /{name}": (question("POST", f"/api/v1/{name}", json.dumps(body).encode()), "200")
        for name, body in POSTS.items()
    }
    rows["GET /describe"] = (question("GET", QUERY), "200")
    rows["GET /describe, 304"] = (question("GET", QUERY, more=f"If-None-Match: {etag}\r\n"), "304")
    for path in ("/api/v1/formats", "/api/v1/networks", "/healthz", "/", "/static/core/shape.js"):
        rows[f"GET {path.removeprefix('/api/v1')}"] = (question("GET", path), "200")
    return rows


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs: its port and its process."""

    port: int
    pid: int

    def spent_s(self) -> float:
        """Seconds of processor time so far, of its children too where they have ended."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def ask(self, asked: bytes, status: str, count: int, seconds: float) -> Measured:
        """Ask it for some seconds, and note what it spent."""
        before = self.spent_s()
        measured = ask(self.port, asked, status, count, seconds)
        measured.server_s = self.spent_s() - before
        return measured


@contextmanager
def served(*command: str) -> Iterator[Server]:
    """A server on a free port; ``PORT`` in the command stands for it."""
    port = _free_port()
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


def _milliseconds(rounds: list[Measured], part: float) -> str:
    return f"{1000 * median(m.quantile(part) for m in rounds):.2f}"


def in_process(rounds: int) -> Table:
    """Milliseconds of describe without HTTP: a layout never seen, and one seen before."""
    chance = random.Random(1)  # noqa: S311  # not for secrets
    table = Table("layout", "cold p50", "cold p99", "seen before", title="describe in process, ms")

    def call(body: bytes) -> float:
        began = time.perf_counter()
        encode(answer_describe(Tensor.model_validate(parse_json(body))))
        return time.perf_counter() - began

    for layout in ("NCHW", "NHWC", "NCHW4", "nChw16c", "channels_last", "OIhw4i16o4i"):
        cold: list[float] = []
        body = b""
        for _ in range(40 * rounds):
            shape = [chance.randrange(2, 400) for _ in range(4)]
            body = json.dumps({"shape": shape, "layout": layout}).encode()
            cold.append(call(body))
        cold.sort()
        seen = median(call(body) for _ in range(100))
        p50, p99 = cold[len(cold) // 2], cold[int(0.99 * len(cold))]
        table.add_row(layout, *(f"{1000 * each:.3f}" for each in (p50, p99, seen)))
    return table


def main() -> None:
    """Measure all in turn and print the tables."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("--seconds", type=float, default=0.5)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--connections", type=int, nargs="+", default=[1, 16, 64])
    reader.add_argument("--only", default="", help="rows whose name contains this")
    given = reader.parse_args()
    console = Console(width=110)
    console.print(in_process(given.rounds))
    empty_question = question("GET", "/empty")
    with (
        served(*uvicorn("app.main:app")) as ours,
        served(*uvicorn("benchmarks.service.empty:app")) as empty,
        served("-m", "benchmarks.service.empty", "PORT") as bare,
    ):
        tag = _etag(ours.port)
        for count in given.connections:
            table = Table(
                "call", "requests/s", "p50 ms", "p99 ms", "of empty", "server µs", "of empty",
                title=f"{count} connection{'s' * (count > 1)}",
            )  # fmt: skip
            client = bare.ask(empty_question, "200", count, given.seconds)
            table.add_row("client alone", f"{client.per_second:.0f}")
            for name, (asked, status) in questions(tag).items():
                if given.only not in name:
                    continue
                mine, theirs = [], []
                for _ in range(given.rounds):
                    theirs.append(empty.ask(empty_question, "200", count, given.seconds))
                    mine.append(ours.ask(asked, status, count, given.seconds))
                pairs = list(zip(mine, theirs, strict=True))
                ratio = median(a.per_second / b.per_second for a, b in pairs)
                part = sum(b.each_us for b in theirs) / sum(a.each_us for a in mine)
                wrong = sum(m.wrong for m in mine)
                table.add_row(
                    name + (f" ({wrong} not {status})" if wrong else ""),
                    f"{median(m.per_second for m in mine):.0f}",
                    _milliseconds(mine, 0.5),
                    _milliseconds(mine, 0.99),
                    f"{ratio:.2f}",
                    f"{median(m.each_us for m in mine):.0f}",
                    f"{part:.2f}",
                )
            console.print(table)


def _etag(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        wire.sendall(question("GET", QUERY, more="Connection: close\r\n"))
        received = b""
        while piece := wire.recv(1 << 16):
            received += piece
    head = received.split(b"\r\n\r\n")[0].decode().lower()
    return next(x.split(": ", 1)[1] for x in head.split("\r\n") if x.startswith("etag: "))


if __name__ == "__main__":
    main()
