"""What a trace proves: the rules of ``findings`` where tensors, modules and lines are known.

Each rule says where it stays silent. All are certain, because storages tell tensors apart.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from .copies import Copy, copies_of, lost_of, moves_elements, own_copy
from .events import LoggedEvent, Operand, Recorded
from .findings import Code, Finding, slow_implementations, small_reorders
from .traces import TraceEvent

_Row = TypeVar("_Row")
_MOST_NAMED = 5  # operators in the text of a finding
_WEIGHTS_AT = 1  # the position of the weights among the operands of convolutions and products


def findings_of_trace(events: Sequence[TraceEvent], places: dict[int, int]) -> list[Finding]:
    """All findings, those that cost most first. ``places``: of events in the flattened run."""
    found = [
        *_copied(events, places),
        *_lost(events, places),
        *_round_trips(events, places),
        *_weights(events, places),
        *_conflicts(events, places),
    ]
    return sorted(found, key=lambda each: (-each.ms, -each.bytes))


def _groups(rows: Iterable[tuple[Hashable, _Row]]) -> Iterator[list[_Row]]:
    found: defaultdict[Hashable, list[_Row]] = defaultdict(list)
    for key, row in rows:
        found[key].append(row)
    yield from found.values()


def _made(
    code: Code, indices: Iterable[int], ms: float, size: int, text: str, places: dict[int, int]
) -> Finding:
    return Finding(code, "certain", tuple(places[i] for i in indices), ms, size, text, "")


def _times(rows: Sequence[object]) -> str:
    return f", {len(rows)} times" if len(rows) > 1 else ""


def _sizes(shape: Iterable[int] | None) -> str:
    return "x".join(map(str, shape or ()))


def _copied(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """Operators that copied into another order. Silent for copies in the same order, other types or
    devices, and elements that were repeated."""
    copies = [c for c in copies_of(events) if c.inner is None]
    keys = [(c.op, c.module, c.source, c.source_order, c.target_order) for c in copies]
    for alike in _groups(zip(keys, copies, strict=True)):
        first: Copy = alike[0]
        read = first.event.inputs[-1] if first.event.name == "copy" else first.event.inputs[0]
        text = (
            f"{first.event.where or 'An operator'} copies {_sizes(read.shape)} by {first.op} from "
            f"strides {first.source_order} to {first.target_order}{_times(alike)}: keep the order "
            "that it was written in, or ask its writer for this one."
        )
        ms = math.fsum(c.ms or 0.0 for c in alike)
        size = sum(c.bytes for c in alike)
        yield _made("copy", (c.event.index for c in alike), ms, size, text, places)


def _lost(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """Operators whose result gave up channels_last. Silent for explicit copies, and for results
    that no later operator reads as an image."""
    read_later: dict[int, int] = {}
    for event in events:
        for tensor in event.inputs:
            if tensor.storage is not None and len(tensor.shape or ()) >= 4:
                read_later[tensor.storage] = event.index
    rows = []
    for event in lost_of(events):
        if own_copy(event) is not None:
            continue
        kept = [t.storage for t in event.outputs if t.storage is not None]
        if any(read_later.get(storage, -1) > event.index for storage in kept):
            rows.append(((event.op, event.module, event.source), event))
    for alike in _groups(rows):
        first = alike[0]
        text = (
            f"{first.where or 'An operator'} reads channels_last and writes another order, by "
            f"{first.op}{_times(alike)}: put an operator there that keeps it, or convert once "
            "before the first layer that needs it."
        )
        size = sum(t.bytes for e in alike for t in (*e.inputs, *e.outputs))
        ms = math.fsum(e.spent_ms for e in alike)
        yield _made("format_lost", (e.index for e in alike), ms, size, text, places)


def _round_trips(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """A tensor that goes from X to Y and back to X, by oneDNN or by operators.

    Silent where anything reads the tensor in Y as it is: an operator between, a second branch; and
    in a backward pass, where the way back is the gradient's.
    """
    rows = []
    for event, reader in _read_once(events):
        pair = _back(event, reader)
        if pair is not None:
            rows.append((_between(event, reader), (event, reader, *pair)))
    for alike in _groups(rows):
        first, second, *_, orders = alike[0]
        text = (
            f"{_sizes(first.outputs[0].shape)} goes from {orders} and straight back, between "
            f"{first.where or first.op} and {second.where or second.op}{_times(alike)}: nothing "
            "reads it as it is between. Keep one layout through both, such as channels_last."
        )
        indices = (e.index for row in alike for e in row[:2])
        spent, moved = math.fsum(row[2] for row in alike), sum(row[3] for row in alike)
        yield _made("round_trip", indices, spent, moved, text, places)


def _read_once(events: Sequence[TraceEvent]) -> Iterator[tuple[TraceEvent, TraceEvent]]:
    """Operators of the forward pass with the one other that reads their result. A backward
    operator may read it too, if oneDNN converts it there as well."""
    readers: defaultdict[int, list[TraceEvent]] = defaultdict(list)
    for event in events:
        for storage in {t.storage for t in event.inputs if t.storage is not None}:
            if not _only_views(event):
                readers[storage].append(event)
    for event in events:
        out = event.outputs[0] if len(event.outputs) == 1 else None
        if out is None or out.storage is None or event.backward:
            continue
        later = [e for e in readers[out.storage] if e.index > event.index]
        forward = [e for e in later if not e.backward]
        if len(forward) != 1 or later[0] is not forward[0]:
            continue
        if all(_converts(each, event) for each in later[1:]):
            yield event, later[0]


def _between(writer: TraceEvent, reader: TraceEvent) -> tuple[str, ...]:
    """What equal pairs of operators have in common."""
    return writer.module, writer.source, reader.module, reader.source


def _conflicts(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """oneDNN computes a result in one layout, and the operator that reads it wants another.

    Silent where the caller gave both layouts, where the type changes, where another operator reads
    the result, and in backward passes. The same layout on both sides is a round trip.
    """
    rows = []
    for event, reader in _read_once(events):
        computed = [e for e in event.inner if e.primitive != "reorder"]
        moved, back = _first_reorder(reader), _last_reorder(event)
        if not computed or moved is None:
            continue
        user = next(e for e in reader.inner if e.primitive != "reorder")
        wrote = next((o for o in computed[-1].operands if o.role == "dst"), None)
        wanted = next((o for o in user.operands if o.key == moved.operands[-1].key), None)
        if wrote is None or wanted is None or not (wrote.chosen or wanted.chosen):
            continue
        handed = back.operands[-1] if back else wrote
        keys = wrote.key, wanted.key, handed.key
        if None in keys or wrote.key == wanted.key or handed.key != moved.operands[0].key:
            continue
        if wrote.dtype == wanted.dtype:
            key = (*_between(event, reader), wrote.layout, wanted.layout)
            rows.append((key, (event, reader, [*filter(None, (back, moved))], wrote, wanted)))
    for alike in _groups(rows):
        first, second, _, wrote, wanted = alike[0]
        text = (
            f"{first.where or first.op} computes {_sizes(wrote.shape)} as {_said(wrote)}, and "
            f"{second.where or second.op} reads it as {_said(wanted)}{_times(alike)}: give both "
            "the same layout, such as channels_last."
        )
        indices = (each.index for row in alike for each in row[:2])
        reorders = [each for row in alike for each in row[2]]
        spent = math.fsum(each.ms or 0.0 for each in reorders)
        size = sum(o.bytes or 0 for each in reorders for o in each.operands)
        yield _made("format_conflict", indices, spent, size, text, places)


def measured_findings(recorded: Recorded, events: Sequence[TraceEvent]) -> list[Finding]:
    """The rules of ``findings`` that times and implementations alone decide, with the operators
    that the executions ran below. ``recorded``: the trace, flattened; its operators in order."""
    within = recorded.within
    assert within is not None
    owners = np.where(within < 0, np.arange(len(within)), within)
    numbers = np.cumsum(within < 0) - 1  # of the operator at each place
    found = []
    for each in (*slow_implementations(recorded), *small_reorders(recorded)):
        causes = [events[int(numbers[owners[i]])] for i in each.events]
        names = list(dict.fromkeys(e.where or e.op for e in causes))
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        said = f"{each.text} It is {', '.join(names[:_MOST_NAMED])}{more}."
        found.append(replace(each, certainty="certain", text=said))
    return found


def _converts(reader: TraceEvent, writer: TraceEvent) -> bool:
    """Whether oneDNN converts, below the reader, what it wrote last below the writer."""
    last = _last_reorder(writer)
    wanted = last.operands[-1].key if last else None
    moved = [e for e in reader.inner if e.primitive == "reorder" and moves_elements(e)]
    return wanted is not None and any(e.operands[0].key == wanted for e in moved)


def _only_views(event: TraceEvent) -> bool:
    """Whether all results share memory with an operand, and nothing was written."""
    shared = {t.storage for t in event.inputs}
    return (
        not event.in_place
        and bool(event.outputs)
        and all(t.storage in shared for t in event.outputs)
    )


def _back(first: TraceEvent, second: TraceEvent) -> tuple[float, int, str] | None:
    """Times, bytes and the layouts of a way there and back, None if there is none."""
    there, back = _last_reorder(first), _first_reorder(second)
    if there and back:
        sides = [tuple(e.operands[i] for i in (0, 1)) for e in (there, back)]
        keys = [[o.key for o in pair] for pair in sides]
        if None in keys[0] or keys[0] != keys[1][::-1]:
            return None
        size = sum(o.bytes or 0 for pair in sides for o in pair)
        ms = math.fsum(e.ms or 0.0 for e in (there, back))
        return ms, size, f"{_said(sides[0][0])} to {_said(sides[0][1])}"
    moved = [pair for pair in (own_copy(first), own_copy(second)) if pair is not None]
    if len(moved) < 2:
        return None
    (start, middle), (_, end) = moved
    if start.shape != end.shape or start.order != end.order or start.dtype != end.dtype:
        return None
    size = sum(t.bytes for pair in moved for t in pair)
    return first.spent_ms + second.spent_ms, size, f"strides {start.strides} to {middle.strides}"


def _last_reorder(event: TraceEvent) -> LoggedEvent | None:
    """The reorder after an operator's last primitive, of its result."""
    last = event.inner[-1] if event.inner else None
    return last if last and last.primitive == "reorder" and moves_elements(last) else None


def _first_reorder(event: TraceEvent) -> LoggedEvent | None:
    """The reorder that makes the first operand of an operator's first primitive."""
    primitives = [e for e in event.inner if e.primitive != "reorder"]
    wanted = next((o.key for o in primitives[0].operands), None) if primitives else None
    for each in event.inner:
        if each.primitive != "reorder":
            return None
        if wanted is not None and each.operands[-1].key == wanted and moves_elements(each):
            return each
    return None


def _weights(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """Weights that oneDNN converts again although they did not change: the same storage, the same
    version. Silent for weights that a training step changed, and in backward passes."""
    rows = []
    for event in events:
        if event.backward or len(event.inputs) <= _WEIGHTS_AT:
            continue
        weights = event.inputs[_WEIGHTS_AT]
        used = {o.key for e in event.inner for o in e.operands if o.role.startswith("wei")}
        for inner in event.inner:
            if inner.primitive == "reorder" and moves_elements(inner):
                target = inner.operands[-1]
                if target.key in used - {None} and weights.storage is not None:
                    key = (weights.storage, weights.version, weights.offset, target.layout)
                    rows.append((key, (event, inner, target)))
    for alike in _groups(rows):
        if len(alike) < 2 or alike[0][0].inputs[_WEIGHTS_AT].version is None:
            continue
        event, _, target = alike[0]
        text = (
            f"{event.where or event.op} converts its weights {_sizes(target.shape)} to "
            f"{_said(target)}{_times(alike)}, and they did not change: convert them once "
            "(torch.utils.mkldnn.to_mkldnn, freezing, or torch.compile)."
        )
        ms = math.fsum(inner.ms or 0.0 for _, inner, _ in alike)
        size = sum(o.bytes or 0 for _, inner, _ in alike for o in inner.operands)
        yield _made("weights_each_call", (e.index for e, _, _ in alike), ms, size, text, places)


def _said(operand: Operand) -> str:
    return (operand.layout or "?").removeprefix("onednn:")
