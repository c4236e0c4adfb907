"""Kernels compiled ahead of time: which of them a processor runs, and that nothing is written."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.engine.reorder.kernels import store as kernel_store
from app.engine.reorder.kernels.store import LEVELS, environment, fitting
from tests.places import ROOT

MACHINE = platform.machine()
LOWEST = list(LEVELS[MACHINE])[-1]
KERNEL = """
from app.engine.reorder.kernels.loading import compiled

@compiled()
def kernel(x):
    return 3 * x
"""
# Prints what a process finds, if asked on a processor with the features of the lowest level alone.
CLIENT = """
import json, platform, sys
from llvmlite import binding
from app.engine.reorder.kernels.store import LEVELS
from app.engine.reorder.kernels.loading import Kernels
lowest = list(LEVELS[platform.machine()].values())[-1]
features = binding.get_host_cpu_features()
has = type(features)((name, name in lowest) for name in features)
if "as lowest" in sys.argv:
    binding.get_host_cpu_features = lambda: has
def module():
    import a_kernel
    return a_kernel
kernel = Kernels(module).load().kernel
product = kernel(7)
import numba
text = "".join(kernel.inspect_asm().values()) if not kernel.stats.cache_hits else ""
print(json.dumps({
    "product": product, "read": sum(kernel.stats.cache_hits.values()),
    "level": numba.config.CPU_NAME, "wide": "zmm" in text,
}))
"""


@pytest.mark.parametrize("level", LEVELS["x86_64"])
def test_a_processor_without_one_feature_of_a_level_does_not_run_it(level: str) -> None:
    needed = LEVELS["x86_64"][level]
    assert level in fitting(dict.fromkeys(needed, True), "x86_64")
    for missing in needed:
        has = {name: name != missing for name in needed}
        assert level not in fitting(has, "x86_64"), missing


def test_the_highest_level_is_first_and_holds_the_lower_ones() -> None:
    v4, v3 = LEVELS["x86_64"].values()
    assert fitting(dict.fromkeys(v4, True), "x86_64") == ["x86-64-v4", "x86-64-v3"]
    assert v3 < v4
    assert fitting({}, "aarch64") == ["generic"]
    assert fitting({"avx2": True}, "riscv64") == []


def run(folder: Path, variables: dict[str, str], *said: str) -> dict[str, Any]:
    """What a fresh process finds that imports the kernel in ``folder``."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, *said],
        cwd=folder,
        env={**kept, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_store_is_read_and_never_written(tmp_path: Path) -> None:
    (tmp_path / "a_kernel.py").write_text(KERNEL)
    store = tmp_path / "store"
    made = run(tmp_path, environment(LOWEST, store))
    assert made == {"product": 21, "read": 0, "level": LOWEST, "wide": False}

    def files() -> dict[Path, float]:
        return {path: path.stat().st_mtime for path in store.rglob("*")}

    before = files()
    assert before
    found = run(tmp_path, {kernel_store.VARIABLE: str(store)}, "as lowest")
    assert found == {"product": 21, "read": 1, "level": LOWEST, "wide": False}
    # Another source is another kernel: it is compiled for the level, and kept for this process.
    (tmp_path / "a_kernel.py").write_text(KERNEL.replace("3 *", "5 *"))
    found = run(tmp_path, {kernel_store.VARIABLE: str(store)}, "as lowest")
    assert found == {"product": 35, "read": 0, "level": LOWEST, "wide": False}
    assert files() == before
    # Where no level fits, Numba compiles for the machine.
    (tmp_path / "nothing").mkdir()
    found = run(tmp_path, {kernel_store.VARIABLE: str(tmp_path / "nothing")})
    assert (found["product"], found["level"]) == (35, None)


def test_neither_a_writable_volume_nor_a_process_that_has_numba_reads_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LOWEST).mkdir()
    monkeypatch.setenv(kernel_store.VARIABLE, str(tmp_path))
    monkeypatch.setenv("NUMBA_CPU_NAME", LOWEST)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert kernel_store.level() == tmp_path / LOWEST
    monkeypatch.setitem(sys.modules, "numba", sys)
    assert kernel_store.level() is None
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.setenv("NUMBA_CPU_NAME", "another")
    assert kernel_store.level() is None
    monkeypatch.setenv("NUMBA_CPU_NAME", LOWEST)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "volume"))
    assert kernel_store.level() is None
    kernel_store._remove(str(tmp_path), os.getppid())  # as a forked child, which leaves it
    assert tmp_path.is_dir()
