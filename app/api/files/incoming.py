"""The header of a file that comes as a body: what it is, which tensor is meant, how long it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from starlette.concurrency import run_in_threadpool

from ...engine import Layout, LayoutError, parse_layout
from ...engine.errors import Described
from ...engine.notation import Written
from ...files import npy, safetensors
from ...files.stored import Stored, source_layout, stored_shape
from .body import Body
from .query import PREFIX_BYTES, FileQuery, Kind, recognised_kind

_MAX_HEADER_BYTES: Final = 1 << 20  # parsed JSON takes ten times as much memory


@dataclass(frozen=True, slots=True)
class Incoming:
    """A body whose header is read. ``size_bytes``: of the whole body as header and layout say."""

    kind: Kind
    stored: Stored
    source: Layout
    size_bytes: int
    metadata: Mapping[str, str] = field(default_factory=dict)

    def head(self, target: Written) -> bytes:
        """The header of a file of this kind, name and metadata with a buffer of ``target``."""
        dtype, shape = self.stored.dtype, stored_shape(target)
        if self.kind == "npy":
            return npy.header(dtype, shape, byte_order=self.stored.byte_order)
        if self.kind == "safetensors":
            return safetensors.header([(self.stored.name or "", dtype, shape)], self.metadata)
        return b""


async def read_header(body: Body, asked: FileQuery, declared: Kind | None) -> Incoming:
    """Read as much of ``body`` as says what it is; nothing is taken out of it.

    ``declared``: the kind that Content-Type says. Errors: LayoutError.
    """
    prefix = await body.peek(PREFIX_BYTES)
    kind = asked.format or declared or recognised_kind(prefix, asked.dtype)
    if asked.tensor is not None and kind != "safetensors":
        raise LayoutError("tensor", asked.tensor, "no name, as the file has only one tensor")
    if kind == "raw":
        return await run_in_threadpool(_raw, asked)
    if kind == "npy":
        head = await body.peek(npy.header_size(prefix))
        return await run_in_threadpool(_npy, head, asked)
    head = await body.peek(safetensors.header_size(prefix, _MAX_HEADER_BYTES))
    return await run_in_threadpool(_safetensors, head, asked)


def _raw(asked: FileQuery) -> Incoming:
    """Bytes without a header: exactly the buffer of the source."""
    if asked.dtype is None:
        raise LayoutError("dtype", None, "the element type of raw bytes")
    if asked.shape is None:
        raise LayoutError("shape", None, "the logical sizes of raw bytes")
    with _source_named():
        source = parse_layout(asked.source, asked.shape, asked.dims, asked.dtype)
    size = asked.dtype.size_bytes(source.buffer_elements)
    stored = Stored(None, asked.dtype, (source.buffer_elements,), 0, size)
    return Incoming("raw", stored, source, size)


def _npy(head: bytes, asked: FileQuery) -> Incoming:
    stored = npy.parse_header(head)
    return Incoming("npy", stored, _source(stored, asked), stored.begin + stored.size_bytes)


def _safetensors(head: bytes, asked: FileQuery) -> Incoming:
    said = safetensors.parse_header(head)
    stored = said.choose(asked.tensor)
    source = _source(stored, asked)
    return Incoming("safetensors", stored, source, said.size_bytes, said.metadata)


def _source(stored: Stored, asked: FileQuery) -> Layout:
    if asked.dtype not in {None, stored.dtype}:
        raise LayoutError(
            "dtype", Described("another element type"), f"{stored.dtype.name}, as the file says"
        )  # fmt: skip
    with _source_named():
        return source_layout(asked.source, stored, asked.shape, asked.dims)


@contextmanager
def _source_named() -> Iterator[None]:
    """Errors about the layout are about the parameter ``source``."""
    try:
        yield
    except LayoutError as error:
        below = error.field.removeprefix("layout")
        raise (error if below == error.field else error.under("source" + below)) from None
