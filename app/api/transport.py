"""One call over HTTP: limits, the body, who works on it, the bytes of the answer."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..contract.allowance import Allowance, BeyondError, allowed
from ..contract.operations import Operation
from ..engine.model.errors import Phrase
from .problems import TooLargeError, UnsupportedMediaError, most_bytes
from .work.budget import Share
from .work.calls import JSON, json_answer
from .work.lanes import Job
from .work.office import Office

# What is answered in the program itself, which must never be busy with one call for long.
SMALL_BODY_BYTES = 2048
_SMALL_BYTES = 1 << 19
_SMALL_STEPS = 1 << 17


def _small(size_bytes: int) -> None:
    if size_bytes > _SMALL_BYTES:
        raise BeyondError(size_bytes)


_SMALL = Allowance(_small, _SMALL_STEPS)


async def json_body(request: Request, max_bytes: int, share: Share) -> bytearray:
    """Return the whole body.

    A body that declares too many bytes or another media type is refused before it is read.
    Errors: TooLargeError, UnsupportedMediaError, BusyError.
    """
    media = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media != JSON:
        said = "got another media type or none; expected application/json"
        raise UnsupportedMediaError(Phrase("media.json", said))
    return await whole_body(request, max_bytes, share)


async def whole_body(request: Request, max_bytes: int, share: Share) -> bytearray:
    """Return the whole body, of any media type. Its bytes are taken from ``share`` as they come.

    Errors: TooLargeError, BusyError.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > max_bytes:
        raise TooLargeError(most_bytes(max_bytes))
    parts = bytearray()
    async for chunk in request.stream():
        if len(parts) + len(chunk) > max_bytes:
            raise TooLargeError(most_bytes(max_bytes))
        # Twice: bytes that grow are copied, and a worker has a copy of its own.
        share.hold(2 * len(chunk))
        parts += chunk
    return parts


async def answer_json(
    request: Request, operation: Operation, options: dict[str, Any], office: Office
) -> Response:
    """Answer a call whose body is JSON.

    A small one is answered here if it turns out to need little, any other one by a worker.
    """
    with office.share() as share:
        body = await json_body(request, office.limits.max_body_bytes, share)
        if operation.small and len(body) <= SMALL_BODY_BYTES:
            with suppress(BeyondError):
                answer = partial(answer_small, operation, body, options)
                return await office.small(answer, brief=operation.brief)
        lane = office.quick if operation.small and not operation.lists else office.long
        return await lane.run(request, Job(operation.name, body, options, share.hand_on()))


def answer_small(operation: Operation, body: bytearray, options: dict[str, Any]) -> Response:
    """Return the answer to a small call. Errors: BeyondError if it needs more than a little."""
    with allowed(_SMALL):
        return json_answer(operation, body.copy(), options)


def cacheable(request: Request, body: bytes) -> Response:
    """Return ``body`` with an ETag, or 304 if the caller has it already."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "public, max-age=0, must-revalidate"}
    known = {
        tag.strip().removeprefix("W/")
        for tag in request.headers.get("if-none-match", "").split(",")
    }
    if etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON)
