"""Reads the header of a file in a body, and plans what becomes of its tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from starlette.concurrency import run_in_threadpool

from ...engine import LayoutError, parse_layout
from ...engine.model.errors import Described, Phrase
from ...files import tensor_file
from ...files.reorder import Bytes, Reordering, fitting
from ...files.stored import Part
from ...files.tensor_file import Kind, TensorFile
from ..problems import too_large
from .body import Body
from .query import FileQuery, kind_of

_MAX_HEADER_BYTES: Final = 1 << 20  # parsed JSON takes ten times as much memory

_MOST_TASKS: Final = 1 << 10  # each is planned before the answer begins, in half a millisecond


@dataclass(frozen=True, slots=True)
class FileJob:
    """A body whose header has been read, and the file to answer with.

    ``file``: the body. ``parts``: the tensors to keep, in the order of their bytes. ``tasks``: of
    those to reorder, by name. ``head``: of the answer. ``made``: the parts of the answer.
    """

    file: TensorFile
    parts: tuple[Part, ...]
    tasks: Mapping[str | None, Reordering]
    head: bytes
    made: tuple[Part, ...]

    @property
    def begin(self) -> int:
        """The first byte of the body that is kept."""
        return self.parts[0].begin

    @property
    def source_bytes(self) -> int:
        """Bytes of the body from ``begin`` that are kept."""
        return self.parts[-1].begin + self.parts[-1].size_bytes - self.begin

    @property
    def made_bytes(self) -> int:
        """Bytes of the answer after its head."""
        return sum(part.size_bytes for part in self.made)

    def run(
        self,
        source: Bytes,
        target: Bytes,
        threads: int | None,
        progress: Callable[[int], None],
    ) -> str:
        """Write the answer, whose bytes are zeros, and return one line that tells how.

        ``progress`` is called with the bytes written, and may raise.
        """
        backends = set()
        for part, made in zip(self.parts, self.made, strict=True):
            taken = source[part.begin - self.begin :][: part.size_bytes]
            written = target[made.begin - len(self.head) :][: made.size_bytes]
            task = self.tasks.get(part.name)
            if task is None:
                written[:] = taken
                progress(len(taken))
            else:
                backends.add(task.run(taken, written, threads=threads, progress=progress))
        plans = [task.plan for task in self.tasks.values()]
        kernels = "+".join(sorted({plan.kernel for plan in plans}))
        elements = sum(plan.elements for plan in plans)
        return f"{kernels}; elements={elements}; backend={'+'.join(sorted(backends))}"


async def read_header(
    body: Body, asked: FileQuery, declared: Kind | None, most_bytes: int
) -> FileJob:
    """Read the header of ``body`` without consuming it, and plan the reorders.

    ``declared``: the kind that Content-Type gives. ``most_bytes``: of the body and of the answer.
    Errors: LayoutError, RefusedError.
    """
    prefix = await body.peek(tensor_file.PREFIX_BYTES)
    kind = asked.format or declared or kind_of(prefix, asked.dtype)
    if asked.tensor is not None and kind != "safetensors":
        expected = Phrase("file.one_tensor", "no name, as the file has only one tensor")
        raise LayoutError("tensor", asked.tensor, expected)
    head = await body.peek(tensor_file.header_size(kind, prefix, _MAX_HEADER_BYTES))
    return await run_in_threadpool(_planned, kind, head, asked, most_bytes)


def _planned(kind: Kind, head: bytes, asked: FileQuery, most_bytes: int) -> FileJob:
    if kind == "raw":
        whole = kept = _raw(asked)
    else:
        whole = kept = tensor_file.read(kind, head)
        if asked.tensor is not None:
            kept = whole.of(whole.choose(asked.tensor))
    if whole.size_bytes > most_bytes:
        raise too_large(most_bytes)
    chosen = [kept.choose(asked.tensor)] if len(kept.parts) == 1 else fitting(kept, asked)
    if len(chosen) > _MOST_TASKS:
        expected = Phrase("most", "at most {most}", most=_MOST_TASKS)
        raise LayoutError("tensor", Described(f"{len(chosen)} tensors to reorder"), expected)
    tasks, made_bytes = {}, sum(part.size_bytes for part in kept.parts)
    for stored in chosen:
        if asked.dtype not in {None, stored.dtype}:
            expected = Phrase("file.dtype", "{dtype}, as the file says", dtype=stored.dtype.name)
            raise LayoutError("dtype", Described("another element type"), expected)
        with _source_named():
            source = asked.source_of(stored)
        target = asked.target_of(source, stored.dtype)
        layout = target.layout
        elements = max(layout.buffer_elements, math.prod(layout.padded_shape))
        made_bytes += stored.dtype.size_bytes(elements) - stored.size_bytes
        if made_bytes > most_bytes:
            expected = Phrase("most", "at most {most}", most=most_bytes)
            raise LayoutError("target", Described(f"a buffer of {made_bytes} bytes"), expected)
        tasks[stored.name] = Reordering.of(stored, source, target)
    made_head, made = kept.reshaped({name: task.shape for name, task in tasks.items()})
    return FileJob(whole, kept.parts, tasks, made_head, made)


def _raw(asked: FileQuery) -> TensorFile:
    """A file without a header: its bytes are exactly the buffer of the source."""
    if asked.dtype is None:
        raise LayoutError("dtype", None, Phrase("raw.dtype", "the element type of raw bytes"))
    if asked.shape is None:
        raise LayoutError("shape", None, Phrase("raw.shape", "the logical sizes of raw bytes"))
    with _source_named():
        source = parse_layout(asked.source, asked.shape, asked.dims, asked.dtype)
    return tensor_file.raw(asked.dtype, source.buffer_elements)


@contextmanager
def _source_named() -> Iterator[None]:
    """Report errors about the layout as errors about the parameter ``source``."""
    try:
        yield
    except LayoutError as error:
        below = error.field.removeprefix("layout")
        raise (error if below == error.field else error.under("source" + below)) from None
