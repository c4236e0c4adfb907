"""A finding, what its rules share, and those that times and implementations alone decide."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Set
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from .events import Execution, Operand, Recorded, ms_text

Code = Literal[
    "round_trip",
    "weights_each_call",
    "format_conflict",
    "slow_implementation",
    "small_reorders",
    "format_lost",
    "copy",
]
Certainty = Literal["certain", "likely"]

COPY_BYTES_PER_MS: Final = 10_000_000  # an estimate: 10 GB/s, a copy of memory by one core
ONCE: Final = (
    "convert them once, before the first call (PyTorch: torch.compile with "
    "torch._inductor.config.freezing = True)"
)
_CLOCK_MS: Final = 0.005  # below it, the clock of verbose mode is coarse
_SMALL_BYTES: Final = 1 << 16
_SMALL_TIMES_COPY: Final = 10
_SMALL_SHARE: Final = 0.05
_SMALL_LEAST: Final = 8
_SLOW_SHARE: Final = 0.01
_Row = TypeVar("_Row")
_Key = TypeVar("_Key", bound=Hashable)
_NORMAL: Final = {("sum", "simple:any"), ("batch_normalization", "ncsp_bnorm:any")}
_problem: Final = attrgetter("primitive", "prop", "auxiliary", "problem")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that costs time, with the events that show it.

    ``code``: its name. ``certainty``: ``certain`` where the source proves it, else ``likely``.
    ``events``: their indices. ``ms`` and ``bytes``: of these events. ``text``: what there is, and
    what to do. ``unseen``: what the source cannot show.
    """

    code: Code
    certainty: Certainty
    events: tuple[int, ...]
    ms: float
    bytes: int
    text: str
    unseen: str


def made(
    log: Recorded,
    code: Code,
    events: npt.NDArray[np.int64],
    text: str,
    unseen: str,
    *,
    certain: bool = False,
) -> Finding:
    times = log.ms[events]
    ms = float(times[np.isfinite(times)].sum())
    size = int(np.array([kind.bytes for kind in log.kinds], object)[log.ids[events]].sum())
    certainty: Certainty = "certain" if certain else "likely"
    return Finding(code, certainty, tuple(events.tolist()), ms, size, text, unseen)


def sides(kind: Execution) -> tuple[Operand, Operand] | None:
    """Source and target of a reorder that moves elements of one type on one engine."""
    source, target = kind.operand("src"), kind.operand("dst")
    if not kind.is_reorder or source is None or target is None or "2" in kind.engine:
        return None
    if source.key is None or target.key is None or source.dtype != target.dtype:
        return None
    return None if source.key == target.key else (source, target)


def sizes(shape: Iterable[int] | None) -> str:
    return "x".join(map(str, shape or ()))


def grouped(rows: Iterable[tuple[_Key, _Row]]) -> dict[_Key, list[_Row]]:
    """The rows by their keys."""
    found: defaultdict[_Key, list[_Row]] = defaultdict(list)
    for key, row in rows:
        found[key].append(row)
    return found


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
        fast = [i for i in members if log.kinds[i].implementation.startswith(("jit", "br"))]
        slow = [i for i in members if _is_slow(log.kinds[i])]
        calls, spent = count[slow].sum(), float(ms[slow].sum())
        if not fast or not slow or spent <= _SLOW_SHARE * total or spent <= calls * _CLOCK_MS:
            continue
        if spent / float(ms[members].sum()) <= calls / count[members].sum():
            continue
        names = ", ".join(sorted({log.kinds[i].implementation for i in slow}))
        others = ", ".join(sorted({log.kinds[i].implementation for i in fast}))
        ran = [(k.primitive, k.prop, k.auxiliary, k.problem) for k in (log.kinds[i] for i in slow)]
        reasons = [reason for each in ran for reason in log.reasons.get(each, ())]
        said = f" The log says why: {'; '.join(dict.fromkeys(reasons[:3]))}." if reasons else ""
        often = "once" if calls == 1 else f"{calls} times"
        text = (
            f"{primitive} ran as {names} {often}, where calls with the same types ran as "
            f"{others}: change what these calls have of their own (sizes, layout, post-ops).{said}"
        )
        unseen = "" if reasons else "Why the others refused is in the log at level dispatch."
        events = np.flatnonzero(np.isin(log.ids, slow))
        yield made(log, "slow_implementation", events, text, unseen, certain=bool(reasons))


def _is_slow(kind: Execution) -> bool:
    name = kind.implementation.partition(":")[0]
    slow = name in {"ref", "simple", "gemm"} or name.startswith(("ref_", "simple_"))
    return slow and (kind.primitive, kind.implementation) not in _NORMAL


def small_reorders(log: Recorded, explained: Set[int]) -> Iterator[Finding]:
    """Reorders of few bytes that take far longer than a copy of these bytes, in sum a share.

    A kind counts by the median of its repetitions without the first call. Silent for times at the
    clock's step, for kinds that ran less than three times, and for ``explained`` events, which
    another finding names.
    """
    total = float(log.ms[np.isfinite(log.ms)].sum())
    events, typical = [], 0.0
    for kind, all_places in zip(log.kinds, log.places(), strict=True):
        places = all_places[1:]
        if not kind.is_reorder or not 0 < kind.bytes <= 2 * _SMALL_BYTES or len(places) < 2:
            continue
        times = log.ms[places]
        median = float(np.median(times)) if np.isfinite(times).all() else 0.0
        copy_ms = kind.bytes / 2 / COPY_BYTES_PER_MS
        if not explained.isdisjoint(places.tolist()):
            continue
        if median > _CLOCK_MS and median > _SMALL_TIMES_COPY * copy_ms:
            events.append(places)
            typical += median * len(places)
    if sum(map(len, events)) < _SMALL_LEAST or typical <= _SMALL_SHARE * total:
        return
    found = np.sort(np.concatenate(events))
    text = (
        f"{len(found)} reorders of at most {_SMALL_BYTES // 1024} KiB take {ms_text(typical)}, "
        f"more than {_SMALL_TIMES_COPY} times a copy of their bytes (an estimate): the call costs "
        "it. Use larger batches, or one layout for these tensors."
    )
    unseen = "A time holds what the threads wait for as well."
    yield made(log, "small_reorders", found, text, unseen)
