"""OpenVINO's selection of layouts; conformance/openvino_suite.py compares it live."""

from __future__ import annotations

import pytest

from app.engine import parse_layout
from app.engine.network import Graph, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, node, tensor

SHAPE = (1, 12, 8, 8)


def carried(*nodes: NodeSource, shape: tuple[int, ...] = SHAPE, isa: str = "avx512") -> Propagation:
    constants = {f"w{out}": tensor((out, shape[1], 1, 1)) for out in (1, 12, 16)}
    graph = Graph.of(inputs={"x": tensor(shape)}, constants=constants, nodes=nodes)
    return propagate(graph, "openvino-cpu", {"isa": isa})


def lies(found: Propagation, name: str) -> str:
    """The first of OpenVINO's names that is the tensor's memory."""
    layout = found.tensors[name].layout
    assert layout is not None
    for text in ("abcd", "acdb", "aBcd8b", "aBcd16b"):
        if parse_layout(f"onednn:{text}", layout.shape).normal_form == layout.normal_form:
            return text
    raise AssertionError(str(layout))


def moves(found: Propagation) -> list[tuple[str, str, str]]:
    return [(each.tensor, each.source, each.target) for each in found.reorders]


@pytest.mark.parametrize(("channels", "layout"), [(32, "aBcd16b"), (12, "abcd")])
def test_softmax_keeps_blocks_without_padding(channels: int, layout: str) -> None:
    pool = node("MaxPool", "x", "a", kernel_shape=[1, 1])
    found = carried(pool, node("Softmax", "a", "b", axis=1), shape=(1, channels, 8, 1))
    assert lies(found, "b") == layout


def test_convolutions_are_channels_last_and_results_planar() -> None:
    found = carried(*chain("Conv(x w16) a; Relu(a) b"))
    assert [lies(found, name) for name in ("a", "b")] == ["acdb", "acdb"]
    assert moves(found) == [("x", "abcd", "acdb"), ("b", "acdb", "abcd")]


def test_a_first_convolution_of_three_channels_reorders_the_image_too() -> None:
    graph = Graph.of(
        inputs={"x": tensor((1, 3, 8, 8))},
        constants={"w": tensor((16, 3, 3, 3))},
        nodes=[node("Conv", "x w", "a")],
    )
    assert moves(propagate(graph, "openvino-cpu"))[0] == ("x", "abcd", "acdb")


@pytest.mark.parametrize(
    ("shape", "isa", "expected"),
    [
        ((1, 12, 8, 8), "avx512", "abcd"),
        ((1, 12, 8, 8), "avx2", "aBcd8b"),
        ((1, 3, 8, 8), "avx512", "aBcd16b"),
        ((1, 12, 8, 1), "avx512", "aBcd16b"),
        ((1, 1, 8, 8), "avx2", "abcd"),
    ],
)
def test_pooling_is_planar_only_where_there_is_a_kernel(
    shape: tuple[int, ...], isa: str, expected: str
) -> None:
    pool = node("MaxPool", "x", "a", kernel_shape=[1, 1])
    assert lies(carried(pool, shape=shape, isa=isa), "a") == expected


def test_a_concat_takes_the_layout_of_most_operands() -> None:
    conv = node("Conv", "x w12", "a")
    assert lies(carried(conv, node("Concat", "x a x", "b", axis=1)), "b") == "abcd"
    assert lies(carried(conv, node("Concat", "x a", "b", axis=1)), "b") == "acdb"


def test_concats_of_one_dimension_are_merged() -> None:
    found = carried(*chain("Conv(x w12) a; Concat(x x x) b axis=1; Concat(b a a) c axis=1"))
    assert lies(found, "c") == "abcd"  # three planar operands of five
    other = carried(
        *chain("Conv(x w12) a; Concat(x x x) b axis=1; Relu(b) d; Concat(b a a) c axis=1")
    )
    assert lies(other, "c") == "acdb"  # b is read by another node too, and counts once


def test_softmax_and_mathematics_are_planar() -> None:
    for op in ("Softmax", "HardSigmoid"):
        found = carried(node("Conv", "x w16", "a"), node(op, "a", "b"))
        assert lies(found, "b") == "abcd"
        assert found.nodes[1].lost == "acdb"


def test_a_transposition_of_sizes_of_one_is_a_reshape() -> None:
    turned = node("Transpose", "a", "b", perm=[0, 2, 3, 1])
    found = carried(node("Conv", "x w16", "a"), turned)
    assert (lies(found, "b"), found.nodes[1].rule) == ("acdb", "follow")
    one = carried(node("Conv", "x w1", "a"), turned)
    assert (lies(one, "b"), one.nodes[1].rule) == ("abcd", "planar")


def test_one_channel_of_a_pool_counts_as_channels_last_too() -> None:
    pool = node("MaxPool", "x", "a", kernel_shape=[1, 1])
    join = node("Concat", "a a", "b", axis=1)
    assert lies(carried(pool, join, shape=(1, 1, 8, 8)), "b") == "acdb"
