"""Networks to start from, and networks from files, over HTTP."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..contract.examples import answer_network, answer_networks
from ..contract.network_shapes import ExampleNetwork, Examples, FileGraph
from ..engine.model.errors import LayoutError
from .encoding import encode
from .problems import documented, entry, refusal
from .query import integer
from .transport import add_get, answer_get, whole_body
from .work.calls import GRAPH
from .work.pool import WorkerCall
from .work.resources import Resources

_NOT_FOUND = documented({404: "No network has this name."})[404]
_FILE_PROBLEMS = documented(
    {
        413: "The file is over the limit.",
        422: "The file is not valid; errors name its parts.",
        501: "This installation has no library for such files.",
        503: "Other calls use what this one needs; Retry-After says when to try again.",
    }
)
_GRAPH_TEXT = """The network as JSON for /propagate and /plan, without its weights' values.

The body is an .onnx file of opset 7 or later. Of weights in files beside it, the sizes suffice.
Each parameter of the query is the size of a dimension that the file names but does not fix, such as
`batch=4`; the others are taken as 1, and `assumed` lists them all. Operators that are not in the
catalogue are kept by name, and `unknown` lists them. A file that ONNX Runtime saved after
optimisation has its blocked operators, `com.microsoft.nchwc:Conv` for example, and `decisions`
lists the reorders that it wrote into it."""


def make_network_router(resources: Resources) -> APIRouter:
    """Return the router of the networks to start from, and of those from files."""
    router = APIRouter(prefix="/api/v1", tags=["networks"])

    async def get_networks(request: Request) -> Response:
        """Their names, titles, what each shows, and their sizes."""
        return await answer_get(request, resources, lambda: encode(answer_networks()))

    async def get_network(request: Request, name: str) -> Response:
        """Its graph, as /propagate and /plan take it."""
        try:
            return await answer_get(request, resources, lambda: encode(answer_network(name)))
        except LayoutError as error:
            return refusal(404, entry(error))

    add_get(router, "/networks", get_networks, "Networks to start from", Examples)
    add_get(
        router,
        "/networks/{name}",
        get_network,
        "One of the networks to start from",
        ExampleNetwork,
        responses={"404": _NOT_FOUND},
    )

    @router.post(
        "/graph",
        summary="The network of an .onnx file",
        description=_GRAPH_TEXT,
        operation_id="postGraph",
        response_class=Response,
        responses={200: {"model": FileGraph}, **_FILE_PROBLEMS},
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                },
            }
        },
    )
    async def post_graph(request: Request) -> Response:
        sizes = {
            name: integer("sizes", text)  # the names are the caller's, so none is repeated
            for name, text in request.query_params.items()
        }
        with resources.share() as share:
            body = await whole_body(request, resources.limits.max_model_bytes, share)
            job = WorkerCall(GRAPH, body, {"sizes": sizes}, share.hand_on())
        return await resources.long.run(request, job)

    return router
