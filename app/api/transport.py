"""One call over HTTP: limits, strict JSON, a worker thread, the bytes of the answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .problems import TooLargeError, UnsupportedMediaError
from .strict_json import parse_json

_JSON = "application/json"
Model = TypeVar("Model", bound=BaseModel)


async def json_body(request: Request, max_bytes: int) -> bytes:
    """Return the whole body.

    A body that declares too many bytes or another media type is refused before it is read.
    Errors: TooLargeError, UnsupportedMediaError.
    """
    media = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media != _JSON:
        raise UnsupportedMediaError("got another media type or none; expected application/json")
    return await whole_body(request, max_bytes)


async def whole_body(request: Request, max_bytes: int) -> bytes:
    """Return the whole body, of any media type. Errors: TooLargeError."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > max_bytes:
        raise TooLargeError(f"expected at most {max_bytes} bytes")
    parts = bytearray()
    async for chunk in request.stream():
        parts += chunk
        if len(parts) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes")
    return bytes(parts)


async def answer_json(
    request: Request, model: type[Model], answer: Callable[[Model], dict[str, Any]], max_bytes: int
) -> Response:
    """Read the body, then parse, check, compute and encode in a worker thread."""
    body = await json_body(request, max_bytes)
    encoded = await run_in_threadpool(
        lambda: encode(answer(model.model_validate(parse_json(body))))
    )
    return Response(encoded, media_type=_JSON)


def encode(value: dict[str, Any]) -> bytes:
    """Return ``value`` as JSON; integers may have any size."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:
        # orjson encodes at most 64 bits, and the bytes of a buffer of 2^62 doubles need more.
        return json.dumps(value, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    return value.tolist()


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
    return Response(body, headers=headers, media_type=_JSON)
