"""What a worker answers to the program, in this process: forked ones end without a trace."""

import json
import socket
from collections.abc import Iterator
from contextlib import nullcontext
from threading import Thread
from typing import Any, NamedTuple

import pytest

from app.api import json_body
from app.api.work import messages, worker

Json = dict[str, Any]
NCHW: Json = {"shape": [1, 8, 4, 4], "layout": "NCHW"}
SWIZZLED = "cute:Swizzle<2,0,3> o (8,8):(8,1)"


class Answered(NamedTuple):
    """Status and body of an answer, and the bytes that the worker asked for."""

    status: int
    body: Json
    held: int
    stays: bool


class Program:
    """The program's side of a connection to a worker."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire

    def ask(
        self, call: str, body: Json, *, most_bytes: int = 1 << 30, granted: bool = True
    ) -> Answered:
        job = {"call": call, "options": {}, "most_bytes": most_bytes}
        messages.send(self.wire, job, json.dumps(body).encode())
        held = 0
        while "hold" in (came := messages.receive(self.wire))[0]:
            held += came[0]["hold"]
            messages.send(self.wire, {"granted": granted})
        head, content = came
        return Answered(head["status"], json.loads(content), held, head["stays"])


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    monkeypatch.setattr(worker, "_limited", nullcontext)  # it would be that of all the tests
    ours, theirs = socket.socketpair()
    thread = Thread(target=worker.work, args=[theirs])
    thread.start()
    with ours:
        ours.settimeout(60)
        yield Program(ours)
    thread.join(60)
    assert not thread.is_alive()
    theirs.close()


def test_calls_one_after_the_other(program: Program) -> None:
    memory = {"cache": {"bytes": 1024, "ways": 2}, "tlb": {"entries": 8, "ways": 4}}
    found = program.ask("cost", {"tensor": NCHW, "walk": memory})
    assert (found.status, found.body["lines"]["fetched"]) == (200, 8)
    assert found.held > 0
    warp = program.ask("cost", {"tensor": NCHW, "warp": {}}).body
    assert [lane["address"] for lane in warp["lanes"][:3]] == [0, 1, 2]
    source = {"shape": [8, 8], "layout": "HW"}
    tables = program.ask("schedule", {"source": source, "target": SWIZZLED, "count": 2}).body
    assert tables["plan"]["tables"]["target"]["swizzle"] == {"bits": 2, "base": 0, "shift": 3}
    assert len(tables["window"]) == 2


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, None),
        ({"walk": {}, "warp": {}}, None),
        ({"walk": {"cache": {"bytes": 1000, "ways": 2}}}, "walk.cache.bytes"),
        ({"walk": {"tlb": {"entries": 9, "ways": 4}}}, "walk.tlb.entries"),
        ({"warp": {"along": ["H", "H"]}}, "warp.along[1]"),
        ({"warp": {"along": "Q"}}, "warp.along"),
        ({"warp": {"at": [0]}}, "warp.at"),
        ({"warp": {"at": [0, 0, 0, 4]}}, "warp.at[3]"),
    ],
)
def test_a_refused_call_leaves_the_worker_to_the_next(
    program: Program, asked: Json, field: str | None
) -> None:
    found = program.ask("cost", {"tensor": NCHW, **asked})
    assert (found.status, found.stays) == (422, True)
    if field is not None:
        assert [each["field"] for each in found.body["errors"]] == [field]
    assert program.ask("cost", {"tensor": NCHW, "walk": {}}).status == 200


def test_long_rows_are_arrays(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_body, "LONG_BYTES", 1)
    rows = [[0, 1, 2, 3], [0, 7, 3, 3]]
    found = program.ask("offsets", {"tensor": NCHW, "coordinates": rows})
    assert found.body["offsets"] == [27, 127]
    short = program.ask("offsets", {"tensor": NCHW, "coordinates": [[0, 1]]})
    assert (short.status, short.body["errors"][0]["field"]) == (422, "coordinates[0]")
    # A list that is not only rows goes the long way.
    mixed = program.ask("offsets", {"tensor": NCHW, "coordinates": [[0, 1, 2, 3], "x"]})
    assert (mixed.status, mixed.body["errors"][0]["field"]) == (422, "coordinates[1]")


def test_a_call_that_may_not_hold_what_it_needs(program: Program) -> None:
    asked = {"tensor": NCHW, "coordinates": [[0, 0, 0, 0]]}
    assert program.ask("offsets", asked, granted=False).status == 503
    beyond = program.ask("offsets", asked, most_bytes=10)
    assert (beyond.status, beyond.body["errors"][0]["field"]) == (422, "request")
    assert program.ask("offsets", asked).body["offsets"] == [0]


def test_a_worker_ends_with_the_program_that_leaves_it_without_an_answer(program: Program) -> None:
    job = {"call": "offsets", "options": {}, "most_bytes": 1 << 30}
    asked = {"tensor": NCHW, "coordinates": [[0, 0, 0, 0]]}
    messages.send(program.wire, job, json.dumps(asked).encode())
    assert "hold" in messages.receive(program.wire)[0]  # and now the fixture closes it
