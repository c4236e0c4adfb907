"""How much longer importing the engine takes than importing NumPy, in new interpreters.

    python benchmarks/imports/run.py [--rounds 15]

The statements take turns in subprocesses, so that a busy moment of the machine affects all of
them; medians are printed. Exit status 1 if the difference is too large, or if the engine imports
one of the packages that it should import only when they are needed.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
REQUIRED_S = 0.25
IMPORTS = {
    "nothing": "pass",
    "numpy": "import numpy",
    "app.engine": "import app.engine",
}
LATER = ("numba", "llvmlite", "cupy", "ml_dtypes", "pydantic", "rich")
CHECK = f"import sys, app.engine; print(*[m for m in {LATER!r} if m in sys.modules])"


def seconds(statement: str) -> float:
    """Wall-clock seconds of an interpreter that runs ``statement``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, cwd=ROOT)
    return time.perf_counter() - start


def main() -> int:
    """Measure in turn and print one table; return 1 if a requirement is missed, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _ in range(rounds + 1):
        for name, statement in IMPORTS.items():
            times[name].append(seconds(statement))
    medians = {name: statistics.median(taken[1:]) for name, taken in times.items()}
    extra = medians["app.engine"] - medians["numpy"]
    early = subprocess.run(
        [sys.executable, "-c", CHECK], check=True, cwd=ROOT, capture_output=True, text=True
    ).stdout.split()

    table = Table(title=f"Import in a new interpreter: medians of {rounds}")
    for heading in ("import", "seconds", "beyond numpy", "required"):
        table.add_column(heading, justify="left" if heading == "import" else "right")
    for name, taken in medians.items():
        beyond = taken - medians["numpy"]
        last = name == "app.engine"
        table.add_row(
            name,
            f"{taken:.3f}",
            f"{beyond:+.3f}" if last else "",
            f"< {REQUIRED_S}" if last else "",
        )
    Console(width=80).print(table)
    print("imported too early: " + (", ".join(early) or "nothing"))
    return int(extra >= REQUIRED_S or bool(early))


if __name__ == "__main__":
    sys.exit(main())
