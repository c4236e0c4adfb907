"""The passes of ONNX Runtime's optimizers, one by one, on small graphs.

What they make together is compared with ONNX Runtime's own models: test_onnxruntime_cpu.py.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from app.engine.network import Graph, propagate
from app.engine.network.rules.onnxruntime import optimized
from app.engine.network.rules.onnxruntime.blocking import block_channels
from app.engine.network.rules.onnxruntime.simplify import (
    conv_activation,
    fold_constants,
    merge_equal,
    quick_gelu,
    rewrite,
    share_constants,
)
from app.engine.network.rules.onnxruntime.translate import read
from app.engine.network.rules.onnxruntime.transposes import push_transposes
from app.engine.network.rules.onnxruntime.working import Working
from tests.engine.network.graphs import chain, node, tensor

_CONSTANTS = {
    "w": tensor((16, 16, 3, 3)),
    "bias": tensor((16,)),
    "by_channel": tensor((16, 1, 1)),
    "wide": tensor((1, 16, 1, 1)),
    "number": tensor((), values=[2.0]),
    "again": tensor((), values=[2.0]),
    "zero": tensor((), values=[0.0]),
    "low": tensor((), values=[-1.0]),
    "turned_scales": tensor((4,), values=[1.0, 2.0, 2.0, 1.0]),
    "first": tensor((1,), dtype="int64", values=[0]),
    "pads": tensor((8,), dtype="int64", values=[0, 0, 1, 1, 0, 0, 1, 1]),
    "pads_c": tensor((8,), dtype="int64", values=[0, 1, 0, 0, 0, 0, 0, 0]),
}


_NORM = "BatchNormalization(a bias bias bias bias) n"
_RESIZED = (
    "Transpose(x) a perm=[0,2,3,1]; Resize(a - turned_scales) r; Transpose(r) z perm=[0,3,1,2]"
)
_PUSH = partial(push_transposes, assigned=False)
_TANH = "Transpose(x) t perm=[0,2,3,1]; Tanh(t) a"
_CASES: list[tuple[Callable[[Working], bool], str, str, str]] = [
    # Small constants of equal value are shared.
    (share_constants, "Mul(x number) a; Mul(x again) c", "", "Mul(x number) a; Mul(x number) c"),
    (share_constants, "Mul(x number) a; Mul(x number) c", "", ""),
    # Nodes of constants are folded, outputs of the network are not; sizes need no constant.
    (fold_constants, "Exp(bias) e", "", ""),
    (fold_constants, "Exp(wide) e; Mul(x e) z", "", "Mul(x e) z"),
    (fold_constants, "Shape(x) s; Reshape(y s) r", "", "Reshape(y s) r"),
    (merge_equal, "LeakyRelu(x) a alpha=0.1; LeakyRelu(x) b alpha=0.2; Add(a b) c", "", ""),
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
    (rewrite, "Pad(x pads) p; AveragePool(p) a kernel_shape=[2,2] pads=[0,0,1,1]", "", ""),
    (
        rewrite,
        "Pad(x pads) p; AveragePool(p) a kernel_shape=[2,2] pads=[0,0,1,1] count_include_pad=1",
        "",
        "AveragePool(x) a",
    ),
    (
        rewrite,
        "Pad(x pads) p; AveragePool(p) a kernel_shape=[2,2] pads=[0,0,0,0]",
        "",
        "AveragePool(x) a",
    ),
    (rewrite, "Pad(x pads) p; Conv(p w) a auto_pad=VALID", "", ""),
    # The cost falls only if the Transpose goes away (CanLikelyRemoveTranspose).
    (_PUSH, "Transpose(x) t perm=[0,2,3,1]; Sub(t t) s", "", "Sub(x x) s_1; Transpose(s_1) s"),
    (_PUSH, "Transpose(x) t perm=[0,2,3,1]; Sub(t t) s; Elu(t) e", "", ""),
    # Where others read the result, too, one behind it has to be undone (``_pays``).
    (_PUSH, f"{_TANH}; Transpose(a) z perm=[0,2,3,1]", "", "Tanh(x) a_1; Transpose(a_1) z"),
    (_PUSH, f"{_TANH}; Relu(a) b; Transpose(a) z perm=[0,2,3,1]", "", ""),
    (
        _PUSH,
        f"{_TANH}; Relu(a) b; Transpose(a) z perm=[0,3,1,2]",
        "",
        "Tanh(x) z; Relu(a) b; Transpose(z) a",
    ),
    (
        _PUSH,
        f"{_TANH}; Exp(a) b; Neg(a) c; Transpose(c) z perm=[0,3,1,2]",
        "",
        "Tanh(x) a_1; Exp(a) b; Neg(a_1) z; Transpose(a_1) a",
    ),
    # An output of the network on the way there keeps it where it is.
    (_PUSH, f"{_TANH}; Transpose(a) z perm=[0,3,1,2]", "a z", ""),
    (_PUSH, f"{_TANH}; Exp(a) b; Neg(a) c; Transpose(c) z perm=[0,3,1,2]", "b c z", ""),
    # So does another number of dimensions.
    (
        _PUSH,
        f"{_TANH}; Exp(a) b; Squeeze(a first) c; Unsqueeze(c first) d; "
        "Transpose(d) z perm=[0,3,1,2]",
        "",
        "",
    ),
    # It does not pass what has no such axis: the flattened tensor, one of unknown rank.
    (_PUSH, "Transpose(x) t perm=[0,2,3,1]; argmax(t) r", "", ""),
    (_PUSH, "mystery(x) u; Transpose(u) t perm=[0,2,3,1]; Softmax(t) r axis=7", "", ""),
    (
        _PUSH,
        "Transpose(x) a perm=[0,2,3,1]; Transpose(y) b perm=[0,2,3,1]; Sum(a l b) s; "
        "Concat(s l) k axis=3; Transpose(k) z perm=[0,3,1,2]",
        "",
        "Sum(x l_transposed y) s_1; Concat(s l) k; Transpose(k) z; Transpose(l) l_transposed; "
        "Transpose(s_1) s",
    ),
    # Resize lets it pass when it is on the CPU.
    (_PUSH, _RESIZED, "", ""),
    (partial(push_transposes, assigned=True), _RESIZED, "", "Resize(x  turned_scales) z"),
    # A convolution and its activation are a new step, behind the others.
    (conv_activation, "Conv(x w) a; Clip(a low) r; Elu(y) e", "", "Elu(y) e; Conv(x w) r"),
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
    shapes = {"x": (1, 16, 8, 8), "y": (1, 16, 8, 8), "y0": (), "y2": (1, 16, 6, 6), "axis_w": (6,)}
    shapes["l"] = (1, 8, 8, 16)
    inputs = {name: tensor(shape) for name, shape in shapes.items()}
    returned = outputs.split() or None
    graph = Graph.of(inputs=inputs, constants=_CONSTANTS, nodes=chain(nodes), outputs=returned)
    working = read(graph)

    def steps() -> str:
        found = working.steps.values()
        return "; ".join(f"{s.op}({' '.join(s.inputs)}) {' '.join(s.outputs)}" for s in found)

    before = steps()
    assert run(working) is bool(left)
    assert steps() == (left or before)


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


def test_what_a_transpose_has_passed_has_its_sizes_in_another_order() -> None:
    inputs = {"x": tensor((1, 16, 8, 8))}
    turned = "perm=[0,2,3,1]; Resize(b - scales) r nearest_mode=floor"
    for scales, rule in ([1.0, 2.0, 2.0, 1.0], "blocked"), ([1.0, 1.0, 2.0, 2.0], "plain"):
        nodes = chain(
            f"Conv(x w) a; Transpose(a) b {turned} coordinate_transformation_mode=asymmetric; "
            "Transpose(r) z perm=[0,3,1,2]"
        )
        constants = _CONSTANTS | {"scales": tensor((4,), values=scales)}
        graph = Graph.of(inputs=inputs, constants=constants, nodes=nodes)
        assert propagate(graph, "onnxruntime-cpu").nodes[2].rule == rule
    for pads, ops in ([0, 1, 1, 0] * 2, ["Conv"]), ([0, 0, 1, 1] * 2, ["Conv", "Pad"]):
        nodes = chain("Transpose(x) a perm=[0,2,3,1]; Pad(a pads) p; Transpose(p) b perm=[0,3,1,2]")
        constants = {"pads": tensor((8,), dtype="int64", values=pads)}
        constants["v"] = tensor((16, 16 + 2 * pads[3], 3, 3))
        graph = Graph.of(inputs=inputs, constants=constants, nodes=[*nodes, *chain("Conv(b v) c")])
        assert sorted(step.op for step in optimized(graph)[0].steps.values()) == ops
