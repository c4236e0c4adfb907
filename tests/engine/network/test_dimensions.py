"""Which tensors of a network have letters: those that an operator gives a meaning."""

import re
from dataclasses import replace

import pytest

from app.contract.networks import NetworkGraph, propagated
from app.engine.network import Graph
from app.engine.network.examples import EXAMPLES
from app.engine.network.labels import dims_of
from app.engine.network.rules import RULE_SETS
from tests.engine.network.graphs import chain, tensor


@pytest.mark.parametrize(
    ("nodes", "named", "known"),
    [
        ("relu(x) a", False, ""),
        ("relu(x) a", True, "x a"),
        ("conv_transpose2d(x w) a", True, "x w=IOHW a"),
        ("ConvTranspose(x w) a", True, "x w=IOHW a"),
        ("conv2d(x w) a; relu(a) b", False, "x w=OIHW a b"),
        ("relu(x) a; max_pool2d(a) b kernel_size=2", False, "x a b"),
        ("Transpose(x) a perm=[0,2,3,1]", True, "x"),
        ("MaxPool(x) a kernel_shape=[2,2]; reshape(a) b shape=[-1]", False, "x a"),
        ("softmax(x) a dim=-1", False, ""),
    ],
)
def test_operators_give_dimensions_their_meaning_both_ways(
    nodes: str, *, named: bool, known: str
) -> None:
    """``named``: the input's letters are given; they are NCHW where no others are said."""
    x = replace(tensor((2, 6, 4, 5)), dims="NCHW" if named else "")
    graph = Graph.of(inputs={"x": x}, constants={"w": tensor((6, 6, 1, 1))}, nodes=chain(nodes))
    wanted = [each.partition("=") for each in known.split()]
    assert dims_of(graph) == {name: letters or "NCHW" for name, _, letters in wanted}


@pytest.mark.parametrize(("layout", "dims"), [("NHWC", "NCHW"), ("(120, 20, 5, 1)", ""), ({}, "")])
def test_an_input_has_the_letters_of_its_layout_s_name(layout: object, dims: str) -> None:
    given = {"shape": [2, 6, 4, 5], "layout": layout or {"strides": [120, 20, 5, 1]}}
    made = NetworkGraph.model_validate({"inputs": {"x": given}, "nodes": []}).parse()
    assert made.inputs["x"].dims == dims


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
