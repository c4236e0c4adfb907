"""Static files: native modules and style sheets, served without a build step."""

from collections.abc import Mapping
from os import PathLike, stat_result
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


def module_paths() -> Mapping[str, tuple[str, ...]]:
    """Return the page's style sheets and modules, as paths below /static, in a fixed order."""
    return {
        "styles": _below("css", "*.css"),
        "modules": tuple(
            path
            for floor in ("core", "api", "words", "state", "draw", "elements")
            for path in _below(floor, "**/*.js")
            if not path.endswith("/types.js")  # only the type checker reads it
        ),
    }


def _below(folder: str, pattern: str) -> tuple[str, ...]:
    return tuple(
        path.relative_to(STATIC).as_posix() for path in sorted((STATIC / folder).glob(pattern))
    )
