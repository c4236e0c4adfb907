"""The paths of the contract, and their OpenAPI documentation."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from ..contract.answers import answer_describe, answer_formats
from ..contract.operations import OPERATIONS, Operation
from ..contract.requests import TensorJson
from ..contract.shapes import Description, Formats
from .encoding import encode
from .problems import documented
from .query import PARAMETERS, tensor_of_query
from .transport import add_get, answer_get, answer_json
from .work.resources import Resources

_PROBLEMS = documented(
    {
        400: "The body cannot be read as JSON.",
        413: "The body is over the limit.",
        415: "The body is not declared as application/json.",
        422: "A value is not valid; errors name the fields.",
        503: "Other calls use what this one needs; Retry-After says when to try again.",
    }
)


def make_router(resources: Resources) -> APIRouter:
    """Return the router of /api/v1."""
    router = APIRouter(prefix="/api/v1", tags=["layouts"])
    for operation in OPERATIONS:
        _add(router, operation, resources)

    async def get_describe(request: Request) -> Response:
        """The same as POST, with the tensor in the query. Responses have an ETag."""

        def work() -> bytes:
            return encode(answer_describe(tensor_of_query(request.query_params)))

        return await answer_get(request, resources, work, brief=True)

    async def get_formats(request: Request) -> Response:
        """Named formats, element types and notations."""
        return await answer_get(request, resources, lambda: encode(answer_formats()))

    add_get(
        router,
        "/describe",
        get_describe,
        "Describe a tensor (cacheable)",
        Description,
        responses={"422": _PROBLEMS[422]},
        parameters=PARAMETERS,
    )
    add_get(router, "/formats", get_formats, "The catalogue of formats", Formats)
    return router


def _add(router: APIRouter, operation: Operation, resources: Resources) -> None:
    options: dict[str, float] = {"most": resources.limits.max_values} if operation.lists else {}
    if operation.timed:
        options["most_seconds"] = resources.limits.max_plan_seconds

    async def endpoint(request: Request) -> Response:
        return await answer_json(request, operation, options, resources)

    schema = {"$ref": f"#/components/schemas/{operation.request.__name__}"}
    content = {"application/json": {"schema": schema}}
    router.add_api_route(
        f"/{operation.name}",
        endpoint,
        methods=["POST"],
        summary=operation.summary,
        description=operation.answer.__doc__,
        operation_id=f"post{operation.name.title()}",
        response_class=Response,
        responses={200: {"model": operation.shape, "description": "The answer."}, **_PROBLEMS},
        openapi_extra={"requestBody": {"required": True, "content": content}},
    )


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


health = APIRouter(tags=["health"])


@health.get("/healthz", summary="Alive", operation_id="getHealthz")
async def healthz() -> Health:
    """The process answers."""
    return Health()


@health.get("/readyz", summary="Ready", operation_id="getReadyz")
async def readyz() -> Health:
    """The process answers and the engine works: it describes one tensor."""
    answer_describe(TensorJson(shape=[2, 6, 3, 3], layout="NCHW4"))
    return Health()


for _path, _endpoint in (("/healthz", healthz), ("/readyz", readyz)):
    health.add_api_route(_path, _endpoint, methods=["HEAD"], include_in_schema=False)
