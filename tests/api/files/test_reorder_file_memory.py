"""File reorders over a real socket: memory is bounded, and comes back however a request ends."""

import gc
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from socket import socket
from typing import Any, Literal, NoReturn

import httpx2
import numpy as np
import pytest

from app.files.reorder import FileJob
from tests.api.connections.served import HEALTH, PATIENCE_S, Served, served, until
from tests.api.files.calls import PATH, npy_bytes, npy_values, safe_bytes, safe_values
from tests.api.refusals.problems import assert_problem
from tests.attack.program import rest

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


def patient(
    http: Literal["httptools", "h11"] = "httptools", **limits: Any
) -> AbstractContextManager[Served]:
    """The program under these limits, without short deadlines."""
    return served(http=http, **{"idle_seconds": PATIENCE_S, "head_seconds": PATIENCE_S, **limits})


@pytest.fixture(scope="module")
def one_at_a_time() -> Iterator[Served]:
    """A program with room for one file."""
    with patient(**ROOM_FOR_ONE) as program:
        yield program


@pytest.fixture(scope="module")
def program() -> Iterator[Served]:
    with patient() as running:
        yield running


def post(program: Served, body: Any = BODY, **query: str) -> httpx2.Response:
    # A server that failed closes the connection, and a client may not know it yet.
    url = f"http://127.0.0.1:{program.port}{PATH}"
    headers = {"connection": "close"}
    sent = {"params": QUERY | query, "content": body, "headers": headers}
    return httpx2.post(url, **sent, timeout=PATIENCE_S)


@contextmanager
def begun(program: Served, sent: bytes = BODY[:200_000]) -> Iterator[socket]:
    """A bare connection with a small window, which has sent this of a body."""
    with program.connected(1 << 16) as wire:
        wire.sendall(HEAD + sent)
        yield wire


@contextmanager
def holding(program: Served) -> Iterator[socket]:
    """A connection that holds the room.

    It is not told when it does, and a request that asks too early may take the room before it.
    """
    for tried in range(1, 20):
        with begun(program) as holder:
            time.sleep(0.1 * tried)
            if post(program).status_code == 503:
                yield holder
                return
    pytest.fail("the room is never held")


def assert_right(response: httpx2.Response) -> None:
    assert response.status_code == 200, response.text[:300]
    np.testing.assert_array_equal(npy_values(response.content), VALUES.T, strict=True)


def assert_free(program: Served) -> None:
    """The memory is free again, within patience."""
    until(lambda: post(program).status_code == 200)
    assert_right(post(program))


def test_a_second_request_is_told_to_come_back(one_at_a_time: Served) -> None:
    with holding(one_at_a_time) as holder:
        refused = post(one_at_a_time)
        assert_problem(refused, 503)
        assert int(refused.headers["retry-after"]) > 0
        holder.sendall(BODY[200_000:])
        assert holder.recv(15).startswith(b"HTTP/1.1 200 OK")
        received = 15
        while received < len(BODY):
            received += len(holder.recv(1 << 20))
        assert_free(one_at_a_time)


@pytest.mark.parametrize("sent", [0, 5, 100, 128, 1 << 20, len(BODY) - 1, len(BODY)])
def test_a_caller_that_goes_away_leaves_nothing(one_at_a_time: Served, sent: int) -> None:
    with begun(one_at_a_time, BODY[:sent]) as gone:
        if sent == len(BODY):
            assert gone.recv(15).startswith(b"HTTP/1.1 200 OK")
    assert_free(one_at_a_time)


def test_an_engine_that_fails_gives_its_room_back(
    one_at_a_time: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> NoReturn:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(FileJob, "run", failing)
        for _ in range(2):
            assert_problem(post(one_at_a_time), 503)
    assert_right(post(one_at_a_time))


def test_a_sender_and_a_reader_that_stop_are_given_up() -> None:
    with patient(**ROOM_FOR_ONE, idle_seconds=2) as program:
        with begun(program) as silent:
            answer = rest(silent)
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"application/problem+json" in answer
            assert_free(program)
        with begun(program, BODY) as silent:
            assert silent.recv(15).startswith(b"HTTP/1.1 200 OK")
            assert_free(program)


def test_a_refused_file_is_read_past_or_not_waited_for(program: Served) -> None:
    hostile = BODY.replace(b"'<f4'", b"'|O4'", 1)
    with begun(program, hostile) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 422 ")
        connection.sendall(HEALTH)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
    with begun(program, hostile[:128]) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 422 ")


@pytest.mark.parametrize("memory", [0, VALUES.nbytes, 1 << 30], ids=["files", "both", "memory"])
def test_temporary_files_have_no_name_and_end_with_their_request(
    memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mappings() -> int:
        """How many files of the folder this process has mapped, named or not."""
        return Path("/proc/self/maps").read_text().count(str(tmp_path))

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gc.disable()  # what waits for the collector holds the disk until then
    try:
        with patient(max_file_memory_bytes=memory) as program, ThreadPoolExecutor(4) as pool:
            for response in pool.map(lambda _: post(program), range(8)):
                assert_right(response)
            assert list(tmp_path.iterdir()) == []
            until(lambda: mappings() == 0)
            if memory == 0:
                with begun(program):
                    until(lambda: mappings() == 2)  # of the source and of the target
                    assert list(tmp_path.iterdir()) == []
                until(lambda: mappings() == 0)
            # The connection stays, and with it what uvicorn keeps of its last request.
            with httpx2.Client(base_url=f"http://127.0.0.1:{program.port}") as client:
                assert_right(client.post(PATH, params=QUERY, content=BODY, timeout=PATIENCE_S))
                until(lambda: mappings() == 0)
    finally:
        gc.enable()


def test_other_calls_are_answered_while_a_reorder_runs(
    program: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, may_end = threading.Event(), threading.Event()
    through = FileJob.run

    def slow(*arguments: Any, **named: Any) -> Any:
        began.set()
        assert may_end.wait(PATIENCE_S)
        return through(*arguments, **named)

    monkeypatch.setattr(FileJob, "run", slow)
    with ThreadPoolExecutor(1) as pool, program.connected() as other:
        running = pool.submit(post, program)
        assert began.wait(PATIENCE_S)
        other.sendall(HEALTH)
        assert other.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        assert not running.done()
        may_end.set()
        assert_right(running.result(PATIENCE_S))


def test_servers_and_bodies_of_other_kinds(program: Served) -> None:
    with patient(http="h11") as other:
        assert_right(post(other))
    pieces = (BODY[at : at + 100_000] for at in range(0, len(BODY), 100_000))
    assert_right(post(program, pieces))
    # The tensor asked for is not the last of the file.
    two = safe_bytes({"a": VALUES, "b": VALUES[:600]})
    made = safe_values(post(program, two, tensor="a").content)
    np.testing.assert_array_equal(made["a"], VALUES.T)
