"""Networks as drawings: repeated blocks, layers, lines and columns."""

from itertools import pairwise

import pytest

from app.engine import LayoutError
from app.engine.network import Graph, NodeSource
from app.engine.network.arrangement import folds, place
from app.engine.network.arrangement import layered as layering
from app.engine.network.arrangement.folds import Fold, find_folds
from app.engine.network.arrangement.place import Arrangement, Copied, arrange
from app.engine.network.examples import EXAMPLES, find_example
from tests.engine.network.graphs import chain, node, tensor

X = tensor((1, 8, 4, 4))


def graph_of(*nodes: NodeSource) -> Graph:
    return Graph.of(inputs={"x": X}, nodes=nodes)


def blocks(count: int, old: str = "", new: str = "") -> Graph:
    """Residual blocks: relu, sigmoid, and the sum with the block's input; ``new`` for ``old``."""
    lines: list[str] = []
    last = "x"
    for k in range(count):
        lines += [f"relu({last}) r{k}", f"sigmoid(r{k}) s{k}", f"add(s{k} {last}) a{k}"]
        last = f"a{k}"
    return graph_of(*chain("; ".join(lines).replace(old, new)))


def line(length: int) -> Graph:
    return graph_of(*(node("relu", f"t{k}" if k else "x", f"t{k + 1}") for k in range(length)))


def test_a_constant_that_is_reordered_stands_at_its_reader() -> None:
    constants = {"w": tensor((8, 8, 1, 1))}
    graph = Graph.of(inputs={"x": X}, constants=constants, nodes=chain("conv2d(x w) y"))
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


def test_equal_blocks_one_after_the_other_are_one_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_folds(blocks(4)) == (Fold(0, 3, 4),)
    for changed in (("sigmoid(r2)", "tanh(r2)"), ("add(s2 a1)", "add(s2 r2)")):
        assert find_folds(blocks(4, *changed)) == ()
    beside = [node("relu", "x", f"r{k}") for k in range(20)]
    assert find_folds(graph_of(*beside)) == ()
    monkeypatch.setattr(folds, "_MOST_STEPS", 1)
    assert find_folds(blocks(4)) == ()


@pytest.mark.parametrize(
    ("name", "folds", "drawn"),
    [
        ("densenet-121", [(7, 6), (7, 12), (7, 24), (7, 16)], 26),
        ("bert-base", [(23, 12)], 25),
        ("inception-block", [], 12),
        ("unet", [], 50),
        ("resnet-50", [(10, 2), (10, 3), (10, 5), (10, 2)], 60),
    ],
)
def test_blocks_that_grow_fold_and_branches_do_not(
    name: str, folds: list[tuple[int, int]], drawn: int
) -> None:
    graph = find_example(name).graph
    assert [(each.period, each.repeats) for each in find_folds(graph)] == folds
    assert len(arrange(graph, fold=True).vertices) == drawn
    if name == "resnet-50":  # a block begins where the fewest tensors cross
        assert {graph.nodes[each.first].op for each in find_folds(graph)} == {"conv2d"}


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


def test_odd_shapes_of_networks() -> None:
    nothing = arrange(Graph.of(inputs={}, nodes=[]), aspect=2.0)
    assert (nothing.vertices, nothing.edges, nothing.width, nothing.height) == ((), (), 0.0, 0.0)
    # Nodes that nothing connects are drawn beside.
    check(arrange(Graph.of(inputs={"x": X, "y": X}, nodes=chain("relu(x) a"))))
    # A long network is broken into columns.
    tall, wrapped = arrange(line(100)), arrange(line(100), aspect=1.5)
    assert tall.height / tall.width > 40
    assert 0.7 < wrapped.width / wrapped.height < 3
    check(wrapped)
    with pytest.raises(LayoutError, match="at most 3000"):
        arrange(line(3001))
    assert len(arrange(line(3001), fold=True).vertices) < 10
    # A tensor that many read is one line.
    readers = (node("add", f"t{k - 1} t0", f"t{k}") for k in range(1, 40))
    many = arrange(graph_of(node("relu", "x", "t0"), *readers))
    places = {round(x) for edge in many.edges if edge.tensor == "t0" for x, _ in edge.points[1:-1]}
    assert len(places) <= 3
    check(many)


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
