"""The rules of ONNX Runtime on the CPU against models that ONNX Runtime 1.31 optimised."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.network import Graph, GraphTensor, Propagation, propagate
from app.engine.network.propagation import NodeReport, Reorder
from app.engine.network.rules.onnxruntime import optimized
from tests.cost import assert_costs_like
from tests.engine.network.graphs import chain, copied, graph_of, node, tensor
from tests.places import golden_rows

_X = {"x": tensor((1, 16, 8, 8))}
_W = {
    "w": tensor((32, 16, 3, 3)),
    "v": tensor((32, 32, 1, 1)),
    "few": tensor((20, 32, 1, 1)),
    "c": tensor((32,)),
}
# The kernels of com.microsoft.nchwc, where they are not named as the node is.
_KERNELS = {"Mul": "Conv", "BatchNormalization": "Conv", "Resize": "Upsample"}


def _carried(graph: Graph, **options: Any) -> Propagation:
    return propagate(graph, "onnxruntime-cpu", options)


def _of(text: str, x: GraphTensor = _X["x"], **more: GraphTensor) -> Propagation:
    """A network with the input ``x`` and constants."""
    return _carried(Graph.of(inputs={"x": x}, constants=_W | more, nodes=chain(text)))


def _nodes(found: Propagation) -> dict[str, NodeReport]:
    return {each.name: each for each in found.nodes}


def _rules(found: Propagation) -> str:
    return ", ".join(f"{each.name} {each.rule}" for each in found.nodes)


def _layout(found: Propagation, name: str) -> Layout:
    layout = found.tensors[name].layout
    assert layout is not None
    return layout


def _facts(found: Propagation) -> Mapping[str, list[str]]:
    blocked = [_KERNELS.get(each.op, each.op) for each in found.nodes if each.rule == "blocked"]
    return {
        "reorder_inputs": sorted(r.tensor for r in found.reorders if r.source == "NCHW"),
        "reorder_outputs": sorted(r.tensor for r in found.reorders if r.target == "NCHW"),
        "blocked_operators": sorted(blocked),
    }


def test_reorders_and_blocked_operators_of_every_golden_graph() -> None:
    for row in golden_rows("ort_graphs"):
        graph = graph_of(row["graph"])
        assert all(graph.type(name) is not None for name in graph.types)
        found = _carried(graph)
        expected = {name: sorted(row["expected"][name]) for name in _facts(found)}
        assert _facts(found) == expected
        assert {each.name for each in found.nodes} == {each.name for each in graph.nodes}
        assert found.tensors.keys() == graph.types.keys()


def test_what_is_left_of_every_small_golden_network() -> None:
    """One operator between two Transposes, or a pattern that one optimizer looks for."""
    for row in golden_rows("ort_passes"):
        graph, expected = graph_of(row["graph"]), row["expected"]
        left = optimized(graph)[0].steps.values()
        permutations = (s.attributes["dims"] for s in left if s.op == "Transpose")
        transposes = sorted(list(dims) for dims in permutations if dims)
        found = _carried(graph)
        assert {"transposes": transposes, **_facts(found)} == expected, row["name"]
        assert found.tensors.keys() == graph.types.keys()


def test_a_region_of_blocked_channels() -> None:
    found = _of(
        "Conv(x w) a pads=[1,1,1,1]; BatchNormalization(a c c c c) n; Relu(n) r; "
        "Conv(r v) b; Add(b r) s; Concat(s r) k axis=1; Elu(k) e"
    )
    assert _rules(found) == "a blocked, n fused, r fused, b blocked, s fused, k continues, e plain"
    assert _nodes(found)["e"].lost == "NCHW16c"
    assert "no blocked kernel for Elu" in _nodes(found)["e"].reason
    assert [each.lost for each in found.nodes if each.name != "e"] == [None] * 6
    assert _layout(found, "k") == parse_layout("onnxruntime:NCHWc16", (1, 64, 8, 8))
    assert _layout(found, "e").strides == (4096, 64, 8, 1)
    assert [each.fused for each in found.nodes] == [None, "a", "a", None, "b", None, None]
    assert {name: found.tensors[name].fused for name in "anb"} == {"a": "n", "n": "r", "b": "s"}
    for name in "anb":
        assert found.tensors[name].layout is None
        assert "no memory of its own" in found.tensors[name].reason


def test_a_reorder_has_its_readers_and_bytes_that_count_the_padding_of_the_target() -> None:
    found = _of("Conv(x w) a; Conv(a few) b; Exp(b) e; MaxPool(x) p kernel_shape=[1,1]")
    plain, into = 20 * 36 * 4, 2 * 16 * 64 * 4
    assert found.reorders == (
        Reorder("x", "NCHW", "NCHW16c", into, "a", None, ("a", "p")),
        Reorder("p", "NCHW16c", "NCHW", into, None, "p", ()),
        Reorder("b", "NCHW16c", "NCHW", 2 * plain, "e", "b", ("e",)),
    )
    assert found.bytes == 2 * into + 2 * plain
    assert _layout(found, "b").padded_shape == (1, 32, 6, 6)


@pytest.mark.parametrize(
    ("block", "channels", "made", "groups", "reads", "says"),
    [
        (16, 12, 16, 1, "", "12 input channels are fewer than a block"),
        (8, 12, 16, 1, "x", "x is reordered to NCHW8c"),
        (16, 18, 16, 1, "no", "18 input channels are no multiple of 4"),
        (16, 10, 16, 1, "", "fewer than a block"),
        (8, 6, 6, 1, "", "fewer than a block"),
        (16, 20, 6, 1, "x", "x is reordered to NCHW16c"),
        (8, 20, 20, 20, "x", "x is reordered to NCHW8c"),
        (8, 6, 6, 6, "no", "6 output channels are no multiple of 4"),
        (8, 16, 16, 2, "x", "x is reordered to NCHW8c"),
        (16, 16, 16, 2, "no", "8 input channels in each group are no multiple of 16"),
        (8, 16, 24, 2, "no", "12 output channels in each group are no multiple of 8"),
        (8, 12, 24, 12, "no", "1 input channels in each group are no multiple of 8"),
    ],
)
def test_the_alignment_of_convolutions(
    block: int, channels: int, made: int, groups: int, reads: str, says: str
) -> None:
    """The conditions of TransformConv in nchwc_transformer.cc, for both sizes of a block."""
    graph = Graph.of(
        inputs={"x": tensor((1, channels, 8, 8))},
        constants={"w": tensor((made, channels // groups, 3, 3))},
        nodes=[node("Conv", "x w", "y", group=groups)],
    )
    found = _carried(graph, block=block)
    assert found.nodes[0].rule == ("plain" if reads == "no" else "blocked")
    assert says in found.nodes[0].reason
    assert [each.tensor for each in found.reorders if each.source == "NCHW"] == [
        name for name in [reads] if name not in {"", "no"}
    ]
    if reads != "no":
        padded = -(-made // block) * block
        assert _layout(found, "y").padded_shape == (1, padded, 6, 6)
        assert [each.source for each in found.reorders if each.tensor == "y"] == [f"NCHW{block}c"]


@pytest.mark.parametrize("rules", ["onnxruntime-cpu", "megengine"])
def test_a_block_of_another_size_is_refused(rules: str) -> None:
    with pytest.raises(LayoutError, match=r"options\.block: got 5; expected"):
        propagate(Graph.of(inputs=_X, nodes=[]), rules, {"block": 5})


def test_a_weight_among_the_inputs_is_not_blocked() -> None:
    graph = Graph.of(inputs=_X | _W, nodes=[node("Conv", "x w", "a")])
    found = _carried(graph)
    assert found.reorders == ()
    assert "weight w is not a constant" in found.nodes[0].reason


def test_pytorch_names_are_read_as_they_are_exported() -> None:
    found = _of(
        "conv2d(x w) a padding=1; batch_norm(a c c c c) n; hardswish(n) r; conv2d(r v) b; "
        "silu(b) s; interpolate(s) i scale_factor=[2.0] mode=nearest; "
        "adaptive_avg_pool2d(s) g output_size=1; einsum(i) e equation=nchw->nhwc",
        tensor((1, 16, 8, 8), (1024, 1, 128, 16)),
    )
    assert _rules(found) == (
        "a blocked, n fused, r fused, b blocked, s continues, i blocked, g blocked, e plain"
    )
    assert "given layout is not used" in found.tensors["x"].reason
    assert _layout(found, "x").strides == (1024, 64, 8, 1)
    assert _nodes(found)["e"].lost == "NCHW16c"


def test_an_unknown_operator_ends_a_region() -> None:
    found = _of("Conv(x w) a; Mystery(a) m; Conv(m v) b")
    assert _nodes(found)["m"].lost == "NCHW16c"
    assert found.tensors["m"].layout is None
    unknown = next(each for each in found.reorders if each.tensor == "m")
    assert (unknown.bytes, unknown.before, unknown.after) == (0, "b", "m")


def test_views_say_whose_memory_they_are() -> None:
    found = _of("Conv(x w) a; Identity(a) i; Tanh(i) t; Tanh(a) u; Add(t u) s; Exp(a) e")
    assert (found.tensors["i"].view, found.tensors["i"].of) == (True, "a")
    merged = next(each.name for each in found.nodes if each.rule == "merged")
    kept = ({"t", "u"} - {merged}).pop()
    assert (found.tensors[merged].view, found.tensors[merged].of) == (True, kept)
    assert _layout(found, merged) == _layout(found, kept)


def test_a_reorder_is_behind_the_node_that_is_left() -> None:
    """ORT lets the convolution make the output of a dropped Identity."""
    found = _of("Conv(x w) a; Cast(a) f to=1; Identity(f) i; Identity(i) y")
    assert _rules(found) == "a blocked, f removed, i removed, y removed"
    *_, back = found.reorders
    assert (back.tensor, back.target, back.after) == ("y", "NCHW", "a")


def test_a_transposed_tensor_is_the_other_one_in_another_order() -> None:
    found = _of(
        "Transpose(x) a perm=[0,3,1,2]; Conv(a w) b pads=[1,1,1,1]; "
        "Transpose(b) t perm=[0,2,3,1]; Exp(t) e",
        tensor((1, 8, 8, 16)),
    )
    assert copied(found) == "x>NCHW16c t>NCHW"
    assert _layout(found, "a") == parse_layout("onnxruntime:NCHWc16", (1, 16, 8, 8))
    assert _layout(found, "t").strides == (2048, 256, 32, 1)
    assert "writes NHWC" in _nodes(found)["t"].reason
    pushed = _of(
        "Transpose(x) a perm=[0,3,1,2]; Relu(a) r; Transpose(r) t perm=[0,2,3,1]; Exp(t) e",
        tensor((1, 8, 8, 16)),
    )
    assert _layout(pushed, "r").strides == (1024, 1, 128, 16)
    assert (pushed.tensors["r"].view, pushed.tensors["t"].of) == (False, "r")


def _residual(blocks: int) -> Graph:
    nodes, x = [], "x"
    for i in range(blocks):
        nodes += [
            node("Conv", f"{x} q", f"a{i}"),
            node("BatchNormalization", f"a{i} d d d d", f"b{i}"),
            node("Transpose", f"b{i}", f"t{i}", perm=[0, 2, 3, 1]),
            node("Relu", f"t{i}", f"r{i}"),
            node("Transpose", f"r{i}", f"u{i}", perm=[0, 3, 1, 2]),
            node("Add", f"u{i} {x}", f"s{i}"),
        ]
        x = f"s{i}"
    constants = {"q": tensor((16, 16, 1, 1)), "d": tensor((16,))}
    return Graph.of(inputs=_X, constants=constants, nodes=nodes)


def _fan(readers: int) -> Graph:
    nodes = [node("Transpose", "x", "t", perm=[0, 2, 3, 1])]
    for i in range(readers):
        nodes += [node("Exp", "t", f"e{i}"), node("Elu", f"e{i}", f"f{i}")]
    return Graph.of(inputs=_X, nodes=nodes)


@pytest.mark.parametrize("shape", [_residual, _fan])
def test_fifty_times_the_nodes_cost_no_square_of_it(shape: Any) -> None:
    few, many = shape(20), shape(1000)
    assert_costs_like(lambda: _carried(few), lambda: _carried(many), times=50 * 7)


def test_constants_that_scale_one_channel_have_three_or_four_dimensions_and_are_turned() -> None:
    for rank in range(5):
        text = "Conv(x one) made; Sigmoid(made) gate; Mul(gate made) a; Mul(a scale) b"
        found = _of(text, one=tensor((1, 16, 1, 1)), scale=tensor([1] * rank))
        assert copied(found) == f"x>NCHW16c {'b' if rank > 2 else 'a'}>NCHW"
        assert _facts(found)["blocked_operators"] == ["Conv"] * (1 + (rank > 2))
    for rank in range(1, 5):
        text = "MaxPool(x) a kernel_shape=[2,2]; Transpose(a) b perm=[0,2,3,1]; Mul(b scale) s; "
        found = _of(f"{text}Transpose(s) d perm=[0,3,1,2]", scale=tensor([1] * (rank - 1) + [16]))
        assert copied(found) == "x>NCHW16c d>NCHW"
        assert _facts(found)["blocked_operators"] == ["Conv", "MaxPool"]
