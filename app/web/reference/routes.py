"""``/docs``: every operation, and a page for each with a request that one can change and send."""

import re
import shlex
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from ..pages import API, page_of
from .calls import calls_of
from .trial import TrialAnswer, TrialRequest, answer_of, request_of

router = APIRouter(include_in_schema=False)
_PICTURE: Final = "/api/v1/picture.svg"


@router.api_route(API.path, methods=["GET", "HEAD"])
async def overview(request: Request) -> HTMLResponse:
    """Every operation."""
    document = request.app.openapi()
    calls = calls_of(document)
    return page_of(
        request, API, calls=calls, call=None, about=prose(document["info"]["description"])
    )


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
