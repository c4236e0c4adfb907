"""Lessons and the answers to their questions, over HTTP."""

import json
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from ..contract.lessons import (
    MOST_SEED,
    Checked,
    LessonAnswer,
    Lessons,
    LessonWithQuestion,
    answer_answer,
    answer_lesson,
    answer_lessons,
)
from ..contract.operations import Operation
from ..contract.texts import integer
from ..engine.model.errors import LayoutError, integer_range
from ..lessons import BY_ID, find_lesson
from ..lessons.lesson import LEVELS
from .encoding import encode
from .problems import MEDIA_TYPE, documented, entry, error_response, refusal
from .query import parameter, values_of_query
from .transport import add_get, answer_get, answer_small, json_body
from .work.resources import Resources

_MOST_BODY_BYTES: Final = 1 << 16
_ANSWER: Final = Operation(answer_answer, "Check an answer to a lesson's question")
_NOT_FOUND: Final = documented({404: "No lesson has this id."})
_PROBLEMS: Final = documented(
    {
        400: "The body cannot be read as JSON.",
        413: "The body is over the limit.",
        415: "The body is not declared as application/json.",
        422: "A value is not valid; errors name the fields.",
        503: "Other calls use what this one needs; Retry-After says when to try again.",
    }
)
_BOUNDS: Final = {"seed": (0, MOST_SEED, 1), "level": (1, LEVELS, 1)}
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

    async def get_lessons(request: Request) -> Response:
        """The lessons in their order, with their chapters."""
        return await answer_get(request, resources, lambda: encode(answer_lessons()))

    async def get_lesson(request: Request) -> Response:
        """Its idea, and the question of a seed and a level: the same one whenever it is asked."""
        name = request.path_params["id"]
        if name not in BY_ID:
            return _missing(name)

        def work() -> bytes:
            asked = values_of_query(request.query_params, list(_BOUNDS))
            seed, level = (_bounded(field, asked) for field in _BOUNDS)
            return encode(answer_lesson(name, seed, level))

        return await answer_get(request, resources, work)

    add_get(router, "/lessons", get_lessons, "The lessons", Lessons)
    add_get(
        router,
        "/lessons/{id}",
        get_lesson,
        "A lesson with a question",
        LessonWithQuestion,
        responses={"404": _NOT_FOUND[404], "422": _PROBLEMS[422]},
        parameters=_PARAMETERS,
    )
    schema = LessonAnswer.model_json_schema()
    body = {"application/json": {"schema": schema, "example": schema["examples"][0]}}

    @router.post(
        "/lessons/{id}/answer",
        summary=_ANSWER.summary,
        description=answer_answer.__doc__,
        operation_id="postLessonAnswer",
        response_class=Response,
        responses={
            200: {"model": Checked, "description": "What is said to the answer."},
            **_NOT_FOUND,
            **_PROBLEMS,
            422: _refused(),
        },
        openapi_extra={
            "parameters": [_ID],
            "requestBody": {"required": True, "content": body},
        },
    )
    async def post_lesson_answer(request: Request) -> Response:
        name = request.path_params["id"]
        if name not in BY_ID:
            return _missing(name)
        with resources.share() as share:
            body = await json_body(request, _MOST_BODY_BYTES, share)
            work = partial(answer_small, _ANSWER, body, {"lesson": name})
            return await resources.small(work)

    return router


def _missing(name: str) -> Response:
    try:
        find_lesson(name)
    except LayoutError as error:
        return refusal(404, entry(error))
    raise AssertionError(name)


def _bounded(field: str, asked: dict[str, str]) -> int:
    low, high, default = _BOUNDS[field]
    found = integer(field, asked.get(field, str(default)))
    if not low <= found <= high:
        raise LayoutError(field, found, integer_range(low, high))
    return found


def _refused() -> dict[str, Any]:
    """What OpenAPI says of 422: an answer of another kind than the question's."""
    asked = {"seed": 7, "level": 2, "answer": "thirty"}
    said = _PROBLEMS[422]
    example = {
        "summary": "An answer is of the kind of its question.",
        "description": f"For POST /lessons/nchw4/answer with {json.dumps(asked)}",
        "value": json.loads(bytes(_answered(LessonAnswer.model_validate(asked)).body)),
    }
    problem = {**said["content"][MEDIA_TYPE], "examples": {"kind": example}}
    return {**said, "content": {MEDIA_TYPE: problem}}


def _answered(request: LessonAnswer) -> Response:
    try:
        return Response(encode(answer_answer(request, "nchw4")))
    except LayoutError as error:
        return error_response(error)
