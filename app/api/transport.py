"""A call over HTTP: limits, strict JSON, the worker thread, the bytes of the answer."""

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
    """The whole body, refused before it is read where it declares too much or no JSON."""
    media = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media != _JSON:
        raise UnsupportedMediaError("got another media type or none; expected application/json")
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
    """Parse, check, compute and encode; all but the reading in a worker thread."""
    body = await json_body(request, max_bytes)
    encoded = await run_in_threadpool(
        lambda: encode(answer(model.model_validate(parse_json(body))))
    )
    return Response(encoded, media_type=_JSON)


def encode(value: dict[str, Any]) -> bytes:
    """JSON bytes; integers of any size."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:
        # orjson stops at 64 bits, and a buffer of 2^62 doubles has more bytes than that.
        return json.dumps(value, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    return value.tolist()


def cacheable(request: Request, body: bytes) -> Response:
    """``body`` with an ETag, or 304 where the caller has it already."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "public, max-age=0, must-revalidate"}
    known = {
        tag.strip().removeprefix("W/")
        for tag in request.headers.get("if-none-match", "").split(",")
    }
    if etag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=_JSON)
