"""``/docs``: every operation, and a page for each with a request that one can change and send."""

import base64
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import Message, Receive, Scope

from ..pages import API, page_of
from .calls import DocumentedCall, calls_of

router = APIRouter(include_in_schema=False)
_PICTURE: Final = "/api/v1/picture.svg"
_WIDEST: Final = 84
_MOST_CHARACTERS: Final = 50_000
_SCOPE: Final = ("type", "asgi", "http_version", "server", "client", "scheme", "root_path", "state")


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """``body``: None without one; ``shown``: the body as a text to edit, empty for a file."""

    method: str
    path: str
    query: str
    media: str
    body: bytes | None
    shown: str

    @property
    def link(self) -> str:
        """Its path and query."""
        return f"{self.path}?{self.query}" if self.query else self.path


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    """``text``: the body, if it is one; ``described``: a tensor in it, if there is one."""

    status: int
    media: str
    size_bytes: int
    text: str
    described: Mapping[str, Any] | None


@router.api_route(API.path, methods=["GET", "HEAD"])
async def overview(request: Request) -> HTMLResponse:
    """Every operation."""
    document = request.app.openapi()
    calls = calls_of(document)
    first = next(each for each in calls if each.method == "GET" and each.path.endswith("/describe"))
    base = str(request.base_url).rstrip("/")
    return page_of(
        request,
        API,
        calls=calls,
        call=None,
        about=prose(document["info"]["description"]),
        base=base,
        first=first,
        curl=curl(request_of(first, {}), base),
    )


@router.api_route("/api", methods=["GET", "HEAD"])
async def reference() -> RedirectResponse:
    """The address at which one looks for it first."""
    return RedirectResponse(API.path)


@router.api_route(f"{API.path}/{{name}}", methods=["GET", "HEAD"])
async def one(request: Request, name: str) -> HTMLResponse:
    """One operation, with the answer to the request of its form."""
    document = request.app.openapi()
    calls = calls_of(document)
    call = next((each for each in calls if each.id == name), None)
    if call is None:
        raise HTTPException(404)
    sent = request_of(call, request.query_params)
    answer = await answer_of(request.app, request.scope, request.receive, sent)
    return page_of(
        request,
        API,
        calls=calls,
        call=call,
        about=prose(call.operation.get("description", "")),
        prose=prose,
        query=request.query_params,
        sent=sent,
        curl=curl(sent, str(request.base_url).rstrip("/")),
        answer=answer,
        explorer=link_of(answer),
        picture=_PICTURE in document["paths"],
    )


def link_of(answer: TrialAnswer) -> str:
    """The query of the tensor in an answer, for the explorer and for pictures; or nothing."""
    if answer.described is None:
        return ""
    described = answer.described
    fields = {name: described[name] for name in ("layout", "dtype", "dims")}
    return urlencode({"shape": ",".join(map(str, described["shape"])), **fields})


def curl(sent: TrialRequest, base: str) -> str:
    """The same request on the command line."""
    parts = ["curl", shlex.quote(base + sent.link)]
    if sent.shown:
        parts += ["-H", "'Content-Type: application/json'", "-d", shlex.quote(sent.shown)]
    elif sent.body is not None:
        parts += ["-H", shlex.quote(f"Content-Type: {sent.media}"), "--data-binary", "@FILE"]
    return " ".join(parts)


def prose(text: str) -> Markup:
    """Paragraphs, with code between backticks."""
    code = re.compile(r"`+([^`]+)`+")
    paragraphs = (code.sub(r"<code>\1</code>", str(escape(each))) for each in text.split("\n\n"))
    return Markup("").join(Markup(f"<p>{each}</p>") for each in paragraphs if each.strip())  # noqa: S704  # escaped above


def request_of(call: DocumentedCall, given: Mapping[str, str]) -> TrialRequest:
    """The request of the fields of a form; an example where they are not given."""
    path, query = call.path, {}
    for field, place, example in call.parameters:
        value = given.get(field.name, example)
        if place == "path":
            path = path.replace(f"{{{field.name}}}", quote(value, safe=""))
        elif value:
            query[field.name] = value
    media, body, shown = _body_of(call, given)
    return TrialRequest(call.method, path, urlencode(query), media, body, shown)


def _body_of(call: DocumentedCall, given: Mapping[str, str]) -> tuple[str, bytes | None, str]:
    for media, content in call.bodies.items():
        if (coded := content.get("x-example-base64")) is not None:
            return media, base64.b64decode(coded), ""
        if "example" in content:
            shown = given.get("body", pretty(content["example"]))
            return media, shown.encode(errors="replace"), shown
    return "", None, ""


async def answer_of(
    app: Starlette, scope: Scope, outer: Receive, request: TrialRequest
) -> TrialAnswer:
    """What this program answers, by all its layers, as over HTTP.

    ``outer``: tells when the reader of the page is gone.
    """
    headers = [(b"host", b"localhost")]
    if request.body is not None:
        length = str(len(request.body)).encode()
        headers += [(b"content-type", request.media.encode()), (b"content-length", length)]
    inner: Scope = {
        **{name: scope[name] for name in _SCOPE if name in scope},
        "method": request.method,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": request.query.encode(),
        "headers": headers,
    }
    sent: list[Message] = []

    waiting: list[Message] = [
        {"type": "http.request", "body": request.body or b"", "more_body": False}
    ]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        while (message := await outer())["type"] != "http.disconnect":
            pass
        return message

    async def send(message: Message) -> None:
        sent.append(message)

    assert app.middleware_stack is not None
    await app.middleware_stack(inner, receive, send)
    start, *parts = sent
    media = dict(start["headers"]).get(b"content-type", b"").decode().partition(";")[0]
    body = b"".join(part.get("body", b"") for part in parts)
    return _shown(int(start["status"]), media, body)


def _shown(status: int, media: str, body: bytes) -> TrialAnswer:
    if media.endswith("json"):
        value = json.loads(body)
        return TrialAnswer(status, media, len(body), _cut(pretty(value)), _tensor_in(value))
    text = _cut(body.decode()) if media.startswith("text/") else ""
    return TrialAnswer(status, media, len(body), text, None)


def _cut(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}\n… ({len(text) - _MOST_CHARACTERS} more characters)"


def _tensor_in(value: Any) -> Mapping[str, Any] | None:
    """The description of a tensor, which an answer is or has as a field."""
    if not isinstance(value, dict):
        return None
    if {"shape", "layout", "digits"} <= value.keys():
        return value
    return next(filter(None, map(_tensor_in, value.values())), None)


def pretty(value: Any, indent: str = "") -> str:
    """JSON with what fits in a line in one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _WIDEST or not isinstance(value, dict | list) or not value:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        names = (f"{json.dumps(name, ensure_ascii=False)}: " for name in value)
        parts = [n + pretty(v, deeper) for n, v in zip(names, value.values(), strict=True)]
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + pretty(each, deeper) for each in value) + f"\n{indent}]"
