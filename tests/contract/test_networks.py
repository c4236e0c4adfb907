"""Requests of networks, answered without HTTP: what they refuse and what they keep."""

from typing import Any

import pytest

from app.contract import networks
from app.contract.networks import NetworkGraph, PropagateRequest, answer_propagate
from app.engine import LayoutError, parse_layout
from app.engine.model.digits import Swizzle

Json = dict[str, Any]
X: Json = {"shape": [1, 8, 6, 6], "layout": "NHWC"}
RELU: Json = {"op": "relu", "inputs": ["x"], "outputs": ["y"]}
GRAPH: Json = {"inputs": {"x": X}, "nodes": [RELU]}


def _constant(**given: Any) -> Json:
    return {**GRAPH, "constants": {"c": {"shape": [2, 2], **given}}}


@pytest.mark.parametrize(
    ("graph", "field"),
    [
        (_constant(values=[1, 2, 3]), "graph.constants.c.values"),
        (_constant(values=[1, [2], 3, 4]), "graph.constants.c.values[1]"),
        (_constant(values=[1, 2, 3, "four"]), "graph.constants.c.values[3]"),
        (_constant(values=[[0]] * 40000, shape=[200, 200]), "graph.constants.c.values[0]"),
        (_constant(layout="NCHW"), "graph.constants.c.shape"),
        ({**GRAPH, "nodes": [{**RELU, "inputs": ["z"]}]}, "graph.nodes[0].inputs[0]"),
    ],
)
def test_a_graph_names_its_wrong_part(graph: Json, field: str) -> None:
    with pytest.raises(LayoutError) as caught:
        NetworkGraph.model_validate(graph).parse()
    assert caught.value.field == field


def test_constants_keep_short_lists_of_numbers() -> None:
    cases: dict[str, Json] = {
        "numbers": {"values": [1, 2.5, -3, 0]},
        "named": {"values": ["NaN", "Infinity", 1, 2]},
        "booleans": {"values": [True, False, True, False], "dtype": "bool"},
        "long": {"shape": [200, 200], "values": [0] * 40000},
        "turned": {"layout": "WH"},
    }
    read = {
        text: NetworkGraph.model_validate(_constant(**given)).parse().constants["c"]
        for text, given in cases.items()
    }
    assert read["numbers"].values == (1, 2.5, -3, 0)
    assert read["booleans"].values is read["long"].values is None
    assert read["named"].values is None
    assert read["turned"].layout.strides == (1, 2)


def test_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "MAX_NODES", 0)
    with pytest.raises(LayoutError, match=r"graph\.nodes: .* at most 0 nodes"):
        NetworkGraph.model_validate(GRAPH).parse()


def test_rules_name_the_graph_s_part() -> None:
    node = {"op": "view", "inputs": ["x"], "outputs": ["y"], "attributes": {"shape": [288]}}
    graph = {"inputs": {"x": X}, "nodes": [node]}
    request = {"graph": graph, "rules": "pytorch-eager"}
    with pytest.raises(LayoutError) as caught:
        answer_propagate(PropagateRequest.model_validate(request))
    assert caught.value.field == "graph.nodes[0].attributes.shape"
    with pytest.raises(LayoutError) as caught:
        answer_propagate(PropagateRequest.model_validate({**request, "options": {"a": 1}}))
    assert caught.value.field == "options"


@pytest.mark.parametrize("rules", ["onednn", "megengine", "tvm-relax"])
def test_an_input_with_a_swizzle_is_written_in_a_notation_that_has_one(rules: str) -> None:
    swizzled = {"shape": [1, 8, 8, 8], "layout": "cute:Sw<1,0,1>o0o(1,8,8,8):(512,64,8,1)"}
    request = {"graph": {"inputs": {"x": swizzled}, "nodes": [RELU]}, "rules": rules}
    text = answer_propagate(PropagateRequest.model_validate(request))["tensors"]["x"]["layout"]
    assert parse_layout(text, (1, 8, 8, 8)).swizzle == Swizzle(1, 0, 1)
