"""Every rule set carries every graph of the catalogue: a place for each tensor, never an error."""

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource
from app.engine.network.examples import EXAMPLES
from app.engine.network.labels import dims_of
from app.engine.network.operators import OPERATORS
from app.engine.network.propagation import Propagation
from app.engine.network.rules import RULE_SETS
from tests.engine.network.graphs import chain, graph_of, node, tensor
from tests.engine.network.test_any_call import random_call
from tests.places import golden_rows

_OPTIONS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "onednn": (
        {},
        {"isa": "avx2"},
        {"isa": "sse41"},
        {"kernels": "brgemm"},
        {"formats": {"dense": "last", "depthwise": "8c"}},
    ),
    "pytorch-inductor": (
        {},
        {"device": "cuda"},
        {"device": "cuda", "mode": "training"},
        {"freezing": True},
    ),
    "tensorflow-grappler": (
        {},
        {"tf32": False},
        {"data_format": "NHWC", "tf32": False},
        {"device": "cpu", "cpu_layout_conversion": "NCHW_TO_NHWC"},
    ),
    "openvino-cpu": ({}, {"isa": "avx2"}),
    "megengine": ({}, {"target": "cpu"}, {"target": "cpu", "block": 4}),
    "tvm-relax": ({}, {"conv2d": "HWNC", "weight": "HWIO"}, {"conv2d": "NCHW"}),
}
# The two that are checked against golden files have tests of their own.
_CASES = [
    (name, options)
    for name in RULE_SETS
    if name not in {"pytorch-eager", "onnxruntime-cpu"}
    for options in _OPTIONS[name]
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


def _checked(graph: Graph, rules: str, options: Mapping[str, Any]) -> Propagation:
    found = RULE_SETS[rules].propagate(graph, options)
    assert set(found.tensors) == set(graph.types)
    assert [each.name for each in found.nodes] == [each.name for each in graph.nodes]
    for each in found.nodes:
        assert each.reason.endswith(".")
    for name, placed in found.tensors.items():
        kind = graph.type(name)
        assert (kind is None) == (placed.layout is None)
        if kind is not None and placed.layout is not None:
            assert placed.layout.shape == kind.shape
    names = {each.name for each in graph.nodes}
    for move in found.reorders:
        kind, layout = graph.type(move.tensor), found.tensors[move.tensor].layout
        assert kind is not None
        assert layout is not None
        assert move.source != move.target
        assert move.bytes >= kind.dtype.size_bytes(layout.elements)
        assert {move.before, move.after} <= names | {None}
    return found


@cache
def _calls() -> tuple[list[Graph], set[str]]:
    """Graphs of one node each, of all operators, and the operators' names."""
    rng = random.Random(4)  # noqa: S311  # random cases, no secrets
    found: list[Graph] = []
    seen: set[str] = set()
    for row in OPERATORS:
        calls = [(name, row.torch_call) for name in row.torch]
        calls += [(name, row.onnx_call) for name in row.onnx]
        for name, signature in calls * 10:
            assert signature is not None
            inputs, constants, source = random_call(rng, row, name, signature)
            try:
                found.append(Graph.of(inputs=inputs, constants=constants, nodes=[source]))
            except LayoutError:
                continue
            seen.add(row.name)
    return found, seen


@cache
def _networks() -> list[Graph]:
    files = ("torch_graphs", "ort_graphs")
    return [graph_of(row["graph"]) for file in files for row in golden_rows(file)[:60]]


@_case
def test_every_operator_alone(rules: str, options: Mapping[str, Any]) -> None:
    graphs, seen = _calls()
    assert len(seen) > 0.8 * len(OPERATORS)
    for graph in graphs:
        _checked(graph, rules, options)


@_case
def test_networks_of_every_golden_graph(rules: str, options: Mapping[str, Any]) -> None:
    for graph in _networks():
        _checked(graph, rules, options)


@_case
def test_an_operator_outside_the_catalogue_is_plain(rules: str, options: Mapping[str, Any]) -> None:
    shape = (1, 32, 8, 8)
    graph = Graph.of(
        inputs={"x": tensor(shape)},
        constants={"w": tensor((32, 32, 3, 3))},
        nodes=[
            node("conv2d", "x w", "a", padding=1),
            node("mine::op", "a", "b", output_shapes=[list(shape)]),
            *chain("mine::other(b) c; relu(c) d"),
        ],
    )
    found = _checked(graph, rules, options)
    assert found.tensors["b"].layout == Layout.strided(shape, (2048, 64, 8, 1))
    assert "catalogue" in found.nodes[1].reason
    assert found.tensors["d"].layout is None


@pytest.mark.parametrize(
    ("rules", "options"), [*_CASES, ("pytorch-eager", {}), ("onnxruntime-cpu", {"block": 8})]
)
def test_every_text_is_in_the_notation_of_the_system_and_reads_back(
    rules: str, options: Mapping[str, Any]
) -> None:
    prefix = _PREFIXES.get(rules, "")
    for example in EXAMPLES.values():
        placed = RULE_SETS[rules].propagate(example.graph, options).tensors
        dims = dims_of(example.graph)
        for name, each in placed.items():
            letters = dims.get(name, "")
            text, layout = each.label(RULE_SETS[rules].notation, letters).layout, each.layout
            assert (text is None) == (layout is None)
            if layout is not None and text is not None:
                again = parse_layout(text, layout.shape)
                assert (again.strides, again.offset) == (layout.strides, layout.offset), text
                assert layout.strides is not None or again.digits == layout.digits, text
                assert layout.rank == 0 or text.startswith(prefix)
                assert prefix or ":" not in text


@pytest.mark.parametrize(
    ("rules", "example", "text"),
    [
        ("pytorch-inductor", "resnet-50", "pytorch:channels_last"),
        ("onnxruntime-cpu", "resnet-50", "NCHW16c"),
        ("onednn", "resnet-50", "onednn:OIhw16i16o"),
        ("openvino-cpu", "resnet-50", "onednn:acdb"),
        ("tensorflow-grappler", "resnet-50", "NHWC"),
        ("tvm-relax", "resnet-50", "tvm:NHWC"),
        ("megengine", "int8-nchw4", "megengine:NCHW32"),
        ("megengine", "conv-norm-relu", "megengine:{64(1)}"),
    ],
)
def test_layouts_are_written_in_the_words_of_the_system(
    rules: str, example: str, text: str
) -> None:
    placed = RULE_SETS[rules].propagate(EXAMPLES[example].graph).tensors
    assert text in {each.text for each in placed.values()}


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize(
    ("op", "outputs", "attributes"),
    [
        ("Split", ["", "b"], {"axis": 1}),
        ("max", ["", "b"], {"dim": 1}),
        ("MaxPool", ["b", ""], {"kernel_shape": [2, 2]}),
        ("mine", ["", "b"], {"output_shapes": [[2], [4, 5]]}),
    ],
)
def test_a_result_without_a_name(
    rules: str, op: str, outputs: list[str], attributes: dict[str, Any]
) -> None:
    first = NodeSource(op, ["x"], outputs, attributes)
    graph = Graph.of(inputs={"x": tensor((2, 8, 6, 6))}, nodes=[first, node("relu", "b", "c")])
    found = _checked(graph, rules, {})
    assert found.tensors["b"].layout is not None
    assert "" not in found.tensors


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize(
    "source",
    [
        NodeSource("conv2d", ["u", "w"], ["", "b"]),
        NodeSource("conv_transpose2d", ["u", "w"], ["", "b"]),
        NodeSource("Cast", ["u"], ["", "b"]),
        NodeSource("expand_dims", ["u"], ["", "b"]),
        NodeSource("unsqueeze", ["u"], ["", "b"], {"dim": 0}),
        NodeSource("add", ["u"], ["b"], {"alpha": 2}),
    ],
    ids=lambda source: source.op,
)
def test_results_of_unknown_shape_without_a_name(rules: str, source: NodeSource) -> None:
    graph = Graph.of(
        inputs={"x": tensor((2, 8, 6, 6))},
        constants={"w": tensor((8, 8, 1, 1))},
        nodes=[node("mystery", "x", "u"), source],
    )
    found = RULE_SETS[rules].propagate(graph, {})
    assert found.tensors["b"].layout is None


@pytest.mark.parametrize("rules", RULE_SETS)
def test_an_input_that_is_too_large_for_the_blocks_of_a_layout(rules: str) -> None:
    huge = tensor((1 << 58, 17, 1, 1), (1, 1 << 58, 1, 1))
    graph = Graph.of(inputs={"x": huge}, nodes=[node("relu", "x", "a")])
    _checked(graph, rules, {})


@pytest.mark.parametrize("rules", [name for name in RULE_SETS if name != "onnxruntime-cpu"])
def test_operands_left_out_and_shapes_that_are_told_again(rules: str) -> None:
    constants = {"most": tensor((), values=[6.0]), "w": tensor((8, 8, 1, 1))}
    graph = Graph.of(
        inputs={"x": tensor((2, 8, 6, 6))},
        constants=constants,
        nodes=[
            *chain(
                "Clip(x - most) a; Conv(a w) c; Concat(c - a) k axis=1; mystery(k) u; relu(u) v; "
                "Conv(v w) o"
            ),
            NodeSource("mine", ["v"], ["b", ""], {"output_shapes": [[2, 8, 6, 6], []]}),
            node("neg", "b", "d"),
        ],
    )
    found = _checked(graph, rules, {})
    known = {name for name, placed in found.tensors.items() if placed.dtype is not None}
    assert known == {"x", "most", "w", "a", "c", "k", "b", "d"}


@_case
def test_the_largest_sizes_have_no_room_for_padding(rules: str, options: Mapping[str, Any]) -> None:
    huge = tensor((1 << 58, 17, 1, 1))
    graph = Graph.of(
        inputs={"x": huge},
        constants={"w": tensor((17, 17, 1, 1))},
        nodes=chain("conv2d(x w) a; relu(a) b"),
    )
    _checked(graph, rules, options)


@_case
def test_a_long_chain_of_nodes(rules: str, options: Mapping[str, Any]) -> None:
    nodes: list[NodeSource] = []
    constants: dict[str, GraphTensor] = {"w": tensor((16, 16, 3, 3))}
    for i in range(1200):
        read = f"t{i - 1}" if i else "x"
        made = f"t{i}"
        if i % 3 == 0:
            nodes.append(node("conv2d", f"{read} w", made, padding=1))
        else:
            nodes.append(node("relu", read, made))
    graph = Graph.of(inputs={"x": tensor((1, 16, 8, 8))}, constants=constants, nodes=nodes)
    found = _checked(graph, rules, options)
    assert len(found.reorders) < 4 + 2 * len(nodes)
