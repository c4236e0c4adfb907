"""When compiled kernels serve: not while another thread loads them, not where they are broken."""

import sys
import threading
import time
import tomllib
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module, invalidate_caches, metadata
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import grimp
import pytest
from typer.testing import CliRunner

from app.cli import commands
from app.engine import KERNELS
from app.engine.reorder.kernels import loading as kernels_module
from app.engine.reorder.kernels.loading import Kernels, compiled, loading_in_background
from tests.places import ROOT


def kernels_that(compiling: Callable[[], Iterator[None]]) -> tuple[Kernels, Any]:
    """Kernels and their module, which compiles as ``compiling`` does."""
    module: Any = SimpleNamespace(compiling=compiling)
    return Kernels(lambda: module), module


def waiting() -> tuple[Kernels, threading.Event, threading.Event]:
    """Kernels that say when they begin to compile, and go on when they are told to."""
    begun, go_on = threading.Event(), threading.Event()

    def compiling() -> Iterator[None]:
        begun.set()
        assert go_on.wait(120)
        yield

    return kernels_that(compiling)[0], begun, go_on


@pytest.fixture(autouse=True)
def none_is_missing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No real kernel is looked for on disk: a missing one would be compiled first, for minutes."""
    monkeypatch.setattr(kernels_module, "_COMPILED", [])
    yield
    kernels_module.unusable.cache_clear()


def reorder_kernels() -> Kernels:
    """Those of the reorders, not yet loaded."""
    return Kernels(lambda: import_module("app.engine.reorder.kernels.runners"))


def broken_kernels() -> Kernels:
    """Some that cannot be imported."""
    return Kernels(lambda: import_module("app.engine.no_such_module"))


def test_no_call_waits_for_what_another_thread_brings() -> None:
    broken, (brought, begun, go_on) = broken_kernels(), waiting()
    # The filter comes before the thread, whose warning else is an error.
    everything = warnings.catch_warnings(record=True, action="always")
    with everything as told, loading_in_background(broken, brought):
        assert begun.wait(120)  # a broken module does not end the thread that loads
        assert brought.ready(worth_loading=True) is None
        go_on.set()
        while brought.ready() is None:
            time.sleep(0.01)
    assert broken.missing
    assert broken.ready(worth_loading=True) is None
    assert "NumPy replaces it: ModuleNotFoundError" in str(told[0].message)


def test_loading_ends_with_its_block() -> None:
    left, first = threading.Event(), threading.Event()
    compiled_names = []

    def compiling() -> Iterator[None]:
        for name in ("one", "two"):
            compiled_names.append(name)
            first.set()
            assert left.wait(120)
            yield

    unfinished, _ = kernels_that(compiling)
    with loading_in_background(unfinished):
        assert first.wait(120)
        threading.Timer(0.05, left.set).start()
    assert compiled_names == ["one"]
    assert unfinished.ready() is None


def test_numpy_serves_where_numba_has_an_untested_version(monkeypatch: pytest.MonkeyPatch) -> None:
    version = "--version"
    whole = CliRunner().invoke(commands.app, [version]).output.splitlines()
    assert [line.split(" ")[0] for line in whole] == ["stridescope", "Python", "NumPy", "kernels:"]
    assert whole[-1] == f"kernels: Numba {metadata.version('numba')}"
    monkeypatch.setattr(metadata, "version", lambda _name: "0.99.1")
    kernels_module.unusable.cache_clear()
    asked = reorder_kernels()
    monkeypatch.setattr(commands, "KERNELS", (asked,))
    told = CliRunner().invoke(commands.app, [version]).output.splitlines()
    assert told[-1].startswith("kernels: NumPy (Numba 0.99.1 is not a tested")
    with pytest.warns(RuntimeWarning, match=r"NumPy replaces it: .*Numba 0\.99\.1 is not a tested"):
        assert asked.ready(worth_loading=True) is None
    assert asked.load() is None
    assert asked.missing


def test_the_tested_versions_of_numba_are_those_that_are_asked_for() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (fast,) = asked["project"]["optional-dependencies"]["fast"]
    (tested,) = kernels_module.TESTED
    low = tested.rstrip(".")
    assert fast.startswith(f"numba>={low}")
    assert fast.endswith(f",<0.{int(low.split('.')[1]) + 1}")
    assert f"numba=={tested}" in (ROOT / "requirements" / "runtime.lock").read_text()


def test_a_call_that_is_worth_it_loads_what_is_not_held_back() -> None:
    held, free = reorder_kernels(), reorder_kernels()
    with ExitStack() as outer:
        outer.enter_context(held.held_back())
        with pytest.raises(KeyError), held.held_back():
            raise KeyError
        assert held.ready(worth_loading=True) is None
        assert free.ready() is None
        assert isinstance(loaded := free.ready(worth_loading=True), ModuleType)
        assert free.ready() is loaded
    assert held.ready(worth_loading=True) is not None


def test_a_second_server_of_the_process_that_ends_leaves_the_first_its_kernels() -> None:
    others, _ = kernels_that(lambda: iter(()))
    shared, begun, go_on = waiting()
    with loading_in_background(shared):
        assert begun.wait(120)
        with loading_in_background(others), shared.held_back():
            pass
        assert shared.ready(worth_loading=True) is None
        go_on.set()
    assert shared.ready(worth_loading=True) is not None


def test_a_broken_module_is_tried_once_by_many_threads(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    tried: list[int] = []
    together = threading.Barrier(8)

    def fails() -> ModuleType:
        tried.append(threading.get_ident())
        raise ImportError

    broken = Kernels(fails)

    def call() -> None:
        together.wait()
        assert broken.load() is None

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tried) == len(recwarn) == 1


def test_all_of_them_can_be_compiled() -> None:
    for each in KERNELS:
        for _ in each.compiling():
            pass
        assert each.ready() is not None


KERNEL = """
import a_helper
from app.engine.reorder.kernels.loading import compiled

@compiled(a_helper)
def kernel(x):
    return a_helper.FACTOR * x
"""


def test_the_disk_cache_sees_a_change_of_a_helper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper, kernel = tmp_path / "a_helper.py", tmp_path / "a_kernel.py"
    kernel.write_text(KERNEL)
    for name in ("a_helper", "a_kernel"):  # these alone are forgotten: Numba is imported only once
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)

    def run(factor: int) -> tuple[int, bool]:
        """What a fresh process would return for 7, and whether it was compiled for that."""
        helper.write_text(f"FACTOR = {factor}")
        for name in ("a_helper", "a_kernel"):
            del sys.modules[name]
        invalidate_caches()
        made = import_module("a_kernel").kernel
        product = made(7)
        return product, sum(made.stats.cache_hits.values()) == 0

    assert run(2) == (14, True)
    assert run(2) == (14, False)
    assert run(3) == (21, True)
    assert run(2) == (14, False)
    # Text that is in no file has no folder for its cache.
    names: dict[str, Any] = {"__name__": "no_file"}
    exec("def twice(x):\n    return 2 * x", names)  # noqa: S102  # as above
    assert compiled()(names["twice"])(21) == 42


def test_kernels_name_all_modules_that_they_compile_in() -> None:
    graph = grimp.build_graph("app", include_external_packages=False)
    loading = "app.engine.reorder.kernels.loading"
    makers = {
        importer
        for importer in graph.find_modules_that_directly_import(loading)
        for found in graph.get_import_details(importer=importer, imported=loading)
        if "compiled" in found["line_contents"]
    }
    assert makers
    for name in makers:
        helpers = {each.__name__ for each in getattr(import_module(name), "HELPERS", ())}
        plain = "model.arrays model.errors reorder.children reorder.kernels.loading"
        upstream = graph.find_upstream_modules(name) - {
            f"app.engine.{each}" for each in (*plain.split(), "reorder.kernels.store")
        }
        assert helpers == upstream, name


def test_kernels_that_are_not_on_disk_are_compiled_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart: list[threading.Event] = []
    monkeypatch.setattr(kernels_module, "_compile_apart", apart.append)
    stats = SimpleNamespace(cache_path=str(tmp_path))
    kernel = SimpleNamespace(py_func=sum, stats=stats)
    monkeypatch.setattr(kernels_module, "_COMPILED", [kernel])
    (tmp_path / "module.sum_other-1.py311.nbi").touch()
    asked, _ = kernels_that(lambda: iter(()))
    with loading_in_background(asked):
        pass
    assert len(apart) == 1
    (tmp_path / "module.sum-7.py311.nbi").touch()
    again, _ = kernels_that(lambda: iter(()))
    with loading_in_background(again):
        pass
    assert len(apart) == 1


def test_the_other_process_reads_what_is_there_and_can_be_given_up() -> None:
    ended = threading.Event()
    assert kernels_module._compile_apart(ended) == 0
    ended.set()
    assert kernels_module._compile_apart(ended) < 0


def test_where_no_process_can_be_started_this_one_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_here = threading.Event()

    def compiling() -> Iterator[None]:
        compiled_here.set()
        yield

    brought, _ = kernels_that(compiling)
    monkeypatch.setattr(Kernels, "missing_on_disk", lambda _: True)
    monkeypatch.setattr(sys, "executable", "/no/such/program")
    with loading_in_background(brought):
        assert compiled_here.wait(120)
