"""GET /limits: what this server takes, how long, and how much."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field, create_model
from starlette.responses import Response

from ..contract.fields import MOST_ERRORS
from ..settings import Settings
from . import head, measure, transport
from .encoding import encode
from .transport import add_get, answer_get
from .work.resources import Resources

_SAID = "The limits of this server. Above one, a call gets 408, 413, 414, 422, 431 or 503."
Row = tuple[str, int | float, str]


def _rows(of: Settings) -> tuple[Row, ...]:
    """The name of each limit, its value, and what it limits; times may be fractions."""
    call_bytes = min(of.max_call_bytes, of.max_memory_bytes)
    held_bytes = of.max_memory_bytes // transport.COPIES  # of one body
    return (
        ("url_bytes", head.MAX_URL_BYTES, "Longest path and query together: 414."),
        ("header_bytes", head.MAX_HEADER_BYTES, "All headers of a request together: 431."),
        ("headers", head.MOST_HEADERS, "Headers of a request: 431."),
        ("body_bytes", min(of.max_body_bytes, held_bytes), "Largest body in JSON: 413."),
        ("json_bytes", measure.MAX_BYTES, "Largest memory for the values of a body in JSON: 413."),
        ("json_depth", measure.MAX_DEPTH, "Deepest nesting of a body in JSON: 400."),
        ("file_bytes", of.max_file_bytes, "Largest file to reorder, and largest result: 413, 422."),
        ("model_bytes", min(of.max_model_bytes, held_bytes), "Largest .onnx file: 413."),
        ("values", of.max_values, "Values, coordinates or offsets of one call: 422."),
        ("errors", MOST_ERRORS, "Errors that are listed for one request."),
        ("call_bytes", call_bytes, "Memory of one call in JSON: 422."),
        ("memory_bytes", of.max_memory_bytes, "Memory of all calls together: 503."),
        (
            "file_memory_bytes",
            of.max_file_memory_bytes,
            "Memory of all files being reordered; the others are on disk.",
        ),
        ("temporary_bytes", of.max_temporary_bytes, "Disk of all files being reordered: 503."),
        ("connections", of.max_connections, "Connections at a time: 503."),
        ("waiting", of.max_waiting, "Calls that may wait for a worker: 503."),
        ("wait_seconds", of.wait_seconds, "Longest wait for a worker: 503."),
        ("call_seconds", of.call_seconds, "Longest time of one call in JSON: 503."),
        ("plan_seconds", of.max_plan_seconds, "Longest time that /plan may be given: 422."),
        ("idle_seconds", of.idle_seconds, "Longest pause of a sender, 408, or of a reader."),
        ("head_seconds", of.head_seconds, "Longest time for all headers of a request."),
        ("transfer_seconds", of.transfer_seconds, "Longest time for a body, 408, or an answer."),
        (
            "least_bytes_per_second",
            of.least_bytes_per_second,
            "Least rate of a body, 408, or an answer.",
        ),
    )


def make_limits_router(resources: Resources) -> APIRouter:
    """Return the router of GET /api/v1/limits."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])
    rows = _rows(resources.limits)
    fields = {name: (type(value), Field(description=text)) for name, value, text in rows}
    model = create_model("Limits", __doc__=_SAID, **fields)  # type: ignore[call-overload]  # a table
    body = encode({name: value for name, value, _ in rows})

    async def get_limits(request: Request) -> Response:
        """How much one call may ask for, and how long it may take. The settings can change them."""
        return await answer_get(request, resources, lambda: body)

    add_get(router, "/limits", get_limits, "The limits of this server", "getLimits", model)
    return router
