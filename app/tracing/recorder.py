"""Records every operator that PyTorch dispatches: metadata of its tensors, never a tensor itself.

What is kept of an operator is a tuple; values are made of the tuples when the block has ended. A
storage is held by a weak reference, which keeps its number from being used again while the data are
freed. Source: torch.multiprocessing.reductions.StorageWeakRef; costs in docs/decisions.
"""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple
from weakref import ref

from ..engine.runs.traces import TraceEvent, TraceTensor
from .capture import Capture

_HERE: Final = str(Path(__file__).parent)
REGION: Final = "compiled region"
_MOST_STORAGES: Final = 1 << 14  # kept before those whose data are freed are dropped


class Line(NamedTuple):
    """A place in a code: its instruction in bytes, of which the line is found when it is shown."""

    code: CodeType
    instruction: int

    def __str__(self) -> str:
        """``model.py:42``: the last part of the path and the line."""
        lines = ((stop, line) for _, stop, line in self.code.co_lines() if line is not None)
        line = next((line for stop, line in lines if self.instruction < stop), 0)
        return f"{Path(self.code.co_filename).name}:{line}"


class Places:
    """Finds the module and the line of the code that runs; made once for each trace.

    Both are read off Python's stack: torch.compile would compile hooks of modules, and warn. A
    module's path is that in the outermost module which was called when it was first seen.
    """

    def __init__(self, torch: Any) -> None:
        self._call: CodeType = torch.nn.Module._call_impl.__code__
        self._library = (str(Path(torch.__file__).parent), _HERE, "<frozen", "<string>")
        self._own: dict[CodeType, bool] = {}
        self._paths: dict[ref[Any], str] = {}

    def of(self, frame: FrameType | None) -> tuple[str, tuple[CodeType, int] | None]:
        """Path of the innermost module that is being called, and ``Line`` of its caller's code."""
        line = inner = None
        own, call = self._own, self._call
        while frame is not None and (line is None or inner is None):
            code = frame.f_code
            if code is call:
                inner = inner or frame
            elif line is None:
                mine = own.get(code)
                if mine is None:
                    mine = own[code] = not code.co_filename.startswith(self._library)
                if mine:
                    line = (code, frame.f_lasti)
            frame = frame.f_back
        if inner is None:
            return "", line
        # Locals are made for each question: for the innermost module alone.
        path = self._paths.get(ref(inner.f_locals["self"]))
        return self._named(inner) if path is None else path, line

    def _named(self, inner: FrameType) -> str:
        """Name all modules of the outermost one; the path of the innermost one."""
        root, frame = inner, inner.f_back
        while frame is not None:
            root = frame if frame.f_code is self._call else root
            frame = frame.f_back
        for path, module in root.f_locals["self"].named_modules():
            self._paths.setdefault(ref(module), path.removeprefix("_orig_mod").lstrip("."))
        module = inner.f_locals["self"]
        return self._paths.setdefault(ref(module), type(module).__name__)


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
    device: Any = None  # that of its storage
    note: str = ""


class _Raw(NamedTuple):
    """What is kept of one operator. In ``arguments`` and ``results`` stand facts for tensors."""

    op: Any
    arguments: list[Any]
    named: dict[str, Any]
    results: Any
    module: str
    line: tuple[Any, int] | None
    backward: bool
    ms: float | None
    start: int
    stop: int


class Recorder:
    """What the dispatch mode and the compiled regions call.

    While the program runs, plain tuples are kept: making a named one takes four times as long.
    """

    def __init__(self, torch: Any, capture: Capture | None, *, timed: bool) -> None:
        self._torch, self._capture, self._timed = torch, capture, timed
        self._places = Places(torch)
        self._tensor = torch.Tensor
        self._parameter = torch.nn.Parameter
        self._storages: dict[int, tuple[int, int]] = {}
        self._devices: list[Any] = []  # by the numbers of storages
        self._swept_at = _MOST_STORAGES
        self._node = torch._C._current_autograd_node
        self._sequence = torch.autograd._get_sequence_nr
        self._last = -1
        self._forward: dict[int, tuple[str, tuple[Any, int] | None]] = {}
        self._raw: list[tuple[Any, ...] | None] = []
        self._at: Callable[[], int] = capture.at if capture else int
        self.thread = threading.get_ident()

    def fact(self, tensor: Any) -> tuple[Any, ...]:
        """What there is to know of a tensor, without touching its elements."""
        try:
            storage = tensor.untyped_storage()  # sparse and opaque ones have none
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
            )
        except (RuntimeError, NotImplementedError, TypeError):
            return self._without(tensor)

    def _number(self, storage: Any, key: int) -> tuple[int, int]:
        if len(self._storages) >= self._swept_at:
            self._forget(self._torch.UntypedStorage._expired)
            self._swept_at = max(_MOST_STORAGES, 2 * len(self._storages))
        found = self._storages[key] = (len(self._devices), storage._weak_ref())
        self._devices.append(storage.device)
        return found

    def _forget(self, which: Callable[[int], bool]) -> None:
        """Drop weak references, and with each the number of its storage."""
        for key, (_, weak) in [*self._storages.items()]:
            if which(weak):
                del self._storages[key]
                self._torch.UntypedStorage._free_weak_ref(weak)

    def close(self) -> None:
        """Drop all weak references."""
        self._forget(lambda _: True)

    @staticmethod
    def _without(tensor: Any) -> tuple[Any, ...]:
        try:
            shape = tuple(map(int, tensor.shape))
        except (RuntimeError, NotImplementedError, TypeError):
            shape = None
        note = "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.")
        return shape, None, None, tensor.dtype, None, False, False, None, tensor.device, note

    def call(self, run: Callable[..., Any], op: Any, args: Any, kwargs: Any) -> Any:
        """Run an operator and keep what is known of it."""
        tensor, fact, kept = self._tensor, self.fact, self._kept
        given = [fact(each) if isinstance(each, tensor) else kept(each) for each in args]
        named = {name: kept(each) for name, each in kwargs.items()} if kwargs else kwargs
        node = self._node()
        module, line = self._forward.get(node._sequence_nr(), ("", None)) if node else ("", None)
        if line is None:
            module, line = self._places.of(sys._getframe(2))
        at = len(self._raw)
        self._raw.append(None)
        start = self._at()
        began = self._clock(args) if self._timed else 0.0
        results = run(*args, **kwargs)
        ms = (self._clock(args) - began) * 1000 if self._timed else None
        stop = self._at()
        if node is None:
            made = self._sequence()
            if made != self._last:
                self._last = made
                self._forward[made - 1] = (module, line)
        found = fact(results) if isinstance(results, tensor) else kept(results)
        self._raw[at] = (op, given, named, found, module, line, node is not None, ms, start, stop)
        return results

    def _kept(self, value: Any) -> Any:
        """A value with a tuple of facts for each tensor; lists and tuples as lists."""
        if isinstance(value, self._tensor):
            return self.fact(value)
        if isinstance(value, list | tuple):
            return [self._kept(each) for each in value]
        return value

    def _clock(self, args: Any) -> float:
        if any(getattr(each, "is_cuda", False) for each in args):
            self._torch.cuda.synchronize()
        return time.perf_counter()

    def _done(self) -> Iterator[_Raw]:
        """What was kept of the operators that returned, by name."""
        return (_Raw._make(kept) for kept in self._raw if kept is not None)

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
            given = [*_facts([raw.arguments, *raw.named.values()])]
            made = [*_facts([raw.results])]
            inputs = tuple(_tensor(each, views) for each in given)
            shared = {each.storage for each in inputs} - {None}
            read = {*map(_key, given)}
            for each in made:
                if _key(each) not in read:
                    views[_key(each)] = each.storage in shared
            outputs = tuple(_tensor(each, views) for each in made)
            line = "" if raw.line is None else str(Line(*raw.line))
            called = names[raw.op], raw.module, line
            arguments = _arguments(raw)
            yield TraceEvent(index, *called, inputs, outputs, raw.ms, (), arguments, raw.backward)

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


def _facts(values: Iterable[Any]) -> Iterator[_Fact]:
    """The facts in values and in lists of values, in their order."""
    for each in values:
        if isinstance(each, tuple):
            yield _Fact(*each)
        elif isinstance(each, list):
            yield from _facts(each)


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
    tensors = count()
    listed = [_plain(value, tensors) for value in raw.arguments]
    named = {name: _plain(value, tensors) for name, value in raw.named.items()}
    return dict(zip(names, listed, strict=False)) | named


def _plain(value: Any, tensors: Iterator[int]) -> Any:
    """Numbers, text and lists as JSON has them; tensors by their number; others by their name."""
    if isinstance(value, tuple):
        return {"tensor": next(tensors)}
    if isinstance(value, list):
        return [_plain(each, tensors) for each in value]
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
