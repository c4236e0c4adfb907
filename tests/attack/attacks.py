"""The attacks: each returns the statuses that were answered, and raises where one has won."""

import os
import re
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

from tests.attack import requests
from tests.attack.program import Program, rest, started, stop

Statuses = Counter[str]
STOP_S = 10


@dataclass(frozen=True, slots=True)
class Scale:
    """How hard: of the long form, or of the short one.

    ``idle_s``: the service's limit for whatever is idle; ``slack_s``: what a busy machine adds.
    """

    clients: int
    side: int
    body_bytes: int
    addresses: int
    texts: int
    sockets: int
    header_bytes: int
    file_side: int
    idle_s: float
    slack_s: float


LONG = Scale(60, 2048, 64 << 20, 500_000, 3000, 130, 200 << 20, 4096, 6, 20)
SHORT = Scale(10, 1024, 4 << 20, 40_000, 150, 40, 8 << 20, 1024, 2, 120)


def status(answer: bytes) -> str:
    """The status of an answer; ``closed`` if none came."""
    return answer[9:12].decode() if answer.startswith(b"HTTP/1.1 ") else "closed"


def all_of(program: Program, asked: Iterable[bytes], at_once: int = 16) -> Statuses:
    """Send all requests, so many at a time."""
    with ThreadPoolExecutor(at_once) as pool:
        return Counter(status(each) for each in pool.map(program.ask, asked))


@contextmanager
def held(
    program: Program, count: int, sent: bytes, *, window: int | None = None
) -> Iterator[list[socket.socket]]:
    """So many connections that have sent the same and do no more."""
    with ExitStack() as open_:
        wires = []
        for _ in range(count):
            wire = open_.enter_context(program.connect(window=window))
            with suppress(OSError):
                wire.sendall(sent)
            wires.append(wire)
        yield wires


def until_closed(program: Program, wires: Sequence[socket.socket], within_s: float) -> Statuses:
    """Wait until the service has closed every connection, none of which reads anything."""
    ends_s = time.monotonic() + within_s
    ports = {wire.getsockname()[1] for wire in wires}
    while still := ports & program.callers():
        assert time.monotonic() < ends_s, f"{len(still)} of {len(wires)} still open"
        time.sleep(0.05)
    return Counter({"closed": len(wires)})


def unread_answers(program: Program, scale: Scale) -> Statuses:
    """Short calls with long answers, whose callers never read."""
    asked = requests.wide_slice(scale.side)
    with held(program, scale.clients, asked, window=1 << 12) as wires:
        # They wait for each other: a worker has one at a time.
        within_s = program.settings["call_seconds"] + 4 * scale.idle_s + scale.slack_s
        return until_closed(program, wires, within_s)


def long_integers(program: Program, scale: Scale) -> Statuses:
    """Integers of thousands of digits."""
    return all_of(program, [requests.long_integers(scale.body_bytes // 8)] * 4)


def longest_answers(program: Program, scale: Scale) -> Statuses:
    """Answers and refusals of as many entries as `/limits` promises, one after the other."""
    found = all_of(program, requests.longest_answers(scale.side**2 - 1), 1)
    assert found["200"] == 4, found
    return found


def many_labels(program: Program, scale: Scale) -> Statuses:
    """77 bytes that ask for millions of numbers, all at once."""
    return all_of(program, [requests.labels(scale.side // 2)] * (scale.clients + 4), 64)


def hard_addresses(program: Program, scale: Scale) -> Statuses:
    """Addresses that each need a long search; one call of many, many of few."""
    many = [requests.interleaved(scale.addresses // 125)] * (scale.clients // 2)
    return all_of(program, [requests.interleaved(scale.addresses), *many], 32)


def unknown_names(program: Program, scale: Scale) -> Statuses:
    """An object of millions of unknown names; its refusal is short."""
    answer = program.ask(requests.unknown_names(scale.body_bytes // 2))
    assert len(answer) < 20_000
    return Counter([status(answer)])


def deep_brackets(program: Program, scale: Scale) -> Statuses:
    """Millions of lists in lists."""
    asked = [
        requests.brackets(scale.body_bytes, 400),
        requests.brackets(scale.body_bytes, 1),
        requests.brackets(scale.body_bytes, 100_000),
    ]
    return all_of(program, asked)


def slow_sockets(program: Program, scale: Scale) -> Statuses:
    """Nothing, half a head, half a body, one byte a second."""
    within_s = 4 * scale.idle_s + scale.slack_s
    each = scale.sockets // 4
    part = requests.head("describe", 100) + b"{"
    with (
        held(program, each, b"") as idle,
        held(program, each, b"GET / HTTP/1.1\r\nHo") as heads,
        held(program, each, part) as bodies,
        held(program, each, b"GET / HTTP/1.1\r\nX: ") as slow,
    ):
        ends_s = time.monotonic() + within_s
        ports = {wire.getsockname()[1] for wire in slow}
        while ports & program.callers():
            assert time.monotonic() < ends_s, "a byte now and then keeps a connection"
            for wire in slow:
                with suppress(OSError):
                    wire.send(b"x")
            time.sleep(min(1, scale.idle_s / 4))
        return until_closed(program, [*idle, *heads, *bodies], within_s)


def long_header(program: Program, scale: Scale) -> Statuses:
    """A header that does not end."""
    with program.connect() as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        piece = b"a" * (1 << 18)
        with suppress(OSError):
            for _ in range(scale.header_bytes // len(piece)):
                wire.sendall(piece)
        return Counter([status(rest(wire))])


def stalled_downloads(program: Program, scale: Scale) -> Statuses:
    """Reordered files that nobody takes."""
    content = requests.npy(scale.file_side)
    sent = requests.post(requests.FILE, content, media=requests.OCTETS)
    with held(program, 12, b"", window=1 << 12) as wires:
        with ThreadPoolExecutor(12) as pool:
            for wire in wires:
                pool.submit(wire.sendall, sent)  # which may be cut off
        return until_closed(program, wires, 6 * scale.idle_s + scale.slack_s)


def declared_files(program: Program, scale: Scale) -> Statuses:
    """Files that are declared as two gigabytes and never come; others are served meanwhile."""
    header = requests.npy(1).replace(b"(1, 1)", b"(16384, 32767)")[:128]
    length = len(header) + 16384 * 32767 * 4
    part = requests.head(requests.FILE, length, media=requests.OCTETS) + header + b"1"
    with held(program, 3, part) as wires:
        time.sleep(0.3)
        assert program.disk_bytes() < 256 << 20
        small = requests.post(requests.FILE, requests.npy(512), media=requests.OCTETS)
        assert status(program.ask(small)) == "200"
        return until_closed(program, wires, 4 * scale.idle_s + scale.slack_s)


def heavy_operands(program: Program, scale: Scale) -> Statuses:
    """Operands whose texts take long to read."""
    return all_of(program, [requests.heavy_operands()] * (scale.clients // 5))


def hostile_texts(program: Program, scale: Scale) -> Statuses:
    """Bodies and files with a few other bytes; numbers at every edge."""
    makers = (requests.mutated_bodies, requests.mutated_files, requests.edges)
    asked = [each for make in makers for each in islice(make(7), scale.texts)]
    return all_of(program, asked)


def scripts(program: Program, scale: Scale) -> Statuses:
    """Scripts in every text that reaches a page: none comes back in HTML."""
    del scale
    found: Statuses = Counter()
    for text in requests.SCRIPTS:
        paths = [f"/?shape=2,3&layout={quote(text)}", f"/network?name={quote(text)}"]
        paths += [f"/{quote(text)}", f"/static/{quote(text)}"]
        paths += [f"/api/v1/describe?shape=2,3&layout={quote(text)}", f"/docs?x={quote(text)}"]
        for path in paths:
            head, _, body = program.ask(requests.get(path)).partition(b"\r\n\r\n")
            found[status(head)] += 1
            assert b"nosniff" in head
            assert b"content-security-policy" in head.lower()
            if b"text/html" in head:
                # A field, the title and a preview may hold it: there it runs nowhere.
                quiet = rb' (?:value|content|title)="[^"]*"|<title>[^<]*</title>'
                assert text.encode() not in re.sub(quiet, b"", body)
    return found


def killed_workers(program: Program, scale: Scale) -> Statuses:
    """Workers are killed in the middle of calls: each loses its own, the next ones are well."""
    with ThreadPoolExecutor(8) as pool:
        asked = [requests.labels(scale.side // 2)] * 8
        answers = [pool.submit(program.ask, each) for each in asked]
        time.sleep(0.3)
        for pid in program.family()[2:]:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        found = Counter(status(each.result()) for each in answers)
    for pid in program.family()[1:]:  # and the one that makes them
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    again = (status(program.ask(requests.labels(256))) for _ in range(3))
    assert "200" in again
    return found


def signal_15(program: Program, scale: Scale) -> Statuses:
    """The order to stop, while a body is half sent, an answer is not read, and a call runs."""
    with started(**program.settings) as other:
        half = requests.head("describe", 100) + b"{"
        unread = requests.wide_slice(scale.side)
        with held(other, 3, half), held(other, 3, unread, window=1 << 12), held(other, 3, b""):
            time.sleep(0.5)
            seconds = stop(other)
        assert seconds < STOP_S, f"stopped after {seconds:.1f} s"
    return Counter({f"stopped in {seconds:.1f} s": 1})


Attack = Callable[[Program, Scale], Statuses]
ATTACKS: tuple[Attack, ...] = (
    unread_answers,
    long_integers,
    longest_answers,
    many_labels,
    hard_addresses,
    unknown_names,
    deep_brackets,
    slow_sockets,
    long_header,
    stalled_downloads,
    declared_files,
    heavy_operands,
    hostile_texts,
    scripts,
    killed_workers,
    signal_15,
)


def settings(scale: Scale, **more: Any) -> dict[str, Any]:
    """The settings of the service under attack: those of the short form are small."""
    small = {
        "max_memory_bytes": 192 << 20,
        "max_call_bytes": 160 << 20,
        "max_file_memory_bytes": 8 << 20,
        "call_seconds": 10,
        "stop_seconds": 1,
    }
    long = {"max_memory_bytes": 1 << 30, "call_seconds": 30, "stop_seconds": 8}
    chosen = small if scale is SHORT else long
    return {"idle_seconds": scale.idle_s, "head_seconds": scale.idle_s, **chosen, **more}
