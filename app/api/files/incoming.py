"""Reads the header of a file in a body, and plans what becomes of its tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from starlette.concurrency import run_in_threadpool

from ...engine import LayoutError, parse_layout
from ...engine.model.errors import Described, Phrase
from ...files import tensor_file
from ...files.reorder import FileJob, chosen
from ...files.tensor_file import Kind, TensorFile
from ..problems import too_large
from .body import Body
from .query import FileQuery, kind_of

_MAX_HEADER_BYTES: Final = 1 << 20  # parsed JSON takes ten times as much memory

_MOST_TASKS: Final = 1 << 10  # each is planned before the answer begins, in half a millisecond


async def read_header(
    body: Body, asked: FileQuery, declared: Kind | None, most_bytes: int
) -> FileJob:
    """Read the header of ``body`` without consuming it, and plan the reorders.

    ``declared``: the kind that Content-Type gives. ``most_bytes``: of the body and of the answer.
    Errors: LayoutError, RefusedError.
    """
    prefix = await body.peek(tensor_file.PREFIX_BYTES)
    kind = asked.format or declared or kind_of(prefix, asked.dtype)
    head = await body.peek(tensor_file.header_size(kind, prefix, _MAX_HEADER_BYTES))
    return await run_in_threadpool(_planned, kind, head, asked, most_bytes)


def _planned(kind: Kind, head: bytes, asked: FileQuery, most_bytes: int) -> FileJob:
    file = _raw(asked) if kind == "raw" else tensor_file.read(kind, head)
    if file.size_bytes > most_bytes:
        raise too_large(most_bytes)
    tensors = chosen(file, asked, asked.tensor)
    if asked.tensor is not None:
        file = file.of(tensors[0])
    if len(tensors) > _MOST_TASKS:
        expected = Phrase("most", "at most {most}", most=_MOST_TASKS)
        raise LayoutError("tensor", Described(f"{len(tensors)} tensors to reorder"), expected)
    tasks, made_bytes = [], sum(part.size_bytes for part in file.parts)
    for stored in tensors:
        if asked.dtype not in {None, stored.dtype}:
            expected = Phrase("file.dtype", "{dtype}, as the file says", dtype=stored.dtype.name)
            raise LayoutError("dtype", Described("another element type"), expected)
        with _source_named():
            task = asked.of(stored)
        layout = task.target.layout
        elements = max(layout.buffer_elements, math.prod(layout.padded_shape))
        made_bytes += stored.dtype.size_bytes(elements) - stored.size_bytes
        if made_bytes > most_bytes:
            expected = Phrase("most", "at most {most}", most=most_bytes)
            raise LayoutError("target", Described(f"a buffer of {made_bytes} bytes"), expected)
        tasks.append(task)
    return FileJob.of(file, tasks)


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
