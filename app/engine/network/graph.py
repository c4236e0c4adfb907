"""Graph: the frozen value that every network is read into.

A graph has inputs, constants, and nodes in topological order; each tensor has a name that is given
once. Creating one checks names, order, operands and attributes, and finds the shape and element
type of every tensor, in time that is linear in the number of nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from ..model.errors import Described, LayoutError, Phrase, phrase, refusal
from ..model.layout import INT64_MAX, MAX_RANK, Layout, packed_strides
from .attributes import Signature
from .computed import EVALUATORS, Arguments, array_of, compute, numbers_of
from .deadline import look
from .nodes import GraphTensor, Node, NodeSource, node_names
from .operators import find_operator
from .operators.base import Call, ShapeNotKnownError, TensorType, Unknown


@dataclass(frozen=True, slots=True)
class Graph:
    """A network. A Graph is always valid: ``Graph.of`` is the way to make one.

    ``nodes``: in topological order. ``outputs``: names of tensors. ``types``: of every tensor, its
    shape and element type, or why they are not known. ``producers``: the node that makes a tensor
    (inputs and constants have none). ``readers``: the nodes that read it, in order, once each.
    ``computed``: the values of short results that follow from shapes and constants, row-major.
    ``unnamed``: the types of results to which their node gives no name, by node and position.
    """

    inputs: Mapping[str, GraphTensor]
    constants: Mapping[str, GraphTensor]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    types: Mapping[str, TensorType | Unknown]
    producers: Mapping[str, int]
    readers: Mapping[str, tuple[int, ...]]
    computed: Mapping[str, tuple[int | float, ...]]
    unnamed: Mapping[tuple[int, int], TensorType | Unknown]

    @classmethod
    def of(
        cls,
        *,
        inputs: Mapping[str, GraphTensor],
        nodes: Sequence[NodeSource],
        constants: Mapping[str, GraphTensor] | None = None,
        outputs: Sequence[str] | None = None,
        known: Mapping[str, TensorType] | None = None,
        spare: Sequence[NodeSource] = (),
    ) -> Graph:
        """Check a network and find the type of every tensor.

        ``outputs``: by default the results that no node reads. ``known``: types of results from
        another source (a file's own notes), used where the catalogue cannot tell. ``spare``: for
        each node one of the same name and results; it stands in its place if the node is refused,
        or if the shapes of its results are others.
        Errors: LayoutError naming ``inputs``, ``constants``, ``outputs[i]``, or a part of
        ``nodes[i]``: a name that is given twice, an unknown tensor, a node before its operand or in
        a cycle, a wrong number of operands, a wrong attribute, shapes that do not fit.
        """
        constants = constants or {}
        building = _Building(inputs, constants, nodes, known or {})
        for i, source in enumerate(nodes):
            look()
            try:
                building.add(i, source, spare[i] if spare else source)
            except LayoutError as error:
                raise error.within(f"nodes[{i}]") from None
        given = (dict(inputs), dict(constants), tuple(building.nodes), building.outputs(outputs))
        readers = {name: tuple(found) for name, found in building.readers.items()}
        found = (building.types, building.producers, readers)
        return cls(*given, *found, building.computed, building.unnamed)

    @property
    def json(self) -> dict[str, Any]:
        """The graph as a caller of the API would write it; constants are row-major by default."""
        inputs, constants = (
            {name: tensor.json for name, tensor in side.items()}
            for side in (self.inputs, self.constants)
        )
        for name, each in self.constants.items():
            if each.layout.strides == packed_strides(each.layout.shape):
                del constants[name]["layout"]
        nodes = [
            {
                "name": node.name,
                "op": node.op,
                "inputs": list(node.inputs),
                "outputs": list(node.outputs),
                "attributes": dict(node.given),
            }
            for node in self.nodes
        ]
        outputs = list(self.outputs)
        return {"inputs": inputs, "constants": constants, "nodes": nodes, "outputs": outputs}

    def tensor(self, name: str) -> GraphTensor | None:
        """The input or constant of that name, None for a result."""
        return self.inputs.get(name) or self.constants.get(name)

    def handing(self, layouts: Mapping[str, Layout]) -> Graph:
        """The same network, with these inputs and constants in other layouts."""
        inputs, constants = (
            {n: replace(t, layout=layouts.get(n, t.layout)) for n, t in side.items()}
            for side in (self.inputs, self.constants)
        )
        return replace(self, inputs=inputs, constants=constants)

    def type(self, name: str) -> TensorType | None:
        """Shape and element type, None if they are not known or the operand is left out."""
        found = self.types.get(name)
        return found if isinstance(found, TensorType) else None

    def rank(self, name: str) -> int:
        """Number of dimensions; -1 if it is not known."""
        found = self.type(name)
        return -1 if found is None else found.rank

    def maker(self, name: str) -> Node | None:
        """The node that makes a tensor, None for an input or a constant."""
        at = self.producers.get(name)
        return None if at is None else self.nodes[at]

    def results(self, node: Node) -> list[TensorType | None]:
        """The types of all results of a node, also of those without a name; None if not known."""
        types, unnamed = self.types, self.unnamed
        found = (types[x] if x else unnamed[node.index, k] for k, x in enumerate(node.outputs))
        return [each if isinstance(each, TensorType) else None for each in found]

    def values(self, name: str) -> tuple[int | float, ...] | None:
        """The elements of a constant or of a short result, as far as they are known."""
        constant = self.constants.get(name)
        return constant.values if constant else self.computed.get(name)


@dataclass(slots=True)
class _Building:
    """The state while the nodes are read one after another; its fields are those of ``Graph``."""

    inputs: Mapping[str, GraphTensor]
    constants: Mapping[str, GraphTensor]
    sources: Sequence[NodeSource]
    known: Mapping[str, TensorType]
    nodes: list[Node] = field(default_factory=list)
    types: dict[str, TensorType | Unknown] = field(default_factory=dict)
    producers: dict[str, int] = field(default_factory=dict)
    readers: dict[str, list[int]] = field(default_factory=dict)
    computed: dict[str, tuple[int | float, ...]] = field(default_factory=dict)
    unnamed: dict[tuple[int, int], TensorType | Unknown] = field(default_factory=dict)
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        for kind, tensors in (("inputs", self.inputs), ("constants", self.constants)):
            for name, tensor in tensors.items():
                if not name:
                    raise LayoutError(kind, name, phrase("names.tensors"))
                if name in self.types:
                    got = "a name that stands among the inputs too"
                    raise refusal(kind, got, "name.unique")
                self.types[name] = tensor.type
        self.names = node_names(self.sources)

    def add(self, i: int, source: NodeSource, spare: NodeSource) -> None:
        node, types = self._checked(i, source) if spare is source else self._first(i, source, spare)
        self.nodes.append(node)
        for k, (name, found) in enumerate(zip(node.outputs, types, strict=True)):
            if name:
                self.types[name] = found
                self.producers[name] = i
            else:
                self.unnamed[i, k] = found
        if node.origin == "onnx" and node.op in EVALUATORS:
            self._compute(node, types)
        for name in dict.fromkeys(node.inputs):
            if name:
                self.readers.setdefault(name, []).append(i)

    def _first(
        self, i: int, source: NodeSource, spare: NodeSource
    ) -> tuple[Node, list[TensorType | Unknown]]:
        """``source`` if it is not refused and its results have the shapes of the other's."""
        try:
            node, types = self._checked(i, source)
        except LayoutError:
            return self._checked(i, spare)
        other, wanted = self._checked(i, spare)
        return (node, types) if _shapes(types) == _shapes(wanted) else (other, wanted)

    def _checked(self, i: int, source: NodeSource) -> tuple[Node, list[TensorType | Unknown]]:
        """The node, and the types of its results."""
        operator, origin, signature = find_operator(source.op)
        self._check_names(i, source)
        least, count = signature.least, len(source.inputs)
        most = None if signature.variadic else len(signature.operands)
        if count < least or (most is not None and count > most):
            got = Described(f"{count} operand{'s' * (count != 1)}")
            raise LayoutError("inputs", got, _operands_in_words(signature, least, most))
        attributes = signature.read(source.attributes)
        row = (operator, origin, signature, tuple(source.inputs), tuple(source.outputs))
        node = Node(i, self.names[i], source.op, *row, attributes, source.attributes)
        return node, self._types_of(node)

    def _check_names(self, i: int, source: NodeSource) -> None:
        if not any(source.outputs):
            raise LayoutError("outputs", list(source.outputs), phrase("outputs.least_one"))
        for k, name in enumerate(source.inputs):
            if name and name not in self.types:
                raise self._not_made(i, k, name)
        for k, name in enumerate(source.outputs):
            if name and (name in self.types or name in source.outputs[:k]):
                raise refusal(f"outputs[{k}]", "a name that another tensor has", "name.unique")

    def _not_made(self, i: int, k: int, name: str) -> LayoutError:
        for j, source in enumerate(self.sources[i:], start=i):
            if name in source.outputs:
                where = f"nodes[{j}].outputs[{source.outputs.index(name)}]"
                got = "its own result" if j == i else f"a result of a later node, {where}"
                return refusal(f"inputs[{k}]", got, "nodes.ordered")
        got = "a name that no input, constant or node has"
        return refusal(f"inputs[{k}]", got, "operands.known")

    def _types_of(self, node: Node) -> list[TensorType | Unknown]:
        operands: list[TensorType | None] = []
        unknown = ""
        for k, name in enumerate(node.inputs):
            found = self.types[name] if name else None
            if isinstance(found, Unknown):
                unknown = unknown or f"It depends on inputs[{k}], whose shape is not known."
            elif found is None and k < node.signature.least:
                role = node.signature.operands[min(k, len(node.signature.operands) - 1)]
                raise refusal(f"inputs[{k}]", "nothing", "operand.named", role=role)
            operands.append(found if isinstance(found, TensorType) else None)
        types: tuple[TensorType | Unknown, ...] = ()
        if not unknown or node.operator.kind == "opaque":
            given = (node.op, node.origin, node.signature, node.attributes, operands)
            call = Call(*given, lambda k: self._values(node.inputs[k]), len(node.outputs))
            try:
                shaped = node.operator.shape(call, call.first)
                types = shaped if isinstance(shaped, tuple) else (shaped,)
                for each in types:
                    _check_sizes(each.shape)
            except ShapeNotKnownError as error:
                unknown = str(error)
        types = types or (Unknown(unknown),) * len(node.outputs)
        if len(node.outputs) > len(types):
            got, n, op = f"{len(node.outputs)} names", len(types), node.operator.name
            results = f"{n} result{'s' * (n != 1)}"
            raise refusal("outputs", got, "outputs.count", n=n, op=op, results=results)
        return [
            self.known.get(name, found) if isinstance(found, Unknown) else found
            for name, found in zip(node.outputs, types, strict=False)
        ]

    def _compute(self, node: Node, results: Sequence[TensorType | Unknown]) -> None:
        """Find the values of short results; they tell a shape where no rule does."""
        found = [self.types[name] if name else None for name in node.inputs]
        types = [kind for kind in found if not isinstance(kind, Unknown)]
        if len(types) < len(found):  # an operand that is not known is not one left out
            return
        arrays = [
            None if kind is None or values is None else array_of(kind, values)
            for kind, values in zip(types, map(self._values, node.inputs), strict=True)
        ]
        given = (node.op, node.origin, node.signature, node.attributes, types)
        known = (lambda k: self._values(node.inputs[k]), len(node.outputs), arrays, results)
        computed = compute(Arguments(*given, *known))
        for name, (dtype, array) in zip(node.outputs, computed, strict=False):
            told = self.types.get(name)
            if name and (isinstance(told, Unknown) or (told and told.shape == array.shape)):
                self.types[name] = TensorType(array.shape, dtype)
                self.computed[name] = numbers_of(array)

    def _values(self, name: str) -> tuple[int | float, ...] | None:
        constant = self.constants.get(name)
        return constant.values if constant else self.computed.get(name)

    def outputs(self, given: Sequence[str] | None) -> tuple[str, ...]:
        """The outputs, checked; by default the results that no node reads."""
        if given is None:
            return tuple(name for name in self.producers if name not in self.readers)
        seen: set[str] = set()
        for i, name in enumerate(given):
            if name not in self.types:
                raise refusal(f"outputs[{i}]", "a name that no tensor has", "tensor.of_graph")
            if name in seen:
                raise refusal(f"outputs[{i}]", "a name that stands there before", "tensors.once")
            seen.add(name)
        return tuple(given)


def _shapes(types: Sequence[TensorType | Unknown]) -> list[tuple[int, ...] | None]:
    return [each.shape if isinstance(each, TensorType) else None for each in types]


def _operands_in_words(signature: Signature, least: int, most: int | None) -> Phrase:
    names = tuple(signature.operands)
    if most is None:
        return phrase("operands.least", least=least, names=names)
    if least == most:
        return phrase("operands.count", n=most, names=names) if most else phrase("operands.none")
    return phrase("operands.range", least=least, most=most, names=names)


def _check_sizes(shape: tuple[int, ...]) -> None:
    """Refuse a result that no memory could hold. Errors: LayoutError naming ``outputs``."""
    short = len(shape) <= MAX_RANK and min(shape, default=0) >= 0
    if not short or prod(max(n, 1) for n in shape) > INT64_MAX:
        raise refusal("outputs", "a result of this shape", "result.sizes", most=MAX_RANK)
