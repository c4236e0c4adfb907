"""Lessons and the answers to their questions, over HTTP."""

from functools import partial
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..contract import lessons as contract
from ..contract.operations import Operation
from ..contract.requests import integer
from ..engine.model.errors import LayoutError, integer_range
from ..lessons import BY_ID, find_lesson
from ..lessons.lesson import LEVELS
from .problems import JSON_PROBLEMS, documented
from .query import parameter, values_of_query
from .transport import answer_small, get, json_body
from .work.resources import Resources

_MOST_BODY_BYTES: Final = 1 << 16
_ANSWER: Final = Operation(contract.answer_answer, "Check an answer to a lesson's question")
_NOT_FOUND: Final = documented({404: "No lesson has this id."})
_BOUNDS: Final = {"seed": (0, contract.MOST_SEED), "level": (1, LEVELS)}
_ID: Final = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "One of those that /lessons lists.",
    "schema": {"type": "string", "enum": list(BY_ID), "example": "nchw4"},
}
_PARAMETERS: Final = [
    _ID,
    parameter("seed", "7", "Chooses the numbers; default: 1.", {"pattern": "^[0-9]{1,15}$"}),
    parameter("level", "2", f"1 to {LEVELS}, 1 the easiest; default: 1.", {"pattern": "^[1-3]$"}),
]


def make_lesson_router(resources: Resources) -> APIRouter:
    """Return the router of the lessons."""
    router = APIRouter(prefix="/api/v1", tags=["lessons"])

    @get(router, resources, "/lessons", "The lessons", contract.Lessons)
    def lessons(_: Request) -> contract.LessonsJson:
        """The lessons in their order, with their chapters."""
        return contract.answer_lessons()

    @get(
        router,
        resources,
        "/lessons/{id}",
        "A lesson with a question",
        contract.LessonWithQuestion,
        responses={"404": _NOT_FOUND[404], "422": JSON_PROBLEMS[422]},
        parameters=_PARAMETERS,
    )
    def lesson(request: Request) -> contract.LessonJson:
        """Its idea, and the question of a seed and a level: the same one whenever it is asked."""
        name = find_lesson(request.path_params["id"]).id
        asked = values_of_query(request.query_params, list(_BOUNDS))
        found = {}
        for field, (low, high) in _BOUNDS.items():
            found[field] = integer(field, asked.get(field, "1"))
            if not low <= found[field] <= high:
                raise LayoutError(field, found[field], integer_range(low, high))
        return contract.answer_lesson(name, **found)

    schema = contract.LessonAnswer.model_json_schema()
    body = {"application/json": {"schema": schema, "example": schema["examples"][0]}}

    @router.post(
        "/lessons/{id}/answer",
        summary=_ANSWER.summary,
        description=contract.answer_answer.__doc__,
        operation_id="postLessonAnswer",
        response_class=Response,
        responses={
            200: {"model": contract.Checked, "description": "What is said to the answer."},
            **_NOT_FOUND,
            **JSON_PROBLEMS,
        },
        openapi_extra={"parameters": [_ID], "requestBody": {"required": True, "content": body}},
    )
    async def post_lesson_answer(request: Request) -> Response:
        name = find_lesson(request.path_params["id"]).id
        with resources.share() as share:
            body = await json_body(request, _MOST_BODY_BYTES, share)
            work = partial(answer_small, _ANSWER, body, {"lesson": name})
            return await resources.small(work)

    return router
