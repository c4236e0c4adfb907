"""``/docs``: every operation, and a page for each with a request that one can change and send.

The pages are made from the OpenAPI document alone. No operation is named here.
"""

import base64
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import Message, Receive, Scope

from .pages import API, page_of

router = APIRouter(include_in_schema=False)
_PICTURE: Final = "/api/v1/picture.svg"
_WIDEST: Final = 84
_MOST_CHARACTERS: Final = 50_000
_SCOPE: Final = ("type", "asgi", "http_version", "server", "client", "scheme", "root_path", "state")
_DEEPEST: Final = 3
_OR: Final = " or "
_ALTERNATIVES: Final = ("allOf", "anyOf", "oneOf")
_SCHEMAS: Final = "#/components/schemas/"
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a request or an answer; ``depth``: how deep it lies, from 0."""

    name: str
    type: str
    text: str
    depth: int
    required: bool


@dataclass(frozen=True, slots=True)
class DocumentedCall:
    """One operation: ``method`` in capitals, ``path`` with its parameters in braces."""

    method: str
    path: str
    operation: Schema
    schemas: Mapping[str, Schema]

    @property
    def id(self) -> str:
        """Its name in the path of its page."""
        name = re.sub(r"\W+", "-", self.path.removeprefix("/api/v1").replace("{", "-")).strip("-")
        return name if self.method == "POST" or "/api/" not in self.path else f"get-{name}"

    @property
    def tag(self) -> str:
        """What it is about."""
        return str(self.operation.get("tags", ["service"])[0])

    @property
    def parameters(self) -> list[tuple[Field, str, str]]:
        """The parameters, each with where it stands, ``path`` or ``query``, and its example."""
        found = []
        for each in self.operation.get("parameters", ()):
            kind, text = self._type(each.get("schema", {})), each.get("description", "")
            field = Field(each["name"], kind, text, 0, each.get("required", False))
            found.append((field, each["in"], str(each.get("example", ""))))
        return found

    @property
    def bodies(self) -> Mapping[str, Schema]:
        """What its body may be, by media type."""
        content: Mapping[str, Schema] = self.operation.get("requestBody", {}).get("content", {})
        return content

    @property
    def request(self) -> list[Field]:
        """The fields of its body, if that is JSON."""
        return list(self._fields(self.bodies.get("application/json", {}).get("schema", {}), 0))

    @property
    def answer(self) -> list[Field]:
        """The fields of its answer, if that is JSON."""
        content = self.operation["responses"].get("200", {}).get("content", {})
        return list(self._fields(content.get("application/json", {}).get("schema", {}), 0))

    def _fields(self, schema: Schema, depth: int) -> Iterator[Field]:
        for name, each in self._properties(schema).items():
            required = name in self._resolved(schema).get("required", ())
            yield Field(name, self._type(each), self._text(each), depth, required)
            if depth + 1 < _DEEPEST:
                yield from self._fields(each, depth + 1)

    def _text(self, schema: Schema) -> str:
        return str(schema.get("description") or self._resolved(schema).get("description", ""))

    def _resolved(self, schema: Schema) -> Schema:
        while reference := schema.get("$ref"):
            schema = self.schemas[reference.removeprefix(_SCHEMAS)]
        return schema

    def _properties(self, schema: Schema) -> Mapping[str, Schema]:
        """The fields of an object, of the objects in a list, or of all that it may be.

        What several alternatives have may be what it is in any of them. An alternative that names a
        field of the object itself only says when that is null.
        """
        schema = self._resolved(schema)
        if "items" in schema and isinstance(schema["items"], Mapping):
            return self._properties(schema["items"])
        found: dict[str, Schema] = {}
        for each in chain.from_iterable(schema.get(some, ()) for some in _ALTERNATIVES):
            for name, field in self._properties(each).items():
                known = found.setdefault(name, field)
                if field != known:
                    texts = dict.fromkeys(filter(None, (self._text(known), self._text(field))))
                    found[name] = {"anyOf": [known, field], "description": " ".join(texts)}
        properties: Mapping[str, Schema] = schema.get("properties", {})
        return {**properties, **found, **properties}  # its own fields are the first

    def _type(self, schema: Schema) -> str:
        if "$ref" in schema:
            return self._type(self._resolved(schema))
        for some in _ALTERNATIVES:
            if some in schema and "properties" not in schema:
                types = (self._type(each).split(_OR) for each in schema[some])
                return _OR.join(dict.fromkeys(chain.from_iterable(types)))
        if "const" in schema:
            return repr(schema["const"])
        if "enum" in schema:
            return ", ".join(map(repr, schema["enum"]))
        if schema.get("type") == "array":
            items = schema.get("items")
            return f"list of {self._type(items)}" if isinstance(items, Mapping) else "list"
        return str(schema.get("type", "any"))


def calls_of(document: Mapping[str, Any]) -> list[DocumentedCall]:
    """Every operation of an OpenAPI document, in its order."""
    schemas = document.get("components", {}).get("schemas", {})
    return [
        DocumentedCall(method.upper(), path, operation, schemas)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


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


@router.get(API.path)
async def overview(request: Request) -> HTMLResponse:
    """Every operation."""
    calls = calls_of(request.app.openapi())
    first = next(each for each in calls if each.method == "GET" and each.path.endswith("/describe"))
    base = str(request.base_url).rstrip("/")
    return page_of(
        request,
        API,
        calls=calls,
        call=None,
        about=prose(request.app.description),
        base=base,
        first=first,
        curl=curl(request_of(first, {}), base),
    )


@router.get("/api")
async def reference() -> RedirectResponse:
    """The address at which one looks for it first."""
    return RedirectResponse(API.path)


@router.get(f"{API.path}/{{name}}")
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
        refusals=prose(document["info"]["description"].removeprefix(request.app.description)),
        query=request.query_params,
        sent=sent,
        curl=curl(sent, str(request.base_url).rstrip("/")),
        answer=answer,
        explorer=link_of(answer),
        picture=_PICTURE in document["paths"],
    )


def link_of(answer: TrialAnswer) -> str:
    """The query of the tensor in an answer, for the explorer and for pictures; or nothing."""
    if (described := answer.described) is None:
        return ""
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
    return TrialRequest(call.method, path, urlencode(query, safe=","), media, body, shown)


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
    waiting: list[Message] = [{"type": "http.request", "body": request.body or b""}]

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
    is_json = media.endswith("json")
    value = json.loads(body) if is_json else None
    text = pretty(value) if is_json else body.decode() if media.startswith("text/") else ""
    if (more := len(text) - _MOST_CHARACTERS) > 0:
        text = f"{text[:_MOST_CHARACTERS]}\n… ({more} more characters)"
    return TrialAnswer(int(start["status"]), media, len(body), text, _tensor_in(value))


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
