"""What a trace proves: the rules of ``findings`` where tensors, modules and lines are known.

Each rule says where it stays silent. All are certain, because storages tell tensors apart.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from .copies import Copy, copies_of, lost_of, moves_elements, own_copy
from .events import LoggedEvent, Recorded, listed
from .finding import ONCE, Code, Finding, grouped, sizes, slow_implementations, small_reorders
from .findings import conversions
from .joins import Repetition
from .traces import TraceEvent, named

_WEIGHTS_AT = 1  # the position of the weights among the operands of convolutions and products


def findings_of_trace(
    recorded: Recorded, events: Sequence[TraceEvent], places: dict[int, int]
) -> list[Finding]:
    """All findings, those that cost most first. ``recorded``: the events with oneDNN's executions
    below them; ``places``: of the events in it."""
    found = [
        *_copied(events, places),
        *_lost(events, places),
        *_round_trips(events, places),
        *_weights(events, places),
        *_conflicts(events, places),
    ]
    explained = {place for each in found for place in each.events}
    found += [
        _with_operators(each, recorded, events)
        for each in (
            *conversions(recorded, Repetition(recorded, None), explained),
            *slow_implementations(recorded),
        )
    ]
    explained.update(place for each in found for place in each.events)
    found += [
        _with_operators(each, recorded, events) for each in small_reorders(recorded, explained)
    ]
    return sorted(found, key=lambda each: (-each.ms, -each.bytes))


def _made(code: Code, rows: Iterable[int], ms: float, size: int, text: str) -> Finding:
    return Finding(code, "certain", tuple(rows), ms, size, text, "")


def _reordered(
    code: Code, rows: Sequence[tuple[TraceEvent, LoggedEvent]], text: str, places: dict[int, int]
) -> Finding:
    """The finding of reorders below operators."""
    ms = math.fsum(inner.ms or 0.0 for _, inner in rows)
    size = sum(o.bytes or 0 for _, inner in rows for o in inner.operands)
    found = (places[event.index] + 1 + inner.index for event, inner in rows)
    return _made(code, found, ms, size, text)


def _times(rows: Sequence[object]) -> str:
    return f", {len(rows)} times" if len(rows) > 1 else ""


def _copied(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """Operators that copied into another order. Silent for copies in the same order, other types or
    devices, and elements that were repeated."""
    copies = [c for c in copies_of(events) if c.inner is None]
    keys = [(c.op, c.source, c.source_order, c.target_order) for c in copies]
    for alike in grouped(zip(keys, copies, strict=True)).values():
        first: Copy = alike[0]
        read = first.event.inputs[-1] if first.event.name == "copy" else first.event.inputs[0]
        text = (
            f"{named(c.event for c in alike)}: {first.op} copies {sizes(read.shape)} from "
            f"strides {first.source_order} to {first.target_order}{_times(alike)}. Leave it out "
            "where what follows can read the old order, or let the operator before write the new."
        )
        ms = math.fsum(c.ms or 0.0 for c in alike)
        size = sum(c.bytes for c in alike)
        yield _made("copy", (places[c.event.index] for c in alike), ms, size, text)


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
            rows.append(((event.op, event.source), event))
    for alike in grouped(rows).values():
        first = alike[0]
        text = (
            f"{named(alike)}: {first.op} reads channels_last and writes another order"
            f"{_times(alike)}. Put an operator there that keeps it, or convert once before the "
            "first layer that needs it."
        )
        size = sum(t.bytes for e in alike for t in (*e.inputs, *e.outputs))
        ms = math.fsum(e.spent_ms for e in alike)
        yield _made("format_lost", (places[e.index] for e in alike), ms, size, text)


def _round_trips(events: Sequence[TraceEvent], places: dict[int, int]) -> Iterator[Finding]:
    """A tensor that goes from X to Y and back to X, by oneDNN or by operators.

    Silent where anything reads the tensor in Y as it is: an operator between, a second branch; and
    in a backward pass, where the way back is the gradient's.
    """
    rows = []
    for event, reader in _read_once(events):
        trip = _back(event, reader)
        if trip is not None:
            rows.append(((event.source, reader.source, trip[1]), (event, reader, trip[0])))
    for (_, _, orders), alike in grouped(rows).items():
        shapes = listed(sizes(event.outputs[0].shape) for event, _, _ in alike)
        text = (
            f"{shapes} from {orders} and straight back{_times(alike)}, between "
            f"{named(event for event, _, _ in alike)} and {named(r for _, r, _ in alike)}: "
            "nothing reads it as it is between. Keep one layout through both, such as "
            "channels_last."
        )
        moved = [each for *_, trip in alike for each in trip]
        rows_ = (places[e.index] + (0 if i is None else 1 + i.index) for e, i, *_ in moved)
        ms, size = math.fsum(each[2] for each in moved), sum(each[3] for each in moved)
        yield _made("round_trip", rows_, ms, size, text)


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
        types = wrote.dtype, handed.key
        if (
            None in keys
            or wrote.key == wanted.key
            or types != (wanted.dtype, moved.operands[0].key)
        ):
            continue
        reorders = [*([(event, back)] if back else []), (reader, moved)]
        key = (event.source, reader.source, wrote.tag, wanted.tag)
        rows.append((key, (event, reader, wrote.shape, reorders)))
    for (_, _, wrote_as, read_as), alike in grouped(rows).items():
        text = (
            f"{named(row[0] for row in alike)} computes {listed(sizes(row[2]) for row in alike)} "
            f"as {wrote_as}, and {named(row[1] for row in alike)} reads it as {read_as}"
            f"{_times(alike)}: give both the same layout, such as channels_last."
        )
        yield _reordered(
            "format_conflict", [each for row in alike for each in row[3]], text, places
        )


def _with_operators(found: Finding, recorded: Recorded, events: Sequence[TraceEvent]) -> Finding:
    """A finding of a log's rule, with the operators that the executions ran below."""
    within = recorded.within
    assert within is not None
    owners = np.where(within < 0, np.arange(len(within)), within)
    numbers = np.cumsum(within < 0) - 1  # of the operator at each place
    causes = named(events[int(numbers[owners[i]])] for i in found.events)
    return replace(found, certainty="certain", text=f"{found.text} It is {causes}.", unseen="")


def _converts(reader: TraceEvent, writer: TraceEvent) -> bool:
    """Whether oneDNN converts, below the reader, what it wrote last below the writer."""
    last = _last_reorder(writer)
    wanted = last.operands[-1].key if last else None
    moved = [e for e in reader.inner if e.primitive == "reorder" and moves_elements(e)]
    return wanted is not None and any(e.operands[0].key == wanted for e in moved)


def _only_views(event: TraceEvent) -> bool:
    """Whether all results share memory with an operand, and nothing was written."""
    made = {t.storage for t in event.outputs}
    return bool(made) and not event.in_place and made <= {t.storage for t in event.inputs}


_Move = tuple[TraceEvent, LoggedEvent | None, float, int]


def _back(first: TraceEvent, second: TraceEvent) -> tuple[list[_Move], str] | None:
    """Each move of a way there and back, with times and bytes, and its layouts; None if none."""
    there, back = _last_reorder(first), _first_reorder(second)
    if there and back:
        keys = [[o.key for o in each.operands[:2]] for each in (there, back)]
        if None in keys[0] or keys[0] != keys[1][::-1]:
            return None
        inner: list[_Move] = [
            (event, each, each.ms or 0.0, sum(o.bytes or 0 for o in each.operands[:2]))
            for event, each in ((first, there), (second, back))
        ]
        return inner, f"{there.operands[0].tag} to {there.operands[1].tag}"
    moved = [pair for pair in (own_copy(first), own_copy(second)) if pair is not None]
    if len(moved) < 2:
        return None
    (start, middle), (_, end) = moved
    if start.shape != end.shape or start.order != end.order or start.dtype != end.dtype:
        return None
    own: list[_Move] = [
        (event, None, event.spent_ms, sum(t.bytes for t in pair))
        for event, pair in zip((first, second), moved, strict=True)
    ]
    return own, f"strides {start.strides} to {middle.strides}"


def _last_reorder(event: TraceEvent) -> LoggedEvent | None:
    """The reorder after an operator's last primitive, of its result."""
    last = event.inner[-1] if event.inner else None
    return last if last and last.primitive == "reorder" and moves_elements(last) else None


def _first_reorder(event: TraceEvent) -> LoggedEvent | None:
    """The reorder that makes the first operand of an operator's first primitive."""
    primitives = [e for e in event.inner if e.primitive != "reorder"]
    wanted = next((o.key for o in primitives[0].operands), None) if primitives else None
    before = takewhile(lambda e: e.primitive == "reorder", event.inner)
    made = (e for e in before if e.operands[-1].key == wanted and moves_elements(e))
    return next(made, None) if wanted is not None else None


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
                    rows.append((key, (event, inner)))
    again = [
        alike
        for alike in grouped(rows).values()
        if len(alike) > 1 and alike[0][0].inputs[_WEIGHTS_AT].version is not None
    ]
    if again:
        found = [row for alike in again for row in alike]
        targets = listed(f"{sizes(i.operands[-1].shape)} to {i.operands[-1].tag}" for _, i in found)
        text = (
            f"{named(event for event, _ in found)}: weights that did not change are converted "
            f"again, {len(found)} conversions of {len(again)} ({targets}): {ONCE}."
        )
        yield _reordered("weights_each_call", found, text, places)
