"""RFC 9457 problems: the one shape of every error, and the table from exception to status."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Mount

from ..engine.errors import LayoutError, describe_value
from .schemas import MOST_ERRORS, Further
from .strict_json import UnreadableJsonError

MEDIA_TYPE = "application/problem+json"
_MAX_NAME = 40


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str = Field(description="Path of the field, such as tensor.shape[1].")
    message: str = Field(description="What was got, described, and what was expected.")
    position: int | None = Field(None, description="0-based character at fault, in text.")


class Problem(BaseModel):
    """An error, as RFC 9457 application/problem+json."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError]


class TooLargeError(Exception):
    """A body over the limit; the message says which."""


class UnsupportedMediaError(Exception):
    """A body that is not declared as JSON."""


def problem(
    status: int,
    detail: str,
    errors: list[dict[str, Any]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """The response for a problem."""
    phrase = HTTPStatus(status).phrase
    body = {
        "type": "urn:stridescope:problem:" + phrase.lower().replace(" ", "-"),
        "title": phrase,
        "status": status,
        "detail": detail,
        "errors": errors or [],
    }
    return Response(orjson.dumps(body), status, headers, MEDIA_TYPE)


def respond(request: Request, error: Exception) -> Response:
    """The response for any exception that the application knows."""
    match error:
        case LayoutError():
            entry: dict[str, Any] = {"field": error.field, "message": error.message}
            if error.position is not None:
                entry["position"] = error.position
            return problem(422, str(error), [entry])
        case ValidationError():
            return _refused(error)
        case UnreadableJsonError():
            entry = {"field": "body", "message": str(error)}
            if error.position is not None:
                entry["position"] = error.position
            return problem(400, f"body: {error}", [entry])
        case TooLargeError():
            return problem(413, f"body: {error}", [{"field": "body", "message": str(error)}])
        case UnsupportedMediaError():
            said = {"field": "Content-Type", "message": str(error)}
            return problem(415, f"Content-Type: {error}", [said])
        case HTTPException():
            headers = dict(error.headers) if error.headers else None
            if error.status_code == 405:
                headers = {"Allow": _allowed(request)}
            return problem(error.status_code, _HTTP_DETAILS.get(error.status_code, ""), [], headers)
        case _:
            return problem(500, "The server failed; the fault is ours.")


def _refused(error: ValidationError) -> Response:
    """The first MOST_ERRORS of what a model refuses; the detail says how many more there are."""
    found = error.errors(include_url=False)
    inputs = (e["input"] for e in found)
    total = len(found) + sum(i.fields - 1 for i in inputs if isinstance(i, Further))
    entries = [_entry(e) for e in found[:MOST_ERRORS]]
    detail = f"{entries[0]['field']}: {entries[0]['message']}"
    if total > len(entries):
        detail += f" (and {total - len(entries)} more, not listed)"
    return problem(422, detail, entries)


def _allowed(request: Request) -> str:
    """Every method of the path: the router's own Allow header names those of one route."""
    scope = request.scope
    # A mount has moved the root below itself; what is mounted are files, which take no POST.
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
    LayoutError,
    ValidationError,
    UnreadableJsonError,
    TooLargeError,
    UnsupportedMediaError,
    HTTPException,
    Exception,
)

_HTTP_DETAILS = {
    404: "There is nothing at this path; /docs lists what there is.",
    405: "This path does not take this method; see the Allow header.",
}

_EXPECTED = {
    "missing": "a value",
    "int_type": "an integer",
    "list_type": "a list",
    "string_type": "text",
    "model_type": "an object",
    "dict_type": "an object",
    "too_long": "fewer entries",
    "too_short": "at least one entry",
    "union_tag_invalid": "an op of the contract: permute, transpose, chunk, reshape, broadcast, "
    "narrow, select, unsqueeze, squeeze, flip or submemory",
    "union_tag_not_found": "an object with an op",
}


def path_of(loc: tuple[int | str, ...]) -> str:
    """``("tensor", "shape", 1)`` as ``tensor.shape[1]``."""
    path = ""
    for at, part in enumerate(loc):
        if at == 2 and loc[0] == "steps" and len(loc) > 3:
            continue  # the tag by which a step is told apart is no field
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path or "body"


def _entry(error: Any) -> dict[str, Any]:
    kind, ctx, loc = error["type"], error.get("ctx", {}), error["loc"]
    if kind == "extra_forbidden":
        # The name is the caller's text: repeat it only where it could be a misspelt field.
        name = str(loc[-1])
        shown = name if len(name) <= _MAX_NAME and name.isidentifier() else "?"
        return {
            "field": path_of((*loc[:-1], shown)),
            "message": "got an unknown field; expected only the fields of the contract",
        }
    if kind == "missing":
        return {"field": path_of(loc), "message": "got nothing; expected a value"}
    bounds = {"greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most")}
    if kind == "string_too_long":
        expected = f"at most {ctx['max_length']} characters"
    elif kind in bounds:
        key, words = bounds[kind]
        expected = f"an integer of {words} {ctx[key]}"
    elif kind == "too_long":
        expected = f"at most {ctx['max_length']} entries"
    elif kind == "value_error":
        expected = str(ctx["error"])
    else:
        expected = _EXPECTED.get(kind, "a value of the documented type")
    return {
        "field": path_of(loc),
        "message": f"got {describe_value(error['input'])}; expected {expected}",
    }
