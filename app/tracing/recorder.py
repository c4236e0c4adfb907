"""Records every operator that PyTorch dispatches: metadata of its tensors, never a tensor itself.

What is kept of an operator is a tuple; values are made of the tuples when the block has ended. A
storage is held by a weak reference, which keeps its number from being used again while the data are
freed. Source: torch.multiprocessing.reductions.StorageWeakRef; costs in docs/decisions.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ..engine.runs.traces import TraceEvent, TraceTensor
from .capture import Capture
from .places import Places, shown_line

REGION: Final = "compiled region"
_LISTS: Final = (list, tuple)
_MOST_STORAGES: Final = 1 << 14  # kept before those whose data are freed are dropped


class _Fact(NamedTuple):
    """What is known of one tensor."""

    shape: Any
    strides: Any
    offset: int | None
    dtype: Any
    storage: int | None
    view: bool
    parameter: bool
    version: int | None
    device: Any
    note: str


class _Raw(NamedTuple):
    """What is kept of one operator."""

    op: Any
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    inputs: tuple[_Fact, ...]
    outputs: tuple[_Fact, ...]
    module: str
    line: tuple[str, int] | None
    backward: bool
    ms: float | None
    start: int
    stop: int


class Place(NamedTuple):
    """The place of an input among the arguments of an operator."""

    tensor: int


_PLACES: Final = tuple(map(Place, range(16)))  # ready-made, as most operators have few operands


class Recorder:
    """What the dispatch mode and the compiled regions call."""

    def __init__(self, torch: Any, capture: Capture | None, *, timed: bool) -> None:
        self._torch, self._capture, self._timed = torch, capture, timed
        self._places = Places(torch)
        self._tensor = torch.Tensor
        self._parameter = torch.nn.Parameter
        self._strided = torch.strided
        self._weak = torch.multiprocessing.reductions.StorageWeakRef
        self._storages: dict[int, tuple[int, Any]] = {}
        self._numbered = 0
        self._swept_at = _MOST_STORAGES
        self._node = torch._C._current_autograd_node
        self._sequence = torch.autograd._get_sequence_nr
        self._last = -1
        self._forward: dict[int, tuple[str, tuple[str, int] | None]] = {}
        # Plain tuples of _Raw and _Fact: making a named one takes four times as long.
        self._raw: list[tuple[Any, ...] | None] = []
        self.thread = threading.get_ident()

    def fact(self, tensor: Any) -> tuple[Any, ...]:
        """What there is to know of a tensor, without touching its elements."""
        try:
            if tensor.layout is not self._strided or tensor.is_nested:
                return self._without(tensor, str(tensor.layout).removeprefix("torch."))
            storage = tensor.untyped_storage()
            key = storage._cdata
            known = self._storages.get(key)
            if known is None:
                known = self._number(storage, key)
            return (
                tensor.shape,
                tensor.stride(),
                tensor.storage_offset(),
                tensor.dtype,
                known[0],
                tensor._is_view(),
                type(tensor) is self._parameter,  # its isinstance takes a microsecond
                None if tensor.is_inference() else tensor._version,
                tensor.device,
                "",
            )
        except (RuntimeError, NotImplementedError, TypeError) as error:
            return self._without(tensor, type(error).__name__)

    def _number(self, storage: Any, key: int) -> tuple[int, Any]:
        if len(self._storages) >= self._swept_at:
            kept = {k: v for k, v in self._storages.items() if not v[1].expired()}
            self._storages = kept
            self._swept_at = max(_MOST_STORAGES, 2 * len(kept))
        found = self._storages[key] = (self._numbered, self._weak(storage))
        self._numbered += 1
        return found

    @staticmethod
    def _without(tensor: Any, note: str) -> _Fact:
        try:
            shape = tuple(map(int, tensor.shape))
        except (RuntimeError, NotImplementedError, TypeError):
            shape = None
        dtype, device = tensor.dtype, tensor.device
        return _Fact(
            shape,
            None,
            None,
            dtype,
            storage=None,
            view=False,
            parameter=False,
            version=None,
            device=device,
            note=note or "opaque",
        )

    def call(self, run: Callable[..., Any], op: Any, args: Any, kwargs: Any) -> Any:
        """Run an operator and keep what is known of it."""
        facts: list[tuple[Any, ...]] = []
        given = tuple([self._kept(each, facts) for each in args])
        named = {name: self._kept(each, facts) for name, each in kwargs.items()} if kwargs else {}
        node = self._node()
        module, line = self._forward.get(node._sequence_nr(), ("", None)) if node else ("", None)
        if line is None:
            module, line = self._places.of(sys._getframe(2))
        at = len(self._raw)
        self._raw.append(None)
        start = self._capture.at() if self._capture else 0
        began = self._clock(args)
        results = run(*args, **kwargs)
        ms = None if began is None else ((self._clock(args) or 0) - began) * 1000
        stop = self._capture.at() if self._capture else 0
        if node is None:
            made = self._sequence()
            if made != self._last:
                self._last = made
                self._forward[made - 1] = (module, line)
        found: list[tuple[Any, ...]] = []
        self._kept(results, found)
        backward = node is not None
        self._raw[at] = (op, given, named, facts, found, module, line, backward, ms, start, stop)
        return results

    def _kept(self, value: Any, facts: list[tuple[Any, ...]]) -> Any:
        """A value without tensors: each is noted in ``facts``, its place stands for it."""
        if isinstance(value, self._tensor):
            facts.append(self.fact(value))
            return _PLACES[len(facts) - 1] if len(facts) <= len(_PLACES) else Place(len(facts) - 1)
        if isinstance(value, _LISTS):
            return [self._kept(each, facts) for each in value]
        return value

    def _clock(self, args: Any) -> float | None:
        if not self._timed:
            return None
        if any(getattr(each, "is_cuda", False) for each in args):
            self._torch.cuda.synchronize()
        return time.perf_counter()

    def _done(self) -> Iterator[_Raw]:
        """What was kept of the operators that returned, by name."""
        for kept in self._raw:
            if kept is not None:
                raw = _Raw._make(kept)
                inputs, outputs = (
                    tuple(map(_Fact._make, facts)) for facts in (raw.inputs, raw.outputs)
                )
                yield raw._replace(inputs=inputs, outputs=outputs)

    def ranges(self) -> list[tuple[int, int]]:
        """Positions of the output before and after each operator, without those within another."""
        found: list[tuple[int, int]] = []
        for raw in self._done():
            if not found or raw.start >= found[-1][1]:
                found.append((raw.start, raw.stop))
        return found

    def events(self) -> Iterator[TraceEvent]:
        """The values of all that was kept. An operator that raised is left out."""
        names: dict[Any, str] = {}
        views: dict[tuple[Any, ...], bool] = {}
        for index, raw in enumerate(self._done()):
            if raw.op not in names:
                names[raw.op] = raw.op if isinstance(raw.op, str) else str(raw.op)
            inputs = [_tensor(each, views) for each in raw.inputs]
            shared = {each.storage for each in inputs} - {None}
            given = {_key(each) for each in raw.inputs}
            for each in raw.outputs:
                if _key(each) not in given:
                    views[_key(each)] = each.storage in shared
            yield TraceEvent(
                index,
                names[raw.op],
                raw.module,
                shown_line(raw.line),
                tuple(inputs),
                tuple(_tensor(each, views) for each in raw.outputs),
                raw.ms,
                arguments=_arguments(raw),
                backward=raw.backward,
            )

    def logs(self) -> Iterator[tuple[int, str]]:
        """oneDNN's lines by event; those of operators within a region are theirs alone."""
        if self._capture is None:
            return
        done = [*self._done()]
        for index, raw in enumerate(done):
            stop = raw.stop
            if raw.op == REGION and index + 1 < len(done) and done[index + 1].start < raw.stop:
                stop = done[index + 1].start
            text = self._capture.lines(raw.start, stop)
            if text:
                yield index, text


def _key(fact: _Fact) -> tuple[Any, ...]:
    return fact.storage, fact.offset, fact.shape, fact.strides


def _tensor(fact: _Fact, views: Mapping[tuple[Any, ...], bool]) -> TraceTensor:
    shape, strides, device = fact.shape, fact.strides, str(fact.device)
    return TraceTensor(
        None if shape is None else tuple(map(int, shape)),
        None if strides is None else tuple(map(int, strides)),
        None if fact.offset is None else int(fact.offset),
        str(fact.dtype).removeprefix("torch."),
        fact.storage,
        views.get(_key(fact), fact.view),
        fact.parameter,
        fact.version,
        device,
        fact.note or "no memory" * (device == "meta"),
    )


def _arguments(raw: _Raw) -> dict[str, Any]:
    """The arguments by the names of the operator's schema."""
    schema = getattr(raw.op, "_schema", None)
    names = [each.name for each in schema.arguments] if schema else []
    listed = dict(zip(names, raw.arguments, strict=False)) | raw.named
    return {name: _plain(value) for name, value in listed.items()}


def _plain(value: Any) -> Any:
    """Numbers, text and lists as JSON has them; other values by their last name."""
    if isinstance(value, Place):
        return {"tensor": value.tensor}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value).rpartition(".")[2]


def mode_of(torch: Any, recorder: Recorder) -> Any:
    """The dispatch mode that records. It leaves compiled functions compiled."""
    from torch.utils._python_dispatch import TorchDispatchMode  # noqa: PLC0415  # PyTorch is optional

    class Recording(TorchDispatchMode):  # type: ignore[misc]  # torch has no types here
        supports_higher_order_operators = True

        @classmethod
        def ignore_compile_internals(cls) -> bool:
            return True

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            del types
            return recorder.call(func, func, args, kwargs or {})

    return Recording()
