"""The plan knows the orders of dimensions that views of channels-last memory have."""

import random
from functools import partial

import pytest

from app.engine import parse_dtype, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource, propagate
from app.engine.network.planner import plan_layouts
from tests.engine.network.graphs import chain, node

FLOAT = parse_dtype("float32")


def graph_of(source: str, nodes: list[NodeSource]) -> Graph:
    x = GraphTensor(parse_layout(source, (2, 32, 8, 8)), FLOAT)
    return Graph.of(inputs={"x": x}, nodes=nodes)


def test_a_channel_shuffle_in_channels_last_memory_needs_one_copy() -> None:
    nodes = chain(
        "relu(x) a; view(a) b shape=[2,4,8,8,8]; transpose(b) c dim0=1 dim1=2; contiguous(c) d; "
        "view(d) y shape=[2,32,8,8]"
    )
    plan = plan_layouts(graph_of("NHWC", nodes), outputs={"y": "NHWC"})
    assert plan.cost == plan.bound == 2 * 2 * 32 * 8 * 8 * 4
    assert plan.nodes["b"].outputs == ("NHWCD",)


@pytest.mark.parametrize(
    ("shape", "order"), [([2, 4, 8, 64], "NWCH"), ([2, 32, 64], "NWC"), ([64, 64], None)]
)
def test_a_view_of_channels_last_memory_keeps_its_order_where_it_can(
    shape: list[int], order: str | None
) -> None:
    graph = graph_of("NHWC", [node("reshape", "x", shape=shape)])
    plan = plan_layouts(graph, outputs={"y": None})
    assert plan.cost == (0 if order else 2 * 2 * 32 * 64 * 4)
    assert plan.nodes["y"].outputs == ((order or "HW"),)


@pytest.mark.parametrize("seed", range(40))
def test_no_rule_set_needs_less_than_the_plan_of_a_random_chain(seed: int) -> None:
    choice = random.Random(seed)  # noqa: S311  # a graph that can be made again
    nodes: list[NodeSource] = []
    name = "x"
    shape: tuple[int, ...] = (2, 32, 8, 8)
    for at in range(choice.randrange(3, 9)):
        op, attributes = choice.choice(["relu", "clone", "contiguous", "view", "permute"]), {}
        if op == "view":
            shape = regrouped(shape, choice)
            # A view that eager cannot make copies, as reshape does.
            op, attributes = "reshape", {"shape": list(shape)}
        elif op == "permute":
            order = choice.sample(range(len(shape)), len(shape))
            shape, attributes = tuple(shape[d] for d in order), {"dims": order}
        nodes.append(NodeSource(op, [name], [f"t{at}"], attributes))
        name = f"t{at}"
    graph = graph_of(choice.choice(["NCHW", "NHWC"]), nodes)
    rules = ("pytorch-eager", "pytorch-inductor")
    followed = {name: partial(propagate, graph, name) for name in rules}
    plan = plan_layouts(graph, outputs={name: None}, followed=followed)
    bars = {each.name: each.cost + each.results_bytes for each in plan.baselines}
    assert plan.optimal
    assert bars.keys() >= {"pytorch-eager"}
    assert {name: cost for name, cost in bars.items() if cost < plan.cost} == {}


def regrouped(shape: tuple[int, ...], choice: random.Random) -> tuple[int, ...]:
    """Two neighbours joined, or a dimension cut in two."""
    d = choice.randrange(len(shape))
    if len(shape) > 3 and d + 1 < len(shape) and choice.random() < 0.5:
        return (*shape[:d], shape[d] * shape[d + 1], *shape[d + 2 :])
    if len(shape) < 6 and shape[d] % 4 == 0:
        return (*shape[:d], 4, shape[d] // 4, *shape[d + 1 :])
    return shape
