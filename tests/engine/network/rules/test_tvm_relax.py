"""The rules of TVM's pass ConvertLayout."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, moves, node, tensor

_SHAPE = (1, 8, 4, 4)
_X, _W = tensor(_SHAPE), tensor((8, 8, 3, 3))
_CONV = node("conv2d", "x w", "a", padding=1)


def _carried(inputs: Mapping[str, GraphTensor], *nodes: NodeSource, **options: Any) -> Propagation:
    graph = Graph.of(inputs=inputs, constants={"w": _W}, nodes=nodes)
    return propagate(graph, "tvm-relax", options)


@pytest.mark.parametrize(
    ("nodes", "expected", "lost"),
    [  # behind a convolution: reorders after that of its source, as tensor, layouts and reader
        ("relu(a) b; max_pool2d(b) c kernel_size=2", "c NHWC NCHW -", None),
        # Each reader gets a permutation of its own.
        ("conv2d(x w) b; neg(b) c", "x NCHW NHWC b; a NHWC NCHW -; c NHWC NCHW -", None),
        # Without a rule, it gets the initial layout.
        ("clamp(a) b min=0", "a NHWC NCHW b", "NHWC"),
        # The operand of lower rank leads, the first of equal ones; a vector has rank 1.
        ("add(a p) b", "p NCHW NHWC b; b NHWC NCHW -", None),
        ("add(p a) b", "a NHWC NCHW b", "NHWC"),
        ("add(a vector) b", "a NHWC NCHW b", "NHWC"),
        ("cat(a p) b dim=1", "p NCHW NHWC b; b NHWC NCHW -", None),
        # Of N and the rest, C, H and W are left, which lie in the order H, W, C.
        ("mean(a) b dim=[2,3]", "", None),
        ("mean(a) b dim=[0]", "b CWN NCW -", None),
        ("permute(a) b dims=[0,2,3,1]", "", "NHWC"),
        # Weights that are inputs are permuted at every run.
        ("conv2d(a v) b padding=1", "v NCHW NHWC b; b NHWC NCHW -", None),
    ],
)
def test_what_follows_a_convolution(nodes: str, expected: str, lost: str | None) -> None:
    inputs = {"x": _X, "p": _X, "v": _W, "vector": tensor((4,))}
    found = _carried(inputs, _CONV, *chain(nodes))
    first, *said = [" ".join((*each[:3], each[3] or "-")) for each in moves(found)]
    assert first == "x NCHW NHWC a"
    assert "; ".join(said) == expected
    assert found.nodes[1].lost == lost


@pytest.mark.parametrize(
    ("last", "reader"),
    [
        (node("conv2d", "one w", "z"), None),
        (node("sum", "a", "z", dim=[]), "z"),  # PyTorch: over all dimensions
        (node("ReduceSum", "a axes", "z", keepdims=0), "z"),
        (node("Squeeze", "a batch", "z"), "z"),
        (node("BatchNormalization", "a v v v v", "z m n", training_mode=1), "z"),
    ],
)
def test_what_inference_of_layouts_does_not_know_is_in_the_initial_layout(
    last: NodeSource, reader: str | None
) -> None:
    axes = tensor((1,), dtype="int64", values=[1])
    graph = Graph.of(
        inputs={"x": _X, "one": tensor((8, 4, 4)), "v": tensor((8,))},
        constants={"w": _W, "axes": axes, "batch": replace(axes, values=(0,))},
        nodes=[_CONV, last],
    )
    found = propagate(graph, "tvm-relax")
    assert found.nodes[1].rule == "initial"
    assert ("a", "NHWC", "NCHW", reader) in moves(found)


def test_other_layouts_can_be_asked_for() -> None:
    found = _carried({"x": _X}, _CONV, conv2d="HWNC", weight="HWIO")
    assert moves(found) == [("x", "NCHW", "HWNC", "a"), ("a", "HWNC", "NCHW", None)]
    assert not _carried({"x": _X}, _CONV, conv2d="NCHW", weight="OIHW").reorders
