"""The questions that are measured: one row for every call, with a small body.

``POSTS`` has every call whose body is JSON. A row gives the bytes of one request after another: the
same again, so that the answer may be kept, or of layouts that were never seen.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final
from urllib.parse import urlencode

from onnx import TensorProto, helper

PREFIX: Final = "/api/v1"
TENSOR: Final[dict[str, Any]] = {"shape": [2, 64, 56, 56], "layout": "NCHW4"}
PLAIN: Final[dict[str, Any]] = {"shape": [1, 8, 6, 6], "layout": "NHWC"}
GRAPH: Final[dict[str, Any]] = {
    "inputs": {"x": PLAIN},
    "nodes": [
        {"op": "relu", "inputs": ["x"], "outputs": ["a"]},
        {"op": "add", "inputs": ["a", "x"], "outputs": ["b"]},
    ],
}
POSTS: Final[dict[str, dict[str, Any]]] = {
    "describe": TENSOR,
    "read": {"text": "torch.Size([10, 3, 32, 32]) (3072, 1, 96, 3)"},
    "run": {
        "log": "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
        "dst_f32::blocked:aBcd16b:f0,,,2x48x21x12,0.0068"
    },
    "offsets": {"tensor": TENSOR, "coordinates": [[0, 1, 2, 3]]},
    "coordinates": {"tensor": TENSOR, "offsets": [0, 698]},
    "slice": {"tensor": PLAIN, "index": "0, ::-1, 1:3"},
    "view": {"tensor": PLAIN, "steps": [{"op": "permute", "dims": [0, 2, 3, 1]}]},
    "elementwise": {"operands": [PLAIN, PLAIN]},
    "propagate": {"graph": GRAPH, "rules": "pytorch-eager"},
    "arrange": {"graph": GRAPH},
    "offers": {"graph": GRAPH, "node": "a"},
    "plan": {"graph": GRAPH},
    "reorder": {"source": {"shape": [1, 8, 2, 2], "layout": "NCHW"}, "target": "NCHW4"},
    "cost": {"tensor": PLAIN, "walk": {}},
    "schedule": {
        "source": {"shape": [1, 8, 2, 2], "layout": "NCHW"},
        "target": "NHWC",
        "first": 0,
        "count": 4,
    },
}
_FILE: Final = "/reorder/file?" + urlencode(
    {"shape": "1,8,2,2", "source": "NCHW", "target": "NHWC", "dtype": "uint8"}
)
_DESCRIBE: Final = "/describe?" + urlencode({"shape": "2,64,56,56", "layout": "NCHW4"})
_GETS: Final = ("/formats", "/networks", "/networks/{name}", "/limits", "/lessons", "/lessons/{id}")
_PICTURES: Final = ("svg", "png", "tex")
_LESSON: Final = "nchw4"
_OUTSIDE: Final = ("/healthz", "/readyz", "/metrics", "/", "/static/core/shape.js")
_NETWORK: Final = "resnet-50"
LAYOUTS: Final = ("NCHW", "NHWC", "NCHW4", "nChw16c", "channels_last", "OIhw4i16o4i")
NEVER_SEEN: Final = "never seen"


@dataclass(frozen=True, slots=True)
class Row:
    """Requests of one kind, and the status of their answers. ``path`` as OpenAPI has it."""

    name: str
    method: str
    path: str
    asked: Iterator[bytes]
    status: str = "200"


def question(method: str, path: str, body: bytes = b"", *, more: str = "") -> bytes:
    """The bytes of a request, as a browser's fetch would send it."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n{more}"
    if body and "Content-Type" not in more:
        head += "Content-Type: application/json\r\n"
    if body:
        head += f"Content-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def never_seen(seed: int) -> Iterator[dict[str, Any]]:
    """Tensors whose layouts no process has seen, of several kinds in turn."""
    chance = random.Random(seed)  # noqa: S311  # not for secrets
    while True:
        for layout in LAYOUTS:
            yield {"shape": [chance.randrange(2, 4000) for _ in range(4)], "layout": layout}


def describe_question(*, more: str = "") -> bytes:
    """The bytes of GET /describe of one tensor."""
    return question("GET", PREFIX + _DESCRIBE, more=more)


def rows(etag: str) -> Iterator[Row]:
    """All rows. ``etag``: of the answer to ``describe_question``."""
    for name, body in POSTS.items():
        path = f"{PREFIX}/{name}"
        yield _same("POST", path, question("POST", path, json.dumps(body).encode()))
    path = f"{PREFIX}/describe"
    for method, seed in (("POST", 1), ("GET", 2)):
        yield Row(f"{method} /describe, {NEVER_SEEN}", method, path, _cold(method, path, seed))
    yield _same("GET", path, describe_question())
    for note, more, status in (
        ("304", f"If-None-Match: {etag}\r\n", "304"),
        ("br", "Accept-Encoding: gzip, deflate, br\r\n", "200"),
    ):
        asked = describe_question(more=more)
        yield Row(f"GET /describe, {note}", "GET", path, repeat(asked), status)
    octets = "Content-Type: application/octet-stream\r\n"
    for target, octet_body in ((_FILE, bytes(range(32))), ("/graph", _model())):
        asked = question("POST", PREFIX + target, octet_body, more=octets)
        yield _same("POST", PREFIX + target.partition("?")[0], asked)
    for each in (*(PREFIX + path for path in _GETS), *_OUTSIDE):
        yield _same("GET", each, question("GET", each.format(name=_NETWORK, id=_LESSON)))
    for form in _PICTURES:
        path = f"{PREFIX}/picture.{form}"
        yield _same("GET", path, question("GET", f"{path}?shape=1,6,4,5&layout=NCHW4"))
    path = f"{PREFIX}/lessons/{{id}}/answer"
    given = json.dumps({"seed": 1, "level": 1, "answer": None}).encode()
    yield _same("POST", path, question("POST", path.format(id=_LESSON), given))


def _same(method: str, path: str, asked: bytes) -> Row:
    return Row(f"{method} {path.removeprefix(PREFIX)}", method, path, repeat(asked))


def _cold(method: str, path: str, seed: int) -> Iterator[bytes]:
    for tensor in never_seen(seed):
        if method == "POST":
            yield question(method, path, json.dumps(tensor).encode())
        else:
            yield question(method, f"{path}?{_query(tensor)}")


def _query(tensor: dict[str, Any]) -> str:
    shape = ",".join(map(str, tensor["shape"]))
    return urlencode({"shape": shape, "layout": tensor["layout"]}, safe=",")


def _model() -> bytes:
    """A file .onnx of one node."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 8, 6, 6]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    return bytes(model.SerializeToString())
