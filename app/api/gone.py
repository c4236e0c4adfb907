"""Notices that a caller has gone."""

from __future__ import annotations

from starlette.requests import Request


async def until_gone(request: Request) -> None:
    """Return when the caller of ``request``, whose body was read, is gone or has its answer."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
