"""No connection waits without end, whatever its other side does or leaves undone."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any, Literal

import pytest

from tests.api.connections.served import HEALTH, PATIENCE_S, SHORT_S, Served, served, until
from tests.attack.program import rest

DESCRIBE = b'{"shape": [2, 3], "layout": "WH"}'
BODY_HEAD = (
    b"POST /api/v1/describe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
)
CHUNKED = BODY_HEAD.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked")
# About 30 MB of page that nobody reads, asked for in one go.
PAGES = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def program() -> Iterator[Served]:
    with served() as running:
        yield running


def test_what_is_no_request_ends(program: Served) -> None:
    parts = [b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\n", HEALTH, HEALTH + b"GET /he"]
    with ExitStack() as open_:
        began_s = time.monotonic()
        wires = [open_.enter_context(program.connected()) for _ in parts]
        for wire, part in zip(wires, parts, strict=True):
            wire.sendall(part)
        for wire, part in zip(wires, parts, strict=True):
            assert rest(wire).count(b"HTTP/1.1 200") == part.count(HEALTH), part
            assert time.monotonic() - began_s > SHORT_S / 2, part
    until(lambda: not program.open)


def test_a_head_byte_by_byte_ends(program: Served) -> None:
    with program.connected() as wire, suppress(OSError):
        wire.sendall(b"GET / HTTP/1.1\r\nX: ")
        ends_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends_s:
            wire.sendall(b"x")
            time.sleep(0.05)
        pytest.fail("it does not end")
    until(lambda: not program.open)


def test_a_body_that_stops_is_408(program: Served) -> None:
    with program.connected() as empty, program.connected() as half:
        empty.sendall(BODY_HEAD % len(DESCRIBE))
        half.sendall(BODY_HEAD % len(DESCRIBE) + DESCRIBE[:5])
        for answer in map(rest, (empty, half)):
            assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
            assert b"application/problem+json" in answer
    until(lambda: not program.open)


def until_answered(wire: socket.socket) -> bytes:
    """The answer to a body of which a byte comes now and then."""
    wire.settimeout(0.05)
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        wire.sendall(b" ")
        with suppress(TimeoutError):
            return wire.recv(1 << 16)
    raise AssertionError("no answer")


@pytest.mark.parametrize("limits", [{}, {"transfer_seconds": 0.5, "least_bytes_per_second": 0}])
def test_a_body_byte_by_byte_is_too_slow_and_one_of_any_rate_ends(limits: dict[str, Any]) -> None:
    with served(**limits) as program, program.connected() as wire:
        wire.sendall(BODY_HEAD % 10_000_000)
        assert until_answered(wire).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("pause_s", [None, 0.1], ids=["never", "a-little-at-a-time"])
def test_an_answer_that_is_not_read_ends(program: Served, pause_s: float | None) -> None:
    with program.connected(window=1 << 12) as wire:
        for _ in range(16):
            wire.sendall(PAGES)
        until(lambda: program.open == 1)
        ends_s = time.monotonic() + PATIENCE_S
        while program.open and pause_s:
            assert time.monotonic() < ends_s
            wire.recv(64)
            time.sleep(pause_s)
        until(lambda: not program.open)


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_a_head_without_end_is_refused_while_it_comes(loop: Literal["uvloop", "asyncio"]) -> None:
    with served(loop=loop) as program, program.connected() as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
        # More than what a socket holds.
        with pytest.raises(OSError, match=r"reset|[Bb]roken"):
            wire.sendall(b"a" * (64 << 20))
        until(lambda: not program.open)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 300 + b"\r\n", b"431"),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 40_000, b"431"),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 140_000, b"431"),
        (b"GET /" + b"a" * 140_000, b"414"),
        (CHUNKED + b"1;" + b"e" * 100_000 + b"\r\n{\r\n", b"400"),
        (CHUNKED + b"0\r\nX: " + b"a" * 300_000, b"400"),
    ],
    ids=["many", "many-without-end", "long", "url", "chunk-extension", "trailer"],
)
def test_heads_and_frames_have_limits(program: Served, request_bytes: bytes, status: bytes) -> None:
    with program.connected() as wire:
        head = request_bytes[:1000]
        wire.sendall(head)
        time.sleep(0.05)
        with suppress(OSError):
            wire.sendall(request_bytes[1000:])
        answer = rest(wire)
    assert answer.startswith(b"HTTP/1.1 " + status) or not answer
    until(lambda: not program.open)


def test_requests_in_advance_have_a_limit(program: Served) -> None:
    last = HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    assert program.ask(HEALTH * 8 + last).count(b"HTTP/1.1 200") == 9
    assert program.ask(HEALTH * 5000).count(b"HTTP/1.1 200") < 5000
    until(lambda: not program.open)


def test_an_upgrade_is_ignored(program: Served) -> None:
    upgrade = (
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    answer = program.ask(HEALTH.replace(b"\r\n\r\n", b"\r\n") + upgrade)
    assert answer.startswith(b"HTTP/1.1 200")
    answer = program.ask(b"GET /no HTTP/1.1\r\nHost: x\r\n" + upgrade)
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"application/problem+json" in answer


def test_the_oldest_that_waits_makes_room() -> None:
    with (
        served(max_connections=2, idle_seconds=PATIENCE_S, head_seconds=PATIENCE_S) as program,
        program.connected() as oldest,
        program.connected() as other,
    ):
        until(lambda: program.open == 2)
        oldest.sendall(b"GET / HTTP/1.1\r\n")
        with program.connected() as new:
            new.sendall(HEALTH)
            assert new.recv(1 << 16).startswith(b"HTTP/1.1 200")
            assert rest(oldest) == b""
            other.sendall(HEALTH)
            assert other.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_calls_that_run_are_not_given_up_for_others() -> None:
    with (
        served(max_connections=1, idle_seconds=PATIENCE_S, head_seconds=PATIENCE_S) as program,
        program.connected() as first,
    ):
        first.sendall(BODY_HEAD % len(DESCRIBE) + DESCRIBE[:5])
        until(lambda: [each for each in program.guard.connections if each.quiet_since is None])
        answer = program.ask(HEALTH)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1\r\n" in answer.lower()
        first.sendall(DESCRIBE[5:])
        assert first.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_a_stop_waits_for_nobody() -> None:
    forever: dict[str, Any] = {"idle_seconds": 10 * PATIENCE_S, "head_seconds": 10 * PATIENCE_S}
    sent = (b"", b"GET / HT", BODY_HEAD % 100, PAGES * 20)  # the last one does not read
    with served(**forever) as program, ExitStack() as open_:
        for part in sent:
            open_.enter_context(program.connected(1 << 12)).sendall(part)
        until(lambda: program.open == len(sent))
        time.sleep(0.1)
        program.server.should_exit = True
        until(lambda: not program.open)
