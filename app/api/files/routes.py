"""POST /reorder/file: takes a tensor file, returns the same kind of file in another layout.

The header is read and every limit is checked before the tensor's bytes are read.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from threading import Event

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ...engine import LayoutError
from ...engine.model.errors import Described, Phrase
from ...files.reorder import Reordering
from ...files.stored import Stored
from ...files.tensor_file import SUFFIXES
from ...settings import Settings
from ..held import HeldResponse
from ..problems import BusyError, problem, too_large
from ..transport import declared_bytes
from ..work.pool import until_gone
from ..work.resources import Resources
from .body import Body, slices
from .buffers import BufferPool, FileBuffer
from .incoming import Incoming, read_header
from .openapi import DESCRIPTION, PARAMETERS, REQUEST_BODY, RESPONSES
from .query import MEDIA_TYPES, FileQuery, file_query, media_kind

_RETRY_SECONDS = "5"
_BUSY = Phrase("server.files", "The server has no room for another file now; try again later.")


def make_file_router(resources: Resources) -> APIRouter:
    """Return the router of the calls that take files. All its requests share one budget."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])
    settings = resources.limits
    buffers = BufferPool(
        settings.max_file_memory_bytes, settings.max_temporary_bytes, resources.budget
    )

    @router.post(
        "/reorder/file",
        summary="Reorder a file",
        description=DESCRIPTION,
        operation_id="postReorderFile",
        response_class=Response,
        responses=RESPONSES,
        openapi_extra={"parameters": PARAMETERS, "requestBody": REQUEST_BODY},
    )
    async def reorder_file(request: Request) -> Response:
        try:
            return await _answer(request, settings, buffers)
        except BusyError:
            return problem(503, _BUSY, {"Retry-After": _RETRY_SECONDS})

    return router


async def _answer(request: Request, settings: Settings, buffers: BufferPool) -> Response:
    asked = file_query(request.query_params)
    declared_kind = media_kind(request.headers)
    declared = declared_bytes(request.headers, settings.max_file_bytes)
    body = Body(request)
    incoming = await read_header(body, asked, declared_kind)
    stored, expected_bytes = incoming.stored, incoming.file.size_bytes
    if expected_bytes > settings.max_file_bytes:
        raise too_large(settings.max_file_bytes)
    if declared not in {None, expected_bytes}:
        raise _other_length(f"{declared} bytes", expected_bytes)
    task = await run_in_threadpool(_task, asked, incoming, settings.max_file_bytes)
    head, [made] = incoming.file.of(stored).reshaped({stored.name: task.shape})
    buffers.check_room(stored.size_bytes, made.size_bytes)
    with ExitStack() as held:
        # Until something is written to it, memory is only counted; a file takes blocks of the disk.
        target = buffers.in_memory(made.size_bytes)
        if target is not None:
            held.callback(target.release)
        source = await buffers.take(stored.size_bytes)
        try:
            await _receive(body, stored, source, expected_bytes)
            if target is None:
                target = await buffers.take(made.size_bytes)
                held.callback(target.release)
                await target.reserve(made.size_bytes)
            work = partial(_reorder, task, source, target, settings.threads)
            said = await _unless_gone(request, work)
        finally:
            source.release()
        held.pop_all()  # sending the answer, or failing to, releases the target
    response = HeldResponse(slices(head, target), target.release)
    response.headers["Content-Length"] = str(len(head) + len(target.content))
    response.headers["Content-Type"] = MEDIA_TYPES[incoming.file.kind]
    name = f"reordered{SUFFIXES[incoming.file.kind]}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Stridescope-Plan"] = said
    return response


async def _unless_gone(request: Request, work: Callable[[Event], str]) -> str:
    """Run ``work`` on a thread, and stop it if the caller goes away. Errors: ClientDisconnect."""
    stopped = Event()
    running = asyncio.ensure_future(run_in_threadpool(work, stopped))
    gone = asyncio.ensure_future(until_gone(request))
    try:
        await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        stopped.set()
    return await running


def _task(asked: FileQuery, incoming: Incoming, most_bytes: int) -> Reordering:
    """Return the reorder, within the limits. Errors: LayoutError naming target or a part of it."""
    stored, source = incoming.stored, incoming.source
    target = asked.target_of(source, stored.dtype)
    made = target.layout
    elements = max(made.buffer_elements, math.prod(made.padded_shape))
    made_bytes = stored.dtype.size_bytes(elements)
    if made_bytes > most_bytes:
        expected = Phrase("most", "at most {most}", most=most_bytes)
        raise LayoutError("target", Described(f"a buffer of {made_bytes} bytes"), expected)
    return Reordering.of(stored, source, target)


async def _receive(body: Body, stored: Stored, source: FileBuffer, expected_bytes: int) -> None:
    """Read the tensor's bytes into ``source``, skip all others. Errors: LayoutError naming body."""
    after_bytes = expected_bytes - stored.begin - stored.size_bytes
    came = await body.skip(stored.begin)
    came += await body.read_into(source)
    came += await body.skip(after_bytes)
    if came < expected_bytes:
        raise _other_length(f"{came} bytes", expected_bytes)
    if await body.skip(1):
        raise _other_length("more bytes", expected_bytes)


def _reorder(
    task: Reordering, source: FileBuffer, target: FileBuffer, threads: int | None, stopped: Event
) -> str:
    """Copy, and return one line that tells how. Errors: ClientDisconnect once it is stopped."""

    def progress(_written_bytes: int) -> None:
        if stopped.is_set():
            raise ClientDisconnect

    backend = task.run(source.content, target.content, threads=threads, progress=progress)
    return f"{task.plan.kernel}; elements={task.plan.elements}; backend={backend}"


def _other_length(got: str, expected_bytes: int) -> LayoutError:
    expected = Phrase("body.bytes", "{bytes}, by the header and the layout", bytes=expected_bytes)
    return LayoutError("body", Described(got), expected)
