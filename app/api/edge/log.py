"""The log of requests: one line each, JSON unless a person reads it at a terminal.

It replaces uvicorn's access log, on the same conditions: where that one is off, so is this one. A
line has no address and no query, because both are the caller's.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from time import time
from typing import Final, TextIO

import orjson
from starlette.types import Scope

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_UVICORN: Final = "uvicorn.access"


class RequestLog:
    """Writes to standard error once ``replace_uvicorn`` or ``on`` turned it on."""

    def __init__(self, stream: TextIO | None = None, *, on: bool = False) -> None:
        self.on = on
        self._stream = stream

    def replace_uvicorn(self) -> None:
        """Take the place of uvicorn's access log, if there is one; let its other lines follow."""
        theirs = logging.getLogger(_UVICORN)
        if not (theirs.hasHandlers() and theirs.isEnabledFor(logging.INFO)):
            return
        self.on = bool(theirs.handlers)
        theirs.handlers, theirs.propagate = [], False
        if not self._out.isatty():
            for handler in logging.getLogger("uvicorn").handlers:
                handler.setFormatter(_JsonLines())

    @property
    def _out(self) -> TextIO:
        return self._stream or sys.stderr

    def write(
        self,
        scope: Scope,
        route: str,
        status: str,
        seconds: float,
        size_bytes: int,
        request_id: bytes,
    ) -> None:
        """Write the line of one request. ``route``: the template, never the path."""
        method = scope["method"] if scope["method"] in _METHODS else "other"
        out = self._out
        if out.isatty():
            line = f"{method:4} {route} {status} {1000 * seconds:.1f} ms {size_bytes} B\n"
        else:
            line = _json_line(
                {
                    "time": _now(),
                    "level": "info",
                    "event": "request",
                    "method": method,
                    "route": route,
                    "status": int(status) if status.isdigit() else None,
                    "seconds": round(seconds, 6),
                    "bytes": size_bytes,
                    "request_id": request_id.decode("ascii"),
                }
            )
        out.write(line)


class _JsonLines(logging.Formatter):
    """The lines of other loggers in the same form."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _now(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _json_line(line).rstrip("\n")


def _json_line(line: Mapping[str, object]) -> str:
    return orjson.dumps(line).decode() + "\n"


def _now() -> str:
    return datetime.fromtimestamp(time(), UTC).isoformat(timespec="milliseconds")
