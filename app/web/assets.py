"""Static files: native modules and style sheets, served from memory without a build step.

A path with the version of all files, `/static/v-<hash>/core/shape.js`, never changes: browsers
keep it for good. Modules import each other by relative paths, so a page that names the version
once gets all its modules of that version. A path without a version, or with another one, is
checked before each use.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from os.path import normpath
from pathlib import Path
from time import monotonic
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..negotiation import best_coding, compressed, is_known
from .templates import STATIC

_VERSION = re.compile(r"/v-([0-9a-f]{16})(?=/)")
_PATH = re.compile(r"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)+", re.ASCII)
_LOOKED_S: Final = 1.0  # after so long, files are looked at again for changes
_LEAST_BYTES: Final = 512
# Other pages import <memory-grid>. The files are the same for everybody.
_ANYWHERE: Final = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_MEDIA: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@dataclass(slots=True)
class _File:
    """A file in memory, with the forms in which it was asked for."""

    changed: tuple[int, int]
    body: bytes
    digest: str
    encoded: dict[str, bytes] = field(default_factory=dict)


class Files:
    """An ASGI application with the files of a folder, to mount at ``prefix``."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._files: dict[str, _File] = {}
        self._version = ""
        self._looked_s = float("-inf")

    @property
    def version(self) -> str:
        """A hash of all files. They are read again at most once a second, so that edits show up."""
        if monotonic() - self._looked_s > _LOOKED_S:
            total = sha256()
            for path in sorted(self._folder.rglob("*")):
                name = "/" + path.relative_to(self._folder).as_posix()
                if path.suffix in _MEDIA and _PATH.fullmatch(name):
                    total.update(f"{name} {self._read(name).digest}\n".encode())
            self._version = total.hexdigest()[:16]
            self._looked_s = monotonic()
        return self._version

    @property
    def root(self) -> str:
        """The path of the files in this version, which a page puts before their names."""
        return f"{self._prefix}/v-{self.version}"

    def _read(self, name: str) -> _File:
        """The file of a checked name. Errors: HTTPException."""
        path = self._folder / name[1:]
        try:
            status = path.stat()
            known = self._files.get(name)
            changed = (status.st_mtime_ns, status.st_size)
            if known is None or known.changed != changed:
                body = path.read_bytes()
                known = self._files[name] = _File(changed, body, sha256(body).hexdigest())
        except OSError:
            raise HTTPException(404) from None
        return known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            raise HTTPException(405)
        name = scope["path"].removeprefix(scope.get("root_path", ""))
        said = _VERSION.match(name)
        name = name[said.end() :] if said else name
        media = _MEDIA.get(Path(name).suffix)
        if media is None or not _PATH.fullmatch(name):
            raise HTTPException(404)
        file = self._read(name)
        keep = "no-cache"
        if said is not None and said[1] == self.version:
            keep = "public, max-age=31536000, immutable"
        # Many single modules are asked for at once: a developer would wait seconds for the best.
        best = name.startswith(f"/{BUNDLES}/")
        answer = await _answer(file, media, keep, Headers(scope=scope), best=best)
        await answer(scope, receive, send)


async def _answer(file: _File, media: str, keep: str, wished: Headers, *, best: bool) -> Response:
    coding = None
    if media != _MEDIA[".png"] and len(file.body) >= _LEAST_BYTES:
        coding = best_coding(wished.get("accept-encoding", ""))
    etag = f'"{file.digest[:32]}{"-" + coding if coding else ""}"'
    headers = {"ETag": etag, "Cache-Control": keep, "Vary": "Accept-Encoding"} | _ANYWHERE
    if is_known(etag, wished.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    body = file.body
    if coding is not None:
        if coding not in file.encoded:
            file.encoded[coding] = await run_in_threadpool(compressed, body, coding, best=best)
        body = file.encoded[coding]
        headers["Content-Encoding"] = coding
    return Response(body, headers=headers, media_type=media)


FILES: Final = Files(STATIC, "/static")


def module_paths(element: str) -> Mapping[str, Any]:
    """Return a page's style sheets and modules, as paths below ``static``, in a fixed order.

    ``element``: the path of the page's own element, without its ending. With bundles of these very
    files (``deploy/bundle.py``) it is one style sheet and a few scripts; else the modules are
    those that the element imports, and what these import. ``static``: the path of the files'
    version.
    """
    version = FILES.version
    return {"static": FILES.root, **(_bundles(version).get(element) or _modules(element, version))}


@lru_cache(maxsize=16)
def _modules(element: str, _version: str) -> dict[str, tuple[str, ...]]:
    found: set[str] = set()
    waiting = [f"elements/{element}.js"]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            # Imports of types are in comments, which do not count.
            targets = _IMPORT.findall((STATIC / path).read_text(encoding="utf-8"))
            waiting += [normpath(f"{path}/../{each}").replace("\\", "/") for each in targets]
    return {
        "styles": (*_below("css", "*.css"), *_below(f"css/{element}", "*.css")),
        "modules": tuple(sorted(found, key=lambda path: (_FLOORS.index(path.split("/")[0]), path))),
        "entry": (f"elements/{element}.js",),
    }


def bundled_script(name: str) -> str | None:
    """A script of its own, for pages that are not served here; None without bundles."""
    script = STATIC / BUNDLES / f"{name}.js"
    return script.read_text(encoding="utf-8") if _bundles(FILES.version) else None


@lru_cache(maxsize=1)
def _bundles(_version: str) -> dict[str, dict[str, list[str]]]:
    """The bundles by their elements; none if there are none, or a source has changed since."""
    index = STATIC / BUNDLES / INDEX
    if not index.is_file():
        return {}
    found = json.loads(index.read_text(encoding="utf-8"))
    pages: dict[str, dict[str, list[str]]] = found["pages"]
    return pages if found["sources"] == sources_digest() else {}


BUNDLES: Final = "bundles"  # the folder below static/ that deploy/bundle.py writes
INDEX: Final = "index.json"


def sources_digest() -> str:
    """A hash of the style sheets and modules that bundles are made of."""
    total = sha256()
    for path in sorted(STATIC.rglob("*")):
        name = path.relative_to(STATIC).as_posix()
        if path.suffix in {".css", ".js"} and not name.startswith(f"{BUNDLES}/"):
            total.update(f"{name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


_FLOORS = ("core", "api", "words", "state", "draw", "elements")
_IMPORT = re.compile(
    r"""^(?:import|export|\})[^'"\n]*?(?:from\s+)?['"](\.[^'"]+)['"]""", re.MULTILINE
)


def _below(folder: str, pattern: str) -> tuple[str, ...]:
    return tuple(
        path.relative_to(STATIC).as_posix() for path in sorted((STATIC / folder).glob(pattern))
    )
