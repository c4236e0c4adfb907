"""The values that a reader of a log makes: operands, kinds of events, and the log as arrays."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..model.dtypes import parse_dtype
from ..model.errors import LayoutError
from ..model.layout import NormalForm
from ..notation import parse_layout

SHOWN_CHARACTERS: Final = 200  # of a hostile text that an answer repeats
_MOST_NAMED: Final = 5
Float64Array = npt.NDArray[np.float64]
Key = tuple[tuple[int, ...], str | None, NormalForm]


def shown(text: str) -> str:
    """A part of a hostile text as an answer may repeat it: cut, without control characters."""
    part = text[:SHOWN_CHARACTERS]
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in part)


def ms_text(ms: float) -> str:
    """A time in three digits, and all before the point: ``60.1 µs``, ``9.88 ms``, ``1,218 ms``."""
    value, unit = (ms * 1000, "µs") if abs(ms) < 1 else (ms, "ms")
    return f"{value:,.0f} {unit}" if abs(value) >= 999.5 else f"{value:.3g} {unit}"


def listed(names: Iterable[str]) -> str:
    """Different names, the first five: ``a, b and 3 more``."""
    different = [*dict.fromkeys(names)]
    more = len(different) - _MOST_NAMED
    return ", ".join(different[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor that an event read or wrote; None for what the source does not say.

    ``role``: the source's own word, as src, wei, bia, dst. ``layout``: as the field ``layout`` of
    /describe, for this ``shape`` and ``dtype``. ``bytes``: its buffer, padding included.
    ``at_least``: the source hides strides or what lies behind the elements, so the buffer may be
    larger. ``chosen``: the library chose the layout, not the caller.
    """

    role: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    layout: str | None = None
    bytes: int | None = None
    at_least: bool = False
    chosen: bool = False

    @property
    def is_parameter(self) -> bool:
        """Whether it is weights or a bias, or their gradient."""
        return self.role.removeprefix("diff_").startswith(("wei", "bia"))

    @property
    def tag(self) -> str:
        """The layout as oneDNN writes it; a question mark where it is not known."""
        return (self.layout or "?").removeprefix("onednn:")

    @property
    def key(self) -> Key | None:
        """What two mentions of one tensor have in common, None if the source does not say it."""
        memory = memory_of(self.layout, self.shape, self.dtype)
        return None if memory is None else (memory.shape, self.dtype, memory)


@lru_cache(maxsize=1 << 12)
def memory_of(
    layout: str | None, shape: tuple[int, ...] | None, dtype: str | None
) -> NormalForm | None:
    """The memory of a layout's text, None where some part is unknown. Cached."""
    if layout is None or shape is None or dtype is None:
        return None
    try:
        return parse_layout(layout, shape, dtype=parse_dtype(dtype)).normal_form
    except LayoutError:
        return None


@dataclass(frozen=True, slots=True)
class Execution:
    """All that a line says of an execution beside its time; equal lines share one.

    ``primitive``, ``implementation``, ``prop`` (forward_training, backward_data, …) and ``engine``
    are the source's words; ``attributes``: its settings by name; ``auxiliary``: the algorithm and
    what belongs to it; ``problem``: the text of the sizes. ``is_reorder``: it copies one tensor
    into another layout, type or engine.
    """

    primitive: str
    implementation: str
    engine: str = ""
    prop: str = ""
    operands: tuple[Operand, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    auxiliary: str = ""
    problem: str = ""
    is_reorder: bool = False

    @property
    def backward(self) -> bool:
        """Whether it belongs to a backward pass."""
        return self.prop.startswith("backward")

    def operand(self, role: str) -> Operand | None:
        """The first operand of a role."""
        return next((each for each in self.operands if each.role == role), None)

    def reads(self) -> tuple[Operand, ...]:
        """Operands that are read, as far as the propagation kind tells."""
        return tuple(each for each in self.operands if self.reads_role(each.role))

    def writes(self) -> tuple[Operand, ...]:
        """Operands that are written."""
        return tuple(each for each in self.operands if self.writes_role(each.role))

    def reads_role(self, role: str) -> bool:
        """Whether an operand is read: what is not written, and what one descriptor says of two
        tensors, as in ``writes_role``."""
        return role in {"data", "diff"} or not self.writes_role(role)

    def writes_role(self, role: str) -> bool:
        """Whether an operand is written. oneDNN's roles have no direction: the kind of propagation
        says which is a result (runs of 3.12; ``invariant_*`` in its primitive descriptors).

        Of primitives that may work in place (batch_normalization, eltwise, lrn, prelu, shuffle;
        softmax and layer_normalization in 2.0) a line describes source and result once, as
        ``data``, and both gradients once, as ``diff``; of shuffle backward, these are ``data``
        (src/common/verbose.cpp, init_info_*, of 1.0, 2.0, 2.7 and 3.7).
        """
        base = role.removeprefix("diff_")
        match self.prop:
            case "backward_weights":
                return base.startswith(("wei", "bia", "scale", "shift"))
            case "backward_data" | "backward":
                alone = role == "data" and self.operand("diff") is None
                return base.startswith("src") or role in {"diff", "diff_data"} or alone
        return base.startswith("dst") or base in {"data", "mean", "variance", "stats", "ws"}

    @property
    def bytes(self) -> int:
        """Bytes of all operands whose bytes are known, each once."""
        return sum(each.bytes or 0 for each in self.operands)


_FACTS: Final = tuple(each.name for each in fields(Execution))


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One execution. ``index``: its place in the log; ``ms``: None where the time is no number.

    ``primitive``, ``implementation``, ``prop`` and ``engine``: the source's words. ``attributes``:
    its settings by name. ``auxiliary``: the algorithm and what belongs to it. ``problem``: the text
    of the sizes. ``within``: of a trace, the event of the operator that caused this one.
    ``is_reorder``: it copies elements into another layout, type or engine.
    """

    index: int
    primitive: str
    implementation: str
    prop: str
    engine: str
    operands: tuple[Operand, ...]
    attributes: dict[str, str]
    auxiliary: str
    problem: str
    ms: float | None
    within: int | None = None
    is_reorder: bool = False


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that no event or total explains, cut to 200 characters; ``line``: from 1."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """``lines``: how many lines were not understood; ``first``: the first 20 of them."""

    lines: int = 0
    first: tuple[SkippedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherLines:
    """Lines that are understood and are no event: creation, nested calls, messages.

    ``ms``: the sum of their times, which no total of events contains.
    """

    kind: str
    lines: int
    ms: float


@dataclass(frozen=True, slots=True)
class Recorded:
    """A whole log: for each event which of the ``kinds`` it is, and its milliseconds (NaN: none).

    ``reasons``: by problem, what a dispatch line said of each implementation that refused.
    ``notes``: what a reader of the numbers has to know. ``within``: as in
    ``LoggedEvent``; -1 for none.
    """

    kinds: tuple[Execution, ...]
    ids: npt.NDArray[np.int32]
    ms: Float64Array
    versions: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    others: tuple[OtherLines, ...] = ()
    skipped: Skipped = field(default_factory=Skipped)
    reasons: dict[Any, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    within: npt.NDArray[np.int32] | None = None

    def places(self) -> list[npt.NDArray[np.intp]]:
        """By kind the indices of its events, in their order."""
        counts = np.bincount(self.ids, minlength=len(self.kinds))
        return np.split(np.argsort(self.ids, kind="stable"), np.cumsum(counts))[:-1]

    def event(self, index: int) -> LoggedEvent:
        """The event at an index."""
        kind, ms = self.kinds[self.ids[index]], float(self.ms[index])
        within = -1 if self.within is None else int(self.within[index])
        return LoggedEvent(
            index=index,
            ms=ms if math.isfinite(ms) else None,
            within=None if within < 0 else within,
            **{name: getattr(kind, name) for name in _FACTS},
        )
