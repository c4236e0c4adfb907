"""Static files: native modules and style sheets, served as they are written."""

from collections.abc import Mapping
from os import PathLike, stat_result
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from .places import STATIC


class _Revalidated(StaticFiles):
    """Files that a browser may keep but asks about before each use.

    Their names carry no hash, so a stale module beside a fresh one would break the page;
    with an ETag the question costs a 304 of a few bytes.
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
    """The ASGI application to mount at /static: ETag, Last-Modified, no-cache."""
    return _Revalidated(directory=STATIC)


def module_paths() -> Mapping[str, tuple[str, ...]]:
    """The style sheets and modules of the page, as paths below /static, in a fixed order."""
    return {
        "styles": _below("css", "*.css"),
        "modules": tuple(
            path
            for floor in ("core", "api", "words", "state", "draw", "elements")
            for path in _below(floor, "**/*.js")
            if not path.endswith("/types.js")  # read by the type checker alone
        ),
    }


def _below(folder: str, pattern: str) -> tuple[str, ...]:
    return tuple(
        path.relative_to(STATIC).as_posix() for path in sorted((STATIC / folder).glob(pattern))
    )
