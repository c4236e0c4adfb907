"""One call over HTTP: limits, the body, who works on it, the bytes of the answer."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from inspect import getdoc
from typing import Any, Final, get_type_hints

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from ..contract.allowance import Allowance, BeyondError, allowed
from ..contract.operations import Operation
from ..contract.shapes import shape_of
from ..engine.model.errors import phrase
from .answers import JSON, cacheable, encode
from .problems import RefusedError, documented, too_large
from .work.resources import HeldBytes, Resources
from .work.worker import json_work

# What OpenAPI says of a file, and of an answer that is known.
BINARY: Final = {"schema": {"type": "string", "format": "binary"}}
NOT_MODIFIED: Final[dict[int | str, Any]] = {304: {"description": "Not modified."}}
# What is answered in the program itself, which must never be busy with one call for long.
SMALL_BODY_BYTES = 2048
COPIES = 2  # of a body: bytes that grow are copied, and a worker has a copy of its own
_SMALL_BYTES = 1 << 19
_SMALL_STEPS = 1 << 17
# Names the backend that copied, which changes when the compiled kernels are ready.
_CHANGING = "reorder"


def _small(size_bytes: int) -> None:
    if size_bytes > _SMALL_BYTES:
        raise BeyondError


_SMALL = Allowance(_small, _SMALL_STEPS)


def media_of(headers: Headers) -> str:
    """Return Content-Type without its parameters."""
    return headers.get("content-type", "").split(";")[0].strip().lower()


async def whole_body(request: Request, max_bytes: int, share: HeldBytes) -> bytearray:
    """Return the whole body. Its bytes are taken from ``share`` as they come.

    One that declares too many is refused before it is read. Errors: RefusedError, BusyError.
    """
    check_uncoded(request.headers)
    max_bytes = min(max_bytes, share.most_bytes // COPIES)
    declared_bytes(request.headers, max_bytes)
    parts = bytearray()
    async for chunk in request.stream():
        if len(parts) + len(chunk) > max_bytes:
            raise too_large(max_bytes)
        share.take(COPIES * len(chunk))
        parts += chunk
    return parts


def check_uncoded(headers: Headers) -> None:
    """Refuse a body with a Content-Encoding. Errors: RefusedError."""
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        said = phrase("media.encoded")
        raise RefusedError(415, "Content-Encoding", said, {"Accept-Encoding": "identity"})


def declared_bytes(headers: Headers, most: int) -> int | None:
    """Return Content-Length, or None if the body comes in chunks. Errors: RefusedError."""
    said = headers.get("content-length", "")
    if not said.isdecimal():
        return None
    # The length of the text first, because Python does not convert thousands of digits.
    if len(said) > len(str(most)) + 1 or int(said) > most:
        raise too_large(most)
    return int(said)


async def answer_json(
    request: Request,
    operation: Operation,
    options: dict[str, Any],
    resources: Resources,
    max_bytes: int,
) -> Response:
    """Answer a call whose body is JSON of at most ``max_bytes``.

    A small one is answered here if it turns out to need little, any other one by a worker.
    Errors: RefusedError, BusyError, those of the call.
    """
    if media_of(request.headers) != JSON:
        raise RefusedError(415, "Content-Type", phrase("media.json"))
    answers, share = resources.answers, resources.share(request)
    body = await whole_body(request, max_bytes, share)
    if operation.small and len(body) <= SMALL_BODY_BYTES:
        question = b"%b\n%b" % (request.scope["path"].encode(), bytes(body))
        keeps = operation.name != _CHANGING
        kept = answers.find(question) if keeps else None
        if kept is not None:
            return Response(kept, media_type=JSON)
        with suppress(BeyondError):
            work = partial(_answer_small, operation, body, options)
            response = await resources.small(work, brief=operation.brief)
            if keeps:
                answers.keep(question, bytes(response.body))
            return response
    queue = resources.quick if operation.small and not operation.lists else resources.long
    asked = {"call": operation.name, "options": options}
    return await resources.run(queue, request, asked, body, share)


def _answer_small(operation: Operation, body: bytearray, options: dict[str, Any]) -> Response:
    """Return the answer to a small call. Errors: BeyondError if it needs more than a little."""
    with allowed(_SMALL):
        compute, respond = json_work(operation, body.copy(), options)
        return respond(compute())


def get(
    router: APIRouter,
    resources: Resources,
    path: str,
    summary: str,
    *,
    model: Any = None,
    brief: bool = False,
    problems: Sequence[int] = (),
    parameters: Sequence[dict[str, Any]] = (),
) -> Callable[[Callable[[Request], Any]], None]:
    """Add a GET whose answer depends on its URL alone: 304 if it is known.

    It decorates what computes the answer; the call has its name, its docstring and the shape that
    it is annotated with, or else ``model``. ``brief``: as of ``Resources.small``. ``problems``: the
    statuses of its refusals.
    """

    def add(answer: Callable[[Request], Any]) -> None:
        shape = model or shape_of(get_type_hints(answer, include_extras=True)["return"])

        async def endpoint(request: Request) -> Response:
            path, query = request.scope["path"], request.scope["query_string"]
            question = b"GET %b?%b" % (path.encode(), query)
            body = resources.answers.find(question)
            if body is None:
                body = await resources.small(lambda: encode(answer(request)), brief=brief)
                resources.answers.keep(question, body)
            return cacheable(body, JSON, request.headers.get("if-none-match", ""))

        router.add_api_route(
            path,
            endpoint,
            summary=summary,
            description=getdoc(answer),
            operation_id=f"get{answer.__name__.title().replace('_', '')}",
            responses={200: {"model": shape}, **NOT_MODIFIED, **documented(*problems)},
            openapi_extra={"parameters": parameters} if parameters else {},
        )

    return add
