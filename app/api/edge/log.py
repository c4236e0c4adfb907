"""The log of requests: one line each, JSON unless a person reads it at a terminal.

It replaces uvicorn's access log, on the same conditions: where that one is off, so is this one. A
line has no address and no query, because both are the caller's.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from time import time
from typing import Final, Protocol, TextIO

import orjson
from starlette.types import Scope

from ..metrics import METHODS

_UVICORN: Final = "uvicorn.access"


class Sent(Protocol):
    """What was sent in answer to one request."""

    status: str
    size_bytes: int
    request_id: bytes


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

    def write(self, scope: Scope, route: str, sent: Sent, seconds: float) -> None:
        """Write the line of one request. ``route``: the template, never the path."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        if self._out.isatty():
            line = f"{method:4} {route} {sent.status} {1000 * seconds:.1f} ms {sent.size_bytes} B\n"
        else:
            line = _json_line(
                "info",
                "request",
                method=method,
                route=route,
                status=int(sent.status) if sent.status.isdigit() else None,
                seconds=round(seconds, 6),
                bytes=sent.size_bytes,
                request_id=sent.request_id.decode("ascii"),
            )
        self._out.write(line)


class _JsonLines(logging.Formatter):
    """The lines of other loggers in the same form."""

    def format(self, record: logging.LogRecord) -> str:
        more = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
        line = _json_line(record.levelname.lower(), record.getMessage(), **more)
        return line.rstrip("\n")


def _json_line(level: str, event: str, **more: object) -> str:
    now = datetime.fromtimestamp(time(), UTC).isoformat(timespec="milliseconds")
    return orjson.dumps({"time": now, "level": level, "event": event, **more}).decode() + "\n"
