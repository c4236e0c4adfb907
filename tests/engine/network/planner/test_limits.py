"""Plans at their limits: what fits nothing, is not known or is too large; solvers that end."""

import math
from functools import partial

import numpy as np
import pytest

from app.engine import LayoutError
from app.engine.network import Graph, GraphTensor, NodeSource, propagate
from app.engine.network.planner import Offer, baselines, graph_problem, plan, plan_layouts
from app.engine.network.planner.offers import OfferTable
from app.engine.network.planner.quadratic import Core, _in_process, descend, search
from tests.engine.network.graphs import chain, node, tensor

SHAPE = (1, 16, 4, 4)
RELU = Graph.of(inputs={"x": tensor(SHAPE)}, nodes=[node("relu", "x")])


def test_choices_of_no_finite_cost() -> None:
    never = Offer(("NCHW",), ("NCHW",), math.inf)
    with pytest.raises(LayoutError, match="choices that no layouts fit together"):
        plan_layouts(RELU, choices={"relu": [never]})
    found = plan_layouts(RELU, choices={"relu": [never, Offer(("NHWC",), ("NHWC",))]})
    assert found.nodes["y"].inputs == ("NHWC",)
    left = {each.name: each.reason for each in found.left_out}
    assert left == {"all abcd": "Its layouts do not fit together here."}


def test_choices_that_some_nodes_can_have() -> None:
    offers = [Offer(("NHWC",), ()), Offer(("NCW",), ())]
    with pytest.raises(LayoutError) as caught:
        plan_layouts(RELU, choices={"relu": offers})
    assert caught.value.field == "choices.relu[1].inputs[0]"
    assert plan_layouts(RELU, choices={"relu": offers[:1]}).nodes["y"].outputs == ("NCHW",)
    nodes = chain("relu(x) a; flatten(a) f start_dim=1; relu(f) b")
    graph = Graph.of(inputs={"x": tensor(SHAPE)}, nodes=nodes)
    offers = [Offer(("NHWC",), ("NHWC",)), Offer(("WH",), ("WH",))]
    found = plan_layouts(graph, choices={"relu": offers})
    assert [found.nodes[name].inputs for name in "ab"] == [("NHWC",), ("WH",)]


def test_what_is_left_out_or_refused_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, limit, reason in (
        (baselines, "MOST_BEAM_CELLS", "Its states need too much memory here."),
        (plan, "MOST_BEAM_OPERATORS", "It is run for at most 1 operators."),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(module, limit, 1)
            (left,) = plan_layouts(RELU).left_out
        assert left.reason == reason
    monkeypatch.setattr(graph_problem, "MOST_LAYOUTS", 2)
    with pytest.raises(LayoutError, match="choices: got 3 different layouts"):
        plan_layouts(RELU)


def test_an_input_of_no_named_layout_is_copied_from_its_strides() -> None:
    odd = Graph.of(inputs={"x": tensor(SHAPE, (512, 32, 8, 2))}, nodes=[node("relu", "x")])
    found = plan_layouts(odd)
    first, *others = found.tensors["x"]
    assert (first, len(others)) == ("(512, 32, 8, 2)", 1)
    assert [each.source for each in found.reorders] == [first]


@pytest.mark.parametrize(
    "nodes",
    [
        chain("mystery(x) u; relu(u) v; add(v u) w; flatten(x) f; relu(f) g"),
        [*chain("mystery(x) u"), NodeSource("Equal", ["u", "x"], ["", "y"])],
        chain("relu(huge) y"),  # without space for blocks
        chain("relu(matrix) y"),  # without layouts of images
    ],
    ids=["unknown shapes", "no name", "huge", "a matrix"],
)
def test_what_has_no_layouts_to_choose_costs_nothing(nodes: list[NodeSource]) -> None:
    given = {"x": SHAPE, "huge": (1 << 58, 17, 1, 1), "matrix": (4, 6)}
    inputs = {name: tensor(given[name]) for name in (nodes[0].inputs[0],)}
    graph = Graph.of(inputs=inputs, nodes=nodes)
    found = plan_layouts(graph, followed={"eager": partial(propagate, graph, "pytorch-eager")})
    assert (found.cost, found.optimal) == (0, True)
    costs = {each.name: each.cost for each in found.baselines}
    assert costs["eager"] == 0
    assert (set(costs) == {"greedy", "beam of 1024", "eager"}) == ("matrix" in inputs)


def test_a_rule_set_may_decide_for_a_layout_that_no_choice_names() -> None:
    graph = Graph.of(
        inputs={"x": tensor(SHAPE)},
        constants={"w": tensor((16, 16, 3, 3))},
        nodes=[node("conv2d", "x w", "y")],
    )
    rows = Offer(("NCHW", "NCHW"), ("NCHW",))
    follow = {"tvm": partial(propagate, graph, "tvm-relax")}
    found = plan_layouts(graph, choices={"conv2d": [rows]}, followed=follow)
    assert (found.cost, found.optimal) == (0, True)
    assert {each.name for each in found.baselines} >= {"all NHWC", "tvm"}


def test_copies_of_more_bytes_than_int64_are_compared() -> None:
    huge = tensor((1 << 58, 17, 1, 1), (17, 1, 1, 1))
    ways = [Offer(("NHWC",), ("NHWC",)), Offer(("CHWN",), ("CHWN",), 1.0)]
    nodes = [node("relu", "x", "a"), node("Transpose", "a", "b"), node("add", "b b", "y")]
    found = plan_layouts(Graph.of(inputs={"x": huge}, nodes=nodes), choices={"relu": ways})
    assert found.optimal
    assert "beam of 1024" in {each.name for each in found.baselines}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            node("transpose", "x", "y", dim0=1, dim1=-1),
            [(("NCHW",), ("NWHC",)), (("NHWC",), ("NHCW",)), (("NCHW",), ("NCHW",))],
        ),
        (node("matmul", "m v", "y"), [(("HW", "W"), ("W",)), (("WH", "W"), ("W",))]),
        (node("matmul", "deep deep", "y"), [(("abcdefg", "abcdefg"), ("abcdefg",))]),
        (node("matmul", "m c", "y"), [(("HW", None), ("HW",)), (("WH", None), ("HW",))]),
        (node("Clip", "m - s", "y"), [(("HW", None, None), ("HW",))]),
        (node("cat", "wide", "y", dim=1), [(("abcdefghi",), ("abcdefghi",))]),
        (node("conv1d", "m k", "y"), [(("HW", "NCW"), ("HW",))]),
    ],
)
def test_offers(source: NodeSource, expected: list[tuple[object, object]]) -> None:
    constants: dict[str, GraphTensor] = {"c": tensor((6, 6)), "s": tensor(())}
    inputs = {
        "x": tensor((2, 3, 4, 5)),
        "m": tensor((4, 6)),
        "v": tensor((6,)),
        "k": tensor((8, 4, 3)),
        "deep": tensor((1, 1, 1, 1, 1, 2, 2)),
        "wide": tensor((1,) * 9),
    }
    graph = Graph.of(inputs=inputs, constants=constants, nodes=[source])
    found = OfferTable(graph).offers(graph.nodes[0])
    assert [(each.inputs, each.outputs) for each in found] == expected


def test_a_start_that_goes_on_changing_is_ended() -> None:
    """Three sweeps are not enough here: the fourth finds that nothing changes any more."""
    pair = np.array([[8.0, 4.0, 6.0], [8.0, 1.0, 9.0], [6.0, 3.0, 0.0]])
    core = Core([np.array([5.0, 7.0, 8.0]), np.array([1.0, 8.0, 1.0])], [(0, 1, pair)])
    one, other = descend(core)
    assert core.costs[0][one] + core.costs[1][other] + pair[one, other] == 9


def test_no_answer_without_time_or_where_nothing_is_possible() -> None:
    states, _ = search(Core([np.array([math.inf, math.inf])], []), 1.0)
    assert states is None
    core = Core([np.zeros(2)], [])
    assert _in_process(core, 0.0) is None
    assert _in_process(core, 0.001) is None
