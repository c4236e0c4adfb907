"""Which tensors of a network have letters: those that an operator gives a meaning."""

from __future__ import annotations

import pytest

from app.contract.networks import NetworkGraph, propagated
from app.engine.network.dimensions import dims_of
from app.engine.network.examples import EXAMPLES
from app.engine.network.rules import RULE_SETS

ROW_MAJOR = {"strides": [120, 20, 5, 1]}


def graph_of(*nodes: dict[str, object], layout: object = ROW_MAJOR) -> NetworkGraph:
    given = {"shape": [2, 6, 4, 5], "layout": layout}
    weight = {"shape": [6, 6, 1, 1]}
    return NetworkGraph.model_validate(
        {"inputs": {"x": given}, "constants": {"w": weight}, "nodes": list(nodes)}
    )


def node(op: str, inputs: str, output: str, **attributes: object) -> dict[str, object]:
    return {"op": op, "inputs": inputs.split(), "outputs": [output], "attributes": attributes}


CONV = node("conv2d", "x w", "a")
FLAT = node("reshape", "a", "b", shape=[-1])


@pytest.mark.parametrize(
    ("nodes", "layout", "known"),
    [
        ([node("relu", "x", "a")], ROW_MAJOR, {}),
        ([node("relu", "x", "a")], "NHWC", {"x": "NCHW", "a": "NCHW"}),
        ([node("relu", "x", "a")], "(120, 20, 5, 1)", {}),
        ([CONV], ROW_MAJOR, {"x": "NCHW", "w": "OIHW", "a": "NCHW"}),
        ([CONV, node("relu", "a", "b")], ROW_MAJOR, dict.fromkeys("xab", "NCHW") | {"w": "OIHW"}),
        ([node("relu", "x", "a"), node("max_pool2d", "a", "b", kernel_size=2)], ROW_MAJOR, "xab"),
        ([node("Transpose", "x", "a", perm=[0, 2, 3, 1])], "NCHW", {"x": "NCHW"}),
        ([node("MaxPool", "x", "a", kernel_shape=[2, 2]), FLAT], ROW_MAJOR, "xa"),
        ([node("softmax", "x", "a", dim=-1)], ROW_MAJOR, {}),
    ],
)
def test_operators_give_dimensions_their_meaning_both_ways(
    nodes: list[dict[str, object]], layout: object, known: dict[str, str] | str
) -> None:
    wanted = dict.fromkeys(known, "NCHW") if isinstance(known, str) else known
    assert dims_of(graph_of(*nodes, layout=layout).parse()) == wanted


@pytest.mark.parametrize("rules", RULE_SETS)
def test_no_letters_of_images_in_a_network_without_images(rules: str) -> None:
    answer = propagated(EXAMPLES["bert-layer"].graph, rules, {})
    words = {each["short"] for each in answer["tensors"].values()}
    words |= {str(each["layout"]) for each in answer["tensors"].values()}
    words |= {each[side] for each in answer["reorders"] for side in ("source", "target")}
    for word in words:
        core = word.rpartition(":")[2]
        assert not set("NCHW").issuperset(core.upper()) or not core, word
