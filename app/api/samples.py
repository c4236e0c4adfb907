"""Requests of each operation, which are answered with 200: the examples of the document.

``samples.json`` lists bodies and parameters by the path below /api/v1; the first body is sent by
pages, all stand at the request's model. Its files, in base64, are six channels of 2 × 2 bytes as
.npy, and the smallest ONNX model: y = Relu(x).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ..contract.operations import OPERATIONS

_LISTED: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())


def add_samples(paths: dict[str, Any], models: dict[str, Any]) -> None:
    """Write the samples into the paths of an OpenAPI document, and into its request models."""
    for call in OPERATIONS:
        models[call.request.__name__]["examples"] = _LISTED["bodies"][call.name]
    for name, operation in _operations(paths):
        content = operation.get("requestBody", {}).get("content", {})
        if name in _LISTED["bodies"] and "application/json" in content:
            content["application/json"]["example"] = _LISTED["bodies"][name][0]
        elif name in _LISTED["files"]:
            media, body = _LISTED["files"][name]
            content[media]["x-example-base64"] = body
        for parameter in operation.get("parameters", ()):
            if (value := _LISTED["parameters"].get(name, {}).get(parameter["name"])) is not None:
                parameter["example"] = value


def _operations(paths: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in paths.items():
        for operation in item.values():
            yield path.removeprefix("/api/v1/"), operation
