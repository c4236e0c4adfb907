"""Networks: the request's graph as the engine's, and the answer of a rule set as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from itertools import repeat
from typing import Annotated, Any

from pydantic import Field

from ..engine.description.tensor import Tensor, parse_tensor
from ..engine.model.dtypes import DEFAULT, ELEMENT_TYPES, parse_dtype
from ..engine.model.errors import LayoutError, phrase, shown_name
from ..engine.model.layout import Layout, packed_strides
from ..engine.network import RULE_SETS, Graph, GraphTensor, NodeSource, Placed, Reorder
from ..engine.network.examples import EXAMPLES, Example, find_example
from ..engine.network.labels import dims_of, label_of, relettered
from ..engine.network.operators import MAX_NAME
from ..engine.network.planner import advise, counted_node_costs
from ..engine.network.rules import find_rules
from ..engine.notation import split_system
from ..files.onnx import read_network
from .fields import Dims, Sizes, Strict, Text, TypeName
from .network_shapes import (
    ExampleNetwork,
    ExamplesJson,
    ExampleSummaryJson,
    FileGraphJson,
    PropagationJson,
)
from .requests import LayoutJson, TensorJson
from .shapes import Answer, told

MAX_NODES = 20_000
_NUMBERS = {int, float, bool}
_SHORT = 1024  # values of a constant that may give a shape; longer ones are weights


class ConstantJson(Strict):
    """A weight, or a short list of numbers that gives a shape; by default row-major."""

    shape: Sizes
    layout: LayoutJson | None = None
    dtype: TypeName = Field("float32", description="Element type.", examples=list(ELEMENT_TYPES))
    dims: Dims | None = None
    values: list[Any] | None = Field(
        None, description="Row-major. Only numbers that give shapes are used: axes, sizes, pads."
    )

    def parse(self, field: str) -> GraphTensor:
        """Return the engine's constant. Errors: LayoutError naming a field below ``field``."""
        try:
            dtype = parse_dtype(self.dtype)
            source = self.layout
            if source is None:
                source = {"strides": list(packed_strides(self.shape))}
            tensor = parse_tensor(self.shape, source, self.dims, dtype)
            values = _numbers(self.values, tensor.layout)
            return GraphTensor(tensor.layout, dtype, values, _lettered(self.dims, tensor))
        except LayoutError as error:
            raise error.within(field) from None


def _lettered(dims: str | None, tensor: Tensor) -> str:
    """The letters of the dimensions, if the caller or the layout's text says them; else empty."""
    spelled, letters = tensor.written.spelling.upper(), tensor.layout.dims
    says = len(letters) > 2 and (set(letters) <= set(spelled) or "CHANNELS_LAST" in spelled)
    return dims or (letters if says else "")


def _numbers(values: list[Any] | None, layout: Layout) -> tuple[int | float, ...] | None:
    if values is None:
        return None
    if len(values) != layout.elements:
        raise LayoutError("values", values, phrase("values.each", n=layout.elements))
    for at, each in enumerate(values):
        if type(each) not in _NUMBERS and not _is_number(each):
            raise LayoutError(f"values[{at}]", each, phrase("number.or_text"))
    if len(values) > _SHORT or not all(type(each) in {int, float} for each in values):
        return None
    return tuple(values)


def _is_number(value: Any) -> bool:
    try:
        complex(value)
    except (TypeError, ValueError):
        return False
    return True


class NodeJson(Strict):
    """One operator: PyTorch's or ONNX's name, operands in their positions, attributes by name."""

    op: Text = Field(
        examples=["conv2d", "Conv"], json_schema_extra={"minLength": 1, "maxLength": MAX_NAME}
    )
    inputs: list[Text] = Field(description="Names of tensors; empty where one is left out.")
    outputs: list[Text] = Field(
        description="Names of the results, each given once.",
        json_schema_extra={"minItems": 1, "contains": {"minLength": 1}},
    )
    attributes: dict[str, Any] = Field(default_factory=dict)
    name: Text | None = None


class NetworkGraph(Strict):
    """A network: its nodes stand in topological order."""

    inputs: dict[str, TensorJson]
    constants: dict[str, ConstantJson] = Field(default_factory=dict)
    nodes: list[NodeJson] = Field(json_schema_extra={"maxItems": MAX_NODES})
    outputs: list[Text] | None = Field(
        None, description="By default the results that no node reads."
    )

    def parse(self, field: str = "graph") -> Graph:
        """Return the engine's graph. Errors: LayoutError naming a field below ``field``."""
        if len(self.nodes) > MAX_NODES:
            raise LayoutError(f"{field}.nodes", self.nodes, phrase("nodes.most", most=MAX_NODES))
        inputs = {}
        for name, each in self.inputs.items():
            tensor = each.parse(f"{field}.inputs.{shown_name(name)}")
            dims = _lettered(each.dims, tensor)
            inputs[name] = GraphTensor(tensor.layout, tensor.dtype, dims=dims)
        constants = {
            name: each.parse(f"{field}.constants.{shown_name(name)}")
            for name, each in self.constants.items()
        }
        nodes = [
            NodeSource(each.op, each.inputs, each.outputs, each.attributes, each.name)
            for each in self.nodes
        ]
        try:
            return Graph.of(inputs=inputs, constants=constants, nodes=nodes, outputs=self.outputs)
        except LayoutError as error:
            raise error.within(field) from None


RulesName = Annotated[
    Text, Field(examples=list(RULE_SETS), json_schema_extra={"enum": list(RULE_SETS)})
]
RulesOptions = Annotated[dict[str, Any], Field(description="Of the rule set.")]


class PropagateRequest(Strict):
    """A network, and the system whose rules carry the layouts through it."""

    graph: NetworkGraph
    rules: RulesName
    options: RulesOptions = Field(default_factory=dict)


def answer_propagate(request: PropagateRequest) -> Annotated[Answer, PropagationJson]:
    """Carry the layouts of the inputs through a network, as a real system does."""
    return propagated(request.graph.parse(), request.rules, request.options)


def propagated(
    graph: Graph, rules: str, options: Mapping[str, Any]
) -> Annotated[Answer, PropagationJson]:
    """The answer of a rule set for a graph, as JSON. Errors: LayoutError naming a field."""
    rule_set = find_rules(rules)
    try:
        found = rule_set.propagate(graph, options)
    except LayoutError as error:
        if error.field.startswith(("nodes", "inputs", "constants")):
            raise error.within("graph") from None
        raise
    block = rule_set.block_under(options)
    costs = counted_node_costs(graph, found, block)
    own = None if costs is None else sum(costs)
    dims = dims_of(graph)
    again = partial(rule_set.propagate, options=options)
    answer = told(
        PropagationJson,
        found,
        verified=rule_set.verified,
        source=rule_set.source,
        tensors={
            name: _placed(each, rule_set.notation, dims.get(name, ""))
            for name, each in found.tensors.items()
        },
        reorders=[_without_nulls(reorder_json(graph, dims, each)) for each in found.reorders],
        nodes=[
            _without_nulls(asdict(each) | {"node_cost": whole_number(cost) or None})
            for each, cost in zip(found.nodes, costs or repeat(0), strict=False)
        ],
        node_cost=None if own is None else whole_number(own),
        cost=whole_number(found.run_bytes + (own or 0)),
        advice=[asdict(each) for each in advise(graph, found, again, block=block, inside=own or 0)],
    )
    return dict(answer)


def whole_number(value: float) -> float | int:
    """A whole number without its decimal point."""
    return int(value) if float(value).is_integer() else value


def _without_nulls(row: Mapping[str, Any]) -> Answer:
    return {name: value for name, value in row.items() if value is not None}


def _placed(placed: Placed, notation: str, dims: str) -> Answer:
    layout, dtype = placed.layout, placed.dtype
    label = asdict(placed.label(notation, dims))
    if layout is None or dtype is None:
        nothing = dict.fromkeys(("shape", "dtype", "strides", "offset"))
        fused = {} if placed.fused is None else {"fused": placed.fused}
        return {**nothing, **label, "view": False, "reason": placed.reason, **fused}
    memory = {"shape": layout.shape, "strides": layout.strides, "offset": layout.offset}
    found = {**memory, "dtype": dtype.name, **label, "view": placed.view}
    said = {"of": placed.of, "reason": placed.reason or None}
    return found | _without_nulls(said)


def reorder_json(graph: Graph, dims: Mapping[str, str], made: Reorder) -> Answer:
    """A reorder, with its layouts as they are drawn; ``dims``: the letters of each tensor."""
    kind, letters = graph.type(made.tensor), dims.get(made.tensor, "")
    dtype = kind.dtype if kind else DEFAULT
    found = {field.name: getattr(made, field.name) for field in fields(made)}
    layouts, named = found.pop("layouts") or (None, None), found.pop("named")
    for side, layout, is_named in zip(("source", "target"), layouts, named, strict=True):
        word = split_system(found[side])[1] if is_named else ""
        label = layout and label_of(layout, dtype, word=word, dims=letters)
        found[side] = relettered(found[side], layout.rank, letters) if layout else found[side]
        found[f"{side}_layout"] = label and asdict(label)
    return found


def answer_networks() -> ExamplesJson:
    """The networks to start from: names, titles, what each shows, and sizes."""
    return {"networks": [_summary(each) for each in EXAMPLES.values()]}


def answer_network(name: str) -> ExampleNetwork:
    """One of these networks, with its graph. Errors: LayoutError naming ``name``."""
    example = find_example(name)
    return {**_summary(example), "graph": example.json}


def answer_graph(data: bytes, sizes: Mapping[str, int]) -> FileGraphJson:
    """The network of an .onnx file, and what of it is not known.

    Errors: LayoutError naming ``body``, ``sizes.<name>`` or a part of the file;
    MissingLibraryError.
    """
    found = read_network(data, sizes)
    return told(FileGraphJson, found, graph=found.graph.json)


def _summary(example: Example) -> ExampleSummaryJson:
    graph = example.graph
    nodes, constants = len(graph.nodes), len(graph.constants)
    tensors = len(graph.types) - constants
    return told(ExampleSummaryJson, example, nodes=nodes, tensors=tensors, constants=constants)
