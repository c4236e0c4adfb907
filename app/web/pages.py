"""The HTML pages.

A page is rendered once for each version of its files; what differs from answer to answer is its
nonce alone.
"""

import secrets
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Final, get_args

from fastapi import APIRouter, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from starlette.responses import HTMLResponse, Response

from ..engine.model.dtypes import ELEMENT_TYPES
from ..engine.network import RULE_SETS
from ..engine.notation import DIALECTS
from ..engine.notation.dialect import Dialect, Family
from ..negotiation import is_known
from .assets import FILES, module_paths
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
_NAMES: Final = tuple(_templates.list_templates())
_NONCE: Final = secrets.token_hex(16)  # stands where the nonce will be


@router.get("/", response_class=HTMLResponse)
@router.head("/", response_class=HTMLResponse)
def explorer(request: Request) -> Response:
    """Return the explorer: one page for every state, which the browser reads from the query."""
    return _page(request, "explorer.html", "stride-explorer", _catalogue)


@router.get("/network", response_class=HTMLResponse)
@router.head("/network", response_class=HTMLResponse)
def network(request: Request) -> Response:
    """Return the page of networks; its state is in the query too."""
    return _page(request, "network.html", "network-page", _rule_sets)


@router.get("/reorder", response_class=HTMLResponse)
@router.head("/reorder", response_class=HTMLResponse)
def reorder(request: Request) -> Response:
    """Return the page of reorders; its state is in the query too."""
    return _page(request, "reorder.html", "reorder-page", _catalogue)


def _catalogue() -> dict[str, object]:
    """What the fields of a tensor offer."""
    return {"dtypes": tuple(ELEMENT_TYPES.values()), "systems": sorted(DIALECTS, key=_place)}


def _rule_sets() -> dict[str, object]:
    return {"rule_sets": tuple(RULE_SETS.values())}


def _page(
    request: Request, template: str, element: str, values: Callable[[], dict[str, object]]
) -> Response:
    """A page around one element, or 304 if the browser has it already."""
    # Jinja gives another template once its file has changed.
    templates = tuple(map(_templates.get_template, _NAMES))
    etag, parts = _rendered(templates, FILES.root, template, element, values)
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if is_known(etag, request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return HTMLResponse(new_nonce(request.scope).join(parts), headers=headers)


@lru_cache(maxsize=16)
def _rendered(
    templates: tuple[Template, ...],
    _static: str,
    name: str,
    element: str,
    values: Callable[[], dict[str, object]],
) -> tuple[str, tuple[str, ...]]:
    """The ETag of a page and its parts, between which its nonce stands.

    The page is the same whatever its nonce: a browser that kept one keeps its policy with it.
    """
    page = templates[_NAMES.index(name)]
    parts = page.render(**values(), **module_paths(element), nonce=_NONCE).split(_NONCE)
    return f'"{sha256("".join(parts).encode()).hexdigest()[:32]}"', tuple(parts)


def _place(dialect: Dialect) -> tuple[int, bool, str]:
    """Where the page lists a dialect: by family, those of no system first, then by title."""
    of_a_system = dialect.title != dialect.system  # letters and strides are nobody's
    return get_args(Family).index(dialect.family), of_a_system, dialect.title.casefold()
