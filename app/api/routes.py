"""The paths of the contract, and their OpenAPI documentation."""

from collections.abc import Iterator
from typing import Final, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from ..contract import lessons as teaching
from ..contract.answers import answer_describe, answer_formats
from ..contract.fields import MOST_ERRORS
from ..contract.network_shapes import ExampleNetwork, ExamplesJson, FileGraphJson
from ..contract.networks import answer_network, answer_networks
from ..contract.operations import LESSON_ANSWER, OPERATIONS, Operation
from ..contract.requests import TensorJson, integer
from ..contract.shapes import FormatsJson, shape_of
from ..engine.description import description as engine
from ..engine.model.errors import LayoutError, integer_range
from ..lessons import BY_ID, find_lesson
from ..lessons.lesson import LEVELS
from ..settings import Settings
from . import problems, query, transport
from .files.routes import add_files
from .json_body import MAX_BYTES, MAX_DEPTH
from .problems import JSON_STATUSES, documented
from .query import parameter
from .transport import BINARY, get
from .work.resources import Resources
from .work.worker import GRAPH, PICTURE, PICTURES

_SAID: Final = "The limits of this server. Above one, a call gets 408, 413, 414, 422, 431 or 503."
# What is no setting. Times may be fractions.
_FIXED: Final = {
    "url_bytes": (problems.MAX_URL_BYTES, "Longest path and query together: 414."),
    "header_bytes": (problems.MAX_HEADER_BYTES, "All headers of a request together: 431."),
    "headers": (problems.MOST_HEADERS, "Headers of a request: 431."),
    "json_bytes": (MAX_BYTES, "Largest memory for the values of a body in JSON: 413."),
    "json_depth": (MAX_DEPTH, "Deepest nesting of a body in JSON: 400."),
    "errors": (MOST_ERRORS, "Errors that are listed for one request."),
}
_NO_LIMITS: Final = {"workers", "stop_seconds", "threads", "answer_cache_bytes"}
_NO_LIMITS_OF: Final = ("metrics_", "allow_")
_MOST_ANSWER_BYTES: Final = 1 << 16  # of an answer to a lesson's question
_BOUNDS: Final = {"seed": (0, teaching.MOST_SEED), "level": (1, LEVELS)}
_NAME: Final = parameter("name", "resnet-50", "As /networks lists it.", {}, within="path")
_LESSONS: Final = {"enum": list(BY_ID)}
_ID: Final = parameter("id", "nchw4", "As /lessons lists it.", _LESSONS, within="path")
_LESSON_PARAMETERS: Final = [
    _ID,
    parameter("seed", "7", "Chooses the numbers; default: 1.", {"pattern": "^[0-9]{1,15}$"}),
    parameter("level", "2", f"1 to {LEVELS}, 1 the easiest; default: 1.", {"pattern": "^[1-3]$"}),
]


def make_routers(resources: Resources) -> Iterator[APIRouter]:
    """Return the routers of /api/v1."""
    for tag, add in (
        ("layouts", _add_calls),
        ("layouts", add_files),
        ("networks", _add_networks),
        ("lessons", _add_lessons),
    ):
        router = APIRouter(prefix="/api/v1", tags=[tag], default_response_class=Response)
        add(router, resources)
        yield router


def _add_calls(router: APIRouter, resources: Resources) -> None:
    for operation in OPERATIONS:
        _add(router, operation, resources)

    @get(
        router,
        resources,
        "/describe",
        "Describe a tensor (cacheable)",
        brief=True,
        problems=[422],
        parameters=query.PARAMETERS,
    )
    def describe(request: Request) -> engine.Description:
        """The same as POST, with the tensor in the query. Responses have an ETag."""
        return answer_describe(query.tensor_of_query(request.query_params))

    @get(router, resources, "/formats", "The catalogue of formats")
    def formats(_: Request) -> FormatsJson:
        """Named formats, element types and notations."""
        return answer_formats()

    _add_limits(router, resources)
    for form, media in PICTURES.items():
        _add_picture(router, resources, form, media)


def _add_picture(router: APIRouter, resources: Resources, form: str, media: str) -> None:
    more = [query.SCALE] if form == "png" else []

    @router.get(
        f"/picture.{form}",
        summary=f"A picture of a tensor as {form.upper()} (cacheable)",
        operation_id=f"getPicture{form.title()}",
        responses={
            200: {"content": {media: BINARY}, "description": "The picture."},
            **transport.NOT_MODIFIED,
            **documented(422, 503),
        },
        openapi_extra={"parameters": [*query.PICTURE_PARAMETERS, *more]},
    )
    async def endpoint(request: Request) -> Response:
        """The grids of a tensor as the explorer draws them, with labels and a legend.

        Cells that are too many for texts are colours alone; a tensor of any size has a picture.
        In the SVG each cell is a group with its address, its kind and its coordinate.
        """
        options = {"form": form, "known": request.headers.get("if-none-match", "")}
        asked, body = {"call": PICTURE, "options": options}, request.scope["query_string"]
        share = resources.share(request)
        return await resources.run(resources.long, request, asked, bytearray(body), share)


def _add(router: APIRouter, operation: Operation, resources: Resources) -> None:
    options: dict[str, float] = {"most": resources.limits.max_values} if operation.lists else {}
    if operation.timed:
        options["most_seconds"] = resources.limits.max_plan_seconds

    async def endpoint(request: Request) -> Response:
        most_bytes = resources.limits.max_body_bytes
        return await transport.answer_json(request, operation, options, resources, most_bytes)

    schema = {"$ref": f"#/components/schemas/{operation.request.__name__}"}
    content = {"application/json": {"schema": schema}}
    router.add_api_route(
        f"/{operation.name}",
        endpoint,
        methods=["POST"],
        summary=operation.summary,
        description=operation.answer.__doc__,
        operation_id=f"post{operation.name.title()}",
        responses={
            200: {"model": operation.shape, "description": "The answer."},
            **documented(*JSON_STATUSES),
        },
        openapi_extra={"requestBody": {"required": True, "content": content}},
    )


def _add_networks(router: APIRouter, resources: Resources) -> None:
    @get(router, resources, "/networks", "Networks to start from")
    def networks(_: Request) -> ExamplesJson:
        """Their names, titles, what each shows, and their sizes."""
        return answer_networks()

    @get(
        router,
        resources,
        "/networks/{name}",
        "One of the networks to start from",
        problems=[404],
        parameters=[_NAME],
    )
    def network(request: Request) -> ExampleNetwork:
        """Its graph, as /propagate and /plan take it."""
        return answer_network(request.path_params["name"])

    @router.post(
        "/graph",
        summary="The network of an .onnx file",
        operation_id="postGraph",
        responses={200: {"model": shape_of(FileGraphJson)}, **documented(413, 422, 501, 503)},
        openapi_extra={
            "requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}
        },
    )
    async def post_graph(request: Request) -> Response:
        """The network as JSON for /propagate and /plan, without its weights' values.

        The body is an .onnx file of opset 7 or later. Of weights in files beside it, the sizes
        suffice. Each parameter of the query is the size of a dimension that the file names but does
        not fix, such as `batch=4`; the others are taken as 1, and `assumed` lists them all.
        Operators that are not in the catalogue are kept by name, and `unknown` lists them. A file
        that ONNX Runtime saved after optimisation has its blocked operators,
        `com.microsoft.nchwc:Conv` for example, and `decisions` lists the reorders that it wrote
        into it.
        """
        sizes = {
            name: integer("sizes", text)  # the names are the caller's, so none is repeated
            for name, text in request.query_params.items()
        }
        share, asked = resources.share(request), {"call": GRAPH, "options": {"sizes": sizes}}
        body = await transport.whole_body(request, resources.limits.max_model_bytes, share)
        return await resources.run(resources.long, request, asked, body, share)


def _add_lessons(router: APIRouter, resources: Resources) -> None:
    @get(router, resources, "/lessons", "The lessons")
    def lessons(_: Request) -> teaching.LessonsJson:
        """The lessons in their order, with their chapters."""
        return teaching.answer_lessons()

    @get(
        router,
        resources,
        "/lessons/{id}",
        "A lesson with a question",
        problems=[404, 422],
        parameters=_LESSON_PARAMETERS,
    )
    def lesson(request: Request) -> teaching.LessonJson:
        """Its idea, and the question of a seed and a level: the same one whenever it is asked."""
        name = find_lesson(request.path_params["id"]).id
        asked = query.values_of_query(request.query_params, list(_BOUNDS))
        found = {}
        for field, (low, high) in _BOUNDS.items():
            found[field] = integer(field, asked.get(field, "1"))
            if not low <= found[field] <= high:
                raise LayoutError(field, found[field], integer_range(low, high))
        return teaching.answer_lesson(name, **found)

    schema = teaching.LessonAnswer.model_json_schema()
    body = {"application/json": {"schema": schema, "example": schema["examples"][0]}}

    @router.post(
        "/lessons/{id}/answer",
        summary=LESSON_ANSWER.summary,
        description=teaching.answer_answer.__doc__,
        operation_id="postLessonAnswer",
        responses={
            200: {"model": LESSON_ANSWER.shape, "description": "What is said to the answer."},
            **documented(404, *JSON_STATUSES),
        },
        openapi_extra={"parameters": [_ID], "requestBody": {"required": True, "content": body}},
    )
    async def post_lesson_answer(request: Request) -> Response:
        name = find_lesson(request.path_params["id"]).id
        return await transport.answer_json(
            request, LESSON_ANSWER, {"lesson": name}, resources, _MOST_ANSWER_BYTES
        )


def _add_limits(router: APIRouter, resources: Resources) -> None:
    of = resources.limits
    held_bytes = of.max_memory_bytes // transport.COPIES  # of one body
    lesser = {
        "max_body_bytes": held_bytes,
        "max_model_bytes": held_bytes,
        "max_call_bytes": of.max_memory_bytes,
    }
    limits: dict[str, tuple[float, str | None]] = _FIXED | {
        name.removeprefix("max_"): (min(value, lesser.get(name, value)), field.description)
        for name, field in Settings.model_fields.items()
        if name not in _NO_LIMITS and not name.startswith(_NO_LIMITS_OF)
        for value in [getattr(of, name)]
    }
    shown = {name: value for name, (value, _) in limits.items()}
    fields = {name: (type(n), Field(description=said)) for name, (n, said) in limits.items()}
    model = create_model("Limits", __doc__=_SAID, **fields)  # type: ignore[call-overload]  # a table

    @get(router, resources, "/limits", "The limits of this server", model=model)
    def limits_(_: Request) -> dict[str, float]:
        """How much one call may ask for, and how long it may take. The settings can change them."""
        return shown


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
