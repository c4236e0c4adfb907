"""File reorders over a real socket: memory is bounded, and comes back however a request ends."""

import errno
import gc
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NoReturn
from unittest.mock import patch

import httpx2
import numpy as np
import pytest
import uvicorn

from app import main
from app.files.reorder import FileJob
from app.settings import Settings
from tests.api.files.calls import PATH, npy_bytes, npy_values, safe_bytes, safe_values
from tests.api.refusals.problems import assert_problem

VALUES = np.arange(2 << 20, dtype=np.float32).reshape(1 << 10, 2 << 10)
BODY = npy_bytes(VALUES)
QUERY = {"source": "HW", "target": "WH"}
HEAD = (
    f"POST {PATH}?source=HW&target=WH HTTP/1.1\r\nHost: localhost\r\n"
    f"Content-Length: {len(BODY)}\r\n\r\n"
).encode()
ROOM_FOR_ONE: dict[str, Any] = {
    "max_file_memory_bytes": 2 * VALUES.nbytes,
    "max_temporary_bytes": 0,
}
PATIENCE_S = 120


@contextmanager
def served(
    http: Literal["httptools", "h11"] = "httptools",
    loop: Literal["uvloop", "asyncio"] = "uvloop",
    **limits: Any,
) -> Iterator[httpx2.Client]:
    """A client of the program under these limits, served by uvicorn."""
    application = main.create_app(Settings(**limits))
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application, log_level="critical", http=http, loop=loop)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    with patch.object(main, "KERNELS", ()):  # nothing here is worth waiting for them at the end
        thread.start()
        wait_for(lambda: server.started or not thread.is_alive())
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with httpx2.Client(base_url=url, timeout=PATIENCE_S) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listener.close()
    assert not thread.is_alive()


def connected(client: httpx2.Client) -> socket.socket:
    """A bare connection to the same server, with a small window."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    connection.settimeout(PATIENCE_S)
    connection.connect(("127.0.0.1", client.base_url.port or 0))
    return connection


def post(client: httpx2.Client) -> httpx2.Response:
    # A server that failed closes the connection, and a client may not know it yet.
    return client.post(PATH, params=QUERY, content=BODY, headers={"connection": "close"})


def until(status: int, client: httpx2.Client) -> httpx2.Response:
    """The first response of that status, within patience."""
    deadline_s = time.monotonic() + PATIENCE_S
    while (response := post(client)).status_code != status:
        assert time.monotonic() < deadline_s, response.text[:300]
        time.sleep(0.02)
    return response


@contextmanager
def holding(client: httpx2.Client) -> Iterator[socket.socket]:
    """A connection that has sent 200,000 bytes and holds the room.

    It is not told when it does, and a request that asks too early may take the room before it.
    """
    for tried in range(1, 20):
        with connected(client) as holder:
            holder.sendall(HEAD + BODY[:200_000])
            time.sleep(0.1 * tried)
            if post(client).status_code == 503:
                yield holder
                return
    pytest.fail("the room is never held")


def assert_right(response: httpx2.Response) -> None:
    assert response.status_code == 200, response.text[:300]
    np.testing.assert_array_equal(npy_values(response.content), VALUES.T, strict=True)


def test_a_second_request_is_told_to_come_back() -> None:
    with served(**ROOM_FOR_ONE) as client, holding(client) as holder:
        refused = post(client)
        assert_problem(refused, 503)
        assert int(refused.headers["retry-after"]) > 0
        holder.sendall(BODY[200_000:])
        assert holder.recv(15).startswith(b"HTTP/1.1 200 OK")
        received = 15
        while received < len(BODY):
            received += len(holder.recv(1 << 20))
        assert_right(until(200, client))


@pytest.mark.parametrize("sent", [0, 5, 100, 128, 1 << 20, len(BODY) - 1])
def test_a_sender_that_goes_away_leaves_nothing(sent: int) -> None:
    with served(**ROOM_FOR_ONE) as client:
        with connected(client) as gone:
            gone.sendall(HEAD + BODY[:sent])
        assert_right(until(200, client))


def test_a_sender_that_stops_is_given_up() -> None:
    with served(**ROOM_FOR_ONE, idle_seconds=2) as client, connected(client) as silent:
        silent.sendall(HEAD + BODY[:200_000])
        answer = b""
        while piece := silent.recv(1 << 16):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in answer
        assert_right(until(200, client))


def test_a_reader_that_stops_is_given_up() -> None:
    with served(**ROOM_FOR_ONE, idle_seconds=2) as client, connected(client) as silent:
        silent.sendall(HEAD + BODY)
        assert silent.recv(15).startswith(b"HTTP/1.1 200 OK")
        assert_right(until(200, client))


def test_a_reader_that_goes_away_leaves_nothing() -> None:
    with served(**ROOM_FOR_ONE) as client:
        with connected(client) as gone:
            gone.sendall(HEAD + BODY)
            assert gone.recv(15).startswith(b"HTTP/1.1 200 OK")
        assert_right(until(200, client))


def test_a_refused_file_is_read_past_and_the_connection_stays() -> None:
    with served() as client, connected(client) as connection:
        hostile = BODY.replace(b"'<f4'", b"'|O4'", 1)
        connection.sendall(HEAD + hostile)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 422 ")
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_the_body_of_a_refused_file_is_not_waited_for() -> None:
    with served() as client, connected(client) as connection:
        connection.sendall(HEAD + BODY[:128].replace(b"'<f4'", b"'|O4'", 1))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 422 ")


@pytest.mark.parametrize("memory", [0, VALUES.nbytes, 1 << 30], ids=["files", "both", "memory"])
def test_many_at_once(memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with served(max_file_memory_bytes=memory) as client, ThreadPoolExecutor(8) as pool:
        for response in pool.map(lambda _: post(client), range(16)):
            assert_right(response)
        assert list(tmp_path.iterdir()) == []
        wait_for(lambda: mappings_of(tmp_path) == 0)


def test_temporary_files_are_where_the_bytes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with served(max_file_memory_bytes=0) as client, connected(client) as holder:
        holder.sendall(HEAD + BODY[:200_000])
        wait_for(lambda: mappings_of(tmp_path) == 2)  # of the source and of the target
        assert list(tmp_path.iterdir()) == []


def test_temporary_files_end_with_their_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gc.disable()  # what waits for the collector holds the disk until then
    try:
        with served(max_file_memory_bytes=0) as client:
            # The connection stays, and with it what uvicorn keeps of its last request.
            assert_right(client.post(PATH, params=QUERY, content=BODY))
            wait_for(lambda: mappings_of(tmp_path) == 0)
    finally:
        gc.enable()


def mappings_of(folder: Path) -> int:
    """How many files of ``folder`` this process has mapped, named or not."""
    return Path("/proc/self/maps").read_text().count(str(folder))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def test_a_full_disk_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    limits: dict[str, Any] = {
        "max_file_memory_bytes": VALUES.nbytes,
        "max_temporary_bytes": VALUES.nbytes,
    }
    with served(**limits) as client:
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", full)
            for _ in range(3):
                assert_problem(post(client), 503)
        assert_right(post(client))


def test_other_calls_are_answered_while_a_reorder_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    began, may_end = threading.Event(), threading.Event()
    through = FileJob.run

    def slow(*arguments: Any, **named: Any) -> Any:
        began.set()
        assert may_end.wait(PATIENCE_S)
        return through(*arguments, **named)

    monkeypatch.setattr(FileJob, "run", slow)
    with served() as client, ThreadPoolExecutor(1) as pool:
        running = pool.submit(post, client)
        assert began.wait(PATIENCE_S)
        assert client.get("/healthz").status_code == 200
        assert not running.done()
        may_end.set()
        assert_right(running.result(PATIENCE_S))


def test_an_engine_that_fails_gives_its_room_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> NoReturn:
        raise MemoryError

    with served(**ROOM_FOR_ONE) as client:
        with monkeypatch.context() as patch:
            patch.setattr(FileJob, "run", failing)
            for _ in range(2):
                assert_problem(post(client), 503)
        assert_right(post(client))


def test_servers_and_bodies_of_other_kinds() -> None:
    with served(http="h11") as client:
        assert_right(post(client))
    with served() as client:
        pieces = (BODY[at : at + 100_000] for at in range(0, len(BODY), 100_000))
        assert_right(client.post(PATH, params=QUERY, content=pieces))
        # The tensor asked for is not the last of the file.
        two = safe_bytes({"a": VALUES, "b": VALUES[:600]})
        response = client.post(PATH, params={**QUERY, "tensor": "a"}, content=two)
        np.testing.assert_array_equal(safe_values(response.content)["a"], VALUES.T)
