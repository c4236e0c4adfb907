"""POST /reorder/file: takes a tensor file, returns the same kind of file in another layout.

The header is read and every limit is checked before the tensor's bytes are read.
"""

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, QueryParams
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ...contract.requests import integers
from ...engine import ElementType, LayoutError, parse_dtype, parse_layout
from ...engine.model.errors import one_of, phrase, refusal
from ...files import tensor_file
from ...files.reorder import Conversion, FileJob, chosen
from ...files.tensor_file import KINDS, PREFIX_BYTES, SUFFIXES, Kind, TensorFile, recognised
from ...settings import Settings
from ..edge.outside import HELD
from ..problems import BusyError, RefusedError, documented, problem, too_large
from ..query import DIMS, LAYOUT, NAME, SIZES, parameter, values_of_query
from ..transport import BINARY, check_uncoded, declared_bytes, media_of
from ..work.resources import PiecesResponse, Resources, done_or_gone
from .buffers import SLICE_BYTES, Body, BufferPool, Bytes, FileBuffer, slices

_MAX_HEADER_BYTES: Final = 1 << 20  # parsed JSON takes ten times as much memory
_MOST_TASKS: Final = 1 << 10  # each is planned before the answer begins, in half a millisecond

_MEDIA_TYPES: Final[dict[Kind, str]] = {
    "npy": "application/x-npy",
    "safetensors": "application/vnd.safetensors",
    "raw": "application/octet-stream",
}
_OTHER_MEDIA: Final = {"application/x-safetensors": "application/vnd.safetensors"}
_NO_FILE = ("multipart/", "text/", "application/json")
_FILES: Final = dict.fromkeys(_MEDIA_TYPES.values(), BINARY)
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The file, with the tensor in the target layout.",
        "content": _FILES,
        "headers": {
            "X-Stridescope-Plan": {
                "description": "How it was copied: kernel, number of elements, backend.",
                "schema": {"type": "string"},
            }
        },
    },
    **documented(408, 413, 415, 422, 503),
}

_PARAMETERS: Final = [
    parameter("source", "NCHW", "Layout of the file's tensor.", LAYOUT, required=True),
    parameter("target", "NCHW4", "Layout to copy it into.", LAYOUT, required=True),
    parameter("shape", "2,64,3,3", "Logical sizes; by default computed from the header.", SIZES),
    parameter("dims", "NCHW", "One letter per logical dimension.", DIMS),
    parameter("dtype", "float32", "Element type of raw bytes.", NAME),
    parameter("tensor", "conv1.weight", "The only tensor to return of a safetensors file.", {}),
    parameter("format", "npy", "Kind of file; overrides Content-Type.", {"enum": list(KINDS)}),
]
NAMES: Final = [each["name"] for each in _PARAMETERS]


@dataclass(frozen=True, slots=True)
class FileQuery(Conversion):
    """The query of a file reorder.

    ``dtype``: element type of raw bytes. ``tensor``: name of a tensor in a safetensors file.
    ``format``: the kind of file, None if not given.
    """

    dtype: ElementType | None = None
    tensor: str | None = None
    format: Kind | None = None


def add_files(router: APIRouter, resources: Resources) -> None:
    """Add the call that takes files. All its requests share one budget."""
    settings = resources.limits
    buffers = BufferPool(settings, resources.budget)

    @router.post(
        "/reorder/file",
        summary="Reorder a file",
        operation_id="postReorderFile",
        responses=_RESPONSES,
        openapi_extra={
            "parameters": _PARAMETERS,
            "requestBody": {"required": True, "content": _FILES},
        },
    )
    async def reorder_file(request: Request) -> Response:
        """Returns the same kind of file: the tensor with its name and metadata, with zeros in the
        padding. Of a safetensors file with several tensors, each whose rank fits `source` is
        reordered, and the others stay as they are; with `tensor`, the answer holds that one alone.
        The header's shape is the shape in memory, outermost dimension first. If no shape describes
        the memory of the target layout, the tensor is stored with one dimension.

        The kind of file is given by `format`; else by Content-Type; else by the first bytes: the
        magic string means `.npy`; otherwise `dtype` means raw bytes; otherwise a brace after the
        length means safetensors. Raw bytes are exactly the source's buffer, from address 0 to the
        greatest address. Elements of 4 bits are stored two to a byte, the even address in the low
        half.

        The header is checked against the limits and against Content-Length before the rest is read.
        If `shape` is absent, the logical sizes are computed from the shape in the header.

        The letters of `source` name the axes of the array as NumPy shows them. Which axis of a
        `.npy` file lies innermost is read off its header (`fortran_order`). Strides are those of
        the memory itself.
        """
        try:
            return await _answer(request, settings, buffers)
        except BusyError:
            return problem(503, phrase("server.files"), {"Retry-After": "5"})


async def _answer(request: Request, settings: Settings, buffers: BufferPool) -> Response:
    asked = file_query(request.query_params)
    declared_kind = media_kind(request.headers)
    declared = declared_bytes(request.headers, settings.max_file_bytes)
    body = Body(request)
    job = await read_header(body, asked, declared_kind, settings.max_file_bytes)
    expected_bytes = job.file.size_bytes
    if declared not in {None, expected_bytes}:
        raise _other_length(f"{declared} bytes", expected_bytes)
    buffers.check_room(job.source_bytes, job.made_bytes)
    # Until something is written to it, memory is only counted, and a file takes no blocks.
    target = await buffers.take(job.made_bytes)
    request.scope[HELD].append(target.release)
    source = await buffers.take(job.source_bytes)
    try:
        await _receive(body, job, source)
        await target.reserve()
        said = await _reorder(request, job, source.content, target.content, settings.threads)
    finally:
        source.release()
    response = PiecesResponse(slices(job.head, target))
    kind = job.file.kind
    response.headers["Content-Length"] = str(job.size_bytes)
    response.headers["Content-Type"] = _MEDIA_TYPES[kind]
    response.headers["Content-Disposition"] = f'attachment; filename="reordered{SUFFIXES[kind]}"'
    response.headers["X-Stridescope-Plan"] = said
    return response


async def _receive(body: Body, job: FileJob, source: FileBuffer) -> None:
    """Read the bytes to keep into ``source``, pass over others. Errors: LayoutError naming body."""
    at, begin, expected_bytes = 0, job.begin, job.file.size_bytes
    while piece := await body.read(1 if source.file is None else SLICE_BYTES):
        body.held = bytearray()
        kept = memoryview(piece)[max(begin - at, 0) : max(begin + job.source_bytes - at, 0)]
        if kept:
            await source.write(max(at - begin, 0), kept)
        at += len(piece)
        if at > expected_bytes:
            raise _other_length("more bytes", expected_bytes)
    if at < expected_bytes:
        raise _other_length(f"{at} bytes", expected_bytes)


async def _reorder(
    request: Request, job: FileJob, source: Bytes, target: Bytes, threads: int | None
) -> str:
    """Copy on a thread, until the caller goes away, and return one line that tells how.

    Errors: ClientDisconnect.
    """
    gone = Event()

    def progress(_written_bytes: int) -> None:
        if gone.is_set():
            raise ClientDisconnect

    work = partial(job.run, source, target, threads=threads, progress=progress)
    running = asyncio.ensure_future(run_in_threadpool(work))
    try:
        await done_or_gone(running, request)
    finally:
        gone.set()
    used = await running
    plans = [task.plan for task in job.tasks.values()]
    kernels = "+".join(sorted({plan.kernel for plan in plans}))
    elements = sum(plan.elements for plan in plans)
    return f"{kernels}; elements={elements}; backend={'+'.join(sorted(set(used.values())))}"


def _other_length(got: str, expected_bytes: int) -> LayoutError:
    return refusal("body", got, "body.bytes", bytes=expected_bytes)


async def read_header(
    body: Body, asked: FileQuery, declared: Kind | None, most_bytes: int
) -> FileJob:
    """Read the header of ``body`` without consuming it, and plan the reorders.

    ``declared``: the kind that Content-Type gives. ``most_bytes``: of the body and of the answer.
    Errors: LayoutError, RefusedError.
    """
    prefix = bytes((await body.read(PREFIX_BYTES))[:PREFIX_BYTES])
    kind = asked.format or declared or kind_of(prefix, asked.dtype)
    head_bytes = tensor_file.header_size(kind, prefix, _MAX_HEADER_BYTES)
    head = bytes((await body.read(head_bytes))[:head_bytes])
    return await run_in_threadpool(_planned, kind, head, asked, most_bytes)


def _planned(kind: Kind, head: bytes, asked: FileQuery, most_bytes: int) -> FileJob:
    file = _raw(asked) if kind == "raw" else tensor_file.read(kind, head)
    if file.size_bytes > most_bytes:
        raise too_large(most_bytes)
    tensors = chosen(file, asked, asked.tensor)
    if asked.tensor is not None:
        file = replace(file, parts=(tensors[0],))
    if len(tensors) > _MOST_TASKS:
        raise refusal("tensor", f"{len(tensors)} tensors to reorder", "most", most=_MOST_TASKS)
    tasks, made_bytes = [], sum(part.size_bytes for part in file.parts)
    for stored in tensors:
        if asked.dtype not in {None, stored.dtype}:
            own = stored.dtype.name
            raise refusal("dtype", "another element type", "file.dtype", dtype=own)
        with _source_named():
            task = asked.of(stored)
        layout = task.target.layout
        elements = max(layout.buffer_elements, math.prod(layout.padded_shape))
        made_bytes += stored.dtype.size_bytes(elements) - stored.size_bytes
        if made_bytes > most_bytes:
            raise refusal("target", f"a buffer of {made_bytes} bytes", "most", most=most_bytes)
        tasks.append(task)
    return FileJob.of(file, tasks)


def _raw(asked: FileQuery) -> TensorFile:
    """A file without a header: its bytes are exactly the buffer of the source."""
    if asked.dtype is None:
        raise LayoutError("dtype", None, phrase("raw.dtype"))
    if asked.shape is None:
        raise LayoutError("shape", None, phrase("raw.shape"))
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


def file_query(query: QueryParams) -> FileQuery:
    """Parse the query of a file reorder.

    Errors: LayoutError naming a parameter that is unknown, repeated, missing or not valid.
    """
    values: dict[str, Any] = {**values_of_query(query, NAMES)}
    for name in ("source", "target"):
        if name not in values:
            raise LayoutError(name, None, phrase("layout"))
    if values.get("format", KINDS[0]) not in KINDS:
        raise LayoutError("format", values["format"], one_of(KINDS))
    if "shape" in values:
        values["shape"] = tuple(integers("shape", values["shape"]))
    if "dtype" in values:
        values["dtype"] = parse_dtype(values["dtype"])
    return FileQuery(**values)


def media_kind(headers: Headers) -> Kind | None:
    """Return the kind of file that Content-Type gives, or None if it gives none.

    Errors: RefusedError for a media type that is not a file, or an encoded body.
    """
    media = media_of(headers)
    if media.startswith(_NO_FILE):
        said = phrase("media.file", types=(*_MEDIA_TYPES.values(),))
        raise RefusedError(415, "Content-Type", said)
    check_uncoded(headers)
    kinds = {name: kind for kind, name in _MEDIA_TYPES.items() if kind != "raw"}
    return kinds.get(_OTHER_MEDIA.get(media, media))


def kind_of(prefix: bytes, dtype: ElementType | None) -> Kind:
    """Return the kind of a body that is not declared.

    It is .npy if it begins with .npy's magic string. Otherwise ``dtype`` means raw bytes.
    Errors: LayoutError naming ``format``.
    """
    found = recognised(prefix)
    if dtype is not None and found != "npy":
        return "raw"
    if found is None:
        raise refusal("format", "a body that is neither .npy nor safetensors", "format")
    return found
