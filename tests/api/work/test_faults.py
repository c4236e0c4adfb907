"""What fails, at whatever point, leaves an error and nothing else; the next call works."""

import errno
import gc
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NoReturn

import httpx2
import numpy as np
import pytest
from starlette.testclient import TestClient

from app.api.work import worker as worker_module
from app.api.work.resources import Resources
from app.main import create_app
from app.settings import Settings
from tests.api.connections.served import Served, served, until
from tests.api.files.calls import PATH, npy_bytes
from tests.api.refusals.problems import assert_problem
from tests.api.work.faults import ThreadForkServer, failing
from tests.attack.program import rest

HW = {"shape": [40, 50], "layout": "HW", "dtype": "int32"}
NUMBERS = list(range(2000))
CALLS: dict[str, dict[str, Any]] = {
    "describe": {"shape": [2, 6, 3, 3], "layout": "NCHW4"},
    "offsets": {"tensor": HW, "coordinates": [[1, 2]] * 400},
    "coordinates": {"tensor": HW, "offsets": NUMBERS},
    "slice": {"tensor": HW, "index": "1:, ::-1", "values": NUMBERS},
    "reorder": {"source": HW, "target": "WH", "values": NUMBERS},
    "view": {"tensor": HW, "steps": [{"op": "permute", "dims": [1, 0]}]},
}
QUERY = {"source": "HW", "target": "WH"}
FILE = npy_bytes(np.arange(64 * 64, dtype=np.int32).reshape(64, 64))
LARGE = {"source": {"shape": [1, 4, 512, 512], "layout": "NCHW"}, "target": "NHWC"}


@pytest.fixture(autouse=True)
def no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is worth loading them."""
    monkeypatch.setattr("app.main.KERNELS", ())


@pytest.fixture
def program_and_client(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Resources, TestClient]]:
    monkeypatch.setattr("app.api.work.resources.ForkServer", ThreadForkServer)
    monkeypatch.setattr(worker_module, "_limited", nullcontext)
    application = create_app(Settings(answer_cache_bytes=0))
    with TestClient(application) as client:
        yield application.state.resources, client


@pytest.mark.parametrize("name", [*CALLS, "file"])
def test_an_allocation_that_fails(
    name: str, program_and_client: tuple[Resources, TestClient]
) -> None:
    resources, client = program_and_client

    def ask() -> httpx2.Response:
        if name == "file":
            return client.post(PATH, params=QUERY, content=FILE)
        return client.post(f"/api/v1/{name}", json=CALLS[name])

    expected = ask()
    assert expected.status_code == 200
    for nth in range(1, 200):
        with failing(nth) as made:
            answer = ask()
        assert resources.budget.held_bytes == 0
        if len(made) < nth:
            assert answer.content == expected.content
            break
        if answer.status_code != 200:  # what is only remembered can do without
            assert_problem(answer, 503)
            assert int(answer.headers["retry-after"]) > 0
        assert ask().content == expected.content, nth
    assert nth > 1


def test_a_pool_that_dies_is_made_again() -> None:
    application = create_app(Settings(workers=1))
    resources: Resources = application.state.resources
    with TestClient(application) as client:
        assert client.post("/api/v1/reorder", json=LARGE).status_code == 200
        for _ in range(2):
            for worker in resources.idle:
                signal.pidfd_send_signal(worker.handle, signal.SIGKILL)
            process = resources._fork_server._process
            assert process is not None
            process.kill()
            process.wait()
            # The first may still be told of the end of an old worker.
            statuses = [client.post("/api/v1/reorder", json=LARGE).status_code for _ in range(2)]
            assert statuses[0] in (200, 503)
            assert statuses[1] == 200
        assert resources.budget.held_bytes == 0


def test_limits_of_a_call() -> None:
    limits: dict[str, Any] = {
        "max_memory_bytes": 1 << 27,
        "max_call_bytes": 1 << 27,
        "max_body_bytes": 1 << 27,
    }
    application = create_app(Settings(**limits))
    resources: Resources = application.state.resources
    with TestClient(application) as client:
        never = {"source": {"shape": [2048, 1024], "layout": "HW"}, "target": "WH"}
        assert_problem(client.post("/api/v1/reorder", json=never), 422, "request")
        # A body of which two copies never fit is refused as such, not told to come back.
        head = {"content-type": "application/json", "content-length": str((1 << 26) + 1)}
        large = client.post("/api/v1/reorder", content=iter([b"{"]), headers=head)
        assert_problem(large, 413, "body")
        assert client.get("/api/v1/limits").json()["model_bytes"] == 1 << 26
        resources.budget.take(1 << 27)
        busy = client.post("/api/v1/reorder", json=LARGE)
        assert_problem(busy, 503)
        assert int(busy.headers["retry-after"]) > 0
        resources.budget.give_back(1 << 27)
        assert client.post("/api/v1/reorder", json=LARGE).status_code == 200
        assert resources.budget.held_bytes == 0


def test_a_call_that_takes_too_long_is_ended() -> None:
    strides = [2**k for k in range(28)] + [2**k for k in range(11)]
    tensor = {"shape": [2] * 39, "layout": {"strides": strides}}
    offsets = [k * 2654435761 % 2**28 for k in range(1000)]
    application = create_app(Settings(call_seconds=0.3))
    resources: Resources = application.state.resources
    with TestClient(application) as client:
        body = {"tensor": tensor, "offsets": offsets}
        assert_problem(client.post("/api/v1/coordinates", json=body), 503)
        assert not resources.idle
        assert resources.budget.held_bytes == 0


@pytest.fixture(scope="module")
def program() -> Iterator[Served]:
    with served(idle_seconds=30) as running:
        yield running


STAGES = ["no-body", "half-a-body", "a-call-that-runs", "half-an-answer"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_caller_who_leaves(stage: str, program: Served) -> None:
    body = json.dumps(LARGE).encode()
    head = (
        f"POST /api/v1/reorder HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode()
    resources = program.resources
    sent = {"no-body": b"", "half-a-body": body[:9]}.get(stage, body)
    with program.connected(window=1 << 12) as wire:
        wire.sendall(head + sent)
        if stage == "half-an-answer":
            assert wire.recv(100).startswith(b"HTTP/1.1 200")
        elif sent is body:
            until(lambda: resources.long.calls)
        else:
            time.sleep(0.05)
    until(lambda: not program.open and not resources.long.calls)
    until(lambda: not resources.budget.held_bytes)
    until(lambda: not program.server.server_state.tasks)
    with program.connected() as wire:
        wire.sendall(head + body)
        assert rest(wire).startswith(b"HTTP/1.1 200")
    metrics = program.ask(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b'status="500"' not in metrics


@pytest.mark.parametrize("call", ["posix_fallocate", "pwrite"])
def test_a_full_disk(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    application = create_app(Settings(max_file_memory_bytes=0))
    with TestClient(application) as client:
        assert client.post(PATH, params=QUERY, content=FILE).status_code == 200
        before = open_files()  # what the first call starts is open by now
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            for _ in range(3):
                assert_problem(client.post(PATH, params=QUERY, content=FILE), 503)
        assert client.post(PATH, params=QUERY, content=FILE).status_code == 200
        gc.collect()
        until(lambda: open_files() <= before)


def open_files() -> int:
    """How many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))
