"""The HTML pages."""

from hashlib import sha256
from typing import get_args

from fastapi import APIRouter, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from ..engine.dtypes import ELEMENT_TYPES
from ..engine.network import RULE_SETS
from ..engine.notation import DIALECTS
from ..engine.notation.dialect import Dialect, Family
from .assets import module_paths
from .headers import new_nonce
from .places import TEMPLATES

router = APIRouter(include_in_schema=False)

_templates = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@router.get("/", response_class=HTMLResponse)
@router.head("/", response_class=HTMLResponse)
def explorer(request: Request) -> Response:
    """Return the explorer: one page for every state, which the browser reads from the query."""
    return _page(request, "explorer.html", "stride-explorer", **_catalogue())


@router.get("/network", response_class=HTMLResponse)
@router.head("/network", response_class=HTMLResponse)
def network(request: Request) -> Response:
    """Return the page of networks; its state is in the query too."""
    return _page(request, "network.html", "network-page", rule_sets=tuple(RULE_SETS.values()))


@router.get("/reorder", response_class=HTMLResponse)
@router.head("/reorder", response_class=HTMLResponse)
def reorder(request: Request) -> Response:
    """Return the page of reorders; its state is in the query too."""
    return _page(request, "reorder.html", "reorder-page", **_catalogue())


def _catalogue() -> dict[str, object]:
    """What the fields of a tensor offer."""
    return {
        "dtypes": tuple(ELEMENT_TYPES.values()),
        "systems": sorted(DIALECTS, key=_place),
    }


def _page(request: Request, template: str, element: str, **values: object) -> Response:
    """A page around one element, or 304 if the browser has it already."""
    page = _templates.get_template(template)
    values |= module_paths(element)
    # The page is the same whatever its nonce: a browser that kept one keeps its policy with it.
    same = page.render(**values, nonce="")
    etag = f'"{sha256(same.encode()).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return HTMLResponse(page.render(**values, nonce=new_nonce(request.scope)), headers=headers)


def _place(dialect: Dialect) -> tuple[int, bool, str]:
    """Where the page lists a dialect: by family, those of no system first, then by title."""
    of_a_system = dialect.title != dialect.system  # letters and strides are nobody's
    return get_args(Family).index(dialect.family), of_a_system, dialect.title.casefold()
