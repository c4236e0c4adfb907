"""The nodes of a model that ONNX Runtime saved, to be joined with its profile."""

from ...engine.runs.onnxruntime_profile import BLOCKED_DOMAIN, ModelNode
from .model import domain_of, parse


def read_nodes(data: bytes) -> list[ModelNode]:
    """The nodes of an ``.onnx`` file, in its order. Errors: those of ``parse``."""
    found = []
    blocked: set[str] = set()
    for node in parse(memoryview(data)).graph.node:
        domain, reads = domain_of(node), not blocked.isdisjoint(node.input)
        # What is no operator of the domain and reads its tensors hands them on in the same layout.
        if reads or domain == BLOCKED_DOMAIN:
            blocked.update(node.output if node.op_type != "ReorderOutput" else ())
        order = next((tuple(a.ints) for a in node.attribute if a.name == "perm"), None)
        found.append(ModelNode(node.name, node.op_type, domain, order, reads))
    return found
