"""A finding, and what its rules share."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from .events import Execution, Operand, Recorded

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
ONCE: Final = (
    "convert them once, before the first call (PyTorch: torch.compile with "
    "torch._inductor.config.freezing = True)"
)


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


def made(
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


def sides(kind: Execution) -> tuple[Operand, Operand] | None:
    """Source and target of a reorder that moves elements of one type on one engine."""
    source, target = kind.operand("src"), kind.operand("dst")
    if not kind.is_reorder or source is None or target is None or "2" in kind.engine:
        return None
    if source.key is None or target.key is None or source.dtype != target.dtype:
        return None
    return None if source.key == target.key else (source, target)


def shape(operand: Operand) -> str:
    return "x".join(map(str, operand.shape or ()))
