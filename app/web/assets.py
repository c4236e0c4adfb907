"""Static files: native modules and style sheets, served without a build step."""

import re
from collections.abc import Mapping
from os import PathLike, stat_result
from os.path import normpath
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from .places import STATIC


class _Revalidated(StaticFiles):
    """Files that a browser may cache but must check before each use.

    Their names contain no hash, so an old module together with a new one would break the page.
    With an ETag, the check costs one 304 response of a few bytes.
    """

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Any,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        return response


def static_app() -> StaticFiles:
    """Return the ASGI application to mount at /static: ETag, Last-Modified, no-cache."""
    return _Revalidated(directory=STATIC)


def module_paths(element: str) -> Mapping[str, tuple[str, ...]]:
    """Return a page's style sheets and modules, as paths below /static, in a fixed order.

    ``element``: the path of the page's own element, without its ending. The modules are those
    that it imports, and what these import.
    """
    found: set[str] = set()
    waiting = [f"elements/{element}.js"]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path)
    return {
        "styles": (*_below("css", "*.css"), *_below(f"css/{element}", "*.css")),
        "modules": tuple(sorted(found, key=lambda path: (_FLOORS.index(path.split("/")[0]), path))),
        "entry": (f"elements/{element}.js",),
    }


_FLOORS = ("core", "api", "words", "state", "draw", "elements")
_IMPORT = re.compile(
    r"""^(?:import|export|\})[^'"\n]*?(?:from\s+)?['"](\.[^'"]+)['"]""", re.MULTILINE
)


def _imported(path: str) -> list[str]:
    """The modules that one imports; its imports of types are in comments, which do not count."""
    text = (STATIC / path).read_text(encoding="utf-8")
    return [normpath(f"{path}/../{target}").replace("\\", "/") for target in _IMPORT.findall(text)]


def _below(folder: str, pattern: str) -> tuple[str, ...]:
    return tuple(
        path.relative_to(STATIC).as_posix() for path in sorted((STATIC / folder).glob(pattern))
    )
