"""Networks to start from, over HTTP."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..contract.examples import answer_network, answer_networks
from ..contract.shapes import ExampleNetwork, Examples
from ..engine.errors import LayoutError
from .problems import MEDIA_TYPE, problem
from .transport import cacheable, encode

_NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not modified."}}
_NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {
        "description": "No network has this name.",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}


def make_network_router() -> APIRouter:
    """Return the router of the networks to start from."""
    router = APIRouter(prefix="/api/v1", tags=["networks"])

    @router.get(
        "/networks",
        summary="Networks to start from",
        operation_id="getNetworks",
        response_class=Response,
        responses={200: {"model": Examples}, **_NOT_MODIFIED},
    )
    async def get_networks(request: Request) -> Response:
        """Their names, titles, what each shows, and their sizes."""
        body = await run_in_threadpool(lambda: encode(answer_networks()))
        return cacheable(request, body)

    @router.get(
        "/networks/{name}",
        summary="One of the networks to start from",
        operation_id="getNetwork",
        response_class=Response,
        responses={200: {"model": ExampleNetwork}, **_NOT_MODIFIED, **_NOT_FOUND},
    )
    async def get_network(request: Request, name: str) -> Response:
        """Its graph, as /propagate and /plan take it."""
        try:
            body = await run_in_threadpool(lambda: encode(answer_network(name)))
        except LayoutError as error:
            return problem(404, str(error), [{"field": error.field, "message": error.message}])
        return cacheable(request, body)

    for path, endpoint in (("/networks", get_networks), ("/networks/{name}", get_network)):
        router.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)
    return router
