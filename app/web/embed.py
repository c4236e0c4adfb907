"""What other pages show of a link: the grids in a frame, and what a link says of itself."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.responses import HTMLResponse, JSONResponse, Response

from ..contract.pictures import OPTIONS, drawn_of, picture_of
from ..contract.refusals import refusal_text
from ..contract.requests import TensorJson, tensor_of_texts
from ..contract.shapes import plain
from ..engine import LayoutError
from .assets import module_paths
from .first import shape_text
from .headers import EMBED, new_nonce
from .templates import ENVIRONMENT

router = APIRouter(include_in_schema=False)

TENSOR: Final = ("shape", "layout", "strides", "offset", "dtype", "dims", "elements")
_ATTRIBUTES: Final = (*TENSOR, *OPTIONS)
_PARTS: Final = ("lv", "mv", "bv")  # the part of each grid that the explorer showed
_MOST_CHARACTERS: Final = 4096
_WIDTH, _HEIGHT, _LEAST = 720, 560, 120
_HOST: Final = re.compile(r"[A-Za-z0-9._~\[\]:-]{1,255}")
DRAWN: Final = "/embed.json"
_SHOWN: Final = {"/", "/reorder", EMBED}  # paths whose links name a tensor

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EmbedLink:
    """What a link says of itself elsewhere. ``title``: empty where it names no tensor."""

    title: str = ""
    picture: str = ""
    oembed: str = ""
    page: str = ""


def origin_of(request: Request) -> str:
    """The address of this service as the caller wrote it; empty if it is none."""
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else ""


def link_of(origin: str, path: str, query: Pairs) -> EmbedLink:
    """What a link of the explorer says of itself."""
    given = dict(reversed(query))
    named = {"shape", "layout"} <= given.keys() or {"shape", "strides"} <= given.keys()
    if not named or not origin or sum(map(len, chain(*query))) > _MOST_CHARACTERS:
        return EmbedLink()
    shape = shape_text(given["shape"])
    shown = {name: given[name] for name in _ATTRIBUTES if given.get(name)} | {"shape": shape}
    sizes = shape.replace(",", " × ") or "one element"
    page = f"{origin}{path}?{urlencode(list(query))}"
    return EmbedLink(
        title=f"{given.get('layout') or given['strides']} of {sizes}",
        picture=f"{origin}/api/v1/picture.png?{urlencode(shown)}&scale=2",
        oembed=f"{origin}/oembed?{urlencode({'url': page})}",
        page=page,
    )


@router.get(EMBED, response_class=HTMLResponse)
def embed(request: Request) -> Response:
    """The grids of a link and nothing else, for a frame in any page."""
    query = request.query_params.multi_items()
    given = dict(reversed(query))
    attributes = {name: given[name] for name in (*_ATTRIBUTES, *_PARTS) if name in given}
    nonce = new_nonce(request.scope)
    text = ENVIRONMENT.get_template("embed.html").render(
        **{**module_paths("embed/memory-grid"), "styles": ()},
        attributes=attributes,
        title=link_of("http://localhost", "/", query).title or "Stridescope",
        page=f"/?{urlencode(query)}",
        nonce=nonce,
    )
    etag = f'"{sha256(text.replace(nonce, "").encode()).hexdigest()[:32]}"'
    return HTMLResponse(text, headers={"ETag": etag, "Cache-Control": "no-cache"})


@router.get(DRAWN)
def drawn(request: Request) -> Response:
    """What <memory-grid> draws, of the names of a link; ``error``: what is wrong with them."""
    given = dict(request.query_params)
    try:
        asked = picture_of(_tensor(given), {name: given[name] for name in OPTIONS if name in given})
    except (LayoutError, ValidationError) as error:
        return _told({"error": refusal_text(error)}, 422)
    return _told(drawn_of(asked))


def _told(answer: Any, status: int = 200) -> Response:
    """JSON for a script of any page."""
    text = json.dumps(answer, default=plain, separators=(",", ":"))
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
    return Response(text, status, headers, "application/json")


def _tensor(given: Mapping[str, str]) -> TensorJson:
    """The tensor of a link. Errors: LayoutError, ValidationError."""
    texts = {name: given[name].strip() for name in TENSOR if given.get(name)}
    if "strides" in given:
        texts.pop("layout", None)
    sizes = {name: shape_text(given[name]) for name in ("shape", "strides") if name in given}
    return tensor_of_texts(texts | sizes)


@router.get("/oembed")
def oembed(request: Request) -> Response:
    """oEmbed 1.0: the frame of a link of this service. Source: oembed.com."""
    asked = request.query_params
    url = urlsplit(asked.get("url", ""))
    origin = origin_of(request)
    if asked.get("format", "json") != "json":
        return JSONResponse({"error": "format: expected json"}, 501)
    if not origin or f"{url.scheme}://{url.netloc}" != origin or url.path not in _SHOWN:
        return JSONResponse({"error": "url: expected a link of this service"}, 404)
    query = parse_qsl(url.query, keep_blank_values=True)
    link = link_of(origin, "/", query)
    if not link.title:
        return JSONResponse({"error": "url: expected a link that names a tensor"}, 404)
    width, height = _size(asked.get("maxwidth"), _WIDTH), _size(asked.get("maxheight"), _HEIGHT)
    source = html.escape(f"{origin}{EMBED}?{url.query}")
    frame = (
        f'<iframe src="{source}" width="{width}" height="{height}" '
        f'title="{html.escape(link.title)}" '
        'style="border:0;max-width:100%" loading="lazy" '
        'sandbox="allow-scripts allow-same-origin"></iframe>'
    )
    told: dict[str, Any] = {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Stridescope",
        "provider_url": origin,
        "title": link.title,
        "width": width,
        "height": height,
        "thumbnail_url": link.picture,
        "html": frame,
    }
    return JSONResponse(told)


def _size(text: str | None, usual: int) -> int:
    """The usual size, or less where the page asks for less."""
    if text is None or not (text.isascii() and text.isdecimal()) or len(text) > 9:
        return usual
    return max(_LEAST, min(int(text), usual))
