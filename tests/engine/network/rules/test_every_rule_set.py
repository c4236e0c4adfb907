"""Every rule set carries every graph of the catalogue: a place for each tensor, never an error."""

import json
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource
from app.engine.network.attributes import Signature
from app.engine.network.examples import EXAMPLES
from app.engine.network.labels import dims_of
from app.engine.network.operators import OPERATORS
from app.engine.network.rules import RULE_SETS
from tests.engine.network.graphs import chain, graph_of, node, tensor
from tests.places import golden_rows

_CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in RULE_SETS),
    ("onnxruntime-cpu", {"block": 8}),
    ("onednn", {"isa": "avx2"}),
    ("onednn", {"isa": "sse41"}),
    ("onednn", {"kernels": "brgemm"}),
    ("onednn", {"formats": {"dense": "last", "depthwise": "8c"}}),
    ("pytorch-inductor", {"device": "cuda"}),
    ("pytorch-inductor", {"device": "cuda", "mode": "training"}),
    ("pytorch-inductor", {"freezing": True}),
    ("tensorflow-grappler", {"tf32": False}),
    ("tensorflow-grappler", {"data_format": "NHWC", "tf32": False}),
    ("tensorflow-grappler", {"device": "cpu", "cpu_layout_conversion": "NCHW_TO_NHWC"}),
    ("openvino-cpu", {"isa": "avx2"}),
    ("megengine", {"target": "cpu"}),
    ("megengine", {"target": "cpu", "block": 4}),
    ("tvm-relax", {"conv2d": "HWNC", "weight": "HWIO"}),
    ("tvm-relax", {"conv2d": "NCHW"}),
]
_PREFIXES = {
    "pytorch-eager": "pytorch:",
    "pytorch-inductor": "pytorch:",
    "onednn": "onednn:",
    "openvino-cpu": "onednn:",
    "tvm-relax": "tvm:",
    "megengine": "megengine:",
}
_case = pytest.mark.parametrize(("rules", "options"), _CASES)
_SHAPES = ((), (3,), (0,), (2, 3), (1, 1), (2, 4, 6), (2, 8, 6, 6), (2, 0, 4, 4), (1, 4, 2, 3, 5))
_VALUES: list[Any] = json.loads(
    '[0, 1, 2, -1, 7, -9, 2.5, true, null, "x", "same", "SAME_UPPER", "float32", "area",'
    '"constant", "abc,cd->d", [1], [2, 2], [0, 1], [-1, 2, 3, 0], [], [[1]],'
    "[1000000000, 1000000000], 4611686018427387904]"
)


def _checked(graph: Graph, rules: str, options: Mapping[str, Any]) -> None:
    found = RULE_SETS[rules].propagate(graph, options)
    assert set(found.tensors) == set(graph.types)
    assert [each.name for each in found.nodes] == [each.name for each in graph.nodes]
    for each in found.nodes:
        assert each.reason.endswith(".")
    for name, placed in found.tensors.items():
        kind = graph.type(name)
        assert kind is not None or placed.layout is None
        assert placed.layout is not None or kind is None or (placed.fused and placed.reason)
        assert placed.of is None or placed.of in graph.types
        if kind is not None and placed.layout is not None:
            assert placed.layout.shape == kind.shape
    names = {each.name for each in graph.nodes}
    for move in found.reorders:
        kind, layout = graph.type(move.tensor), found.tensors[move.tensor].layout
        assert {move.before, move.after} <= names | {None}
        if rules != "pytorch-eager":  # it copies repeated elements, and memory of no other name
            assert move.source != move.target
            assert not (kind and layout) or move.bytes >= kind.dtype.size_bytes(layout.elements)
    assert len(found.reorders) < 4 + 2 * len(found.tensors)


def _random_call(rng: random.Random, name: str, signature: Signature) -> Graph:
    count = rng.randint(signature.least, len(signature.operands) + signature.variadic)
    inputs: dict[str, GraphTensor] = {}
    constants: dict[str, GraphTensor] = {}
    shape = rng.choice(_SHAPES)
    names = []
    for i in range(count):
        operand = f"x{i}"
        if rng.random() < 0.2:
            values = [rng.choice((-1, 0, 1, 2, 3)) for _ in range(rng.randint(0, 4))]
            constants[operand] = tensor((len(values),), dtype="int64", values=values)
        else:
            chosen = shape if rng.random() < 0.6 else rng.choice(_SHAPES)
            inputs[operand] = tensor(chosen, dtype=rng.choice(("float32", "int64", "bool")))
        names.append("" if i and rng.random() < 0.05 else operand)
    attributes = {
        key: rng.choice(_VALUES)
        for key, attribute in signature.attributes.items()
        if attribute.required or rng.random() < 0.3
    }
    outputs = [f"y{i}" for i in range(rng.choice((1, 1, 1, 2, 3)))]
    source = NodeSource(name, names, outputs, attributes)
    return Graph.of(inputs=inputs, constants=constants, nodes=[source])


@cache
def _calls() -> list[Graph]:
    """Graphs of one node each, of all operators; other calls are refused by their field."""
    rng = random.Random(10)  # noqa: S311  # random cases, no secrets
    found: list[Graph] = []
    unnamed: list[tuple[str, str]] = []
    for row in OPERATORS:
        calls = [(name, row.torch_call) for name in row.torch]
        calls += [(name, row.onnx_call) for name in row.onnx]
        for name, signature in calls * 40:
            assert signature is not None
            try:
                found.append(_random_call(rng, name, signature))
            except LayoutError as error:
                unnamed += [] if error.field.startswith("nodes[0].") else [(name, str(error))]
    assert not unnamed
    return found


@_case
def test_every_operator_with_any_operands(rules: str, options: Mapping[str, Any]) -> None:
    calls = _calls()
    assert len({each.nodes[0].operator.name for each in calls}) > 0.85 * len(OPERATORS)
    refused: list[str] = []
    for graph in calls if rules == "pytorch-eager" else calls[::4]:
        try:
            _checked(graph, rules, options)
        except LayoutError as error:
            refused.append(error.field)
    assert all(field.startswith("nodes[0].") for field in refused)
    assert not refused or rules == "pytorch-eager"  # which no strides of some views satisfy


@_case
def test_networks_of_every_golden_graph(rules: str, options: Mapping[str, Any]) -> None:
    for graph in _networks():
        _checked(graph, rules, options)


@cache
def _networks() -> list[Graph]:
    files = ("torch_graphs", "ort_graphs")
    return [graph_of(row["graph"]) for file in files for row in golden_rows(file)[:60]]


@_case
def test_every_text_is_in_the_notation_of_the_system_and_reads_back(
    rules: str, options: Mapping[str, Any]
) -> None:
    prefix = _PREFIXES.get(rules, "")
    texts: set[tuple[str | None, Layout | None]] = set()
    for example in EXAMPLES.values():
        dims = dims_of(example.graph)
        for name, each in RULE_SETS[rules].propagate(example.graph, options).tensors.items():
            label = each.label(RULE_SETS[rules].notation, dims.get(name, ""))
            texts.add((label.layout, each.layout))
    for text, layout in texts:
        assert (text is None) == (layout is None)
        if layout is not None and text is not None:
            again = parse_layout(text, layout.shape)
            assert (again.strides, again.offset) == (layout.strides, layout.offset), text
            assert layout.strides is not None or again.digits == layout.digits, text
            assert layout.rank == 0 or text.startswith(prefix)
            assert prefix or ":" not in text


# Results and operands without a name, of unknown shape, told again; sizes with no space for blocks.
_ODD = {
    "outside the catalogue": [
        *chain("conv2d(x w) a padding=1"),
        node("mine::op", "a", "b", output_shapes=[[2, 8, 6, 6]]),
        *chain("mine::other(b) c; relu(c) d"),
    ],
    "first of Split": [NodeSource("Split", ["x"], ["", "b"], {"axis": 1}), node("relu", "b")],
    "first of max": [NodeSource("max", ["x"], ["", "b"], {"dim": 1}), node("relu", "b")],
    "indices": [NodeSource("MaxPool", ["x"], ["b", ""], {"kernel_shape": [2, 2]})],
    "told": [NodeSource("mine", ["x"], ["", "b"], {"output_shapes": [[2], [4, 5]]})],
    "nameless": [
        NodeSource("mystery", ["x"], ["", "u"]),
        NodeSource("conv2d", ["u", "w"], ["", "b"]),
        NodeSource("conv_transpose2d", ["u", "w"], ["", "c"]),
        NodeSource("Cast", ["u"], ["", "d"]),
        NodeSource("expand_dims", ["u"], ["", "e"]),
        NodeSource("unsqueeze", ["u"], ["", "f"], {"dim": 0}),
        node("add", "u", "g", alpha=2),
    ],
    "left out": [
        *chain("Clip(x - most) a; Conv(a p) c; Concat(c - a) k axis=1; mystery(k) u; relu(u) r"),
        NodeSource("mine", ["r"], ["b", ""], {"output_shapes": [[2, 8, 6, 6], []]}),
        *chain("neg(b) d; Conv(r p) o"),
    ],
    "huge": chain("conv2d(huge v) a; relu(a) b; relu(turned) c"),
    "long": [node("conv2d", "x w", "t0", padding=1)]
    + [node("relu" if i % 3 else "abs", f"t{i}", f"t{i + 1}") for i in range(1200)],
}


@_case
def test_odd_networks(rules: str, options: Mapping[str, Any]) -> None:
    inputs = {
        "x": tensor((2, 8, 6, 6)),
        "huge": tensor((1 << 58, 17, 1, 1)),
        "turned": tensor((1 << 58, 17, 1, 1), (1, 1 << 58, 1, 1)),
    }
    shapes = {"w": (8, 8, 3, 3), "p": (8, 8, 1, 1), "v": (17, 17, 1, 1)}
    constants = {name: tensor(shape) for name, shape in shapes.items()}
    constants["most"] = tensor((), values=[6.0])
    for nodes in _ODD.values():
        used = {name for each in nodes for name in each.inputs}
        given = {name: each for name, each in inputs.items() if name in used}
        _checked(Graph.of(inputs=given, constants=constants, nodes=nodes), rules, options)


@_case
def test_a_node_outside_the_catalogue_is_plain(rules: str, options: Mapping[str, Any]) -> None:
    nodes = _ODD["outside the catalogue"]
    weight = {"w": tensor((8, 8, 3, 3))}
    graph = Graph.of(inputs={"x": tensor((2, 8, 6, 6))}, constants=weight, nodes=nodes)
    found = RULE_SETS[rules].propagate(graph, options)
    assert found.tensors["b"].layout == Layout.strided((2, 8, 6, 6), (288, 36, 6, 1))
    told = "no blocked kernel for mine::op" if rules == "onnxruntime-cpu" else "catalogue"
    assert told in found.nodes[1].reason
