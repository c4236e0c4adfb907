"""What a worker can be asked for: each takes the bytes of a body, and options of the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final

from starlette.responses import Response

from ...contract.allowance import hold
from ...contract.examples import answer_graph
from ...contract.operations import OPERATIONS, Operation
from ..encoding import encode
from ..long_rows import LONG_BYTES, parse_rows
from ..measure import measure
from ..strict_json import parse_json

JSON: Final = "application/json"
GRAPH: Final = "graph"

# Its last argument: around what is computed, between what is parsed and what is encoded.
Call = Callable[[bytearray, Mapping[str, Any], AbstractContextManager[object]], Response]


def json_answer(
    operation: Operation,
    body: bytearray,
    options: Mapping[str, Any],
    computing: AbstractContextManager[object] = nullcontext(),  # noqa: B008  # it has no state
) -> Response:
    """Parse, check, compute and encode. The body is emptied. Errors: those of the contract."""
    value = _value(operation, body)
    body.clear()
    request = operation.request.model_validate(value)
    del value
    with computing:
        answer = operation.answer(request, **options)
    return Response(encode(answer), media_type=JSON)


def _value(operation: Operation, body: bytearray) -> Any:
    if operation.rows and len(body) >= LONG_BYTES:
        found = parse_rows(body, operation.rows)
        if found is not None:
            value, rows = found
            return value | {operation.rows: rows}
    counted = measure(body)
    # A list of numbers is refused at its first error, so what has such lists needs no more.
    hold(counted.size_bytes + (0 if operation.lists else counted.refusal_bytes))
    return parse_json(bytes(body))


def _graph_answer(
    body: bytearray, options: Mapping[str, Any], computing: AbstractContextManager[object]
) -> Response:
    with computing:
        answer = answer_graph(bytes(body), options["sizes"])
    return Response(encode(answer), media_type=JSON)


CALLS: Final[Mapping[str, Call]] = {
    **{each.name: partial(json_answer, each) for each in OPERATIONS},
    GRAPH: _graph_answer,
}
