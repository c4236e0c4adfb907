"""The rules of oneDNN: what chooses, what keeps, where a reorder is."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.model.layout import packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from app.engine.network.rules.onednn import ConvProblem, choose
from tests.engine.network.graphs import chain, copied, moves, node, tensor


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


_X, _W = tensor((1, 32, 8, 8)), tensor((32, 32, 3, 3))


@pytest.mark.parametrize(("isa", "block"), [("avx512", 16), ("avx2", 8), ("sse41", 8)])
def test_a_convolution_chooses_and_an_activation_keeps(isa: str, block: int) -> None:
    nodes = chain("conv2d(x w) a padding=1; relu(a) b")
    found = _carried({"x": _X}, {"w": _W}, *nodes, isa=isa)
    data = f"nChw{block}c"
    assert _is(found, "a", data)
    assert _is(found, "b", data)
    assert _is(found, "w", f"OIhw{block}i{block}o")
    assert moves(found) == [("x", "nchw", data, "a"), ("b", data, "nchw", None)]
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


def test_a_part_of_the_table_can_be_replaced() -> None:
    nodes = (node("conv2d", "x w", "a", padding=1),)
    found = _carried({"x": _X}, {"w": _W}, *nodes, formats={"dense": "last"})
    assert _is(found, "a", "nhwc")
    for formats, field in (({"dense": "5c"}, ".dense"), ({"sparse": "8c"}, ""), ("16c", "")):
        with pytest.raises(LayoutError) as error:
            _carried({"x": _X}, {"w": _W}, *nodes, formats=formats)
        assert error.value.field == f"options.formats{field}"


# Source and result as oneDNN 3.2 answered for float32, kernels of 3x3 but for the last row;
# channels of a group in and out, groups.
_ASKED = (
    "avx512 64 64 1 last last; avx512 4 30 1 plain 16c; avx512 5 30 1 last last; "
    "avx512 1 1 24 last last; avx512 16 16 4 16c 16c; avx512 8 8 4 8c 8c; avx512 4 4 4 4c 4c; "
    "avx512 3 3 4 plain plain; avx512 24 24 2 last last; avx512 16 24 2 8c 8c; "
    "avx512 1 2 24 plain plain; avx2 16 16 2 last last; avx2 8 8 2 8c 8c; "
    "avx2 4 4 2 plain plain; avx2 4 32 1 plain 8c; avx2 1 1 12 last last; "
    "avx512 20 12 2 last last; avx512 12 2 2 last last; avx512 2 24 2 plain 8c; "
    "avx2 3 8 2 plain 8c; sse41 64 64 1 8c 8c; sse41 3 64 1 plain 8c; sse41 20 30 1 plain plain; "
    "sse41 8 12 1 plain plain; sse41 1 1 16 8c 8c; sse41 1 1 12 plain plain; sse41 8 8 4 8c 8c; "
    "sse41 4 4 4 plain plain"
)


@pytest.mark.parametrize("row", _ASKED.split("; "))
def test_the_brgemm_table_is_what_onednn_answered(row: str) -> None:
    isa, *channels, source, result = row.split()
    into, out, groups = map(int, channels)
    problem = ConvProblem(4, into, out, groups, pointwise=False, int8=False)
    chosen = choose(problem, isa, "brgemm", {})
    assert (chosen.source, chosen.result) == (source, result)


# Weights of small matrix products, as oneDNN 3.2 answered for float32.
_WEIGHTS = (
    "avx512 12 1 16o; avx512 20 1 32o; avx512 48 1 48o; avx512 64 1 64o; avx512 96 1 48o; "
    "avx512 24 2 32o; avx2 8 1 8o; avx2 20 1 24o; avx2 40 1 24o; avx2 64 1 16o"
)


@pytest.mark.parametrize("row", _WEIGHTS.split("; "))
def test_small_matrix_products_read_weights_in_blocks(row: str) -> None:
    isa, out, groups, block = row.split()
    problem = ConvProblem(4, 20, int(out), int(groups), pointwise=False, int8=False)
    expected = f"{'g' * (groups == '2')}Ohwi{block}"
    assert choose(problem, isa, "brgemm", {}).weight == expected


@pytest.mark.parametrize(
    ("nodes", "tags", "expected", "lost"),
    [
        # Few channels are read plain.
        ("conv2d(i k) a stride=2", "a nChw16c, k Ohwi16o", "a>nchw", None),
        # One copy serves all readers.
        ("conv2d(x w) a; conv2d(x w) b; add(a b) y", "y nChw16c", "x>nChw16c y>nchw", None),
        # A binary takes the format of its first source, if that is not broadcast.
        ("conv2d(x w) a padding=1; add(a p) y", "y nChw16c", "x>nChw16c p>nChw16c y>nchw", None),
        ("conv2d(x w) a padding=1; add(p a) y", "y nchw", "x>nChw16c a>nchw", "nChw16c"),
        ("conv2d(x w) a padding=1; mul(s a) y", "y nChw16c", "x>nChw16c y>nchw", None),
        # A sum takes the first blocked format.
        ("conv2d(x w) a padding=1; Sum(p a) y", "y nChw16c", "x>nChw16c p>nChw16c y>nchw", None),
        # A concat is blocked if no part cuts a block.
        ("conv2d(x h) a; conv2d(x w) b; cat(a b) y dim=1", "y nChw16c", "x>nChw16c y>nchw", None),
        (
            "conv2d(x o) a; conv2d(x w) b; cat(a b) y dim=1",
            "y nchw",
            "x>nChw16c a>nchw b>nchw",
            "nChw16c",
        ),
        # What oneDNN does not have is plain.
        ("conv2d(x w) a; flip(a) y dims=[3]", "y nchw", "x>nChw16c a>nchw", "nChw16c"),
        # Flattening one pixel moves nothing.
        (
            "conv2d(x w) a; adaptive_avg_pool2d(a) b output_size=1; flatten(b) c start_dim=1; "
            "linear(c v) y",
            "b nChw16c",
            "x>nChw16c",
            None,
        ),
        # Weights that a node computes are packed at every run.
        ("neg(w) u; conv2d(x u) a", "a nChw16c", "x>nChw16c u>OIhw16i16o a>nchw", None),
        # 8 bits: channels lie innermost.
        ("ConvInteger(u8 w8) a", "a nhwc", "u8>nhwc a>nchw", None),
    ],
)
def test_what_is_chosen_kept_and_copied(
    nodes: str, tags: str, expected: str, lost: str | None
) -> None:
    int8 = {"w8": tensor((32, 32, 3, 3), dtype="int8")}
    inputs = {"x": _X, "p": _X, "i": tensor((1, 3, 16, 16))}
    inputs["u8"] = tensor((1, 32, 8, 8), dtype="uint8")
    shapes = {"k": (20, 3, 3, 3), "s": (1, 32, 1, 1), "h": (16, 32, 3, 3), "o": (24, 32, 3, 3)}
    constants = {name: tensor(shape) for name, shape in shapes.items()}
    constants["v"] = tensor((10, 32))
    found = _carried(inputs, {"w": _W, **constants, **int8}, *chain(nodes))
    for each in tags.split(", "):
        assert _is(found, *each.split())
    assert copied(found) == expected
    assert found.nodes[-1].lost == lost
    if expected == "a>nchw":  # 20 channels are padded to 32, and the padding is not read
        assert found.bytes == 4 * 49 * (20 + 20)


def test_weights_that_padding_makes_too_large_stay_as_they_are() -> None:
    large = tensor((2**58, 17, 1, 1))
    found = _carried({"x": tensor((1, 17, 1, 1))}, {"w": large}, node("conv2d", "x w"))
    assert found.tensors["w"].layout == large.layout
