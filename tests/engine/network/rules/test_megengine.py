"""The rules of MegEngine's global layout transform."""

from typing import Any

import pytest

from app.engine import parse_dtype, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, copied, node, tensor


def _carried(shape: tuple[int, ...], dtype: str, *nodes: NodeSource, **options: Any) -> Propagation:
    into = shape[1]
    graph = Graph.of(
        inputs={"x": tensor(shape, dtype=dtype)},
        constants={
            "w": tensor((32, into, 3, 3), dtype=dtype),
            "v": tensor((32, 32, 3, 3), dtype=dtype),
            "d": tensor((into, 1, 3, 3), dtype=dtype),
        },
        nodes=nodes,
    )
    return propagate(graph, "megengine", options)


_CONV = node("conv2d", "x w", "a", padding=1)


_CPU = {"target": "cpu"}


@pytest.mark.parametrize(
    ("dtype", "into", "options", "expected"),
    [
        ("float32", 32, {}, ""),
        ("int8", 32, {}, "x>NCHW32 a>NCHW"),
        ("int8", 3, {}, "x>NCHW4 a>NCHW"),
        ("int4", 32, {}, "x>NCHW64 a>NCHW"),
        ("float16", 32, {}, "x>NHWC a>NCHW"),
        ("float32", 32, _CPU, "x>NCHW8 a>NCHW"),
        ("float32", 3, _CPU, "a>NCHW"),
        ("float32", 12, _CPU, ""),
        ("float32", 12, {**_CPU, "block": 4}, "x>NCHW4 a>NCHW"),
    ],
)
def test_a_convolution_takes_a_format_of_its_table(
    dtype: str, into: int, options: dict[str, Any], expected: str
) -> None:
    assert copied(_carried((2, into, 8, 8), dtype, _CONV, **options)) == expected


def test_what_no_format_of_the_table_fits() -> None:
    volumes = Graph.of(
        inputs={"x": tensor((8, 4, 8, 8))},  # without a batch
        constants={"w": tensor((8, 8, 3, 3, 3))},
        nodes=[node("conv3d", "x w", "a", padding=1)],
    )
    groups = Graph.of(
        inputs={"x": tensor((2, 6, 8, 8), dtype="int8")},
        constants={"w": tensor((8, 3, 3, 3), dtype="int8")},
        nodes=[node("conv2d", "x w", "a", groups=2)],
    )
    for graph in (volumes, groups):
        found = propagate(graph, "megengine")
        assert not found.reorders
        assert "has NCHW only" in found.nodes[0].reason


_KEEPING = "relu(a) b; max_pool2d(b) c kernel_size=2; softmax(c) e dim=1"
_JOINED = "conv2d(a v) b padding=1; cat(a b) c dim=1"


@pytest.mark.parametrize(
    ("dtype", "nodes", "options", "expected", "lost"),
    [
        # Formats are kept by what runs in them; a depthwise convolution in 8 bits runs in NCHW4.
        ("int8", _KEEPING, {}, "x>NCHW32 c>NCHW", "NCHW32"),
        ("int8", "conv2d(x d) b groups=32", {}, "x>NCHW32 x>NCHW4 a>NCHW b>NCHW", None),
        # Concat is in the table of the CPU alone.
        ("float32", _JOINED, _CPU, "x>NCHW8 c>NCHW", None),
        ("int8", _JOINED, {}, "x>NCHW32 a>NCHW b>NCHW", "NCHW32"),
    ],
)
def test_what_follows_a_convolution(
    dtype: str, nodes: str, options: dict[str, Any], expected: str, lost: str | None
) -> None:
    found = _carried((2, 32, 8, 8), dtype, _CONV, *chain(nodes), **options)
    assert copied(found) == expected
    assert found.nodes[-1].lost == lost


@pytest.mark.parametrize(("channels", "joined"), [(6, "NCHW"), (8, "CHWN4")])
def test_concat_does_not_cut_the_blocks_of_chwn4(channels: int, joined: str) -> None:
    layout = parse_layout("megengine:CHWN4", (2, channels, 8, 8))
    parts = {name: GraphTensor(layout, parse_dtype("int8")) for name in "xy"}
    graph = Graph.of(inputs=parts, nodes=[node("cat", "x y", "c", dim=1)])
    found = propagate(graph, "megengine", {"target": "cpu"})
    assert found.tensors["c"].text == f"megengine:{joined}"
