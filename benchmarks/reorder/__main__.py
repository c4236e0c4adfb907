"""Time reorders and other libraries, print the table, then whether issue 13's requirements hold.

Run with the Python of the environment that has the other libraries (see requirements.txt in this
folder). Every contender reorders the same buffer into the same preallocated target, except JAX,
which allocates its own. Each result is checked bit for bit first. A figure is a ratio: bytes read
and written per second, divided by those of a copy of contiguous bytes in the same rounds. Each
row is measured at three places: ``own`` (both buffers begin 16 bytes after a line of memory, as
NumPy's own large arrays do), ``line`` (at one) and ``item`` (one item after one). Exit status 1
if a result was wrong, a contender is missing or failed, or a process ended early. Needs Linux.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.reorder import nibbles
from benchmarks.reorder.report import Row, acceptance, heading, line

_ROOT = Path(__file__).parents[2]
_BACKENDS = ("numpy", "numba")
_QUIET = 0.25  # load per CPU that a run may meet at its start


def main() -> int:
    """Measure each number of threads in its own process, one after the other."""
    asked_for = _arguments()
    began = time.monotonic()
    print(
        f"{_processor()}, {len(os.sched_getaffinity(0))} CPUs, Python {platform.python_version()}"
    )
    said: list[dict[str, Any]] = []
    failures: list[str] = []
    if asked_for.nibbles:
        with _pinned(1):
            failures += nibbles.print_rows(asked_for.only)
        asked_for.threads = []
    for threads in asked_for.threads:
        rows = _table(asked_for, threads, said, failures)
        print(f"\nRequired by issue 13, as measured with threads={threads}:")
        for text in acceptance(rows):
            print(text)
    print(f"\n{time.monotonic() - began:.0f} s in all")
    if asked_for.json:
        asked_for.json.write_text(json.dumps(said, indent=1), encoding="utf-8")
    for failure in failures:
        print(f"failed: {failure}")
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.reorder", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 rounds; only C = 64 and 30")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="of a row, as printed")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--backend", nargs="+", choices=_BACKENDS, default=list(_BACKENDS))
    parser.add_argument("--nibbles", action="store_true", help="only int4 beside int8")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row there")
    asked_for = parser.parse_args()
    most = len(os.sched_getaffinity(0))
    if any(not 0 < threads <= most for threads in asked_for.threads):
        parser.error(f"--threads: from 1 to the {most} CPUs of this process")
    return asked_for


def _table(
    asked_for: argparse.Namespace, threads: int, said: list[dict[str, Any]], failures: list[str]
) -> list[Row]:
    """Print each row when it is measured; add the worker's messages to ``said``, and failures."""
    rows: list[Row] = []
    names: list[str] = []
    for message in _said_by_worker(asked_for, threads, failures):
        said.append(message)
        if "versions" in message:
            names = list(message["versions"])
            print(f"\nthreads={threads}: ratios to `limit` (GB/s read and written); - is no result")
            print("  ".join(f"{name} {version}" for name, version in message["versions"].items()))
            for name, why in message["missing"].items():
                print(f"{name}: not available: {why}")
            failures += [
                f"threads={threads}: compared without {name}" for name in message["missing"]
            ]
            print(heading(names))
            continue
        row = Row.of(message)
        rows.append(row)
        print(line(row, names), flush=True)
        failures += [f"{name}, {row.case.label}: {why}" for name, why in row.refused.items()]
    return rows


def _said_by_worker(
    asked_for: argparse.Namespace, threads: int, failures: list[str]
) -> Iterator[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.reorder.worker", "--threads", str(threads)]
    command += ["--only", asked_for.only, *(["--quick"] if asked_for.quick else [])]
    for backend in asked_for.backend:
        command += ["--backend", backend]
    with (
        _pinned(threads),
        subprocess.Popen(
            command, cwd=_ROOT, env=_environment(threads), stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdout is not None
        for text in process.stdout:
            yield json.loads(text)
    if process.returncode:
        failures.append(f"threads={threads}: the process ended with {process.returncode}")


@contextmanager
def _pinned(threads: int) -> Iterator[None]:
    """Restrict this process and its children to as many CPUs as threads."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(every)[:threads])
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def _environment(threads: int) -> dict[str, str]:
    """The environment variables that the libraries read when they are imported."""
    pools = ("OMP", "MKL", "OPENBLAS", "NUMBA")
    environment = os.environ | {f"{pool}_NUM_THREADS": str(threads) for pool in pools}
    environment["JAX_PLATFORMS"] = "cpu"
    if threads == 1:
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return environment


def _processor() -> str:
    for text in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if text.startswith("model name"):
            return text.split(":", 1)[1].strip()
    return platform.machine()


if __name__ == "__main__":
    sys.exit(main())
