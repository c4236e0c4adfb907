"""A trace of a program in PyTorch as values: events, their tensors, and the file that keeps them.

Nothing here needs PyTorch: ``app/tracing`` records, and a saved trace is read where there is none.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from ..model.dtypes import find_dtype
from ..model.errors import LayoutError, refusal
from ..model.layout import INT64_MAX, MAX_RANK, Layout
from .events import LoggedEvent, listed
from .onednn_log import read_onednn_log

FORMAT: Final = "stridescope-trace"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class TraceTensor:
    """A tensor as an event saw it.

    ``strides`` and ``offset`` in elements; None where the tensor has none to tell, and ``note``
    says why. ``dtype``: PyTorch's name, as float32. ``storage``: the number of its memory in the
    trace, in the order of appearance. ``view``: it shares its memory with another tensor.
    ``parameter``: it is a parameter of a module. ``version``: how often it was written in place.
    """

    shape: tuple[int, ...] | None
    strides: tuple[int, ...] | None
    offset: int | None
    dtype: str
    storage: int | None
    view: bool = False
    parameter: bool = False
    version: int | None = None
    device: str = "cpu"
    note: str = ""

    @property
    def elements(self) -> int:
        """Number of elements, 0 where the sizes are not known."""
        return math.prod(self.shape) if self.shape is not None else 0

    @property
    def bytes(self) -> int:
        """Bytes of its elements, each once; 0 where something is not known."""
        element = find_dtype(self.dtype)
        distinct = [n for n, s in zip(self.shape or (), self.strides or (), strict=False) if s]
        known = element is not None and self.strides is not None and self.elements
        return element.size_bytes(math.prod(distinct)) if element and known else 0

    @property
    def layout(self) -> Layout | None:
        """Its layout from the start of the storage; None where it has no strides."""
        if self.shape is None or self.strides is None or self.offset is None:
            return None
        return Layout.strided(self.shape, self.strides, self.offset)

    @property
    def order(self) -> tuple[int, ...] | None:
        """Dimensions of more than one element, from outermost to innermost in memory.

        None without strides, and where elements share addresses.
        """
        if self.shape is None or self.strides is None or not self.elements:
            return None
        long = [d for d, n in enumerate(self.shape) if n > 1]
        if any(self.strides[d] <= 0 for d in long):
            return None
        return tuple(sorted(long, key=lambda d: -(self.strides or ())[d]))

    @property
    def dense(self) -> bool:
        """Whether its elements fill the addresses between its first and its last."""
        expected, shape, strides = 1, self.shape or (), self.strides or ()
        for d in reversed(self.order or ()):
            if strides[d] != expected:
                return False
            expected *= shape[d]
        return self.order is not None


@dataclass(frozen=True, slots=True, repr=False)
class TraceEvent:
    """One operator that ran.

    ``op``: PyTorch's name, as aten.convolution.default; ``compiled region`` for a compiled function
    as a whole. ``module``: the path of the module whose forward called it, as block.3.conv2; of a
    backward operator that of the forward. ``source``: the caller's own line, as model.py:42.
    ``ms``: None unless it was measured. ``inner``: oneDNN's executions while it ran.
    ``arguments``: by name, tensors as ``{"tensor": i}`` for ``inputs[i]``. ``backward``: it ran in
    a backward pass.
    """

    index: int
    op: str
    module: str
    source: str
    inputs: tuple[TraceTensor, ...]
    outputs: tuple[TraceTensor, ...]
    ms: float | None = None
    inner: tuple[LoggedEvent, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    backward: bool = False

    def __repr__(self) -> str:
        return f"<{self.index}: {self.op}, {self.module or 'no module'} ({self.source or '?'})>"

    @property
    def name(self) -> str:
        """The operator alone: convolution for aten.convolution.default."""
        return self.op.removeprefix("aten.").partition(".")[0].removesuffix("_")

    @property
    def in_place(self) -> bool:
        """Whether it wrote its first operand, by the underscore that ends ATen's names."""
        return self.op.removeprefix("aten.").partition(".")[0].endswith("_")

    @property
    def where(self) -> str:
        """Module and line, as far as they are known."""
        return _place(self.source, self.module)

    @property
    def spent_ms(self) -> float:
        """Its time; that of oneDNN below it, where it was not measured itself."""
        return self.ms if self.ms is not None else math.fsum(e.ms or 0.0 for e in self.inner)


def named(events: Iterable[TraceEvent]) -> str:
    """Modules and lines of operators: ``b.0, b.1 and 4 more (model.py:38)``."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for event in events:
        modules[event.source].append(event.module or ("" if event.source else event.op))
    return listed(_place(line, listed(filter(None, names))) for line, names in modules.items())


def _place(line: str, modules: str) -> str:
    return f"{modules} ({line})" if modules and line else modules or line


@dataclass(frozen=True)
class Trace:
    """All events of a program in their order.

    ``versions``: of the libraries. ``notes``: what the trace could not see. ``logs``: oneDNN's
    lines of each event that had some, as they were printed; the file keeps these.
    """

    events: tuple[TraceEvent, ...]
    versions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    logs: Mapping[int, str] = field(default_factory=dict, repr=False)

    @cached_property
    def log(self) -> str:
        """All of oneDNN's lines, in their order."""
        return "".join(self.logs.values())


def with_inner(events: Iterator[TraceEvent], logs: Mapping[int, str]) -> Iterator[TraceEvent]:
    """The events with the executions of their lines below them."""
    for event in events:
        text = logs.get(event.index)
        if not text:
            yield event
            continue
        log = read_onednn_log(text)
        yield replace(event, inner=tuple(log.event(i) for i in range(len(log.ids))))


_FIELDS: Final = (
    *("index", "op", "module", "source", "inputs", "outputs", "ms", "arguments", "backward"),
)
_TENSOR: Final = tuple(TraceTensor.__dataclass_fields__)


def saved(trace: Trace) -> str:
    """The text of the file: JSON, one event a line."""
    head = {"format": FORMAT, "version": _VERSION, "versions": trace.versions, "notes": trace.notes}
    lines = []
    for event in trace.events:
        said = {name: getattr(event, name) for name in _FIELDS if name not in {"inputs", "outputs"}}
        for name in ("inputs", "outputs"):
            said[name] = [[getattr(t, part) for part in _TENSOR] for t in getattr(event, name)]
        if event.index in trace.logs:
            said["log"] = trace.logs[event.index]
        lines.append(json.dumps(said, separators=(",", ":")))
    body = ",\n".join(lines)
    return f'{json.dumps(head)[:-1]}, "events": [\n{body}\n]}}\n'


def is_trace(text: str) -> bool:
    """Whether a text begins as a saved trace does."""
    return FORMAT in text[:200] and text.lstrip().startswith("{")


def loaded(text: str) -> Trace:
    """The trace of a file's text. Errors: LayoutError naming ``log``."""
    try:
        found = json.loads(text)
        if found["format"] != FORMAT or found["version"] != _VERSION:
            raise ValueError
        logs = {e["index"]: _text(e["log"]) for e in found["events"] if "log" in e}
        events = tuple(with_inner(map(_event, found["events"]), logs))
        if [e.index for e in events] != list(range(len(events))):
            raise ValueError
        versions, notes = (tuple(map(_text, found[name])) for name in ("versions", "notes"))
        return Trace(events, versions, notes, logs)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, LayoutError):
            raise
        raise refusal("log", "text of another kind", "run.trace") from None


def _event(said: dict[str, Any]) -> TraceEvent:
    facts = {name: said[name] for name in _FIELDS}
    for name in ("op", "module", "source"):
        _text(facts[name])
    for name in ("inputs", "outputs"):
        facts[name] = tuple(map(_tensor, facts[name]))
    ms, facts["backward"] = facts["ms"], facts["backward"] is True
    if not (ms is None or (type(ms) in {int, float} and math.isfinite(ms))):
        raise ValueError
    if not isinstance(facts["arguments"], dict) or type(facts["index"]) is not int:
        raise TypeError
    return TraceEvent(**facts)


def _tensor(parts: list[Any]) -> TraceTensor:
    said = dict(zip(_TENSOR, parts, strict=True))
    for name, least in (("shape", 0), ("strides", -INT64_MAX)):
        if said[name] is not None:
            said[name] = tuple(_whole(n, least) for n in said[name][: MAX_RANK + 1])
    if said["strides"] is not None:
        # The constructor checks what a file may have wrong: lengths, products, addresses.
        Layout.strided(said["shape"], said["strides"], _whole(said["offset"], 0))
    for name in ("dtype", "device", "note"):
        _text(said[name])
    return TraceTensor(**said)


def _whole(value: Any, least: int) -> int:
    if type(value) is not int or not least <= value <= INT64_MAX:
        raise ValueError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
