"""POST /reorder/file: takes a tensor file, returns the same kind of file in another layout.

The header is read and every limit is checked before the tensor's bytes are read.
"""

from __future__ import annotations

import asyncio
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
from ...files.tensor_file import SUFFIXES
from ...settings import Settings
from ..problems import BusyError, problem
from ..transport import declared_bytes
from ..work.pool import HeldResponse, until_gone
from ..work.resources import Resources
from .body import Body, slices
from .buffers import BufferPool, FileBuffer
from .incoming import FileJob, read_header
from .openapi import DESCRIPTION, PARAMETERS, REQUEST_BODY, RESPONSES
from .query import MEDIA_TYPES, file_query, media_kind

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
    job = await read_header(body, asked, declared_kind, settings.max_file_bytes)
    expected_bytes = job.file.size_bytes
    if declared not in {None, expected_bytes}:
        raise _other_length(f"{declared} bytes", expected_bytes)
    buffers.check_room(job.source_bytes, job.made_bytes)
    with ExitStack() as held:
        # Until something is written to it, memory is only counted; a file takes blocks of the disk.
        target = buffers.in_memory(job.made_bytes)
        if target is not None:
            held.callback(target.release)
        source = await buffers.take(job.source_bytes)
        try:
            await _receive(body, job, source)
            if target is None:
                target = await buffers.take(job.made_bytes)
                held.callback(target.release)
                await target.reserve(job.made_bytes)
            work = partial(_reorder, job, source, target, settings.threads)
            said = await _unless_gone(request, work)
        finally:
            source.release()
        held.pop_all()  # sending the answer, or failing to, releases the target
    response = HeldResponse(slices(job.head, target), target.release)
    response.headers["Content-Length"] = str(len(job.head) + len(target.content))
    response.headers["Content-Type"] = MEDIA_TYPES[job.file.kind]
    name = f"reordered{SUFFIXES[job.file.kind]}"
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


async def _receive(body: Body, job: FileJob, source: FileBuffer) -> None:
    """Read the bytes to keep into ``source``, skip all others. Errors: LayoutError naming body."""
    expected_bytes = job.file.size_bytes
    came = await body.skip(job.begin)
    came += await body.read_into(source)
    came += await body.skip(expected_bytes - job.begin - job.source_bytes)
    if came < expected_bytes:
        raise _other_length(f"{came} bytes", expected_bytes)
    if await body.skip(1):
        raise _other_length("more bytes", expected_bytes)


def _reorder(
    job: FileJob, source: FileBuffer, target: FileBuffer, threads: int | None, stopped: Event
) -> str:
    """Copy, and return one line that tells how. Errors: ClientDisconnect once it is stopped."""

    def progress(_written_bytes: int) -> None:
        if stopped.is_set():
            raise ClientDisconnect

    return job.run(source.content, target.content, threads, progress)


def _other_length(got: str, expected_bytes: int) -> LayoutError:
    expected = Phrase("body.bytes", "{bytes}, by the header and the layout", bytes=expected_bytes)
    return LayoutError("body", Described(got), expected)
