"""What the lines of a log prove, or make likely: each finding with its events, times and bytes.

A finding is wrong at a greater price than it is missing. So each rule says in its docstring where
it stays silent; the counter-examples are real logs (research of November 2026, PyTorch 2.13 with
oneDNN 3.12, oneDNN 2.6 and 3.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from .events import Execution, Operand, Recorded
from .joins import Repetition

Code = Literal[
    "round_trip",
    "weights_each_call",
    "format_conflict",
    "slow_implementation",
    "small_reorders",
    "format_lost",
    "copy",
]

COPY_BYTES_PER_MS: Final = 10_000_000  # an estimate: 10 GB/s, a copy of memory by one core
_CLOCK_MS: Final = 0.005  # below it, the clock of verbose mode is coarse
_SMALL_BYTES: Final = 1 << 16
_SMALL_TIMES_COPY: Final = 10
_SMALL_SHARE: Final = 0.05
_SMALL_LEAST: Final = 8
_SLOW_SHARE: Final = 0.01
_WEIGHTED: Final = {"convolution": 4, "deconvolution": 4, "inner_product": 2, "matmul": 2, "rnn": 3}
_NORMAL: Final = {("sum", "simple:any"), ("batch_normalization", "ncsp_bnorm:any")}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that costs time, with the events that show it.

    ``code``: its name. ``certainty``: ``certain`` where the source proves it, else ``likely``.
    ``events``: their indices. ``ms`` and ``bytes``: of these events. ``text``: what there is, and
    what to do. ``unseen``: what the source cannot show.
    """

    code: Code
    certainty: Literal["certain", "likely"]
    events: tuple[int, ...]
    ms: float
    bytes: int
    text: str
    unseen: str


def findings_of(log: Recorded, window: Repetition) -> list[Finding]:
    """All findings of a log, those that cost most first."""
    found = [
        *round_trips(log, window),
        *weights_each_call(log, window),
        *format_conflicts(log, window),
        *slow_implementations(log),
        *small_reorders(log),
    ]
    return sorted(found, key=lambda each: -each.ms)


def _made(
    log: Recorded,
    code: Code,
    events: npt.NDArray[np.int64],
    text: str,
    unseen: str,
    *,
    certain: bool = False,
) -> Finding:
    ms = log.ms[events]
    sizes = np.array([kind.bytes for kind in log.kinds], object)[log.ids[events]]
    return Finding(
        code,
        "certain" if certain else "likely",
        tuple(events.tolist()),
        float(ms[np.isfinite(ms)].sum()),
        int(sizes.sum()),
        text,
        unseen,
    )


def _sides(kind: Execution) -> tuple[Operand, Operand] | None:
    """Source and target of a reorder that moves elements of one type on one engine."""
    source, target = kind.operand("src"), kind.operand("dst")
    if not kind.is_reorder or source is None or target is None or "2" in kind.engine:
        return None
    if source.key is None or target.key is None or source.dtype != target.dtype:
        return None
    return None if source.key == target.key else (source, target)


def _grouped(window: Repetition, rows: Iterable[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """The rows of places whose lines are equal, together."""
    groups: defaultdict[tuple[int, ...], list[Sequence[int]]] = defaultdict(list)
    for row in rows:
        groups[tuple(id(window.kinds[at]) for at in row)].append(row)
    yield from groups.values()


def _spread(window: Repetition, rows: Iterable[Sequence[int]]) -> npt.NDArray[np.int64]:
    return window.occurrences({at for row in rows for at in row})


def _each_time(rows: Sequence[object], window: Repetition) -> str:
    times = f"{len(rows)} times" if len(rows) > 1 else "once"
    return f"{times} in each of {window.times} repetitions" if window.times > 1 else times


# Rules --------------------------------------------------------------------------------------------


def round_trips(log: Recorded, window: Repetition) -> Iterator[Finding]:
    """X to Y and, as the next line, Y to X of the same tensor.

    Silent where another tensor could be the source of the second (two branches of equal shape),
    where Y is read elsewhere, at a move of nothing (X and Y are the same memory), beside a backward
    pass (the way back is the gradient's), between engines, and where two repetitions meet.
    """
    rows = []
    for at in range(1, len(window.kinds)):
        first, second = _sides(window.kinds[at - 1]), _sides(window.kinds[at])
        if first is None or second is None or at in window.seams:
            continue
        if first[1].key != second[0].key or first[0].key != second[1].key or not first[1].key:
            continue
        beside = (window.previous_primitive[at - 1], window.next_primitive[at])
        if any(near is not None and window.kinds[near].backward for near in beside):
            continue
        key = first[1].key
        if window.source_of(at, key) == at - 1 and window.readers[key] == [at]:
            rows.append((at - 1, at))
    for alike in _grouped(window, rows):
        source, target = _sides(window.kinds[alike[0][0]]) or (None, None)
        assert source is not None
        assert target is not None
        text = (
            f"{_shape(source)} goes from {_said(source)} to {_said(target)} and straight back, "
            f"{_each_time(alike, window)}: keep it in {_said(source)}, or run both neighbours in "
            f"{_said(target)}."
        )
        unseen = (
            "The log has only oneDNN's primitives: an operator of the framework may stand between."
        )
        yield _made(log, "round_trip", _spread(window, alike), text, unseen)


def weights_each_call(log: Recorded, window: Repetition) -> Iterator[Finding]:
    """Constant weights that every repetition converts again.

    Silent without a repetition; where one repetition can follow itself (a result
    that it does not read is what it reads from outside) or something else ran before, because N
    equal layers look the same; in a backward pass, where weights
    change; where an earlier event writes the weights; for products of batches (attention).
    """
    if window.times < 2 or any(kind.backward for kind in window.kinds) or _chained(window):
        return
    if _has_own_beginning(log, window):
        return
    rows = []
    for at, kind in enumerate(window.kinds):
        source, target = kind.operand("src"), kind.operand("dst")
        reader = window.next_primitive[at]
        if not kind.is_reorder or source is None or target is None or reader is None:
            continue
        used = window.kinds[reader]
        weights = [each for each in used.operands if each.role.startswith("wei")]
        plain = used.primitive != "matmul" or len(target.shape or ()) == 2
        if used.primitive not in _WEIGHTED or not plain or target.key is None:
            continue
        if source.key is None or source.key == target.key:
            continue
        computed = any(w >= 0 for w in window.candidates(at, source.key))
        if not computed and any(each.key == target.key for each in weights):
            rows.append((at, reader))
    for alike in _grouped(window, rows):
        target = window.kinds[alike[0][0]].operand("dst")
        used = window.kinds[alike[0][1]]
        assert target is not None
        text = (
            f"Weights {_shape(target)} of {used.primitive} are converted to {_said(target)}, "
            f"{_each_time(alike, window)}: convert them once, before the first call "
            f"(PyTorch: torch.utils.mkldnn.to_mkldnn, freezing, or torch.compile)."
        )
        unseen = "The log does not name weights: equal sizes are taken for the same ones."
        yield _made(log, "weights_each_call", _spread(window, [r[:1] for r in alike]), text, unseen)


def _chained(window: Repetition) -> bool:
    """Whether a repetition can read what it wrote itself, as N layers of equal sizes do."""
    results = {
        each.key
        for at, kind in enumerate(window.kinds)
        for each in kind.writes()
        if each.key is not None and max(window.readers[each.key], default=-1) <= at
    }
    return any(window.comes_from_outside(key) for key in results)


def _has_own_beginning(log: Recorded, window: Repetition) -> bool:
    """Whether primitives ran before the repetitions that are not in them: the stem of a network
    whose equal layers then look like repetitions."""
    before = set(log.ids[: window.start].tolist()) - set(log.ids[window.first :].tolist())
    return any(not log.kinds[i].is_reorder for i in before)


def format_conflicts(log: Recorded, window: Repetition) -> Iterator[Finding]:
    """One primitive's result is converted for the next one, which wants another layout.

    Silent where the caller asked for the layouts (no marker ``a``), where the type changes, where
    either tensor has another reader or another possible writer, and at the network's edges.
    """
    rows = []
    for at, kind in enumerate(window.kinds):
        sides = _sides(kind)
        if sides is None or sides[0].key is None or sides[1].key is None:
            continue
        writer = window.source_of(at, sides[0].key)
        readers = window.readers[sides[1].key]
        if writer is None or len(readers) != 1 or window.readers[sides[0].key] != [at]:
            continue
        reader = readers[0]
        if reader < at or window.source_of(reader, sides[1].key) != at:
            continue
        pair = window.kinds[writer], window.kinds[reader]
        if any(each.is_reorder or each.backward for each in pair):
            continue
        written = [each for each in pair[0].writes() if each.key == sides[0].key]
        read = [each for each in pair[1].reads() if each.key == sides[1].key]
        if any(each.chosen for each in (*written, *read)):
            rows.append((writer, at, reader))
    for alike in _grouped(window, rows):
        before, between, after = (window.kinds[place] for place in alike[0])
        source, target = _sides(between) or (None, None)
        assert source is not None
        assert target is not None
        text = (
            f"{before.primitive} ({before.implementation}) writes {_shape(source)} as "
            f"{_said(source)}, {after.primitive} ({after.implementation}) reads {_said(target)}, "
            f"{_each_time(alike, window)}: give both the same layout."
        )
        unseen = "The log has no names of tensors: shape, type and layout allow this reading alone."
        yield _made(log, "format_conflict", _spread(window, [r[1:2] for r in alike]), text, unseen)


def slow_implementations(log: Recorded) -> Iterator[Finding]:
    """A reference or a gemm implementation where the same primitive and types ran compiled code.

    Silent where no other ran for these types, for implementations that are the usual ones, where
    the times are the clock's noise, and where they take no more than their share.
    """
    count = np.bincount(log.ids, minlength=len(log.kinds))
    finite = np.where(np.isfinite(log.ms), log.ms, 0.0)
    ms = np.bincount(log.ids, finite, minlength=len(log.kinds))
    total = float(finite.sum())
    groups: defaultdict[tuple[str, tuple[str | None, ...]], list[int]] = defaultdict(list)
    for i, kind in enumerate(log.kinds):
        types = tuple(sorted({each.dtype or "" for each in kind.operands}))
        groups[kind.primitive, types].append(i)
    for (primitive, _), members in groups.items():
        fast = [i for i in members if _is_compiled(log.kinds[i])]
        slow = [i for i in members if _is_slow(log.kinds[i])]
        calls, spent = count[slow].sum(), float(ms[slow].sum())
        if not fast or not slow or spent <= _SLOW_SHARE * total or spent <= calls * _CLOCK_MS:
            continue
        if spent / float(ms[members].sum()) <= calls / count[members].sum():
            continue
        names = ", ".join(sorted({log.kinds[i].implementation for i in slow}))
        others = ", ".join(sorted({log.kinds[i].implementation for i in fast}))
        reasons = [r for i in slow for r in log.reasons.get(_problem(log.kinds[i]), ())]
        said = f" The log says why: {'; '.join(dict.fromkeys(reasons[:3]))}." if reasons else ""
        text = (
            f"{primitive} ran as {names} {calls} times, where calls with the same types ran as "
            f"{others}: change what these calls have of their own (sizes, layout, post-ops).{said}"
        )
        unseen = "" if reasons else "Why the others refused is in the log at level dispatch."
        events = np.flatnonzero(np.isin(log.ids, slow))
        yield _made(log, "slow_implementation", events, text, unseen, certain=bool(reasons))


def _problem(kind: Execution) -> tuple[str, ...]:
    return kind.primitive, kind.prop, kind.auxiliary, kind.problem


def _is_slow(kind: Execution) -> bool:
    name = kind.implementation.partition(":")[0]
    slow = name in {"ref", "simple", "gemm"} or name.startswith(("ref_", "simple_"))
    return slow and (kind.primitive, kind.implementation) not in _NORMAL


def _is_compiled(kind: Execution) -> bool:
    return kind.implementation.startswith(("jit", "br"))


def small_reorders(log: Recorded) -> Iterator[Finding]:
    """Reorders of few bytes that take far longer than a copy of these bytes, in sum a share.

    A kind counts by the median of its repetitions without the first call. Silent for times at the
    clock's step, and for kinds that ran less than three times.
    """
    total = float(log.ms[np.isfinite(log.ms)].sum())
    order = np.argsort(log.ids, kind="stable")
    ends = np.cumsum(np.bincount(log.ids, minlength=len(log.kinds)))
    events, typical = [], 0.0
    for i, kind in enumerate(log.kinds):
        places = order[ends[i - 1] if i else 0 : ends[i]][1:]
        if not kind.is_reorder or not 0 < kind.bytes <= 2 * _SMALL_BYTES or len(places) < 2:
            continue
        times = log.ms[places]
        median = float(np.median(times)) if np.isfinite(times).all() else 0.0
        copy_ms = kind.bytes / 2 / COPY_BYTES_PER_MS
        if median > _CLOCK_MS and median > _SMALL_TIMES_COPY * copy_ms:
            events.append(places)
            typical += median * len(places)
    if sum(map(len, events)) < _SMALL_LEAST or typical <= _SMALL_SHARE * total:
        return
    found = np.sort(np.concatenate(events))
    text = (
        f"{len(found)} reorders of at most {_SMALL_BYTES // 1024} KiB take {typical:.3g} ms, more "
        f"than {_SMALL_TIMES_COPY} times a copy of their bytes (an estimate): the call costs it. "
        "Use larger batches, or one layout for these tensors."
    )
    unseen = "A time holds what the threads wait for as well."
    yield _made(log, "small_reorders", found, text, unseen)


def _shape(operand: Operand) -> str:
    return "x".join(map(str, operand.shape or ()))


def _said(operand: Operand) -> str:
    return (operand.layout or "?").removeprefix("onednn:")
