"""How the drawings of the command line name what lies in memory."""

from itertools import pairwise
from typing import Any

from app.cli.network_svg import Decided, drawing
from app.engine.network import Graph
from tests.engine.network.graphs import node, tensor

_SHAPE = (2, 3, 4, 5)


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
    assert "✕ loses 9 layouts" in drawn
    assert "shape not known" in drawn


def test_a_node_is_as_high_as_the_page_draws_it() -> None:
    nodes = [node("adaptive_avg_pool2d", "x", "y", output_size=1), node("relu", "y", "z")]
    graph = Graph.of(inputs={"x": tensor(_SHAPE)}, nodes=nodes)
    drawn = drawing(graph, "A network", Decided("Said.", {}, [], {}))
    assert [drawn.count(f'width="148" height="{height}"') for height in (52, 42)] == [1, 1]
