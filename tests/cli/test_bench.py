"""``stridescope bench``: a small run of the real thing, with NumPy alone."""

import json
from typing import Any

import numpy as np
import pytest

from app.cli import benchmark
from app.engine import parse_layout, reorder
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def _numpy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "available", lambda: ("numpy",))


def test_json_has_every_pair_and_the_machine(run: Run) -> None:
    result = run("bench", "--size", "100KB", "--rounds", "1", "--threads", "1", "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["machine"]["numpy"] == np.__version__
    assert answer["machine"]["cores"] > 0
    assert (answer["threads"], answer["rounds"]) == (1, 1)
    pairs = {(row["source"], row["target"], row["dtype"]) for row in answer["rows"]}
    assert len(pairs) == 9 * 3
    assert len(answer["rows"]) == 2 * len(pairs)
    for row in answer["rows"]:
        assert row["ratios"].keys() == {"numpy"}
        assert row["ratios"]["numpy"] > 0
        assert row["copy_bytes_per_s"] > 0
        assert 0.5 < row["size_bytes"] / row["about_bytes"] < 1.6


def test_the_table_names_backends_and_medians(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "_DTYPES", ("int8",))
    result = run("bench", "--size", "1MB", "--rounds", "1")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert f"numpy {np.__version__}" in lines[0]
    assert lines.count("about 1.0 MB") == 1  # the two sizes are one
    assert sum("int8" in line for line in lines) == 9
    assert sum(line.strip().startswith("median") for line in lines) == 1


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("64MB", 64_000_000), ("64MiB", 64 << 20), ("1.5 g", 1_500_000_000), ("200000", 200_000)],
)
def test_sizes(text: str, size_bytes: int) -> None:
    assert benchmark.tensor_bytes(text) == size_bytes


@pytest.mark.parametrize(
    "text",
    ["", "-1MB", "1e9", "64TB", "1KB", "999999GB", "1" * 400, "64\u212aB", "64M\u0131B", "６4MB"],
)
def test_sizes_refused(run: Run, text: str) -> None:
    result = run("bench", f"--size={text}")
    assert result.exit_code == 2
    assert result.stderr.startswith("stridescope: size: got")


def _case() -> benchmark.Case:
    shape = (16, 4, 3, 3)
    layouts = parse_layout("NCHW", shape), parse_layout("NHWC", shape)
    return benchmark.Case(*layouts, ("NCHW", "NHWC"), "int8", 576)


def _one_byte_off(*given: Any, out: Any, **named: Any) -> None:
    reorder(*given, out=out, **named)
    out[-1] ^= 1


def test_a_tensor_that_memory_does_not_hold_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_given: Any, **_named: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(benchmark, "measured", full)
    done = run("bench", "--size", "100KB")
    assert done.exit_code == 2
    assert done.stderr == "stridescope: memory: the tensor does not fit; expected one that does\n"


def test_what_differs_from_the_slow_path_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert benchmark.measured(_case(), threads=1, rounds=1)["ratios"]["numpy"] > 0
    monkeypatch.setattr(benchmark, "reorder", _one_byte_off)
    with pytest.raises(RuntimeError, match="numpy, NCHW to NHWC: differs from the slow path"):
        benchmark.measured(_case(), threads=1, rounds=1)
