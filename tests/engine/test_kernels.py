"""When compiled kernels serve: not while another thread loads them, not where they are broken."""

from __future__ import annotations

import hashlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from app.engine import KERNELS, kernels
from app.engine.kernels import Kernels, loading_in_background
from app.engine.reorders.numba import (
    instructions,
    kernel_runs,
    kernel_tables,
    kernel_transpose,
    vectors,
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernels, "in_background", False)


def kernels_that(monkeypatch: pytest.MonkeyPatch, compiling: Callable[[], Iterator[None]]) -> Any:
    """Kernels and their module, which compiles as ``compiling`` does."""
    module = SimpleNamespace(compiling=compiling)
    monkeypatch.setattr(kernels, "import_module", lambda _name: module)
    return Kernels("later"), module


def test_a_call_loads_them_only_if_it_is_worth_the_wait() -> None:
    asked = Kernels("app.engine.address.numba_kernels")
    assert asked.ready() is None
    loaded = asked.ready(worth_loading=True)
    assert isinstance(loaded, ModuleType)
    assert asked.ready() is loaded


def test_no_call_waits_for_what_another_thread_brings(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def compiling() -> Iterator[None]:
        begun.set()
        assert go_on.wait(10)
        yield

    brought, module = kernels_that(monkeypatch, compiling)
    with loading_in_background(brought):
        assert begun.wait(10)
        assert brought.ready(worth_loading=True) is None
        go_on.set()
        while (ready := brought.ready()) is None:
            pass
        assert ready is module


def test_loading_ends_with_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    left, first = threading.Event(), threading.Event()
    compiled_names = []

    def compiling() -> Iterator[None]:
        for name in ("one", "two"):
            compiled_names.append(name)
            first.set()
            assert left.wait(10)
            yield

    unfinished, _ = kernels_that(monkeypatch, compiling)
    with loading_in_background(unfinished):
        assert first.wait(10)
        threading.Timer(0.05, left.set).start()
    assert compiled_names == ["one"]
    assert unfinished.ready() is None


def test_numpy_serves_where_they_cannot_be_imported() -> None:
    broken = Kernels("app.engine.no_such_module")
    with pytest.warns(RuntimeWarning, match="NumPy serves: ModuleNotFoundError"):
        assert broken.ready(worth_loading=True) is None
    assert not broken.installed
    assert broken.ready(worth_loading=True) is None


def test_a_broken_module_does_not_end_the_thread_that_loads(
    recwarn: pytest.WarningsRecorder,
) -> None:
    warnings.simplefilter("always")
    broken, whole = (
        Kernels("app.engine.no_such_module"),
        Kernels("app.engine.address.numba_kernels"),
    )
    with loading_in_background(broken, whole):
        while whole.ready() is None:
            time.sleep(0.01)
    assert not broken.installed
    assert any("NumPy serves" in str(each.message) for each in recwarn)


def test_after_its_block_calls_may_load_again() -> None:
    later = Kernels("app.engine.address.numba_kernels")
    with loading_in_background():
        assert later.ready(worth_loading=True) is None
    assert later.ready(worth_loading=True) is not None


def test_all_of_them_can_be_compiled() -> None:
    for each in KERNELS:
        for _ in each.compiling():
            pass
        assert each.ready() is not None


def test_the_disk_cache_knows_of_a_change_of_the_intrinsics() -> None:
    texts = [Path(str(x.__file__)).read_bytes() for x in (kernel_tables, instructions, vectors)]
    digest = hashlib.sha256(b"".join(texts)).hexdigest()[:16]
    assert digest == kernel_runs.HELPERS == kernel_transpose.HELPERS, "write it into both"
