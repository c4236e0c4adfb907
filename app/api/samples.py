"""One request of each operation, which is answered with 200: the examples of the document."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, Final

_TENSOR: Final = {"shape": [1, 6, 4, 5], "layout": "NCHW4"}
_GRAPH: Final = {
    "inputs": {"x": {"shape": [1, 8, 6, 6], "layout": "NCHW"}},
    "constants": {"w": {"shape": [8, 8, 3, 3]}},
    "nodes": [
        {
            "name": "conv",
            "op": "conv2d",
            "inputs": ["x", "w"],
            "outputs": ["y"],
            "attributes": {"padding": [1, 1]},
        },
        {"name": "act", "op": "relu", "inputs": ["y"], "outputs": ["z"]},
    ],
}
_COPY: Final = {"source": {"shape": [1, 3, 2, 2], "layout": "NCHW"}, "target": "NCHW4"}
# By the path below /api/v1.
_BODIES: Final[dict[str, dict[str, Any]]] = {
    "describe": _TENSOR,
    "read": {"text": ">>> x.shape, x.stride()\n(torch.Size([2, 6, 3, 3]), (54, 1, 18, 6))"},
    "offsets": {"tensor": _TENSOR, "coordinates": [[0, 2, 1, 2], [0, 5, 3, 4]]},
    "coordinates": {"tensor": _TENSOR, "offsets": [30, 118]},
    "slice": {"tensor": {"shape": [1, 1, 4, 4], "layout": "NCHW"}, "index": "..., ::-2, 1:4:2"},
    "view": {
        "tensor": {"shape": [2, 6, 3, 3], "layout": "NCHW"},
        "steps": [{"op": "permute", "dims": [0, 2, 3, 1]}],
    },
    "elementwise": {
        "operands": [
            {"shape": [2, 6, 3, 3], "layout": "NHWC"},
            {"shape": [6, 1, 1], "layout": "CHW"},
        ]
    },
    "propagate": {"graph": _GRAPH, "rules": "onnxruntime-cpu"},
    "arrange": {"graph": _GRAPH},
    "offers": {"graph": _GRAPH, "node": "conv"},
    "plan": {"graph": _GRAPH},
    "cost": {
        "tensor": {"shape": [32, 32], "layout": "HW"},
        "warp": {"along": "H", "space": "shared"},
    },
    "reorder": _COPY,
    "schedule": {**_COPY, "first": 0, "count": 4},
    "run": {
        "log": "onednn_verbose,v1,info,oneDNN v3.13.0\n"
        "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:abcd::f0 "
        "dst:f32::blocked:aBcd16b::f0,,,1x64x56x56,0.25\n"
        "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:aBcd16b::f0 "
        "dst:f32::blocked:abcd::f0,,,1x64x56x56,0.31"
    },
    "lessons/{id}/answer": {"seed": 1, "level": 1, "answer": None},
}
_PARAMETERS: Final[dict[str, dict[str, str]]] = {
    "describe": {"shape": "1,6,4,5", "layout": "NCHW4"},
    "reorder/file": {"source": "NCHW", "target": "NCHW4"},
    "networks/{name}": {"name": "inception-block"},
    "lessons/{id}": {"id": "address", "seed": "1"},
    "lessons/{id}/answer": {"id": "address"},
    "picture.svg": {"shape": "1,6,4,5", "layout": "NCHW4"},
    "picture.png": {"shape": "1,6,4,5", "layout": "NCHW4"},
    "picture.tex": {"shape": "1,6,4,5", "layout": "NCHW4"},
}


def _npy() -> bytes:
    """Six channels of 2 × 2 bytes as a file of NumPy's format, version 1.0."""
    header = str({"descr": "|u1", "fortran_order": False, "shape": (1, 6, 2, 2)}).encode()
    padded = header.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded + bytes(range(24))


def _onnx() -> bytes:
    """The smallest model: y = Relu(x), in the wire format of protocol buffers."""

    def field(number: int, value: bytes | int) -> bytes:
        if isinstance(value, int):
            return bytes([number << 3, value])
        return bytes([number << 3 | 2, len(value)]) + value

    sizes = b"".join(field(1, field(1, size)) for size in (1, 8, 6, 6))
    kind = field(1, field(1, 1) + field(2, sizes))  # a tensor of float32
    values = [field(1, name) + field(2, kind) for name in (b"x", b"y")]
    node = field(1, b"x") + field(2, b"y") + field(4, b"Relu")
    graph = field(1, node) + field(2, b"g") + field(11, values[0]) + field(12, values[1])
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


_FILES: Final = {"reorder/file": ("application/x-npy", _npy()), "graph": (None, _onnx())}


def add_samples(paths: dict[str, Any]) -> None:
    """Write the samples into the paths of an OpenAPI document."""
    for name, operation in _operations(paths):
        content = operation.get("requestBody", {}).get("content", {})
        if name in _BODIES and "application/json" in content:
            content["application/json"]["example"] = _BODIES[name]
        elif name in _FILES:
            media, body = _FILES[name]
            content[media or next(iter(content))]["x-example-base64"] = base64.b64encode(
                body
            ).decode()
        for parameter in operation.get("parameters", ()):
            if (value := _PARAMETERS.get(name, {}).get(parameter["name"])) is not None:
                parameter["example"] = value


def _operations(paths: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in paths.items():
        for operation in item.values():
            yield path.removeprefix("/api/v1/"), operation
