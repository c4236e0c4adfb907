"""The passes of ONNX Runtime's optimizers, one by one, on small graphs."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from app.engine.network import Graph, GraphTensor, NodeSource, propagate
from app.engine.network.rules.onnxruntime import optimized
from app.engine.network.rules.onnxruntime.blocking import block_channels
from app.engine.network.rules.onnxruntime.simplify import (
    conv_activation,
    fold_constants,
    merge_equal,
    quick_gelu,
    rewrite,
    share_constants,
    write_out_hard_swish,
)
from app.engine.network.rules.onnxruntime.translate import read
from app.engine.network.rules.onnxruntime.transposes import composed, inverse, push_transposes
from app.engine.network.rules.onnxruntime.working import Working
from tests.engine.network.graphs import chain, node, tensor

_TO_NHWC, _TO_NCHW = [0, 2, 3, 1], [0, 3, 1, 2]
_CONSTANTS = {
    "w": tensor((16, 16, 3, 3)),
    "bias": tensor((16,)),
    "by_channel": tensor((16, 1, 1)),
    "wide": tensor((1, 16, 1, 1)),
    "number": tensor((), values=[2.0]),
    "again": tensor((), values=[2.0]),
    "zero": tensor((), values=[0.0]),
    "low": tensor((), values=[-1.0]),
    "axes": tensor((2,), dtype="int64", values=[2, 3]),
    "pads": tensor((8,), dtype="int64", values=[0, 0, 1, 1, 0, 0, 1, 1]),
    "pads_c": tensor((8,), dtype="int64", values=[0, 1, 0, 0, 0, 0, 0, 0]),
}


def _working(
    *nodes: NodeSource,
    outputs: Sequence[str] | None = None,
    inputs: dict[str, GraphTensor] | None = None,
) -> Working:
    given = {"x": tensor((1, 16, 8, 8)), "y": tensor((1, 16, 8, 8))} | (inputs or {})
    return read(Graph.of(inputs=given, constants=_CONSTANTS, nodes=nodes, outputs=outputs))


def _steps(working: Working) -> list[str]:
    """Each step as ``Relu(x) a``, in the order of the indices."""
    return [f"{s.op}({' '.join(s.inputs)}) {' '.join(s.outputs)}" for s in working.steps.values()]


def _ops(working: Working) -> list[str]:
    return [step.op for step in working.steps.values()]


def test_the_order_is_depth_first_from_the_leaves() -> None:
    """The leaf and the producer with the largest index come first."""
    working = _working(*chain("Relu(x) a; Tanh(x) b; Add(a b) c; Exp(x) d"))
    assert [step.output for step in working.order()] == ["d", "b", "a", "c"]


def test_equal_nodes_are_merged_through_their_operands() -> None:
    working = _working(
        *chain(
            "Relu(x) a; Relu(x) b; Exp(a) c; Exp(b) d; Add(c d) s; LeakyRelu(s) k alpha=0.1; "
            "LeakyRelu(s) l alpha=0.2; Add(k l) z"
        )
    )
    assert merge_equal(working)
    assert _ops(working) == ["Relu", "Exp", "Add", "LeakyRelu", "LeakyRelu", "Add"]
    merged = next(step for step in working.steps.values() if step.output == "s")
    assert merged.inputs[0] == merged.inputs[1]
    assert not merge_equal(working)


_NORM = "BatchNormalization(a bias bias bias bias) n"
_PUSH = partial(push_transposes, assigned=False)
_CASES: list[tuple[Callable[[Working], bool], str, str, str]] = [
    # Small constants of equal value are shared.
    (share_constants, "Mul(x number) a; Mul(x again) c", "", "Mul(x number) a; Mul(x number) c"),
    (share_constants, "Mul(x number) a; Mul(x number) c", "", ""),
    # Nodes of constants are folded, outputs of the network are not; sizes need no constant.
    (fold_constants, "Exp(bias) e", "", ""),
    (fold_constants, "Exp(wide) e; Mul(x e) z", "", "Mul(x e) z"),
    (fold_constants, "Shape(x) s; Reshape(y s) r", "", "Reshape(y s) r"),
    # An output of the network is kept, and its readers are merged.
    (
        merge_equal,
        "Relu(x) a; Relu(x) b; Exp(a) c; Exp(b) d; Add(c d) s",
        "a b s",
        "Relu(x) a; Relu(x) b; Exp(b) d; Add(d d) s",
    ),
    # Identities are dropped.
    (rewrite, "Identity(x) a; Exp(a) b", "b", "Exp(x) b"),
    (rewrite, "Dropout(x) a; Exp(a) b", "b", "Exp(x) b"),
    (rewrite, "Exp(x) a; Identity(a) b", "b", "Exp(x) b"),
    (rewrite, "Exp(x) a; Identity(a) b", "a b", ""),
    (rewrite, "Exp(x) a; Identity(a) b; Tanh(a) c", "b c", ""),
    (rewrite, "Identity(x) a", "a", ""),
    # Relu before Clip with a constant minimum.
    (rewrite, "Relu(x) a; Clip(a low) c", "", "Clip(x low) c"),
    (rewrite, "Relu(x) a; Clip(a y0) c", "", ""),
    # A convolution takes over constants, and a normalisation that alone reads it.
    (rewrite, "Conv(x w bias) a; Add(a by_channel) c", "", "Conv(x w_new a_bias_new) c"),
    (rewrite, "Conv(x w bias) a; Add(a wide) c", "", "Conv(x w_new a_bias_new) c"),
    (rewrite, "Conv(x w bias) a; Mul(a by_channel) c", "", "Conv(x w_new a_bias_new) c"),
    (rewrite, "Conv(x w bias) a; Mul(a wide) c", "", "Conv(x w_new a_bias_new) c"),
    (rewrite, "Conv(x w bias) a; Mul(a number) c", "", "Conv(x w_new a_bias_new) c"),
    (rewrite, "Conv(x w bias) a; Add(a number) c", "", ""),
    (rewrite, "Conv(x w bias) a; Add(a y2) c", "", ""),
    (rewrite, "Conv(x w bias) a; Mul(a axis_w) c", "", ""),
    (rewrite, f"Conv(x w) a; {_NORM}", "", "Conv(x w_new a_bias_new) n"),
    (rewrite, f"Conv(x w) a; {_NORM}; Exp(a) e", "", ""),
    (rewrite, f"Conv(x w) a; {_NORM}", "a n", ""),
    # Padding joins the window.
    (rewrite, "Pad(x pads) p; Conv(p w) a", "", "Conv(x w) a"),
    (rewrite, "Pad(x pads zero) p; Conv(p w) a", "", "Conv(x w) a"),
    (rewrite, "Pad(x pads number) p; Conv(p w) a", "", ""),
    (rewrite, "Pad(x pads_c) p; MaxPool(p) a kernel_shape=[2,2]", "", ""),
    (rewrite, "Pad(x pads) p; AveragePool(p) a kernel_shape=[2,2]", "", "AveragePool(x) a"),
    (rewrite, "Pad(x pads) p; Conv(p w) a auto_pad=VALID", "", ""),
    # The cost falls only if the Transpose goes away (CanLikelyRemoveTranspose).
    (_PUSH, "Transpose(x) t perm=[0,2,3,1]; Sub(t t) s", "", "Sub(x x) s_1; Transpose(s_1) s"),
    (_PUSH, "Transpose(x) t perm=[0,2,3,1]; Sub(t t) s; Elu(t) e", "", ""),
    # It does not pass what has no such axis: the flattened tensor, one of unknown rank.
    (_PUSH, "Transpose(x) t perm=[0,2,3,1]; argmax(t) r", "", ""),
    (_PUSH, "mystery(x) u; Transpose(u) t perm=[0,2,3,1]; Softmax(t) r axis=7", "", ""),
    # x times sigmoid of x.
    (quick_gelu, "Sigmoid(x) s; Mul(s x) z", "", "QuickGelu(x) z"),
    (quick_gelu, "Mul(x number) k; Sigmoid(k) s; Mul(s x) z", "", "QuickGelu(x) z"),
    (quick_gelu, "Sigmoid(x) s; Mul(s y) z", "", ""),
]


@pytest.mark.parametrize(("run", "nodes", "outputs", "left"), _CASES)
def test_what_a_pass_leaves(
    run: Callable[[Working], bool], nodes: str, outputs: str, left: str
) -> None:
    """``left``: nothing if it changes nothing."""
    more = {"y0": tensor(()), "y2": tensor((1, 16, 6, 6)), "axis_w": tensor((6,))}
    working = _working(*chain(nodes), outputs=outputs.split() or None, inputs=more)
    before = _steps(working)
    assert run(working) is bool(left)
    assert _steps(working) == (left.split("; ") if left else before)


def test_permutations() -> None:
    assert inverse((2, 0, 1)) == (1, 2, 0)
    assert composed((0, 2, 3, 1), (0, 3, 1, 2)) == (0, 1, 2, 3)


def test_a_transpose_is_pushed_to_the_one_that_it_cancels() -> None:
    working = _working(
        *chain(
            "Transpose(x) a perm=[0,2,3,1]; Relu(a) r; Softmax(r) s axis=-1; "
            "Transpose(s) z perm=[0,3,1,2]; Exp(z) e"
        )
    )
    assert push_transposes(working, assigned=False)
    assert sorted(_ops(working)) == ["Exp", "Relu", "Softmax"]
    softmax = next(step for step in working.steps.values() if step.op == "Softmax")
    assert softmax.attributes["dim"] == 1


def test_other_operands_are_transposed_back_only_where_that_costs_less() -> None:
    working = _working(
        *chain(
            "Transpose(x) a perm=[0,2,3,1]; Transpose(y) b perm=[0,2,3,1]; Sum(a l b) s; "
            "Concat(s l) k axis=3; Transpose(k) z perm=[0,3,1,2]"
        ),
        inputs={"l": tensor((1, 8, 8, 16))},
    )
    push_transposes(working, assigned=False)
    assert _steps(working) == [
        "Sum(x l_transposed y) s_1",
        "Concat(s l) k",
        "Transpose(k) z",
        "Transpose(l) l_transposed",
        "Transpose(s_1) s",
    ]
    assert working.shapes["s_1"] == (1, 16, 8, 8)
    assert working.called("s_1") == "s"


def test_resize_lets_a_transpose_pass_when_it_is_on_the_cpu() -> None:
    nodes = chain(
        "Transpose(x) a perm=[0,2,3,1]; Resize(a - scales) r; Transpose(r) z perm=[0,3,1,2]"
    )
    scales = {"scales": tensor((4,), values=[1.0, 2.0, 2.0, 1.0])}
    graph = Graph.of(inputs={"x": tensor((1, 16, 8, 8))}, constants=scales, nodes=nodes)
    working = read(graph)
    assert not push_transposes(working, assigned=False)
    assert push_transposes(working, assigned=True)
    assert _ops(working) == ["Resize"]


def test_reductions_and_squeezes_change_their_axes() -> None:
    working = _working(
        *chain(
            "Transpose(x) a perm=[0,2,3,1]; ReduceMean(a axes) m keepdims=0; "
            "Transpose(m) z perm=[1,0]"
        )
    )
    assert push_transposes(working, assigned=False)
    reduce = next(step for step in working.steps.values() if step.op == "ReduceMean")
    assert reduce.attributes["dim"] == (1, 3)  # width and channels, seen from before
    assert reduce.inputs[0] == "x"


def test_a_convolution_and_its_activation_are_a_new_step() -> None:
    working = _working(*chain("Conv(x w) a; Clip(a low) r; Conv(y w) c; Elu(c) e"))
    assert conv_activation(working)
    assert _steps(working) == ["Conv(y w) c", "Elu(c) e", "Conv(x w) r"]
    assert [step.activation for step in working.steps.values()] == [None, None, "Clip"]


def test_hard_swish_is_written_out_and_joins_a_convolution() -> None:
    nodes = chain("Conv(x w) a; HardSwish(a) h")
    working = _working(*nodes, node("Exp", "h", "e"))
    write_out_hard_swish(working)
    assert sorted(_ops(working)) == ["Conv", "Exp", "HardSigmoid", "Mul"]
    regions = block_channels(working, 16)
    assert regions.tensors["h"].kernel is not None
    assert regions.outputs == ["h"]
    at_the_end = _working(*nodes)
    write_out_hard_swish(at_the_end)
    assert block_channels(at_the_end, 16).tensors["h"].kernel is None


@pytest.mark.parametrize(
    ("attributes", "sizes", "rule"),
    [
        ({"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, 2.0, "blocked"),
        ({"coordinate_transformation_mode": "asymmetric"}, 2.0, "plain"),
        ({"nearest_mode": "floor"}, 2.0, "plain"),
        ({"mode": "linear"}, 2.0, "blocked"),
        ({"mode": "linear"}, 1.5, "plain"),
        ({"mode": "cubic"}, 2.0, "plain"),
        ({"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}, 2.0, "plain"),
    ],
)
def test_which_resize_is_blocked(attributes: dict[str, Any], sizes: float, rule: str) -> None:
    graph = Graph.of(
        inputs={"x": tensor((1, 16, 8, 8))},
        constants=_CONSTANTS | {"scales": tensor((4,), values=[1.0, 1.0, sizes, sizes])},
        nodes=[node("Conv", "x w", "a"), node("Resize", "a - scales", "r", **attributes)],
    )
    working = read(graph)
    block_channels(working, 16)
    assert working.notes[1].rule == rule


@pytest.mark.parametrize(
    ("scales", "rule"), [([1.0, 2.0, 2.0, 1.0], "blocked"), ([1.0, 1.0, 2.0, 2.0], "plain")]
)
def test_a_resize_that_a_transpose_has_passed_has_its_scales_in_another_order(
    scales: list[float], rule: str
) -> None:
    nodes = chain(
        "Conv(x w) a; Transpose(a) b perm=[0,2,3,1]; "
        "Resize(b - scales) r nearest_mode=floor coordinate_transformation_mode=asymmetric; "
        "Transpose(r) z perm=[0,3,1,2]"
    )
    constants = _CONSTANTS | {"scales": tensor((4,), values=scales)}
    graph = Graph.of(inputs={"x": tensor((1, 16, 8, 8))}, constants=constants, nodes=nodes)
    assert propagate(graph, "onnxruntime-cpu").nodes[2].rule == rule


@pytest.mark.parametrize(
    ("pads", "ops"),
    [([0, 1, 1, 0] * 2, ["Conv"]), ([0, 0, 1, 1] * 2, ["Conv", "Pad"])],
)
def test_a_pad_that_a_transpose_has_passed_has_its_sizes_in_another_order(
    pads: list[int], ops: list[str]
) -> None:
    nodes = chain(
        "Transpose(x) a perm=[0,2,3,1]; Pad(a pads) p; Transpose(p) b perm=[0,3,1,2]; Conv(b v) c"
    )
    constants = {"pads": tensor((8,), dtype="int64", values=pads)}
    constants["v"] = tensor((16, 16 + 2 * pads[3], 3, 3))
    graph = Graph.of(inputs={"x": tensor((1, 16, 8, 8))}, constants=constants, nodes=nodes)
    assert sorted(step.op for step in optimized(graph)[0].steps.values()) == ops


def test_an_addition_is_fused_into_the_convolution_that_it_alone_reads() -> None:
    working = _working(*chain("Conv(x w) a; Conv(y w) c; Add(a c) s; Exp(c) e"))
    regions = block_channels(working, 16)
    assert working.notes[2].reason == "The convolution a adds the other operand."
    assert sorted(regions.outputs) == ["c", "s"]


def test_operands_that_are_not_blocked_keep_a_node_in_nchw() -> None:
    working = _working(*chain("Conv(x w) a pads=[1,1,1,1]; Add(a x) s"))
    regions = block_channels(working, 16)
    assert working.notes[1].rule == "plain"
    assert regions.lost == {1: "NCHW16c"}


def test_a_global_pool_blocks_an_input_of_the_network_only() -> None:
    start = _working(node("GlobalAveragePool", "x", "g"))
    assert list(block_channels(start, 16).inputs) == ["x"]
    later = _working(*chain("Exp(x) e; GlobalAveragePool(e) g"))
    assert not block_channels(later, 16).inputs
