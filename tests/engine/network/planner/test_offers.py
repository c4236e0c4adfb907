"""The table of offers: transposes are views or copies, and rule sets are followed as they meant."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from app.engine import parse_dtype, parse_layout
from app.engine.model.layout import Layout
from app.engine.network import Graph, GraphTensor, NodeSource, propagate
from app.engine.network.examples import EXAMPLES
from app.engine.network.planner import plan_layouts
from app.engine.network.planner.offers import layout_of, offers_of

SHAPE = (2, 3, 4, 5)


def permuted(order: tuple[int, ...], op: str = "permute") -> Graph:
    x = GraphTensor(parse_layout("NCHW", SHAPE), parse_dtype("float32"))
    attributes = {"dims": list(order)} if op == "permute" else {"perm": list(order)}
    return Graph.of(inputs={"x": x}, nodes=[NodeSource(op, ["x"], ["y"], attributes)])


@pytest.mark.parametrize("op", ["permute", "Transpose"])
@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_transpose_is_offered_as_the_view_that_it_is(op: str, order: tuple[int, ...]) -> None:
    graph = permuted(order, op)
    *views, copied = offers_of(graph, graph.nodes[0])
    assert [offer.inputs for offer in views] == [("NCHW",), ("NHWC",)]
    for offer in views:
        source = layout_of(str(offer.inputs[0]), SHAPE)
        result = layout_of(str(offer.outputs[0]), tuple(SHAPE[d] for d in order))
        assert source.strides is not None
        assert result == Layout.strided(
            result.shape, [source.strides[d] for d in order], dims=result.dims
        )
        assert offer.cost == 0
    assert (copied.inputs, copied.outputs, copied.cost) == (("NCHW",), ("NCHW",), 2 * 120 * 4)


def test_the_heads_of_bert_need_one_copy_a_layer() -> None:
    graph = EXAMPLES["bert-base"].graph
    rules = ("pytorch-eager", "onnxruntime-cpu")
    followed = {name: partial(propagate, graph, name) for name in rules}
    plan = plan_layouts(graph, followed=followed)
    copy = 2 * 128 * 768 * 4
    assert plan.cost == plan.bound == 12 * copy
    costs = {each.name: each.cost for each in plan.baselines}
    assert costs["pytorch-eager"] == 12 * copy  # reshape copies what permute leaves as a view
    assert costs["onnxruntime-cpu"] == 48 * copy  # every Transpose is carried out


def test_what_a_rule_set_fuses_is_followed_in_the_layout_of_its_kernel() -> None:
    graph = EXAMPLES["resnet-50"].graph
    found = propagate(graph, "onnxruntime-cpu")
    assert found.tensors["conv1"].layout is None
    plan = plan_layouts(graph, followed={"onnxruntime-cpu": lambda: found})
    # All convolutions run blocked, and the image of one element at the end is plain already.
    assert {each.name: each.cost for each in plan.baselines}["onnxruntime-cpu"] == 0
