"""What a worker can be asked for: each takes the bytes of a body, and options of the settings."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final

from starlette.responses import Response

from ...contract.networks import answer_graph
from ...contract.operations import OPERATIONS, Operation
from ...contract.pictures import file_of, picture_of
from ...contract.requests import TensorJson
from ..answers import JSON, cacheable, encode
from ..json_body import value_of

GRAPH: Final = "graph"
PICTURE: Final = "picture"
# Forms of a picture.
PICTURES: Final = {"svg": "image/svg+xml", "png": "image/png", "tex": "text/x-tex; charset=utf-8"}

# Its last argument: around what is computed, between what is parsed and what is encoded.
Call = Callable[[bytearray, Mapping[str, Any], AbstractContextManager[object]], Response]


def json_answer(
    operation: Operation,
    body: bytearray,
    options: Mapping[str, Any],
    computing: AbstractContextManager[object] = nullcontext(),  # noqa: B008  # it has no state
) -> Response:
    """Parse, check, compute and encode. The body is emptied. Errors: those of the contract."""
    value = value_of(operation, body)
    body.clear()
    request = operation.request.model_validate(value)
    del value
    with computing:
        answer = operation.answer(request, **options)
    return Response(encode(answer), media_type=JSON)


def _graph_answer(
    body: bytearray, options: Mapping[str, Any], computing: AbstractContextManager[object]
) -> Response:
    with computing:
        answer = answer_graph(bytes(body), options["sizes"])
    return Response(encode(answer), media_type=JSON)


def _picture_answer(
    body: bytearray, options: Mapping[str, Any], computing: AbstractContextManager[object]
) -> Response:
    query = json.loads(body)
    asked = picture_of(TensorJson.model_validate(query["tensor"]), query["options"])
    with computing:
        file = file_of(asked, query["form"], query["scale"])
    return cacheable(file, PICTURES[query["form"]], query["known"])


CALLS: Final[Mapping[str, Call]] = {
    **{each.name: partial(json_answer, each) for each in OPERATIONS},
    GRAPH: _graph_answer,
    PICTURE: _picture_answer,
}
