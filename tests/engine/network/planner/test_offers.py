"""The table of offers: transposes are views or copies, and rule sets are followed as they meant."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from app.cli.network_svg import moved_parts
from app.contract.networks import propagated
from app.contract.plans import (
    OffersRequest,
    PlanRequest,
    answer_offers,
    answer_plan,
    planned,
)
from app.engine.model.views import permuted
from app.engine.network import RULE_SETS, Graph, NodeSource, propagate
from app.engine.network.deadline import Deadline
from app.engine.network.examples import EXAMPLES
from app.engine.network.labels import block_of, layout_of
from app.engine.network.planner import Offer, graph_problem, plan_layouts
from app.engine.network.planner.offers import OfferTable
from tests.engine.network.graphs import chain, node, tensor

SHAPE = (2, 3, 4, 5)
X = tensor((1, 32, 8, 8), (2048, 1, 256, 32))
WEIGHT = tensor((32, 32, 3, 3))


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_transpose_is_offered_as_the_view_that_it_is(order: tuple[int, ...]) -> None:
    for op, name in (("permute", "dims"), ("Transpose", "perm")):
        call = NodeSource(op, ["x"], ["y"], {name: list(order)})
        graph = Graph.of(inputs={"x": tensor(SHAPE)}, nodes=[call])
        *views, copied = OfferTable(graph).offers(graph.nodes[0])
        assert [offer.inputs for offer in views] == [("NCHW",), ("NHWC",)]
        for offer in views:
            source = layout_of(str(offer.inputs[0]), SHAPE)
            result = layout_of(str(offer.outputs[0]), tuple(SHAPE[d] for d in order))
            assert result == replace(permuted(source, order), dims=result.dims)
            assert offer.cost == 0
        assert (copied.inputs, copied.outputs, copied.cost) == (("NCHW",), ("NCHW",), 2 * 120 * 4)


def test_the_heads_of_bert_need_one_copy_a_layer() -> None:
    plan = planned(EXAMPLES["bert-layer"].graph, {}, deadline=Deadline.after(120))
    copy = 2 * 128 * 768 * 4
    assert plan["cost"] == plan["bound"] == copy
    costs = {each["name"]: [each["cost"], each["node_cost"]] for each in plan["baselines"]}
    # Reshape copies what permute leaves as a view; every Transpose is carried out.
    assert costs["pytorch-eager"] == [copy, 0]
    assert costs["onnxruntime-cpu"] == [4 * copy, 4 * copy]


@pytest.mark.parametrize(
    ("rules", "options"),
    [("onednn", {"isa": "avx2"}), ("onnxruntime-cpu", {"block": 8}), ("onnxruntime-cpu", {})],
)
def test_blocks_that_no_plan_has_and_fused_nodes_are_not_counted_as_plain_memory(
    rules: str, options: dict[str, Any]
) -> None:
    assert propagated(EXAMPLES["resnet-50"].graph, rules, options)["node_cost"] == 0


@pytest.mark.parametrize(
    ("rules", "options", "block"),
    [
        ("onednn", {"isa": "avx2"}, 8),
        ("onednn", {"isa": "sse41"}, 8),
        ("onednn", {}, 16),
        ("openvino-cpu", {"isa": "avx2"}, 8),
        ("onnxruntime-cpu", {"block": 8}, 8),
        ("megengine", {"target": "cpu", "block": 4}, 4),
        ("megengine", {"block": 4}, 16),
        (None, {}, 16),
    ],
)
def test_a_plan_offers_the_blocks_of_the_machine_that_the_rules_are_for(
    rules: str | None, options: dict[str, Any], block: int
) -> None:
    """So do the ways to run a node; the rules' own bar in the plan is under the same options."""
    network = EXAMPLES["conv-norm-relu"]
    request = {"graph": network.json, "rules": rules, "options": options}
    first = network.graph.nodes[0].name
    ways = answer_offers(OffersRequest.model_validate({**request, "node": first}))["ways"]
    assert f"NCHW{block}" in {each["outputs"][0] for each in ways}
    found = answer_plan(PlanRequest.model_validate(request))
    texts = {text for held in found["tensors"].values() for text in held if text}
    assert blocks_in(texts) | blocks_in(way["outputs"][0] for way in ways) == {block}
    if rules is not None:
        told = propagated(network.graph, rules, options)
        bar = next(each for each in found["baselines"] if each["name"] == rules)
        assert bar["cost"] == told["cost"]


def test_advice_names_no_blocks_that_the_machine_has_not() -> None:
    told = propagated(EXAMPLES["unet"].graph, "onnxruntime-cpu", {"block": 8})
    texts = {each["change"]["layout"] for each in told["advice"] if each["change"]}
    assert blocks_in(texts) == {8}


def blocks_in(texts: Iterable[str]) -> set[int]:
    return {block_of(text) for text in texts} - {1}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_total_of_a_rule_set_is_its_bar_in_the_plan_and_no_less_than_the_plan(
    example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All bytes at each run, by reorders, inside nodes and for weights copied again: in the
    rules' answer, in the plan's bar and on the command line."""
    monkeypatch.setattr(graph_problem, "_LIMIT_S", 120)  # a busy machine's answer is whole too
    graph = EXAMPLES[example].graph
    answer = planned(graph, {}, deadline=Deadline.after(120))
    bars = {each["name"]: each for each in answer["baselines"]}
    assert set(bars) >= set(RULE_SETS)
    for rules in RULE_SETS:
        found, bar = propagated(graph, rules, {}), bars[rules]
        moved = [each["bytes"] for each in found["reorders"] if not each["prepared"]]
        assert (found["bytes"], bar["reorders"]) == (sum(moved), len(moved))
        same = ("cost", "node_cost", "prepared_bytes", "weights_each_call")
        assert [bar[name] for name in same] == [found[name] for name in same]
        again = found["prepared_bytes"] if found["weights_each_call"] else 0
        assert found["cost"] == sum(moved) + found["node_cost"] + again
        assert moved_parts({**bar, "results_bytes": 0}) == moved_parts(found)
        assert bar["cost"] + bar["results_bytes"] >= answer["cost"]
    assert answer["optimal"]
    moved = [each["bytes"] for each in answer["reorders"] if not each["prepared"]]
    assert answer["cost"] == sum(moved) + answer["node_cost"]


@pytest.mark.parametrize(
    ("rules", "options", "prepared", "again"),
    [
        ("pytorch-eager", {}, 1, True),
        ("pytorch-inductor", {}, 1, True),
        ("pytorch-inductor", {"freezing": True}, 1, False),
        ("onednn", {}, 1, False),
        ("tvm-relax", {"weight": "OHWI"}, 1, False),
        ("onnxruntime-cpu", {}, 0, False),
    ],
)
def test_weights_are_counted_apart(
    rules: str, options: dict[str, str | bool], prepared: int, *, again: bool
) -> None:
    """Two convolutions copy one weight alike: it is prepared once."""
    both = chain("conv2d(x w) y padding=1; conv2d(y w) z padding=1")
    for made in (both[:1], both) if rules != "onednn" else (both[:1],):
        graph = Graph.of(inputs={"x": X}, constants={"w": WEIGHT}, nodes=made)
        found = propagate(graph, rules, options)
        assert found.prepared_bytes == prepared * 2 * 32 * 32 * 9 * 4
        assert found.weights_each_call is again


def test_a_choice_that_reads_weights_in_blocks_pays_once_for_them() -> None:
    x = tensor((1, 32, 8, 8))
    graph = Graph.of(inputs={"x": x}, constants={"w": WEIGHT}, nodes=[node("conv2d", "x w")])
    plan = plan_layouts(graph, choices={"conv2d": [Offer(("NCHW", "NCHW16"), ("NCHW",))]})
    assert (plan.cost, plan.prepared_bytes) == (0, 2 * 32 * 32 * 9 * 4)
    assert [(each.tensor, each.prepared) for each in plan.reorders] == [("w", True)]
    assert plan.tensors["w"] == ("NCHW", "NCHW16")
