"""A worker process: takes one call after the other, as bytes, and answers with bytes.

A call takes the bytes of a body, and options of the settings.
"""

import gc
import resource
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.datastructures import QueryParams
from starlette.responses import Response

from ...contract.allowance import Allowance, allowed
from ...contract.networks import answer_graph
from ...contract.operations import LESSON_ANSWER, OPERATIONS, Operation
from ...contract.pictures import file_of
from ...engine import KERNELS
from ...engine.model.errors import refusal
from ..answers import JSON, cacheable, encode
from ..edge.compression import compress
from ..json_body import measure, value_of
from ..problems import BusyError, error_response
from ..query import picture_of_query
from . import messages

_MOST_GROWTH_BYTES: Final = 64 << 20  # that a worker keeps after a call before it is replaced
_SPARE_BYTES: Final = 256 << 20  # beside what calls ask for: bodies, copies of them
_PAGE_BYTES: Final = resource.getpagesize()

GRAPH: Final = "graph"
PICTURE: Final = "picture"
# Forms of a picture.
PICTURES: Final = {"svg": "image/svg+xml", "png": "image/png", "tex": "text/x-tex; charset=utf-8"}

# What a call computes, and what makes the response of its result.
Work = tuple[Callable[[], Any], Callable[[Any], Response]]


def json_work(operation: Operation, body: bytearray, options: Mapping[str, Any]) -> Work:
    """Parse and check a body, which is emptied. Errors: those of the contract."""
    value = value_of(operation, body)
    body.clear()
    request = operation.request.model_validate(value)
    return partial(operation.answer, request, **options), _json_response


def _json_response(answer: Any) -> Response:
    return Response(encode(answer), media_type=JSON)


def _graph_work(body: bytearray, options: Mapping[str, Any]) -> Work:
    return partial(answer_graph, bytes(body), options["sizes"]), _json_response


def _picture_work(body: bytearray, options: Mapping[str, Any]) -> Work:
    form, known = options["form"], options["known"]
    asked, scale = picture_of_query(QueryParams(bytes(body)), scaled=form == "png")
    response = partial(cacheable, media=PICTURES[form], known=known)
    return partial(file_of, asked, form, scale), response


CALLS: Final[Mapping[str, Callable[[bytearray, Mapping[str, Any]], Work]]] = {
    **{each.name: partial(json_work, each) for each in (*OPERATIONS, LESSON_ANSWER)},
    GRAPH: _graph_work,
    PICTURE: _picture_work,
}


def prepare() -> None:
    """Load what the calls need, before any worker is forked."""
    measure(b"[]")
    gc.collect()
    gc.freeze()  # the collector would write to, and so copy, the pages that workers share


def work(wire: socket.socket) -> None:
    """Answer calls until the program closes the connection."""
    with ExitStack() as held:
        for each in KERNELS:  # a worker never compiles: calls in JSON are short enough for NumPy
            held.enter_context(each.held_back())
        at_start, data_bytes = _memory()
        while True:
            try:
                job, body = messages.receive(wire)
                limit = _limited(data_bytes + job["most_bytes"] + _SPARE_BYTES)
                response = _answered(wire, job, body, limit)
                del body
                content = compress(response.headers, bytes(response.body), job.get("coding"))
                response.body = content
                grown_bytes = _memory()[0] - len(content) - at_start
                head = {
                    "status": response.status_code,
                    "headers": [[n.decode(), text.decode()] for n, text in response.raw_headers],
                    "size_bytes": len(content),
                    "stays": grown_bytes < _MOST_GROWTH_BYTES,
                }
                messages.send(wire, head, content)
                del response, content
            except ConnectionError:
                return


def _answered(
    wire: socket.socket, job: dict[str, Any], body: bytearray, limit: AbstractContextManager[object]
) -> Response:
    """Return the answer to a call, or to its error."""

    held_bytes = 0

    def hold(size_bytes: int) -> None:
        nonlocal held_bytes
        held_bytes += size_bytes
        if held_bytes > job["most_bytes"]:
            got = f"a call that needs {held_bytes} bytes of memory"
            raise refusal("request", got, "most", most=job["most_bytes"])
        messages.send(wire, {"hold": size_bytes})
        if not messages.receive(wire)[0]["granted"]:
            raise BusyError

    try:
        with allowed(Allowance(hold)):
            compute, respond = CALLS[job["call"]](body, job["options"])
            with limit:
                answer = compute()
            return respond(answer)
    except ConnectionError:
        raise
    except Exception as error:  # the program answers with the problem, whatever it is
        return error_response(error)


@contextmanager
def _limited(most_bytes: int) -> Iterator[None]:
    """Let the system refuse more memory of data than that, to what checks its allocations.

    orjson writes on where it got none, and pydantic ends the process: neither runs in the block.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _memory() -> tuple[int, int]:
    """Bytes of this process that are resident, and bytes of its data."""
    pages = Path("/proc/self/statm").read_text("ascii").split()
    return int(pages[1]) * _PAGE_BYTES, int(pages[5]) * _PAGE_BYTES
