"""The threads that help with reorders: what one does with a job, when they start, sleep and end."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app.engine import parse_layout, reorder
from app.engine.reorder import execute, program, sharing
from app.engine.reorder.kernels import crew, crew_runner
from app.engine.reorder.kernels.kernel_crew import ASLEEP, JOB_BYTES, READY

SHAPE = (16, 64, 32, 32)
SOURCE, TARGET = parse_layout("NCHW", SHAPE), parse_layout("NHWC", SHAPE)
ITEMS = np.random.default_rng(1).integers(0, 1 << 16, SOURCE.buffer_elements, np.uint16)
EXPECTED = ITEMS.reshape(SHAPE).transpose(0, 2, 3, 1).ravel()
SCRIPT = """
import threading, numpy as np
from app.engine import parse_layout, reorder
source, target = (parse_layout(name, (16, 64, 32, 32)) for name in ("NCHW", "NHWC"))
items = np.arange(source.elements, dtype=np.float32)
def shared():
    return reorder(items, source, target, threads=4, backend="numba")
"""


def shared(items: npt.NDArray[Any] = ITEMS) -> npt.NDArray[Any]:
    return reorder(items, SOURCE, TARGET, threads=4, backend="numba")


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    ends_at = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends_at
        time.sleep(1e-3)


@pytest.fixture
def new_crew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process of four cores that has shared no reorder yet."""
    execute._program.cache_clear()
    monkeypatch.setattr(crew, "_here", None)
    monkeypatch.setattr(crew, "cores", lambda: 4)
    yield
    if crew._here is not None:
        atexit.unregister(crew._here._end)
        crew._here._end()
    execute._program.cache_clear()


def states() -> list[int]:
    """The state of each helper, of those that could start too."""
    assert crew._here is not None
    found: list[int] = crew._here._words[:, crew._STATE].tolist()
    return found


def test_a_helper_carries_out_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    ended_as = []

    def by_a_helper(
        _crew: int, _threads: Any, _wakes: int, _job: int, firsts: Any, calls: Any, *memory: int
    ) -> None:
        *addresses, scratch = memory
        job = np.zeros(JOB_BYTES // 8, np.int64)
        job[:7] = firsts.size - 1, firsts.ctypes.data, calls.ctypes.data, *addresses, 2
        me = np.array([job.ctypes.data, 0])
        crew.helping()(me.ctypes.data, 0, -1, 0, 100, scratch)
        ended_as.append(int(me[0]))

    monkeypatch.setattr(crew_runner, "_together", lambda: by_a_helper)
    execute._program.cache_clear()
    assert np.array_equal(shared(), EXPECTED)
    assert ended_as == [READY]
    execute._program.cache_clear()


@pytest.mark.usefixtures("new_crew")
def test_helpers_help_sleep_and_wake() -> None:
    for _ in range(20):
        assert np.array_equal(shared(), EXPECTED)
        until(lambda: states() == [ASLEEP] * 3)
        assert np.array_equal(shared(), EXPECTED)
        assert np.array_equal(shared(ITEMS + 1), EXPECTED + 1)


@pytest.mark.usefixtures("new_crew")
def test_pipes_wake_where_there_is_no_eventfd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "eventfd", raising=False)
    for _ in range(20):
        assert np.array_equal(shared(), EXPECTED)
        until(lambda: states() == [ASLEEP] * 3)


@pytest.mark.usefixtures("new_crew")
def test_helpers_sleep_on_if_their_caller_has_one_core() -> None:
    shared()
    until(lambda: states() == [ASLEEP] * 3)
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert np.array_equal(shared(), EXPECTED)
        assert states() == [ASLEEP] * 3
    finally:
        os.sched_setaffinity(0, allowed)


def test_python_wakes_as_many_threads_as_are_worth_it_where_the_crew_cannot_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No kernel moves items of three bytes.
    items, expected = (each.view("V2").astype("V3") for each in (ITEMS, EXPECTED))
    woken: list[int] = []

    def share(pieces: Any, memory: Any, workers: int, progress: Any) -> None:
        woken.append(workers)
        sharing.share(pieces, memory, workers, progress)

    monkeypatch.setattr(program, "share", share)
    for most in (1, 3):
        monkeypatch.setattr(program, "_BYTES_PER_THREAD", items.nbytes // most)
        execute._program.cache_clear()
        assert np.array_equal(reorder(items, SOURCE, TARGET, threads=8, backend="numba"), expected)
    assert woken == [3]
    execute._program.cache_clear()


def test_helpers_are_woken_for_long_calls_and_for_those_that_follow_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 1.0
    monkeypatch.setattr(crew, "perf_counter", lambda: now_s)
    one = crew.Crew()
    atexit.unregister(one._end)

    def woken(calls: int, pause_s: float) -> list[bool]:
        nonlocal now_s
        found = []
        for _ in range(calls):
            now_s += pause_s
            found.append(one.begin())
            one.end()
        return found

    assert woken(5, 1e-3) == [False] * 5
    assert woken(5, 1e-5) == [True] * 5  # the call before them was one of the burst
    assert woken(2, 1e-3) == [True, False]  # another burst was to be expected
    assert woken(2, 1e-5) == [True] * 2
    assert woken(2, 1e-3) == [False] * 2


@pytest.mark.usefixtures("new_crew")
def test_helpers_that_sleep_take_no_time() -> None:
    shared()
    until(lambda: states() == [ASLEEP] * 3)
    before_s = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before_s < 0.1


@pytest.mark.usefixtures("new_crew")
def test_many_callers_share_one_crew() -> None:
    def many(k: int) -> bool:
        return all(np.array_equal(shared(ITEMS + k), EXPECTED + k) for _ in range(20))

    with ThreadPoolExecutor(6) as callers:
        assert all(callers.map(many, range(12)))
    assert sum(each.name.startswith("reorder-helper") for each in threading.enumerate()) >= 3
    until(lambda: states() == [ASLEEP] * 3)


@pytest.mark.usefixtures("new_crew")
def test_helpers_that_do_not_come_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "_help", lambda *_work: None)
    for _ in range(3):
        assert np.array_equal(shared(), EXPECTED)
        assert states() == [READY] * 3


@pytest.mark.usefixtures("new_crew")
@pytest.mark.parametrize(
    ("where", "what", "error"),
    [(crew, "_bell", OSError), (threading.Thread, "start", RuntimeError)],
    ids=["no file", "no thread"],
)
def test_a_system_that_allows_no_helper_allows_the_reorder(
    monkeypatch: pytest.MonkeyPatch, where: Any, what: str, error: type[Exception]
) -> None:
    def refuses(*_arguments: object) -> None:
        raise error

    before = open_files()
    monkeypatch.setattr(where, what, refuses)
    assert np.array_equal(shared(), EXPECTED)
    assert open_files() == before


@pytest.mark.usefixtures("new_crew")
def test_one_core_has_no_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "cores", lambda: 1)
    assert np.array_equal(shared(), EXPECTED)
    assert states() == []


@pytest.mark.usefixtures("new_crew")
def test_a_forked_child_closes_the_bells_and_has_its_own_crew() -> None:
    before = open_files()
    shared()
    of_parent = crew._here
    assert of_parent is not None
    of_parent._end()
    assert open_files() > before
    crew._in_child()
    assert open_files() == before
    assert np.array_equal(shared(), EXPECTED)
    assert crew._here is not of_parent


@pytest.mark.parametrize(
    "rest",
    [
        "shared()",
        "[shared() for _ in range(100)]",
        "threading.Thread(target=lambda: [shared() for _ in range(10**6)], daemon=True).start()\n"
        "[shared() for _ in range(50)]",
    ],
    ids=["after one", "after many", "during one"],
)
def test_a_process_ends_with_its_helpers(rest: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + rest], timeout=300, check=False, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
