"""The paths of the contract, with what OpenAPI says of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..engine.answers import catalogue
from ..settings import Settings
from .answers import (
    answer_coordinates,
    answer_elementwise,
    answer_offsets,
    answer_read,
    answer_reorder,
    answer_slice,
    answer_view,
)
from .calls import Model, answer_json, cacheable, encode
from .problems import MEDIA_TYPE, Problem
from .query import tensor_of_query
from .responses import (
    DescriptionModel,
    ElementwiseModel,
    FormatsModel,
    Health,
    Offsets,
    Owners,
    ReadModel,
    ReorderModel,
    SliceModel,
    ViewModel,
)
from .schemas import (
    CoordinatesRequest,
    ElementwiseRequest,
    OffsetsRequest,
    ReadRequest,
    ReorderRequest,
    SliceRequest,
    Tensor,
    ViewRequest,
)

REQUESTS = (
    Tensor,
    ReadRequest,
    OffsetsRequest,
    CoordinatesRequest,
    SliceRequest,
    ViewRequest,
    ElementwiseRequest,
    ReorderRequest,
)

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, text in {
        400: "The body cannot be read as JSON.",
        413: "The body is over the limit.",
        415: "The body is not declared as application/json.",
        422: "A value that the model refuses; errors name the fields.",
    }.items()
}


def answer_describe(tensor: Tensor) -> dict[str, Any]:
    """Strides, sizes, properties, names and notations."""
    return tensor.parse().describe().as_dict()


def make_router(settings: Settings) -> APIRouter:
    """The router of /api/v1."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])

    def post(
        path: str,
        request_model: type[Model],
        response_model: type[BaseModel],
        answer: Callable[..., dict[str, Any]],
        summary: str,
        **limits: int,
    ) -> None:
        bounded = partial(answer, **limits)

        async def endpoint(request: Request) -> Response:
            return await answer_json(request, request_model, bounded, settings.max_body_bytes)

        router.add_api_route(
            path,
            endpoint,
            methods=["POST"],
            summary=summary,
            description=(answer.__doc__ or summary),
            operation_id="post" + path.title().replace("/", "").replace("_", ""),
            response_class=Response,
            responses={200: {"model": response_model, "description": "The answer."}, **_PROBLEMS},
            openapi_extra={
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {"$ref": f"#/components/schemas/{request_model.__name__}"}
                        }
                    },
                }
            },
        )

    most = {"max_values": settings.max_values}
    post("/describe", Tensor, DescriptionModel, answer_describe, "Describe a tensor")
    post("/read", ReadRequest, ReadModel, answer_read, "What a pasted text says")
    post("/offsets", OffsetsRequest, Offsets, answer_offsets, "Coordinates to addresses", **most)
    post(
        "/coordinates",
        CoordinatesRequest,
        Owners,
        answer_coordinates,
        "Addresses to their owners",
        **most,
    )
    post("/slice", SliceRequest, SliceModel, answer_slice, "Slice a tensor", **most)
    post("/view", ViewRequest, ViewModel, answer_view, "View a tensor without copying")
    post(
        "/elementwise",
        ElementwiseRequest,
        ElementwiseModel,
        answer_elementwise,
        "The layout of an element-wise result",
    )
    post("/reorder", ReorderRequest, ReorderModel, answer_reorder, "Reorder a tensor", **most)

    @router.get(
        "/describe",
        summary="Describe a tensor (cacheable)",
        operation_id="getDescribe",
        response_class=Response,
        responses={
            200: {"model": DescriptionModel},
            304: {"description": "Not modified."},
            422: _PROBLEMS[422],
        },
        openapi_extra={"parameters": _QUERY},
    )
    async def get_describe(request: Request) -> Response:
        """The same as POST, from a query; answers carry an ETag."""
        tensor = tensor_of_query(request.query_params)
        body = await run_in_threadpool(lambda: encode(answer_describe(tensor)))
        return cacheable(request, body)

    @router.get(
        "/formats",
        summary="The catalogue of formats",
        operation_id="getFormats",
        response_class=Response,
        responses={200: {"model": FormatsModel}, 304: {"description": "Not modified."}},
    )
    async def get_formats(request: Request) -> Response:
        """Named formats, element types and notations."""
        return cacheable(request, encode(catalogue()))

    for path, endpoint in (("/describe", get_describe), ("/formats", get_formats)):
        router.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)
    return router


health = APIRouter(tags=["health"])


@health.get("/healthz", summary="Alive", operation_id="getHealthz")
async def healthz() -> Health:
    """The process answers."""
    return Health(status="ok")


@health.get("/readyz", summary="Ready", operation_id="getReadyz")
async def readyz() -> Health:
    """The engine answers too: it describes one tensor."""
    answer_describe(Tensor(shape=[1, 4, 1, 1], layout="NCHW4"))
    return Health(status="ok")


for _path, _endpoint in (("/healthz", healthz), ("/readyz", readyz)):
    health.add_api_route(_path, _endpoint, methods=["HEAD"], include_in_schema=False)


def _parameter(name: str, example: str, text: str, *, required: bool = False) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": text,
        "schema": {"type": "string", "example": example},
    }


_QUERY = [
    _parameter("shape", "2,64,3,3", "Sizes; empty for a tensor of rank 0.", required=True),
    _parameter("layout", "NCHW4", "Any supported notation; or give strides."),
    _parameter("strides", "576,9,3,1", "Strides in elements."),
    _parameter("offset", "0", "Address of coordinate 0, beside strides."),
    _parameter("dtype", "float32", "Element type."),
    _parameter("dims", "NCHW", "One letter per dimension."),
    _parameter("elements", "1152", "Elements in the buffer, where it is larger."),
]

__all__ = ["REQUESTS", "Problem", "health", "make_router"]
