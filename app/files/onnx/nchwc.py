"""Models that ONNX Runtime saved after optimisation: where it runs blocked, and its own reorders.

Its blocked operators are in the domain ``com.microsoft.nchwc``. Their tensors lie in NCHW8c or
NCHW16c; the file does not say which, because the machine that loads it has to be of the same kind.
Shapes are those of the plain operators, with channels rounded up to the block.
Source: onnxruntime/core/optimizer/nchwc_transformer.cc and core/graph/contrib_ops/
nchwc_schema_defs.cc.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...engine.model.errors import LayoutError
from ...engine.network import Graph, GraphTensor, NodeSource, TensorType
from ...engine.runs.onnxruntime_profile import BLOCKED_DOMAIN, ModelNode
from .model import domain_of, parse

DOMAIN = "com.microsoft.nchwc:"
_PLAIN = {"Conv", "MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"}


@dataclass(frozen=True, slots=True)
class Decision:
    """A reorder that ONNX Runtime wrote into the file: ``node`` copies ``tensor``."""

    node: str
    tensor: str
    source: str
    target: str


def reason_of(op: str) -> str:
    """What is said of an operator of that domain."""
    if op in {f"{DOMAIN}ReorderInput", f"{DOMAIN}ReorderOutput"}:
        return "A reorder that ONNX Runtime wrote into the file."
    return "ONNX Runtime runs this operator in its blocked layout, NCHWc."


def types_of(
    sources: Sequence[NodeSource],
    inputs: Mapping[str, GraphTensor],
    constants: Mapping[str, GraphTensor],
    known: Mapping[str, TensorType],
) -> dict[str, TensorType]:
    """The types of all results, found with the plain operators in place of the blocked ones.

    Empty where these do not fit, as for channels that had to be rounded up.
    """
    try:
        nodes = [_plain(each) for each in sources]
        types = Graph.of(inputs=inputs, constants=constants, nodes=nodes, known=known).types
    except LayoutError:
        return dict(known)
    return {name: kind for name, kind in types.items() if isinstance(kind, TensorType)}


def _plain(source: NodeSource) -> NodeSource:
    name = source.op.removeprefix(DOMAIN)
    if name == source.op:
        return source
    given, inputs = dict(source.attributes), source.inputs
    if name == "ReorderInput":
        moved = {"dims": (0, 3, 1, 2)} if given.get("channels_last") else {"dims": (0, 1, 2, 3)}
        return NodeSource("permute", inputs[:1], source.outputs, moved, source.name)
    if name == "ReorderOutput" and not given.get("channels_last"):
        kept = {"dim": 1, "start": 0, "length": given.get("channels")}
        return NodeSource("narrow", inputs[:1], source.outputs, kept, source.name)
    if name not in _PLAIN:
        return source
    for attribute in ("activation", "activation_params", "channels_last"):
        given.pop(attribute, None)
    operands = inputs[:3] if name == "Conv" else inputs[:1]  # the fourth is a sum
    return NodeSource(name, operands, source.outputs, given, source.name)


def decisions_of(graph: Graph) -> list[Decision]:
    """The reorders that ONNX Runtime decided on, in order."""
    found = []
    for node in graph.nodes:
        plain = "NHWC" if node.given.get("channels_last") else "NCHW"
        if node.op == f"{DOMAIN}ReorderInput":
            found.append(Decision(node.name, node.inputs[0], plain, "NCHWc"))
        elif node.op == f"{DOMAIN}ReorderOutput":
            found.append(Decision(node.name, node.outputs[0], "NCHWc", plain))
    return found


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
