"""What the lines of a log prove, or make likely: each finding with its events, times and bytes.

A finding is wrong at a greater price than it is missing. So each rule says in its docstring where
it stays silent; the counter-examples are real logs (research of November 2026, PyTorch 2.13 with
oneDNN 3.12, oneDNN 2.6 and 3.2).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

import numpy as np
import numpy.typing as npt

from .events import Execution, Key, Operand, Recorded, listed, ms_text
from .finding import (
    ONCE,
    Finding,
    grouped,
    made,
    sides,
    sizes,
    slow_implementations,
    small_reorders,
)
from .joins import Repetition

_WEIGHTED: Final = {"convolution", "deconvolution", "inner_product", "matmul", "rnn"}
_LEAST_CONVERTED: Final = 3  # primitives: fewer may be the network's edges
_LEAST_SHARE: Final = 0.1  # of the time, from which the reorders around fewer are worth a word
# Primitives that compute in the layout they are given, whichever it is.
_ANY_LAYOUT: Final = frozenset({
    *("eltwise", "binary", "sum", "prelu", "batch_normalization", "pooling", "resampling"),
})  # fmt: skip  # a list
_PLAIN: Final = {f"onednn:{'abcde'[:rank]}" for rank in (3, 4, 5)}


def findings_of(log: Recorded, window: Repetition) -> list[Finding]:
    """All findings of a log, those that cost most first."""
    trips = [*round_trips(log, window)]
    explained = {event for trip in trips for event in trip.events}
    converted = [*conversions(log, window, explained)]
    explained.update(event for each in converted for event in each.events)
    exits = [*needless_exits(log, window, explained)]
    explained.update(event for each in exits for event in each.events)
    found = [
        *trips,
        *converted,
        *exits,
        *conversions(log, window, explained, asked=True),
        *weights_each_call(log, window),
        *format_conflicts(log, window),
        *slow_implementations(log),
    ]
    explained.update(event for each in found for event in each.events)
    found += small_reorders(log, explained)
    return sorted(found, key=lambda each: -each.ms)


def _spread(window: Repetition, rows: Iterable[Sequence[int]]) -> npt.NDArray[np.int64]:
    return window.occurrences({at for row in rows for at in row})


def _each_time(rows: Sequence[object], window: Repetition) -> str:
    times = f"{len(rows)} times" if len(rows) > 1 else "once"
    return f"{times} in each of {window.times} repetitions" if window.times > 1 else times


def round_trips(log: Recorded, window: Repetition) -> Iterator[Finding]:
    """X to Y and, as the next line, Y to X of the same tensor.

    Silent where another tensor could be the source of the second (two branches of equal shape),
    where Y is read elsewhere, at a move of nothing (X and Y are the same memory), beside a backward
    pass (the way back is the gradient's), between engines, and where two repetitions meet.
    """
    rows = [
        ((first.tag, between.tag), (at - 1, at))
        for at, first, between, alone in _inverse_neighbours(window)
        if alone
    ]
    for (source, target), alike in grouped(rows).items():
        shapes = listed(sizes(window.kinds[row[0]].operands[0].shape) for row in alike)
        text = (
            f"{shapes} from {source} to {target} and straight back, {_each_time(alike, window)}: "
            f"keep {source}, or run both neighbours in {target}."
        )
        unseen = (
            "The log has only oneDNN's primitives: an operator of the framework may stand between."
        )
        yield made(log, "round_trip", _spread(window, alike), text, unseen)


def _inverse_neighbours(window: Repetition) -> Iterator[tuple[int, Operand, Operand, bool]]:
    """Reorders, by their places, straight after their inverse: X, Y between them, and whether no
    other event can have written or read that."""
    moved = window.each(sides)
    for at in range(1, len(window.kinds)):
        first, second = moved[at - 1], moved[at]
        if first is None or second is None or at in window.seams:
            continue
        key = first[1].key
        if key != second[0].key or first[0].key != second[1].key or not key:
            continue
        beside = (window.previous_primitive[at - 1], window.next_primitive[at])
        if not any(near is not None and window.kinds[near].backward for near in beside):
            alone = window.source_of(at, key) == at - 1 and window.readers[key] == [at]
            yield at, *first, alone


def untold_trips(window: Repetition, found: Iterable[Finding]) -> Iterator[str]:
    """Why two neighbouring reorders that are each other's inverse are no round trip; one sentence.

    Silent of those that another finding names.
    """
    told = {event for each in found for event in each.events}
    untold = [
        (at + window.first, between)
        for at, _, between, alone in _inverse_neighbours(window)
        if at + window.first not in told and not alone
    ]
    if untold:
        at, between = untold[0]
        also = f" (the first of {len(untold)} such pairs)" if len(untold) > 1 else ""
        yield (
            f"Row {at + 1} is the inverse of row {at}{also}, but no finding is made of it: a log "
            f"has no names of tensors, and {sizes(between.shape)} in {between.tag} is written or "
            "read by other rows as well, so that one of them may need it."
        )


def needless_exits(log: Recorded, window: Repetition, explained: Set[int]) -> Iterator[Finding]:
    """X to Y and back to X, with primitives between that could compute in X as well.

    Silent where a tensor in Y could be one that was read from outside, that another primitive reads
    or writes, a backward pass included, or that has another type, engine or layout on its other
    side; and for ``explained`` events, which another finding names.
    """
    moved = window.each(sides)
    # By tensor the layouts that reorders give it or take it to; None for another use of it.
    beside: defaultdict[Key | None, set[str | None]] = defaultdict(set)
    for kind, move in zip(window.kinds, moved, strict=True):
        if move is not None:
            beside[move[0].key].add(move[1].tag)
            beside[move[1].key].add(move[0].tag)
        elif kind.primitive not in _ANY_LAYOUT or kind.backward:
            for each in kind.operands:
                beside[each.key].add(None)
    rows = []
    left: dict[Key | None, tuple[int, tuple[int, ...]]] = {}  # where X was left, what ran since
    for at, (kind, move) in enumerate(zip(window.kinds, moved, strict=True)):
        if at in window.seams:
            left.clear()
        if move is not None:
            first, between = left.get(move[0].key, (at, ()))
            tags, begun_in = (move[1].tag, move[0].tag), window.kinds[first].operands[0].tag
            events = {at + window.first, first + window.first}
            inverse = beside[move[0].key] == {tags[0]} == {begun_in}
            if between and inverse and explained.isdisjoint(events):
                rows.append((tags, ((first, at), between)))
            left[move[1].key] = at, ()
            continue
        begun = next((left[each.key] for each in kind.reads() if each.key in left), None)
        alone = {tag for each in kind.reads() for tag in beside[each.key]}
        for each in kind.writes():
            left.pop(each.key, None)
            outside = each.key is None or window.comes_from_outside(each.key)
            if begun and alone <= {window.kinds[begun[0]].operands[0].tag} and not outside:
                left[each.key] = begun[0], (*begun[1], at)
    for (blocked, plain), alike in grouped(rows).items():
        # By name the first event.
        ran = {
            _algorithm(window.kinds[at]): at for _, between in alike[::-1] for at in between[::-1]
        }
        rows_from_1 = sorted((at + window.first + 1, name) for name, at in ran.items())
        names = listed(f"{name}, row {row}" for row, name in rows_from_1)
        shapes = listed(sizes(window.kinds[places[0]].operands[0].shape) for places, _ in alike)
        text = (
            f"{names}, {'run' if len(ran) > 1 else 'runs'} in {plain} between two inverse "
            f"reorders ({shapes}), {_each_time(alike, window)}: keep {blocked}."
        )
        unseen = (
            "The log has no names of tensors, and only oneDNN's primitives: an operator of the "
            f"framework may need {plain} between."
        )
        yield made(log, "round_trip", _spread(window, [row[0] for row in alike]), text, unseen)


def _algorithm(kind: Execution) -> str:
    """A primitive and its algorithm, as ``eltwise (relu)`` of ``alg:eltwise_relu``."""
    words = (word.removeprefix("alg:") for word in kind.auxiliary.split() if word[:4] == "alg:")
    algorithm = next(words, "").removeprefix(f"{kind.primitive}_")
    return f"{kind.primitive} ({algorithm})" if algorithm else kind.primitive


def conversions(
    log: Recorded, window: Repetition, explained: Set[int], *, asked: bool = False
) -> Iterator[Finding]:
    """Primitives that are given one layout, compute in another, and give back the first one.

    ``explained``: events of other findings. ``asked``: also convolutions in layouts that the caller
    asked for. Silent where no result is converted before an operand is,
    as at a network's edges; below three such primitives, if one of their reorders is in a round
    trip or they take less than a tenth of the time; where the caller asked for the layouts (no
    marker ``a``), unless ``asked``; where the type changes; for weights.
    """
    given: list[tuple[tuple[str, str], int, int]] = []  # both layouts, primitive, reorder
    taken: list[tuple[tuple[str, str], int, int]] = []
    waiting: list[tuple[int, Operand, Operand]] = []
    last, wrote = 0, set[Key | None]()
    reads = window.each(lambda kind: _free(kind, kind.reads(), asked=asked))
    writes = window.each(lambda kind: _free(kind, kind.writes(), asked=asked))
    reorders = window.each(lambda kind: sides(kind) if kind.primitive == "reorder" else None)
    for at, moved in enumerate(reorders):
        if moved is None:
            given += [((s.tag, t.tag), at, i) for i, s, t in waiting if t.key in reads[at]]
            waiting, last, wrote = [], at, writes[at]
            continue
        waiting.append((at, *moved))
        if moved[0].key in wrote:
            taken.append(((moved[1].tag, moved[0].tag), last, at))
    for pair in sorted({row[0] for row in given} & {row[0] for row in taken}):
        first, second = ([row for row in rows if row[0] == pair] for rows in (given, taken))
        both = {row[1] for row in first} & {row[1] for row in second}
        around = [{at for *_, at in rows} for rows in (first, second)]
        into, out = ({at for at in rows if at + window.first not in explained} for rows in around)
        rows = sorted(into | out)
        if len(both) < _LEAST_CONVERTED:
            share = _ms(log, window, rows) / (float(np.nansum(log.ms)) or 1.0)
            if not both or [into, out] != around or share < _LEAST_SHARE:
                continue
        elif not into or not out or min(out) > max(into):
            continue
        shared = any(row[2] in rows and row[1] not in both for row in first + second)
        text = _conversion_text(log, window, pair, sorted(both), rows, shared=shared)
        unseen = (
            "The log does not show which operators of the framework need this layout between, nor "
            "whether the network begins or ends here."
        )
        events = _spread(window, [(at,) for at in rows])
        yield made(log, "format_conflict", events, text, unseen)


def _conversion_text(
    log: Recorded,
    window: Repetition,
    pair: tuple[str, str],
    both: Sequence[int],
    rows: Sequence[int],
    *,
    shared: bool,
) -> str:
    """What primitives are given and compute in, which reorders (``rows``) that costs, how long they
    take, and what would avoid them. ``shared``: some are of primitives beside these."""
    plain, blocked = pair
    names = listed(window.kinds[at].primitive for at in both)
    subject = (
        f"{len(both)} primitives ({names}) are given {plain}, compute in {blocked} and give back"
        if len(both) > 1
        else f"One {names} is given {plain}, computes in {blocked} and gives back"
    )
    moved = (sides(window.kinds[at]) for at in rows)
    written = listed(f"{sizes(side[0].shape)} to {side[1].tag}" for side in moved if side)
    text = (
        f"{subject} {plain}: reorders around {'them' if len(both) > 1 else 'it'}"
        f"{(' and ' + ('their' if len(both) > 1 else 'its') + ' neighbours') if shared else ''} "
        f"{_each_time(rows, window)} ({written}), {ms_text(_ms(log, window, rows))} beside "
        f"{ms_text(_ms(log, window, both))} of {'their' if len(both) > 1 else 'its'} own. "
    )
    kinds = (window.kinds[at] for at in both)
    if not any(_free(kind, kind.operands, asked=False) for kind in kinds):
        return f"{text}The program asked for {blocked} itself: keep it, or use format_tag::any."
    if f"onednn:{plain}" in _PLAIN:
        return text + (
            "Keep the program in channels_last (PyTorch: model and input "
            ".to(memory_format=torch.channels_last)), in which oneDNN mostly computes as it is."
        )
    return text + f"Hand over {blocked}, where the operators between can read it."


def _ms(log: Recorded, window: Repetition, places: Iterable[int]) -> float:
    """The time of these places of the window, in every repetition."""
    return float(np.nansum(log.ms[window.occurrences(places)]))


def _free(kind: Execution, operands: Iterable[Operand], *, asked: bool) -> set[Key | None]:
    """Tensors, but no weights, whose layout the library chose, or could have."""
    asked &= kind.primitive.endswith("convolution")
    return {e.key for e in operands if (e.chosen or asked) and not e.is_parameter} - {None}


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
        weights = [each for each in used.operands if each.is_parameter]
        plain = used.primitive != "matmul" or len(target.shape or ()) == 2
        if used.primitive not in _WEIGHTED or not plain or target.key is None:
            continue
        if source.key is None or source.key == target.key:
            continue
        computed = window.candidates(at, source.key)[1] >= 0
        if not computed and any(each.key == target.key for each in weights):
            rows.append((at, reader))
    if rows:
        targets = [target for at, _ in rows if (target := window.kinds[at].operand("dst"))]
        text = (
            f"Weights of {listed(window.kinds[reader].primitive for _, reader in rows)} are "
            f"converted, {_each_time(rows, window)} "
            f"({listed(f'{sizes(each.shape)} to {each.tag}' for each in targets)}): {ONCE}."
        )
        unseen = "The log does not name weights: equal sizes are taken for the same ones."
        yield made(log, "weights_each_call", _spread(window, [r[:1] for r in rows]), text, unseen)


def _chained(window: Repetition) -> bool:
    """Whether a repetition can begin with what it wrote itself, as N layers of equal sizes do."""
    first = next((at for at, kind in enumerate(window.kinds) if not kind.is_reorder), 0)
    begins = {each.key for kind in window.kinds[: first + 1] for each in kind.reads()} - {None}
    results = {
        each.key
        for at, kind in enumerate(window.kinds)
        for each in kind.writes()
        if each.key is not None and max(window.readers[each.key], default=-1) <= at
    }
    return any(window.comes_from_outside(key) for key in results & begins)


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
    moved = window.each(sides)
    for at, move in enumerate(moved):
        source, target = move or (None, None)
        if source is None or target is None or source.key is None or target.key is None:
            continue
        writer = window.source_of(at, source.key)
        readers = window.readers[target.key]
        if writer is None or len(readers) != 1 or window.readers[source.key] != [at]:
            continue
        reader = readers[0]
        if reader < at or window.source_of(reader, target.key) != at:
            continue
        pair = window.kinds[writer], window.kinds[reader]
        if any(each.is_reorder or each.backward for each in pair):
            continue
        written = [each for each in pair[0].writes() if each.key == source.key]
        read = [each for each in pair[1].reads() if each.key == target.key]
        if any(each.chosen for each in (*written, *read)):
            rows.append(((*map(id, pair), id(move)), (*pair, source, target, at)))
    for alike in grouped(rows).values():
        before, after, source, target, _ = alike[0]
        text = (
            f"{before.primitive} ({before.implementation}) writes {sizes(source.shape)} as "
            f"{source.tag}, {after.primitive} ({after.implementation}) reads {target.tag}, "
            f"{_each_time(alike, window)}: give both the same layout."
        )
        unseen = "The log has no names of tensors: shape, type and layout allow this reading alone."
        yield made(
            log, "format_conflict", _spread(window, [row[-1:] for row in alike]), text, unseen
        )
