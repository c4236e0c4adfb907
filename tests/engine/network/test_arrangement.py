"""Networks as drawings: repeated blocks, layers, lines and columns."""

from itertools import pairwise

import pytest

from app.engine import LayoutError, parse_dtype, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource
from app.engine.network.arrangement import layered as layering
from app.engine.network.arrangement import place
from app.engine.network.arrangement.folds import Fold, find_folds
from app.engine.network.arrangement.place import Arrangement, Copied, arrange
from app.engine.network.examples import EXAMPLES, find_example

X = GraphTensor(parse_layout("NCHW", (1, 8, 4, 4)), parse_dtype("float32"))
Row = tuple[str, list[str], str]


def graph_of(*rows: Row) -> Graph:
    nodes = [NodeSource(op, inputs, [output]) for op, inputs, output in rows]
    return Graph.of(inputs={"x": X}, nodes=nodes)


def blocks(count: int) -> Graph:
    """Residual blocks: relu, sigmoid, and the sum with the block's input."""
    rows: list[Row] = []
    last = "x"
    for k in range(count):
        rows += [
            ("relu", [last], f"r{k}"),
            ("sigmoid", [f"r{k}"], f"s{k}"),
            ("add", [f"s{k}", last], f"a{k}"),
        ]
        last = f"a{k}"
    return graph_of(*rows)


def test_a_network_of_nothing_is_an_empty_drawing() -> None:
    found = arrange(Graph.of(inputs={}, nodes=[]), aspect=2.0)
    assert (found.vertices, found.edges, found.width, found.height) == ((), (), 0.0, 0.0)


def test_a_constant_that_is_reordered_stands_at_its_reader() -> None:
    weight = GraphTensor(parse_layout("NCHW", (8, 8, 1, 1)), X.dtype)
    conv = NodeSource("conv2d", ["x", "w"], ["y"])
    graph = Graph.of(inputs={"x": X}, constants={"w": weight}, nodes=[conv])
    found = arrange(graph, reorders=[Copied("w", ("y",))])
    assert [each.kind for each in found.vertices] == ["input", "node", "reorder"]
    assert {(each.tensor, each.source, each.target) for each in found.edges} == {
        ("x", 0, 1),
        ("w", 2, 1),
    }


def test_a_drawing_of_too_many_long_edges_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "MOST_WEIGHT", 1)
    with pytest.raises(LayoutError, match="too many long edges"):
        arrange(blocks(4))


def check(found: Arrangement) -> None:
    """Boxes lie apart and inside, and every line leads downwards through a layer at a time."""
    places = {(vertex.x, vertex.y) for vertex in found.vertices}
    assert len(places) == len(found.vertices)
    for vertex in found.vertices:
        assert 74 <= vertex.x <= found.width - 74
        assert 20 <= vertex.y <= found.height - 20
    by_row: dict[float, list[float]] = {}
    for vertex in found.vertices:
        by_row.setdefault(vertex.y, []).append(vertex.x)
    for row in by_row.values():
        assert all(b - a >= 150 for a, b in pairwise(sorted(row)))
    for edge in found.edges:
        source, target = found.vertices[edge.source], found.vertices[edge.target]
        assert edge.points[0] == (source.x, source.y)
        assert edge.points[-1] == (target.x, target.y)
        assert source.layer < target.layer


def test_blocks_one_after_the_other_are_one_fold() -> None:
    assert find_folds(blocks(4)) == (Fold(0, 3, 4),)


@pytest.mark.parametrize(
    ("name", "folds", "drawn"),
    [
        ("densenet-121", [(7, 6), (7, 12), (7, 24), (7, 16)], 26),
        ("bert-base", [(23, 12)], 25),
        ("inception-block", [], 12),
        ("unet", [], 50),
    ],
)
def test_blocks_that_grow_fold_and_branches_do_not(
    name: str, folds: list[tuple[int, int]], drawn: int
) -> None:
    graph = find_example(name).graph
    assert [(each.period, each.repeats) for each in find_folds(graph)] == folds
    assert len(arrange(graph, fold=True).vertices) == drawn


def test_nodes_beside_each_other_are_no_blocks() -> None:
    rows: list[Row] = [("relu", ["x"], f"r{k}") for k in range(20)]
    assert find_folds(graph_of(*rows)) == ()


def test_a_block_begins_where_the_fewest_tensors_cross() -> None:
    for fold in find_folds(find_example("resnet-50").graph):
        assert find_example("resnet-50").graph.nodes[fold.first].op == "conv2d"
        assert fold.period == 10


def test_blocks_that_differ_are_not_folded() -> None:
    graph = blocks(4)
    changed = [
        NodeSource("tanh" if node.name == "s2" else node.op, node.inputs, node.outputs)
        for node in graph.nodes
    ]
    assert find_folds(Graph.of(inputs={"x": X}, nodes=changed)) == ()


def test_blocks_that_are_connected_otherwise_are_not_folded() -> None:
    graph = blocks(4)
    changed = [
        NodeSource(node.op, ["s2", "r2"] if node.name == "a2" else node.inputs, node.outputs)
        for node in graph.nodes
    ]
    assert find_folds(Graph.of(inputs={"x": X}, nodes=changed)) == ()


def test_a_fold_is_one_vertex_and_can_be_unfolded() -> None:
    graph = blocks(6)

    def drawn(*unfolded: str) -> list[str]:
        found = arrange(graph, fold=True, unfolded=unfolded).vertices[1:]
        return [
            f"{each.name}×{each.repeats}" if each.kind == "fold" else each.name for each in found
        ]

    # They are all of the network, so the first block is drawn.
    assert drawn() == ["r0", "s0", "a0", "r1×5"]
    assert drawn("r1") == ["r0", "s0", "a0", "r1", "s1", "a1", "r2×4"]
    assert len(drawn(*(f"r{k}" for k in range(5)))) == len(arrange(graph).vertices) - 1 == 18


def test_a_reorder_stands_between_the_tensor_and_its_readers() -> None:
    graph = blocks(1)
    found = arrange(graph, reorders=[Copied("x", ("a0",))])
    check(found)
    at = next(i for i, each in enumerate(found.vertices) if each.kind == "reorder")
    names = [each.name for each in found.vertices]
    ways = [(each.source, names[each.target]) for each in found.edges]
    assert (at, "a0") in ways
    assert any(each.target == at and names[each.source] == "x" for each in found.edges)
    assert (0, "a0") not in ways


def test_a_reorder_inside_a_fold_is_not_drawn() -> None:
    copies = [Copied("r3", ("s3",)), Copied("a0", ("r1",))]
    found = arrange(blocks(6), fold=True, reorders=copies)
    assert [each.first for each in found.vertices if each.kind == "reorder"] == [1]


@pytest.mark.parametrize(
    ("reorder", "field"),
    [
        (Copied("y", ("r0",)), "reorders[0].tensor"),
        (Copied("x", ("s0",)), "reorders[0].readers[0]"),
        (Copied("x", ("r0", "q")), "reorders[0].readers[1]"),
    ],
)
def test_reorders_that_are_none_are_refused(reorder: Copied, field: str) -> None:
    with pytest.raises(LayoutError) as caught:
        arrange(blocks(1), reorders=[reorder])
    assert caught.value.field == field


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_drawn(name: str) -> None:
    graph = find_example(name).graph
    for found in (arrange(graph), arrange(graph, fold=True, aspect=1.4)):
        check(found)
        drawn = sum(each.period * each.repeats for each in found.vertices if each.kind != "input")
        assert drawn == len(graph.nodes)


def test_a_long_network_is_broken_into_columns() -> None:
    graph = graph_of(*[("relu", [f"t{k}" if k else "x"], f"t{k + 1}") for k in range(100)])
    tall, wrapped = arrange(graph), arrange(graph, aspect=1.5)
    assert tall.height / tall.width > 40
    assert 0.7 < wrapped.width / wrapped.height < 3
    check(wrapped)


@pytest.mark.parametrize("name", ["resnet-50", "unet", "mobilenet-v3-large"])
def test_lines_of_two_tensors_to_the_next_column_lie_apart(name: str) -> None:
    found = arrange(find_example(name).graph, fold=True, aspect=1.8)
    rising: dict[float, set[str]] = {}
    for edge in found.edges:
        for (x, low), (to, high) in pairwise(edge.points):
            if x == to and high < low - found.height / 2:
                rising.setdefault(round(x, 3), set()).add(edge.tensor)
    assert len(rising) > 2
    assert all(len(tensors) == 1 for tensors in rising.values())
    check(found)


def test_a_tensor_that_many_read_is_one_line() -> None:
    rows: list[Row] = [("add", [f"t{k - 1}", "t0"], f"t{k}") for k in range(1, 40)]
    graph = graph_of(("relu", ["x"], "t0"), *rows)
    found = arrange(graph)
    lanes = {round(x) for edge in found.edges if edge.tensor == "t0" for x, _ in edge.points[1:-1]}
    assert len(lanes) <= 3
    check(found)


def test_what_is_large_is_drawn_by_a_process_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = find_example("unet").graph
    here = arrange(graph)
    monkeypatch.setattr(layering, "MOST_HERE", 0)
    monkeypatch.setattr(layering, "SECONDS", 300)
    assert arrange(graph) == here


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layering, "MOST_HERE", 0)
    monkeypatch.setattr(layering, "SECONDS", 0.001)
    with pytest.raises(LayoutError, match="takes too long"):
        arrange(blocks(3))


def test_too_many_nodes_are_refused() -> None:
    graph = graph_of(*[("relu", [f"t{k}" if k else "x"], f"t{k + 1}") for k in range(3001)])
    with pytest.raises(LayoutError, match="at most 3000"):
        arrange(graph)
    assert len(arrange(graph, fold=True).vertices) < 10


def test_nodes_that_nothing_connects_are_drawn_beside() -> None:
    graph = Graph.of(inputs={"x": X, "y": X}, nodes=[NodeSource("relu", ["x"], ["a"])])
    check(arrange(graph))
