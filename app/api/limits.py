"""GET /limits: what this server takes, how long, and how much."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from ..contract.fields import MOST_ERRORS
from . import head, measure
from .encoding import encode
from .transport import answer_get
from .work.resources import Resources


class Limits(BaseModel):
    """The limits of this server. Above one, a call gets 408, 413, 414, 422, 431 or 503."""

    url_bytes: int = Field(description="Longest path and query together: 414.")
    header_bytes: int = Field(description="All headers of a request together: 431.")
    headers: int = Field(description="Headers of a request: 431.")
    body_bytes: int = Field(description="Largest body in JSON: 413.")
    json_bytes: int = Field(description="Largest memory for the values of a body in JSON: 413.")
    json_depth: int = Field(description="Deepest nesting of a body in JSON: 400.")
    file_bytes: int = Field(description="Largest file to reorder, and largest result: 413, 422.")
    model_bytes: int = Field(description="Largest .onnx file: 413.")
    values: int = Field(description="Values, coordinates or offsets of one call: 422.")
    errors: int = Field(description="Errors that are listed for one request.")
    call_bytes: int = Field(description="Memory of one call in JSON: 422.")
    memory_bytes: int = Field(description="Memory of all calls together: 503.")
    file_memory_bytes: int = Field(
        description="Memory of all files being reordered; the others are on disk."
    )
    temporary_bytes: int = Field(description="Disk of all files being reordered: 503.")
    connections: int = Field(description="Connections at a time: 503.")
    waiting: int = Field(description="Calls that may wait for a worker: 503.")
    wait_seconds: float = Field(description="Longest wait for a worker: 503.")
    call_seconds: float = Field(description="Longest time of one call in JSON: 503.")
    plan_seconds: float = Field(description="Longest time that /plan may be given: 422.")
    idle_seconds: float = Field(description="Longest pause of a sender, 408, or of a reader.")
    head_seconds: float = Field(description="Longest time for all headers of a request.")
    transfer_seconds: float = Field(description="Longest time for a body, 408, or an answer.")
    least_bytes_per_second: float = Field(description="Least rate of a body, 408, or an answer.")


def make_limits_router(resources: Resources) -> APIRouter:
    """Return the router of GET /api/v1/limits."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])
    settings = resources.limits
    found = Limits(
        url_bytes=head.MAX_URL_BYTES,
        header_bytes=head.MAX_HEADER_BYTES,
        headers=head.MOST_HEADERS,
        body_bytes=settings.max_body_bytes,
        json_bytes=measure.MAX_BYTES,
        json_depth=measure.MAX_DEPTH,
        file_bytes=settings.max_file_bytes,
        model_bytes=settings.max_model_bytes,
        values=settings.max_values,
        errors=MOST_ERRORS,
        call_bytes=min(settings.max_call_bytes, settings.max_memory_bytes),
        memory_bytes=settings.max_memory_bytes,
        file_memory_bytes=settings.max_file_memory_bytes,
        temporary_bytes=settings.max_temporary_bytes,
        connections=settings.max_connections,
        waiting=settings.max_waiting,
        wait_seconds=settings.wait_seconds,
        call_seconds=settings.call_seconds,
        plan_seconds=settings.max_plan_seconds,
        idle_seconds=settings.idle_seconds,
        head_seconds=settings.head_seconds,
        transfer_seconds=settings.transfer_seconds,
        least_bytes_per_second=settings.least_bytes_per_second,
    )
    body = encode(found.model_dump())

    @router.get(
        "/limits",
        summary="The limits of this server",
        operation_id="getLimits",
        response_class=Response,
        responses={200: {"model": Limits}, 304: {"description": "Not modified."}},
    )
    async def get_limits(request: Request) -> Response:
        """How much one call may ask for, and how long it may take. The settings can change them."""
        return await answer_get(request, resources, lambda: body)

    router.add_api_route("/limits", get_limits, methods=["HEAD"], include_in_schema=False)
    return router
