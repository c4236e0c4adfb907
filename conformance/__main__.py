"""Run the same cases in the engine and in the installed libraries, and print the differences.

Exit status 1 for any mismatch, for a library that is not installed, for a comparison without cases
and for fewer than 20,000 cases in all.
"""

import argparse
import importlib
import json
import random
import sys
import time
import warnings
from pathlib import Path

from conformance.report import Comparison, table

_SUITES = (
    "onednn",
    "code",
    "torch",
    "numpy",
    "calls",
    "tvm",
    "cute",
    "cutlass",
    "xla",
    "mlir",
    "network",
    "onnxruntime",
    "openvino",
    "export",
    "inductor",
    "relax",
    "cachegrind",
    "tensor_layouts",
    "traces",
)
_LEAST_CASES = 20_000


def main() -> int:
    """Run the suites named on the command line, by default all; return the exit status."""
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("suites", nargs="*", default=_SUITES, help="by default all")
    parser.add_argument("--seed", type=int, default=1, help="of the random cases")
    asked_for = parser.parse_args()
    if unknown := set(asked_for.suites) - set(_SUITES):
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    warnings.simplefilter("error")
    comparisons: list[Comparison] = []
    missing = not_installed()
    notes: list[str] = []
    for name in asked_for.suites:
        began = time.monotonic()
        try:
            suite = importlib.import_module(f"conformance.{name}_suite")
            comparisons += list(suite.compare(random.Random(asked_for.seed)))
            notes.append(suite.not_compared())
        except (ImportError, OSError) as error:
            missing.append((name, str(error).splitlines()[0]))
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return verdict(comparisons, missing, notes, whole=set(asked_for.suites) == set(_SUITES))


def not_installed() -> list[tuple[str, str]]:
    """The requirements that install.py could not install, each with the reason."""
    noted = Path(sys.prefix) / "not-installed.json"
    if not noted.exists():
        return []
    return [(str(name), str(why)) for name, why in json.loads(noted.read_text("utf-8")).items()]


def verdict(
    comparisons: list[Comparison],
    missing: list[tuple[str, str]],
    notes: list[str],
    *,
    whole: bool,
) -> int:
    """Print the results; return 0 if everything was compared without a mismatch, else 1."""
    print(table(comparisons, missing))
    for comparison in comparisons:
        for first in comparison.first:
            print(f"\nmismatch: {comparison.dialect}, {comparison.what}\n    {first}")
    print("\nNot compared live:\n" + "\n".join(note for note in notes if note))
    cases = sum(c.cases for c in comparisons)
    mismatches = sum(c.mismatches for c in comparisons)
    print(f"\n{cases:,} cases, {mismatches:,} mismatches")
    failures = [f"{name} is not installed" for name, _ in missing]
    failures += [f"{c.dialect}, {c.what}: no cases" for c in comparisons if not c.cases]
    if mismatches:
        failures.append("the engine and a library disagree")
    if whole and cases < _LEAST_CASES:
        failures.append(f"fewer than {_LEAST_CASES:,} cases")
    for failure in failures:
        print(f"failed: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
