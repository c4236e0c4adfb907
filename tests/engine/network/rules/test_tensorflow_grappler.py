"""The rules of grappler's layout optimizer."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from tests.engine.network.graphs import chain, moves, node, tensor

_SHAPE = (1, 8, 4, 4)
_NCHW, _NHWC = tensor(_SHAPE), tensor(_SHAPE, (128, 1, 32, 8))
_W = tensor((8, 8, 3, 3))


def _carried(x: GraphTensor, *nodes: NodeSource, **options: Any) -> Propagation:
    graph = Graph.of(inputs={"x": x}, constants={"w": _W}, nodes=nodes)
    return propagate(graph, "tensorflow-grappler", options)


_BLOCK = chain("conv2d(x w) a padding=1; relu(a) b; conv2d(b w) c padding=1; add(c b) d; neg(d) e")


@pytest.mark.parametrize(
    ("reader", "shape", "rule", "why"),
    [  # SqueezeTransposer, ReduceTransposer and ShapeTransposer of generic_layout_optimizer
        (node("squeeze", "b", "c", dim=[2, 3]), (1, 1), "agnostic", "goes on in NCHW"),
        (node("squeeze", "b", "c"), (1, 1), "agnostic", "goes on in NCHW"),
        (node("squeeze", "b", "c", dim=[0]), (1, 1), "left", "squeezes other dimensions"),
        (node("squeeze", "b", "c", dim=[0]), (2, 1), "left", "heights and widths of 1 only"),
        (node("mean", "b", "c", dim=[2, 3], keepdim=True), (2, 2), "agnostic", "goes on in NCHW"),
        (node("mean", "b", "c", dim=[0, 3]), (2, 2), "left", "drops other dimensions"),
        (node("Shape", "b", "c"), (2, 2), "agnostic", "goes on in NCHW"),
    ],
)
def test_what_drops_dimensions_behind_a_converted_node(
    reader: NodeSource, shape: tuple[int, int], rule: str, why: str
) -> None:
    pool = node("adaptive_avg_pool2d", "a", "b", output_size=list(shape))
    conv = node("conv2d", "x w", "a", padding=1)
    found = _carried(_NHWC, conv, pool, reader, node("abs", "c", "d"), tf32=False)
    report = found.nodes[2]
    assert (report.rule, why in report.reason) == (rule, True), report.reason
    moved = [each[0] for each in moves(found)]
    assert ("b" in moved) == (rule == "left" and shape != (1, 1))


def test_a_result_that_nobody_reads_is_not_looked_at() -> None:
    nodes = chain("conv2d(x w) a; conv2d(x w) b; relu(a) c")
    graph = Graph.of(inputs={"x": _NHWC}, constants={"w": _W}, nodes=nodes, outputs=["c"])
    found = propagate(graph, "tensorflow-grappler", {"tf32": False}).nodes
    assert [each.rule for each in found] == ["sensitive", "left", "left"]
    assert found[1].reason == "Nobody reads its result, so it is not looked at."


@pytest.mark.parametrize(
    ("dtype", "options", "turned"),
    [
        ("float32", {}, True),
        ("float32", {"tf32": False}, False),
        ("float32", {"architecture": 7.5}, False),
        ("float16", {"architecture": 7.0, "tf32": False}, True),
        ("float16", {"architecture": 6.1}, False),
        ("bfloat16", {"architecture": 7.5}, False),
        ("bfloat16", {"architecture": 8.0}, True),
    ],
)
def test_tensor_cores_turn_nchw_into_nhwc(
    dtype: str, options: Mapping[str, Any], *, turned: bool
) -> None:
    found = _carried(tensor(_SHAPE, dtype=dtype), *_BLOCK, **options)
    expected = [("x", "NCHW", "NHWC", "a"), ("d", "NHWC", "NCHW", "e")]
    assert moves(found) == (expected if turned else [])


_NO_TF32 = {"tf32": False}
_ON_CPU = {"device": "cpu", "cpu_layout_conversion": "NCHW_TO_NHWC"}
_MEAN = "mean(a) b dim=[2,3]; neg(b) c"
_LEAKY = "leaky_relu(a) b; relu(b) c; relu(c) d"


@pytest.mark.parametrize(
    ("x", "nodes", "options", "expected", "reason"),
    [
        # A network in the target format is left; a CPU converts only if asked.
        (_NCHW, "", _NO_TF32, "", "already"),
        (_NCHW, "", {"device": "cpu"}, "", "On a CPU no format is changed"),
        (_NCHW, "", _ON_CPU, "x NHWC a; d NCHW e", ""),
        # Told to be written in NHWC: its images come in NCHW, which is what the convolution reads.
        (_NCHW, "", {**_NO_TF32, "data_format": "NHWC"}, "d NHWC e", ""),
        # The last node is fetched, and left.
        (_NHWC, "", _NO_TF32, "x NCHW a; d NHWC e", ""),
        (
            _NCHW,
            "adaptive_avg_pool2d(a) b output_size=1; squeeze(b) c dim=[2,3]; abs(c) d",
            {},
            "x NHWC a",
            "Squeeze is converted from NHWC only.",
        ),
        # What is not agnostic gets the format back.
        (_NHWC, _LEAKY, _NO_TF32, "x NCHW a; a NHWC b", "No converted node leads to it."),
        # Reductions over height and width are converted from NHWC only.
        (_NHWC, _MEAN, _NO_TF32, "x NCHW a", ""),
        (_NCHW, _MEAN, {}, "x NHWC a; a NCHW b", ""),
    ],
)
def test_what_is_converted(
    x: GraphTensor, nodes: str, options: Mapping[str, Any], expected: str, reason: str
) -> None:
    """``nodes``: behind a convolution; the block from above if there are none."""
    made = chain(f"conv2d(x w) a padding=1; {nodes}") if nodes else _BLOCK
    found = _carried(x, *made, **options)
    said = [f"{tensor} {target} {reader}" for tensor, _, target, reader in moves(found)]
    assert "; ".join(said) == expected
    assert any(reason in each.reason for each in found.nodes)
