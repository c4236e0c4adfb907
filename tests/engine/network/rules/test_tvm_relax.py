"""The rules of TVM's pass ConvertLayout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, node, tensor

_SHAPE = (1, 8, 4, 4)
_X, _W = tensor(_SHAPE), tensor((8, 8, 3, 3))
_CONV = node("conv2d", "x w", "a", padding=1)


def _carried(inputs: Mapping[str, GraphTensor], *nodes: NodeSource, **options: Any) -> Propagation:
    graph = Graph.of(inputs=inputs, constants={"w": _W}, nodes=nodes)
    return propagate(graph, "tvm-relax", options)


def _moves(found: Propagation) -> list[tuple[str, str, str, str | None]]:
    return [(each.tensor, each.source, each.target, each.before) for each in found.reorders]


def test_operators_behind_a_convolution_follow_it_to_the_results() -> None:
    pool = node("max_pool2d", "b", "c", kernel_size=2)
    found = _carried({"x": _X}, _CONV, node("relu", "a", "b"), pool)
    assert _moves(found) == [("x", "NCHW", "NHWC", "a"), ("c", "NHWC", "NCHW", None)]
    layout = found.tensors["b"].layout
    assert layout is not None
    assert layout.strides == (128, 1, 32, 8)


def test_each_reader_gets_a_permutation_of_its_own() -> None:
    found = _carried({"x": _X}, _CONV, *chain("conv2d(x w) b; neg(b) c"))
    assert [move[0] for move in _moves(found)] == ["x", "x", "a", "c"]


@pytest.mark.parametrize(
    ("last", "reader"),
    [
        (node("conv2d", "one w", "z"), None),
        (node("sum", "a", "z", dim=[]), "z"),  # PyTorch: over all dimensions
        (node("ReduceSum", "a axes", "z", keepdims=0), "z"),
        (node("BatchNormalization", "a v v v v", "z m n", training_mode=1), "z"),
    ],
)
def test_what_inference_of_layouts_does_not_know_is_in_the_initial_layout(
    last: NodeSource, reader: str | None
) -> None:
    axes = tensor((1,), dtype="int64", values=[1])
    graph = Graph.of(
        inputs={"x": _X, "one": tensor((8, 4, 4)), "v": tensor((8,))},
        constants={"w": _W, "axes": axes},
        nodes=[_CONV, last],
    )
    found = propagate(graph, "tvm-relax")
    assert found.nodes[1].rule == "initial"
    assert ("a", "NHWC", "NCHW", reader) in _moves(found)


def test_an_operator_without_a_rule_gets_the_initial_layout() -> None:
    found = _carried({"x": _X}, _CONV, node("clamp", "a", "b", min=0))
    assert _moves(found)[1:] == [("a", "NHWC", "NCHW", "b")]
    assert found.nodes[1].lost == "NHWC"


def test_the_operand_of_lower_rank_leads() -> None:
    first = _carried({"x": _X, "p": _X}, _CONV, node("add", "a p", "b"))
    assert _moves(first)[1:] == [("p", "NCHW", "NHWC", "b"), ("b", "NHWC", "NCHW", None)]
    second = _carried({"x": _X, "p": _X}, _CONV, node("add", "p a", "b"))
    assert _moves(second)[1:] == [("a", "NHWC", "NCHW", "b")]
    # A vector has rank 1: NHWC is given up, whatever the first operand is.
    vector = _carried({"x": _X, "p": tensor((4,))}, _CONV, node("add", "a p", "b"))
    assert _moves(vector)[1:] == [("a", "NHWC", "NCHW", "b")]
    assert vector.nodes[1].lost == "NHWC"


def test_a_concatenation_follows_its_first_operand() -> None:
    found = _carried({"x": _X, "p": _X}, _CONV, node("cat", "a p", "b", dim=1))
    assert _moves(found)[1:] == [("p", "NCHW", "NHWC", "b"), ("b", "NHWC", "NCHW", None)]


def test_a_reduction_and_a_permutation_read_any_layout() -> None:
    found = _carried({"x": _X}, _CONV, node("mean", "a", "b", dim=[2, 3]))
    assert len(_moves(found)) == 1
    found = _carried({"x": _X}, _CONV, node("mean", "a", "b", dim=[0]))
    # C, H and W are left, which lie in the order H, W, C.
    assert _moves(found)[1:] == [("b", "CWN", "NCW", None)]
    found = _carried({"x": _X}, _CONV, node("permute", "a", "b", dims=[0, 2, 3, 1]))
    assert len(_moves(found)) == 1


def test_other_layouts_can_be_asked_for() -> None:
    found = _carried({"x": _X}, _CONV, conv2d="HWNC", weight="HWIO")
    assert _moves(found) == [("x", "NCHW", "HWNC", "a"), ("a", "HWNC", "NCHW", None)]
    assert not _carried({"x": _X}, _CONV, conv2d="NCHW", weight="OIHW").reorders


def test_weights_that_are_inputs_are_permuted_at_every_run() -> None:
    found = _carried({"x": _X, "v": _W}, node("conv2d", "x v", "a"))
    assert ("v", "NCHW", "NHWC", "a") in _moves(found)
