"""What a worker can be asked for: each takes the bytes of a body, and options of the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from starlette.responses import Response

from ...contract.allowance import hold
from ...contract.examples import answer_graph
from ...contract.operations import OPERATIONS, Operation
from ...files.onnx import MissingLibraryError
from ..encoding import encode
from ..long_rows import LONG_BYTES, parse_rows
from ..measure import measure
from ..problems import problem
from ..strict_json import parse_json

JSON: Final = "application/json"
GRAPH: Final = "graph"

Call = Callable[[bytearray, Mapping[str, Any]], Response]


def json_answer(operation: Operation, body: bytearray, options: Mapping[str, Any]) -> Response:
    """Parse, check, compute and encode. The body is emptied. Errors: those of the contract."""
    value = _value(operation, body)
    body.clear()
    request = operation.request.model_validate(value)
    del value
    return Response(encode(operation.answer(request, **options)), media_type=JSON)


def _value(operation: Operation, body: bytearray) -> Any:
    if operation.rows and len(body) >= LONG_BYTES:
        found = parse_rows(body, operation.rows)
        if found is not None:
            value, rows = found
            return value | {operation.rows: rows}
    hold(measure(body))
    return parse_json(bytes(body))


def _graph_answer(body: bytearray, options: Mapping[str, Any]) -> Response:
    try:
        return Response(encode(answer_graph(bytes(body), options["sizes"])), media_type=JSON)
    except MissingLibraryError as error:
        return problem(501, str(error))


CALLS: Final[Mapping[str, Call]] = {
    **{each.name: partial(json_answer, each) for each in OPERATIONS},
    GRAPH: _graph_answer,
}
