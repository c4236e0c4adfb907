"""Requests of each operation, which are answered with 200: the examples of the document.

``samples.json`` lists bodies and parameters by the path below /api/v1; the first body is sent by
pages, all stand at the request's model. Files are made here.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ..contract.operations import OPERATIONS

_LISTED: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())


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


def add_samples(paths: dict[str, Any], models: dict[str, Any]) -> None:
    """Write the samples into the paths of an OpenAPI document, and into its request models."""
    for call in OPERATIONS:
        models[call.request.__name__]["examples"] = _LISTED["bodies"][call.name]
    for name, operation in _operations(paths):
        content = operation.get("requestBody", {}).get("content", {})
        if name in _LISTED["bodies"] and "application/json" in content:
            content["application/json"]["example"] = _LISTED["bodies"][name][0]
        elif name in _FILES:
            media, body = _FILES[name]
            content[media or next(iter(content))]["x-example-base64"] = base64.b64encode(
                body
            ).decode()
        for parameter in operation.get("parameters", ()):
            if (value := _LISTED["parameters"].get(name, {}).get(parameter["name"])) is not None:
                parameter["example"] = value


def _operations(paths: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in paths.items():
        for operation in item.values():
            yield path.removeprefix("/api/v1/"), operation
