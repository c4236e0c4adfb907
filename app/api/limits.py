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
# The name of each limit, and what it limits. Times may be fractions.
_TABLE: Final = """
url_bytes Longest path and query together: 414.
header_bytes All headers of a request together: 431.
headers Headers of a request: 431.
body_bytes Largest body in JSON: 413.
json_bytes Largest memory for the values of a body in JSON: 413.
json_depth Deepest nesting of a body in JSON: 400.
file_bytes Largest file to reorder, and largest result: 413, 422.
model_bytes Largest .onnx file: 413.
values Values, coordinates or offsets of one call: 422.
errors Errors that are listed for one request.
call_bytes Memory of one call in JSON: 422.
memory_bytes Memory of all calls together: 503.
file_memory_bytes Memory of all files being reordered; the others are on disk.
temporary_bytes Disk of all files being reordered: 503.
connections Connections at a time: 503.
waiting Calls that may wait for a worker: 503.
wait_seconds Longest wait for a worker: 503.
call_seconds Longest time of one call in JSON: 503.
plan_seconds Longest time that /plan may be given: 422.
idle_seconds Longest pause of a sender, 408, or of a reader.
head_seconds Longest time for all headers of a request.
transfer_seconds Longest time for a body, 408, or an answer.
least_bytes_per_second Least rate of a body, 408, or an answer.
"""


def _values(of: Settings) -> dict[str, int | float]:
    """The settings by their names in the table, and what is no setting."""
    settings = {name.removeprefix("max_"): value for name, value in of}
    held_bytes = of.max_memory_bytes // transport.COPIES  # of one body
    return settings | {
        "url_bytes": head.MAX_URL_BYTES,
        "header_bytes": head.MAX_HEADER_BYTES,
        "headers": head.MOST_HEADERS,
        "body_bytes": min(of.max_body_bytes, held_bytes),
        "json_bytes": json_body.MAX_BYTES,
        "json_depth": json_body.MAX_DEPTH,
        "model_bytes": min(of.max_model_bytes, held_bytes),
        "errors": MOST_ERRORS,
        "call_bytes": min(of.max_call_bytes, of.max_memory_bytes),
    }


def make_limits_router(resources: Resources) -> APIRouter:
    """Return the router of GET /api/v1/limits."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])
    texts = dict(line.split(" ", 1) for line in _TABLE.strip().splitlines())
    every = _values(resources.limits)
    shown = {name: every[name] for name in texts}
    fields = {name: (type(shown[name]), Field(description=text)) for name, text in texts.items()}
    model = create_model("Limits", __doc__=_SAID, **fields)  # type: ignore[call-overload]  # a table
    body = encode(shown)

    async def get_limits(request: Request) -> Response:
        """How much one call may ask for, and how long it may take. The settings can change them."""
        return await transport.answer_get(request, resources, lambda: body)

    transport.add_get(router, "/limits", get_limits, "The limits of this server", model)
    return router
