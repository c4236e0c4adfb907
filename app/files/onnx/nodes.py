"""The nodes of a model that ONNX Runtime saved, to be joined with its profile."""

from ...engine.runs.onnxruntime_profile import ModelNode
from .model import domain_of, parse


def read_nodes(data: bytes) -> list[ModelNode]:
    """The nodes of an ``.onnx`` file, in its order. Errors: those of ``parse``."""
    return [
        ModelNode(
            node.name,
            node.op_type,
            domain_of(node),
            next((tuple(a.ints) for a in node.attribute if a.name == "perm"), None),
        )
        for node in parse(memoryview(data)).graph.node
    ]
