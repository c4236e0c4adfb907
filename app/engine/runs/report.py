"""A run as the API answers it: versions, totals, findings, what repeats and what reads what."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from ..model.errors import refusal
from .copies import own_copy
from .events import Execution, Operand, OtherLines, Recorded, Skipped
from .finding import COPY_BYTES_PER_MS, Finding, grouped
from .findings import findings_of, untold_trips
from .joins import Link, Period, Repetition, period_of
from .onednn_log import is_onednn_log, read_onednn_log
from .onnxruntime_profile import ModelNode, is_profile, read_profile
from .trace_findings import findings_of_trace
from .traces import Trace, TraceEvent, TraceTensor, is_trace, loaded

RunKind = Literal["onednn-verbose", "onnxruntime-profile", "stridescope-trace"]

MOST_LINKED: Final = 2000  # events whose readers are listed
_MOST_ROWS: Final = 1000  # of a table of totals
_KEYS: Final = ("primitive", "implementation", "engine", "prop", "auxiliary", "problem")


@dataclass(frozen=True, slots=True)
class TimeShare:
    """Events of one ``name``. ``share``: of the milliseconds of all events, from 0 to 1."""

    name: str
    events: int
    ms: float
    share: float


@dataclass(frozen=True, slots=True)
class LayoutPair:
    """Reorders from one layout to another, null where the log does not say it.

    ``bytes``: read and written. ``median_ms``: of one. ``gb_per_s``: by the medians, null for times
    of 0. ``copy_ms``: an estimate of what copies of these bytes take, at 10 GB/s.
    """

    source: str | None
    target: str | None
    events: int
    ms: float
    bytes: int
    median_ms: float | None
    gb_per_s: float | None
    copy_ms: float


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all events, those beyond the list included.

    ``reorder_bytes``: what all reorders read and write; ``reorder_bytes_at_least``: some are not
    known, or may be more. ``ms``: of the times that are numbers; ``without_time``: how many are
    none; ``zero_or_less``: how many are 0 or negative, which the clock of verbose mode can give.
    """

    events: int
    ms: float
    reorders: int
    reorder_ms: float
    reorder_bytes: int
    reorder_bytes_at_least: bool
    without_time: int
    zero_or_less: int
    primitives: tuple[TimeShare, ...]
    implementations: tuple[TimeShare, ...]
    layout_pairs: tuple[LayoutPair, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What a log, a profile or a trace says.

    ``kind``: what it was read as. ``versions``, ``header``: what it says of the program.
    ``others``: understood lines that are no event. ``period``: what repeats at its
    end, null if nothing does. ``links``: who read what whom wrote, in the first 2,000 events of the
    last repetition; ``one_of`` candidates. ``skipped``: lines that were not understood.
    ``notes``: what a reader of the numbers has to know. ``recorded``: the events. ``trace``: what
    they were read from, of a trace.
    """

    kind: RunKind
    versions: tuple[str, ...]
    header: tuple[str, ...]
    totals: Totals
    findings: tuple[Finding, ...]
    period: Period | None
    links: tuple[Link, ...]
    others: tuple[OtherLines, ...]
    skipped: Skipped
    notes: tuple[str, ...]
    recorded: Recorded
    trace: Trace | None = None


def run_of(kind: RunKind, log: Recorded) -> Run:
    """The run of a log that was read."""
    period = period_of(log.ids)
    window = Repetition(log, period)
    found = findings_of(log, window)
    log = replace(log, notes=(*log.notes, *untold_trips(window, found)))
    return _made(kind, log, period, found, window.links(MOST_LINKED))


def _made(
    kind: RunKind,
    log: Recorded,
    period: Period | None,
    findings: Iterable[Finding],
    links: Iterable[Link],
    trace: Trace | None = None,
) -> Run:
    return Run(
        kind, log.versions, log.header, totals_of(log), tuple(findings), period, tuple(links),
        log.others, log.skipped, log.notes, log, trace,
    )  # fmt: skip  # twelve short arguments


def run_of_trace(trace: Trace) -> Run:
    """The run of a trace: each operator, then oneDNN's executions below it.

    An operator's time is what is left of it without those.
    """
    kinds: dict[Hashable, int] = {}
    listed: list[Execution] = []
    rows: list[tuple[int, float, int]] = []
    places: dict[int, int] = {}
    for event in trace.events:
        places[event.index] = at = len(rows)
        below = math.fsum(each.ms or 0.0 for each in event.inner)
        own = math.nan if event.ms is None else max(event.ms - below, 0.0)
        calls = [(_of_operator(event), own, -1)]
        for each in event.inner:
            facts = {name: getattr(each, name) for name in Execution.__dataclass_fields__}
            calls.append((Execution(**facts), math.nan if each.ms is None else each.ms, at))
        for call, ms, within in calls:
            key = (*(getattr(call, name) for name in _KEYS), call.operands)
            if key not in kinds:
                kinds[key] = len(listed)
                listed.append(call)
            rows.append((kinds[key], ms, within))
    recorded = Recorded(
        tuple(listed),
        np.array([row[0] for row in rows], np.int32),
        np.array([row[1] for row in rows], np.float64),
        trace.versions,
        notes=trace.notes,
        within=np.array([row[2] for row in rows], np.int32),
    )
    found = findings_of_trace(recorded, trace.events, places)
    links = _links(trace.events[:MOST_LINKED], places)
    return _made("stridescope-trace", recorded, period_of(recorded.ids), found, links, trace)


def _links(events: Iterable[TraceEvent], places: dict[int, int]) -> Iterator[Link]:
    """Who read what whom wrote: an event reads what the last one left in the same storage."""
    writers: dict[int, int] = {}
    for event in events:
        at = places[event.index]
        moved = own_copy(event)
        for operand, tensor in enumerate(moved[:1] if moved else event.inputs):
            if tensor.storage in writers:
                yield Link(writers[tensor.storage], at, operand, 1)
        writers.update({t.storage: at for t in event.outputs if t.storage is not None})


def _of_operator(event: TraceEvent) -> Execution:
    moved = own_copy(event)
    sides = (("src", event.inputs), ("dst", event.outputs))
    if moved:
        sides = (("src", moved[:1]), ("dst", moved[1:]))
    operands = tuple(_operand(role, t) for role, tensors in sides for t in tensors)
    device = event.outputs[0].device if event.outputs else ""
    prop = "backward" if event.backward else ""
    copies = moved is not None
    return Execution(event.op, "", device, prop, operands, {}, event.source, event.module, copies)


def _operand(role: str, tensor: TraceTensor) -> Operand:
    if tensor.strides is None:
        return Operand(role, tensor.shape, tensor.dtype)
    strides = f"({', '.join(map(str, tensor.strides))}{',' * (len(tensor.strides) == 1)})"
    layout = f"{strides}+{tensor.offset}" if tensor.offset else strides
    return Operand(role, tensor.shape, tensor.dtype, layout, tensor.bytes)


def totals_of(log: Recorded) -> Totals:
    """The sums over all events."""
    finite = np.isfinite(log.ms)
    count = np.bincount(log.ids, minlength=len(log.kinds))
    ms = np.bincount(log.ids, np.where(finite, log.ms, 0.0), minlength=len(log.kinds))
    reorders = [i for i, kind in enumerate(log.kinds) if kind.is_reorder]
    sides = [log.kinds[i].operands for i in reorders]
    unknown = any(len(s) < 2 or any(o.bytes is None or o.at_least for o in s) for s in sides)
    rows = [row for row in zip(log.kinds, count.tolist(), ms.tolist(), strict=True) if row[1]]
    return Totals(
        len(log.ids),
        float(ms.sum()),
        int(count[reorders].sum()),
        float(ms[reorders].sum()),
        sum(log.kinds[i].bytes * int(count[i]) for i in reorders),
        unknown,
        int((~finite).sum()),
        int((log.ms <= 0).sum()),
        _shares((kind.primitive, n, t) for kind, n, t in rows),
        _shares((f"{kind.primitive} {kind.implementation}", n, t) for kind, n, t in rows),
        _pairs(log),
    )


def _shares(rows: Iterable[tuple[str, int, float]]) -> tuple[TimeShare, ...]:
    counts: dict[str, int] = {}
    times: dict[str, float] = {}
    for name, n, ms in rows:
        counts[name] = counts.get(name, 0) + n
        times[name] = times.get(name, 0.0) + ms
    total = sum(times.values())
    found = [
        TimeShare(name, n, times[name], times[name] / total if total > 0 else 0.0)
        for name, n in counts.items()
    ]
    return tuple(sorted(found, key=lambda each: -each.ms)[:_MOST_ROWS])


def _pairs(log: Recorded) -> tuple[LayoutPair, ...]:
    rows = []
    for kind, places in zip(log.kinds, log.places(), strict=True):
        if kind.is_reorder and len(places):
            source, target = map(kind.operand, ("src", "dst"))
            key = source.layout if source else None, target.layout if target else None
            rows.append((key, (kind, places)))
    found = []
    for key, members in grouped(rows).items():
        events = np.concatenate([places for _, places in members])
        times = log.ms[events]
        times = times[np.isfinite(times)]
        moved = sum(kind.bytes * len(places) for kind, places in members)
        median = float(np.median(times)) if len(times) else None
        speed = moved / len(events) / median / 1e6 if median is not None and median > 0 else None
        ms, copy_ms = float(times.sum()), moved / 2 / COPY_BYTES_PER_MS
        found.append(LayoutPair(*key, len(events), ms, moved, median, speed, copy_ms))
    return tuple(sorted(found, key=lambda each: -each.ms)[:_MOST_ROWS])


def read_run(
    log: str, kind: RunKind | None = None, *, nodes: Sequence[ModelNode] | None = None
) -> Run:
    """The run that a log, a profile or a saved trace describes. ``kind``: recognised by default.

    ``nodes``: of the optimised model that was saved beside a profile. Errors: LayoutError naming
    ``log``.

    >>> from stridescope import read_run
    >>> run = read_run(
    ...     "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
    ...     "dst_f32::blocked:aBcd16b:f0,,,2x48x21x12,0.0068"
    ... )
    >>> run.totals.reorders, run.totals.reorder_bytes
    (1, 193536)
    """
    found = kind or kind_of(log)
    if found is None:
        raise refusal("log", "text of another kind" if log.strip() else "no text", "run.log")
    if found == "stridescope-trace":
        return run_of_trace(loaded(log))
    if found == "onnxruntime-profile":
        return run_of(found, read_profile(log, nodes))
    return run_of(found, read_onednn_log(log))


def kind_of(log: str) -> RunKind | None:
    """What a text is, if it is that of a run."""
    if is_trace(log):
        return "stridescope-trace"
    if is_profile(log):
        return "onnxruntime-profile"
    if is_onednn_log(log):
        return "onednn-verbose"
    return None
