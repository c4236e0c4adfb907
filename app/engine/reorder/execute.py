"""Reorders a buffer: checks the arguments, then runs the program of the two layouts."""

from functools import lru_cache
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np
import numpy.typing as npt

from ..model.arrays import at_line, gpu_namespace
from ..model.dtypes import ElementType, parse_dtype
from ..model.errors import POSITIVE, LayoutError, phrase, refusal
from ..model.layout import Layout
from . import cpu
from .plan import plan
from .program import Program, Progress, Ready

Buffer1D = npt.NDArray[Any]


class Reordered(NamedTuple):
    """The result of a reorder. ``buffer``: the target's. ``backend``: the backend that made it."""

    buffer: Buffer1D
    backend: str


def reorder(
    buffer: Buffer1D,
    source: Layout,
    target: Layout,
    *,
    out: Buffer1D | None = None,
    dtype: str | ElementType | None = None,
    threads: int | None = None,
    backend: str | None = None,
    progress: Progress | None = None,
) -> Buffer1D:
    """Copy every element from its address in ``source`` to its address in ``target``.

    ``buffer``: one-dimensional, in address order, at least ``source.buffer_elements`` long.
    ``out``: written in place (padding zero, gaps left); by default a fresh array of
    ``target.buffer_elements``, at the begin of a cache line, with zeros in padding and gaps.
    ``dtype``: needed only for elements of 4 bits, whose buffers are packed uint8, two elements to a
    byte. ``threads``: an upper bound, by default the number of cores. ``backend``: "numpy",
    "numba", "cupy" or None for the best that
    is ready. A CuPy buffer gives a CuPy buffer, on CuPy's current stream; if the GPU fails, the
    CPU does the reorder, with a RuntimeWarning. ``progress``: called with the bytes of the target
    written since the last call; an exception that it raises ends the reorder. Errors: LayoutError
    naming the argument.

    >>> import numpy as np
    >>> from stridescope import parse_layout, reorder
    >>> source, target = parse_layout("HW", (2, 3)), parse_layout("WH", (2, 3))
    >>> reorder(np.array([10, 11, 12, 20, 21, 22]), source, target).tolist()
    [10, 20, 11, 21, 12, 22]
    """
    # Everything before the kernel takes as long as copying 100 KB. So what does not depend on the
    # arrays was decided by an earlier call with the same layouts, known by identity.
    last = _prepared.get(id(target))
    if (
        last
        and progress is None
        and type(buffer) is type(out) is np.ndarray
        and last.source is source
        and last.target is target
        and last.threads is threads
        and last.backend is backend
        and last.dtype is dtype
        and buffer.dtype is out.dtype is last.held
        and (program := last.program())
        and buffer.ndim == out.ndim == 1
        and buffer.size >= program.source_items
        and out.size >= program.target_items
        and buffer.flags.c_contiguous
        and out.flags.carray  # writable, without gaps, aligned
    ):
        last.ready.run(buffer, out)
        return out
    return reordered(buffer, source, target, out, dtype, threads, backend, progress).buffer


def reordered(
    buffer: Any,
    source: Layout,
    target: Layout,
    out: Any = None,
    dtype: str | ElementType | None = None,
    threads: int | None = None,
    backend: str | None = None,
    progress: Progress | None = None,
) -> Reordered:
    """Do the same as ``reorder``; return also which backend did it."""
    if threads is not None and (type(threads) is not int or threads < 1):
        raise LayoutError("threads", threads, POSITIVE)
    # This part of every call takes as long as copying a few KB: keep it short.
    xp: Any = np if isinstance(buffer, np.ndarray) else _device_namespace(buffer)
    what = _program(source, target, buffer.dtype, dtype)
    if buffer.ndim != 1 or buffer.size < what.source_items:
        raise _too_short("buffer", buffer, what.source_items)
    if out is None:
        out = _fresh(what, buffer.dtype) if xp is np else xp.zeros(what.target_items, buffer.dtype)
    elif not (
        isinstance(out, xp.ndarray)
        and out.ndim == 1
        and out.size >= what.target_items
        and out.dtype == buffer.dtype
        and (flags := out.flags).c_contiguous
        and (xp is not np or flags.writeable)  # CuPy's arrays are always writable
    ):
        raise _no_target(out, what.target_items, xp)
    buffer = xp.ascontiguousarray(buffer)
    if backend == "cupy" or xp is not np:
        done = _with_gpu(what, buffer, out, backend, threads, progress, xp)
        return Reordered(out, done)
    ready = what.ready(backend or cpu.best(out.nbytes), threads, reports=progress is not None)
    what.run(ready, buffer, out, progress)
    if what.may_repeat(ready) and cpu.stays(backend) and progress is None:
        if len(_prepared) >= _MOST_PREPARED:
            _prepared.clear()
        given = (source, target, buffer.dtype, dtype, threads, backend)
        _prepared[id(target)] = _Prepared(*given, ref(what), ready)
    return Reordered(out, ready.backend)


class _Prepared(NamedTuple):
    """What a call has decided, for the next call with the same target. It holds no array."""

    source: Layout
    target: Layout
    held: np.dtype[Any]
    dtype: str | ElementType | None
    threads: int | None
    backend: str | None
    program: ref[Program]  # it goes with the cache of ``_program``
    ready: Ready


_prepared: dict[int, _Prepared] = {}  # by the target's identity
_MOST_PREPARED: Final = 64


@lru_cache(maxsize=64)
def _program(
    source: Layout, target: Layout, held: np.dtype[Any], dtype: str | ElementType | None
) -> Program:
    element = parse_dtype(dtype) if isinstance(dtype, str) else dtype
    return Program(plan(source, target), _item_bits(held, element))


def _item_bits(held: np.dtype[Any], element: ElementType | None) -> int:
    if held.hasobject or not held.itemsize:
        raise refusal("buffer", "an array of objects or of empty items", "array.items")
    bits = held.itemsize * 8
    if element is None:
        return bits
    if max(element.bits, 8) != bits:
        raise LayoutError("dtype", element.name, phrase("dtype.bits", bits=bits))
    return element.bits


def _device_namespace(buffer: object) -> Any:
    cupy = gpu_namespace()
    if cupy is None or not isinstance(buffer, cupy.ndarray):
        raise LayoutError("buffer", buffer, phrase("array.numpy_cupy"))
    return cupy


def _with_gpu(
    what: Program,
    buffer: Buffer1D,
    out: Buffer1D,
    backend: str | None,
    threads: int | None,
    progress: Progress | None,
    xp: Any,
) -> str:
    from .cuda.device import DeviceProgram  # noqa: PLC0415  # only for the GPU

    def on_host(buffer: Buffer1D, out: Buffer1D) -> str:
        on_cpu = None if backend == "cupy" else backend
        ready = what.ready(on_cpu or cpu.best(out.nbytes), threads, reports=progress is not None)
        what.run(ready, buffer, out, progress)
        return ready.backend

    if what.on_gpu is None:
        what.on_gpu = DeviceProgram(what.planned, what.bits)
    if xp.may_share_memory(out, buffer):
        buffer = buffer.copy()
    done = what.on_gpu.run(buffer.view(np.uint8), out.view(np.uint8), backend, on_host)
    if done == "cupy" and progress:
        progress(out.nbytes)
    return done


def _fresh(what: Program, dtype: np.dtype[Any]) -> Buffer1D:
    """Return a target that begins at a line of memory, with zeros where nothing is written."""
    covered = what.written_bits == 8 * what.target_items * dtype.itemsize and not what.by_tables
    return at_line((what.target_items,), dtype, zeros=not covered)


def _no_target(out: Any, items: int, xp: Any) -> LayoutError:
    if not isinstance(out, xp.ndarray):
        return refusal("out", "another array type", "array.like_buffer")
    if out.ndim != 1 or out.size < items:
        return _too_short("out", out, items)
    return refusal("out", "an array of another type, read-only or with gaps", "array.writable")


def _too_short(name: str, buffer: Buffer1D, items: int) -> LayoutError:
    return refusal(name, f"an array of shape {buffer.shape}", "elements.least", least=items)
