"""The lines of the table, and the requirements of issues 4 and 13."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.reorder.cases import Case

PEERS = ("naive", "torch", "onednn", "opencv", "jax")
_NOISE = 0.95  # medians of the same code within one run differ by this much
_CLOSE = 0.85  # least ratio to the best peer if a peer is faster
_MOST_ROWS = 0.95
_KEPT = 0.8  # least ratio to the same row at a line of memory
_BLOCKED_GAIN = 1.5
_LIMITS = {"64 MB": (0.85, 0.5), "1 MB": (0.7, 0.45)}  # median and least ratio to the limit
_SHOWN = 5  # rows that are listed if a requirement does not hold


@dataclass(frozen=True, slots=True)
class Row:
    """One measured case; ``ratios`` are to the limit, by contender."""

    case: Case
    threads: int
    limit_bytes_per_s: float
    ratios: dict[str, float]
    rounds: dict[str, int]
    refused: dict[str, str]

    @staticmethod
    def of(said: dict[str, Any]) -> Row:
        """From the worker's JSON."""
        case = Case(**{**said["case"], "shape": tuple(said["case"]["shape"])})
        rest = ("threads", "limit_bytes_per_s", "ratios", "rounds", "refused")
        return Row(case, **{key: said[key] for key in rest})

    @property
    def best_peer(self) -> float:
        """The ratio of the fastest peer with a right result."""
        return max(self.ratios[name] for name in PEERS if name in self.ratios)


def heading(names: Iterable[str]) -> str:
    """The column names; a contender's column has its ratio to the limit."""
    columns = "".join(f"{name:>9}" for name in names)
    where = f"{'pair':<19} {'dtype':<8} {'shape':<16} {'size':<6} {'at':<5}"
    return f"{where} {'limit':>6}{columns}  fastest"


def line(row: Row, names: Iterable[str]) -> str:
    """A row: the limit in GB/s read and written, then ratios; ~ marks a single timing."""
    case = row.case
    shape = "x".join(map(str, case.shape))
    pair = f"{case.source}->{case.target}"
    limit = f"{row.limit_bytes_per_s / 1e9:.1f}"
    cells = "".join(f"{_cell(row, name):>9}" for name in names)
    fastest = max(row.ratios, key=lambda name: row.ratios[name], default="-")
    where = f"{pair:<19} {case.dtype:<8} {shape:<16} {case.size:<6} {case.placed:<5}"
    return f"{where} {limit:>6}{cells}  {fastest}"


def _cell(row: Row, name: str) -> str:
    if name in row.refused:
        return "failed"
    if name not in row.ratios:
        return "-"
    ratio = row.ratios[name]
    mark = "~" if row.rounds[name] == 1 else ""
    return f"{mark}{ratio:.2f}" if ratio >= 0.1 else f"{mark}{ratio:.3f}"


def acceptance(rows: list[Row]) -> list[str]:
    """The requirements for the rows of one thread count, with figures and verdicts.

    All but the ones on placements are for NumPy's own arrays.
    """
    own = [row for row in rows if row.case.placed == "own"]
    fast = [row for row in own if "numba" in row.ratios]
    plain = [row for row in own if "numpy" in row.ratios]
    lines = [_against_limit(fast, size) for size in _LIMITS]
    lines += [_weak_spots(fast), _against_peers(fast), *_against_naive(plain)]
    return lines + [_against_line(rows, placed) for placed in ("own", "item")]


def _against_line(rows: list[Row], placed: str) -> str:
    """Whether rows placed elsewhere keep their speed: bytes per second, not ratios to a copy."""
    at_line = {
        replace(row.case, placed="own"): row.limit_bytes_per_s * row.ratios["numba"]
        for row in rows
        if row.case.placed == "line" and "numba" in row.ratios
    }

    def kept(row: Row) -> float:
        there = at_line[replace(row.case, placed="own")]
        return row.limit_bytes_per_s * row.ratios["numba"] / there

    chosen = [
        row
        for row in rows
        if row.case.placed == placed
        and "numba" in row.ratios
        and replace(row.case, placed="own") in at_line
    ]
    what = f"numba, {placed}: at least {_KEPT} of the speed at a line of memory"
    return _judged(what, chosen, kept, least=_KEPT)


def _against_limit(rows: list[Row], size: str) -> str:
    median, least = _LIMITS[size]
    what = f"numba, {size}: median >= {median} of the limit, none below {least}"
    chosen = [row for row in rows if row.case.size == size and not row.case.weak_spot]
    return _judged(what, chosen, lambda row: row.ratios["numba"], least=least, median=median)


def _weak_spots(rows: list[Row]) -> str:
    chosen = [row for row in rows if row.case.weak_spot]
    what = f"numba, int8 to CHWN4 and C=3: not below the best peer (noise: {_NOISE})"
    return _judged(what, chosen, _to_best_peer, least=_NOISE)


def _against_peers(rows: list[Row]) -> str:
    what = f"numba: faster than every peer in >= {_MOST_ROWS:.0%} of rows, else >= {_CLOSE} of it"
    return _judged(what, rows, _to_best_peer, least=_CLOSE, faster=_MOST_ROWS)


def _to_best_peer(row: Row) -> float:
    return row.ratios["numba"] / row.best_peer


def _against_naive(rows: list[Row]) -> list[str]:
    chosen = [row for row in rows if "naive" in row.ratios]
    blocked = [row for row in chosen if row.case.blocked]
    return [
        _judged(f"numpy: never slower than naive (noise: {_NOISE})", chosen, _gain, least=_NOISE),
        _judged(
            f"numpy, blocked pairs: median >= {_BLOCKED_GAIN} of naive",
            blocked,
            _gain,
            median=_BLOCKED_GAIN,
        ),
    ]


def _gain(row: Row) -> float:
    return row.ratios["numpy"] / row.ratios["naive"]


def _judged(
    what: str,
    rows: list[Row],
    figure: Callable[[Row], float],
    *,
    least: float = 0.0,
    median: float = 0.0,
    faster: float = 0.0,
) -> str:
    """Whether the rows hold: ``faster`` is the share of rows whose figure must exceed 1."""
    if not rows:
        return f"{'not measured':<13} {what}"
    figures = sorted(((figure(row), row.case.label) for row in rows), key=lambda one: one[0])
    values = [value for value, _ in figures]
    share = sum(value > 1 for value in values) / len(values)
    holds = values[0] >= least and statistics.median(values) >= median and share >= faster
    said = f"{len(values)} rows, median {statistics.median(values):.2f}, least {values[0]:.2f}"
    if faster:
        said += f", above 1 in {share:.0%}"
    lines = [f"{'holds' if holds else 'DOES NOT HOLD':<13} {what}", f"{'':<14}{said}"]
    low = max(least, 1.0 if share < faster else 0.0)
    lines += [f"{'':<14}{value:.2f} {label}" for value, label in figures[:_SHOWN] if value < low]
    return "\n".join(lines)
