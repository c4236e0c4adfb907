"""The graph of a parsed model: names, sizes and attributes; weights without their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...engine.model.dtypes import BY_ONNX
from ...engine.model.errors import Described, LayoutError, integer_range, one_of, phrase, refusal
from ...engine.model.layout import INT64_MAX, check_shape
from ...engine.network import Graph, GraphTensor, NodeSource, TensorType
from ...engine.network.operators import find_operator
from . import model
from .model import Values
from .nchwc import DOMAIN, Decision, decisions_of, reason_of, types_of

if TYPE_CHECKING:
    import onnx

Json = dict[str, Any]
_NAME = re.compile(r"[A-Za-z0-9_.:/\[\]-]{1,64}")
# Attributes of older opsets that are operands now, and the positions of these.
_NOW_OPERANDS = {
    "Clip": {"min": 1, "max": 2},
    "Dropout": {"ratio": 1},
    "Pad": {"pads": 1, "value": 2},
    "Slice": {"starts": 1, "ends": 2, "axes": 3},
    "Split": {"split": 1},
    "Squeeze": {"axes": 1},
    "TopK": {"k": 1},
    "Unsqueeze": {"axes": 1},
    "Upsample": {"scales": 1},
}
_SOFTMAX = {"Softmax", "LogSoftmax", "Hardmax"}
_NOT_KNOWN = "This operator is not in the catalogue."
_KEPT = " It is kept in plain layouts."


@dataclass(frozen=True, slots=True)
class ModelReading:
    """A network from a file.

    ``unknown``: per operator that is not in the catalogue its
    ``node``, ``op`` and the ``reason``. ``assumed``: sizes that the file leaves open, by its names
    for them, with what was taken. ``decisions``: the reorders that ONNX Runtime wrote into the
    file.
    """

    graph: Graph
    unknown: list[Json]
    assumed: dict[str, int]
    decisions: list[Decision]


def read_network(data: memoryview | bytes, sizes: Mapping[str, int] | None = None) -> ModelReading:
    """Read the content of an ``.onnx`` file.

    ``sizes``: of dimensions that the file names but does not fix, such as ``batch``; 1 for others.
    Errors: LayoutError naming ``body``, ``sizes.<name>`` or a part of the file such as
    ``graph.node[3].input[1]``; MissingLibraryError.
    """
    asked = sizes or {}
    for name, size in asked.items():
        if not 1 <= size <= INT64_MAX:
            raise LayoutError(_size_field(name), size, integer_range(1, "2^63-1"))
    found = _Reading(model.parse(memoryview(data)), asked).done()
    for name in asked:
        if name not in found.assumed:
            open_sizes = [*map(_shown, found.assumed)]
            expected = one_of(open_sizes) if open_sizes else phrase("none")
            got = Described("a size that the file does not leave open")
            raise LayoutError(_size_field(name), got, expected)
    return found


@dataclass(slots=True)
class _Reading:
    model: onnx.ModelProto
    sizes: Mapping[str, int]
    inputs: dict[str, GraphTensor] = field(default_factory=dict)
    constants: dict[str, GraphTensor] = field(default_factory=dict)
    sources: dict[int, NodeSource] = field(default_factory=dict)  # by their place in the file
    known: dict[str, TensorType] = field(default_factory=dict)
    unknown: list[Json] = field(default_factory=list)
    assumed: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def done(self) -> ModelReading:
        graph = self.model.graph
        for i, each in enumerate(graph.initializer):
            self._constant(f"graph.initializer[{i}]", each.name, each)
        for i, sparse in enumerate(graph.sparse_initializer):
            where = f"graph.sparse_initializer[{i}]"
            self._weight(where, sparse.values.name, list(sparse.dims), sparse.values.data_type)
        for i, each in enumerate(graph.input):
            if each.name not in self.constants:
                self._input(f"graph.input[{i}]", each)
        for each in (*graph.value_info, *graph.output):
            self._note(each)
        for i, node in enumerate(graph.node):
            self._node(i, node)
        self._blocked()
        outputs = [each.name for each in graph.output]
        self._fold(self._graph(outputs))
        self._reshapes()
        made = self._graph(outputs)
        unread = [name for name in self.constants if name not in made.readers]
        for name in unread:
            if name not in outputs:
                del self.constants[name]
        made = self._graph(outputs) if unread else made
        return ModelReading(made, self.unknown, self.assumed, decisions_of(made))

    def _constant(self, where: str, name: str, tensor: onnx.TensorProto) -> None:
        self._weight(where, name, tensor.dims, tensor.data_type, model.values_of(where, tensor))

    def _weight(
        self,
        where: str,
        name: str,
        dims: Iterable[int],
        data_type: int,
        values: Values = None,
    ) -> None:
        _check_name(f"{where}.name", name)
        if not name or name in self.constants:
            got = "a name that another one has" if name else "nothing"
            raise refusal(f"{where}.name", got, "names.once")
        self.constants[name] = model.row_major(where, dims, data_type, values)

    def _input(self, where: str, info: onnx.ValueInfoProto) -> None:
        _check_name(f"{where}.name", info.name)
        if info.name in self.inputs or not info.name:
            raise refusal(f"{where}.name", "a name that another one has", "name.once")
        kind = info.type.tensor_type
        if not info.type.HasField("tensor_type") or not kind.HasField("shape"):
            got = "a tensor without a rank" if kind.elem_type else "no tensor"
            raise refusal(f"{where}.type", got, "tensor.ranked")
        dims = [
            self._size(f"{where}.type.shape.dim[{d}]", each, f"{info.name}[{d}]")
            for d, each in enumerate(kind.shape.dim)
        ]
        self.inputs[info.name] = model.row_major(where, dims, kind.elem_type)

    def _size(self, where: str, dim: onnx.TensorShapeProto.Dimension, unnamed: str) -> int:
        if dim.HasField("dim_value"):
            if dim.dim_value < 0:
                raise LayoutError(where, dim.dim_value, phrase("size.or_more"))
            return dim.dim_value
        name = dim.dim_param or unnamed
        return self.assumed.setdefault(name, self.sizes.get(name, 1))

    def _note(self, info: onnx.ValueInfoProto) -> None:
        """Note a type that the file tells of a result, if it is a whole one."""
        kind = info.type.tensor_type
        dtype, dims = BY_ONNX.get(kind.elem_type), kind.shape.dim
        known = (each.HasField("dim_value") or each.dim_param in self.assumed for each in dims)
        if dtype is not None and kind.HasField("shape") and all(known):
            sizes = tuple(each.dim_value or self.assumed.get(each.dim_param, 0) for each in dims)
            with suppress(LayoutError):
                check_shape(sizes)
                self.known[info.name] = TensorType(sizes, dtype)

    def _node(self, i: int, node: onnx.NodeProto) -> None:
        where = f"graph.node[{i}]"
        for part, names in (("input", node.input), ("output", node.output)):
            for k, name in enumerate(names):
                _check_name(f"{where}.{part}[{k}]", name)
        _check_name(f"{where}.name", node.name)
        domain = model.domain_of(node)
        if not domain and node.op_type == "Constant":
            self._constant_node(where, node)
            return
        op = f"{domain}:{node.op_type}" if domain else node.op_type
        operator, dialect, signature = find_operator(op)
        known = not domain and operator.kind != "opaque"
        why = model.strange(node.op_type, model.opset_of(self.model)) if known else ""
        if not domain and (why or dialect != "onnx"):
            op = f"ai.onnx:{op}"
            operator, dialect, signature = find_operator(op)
        attributes = {each.name: model.attribute_of(each) for each in node.attribute}
        if op == "ConstantOfShape" and "value" in attributes:
            attributes["value"] = model.filling_of(node.attribute[0].t)
        inputs, outputs = list(node.input), list(node.output)
        while len(outputs) > 1 and not outputs[-1]:
            outputs.pop()
        name = node.name if node.name and node.name not in self.names else None
        self.names.add(node.name)
        reason = ""
        if operator.kind == "opaque":
            reason = reason_of(op) if op.startswith(DOMAIN) else (why or _NOT_KNOWN) + _KEPT
            attributes |= _told(outputs, self.known)
        else:
            inputs = self._renewed(where, op, inputs, outputs, attributes)
            if left_out := attributes.keys() - signature.attributes.keys():
                reason = "An attribute of it is not known, and left out."
                attributes = {k: v for k, v in attributes.items() if k not in left_out}
        if reason:
            shown = name or next((each for each in outputs if each), op)
            self.unknown.append({"node": shown, "op": op, "reason": reason})
        while inputs and not inputs[-1]:
            inputs.pop()
        self.sources[i] = NodeSource(op, inputs, outputs, attributes, name)

    def _renewed(
        self, where: str, op: str, inputs: list[str], outputs: list[str], attributes: Json
    ) -> list[str]:
        """The operands as the newest opset has them; attributes that became operands leave.

        A default that has changed is written out. What is no number, or no list of them, stays.
        """
        opset = model.opset_of(self.model)
        if op == "Resize" and opset == 10 and len(inputs) == 2:
            inputs = [inputs[0], "", inputs[1]]  # a region of interest came between
        if op in _SOFTMAX and opset < 13:
            attributes.setdefault("axis", 1)
        for name, at in _NOW_OPERANDS.get(op, {}).items():
            value = attributes.get(name)
            numbers = value if isinstance(value, list) else [value]
            known = all(isinstance(each, (int, float)) for each in numbers)
            if known and not any(inputs[at : at + 1]):
                del attributes[name]
                constant = f"{next(filter(None, outputs), op)}.{name}"
                floats = any(isinstance(each, float) for each in numbers)
                self._numbers(where, constant, value, floats=floats)
                inputs += [""] * (at + 1 - len(inputs))
                inputs[at] = constant
        return inputs

    def _numbers(self, where: str, name: str, value: Any, *, floats: bool) -> None:
        """A constant of one number or of a list of them, of float32 or int64."""
        numbers, dims = ([*value], [len(value)]) if isinstance(value, list) else ([value], [])
        self._weight(where, name, dims, 1 if floats else 7, model.finite(numbers))

    def _constant_node(self, where: str, node: onnx.NodeProto) -> None:
        name = next(iter(node.output), "")
        for each in node.attribute[:1]:
            if each.name == "value":
                return self._constant(where, name, each.t)
            numbers = {"value_ints": [*each.ints], "value_floats": [*each.floats]}
            numbers |= {"value_int": each.i, "value_float": each.f}
            if each.name in numbers:
                floats = "float" in each.name
                return self._numbers(where, name, numbers[each.name], floats=floats)
        raise refusal(f"{where}.attribute", "no number and no tensor", "constant.numbers")

    def _blocked(self) -> None:
        """Give ONNX Runtime's blocked nodes the shapes that they have."""
        blocked = {i: each for i, each in self.sources.items() if each.op.startswith(DOMAIN)}
        if not blocked:
            return
        types = types_of([*self.sources.values()], self.inputs, self.constants, self.known)
        for i, source in blocked.items():
            attributes = {**source.attributes, **_told(source.outputs, types)}
            self.sources[i] = replace(source, attributes=attributes)

    def _fold(self, graph: Graph) -> None:
        """Take out the nodes whose results follow from shapes and constants, as runtimes do."""
        for i, node in zip([*self.sources], graph.nodes, strict=True):
            results = [name for name in node.outputs if name]
            if not graph.computed.keys() >= set(results) or set(results) & set(graph.outputs):
                continue
            del self.sources[i]
            for name in results:
                kind = graph.type(name)
                if kind is not None:
                    dims, code = kind.shape, kind.dtype.onnx
                    self.constants[name] = model.row_major(name, dims, code, graph.computed[name])

    def _reshapes(self) -> None:
        """Give shapes that are computed in the network as constants, where their result tells."""
        for i, source in self.sources.items():
            known = self.known.get(source.outputs[0]) if source.outputs else None
            if source.op not in {"Reshape", "Expand"} or known is None or len(source.inputs) != 2:
                continue
            operand = self.constants.get(source.inputs[1])
            if operand is not None and operand.values is not None:
                continue
            name = f"{source.outputs[0]}.shape"
            if name in self.constants or name in self.inputs or len(name) > model.MOST_NAME:
                continue
            self.constants[name] = model.row_major(name, [known.rank], 7, known.shape)
            attributes = {k: v for k, v in source.attributes.items() if k != "allowzero"}
            if 0 in known.shape:
                attributes["allowzero"] = 1
            inputs = [source.inputs[0], name]
            self.sources[i] = replace(source, inputs=inputs, attributes=attributes)

    def _graph(self, outputs: list[str]) -> Graph:
        try:
            return Graph.of(
                inputs=self.inputs,
                constants=self.constants,
                nodes=[*self.sources.values()],
                outputs=outputs,
                known=self.known,
            )
        except LayoutError as error:
            raise error.under(self._place(error.field)) from None

    def _place(self, path: str) -> str:
        """The place in the file of a field of the graph."""
        head, _, rest = path.partition("]")
        if head.startswith("nodes["):
            at = [*self.sources][int(head.removeprefix("nodes["))]
            rest = rest.replace(".inputs[", ".input[").replace(".outputs[", ".output[")
            return f"graph.node[{at}]" + rest.replace(".attributes", ".attribute")
        for plural, name in (("inputs", "input"), ("outputs", "output")):
            if path.startswith(plural):
                return f"graph.{name}{path.removeprefix(plural)}"
        return "graph.initializer" if path == "constants" else f"graph.{path}"


def _shown(name: str) -> str:
    """A name of the caller's, if it is short and plain enough to be shown in an error."""
    return name if _NAME.fullmatch(name) else "?"


def _size_field(name: str) -> str:
    return f"sizes.{_shown(name)}"


def _check_name(where: str, name: str) -> None:
    if len(name) > model.MOST_NAME:
        raise LayoutError(where, name, phrase("characters.most", most=model.MOST_NAME))


def _told(results: Sequence[str], types: Mapping[str, TensorType]) -> Json:
    """Attributes that tell the shapes of an unknown operator's results, if all are known."""
    found = [types[name] for name in results if name in types]
    if len(found) != len(results):
        return {}
    return {
        "output_shapes": [list(each.shape) for each in found],
        "output_dtypes": [each.dtype.name for each in found],
    }
