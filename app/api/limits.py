"""GET /limits: what this server takes, how long, and how much."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from pydantic import Field, create_model
from starlette.responses import Response

from ..contract.fields import MOST_ERRORS
from ..settings import Settings
from . import head, json_body, transport
from .encoding import encode
from .work.resources import Resources

_SAID: Final = "The limits of this server. Above one, a call gets 408, 413, 414, 422, 431 or 503."
# What is no setting. Times may be fractions.
_FIXED: Final = {
    "url_bytes": (head.MAX_URL_BYTES, "Longest path and query together: 414."),
    "header_bytes": (head.MAX_HEADER_BYTES, "All headers of a request together: 431."),
    "headers": (head.MOST_HEADERS, "Headers of a request: 431."),
    "json_bytes": (json_body.MAX_BYTES, "Largest memory for the values of a body in JSON: 413."),
    "json_depth": (json_body.MAX_DEPTH, "Deepest nesting of a body in JSON: 400."),
    "errors": (MOST_ERRORS, "Errors that are listed for one request."),
}
_NO_LIMITS: Final = {"workers", "stop_seconds", "threads", "answer_cache_bytes"}
_NO_LIMITS_OF: Final = ("metrics_", "allow_")


def _limits(of: Settings) -> dict[str, tuple[float, str | None]]:
    """Each limit and what it limits, by name."""
    held_bytes = of.max_memory_bytes // transport.COPIES  # of one body
    lesser = {
        "max_body_bytes": held_bytes,
        "max_model_bytes": held_bytes,
        "max_call_bytes": of.max_memory_bytes,
    }
    return _FIXED | {
        name.removeprefix("max_"): (min(value, lesser.get(name, value)), field.description)
        for name, field in Settings.model_fields.items()
        if name not in _NO_LIMITS and not name.startswith(_NO_LIMITS_OF)
        for value in [getattr(of, name)]
    }


def make_limits_router(resources: Resources) -> APIRouter:
    """Return the router of GET /api/v1/limits."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])
    limits = _limits(resources.limits)
    shown = {name: value for name, (value, _) in limits.items()}
    fields = {name: (type(n), Field(description=said)) for name, (n, said) in limits.items()}
    model = create_model("Limits", __doc__=_SAID, **fields)  # type: ignore[call-overload]  # a table
    body = encode(shown)

    async def get_limits(request: Request) -> Response:
        """How much one call may ask for, and how long it may take. The settings can change them."""
        return await transport.answer_get(request, resources, lambda: body)

    transport.add_get(router, "/limits", get_limits, "The limits of this server", model)
    return router
