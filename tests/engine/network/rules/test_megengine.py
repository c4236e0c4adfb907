"""The rules of MegEngine's global layout transform."""

from __future__ import annotations

from typing import Any

import pytest

from app.engine import LayoutError, parse_dtype, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, moves, node, tensor


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


@pytest.mark.parametrize(
    ("dtype", "into", "options", "expected"),
    [
        ("float32", 32, {}, []),
        ("int8", 32, {}, [("x", "NCHW", "NCHW32", "a"), ("a", "NCHW32", "NCHW", None)]),
        ("int8", 3, {}, [("x", "NCHW", "NCHW4", "a"), ("a", "NCHW4", "NCHW", None)]),
        ("int4", 32, {}, [("x", "NCHW", "NCHW64", "a"), ("a", "NCHW64", "NCHW", None)]),
        ("float16", 32, {}, [("x", "NCHW", "NHWC", "a"), ("a", "NHWC", "NCHW", None)]),
        (
            "float32",
            32,
            {"target": "cpu"},
            [("x", "NCHW", "NCHW8", "a"), ("a", "NCHW8", "NCHW", None)],
        ),
        ("float32", 3, {"target": "cpu"}, [("a", "NCHW8", "NCHW", None)]),
        ("float32", 12, {"target": "cpu"}, []),
        (
            "float32",
            12,
            {"target": "cpu", "block": 4},
            [("x", "NCHW", "NCHW4", "a"), ("a", "NCHW4", "NCHW", None)],
        ),
    ],
)
def test_a_convolution_takes_a_format_of_its_table(
    dtype: str, into: int, options: dict[str, Any], expected: list[tuple[str, str, str, str | None]]
) -> None:
    assert moves(_carried((2, into, 8, 8), dtype, _CONV, **options)) == expected


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


def test_formats_are_kept_by_what_runs_in_them() -> None:
    nodes = (_CONV, *chain("relu(a) b; max_pool2d(b) c kernel_size=2; softmax(c) e dim=1"))
    found = _carried((2, 32, 8, 8), "int8", *nodes)
    assert moves(found) == [("x", "NCHW", "NCHW32", "a"), ("c", "NCHW32", "NCHW", "e")]
    assert found.nodes[3].lost == "NCHW32"


def test_a_depthwise_convolution_in_8_bits_runs_in_nchw4() -> None:
    found = _carried((2, 32, 8, 8), "int8", node("conv2d", "x d", "a", groups=32))
    assert moves(found)[0] == ("x", "NCHW", "NCHW4", "a")


def test_concat_is_in_the_table_of_the_cpu_alone() -> None:
    nodes = _CONV, *chain("conv2d(a v) b padding=1; cat(a b) c dim=1")
    on_cpu = _carried((2, 32, 8, 8), "float32", *nodes, target="cpu")
    assert moves(on_cpu) == [("x", "NCHW", "NCHW8", "a"), ("c", "NCHW8", "NCHW", None)]
    on_cuda = _carried((2, 32, 8, 8), "int8", *nodes)
    assert [move[0] for move in moves(on_cuda)] == ["x", "a", "b"]


@pytest.mark.parametrize(("channels", "joined"), [(6, "NCHW"), (8, "CHWN4")])
def test_concat_does_not_cut_the_blocks_of_chwn4(channels: int, joined: str) -> None:
    layout = parse_layout("megengine:CHWN4", (2, channels, 8, 8))
    parts = {name: GraphTensor(layout, parse_dtype("int8")) for name in "xy"}
    graph = Graph.of(inputs=parts, nodes=[node("cat", "x y", "c", dim=1)])
    found = propagate(graph, "megengine", {"target": "cpu"})
    assert found.tensors["c"].text == f"megengine:{joined}"


def test_the_block_is_checked() -> None:
    with pytest.raises(LayoutError) as error:
        _carried((2, 32, 8, 8), "float32", _CONV, block=16)
    assert error.value.field == "options.block"
