"""How the drawings of the command line name what lies in memory."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from app.cli.decided import Decided, Lying, lying
from app.cli.network_svg import drawing
from app.engine.network import Graph
from tests.engine.network.graphs import node, tensor

_SHAPE = (2, 3, 4, 5)
_NHWC, _ROWS, _ODD = (60, 1, 15, 3), (60, 20, 5, 1), (60, 2, 15, 3)


@pytest.mark.parametrize(
    ("text", "strides", "kind", "short"),
    [
        ("NCHW", None, "plain", "NCHW"),
        ("nhwc", None, "last", "NHWC"),
        ("acdb", None, "last", "NHWC"),
        ("contiguous", None, "plain", "NCHW"),
        ("channels_last", None, "last", "NHWC"),
        ("abcd", None, "plain", "NCHW"),
        ("NWHC", None, "last", "NHWC"),
        ("NHCW", None, "other", "NHCW"),
        ("NHCW", _NHWC, "last", "NHWC"),
        ("NHCW", _ROWS, "plain", "NCHW"),
        ("NHCW", _ODD, "other", "NHCW"),
        ("onednn:nChw16c", None, "blocked", "nChw16"),
        ("NCHW16c", None, "blocked", "NCHW16"),
        ("(60, 1, 15, 3)", _NHWC, "last", "NHWC"),
        ("(60, 2, 15, 3)", _ODD, "other", "strided"),
        ("(60, 2, 15, 3)", None, "other", "strided"),
        (None, None, "unknown", "not known"),
    ],
)
def test_what_a_layout_s_text_stands_for(
    text: str | None, strides: tuple[int, ...] | None, kind: str, short: str
) -> None:
    assert lying(text, _SHAPE, strides) == Lying(kind, short)


def test_sizes_of_1_say_nothing_about_the_order() -> None:
    assert lying("(9, 1, 7, 3)", (1, 3, 1, 5), (9, 1, 7, 3)).kind == "last"
    assert lying("NCHW", None) == Lying("unknown", "not known")
    assert lying("ABC", (1,) * 7, (1,) * 7) == Lying("plain", "row-major")


def test_a_drawing_counts_what_a_fold_loses_and_names_unknown_shapes() -> None:
    names = [f"t{i}" for i in range(31)]
    given: dict[str, dict[str, Any]] = {"relu": {}, "sigmoid": {}, "softmax": {"dim": 1}}
    nodes = [
        node(op, *pair, **given[op])
        for op, pair in zip([*given] * 10, pairwise(names), strict=True)
    ]
    graph = Graph.of(inputs={"t0": tensor(_SHAPE)}, nodes=[*nodes, node("mystery", "t30", "u")])
    lost = {f"t{i}": "channels_last" for i in range(3, 31, 3)}
    drawn = drawing(graph, "A network", Decided("Said.", {}, [], lost))
    assert "channels_last, 9 times" in drawn
    assert "shape not known" in drawn
