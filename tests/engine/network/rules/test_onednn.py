"""The rules of oneDNN: what chooses, what keeps, where a reorder is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.model.layout import packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from app.engine.network.rules.onednn.formats import Problem, choose
from tests.engine.network.graphs import chain, node, tensor


def _carried(
    inputs: Mapping[str, GraphTensor],
    constants: Mapping[str, GraphTensor],
    *nodes: NodeSource,
    **options: Any,
) -> Propagation:
    return propagate(Graph.of(inputs=inputs, constants=constants, nodes=nodes), "onednn", options)


def _is(found: Propagation, name: str, tag: str) -> bool:
    layout = found.tensors[name].layout
    assert layout is not None
    return layout == parse_layout(f"onednn:{tag}", layout.shape)


def _moves(found: Propagation) -> list[tuple[str, str, str, str | None]]:
    return [(each.tensor, each.source, each.target, each.before) for each in found.reorders]


_X, _W = tensor((1, 32, 8, 8)), tensor((32, 32, 3, 3))


@pytest.mark.parametrize(
    ("isa", "data", "weight"),
    [
        ("avx512", "nChw16c", "OIhw16i16o"),
        ("avx2", "nChw8c", "OIhw8i8o"),
        ("sse41", "nChw8c", "OIhw8i8o"),
    ],
)
def test_a_convolution_chooses_and_an_activation_keeps(isa: str, data: str, weight: str) -> None:
    nodes = chain("conv2d(x w) a padding=1; relu(a) b")
    found = _carried({"x": _X}, {"w": _W}, *nodes, isa=isa)
    assert _is(found, "a", data)
    assert _is(found, "b", data)
    assert _is(found, "w", weight)
    assert _moves(found) == [("x", "nchw", data, "a"), ("b", data, "nchw", None)]
    assert found.bytes == 4 * 4 * _X.layout.elements


def test_what_runs_in_plain_memory() -> None:
    whole = {"x": _X, "d": tensor((1, 32, 8, 8), dtype="float64"), "v": tensor((1, 32, 8, 8, 8))}
    weights = {
        "w": _W,
        "e": tensor((32, 32, 3, 3), dtype="float64"),
        "u": tensor((32, 32, 3, 3, 3)),
        "g": tensor((32, 16, 3, 3, 3)),
    }
    one = tensor((32, 8, 8))
    cases = [
        (node("conv2d", "one w", "y"), {}, "Without a batch"),
        (node("conv2d", "d e", "y"), {}, "no float64"),
        (node("conv3d", "v u", "y"), {"isa": "sse41"}, "three dimensions"),
        (node("conv3d", "v g", "y", groups=2), {"isa": "sse41"}, "three dimensions"),
        (node("Sum", "column row", "y"), {}, "broadcast"),
    ]
    small = {"one": one, "column": tensor((1, 32, 1, 1)), "row": tensor((1, 1, 1, 8))}
    for source, options, why in cases:
        found = _carried(whole | small, weights, source, **options)
        layout = found.tensors["y"].layout
        assert layout is not None
        assert layout == Layout.strided(layout.shape, packed_strides(layout.shape)), why
        assert why in found.nodes[0].reason
    assert _carried(whole, weights, node("conv2d", "x w", "y"), formats=None).bytes > 0
    with pytest.raises(LayoutError, match=r"options\.formats: .* an object"):
        _carried(whole, weights, node("conv2d", "x w", "y"), formats="16c")


def test_few_channels_are_read_plain() -> None:
    nodes = (node("conv2d", "x w", "a", stride=2),)
    found = _carried({"x": tensor((1, 3, 16, 16))}, {"w": tensor((20, 3, 3, 3))}, *nodes)
    assert _is(found, "a", "nChw16c")
    assert _is(found, "w", "Ohwi16o")
    assert _moves(found) == [("a", "nChw16c", "nchw", None)]
    # 20 channels are padded to 32, and the padding is copied too.
    assert found.bytes == 4 * 49 * (32 + 20)


def test_one_copy_serves_all_readers() -> None:
    nodes = chain("conv2d(x w) a; conv2d(x w) b; add(a b) y")
    found = _carried({"x": _X}, {"w": _W}, *nodes)
    assert [move[0] for move in _moves(found)] == ["x", "y"]


def test_a_binary_takes_the_format_of_its_first_source() -> None:
    blocked = node("conv2d", "x w", "a", padding=1)
    found = _carried({"x": _X, "p": _X}, {"w": _W}, blocked, node("add", "a p", "y"))
    assert _is(found, "y", "nChw16c")
    found = _carried({"x": _X, "p": _X}, {"w": _W}, blocked, node("add", "p a", "y"))
    assert _is(found, "y", "nchw")
    assert ("a", "nChw16c", "nchw", "y") in _moves(found)
    assert found.nodes[1].lost == "nChw16c"


def test_an_operand_that_is_broadcast_is_not_copied() -> None:
    bias = tensor((1, 32, 1, 1))
    blocked = node("conv2d", "x w", "a", padding=1)
    found = _carried({"x": _X}, {"w": _W, "s": bias}, blocked, node("mul", "s a", "y"))
    assert _is(found, "y", "nChw16c")
    assert "s" not in [move[0] for move in _moves(found)]


def test_a_sum_takes_the_first_blocked_format() -> None:
    blocked = node("conv2d", "x w", "a", padding=1)
    found = _carried({"x": _X, "p": _X}, {"w": _W}, blocked, node("Sum", "p a", "y"))
    assert _is(found, "y", "nChw16c")


@pytest.mark.parametrize(("out", "tag"), [(16, "nChw16c"), (24, "nchw")])
def test_a_concat_is_blocked_if_no_part_cuts_a_block(out: int, tag: str) -> None:
    nodes = chain("conv2d(x v) a padding=1; conv2d(x w) b padding=1; cat(a b) y dim=1")
    found = _carried({"x": _X}, {"v": tensor((out, 32, 3, 3)), "w": _W}, *nodes)
    assert _is(found, "y", tag)
    assert found.nodes[2].lost == (None if tag == "nChw16c" else "nChw16c")


def test_what_onednn_does_not_have_is_plain() -> None:
    blocked = node("conv2d", "x w", "a", padding=1)
    found = _carried({"x": _X}, {"w": _W}, blocked, node("flip", "a", "y", dims=[3]))
    assert _moves(found)[-1] == ("a", "nChw16c", "nchw", "y")
    assert found.nodes[1].lost == "nChw16c"
    assert "no primitive" in found.nodes[1].reason


def test_flattening_one_pixel_moves_nothing() -> None:
    nodes = chain(
        "conv2d(x w) a padding=1; adaptive_avg_pool2d(a) b output_size=1; "
        "flatten(b) c start_dim=1; linear(c v) y"
    )
    found = _carried({"x": _X}, {"w": _W, "v": tensor((10, 32))}, *nodes)
    assert _is(found, "b", "nChw16c")
    assert [move[0] for move in _moves(found)] == ["x"]


def test_weights_that_a_node_computes_are_packed_at_every_run() -> None:
    nodes = chain("neg(v) w; conv2d(x w) a")
    found = _carried({"x": _X}, {"v": _W}, *nodes)
    assert ("w", "nchw", "OIhw16i16o", "a") in _moves(found)


def test_a_part_of_the_table_can_be_replaced() -> None:
    nodes = (node("conv2d", "x w", "a", padding=1),)
    found = _carried({"x": _X}, {"w": _W}, *nodes, formats={"dense": "last"})
    assert _is(found, "a", "nhwc")
    with pytest.raises(LayoutError) as error:
        _carried({"x": _X}, {"w": _W}, *nodes, formats={"dense": "5c"})
    assert error.value.field == "options.formats.dense"
    with pytest.raises(LayoutError) as error:
        _carried({"x": _X}, {"w": _W}, *nodes, formats={"sparse": "8c"})
    assert error.value.field == "options.formats"


# Source and result as oneDNN 3.2 answered for float32, kernels of 3x3 but for the last row;
# channels of a group in and out, groups.
_ASKED = [
    ("avx512", (64, 64, 1), "last", "last"),
    ("avx512", (4, 30, 1), "plain", "16c"),
    ("avx512", (5, 30, 1), "last", "last"),
    ("avx512", (1, 1, 24), "last", "last"),
    ("avx512", (16, 16, 4), "16c", "16c"),
    ("avx512", (8, 8, 4), "8c", "8c"),
    ("avx512", (4, 4, 4), "4c", "4c"),
    ("avx512", (3, 3, 4), "plain", "plain"),
    ("avx512", (24, 24, 2), "last", "last"),
    ("avx512", (16, 24, 2), "8c", "8c"),
    ("avx512", (1, 2, 24), "plain", "plain"),
    ("avx2", (16, 16, 2), "last", "last"),
    ("avx2", (8, 8, 2), "8c", "8c"),
    ("avx2", (4, 4, 2), "plain", "plain"),
    ("avx2", (4, 32, 1), "plain", "8c"),
    ("avx2", (1, 1, 12), "last", "last"),
    ("avx512", (20, 12, 2), "last", "last"),
    ("avx512", (12, 2, 2), "last", "last"),
    ("avx512", (2, 24, 2), "plain", "8c"),
    ("avx2", (3, 8, 2), "plain", "8c"),
    ("sse41", (64, 64, 1), "8c", "8c"),
    ("sse41", (3, 64, 1), "plain", "8c"),
    ("sse41", (20, 30, 1), "plain", "plain"),
    ("sse41", (8, 12, 1), "plain", "plain"),
    ("sse41", (1, 1, 16), "8c", "8c"),
    ("sse41", (1, 1, 12), "plain", "plain"),
    ("sse41", (8, 8, 4), "8c", "8c"),
    ("sse41", (4, 4, 4), "plain", "plain"),
]


@pytest.mark.parametrize(("isa", "channels", "source", "result"), _ASKED)
def test_the_brgemm_table_is_what_onednn_answered(
    isa: str, channels: tuple[int, int, int], source: str, result: str
) -> None:
    into, out, groups = channels
    problem = Problem(4, into, out, groups, pointwise=False, int8=False)
    chosen = choose(problem, isa, "brgemm", {})
    assert (chosen.source, chosen.result) == (source, result)


def test_8_bit_channels_lie_innermost() -> None:
    data = tensor((1, 32, 8, 8), dtype="uint8")
    found = _carried(
        {"x": data}, {"w": tensor((32, 32, 3, 3), dtype="int8")}, node("ConvInteger", "x w", "a")
    )
    assert _is(found, "a", "nhwc")
