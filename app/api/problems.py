"""RFC 9457 problems: the shape of every error, and the table from exception to status.

A URL or headers that are too long are refused here too, and what the server itself cannot parse.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import orjson
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..contract.refusals import refusals
from ..engine.model.errors import LayoutError, Phrase, phrase
from ..engine.model.layout import INT64_MAX
from ..files.onnx import MissingLibraryError
from ..files.strict_json import UnreadableJsonError

MEDIA_TYPE: Final = "application/problem+json"
MAX_URL_BYTES: Final = 60 * 2**10  # the server itself parses up to 64 KiB
MAX_HEADER_BYTES: Final = 64 * 2**10
MOST_HEADERS: Final = 256
_RETRY: Final = {"Retry-After": "2"}
_BUSY: Final = phrase("server.busy")
_REFUSED: Final = phrase("http.refused")
_HTTP: Final = {404: phrase("http.path"), 405: phrase("http.method")}
# What the application never sees.
_UNSEEN: Final = {
    400: phrase("http.unreadable"),
    408: phrase("body.late"),
    503: phrase("server.connections"),
}

# What OpenAPI says of each status that a call can refuse a request with.
_DOCUMENTED: Final = {
    400: "The body cannot be read as JSON.",
    404: "Nothing has this name.",
    408: "The rest of the body did not arrive in time.",
    413: "The body is over the limit.",
    415: "The body is declared as another media type, or it is compressed.",
    422: "A value is not valid; errors name the fields.",
    501: "This installation has no library for such files.",
    503: "Other calls use what this one needs; Retry-After says when to try again.",
}
JSON_STATUSES: Final = (400, 413, 415, 422, 503)  # of every call whose body is JSON

Entry = tuple[str, str, Phrase, int | None]  # the field, its message, the phrase, the position


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str = Field(description="Path of the field, such as tensor.shape[1].")
    message: str = Field(description="A description of the value, and what was expected.")
    code: str = Field(
        description="What was expected, as lower-case words with dots; it stays when the words of "
        "the message change."
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
    code: str = Field(description="Of the first of `errors`; where there are none, of `detail`.")
    params: dict[str, Any] = Field(description="Those of `code`, if `errors` is empty.")
    errors: list[FieldError]


class RefusedError(Exception):
    """A request that is refused for its headers or its length.

    Its arguments: a status, the field, a phrase, and headers of the answer, if it has some.
    """


class BusyError(Exception):
    """The server cannot do the call now. Its argument, if it has one, is a phrase that says why."""


class NoResponse(Response):
    """What a caller gets who has gone: nothing, and nothing is counted as an answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send nothing."""


def problem(
    status: int,
    said: Phrase,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[Entry] = (),
    detail: str = "",
) -> Response:
    """Return the response for a problem. ``detail``: in place of ``said``."""
    title = HTTPStatus(status).phrase
    body = {
        "type": "urn:stridescope:problem:" + title.lower().replace(" ", "-"),
        "title": title,
        "status": status,
        "detail": detail or said,
        "code": said.code,
        "params": {} if errors else _json_ready(said.params),
        "errors": [_listed(*each) for each in errors],
    }
    return Response(orjson.dumps(body), status, headers, MEDIA_TYPE)


def refusal(
    status: int, *errors: Entry, more: int = 0, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the response for errors of fields, and for ``more`` that are not listed."""
    field, message, said, _ = errors[0]
    others = f" (and {more} more, not listed)" if more else ""
    return problem(status, said, headers, errors, f"{field}: {message}{others}")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of these statuses, each answered with a problem."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {each: {"description": _DOCUMENTED[each], "content": content} for each in statuses}


def respond(request: Request, error: Exception) -> Response:
    """Return the response for an exception of the application."""
    if isinstance(error, LayoutError) and error.field in request.path_params:
        return refusal(404, entry(error))
    if isinstance(error, HTTPException) and error.status_code == 405:
        return problem(405, _HTTP[405], {"Allow": _allowed(request)})
    return error_response(error)


def error_response(error: Exception) -> Response:
    """Return the response for an exception, whatever the request was."""
    return next(make(error) for kind, make in _RESPONSES.items() if isinstance(error, kind))


def _refused(
    status: int, field: str, said: Phrase, headers: Mapping[str, str] | None = None
) -> Response:
    return refusal(status, (field, said, said, None), headers=headers)


def _invalid(error: ValidationError) -> Response:
    listed, more = refusals(error)
    return refusal(422, *map(entry, listed), more=more)


# The response for each kind of exception.
_RESPONSES: Final[dict[type[Exception], Callable[[Any], Response]]] = {
    ClientDisconnect: lambda _: NoResponse(),
    BusyError: lambda error: problem(503, next(iter(error.args), _BUSY), _RETRY),
    MemoryError: lambda _: problem(503, _BUSY, _RETRY),
    LayoutError: lambda error: refusal(422, entry(error)),
    ValidationError: _invalid,
    UnreadableJsonError: lambda e: refusal(400, ("body", e.problem, e.problem, e.position)),
    RefusedError: lambda error: _refused(*error.args),
    MissingLibraryError: lambda error: problem(501, error.args[0]),
    HTTPException: lambda e: problem(e.status_code, _HTTP.get(e.status_code, _REFUSED), e.headers),
    Exception: lambda _: problem(500, phrase("server.failed")),
}
HANDLED: Final = tuple(_RESPONSES)


def too_large(most: int, status: int = 413, field: str = "body") -> RefusedError:
    """The error of a part of a request that is too long."""
    return RefusedError(status, field, phrase("bytes.most", most=most))


def head_refusal(scope: Scope) -> Response | None:
    """The answer to a request whose URL or headers are too long, None for all others."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    if len(path) + len(scope["query_string"]) > MAX_URL_BYTES:
        return _too_much(414)
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        return _too_much(431)
    return None


def _too_much(status: int) -> Response:
    field, most = ("url", MAX_URL_BYTES) if status == 414 else ("headers", MAX_HEADER_BYTES)
    return error_response(too_large(most, status, field))


def raw_refusal(status: int, default_headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the whole answer, head and body, to a request that the application never sees.

    It is the last one of its connection.
    """
    said = _UNSEEN.get(status)
    answer = problem(status, said) if said else _too_much(status)
    named = [*default_headers, *answer.raw_headers, (b"connection", b"close")]
    named += [(b"retry-after", b"1")] if status == 503 else []
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()
    lines = (name + b": " + value for name, value in named)
    return b"\r\n".join([first, *lines, b"", bytes(answer.body)])


def entry(error: LayoutError) -> Entry:
    """Return the entry of an error of the engine."""
    return error.field, error.message, error.expectation, error.position


def _listed(field: str, message: str, said: Phrase, position: int | None) -> dict[str, Any]:
    params = _json_ready(said.params)
    found = {"field": field, "message": message, "code": said.code, "params": params}
    return found if position is None else {**found, "position": position}


def _json_ready(value: Any) -> Any:
    """Return ``value``, with the text of integers in place of those beyond 64 bits."""
    if isinstance(value, dict):
        return {name: _json_ready(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_ready(each) for each in value]
    return str(value) if isinstance(value, int) and abs(value) > INT64_MAX else value


def _allowed(request: Request) -> str:
    """Return every method of the path; the router's own Allow header names those of one route.

    What the OpenAPI document does not list are pages and files.
    """
    path = getattr(request.scope.get("route"), "path", "")
    methods = request.app.openapi()["paths"].get(path, {"get": {}})
    return ", ".join("GET, HEAD" if name == "get" else name.upper() for name in sorted(methods))
