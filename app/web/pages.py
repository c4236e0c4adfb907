"""The HTML pages.

A page is rendered once for each version of its files and each link, of which the last few are
kept; what differs from answer to answer is its nonce alone.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final, get_args

from fastapi import APIRouter, Request
from jinja2 import Template
from starlette.responses import HTMLResponse, Response

from ..engine.model.dtypes import ELEMENT_TYPES
from ..engine.model.layout import default_dims
from ..engine.network import RULE_SETS
from ..engine.network.examples import EXAMPLES
from ..engine.notation import DIALECTS
from ..engine.notation.dialect import Dialect, Family
from ..lessons import BY_ID as LESSONS
from ..nearest import nearest
from ..negotiation import is_known
from .assets import FILES, module_paths
from .embed import EmbedLink, link_of, origin_of
from .first import First, first_of
from .headers import new_nonce
from .templates import ENVIRONMENT
from .words import HELP, PLAIN, WORDS, words_on

router = APIRouter(include_in_schema=False)

_NAMES: Final = tuple(ENVIRONMENT.list_templates())
_NOT_PAGES: Final = ("/api/", "/static/")
_NONCE: Final = secrets.token_hex(16)  # stands where the nonce will be


@dataclass(frozen=True, slots=True)
class Page:
    """A page: the template ``<name>.html``, around the custom element of that module.

    ``path``: where it is. ``title``, ``about``: of the links to it. ``element``: its module is
    ``static/elements/<element>.js``. ``shows_link``: whether its link names a tensor, which the
    server shows first. ``below``: names of what it shows at paths below its own.
    """

    name: str
    path: str
    title: str
    about: str
    element: str
    shows_link: bool = False
    below: tuple[str, ...] = ()


# Each page: its name, its path, its title, what it is about, its element.
_TABLE: Final = """
explorer | / | Explorer | Every element and address of a tensor. | stride-explorer
reorder | /reorder | Reorders | Watch A become B, step by step. | reorder-page
network | /network | Networks | Plan the layouts of a whole network. | network-page
run | /run | Runs | What a oneDNN verbose log or a profile says: reorders, findings. | run-page
learn | /learn | Learn | Predict where an element lies, and see why. | learn-page
api | /docs | API | Every operation, with an example. | text-page
help | /help | Help | Every word and key, explained. | text-page
"""


def _page(row: str) -> Page:
    name, path, title, about, element = row.split(" | ")
    below = tuple(LESSONS) if name == "learn" else ()
    return Page(name, path, title, about, element, name in {"explorer", "reorder"}, below)


PAGES: Final = tuple(map(_page, _TABLE.strip().splitlines()))
API: Final = next(page for page in PAGES if page.name == "api")
_MISSING: Final = Page("missing", "", "Nothing is at this address", "", "text-page")


def _add(page: Page) -> None:
    def answer(request: Request) -> Response:
        return _answer(request, page)

    for path in (page.path, *(f"{page.path}/{name}" for name in page.below)):
        router.add_api_route(path, answer, response_class=HTMLResponse)


for _each in PAGES:
    if _each is not API:  # which app/web/reference.py answers
        _add(_each)


def missing(request: Request) -> Response | None:
    """What a browser gets for an address without a page; None for a caller that reads no HTML."""
    path = request.scope["path"]  # the URL may have a query that is no text
    if "text/html" not in request.headers.get("accept", "") or path.startswith(_NOT_PAGES):
        return None
    near = nearest(path, [page.path for page in PAGES])
    meant = next((page for page in PAGES if page.path == near), None)
    answer = page_of(request, _MISSING, meant=meant)
    answer.status_code = 404
    answer.headers["Vary"] = "Accept"
    return answer


def _values(page: Page) -> dict[str, object]:
    """What the templates name."""
    return {
        "here": page,
        "pages": PAGES,
        "dtypes": tuple(ELEMENT_TYPES.values()),
        "systems": sorted(DIALECTS, key=_place),
        "titles": {dialect.system: dialect.title for dialect in DIALECTS},
        "row_major": ["()", *filter(str.isupper, map(default_dims, range(1, 10)))],
        "rule_sets": tuple(RULE_SETS.values()),
        "lessons": LESSONS,
        "networks": tuple(EXAMPLES.values()),
        "words": WORDS if page.name == "help" else words_on(page.name),
        "helps": HELP,
        "plain": PLAIN,
        "learn": next((page.path for page in PAGES if page.name == "learn"), None),
    }


def page_of(request: Request, page: Page, **values: object) -> HTMLResponse:
    """A page with values of its own, which is made for each request."""
    nonce = new_nonce(request.scope)
    made = ENVIRONMENT.get_template(f"{page.name}.html")
    text = made.render(**_values(page), **module_paths(page.element), **values, nonce=nonce)
    return HTMLResponse(text, headers={"Cache-Control": "no-cache"})


def _answer(request: Request, page: Page) -> Response:
    """A page around one element, or 304 if the browser has it already."""
    # Jinja gives another template once its file has changed.
    templates = tuple(map(ENVIRONMENT.get_template, _NAMES))
    query = tuple(request.query_params.multi_items()) if page.shows_link else ()
    origin = origin_of(request) if query else ""
    link = link_of(origin, page.path, query)
    etag, parts = _rendered(templates, FILES.root, page, query, link)
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if is_known(etag, request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return HTMLResponse(new_nonce(request.scope).join(parts), headers=headers)


@lru_cache(maxsize=64)
def _rendered(
    templates: tuple[Template, ...],
    _static: str,
    page: Page,
    query: tuple[tuple[str, str], ...],
    link: EmbedLink,
) -> tuple[str, tuple[str, ...]]:
    """The ETag of a page and its parts, between which its nonce stands.

    The page is the same whatever its nonce: a browser that kept one keeps its policy with it.
    """
    made = templates[_NAMES.index(f"{page.name}.html")]
    first = first_of(query, example=page.path == "/") if page.shows_link else First({})
    text = made.render(
        **_values(page), **module_paths(page.element), nonce=_NONCE, first=first, link=link
    )
    parts = text.split(_NONCE)
    return f'"{sha256("".join(parts).encode()).hexdigest()[:32]}"', tuple(parts)


def _place(dialect: Dialect) -> tuple[int, bool, str]:
    """Where the page lists a dialect: by family, those of no system first, then by title."""
    of_a_system = dialect.title != dialect.system  # letters and strides are nobody's
    return get_args(Family).index(dialect.family), of_a_system, dialect.title.casefold()
