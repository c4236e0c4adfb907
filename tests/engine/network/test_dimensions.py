"""Which tensors of a network have letters: those that an operator gives a meaning."""

import re

import pytest

from app.contract.networks import NetworkGraph, propagated
from app.engine.network import Graph
from app.engine.network.examples import EXAMPLES
from app.engine.network.labels import dims_of
from app.engine.network.rules import RULE_SETS
from tests.engine.network.graphs import chain, tensor

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
        ([node("conv_transpose2d", "x w", "a")], "NCHW", {"x": "NCHW", "w": "IOHW", "a": "NCHW"}),
        ([node("ConvTranspose", "x w", "a")], "NCHW", {"x": "NCHW", "w": "IOHW", "a": "NCHW"}),
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


LETTERS = re.compile(r"\bN(?:[DHW]*C|C)[DHW]+\d*\b|\bCHWN4\b")
HEADS = (
    "MatMul(x w) a; Softmax(a) b; Relu(b) c; Transpose(c) d perm=[0,2,1,3]; Concat(d d) e axis=1"
)
WITHOUT_IMAGES = {
    "bert-layer": EXAMPLES["bert-layer"].graph,
    "onnx": Graph.of(
        inputs={"x": tensor((2, 16, 8, 16))},
        constants={"w": tensor((2, 16, 16, 8))},
        nodes=chain(f"{HEADS}; ReduceMean(e) f axes=[1]"),
    ),
    "torch": Graph.of(
        inputs={"x": tensor((2, 16, 8, 16)), "v": tensor((2, 16, 8, 16), (2048, 1, 256, 16))},
        nodes=chain("add(x v) a; contiguous(a) b; softmax(v) c dim=-1; sum(b) d dim=[1]"),
    ),
}


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("graph", WITHOUT_IMAGES.values(), ids=WITHOUT_IMAGES)
def test_no_letters_of_images_in_a_network_without_images(graph: Graph, rules: str) -> None:
    answer = propagated(graph, rules, {})
    words = {each["short"] for each in answer["tensors"].values()}
    words |= {str(each["layout"]) for each in answer["tensors"].values()}
    words |= {each[side] for each in answer["reorders"] for side in ("source", "target")}
    words |= {each["reason"] for each in answer["nodes"]}
    words |= {each["text"] for each in answer["advice"]}
    for word in words:
        assert not LETTERS.search(word), word
        core = word.rpartition(":")[2]
        assert not set("NCHW").issuperset(core.upper()) or not core, word
