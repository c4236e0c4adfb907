"""oneDNN: formats are chosen by what computes, and kept by what only moves bytes.

The page of the oneAPI specification on memory formats has three rows. Compute-bound primitives
(convolution, deconvolution, matmul, inner product, RNN) are created with ``any`` and choose.
Bandwidth-bound ones (pooling, normalisations, eltwise, shuffle, softmax) take the format that their
source has, and the same for their destination. Concat, sum and binary take their sources as they
come and have ``any`` for the destination. A backward primitive has to use the format of its forward
one (``hint_pd``); the graphs here have no backward nodes. Where formats do not meet there is a
reorder; operators that oneDNN does not have, and the network's results, are in plain memory.
Weights are reordered once, when the network is built, which costs nothing per run.
"""

from collections.abc import Mapping

from ....model.errors import LayoutError, Phrase, one_of
from ...attributes import Attribute, Value, choice
from ...nodes import Node
from ..base import RuleSet
from ..carrier import UNKNOWN, Carrier, Words, block_of
from . import formats
from .formats import Chosen, ConvProblem, choose

_CONVOLUTIONS = {"convolution", "deconvolution"}
_IMAGES = {3, 4, 5}
_COMPUTED = {"float32", "float16", "bfloat16", "int8", "uint8"}


class _Choosing(Carrier):
    rules, words = "onednn", Words(formats.plain, formats.tags, "onednn:")

    def add(self, node: Node) -> None:
        _node(self, node, self.options)


def _node(carrier: Carrier, node: Node, options: Mapping[str, Value]) -> None:
    primitive = node.operator.onednn or ""
    if node.operator.name in {"identity", "dropout"}:
        _keep(carrier, node, "identity", "Nothing is computed: the same memory.")
    elif primitive in _CONVOLUTIONS:
        _convolution(carrier, node, primitive, options)
    elif primitive == "concat":
        _concat(carrier, node)
    elif primitive == "sum" or primitive.startswith("binary"):
        _elementwise(carrier, node, primitive)
    elif primitive == "reduction" and carrier.rank(node.inputs[0]) != carrier.rank(node.outputs[0]):
        why = "It reads its source as it lies; dimensions go, so the destination is plain."
        carrier.end(node, primitive, why)
    elif primitive == "reduction":
        _keep(carrier, node, primitive, "Bandwidth-bound: it keeps the format of its source.")
    elif primitive and node.operator.kind != "compute":
        why = f"Bandwidth-bound: {primitive} keeps the format of its source."
        _keep(carrier, node, primitive, why)
    elif primitive:
        why = "Compute-bound: it packs its weights; activations with two indices stay plain."
        carrier.plainly(node, primitive, why)
    else:
        carrier.plainly(node, "plain", _no_primitive(node))


def _no_primitive(node: Node) -> str:
    if node.operator.name == "opaque":
        return UNKNOWN
    if node.operator.kind == "view":
        return "A change of the descriptor, which a blocked format does not allow: plain memory."
    return "oneDNN has no primitive for it: it reads and writes plain memory."


def _convolution(
    carrier: Carrier, node: Node, primitive: str, options: Mapping[str, Value]
) -> None:
    """``any`` for source, weights and destination. Source: the table in ``formats``."""
    data, weight = node.input("input"), node.input("weight")
    kind, filters = carrier.type(data), carrier.type(weight)
    if kind is None or filters is None or kind.rank != filters.rank or kind.rank not in _IMAGES:
        carrier.plainly(node, primitive, "Without a batch the source stays plain.")
        return
    if kind.dtype.name not in _COMPUTED:
        carrier.plainly(node, primitive, f"oneDNN computes no {kind.dtype.name}: plain memory.")
        return
    groups = node.attributes["groups"]
    into, out = filters.shape[1], filters.shape[0] // groups
    if primitive == "deconvolution":
        into, out = out, into
    int8 = kind.dtype.name in {"int8", "uint8"}
    problem = ConvProblem(kind.rank, into, out, groups, set(filters.shape[2:]) <= {1}, int8)
    chosen = choose(problem, options["isa"], options["kernels"], options["formats"] or {})
    for position, tensor in enumerate(node.inputs):
        if tensor == data:
            carrier.read(node, position, formats.tag(chosen.source, kind.rank))
        elif tensor == weight and primitive == "convolution":
            _weights(carrier, node, position, chosen)
    carrier.write(node.outputs[0], formats.tag(chosen.result, kind.rank))
    packed = f" The weights are packed once into {chosen.weight}." if chosen.weight else ""
    carrier.report(node, primitive, chosen.reason + packed)


def _weights(carrier: Carrier, node: Node, position: int, chosen: Chosen) -> None:
    """Packed ahead of time; at every run only where a node computes them."""
    tensor = node.inputs[position]
    if not chosen.weight or not chosen.packs_whole:
        return
    if tensor in carrier.graph.producers:
        carrier.read(node, position, chosen.weight)
    else:
        carrier.pack(tensor, chosen.weight, "Packed once, when the network is built.")


def _keep(carrier: Carrier, node: Node, primitive: str, why: str) -> None:
    """The destination has the format of the source; other operands come as they are."""
    carrier.run(node, primitive, why, carrier.name(node.inputs[0]))


def _whole(carrier: Carrier, node: Node) -> list[int]:
    """Positions of the operands that have the shape of the result: the others are broadcast."""
    wanted = carrier.type(node.outputs[0])
    return [
        position
        for position, name in enumerate(node.inputs)
        if (kind := carrier.type(name)) is not None and wanted and kind.shape == wanted.shape
    ]


def _elementwise(carrier: Carrier, node: Node, primitive: str) -> None:
    """A binary: the format of source 0. A sum: the first blocked one, else that of source 0.

    An operand that is broadcast is read as it comes: its sizes of 1 need no block.
    Source: src/common/binary_pd.hpp, src/common/sum_pd.hpp.
    """
    whole = _whole(carrier, node)
    if not whole:
        carrier.plainly(node, primitive, "Every operand is broadcast: plain memory.")
        return
    names = [carrier.name(node.inputs[position]) for position in whole]
    name = names[0]
    why = f"Sources as they come, any for the destination, which takes {name} from the first."
    if primitive == "sum":
        name = next((each for each in names if block_of(each) > 1), name)
        which = "the first blocked format" if block_of(name) > 1 else "as the first source has"
        why = f"Sources as they come, any for the destination: {name}, {which}."
    carrier.run(node, primitive, why, name, whole)


def _concat(carrier: Carrier, node: Node) -> None:
    """The first blocked format of which each part is whole blocks, else the first plain one.

    Source: src/common/concat_pd.hpp (set_default_params).
    """
    result = node.outputs[0]
    rank = carrier.rank(result)
    if node.operator.name != "cat":
        carrier.plainly(node, "concat", "A new dimension: plain memory.")
        return
    axis = node.attributes["dim"] % max(rank, 1)
    # The legacy empty operand of torch.cat, of shape (0,), takes no part.
    given = [i for i, name in enumerate(node.inputs) if name and carrier.rank(name) == rank]
    names = [carrier.name(node.inputs[position]) for position in given]
    blocked = next((each for each in names if block_of(each) > 1), None)
    kinds = [carrier.type(node.inputs[position]) for position in given]
    sizes = [kind.shape[axis] for kind in kinds if kind is not None]
    why = ""
    if blocked and axis == 1 and any(size % block_of(blocked) for size in sizes[:-1]):
        why = f" Parts of {', '.join(map(str, sizes[:4]))} channels would cut blocks of {blocked}."
        blocked = None
    unblocked = (
        each for each, size in zip(names, sizes, strict=True) if block_of(each) == 1 and size != 1
    )
    name = blocked or next(unblocked, carrier.plain(result))
    said = f"Sources as they come, any for the destination, which becomes {name}."
    carrier.run(node, "concat", said + why, name, given)


def _formats(field: str, value: Value) -> dict[str, str] | None:
    """A part of the table, by kinds of convolution, in the words of ``formats.tag``."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise LayoutError(field, value, Phrase("onednn.kind", 'an object such as {"dense": "16c"}'))
    for kind, word in value.items():
        if kind not in formats.KINDS:
            raise LayoutError(field, kind, one_of(formats.KINDS))
        if word not in formats.WORDS:
            raise LayoutError(f"{field}.{kind}", word, one_of(formats.WORDS))
    return dict(value)


ONEDNN = RuleSet(
    _Choosing.rules,
    "oneDNN 3.2, formats chosen by any",
    "oneAPI specification, memory format propagation; oneapi-src/oneDNN",
    "onednn",
    _Choosing.answer,
    {
        "isa": choice(*formats.ISAS),
        "kernels": choice(*formats.KERNELS),
        "formats": Attribute(_formats, None),
    },
)
