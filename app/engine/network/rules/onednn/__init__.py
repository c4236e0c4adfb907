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

from ....model.errors import LayoutError, Phrase, one_of
from ...attributes import Attribute, Value, attribute_of
from ...nodes import Node
from ..base import RuleSet
from ..carrier import UNKNOWN, Carrier, Words, block_of
from . import formats
from .formats import ConvProblem, choose

_CONVOLUTIONS = {"convolution", "deconvolution"}
_IMAGES = {3, 4, 5}
_COMPUTED = {"float32", "float16", "bfloat16", "int8", "uint8"}


class _Choosing(Carrier):
    """The choices, from node to node."""

    rules, words = "onednn", Words(formats.plain, formats.tags, "onednn:")

    def add(self, node: Node) -> None:
        """What the primitive of a node does."""
        primitive = node.operator.onednn or ""
        if node.operator.name in {"identity", "dropout"}:
            self._keep(node, "identity", "Nothing is computed: the same memory.")
        elif primitive in _CONVOLUTIONS:
            self._convolution(node, primitive)
        elif primitive == "concat":
            self._concat(node)
        elif primitive == "sum" or primitive.startswith("binary"):
            self._elementwise(node, primitive)
        elif primitive == "reduction" and self.rank(node.inputs[0]) != self.rank(node.outputs[0]):
            why = "It reads its source as it lies; dimensions go, so the destination is plain."
            self.end(node, primitive, why)
        elif primitive == "reduction":
            self._keep(node, primitive, "Bandwidth-bound: it keeps the format of its source.")
        elif primitive and node.operator.kind != "compute":
            why = f"Bandwidth-bound: {primitive} keeps the format of its source."
            self._keep(node, primitive, why)
        elif primitive:
            why = "Compute-bound: it packs its weights; activations with two indices stay plain."
            self.plainly(node, primitive, why)
        elif node.operator.name == "opaque":
            self.plainly(node, "plain", UNKNOWN)
        elif node.operator.kind == "view":
            why = "A change of the descriptor, which a blocked format does not allow: plain memory."
            self.plainly(node, "plain", why)
        else:
            why = "oneDNN has no primitive for it: it reads and writes plain memory."
            self.plainly(node, "plain", why)

    def _convolution(self, node: Node, primitive: str) -> None:
        """``any`` for source, weights and destination. Source: the table in ``formats``.

        Weights are packed ahead of time; at every run only where a node computes them.
        """
        data, weight = node.input("input"), node.input("weight")
        kind, filters = self.type(data), self.type(weight)
        if kind is None or filters is None or kind.rank != filters.rank or kind.rank not in _IMAGES:
            self.plainly(node, primitive, "Without a batch the source stays plain.")
            return
        if kind.dtype.name not in _COMPUTED:
            self.plainly(node, primitive, f"oneDNN computes no {kind.dtype.name}: plain memory.")
            return
        groups = node.attributes["groups"]
        into, out = filters.shape[1], filters.shape[0] // groups
        if primitive == "deconvolution":
            into, out = out, into
        int8 = kind.dtype.name in {"int8", "uint8"}
        problem = ConvProblem(kind.rank, into, out, groups, set(filters.shape[2:]) <= {1}, int8)
        given = self.options
        chosen = choose(problem, given["isa"], given["kernels"], given["formats"] or {})
        packs = chosen.packs_whole and primitive == "convolution"
        for position, tensor in enumerate(node.inputs):
            if tensor == data:
                self.read(node, position, formats.tag(chosen.source, kind.rank))
            elif tensor == weight and packs and tensor in self.graph.producers:
                self.read(node, position, chosen.weight)
            elif tensor == weight and packs:
                self.pack(tensor, chosen.weight, "Packed once, when the network is built.")
        self.write(node.outputs[0], formats.tag(chosen.result, kind.rank))
        packed = f" The weights are packed once into {chosen.weight}." if chosen.weight else ""
        self.report(node, primitive, chosen.reason + packed)

    def _keep(self, node: Node, primitive: str, why: str) -> None:
        """The destination has the format of the source; other operands come as they are."""
        self.run(node, primitive, why, self.name(node.inputs[0]))

    def _elementwise(self, node: Node, primitive: str) -> None:
        """A binary: the format of source 0. A sum: the first blocked one, else that of source 0.

        An operand that is broadcast is read as it comes: its sizes of 1 need no block.
        Source: src/common/binary_pd.hpp, src/common/sum_pd.hpp.
        """
        wanted = self.type(node.outputs[0])
        kinds = enumerate(map(self.type, node.inputs))
        whole = [at for at, kind in kinds if kind and wanted and kind.shape == wanted.shape]
        if not whole:
            self.plainly(node, primitive, "Every operand is broadcast: plain memory.")
            return
        names = [self.name(node.inputs[position]) for position in whole]
        name = names[0]
        why = f"Sources as they come, any for the destination, which takes {name} from the first."
        if primitive == "sum":
            name = next((each for each in names if block_of(each) > 1), name)
            which = "the first blocked format" if block_of(name) > 1 else "as the first source has"
            why = f"Sources as they come, any for the destination: {name}, {which}."
        self.run(node, primitive, why, name, whole)

    def _concat(self, node: Node) -> None:
        """The first blocked format of which each part is whole blocks, else the first plain one.

        Source: src/common/concat_pd.hpp (set_default_params).
        """
        result = node.outputs[0]
        rank = self.rank(result)
        if node.operator.name != "cat":
            self.plainly(node, "concat", "A new dimension: plain memory.")
            return
        axis = node.attributes["dim"] % max(rank, 1)
        # The legacy empty operand of torch.cat, of shape (0,), takes no part.
        given = [i for i, name in enumerate(node.inputs) if name and self.rank(name) == rank]
        names = [self.name(node.inputs[position]) for position in given]
        blocked = next((each for each in names if block_of(each) > 1), None)
        kinds = [self.type(node.inputs[position]) for position in given]
        sizes = [kind.shape[axis] for kind in kinds if kind is not None]
        why = ""
        if blocked and axis == 1 and any(size % block_of(blocked) for size in sizes[:-1]):
            parts = ", ".join(map(str, sizes[:4]))
            why = f" Parts of {parts} channels would cut blocks of {blocked}."
            blocked = None
        pairs = zip(names, sizes, strict=True)
        unblocked = (each for each, size in pairs if block_of(each) == 1 and size != 1)
        name = blocked or next(unblocked, self.plain(result))
        said = f"Sources as they come, any for the destination, which becomes {name}."
        self.run(node, "concat", said + why, name, given)


def _formats(field: str, value: Value) -> dict[str, str]:
    """A part of the table, by kinds of convolution, in the words of ``formats.tag``."""
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
        "isa": attribute_of("avx512/avx2/sse41"),
        "kernels": attribute_of("blocked/brgemm"),
        "formats": Attribute(_formats, None),
    },
)
