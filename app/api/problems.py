"""RFC 9457 problems: the shape of every error, and the table from exception to status."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Mount
from starlette.types import Receive, Scope, Send

from ..contract.refusals import refusals
from ..engine.model.errors import LayoutError, Phrase
from ..engine.model.layout import INT64_MAX
from .strict_json import UnreadableJsonError

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "2"


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str = Field(description="Path of the field, such as tensor.shape[1].")
    message: str = Field(description="A description of the value, and what was expected.")
    code: str = Field(
        description="What was expected, as lower-case words with dots; it stays when the words of "
        "the message change. `unspecified` where it has none yet."
    )
    params: dict[str, Any] = Field(
        description="The numbers, names and lists that the words around `code` show, by name."
    )
    position: int | None = Field(None, description="0-based index of the wrong character, in text.")


class Problem(BaseModel):
    """An error, as RFC 9457 application/problem+json."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError]


class TooLargeError(Exception):
    """A body over the limit; its one argument is a phrase that gives the limit."""


class BusyError(Exception):
    """Other calls use what this one needs; it is free again when they end."""


class OverdueError(Exception):
    """A call that took longer than it may; the message gives the limit."""


class LostError(Exception):
    """The worker of a call has ended before it answered."""


class UnsupportedMediaError(Exception):
    """A body of an unsupported media type or encoding; its one argument is a phrase."""


def problem(
    status: int,
    detail: str,
    errors: list[dict[str, Any]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Return the response for a problem."""
    phrase = HTTPStatus(status).phrase
    body = {
        "type": "urn:stridescope:problem:" + phrase.lower().replace(" ", "-"),
        "title": phrase,
        "status": status,
        "detail": detail,
        "errors": errors or [],
    }
    return Response(orjson.dumps(body), status, headers, MEDIA_TYPE)


def documented(texts: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of these statuses, each answered with a problem."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": text, "content": content} for status, text in texts.items()}


def busy(said: str = "The server has no room for this call now; try again later.") -> Response:
    """Return the response to a call that needs what others hold."""
    return problem(503, said, headers={"Retry-After": _RETRY_SECONDS})


class NoResponse(Response):
    """What a caller gets who has gone: nothing, and nothing is counted as an answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send nothing."""


def respond(request: Request, error: Exception) -> Response:
    """Return the response for an exception of the application."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        return problem(405, _HTTP_DETAILS[405], [], {"Allow": _allowed(request)})
    return error_response(error)


def error_response(error: Exception) -> Response:
    """Return the response for an exception, whatever the request was."""
    match error:
        case ClientDisconnect():
            return NoResponse()
        case BusyError() | MemoryError():
            return busy()
        case OverdueError():
            return busy(str(error))
        case LostError():
            return busy("The server lost this call; try again.")
        case LayoutError():
            return problem(422, str(error), [entry(error)])
        case ValidationError():
            listed, more = refusals(error)
            detail = str(listed[0]) + (f" (and {more} more, not listed)" if more else "")
            return problem(422, detail, [entry(e) for e in listed])
        case UnreadableJsonError():
            return problem_of(400, "body", error.problem, error.position)
        case TooLargeError():
            return problem_of(413, "body", error.args[0])
        case UnsupportedMediaError():
            return problem_of(415, "Content-Type", error.args[0])
        case HTTPException():
            headers = dict(error.headers) if error.headers else None
            return problem(error.status_code, _HTTP_DETAILS.get(error.status_code, ""), [], headers)
        case _:
            return problem(500, "The server failed. This is an error of the server.")


def most_bytes(most: int) -> Phrase:
    """Return what is said of a part of a request that is too long."""
    return Phrase("bytes.most", "expected at most {most} bytes", most=most)


def problem_of(status: int, field: str, said: Phrase, position: int | None = None) -> Response:
    """Return the response for one phrase that is the whole message."""
    return problem(status, f"{field}: {said}", [_entry(field, said, said, position)])


def entry(error: LayoutError) -> dict[str, Any]:
    """Return the FieldError of an error of the engine."""
    return _entry(error.field, error.message, error.expectation, error.position)


def _entry(field: str, message: str, said: Phrase, position: int | None) -> dict[str, Any]:
    params = {name: _json_ready(value) for name, value in said.params.items()}
    found = {"field": field, "message": message, "code": said.code, "params": params}
    return found if position is None else {**found, "position": position}


def _json_ready(value: Any) -> Any:
    """Return ``value``, with the text of integers in place of those beyond 64 bits."""
    if isinstance(value, (list, tuple)):
        return [_json_ready(each) for each in value]
    return str(value) if isinstance(value, int) and abs(value) > INT64_MAX else value


def _allowed(request: Request) -> str:
    """Return every method of the path; the router's own Allow header names those of one route."""
    scope = request.scope
    # A mount changes root_path, so the original is put back. Mounts serve files without POST.
    scope = {**scope, "root_path": scope.get("app_root_path", scope.get("root_path", ""))}
    return ", ".join(
        method
        for method in ("GET", "HEAD", "POST")
        if any(
            route.matches({**scope, "method": method})[0] == Match.FULL
            and not (method == "POST" and isinstance(route, Mount))
            for route in request.app.routes
        )
    )


HANDLED = (
    ClientDisconnect,
    BusyError,
    OverdueError,
    LostError,
    MemoryError,
    LayoutError,
    ValidationError,
    UnreadableJsonError,
    TooLargeError,
    UnsupportedMediaError,
    HTTPException,
    Exception,
)

_HTTP_DETAILS = {
    404: "There is nothing at this path; /docs lists the paths.",
    405: "This path does not take this method; see the Allow header.",
}
