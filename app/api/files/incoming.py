"""Reads the header of a file in a body: its kind, the tensor to reorder, its length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from starlette.concurrency import run_in_threadpool

from ...engine import Layout, LayoutError, parse_layout
from ...engine.model.errors import Described
from ...files import tensor_file
from ...files.stored import Stored
from ...files.tensor_file import Kind, TensorFile
from .body import Body
from .query import FileQuery, kind_of

_MAX_HEADER_BYTES: Final = 1 << 20  # parsed JSON takes ten times as much memory


@dataclass(frozen=True, slots=True)
class Incoming:
    """A body whose header has been read: the file, the tensor to reorder, and its layout."""

    file: TensorFile
    stored: Stored
    source: Layout


async def read_header(body: Body, asked: FileQuery, declared: Kind | None) -> Incoming:
    """Read the header of ``body`` without consuming it.

    ``declared``: the kind that Content-Type gives. Errors: LayoutError.
    """
    prefix = await body.peek(tensor_file.PREFIX_BYTES)
    kind = asked.format or declared or kind_of(prefix, asked.dtype)
    if asked.tensor is not None and kind != "safetensors":
        raise LayoutError("tensor", asked.tensor, "no name, as the file has only one tensor")
    head = await body.peek(tensor_file.header_size(kind, prefix, _MAX_HEADER_BYTES))
    return await run_in_threadpool(_raw if kind == "raw" else _read, kind, head, asked)


def _raw(_kind: Kind, _head: bytes, asked: FileQuery) -> Incoming:
    """Return a file without a header: its bytes are exactly the buffer of the source."""
    if asked.dtype is None:
        raise LayoutError("dtype", None, "the element type of raw bytes")
    if asked.shape is None:
        raise LayoutError("shape", None, "the logical sizes of raw bytes")
    with _source_named():
        source = parse_layout(asked.source, asked.shape, asked.dims, asked.dtype)
    file = tensor_file.raw(asked.dtype, source.buffer_elements)
    return Incoming(file, file.choose(None), source)


def _read(kind: Kind, head: bytes, asked: FileQuery) -> Incoming:
    file = tensor_file.read(kind, head)
    stored = file.choose(asked.tensor)
    if asked.dtype not in {None, stored.dtype}:
        raise LayoutError(
            "dtype", Described("another element type"), f"{stored.dtype.name}, as the file says"
        )
    with _source_named():
        return Incoming(file, stored, asked.source_of(stored))


@contextmanager
def _source_named() -> Iterator[None]:
    """Report errors about the layout as errors about the parameter ``source``."""
    try:
        yield
    except LayoutError as error:
        below = error.field.removeprefix("layout")
        raise (error if below == error.field else error.under("source" + below)) from None
