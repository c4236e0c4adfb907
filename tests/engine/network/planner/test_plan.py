"""Plans of whole graphs: equal to trying everything, and true to the meaning of a reorder."""

import itertools
import math
import random

import pytest

from app.engine import LayoutError, parse_dtype, parse_layout
from app.engine.network.deadline import Deadline
from app.engine.network.graph import Graph
from app.engine.network.nodes import GraphTensor, NodeSource
from app.engine.network.planner import LayoutPlan, Offer, plan_layouts
from tests.engine.network.graphs import chain

FLOAT = parse_dtype("float32")
LAYOUTS = ("NCHW", "NHWC", "NCHW16")


def tensor(shape: tuple[int, ...], layout: str = "NCHW") -> GraphTensor:
    return GraphTensor(parse_layout(layout, shape), FLOAT)


def random_graph(seed: int) -> tuple[Graph, dict[str, list[Offer]]]:
    """Element-wise operators on one or two tensors, with choices of their own for each node."""
    made = random.Random(seed)  # noqa: S311 -- a test's own numbers
    shape = (made.choice([1, 2]), made.choice([3, 8, 20]), 4, 5)
    inputs = {f"x{at}": tensor(shape, made.choice(LAYOUTS)) for at in range(made.randint(1, 2))}
    names, nodes, choices = list(inputs), [], {}
    for at in range(made.randint(1, 6)):
        operands = [made.choice(names) for _ in range(made.choice([1, 1, 2]))]
        op = "relu" if len(operands) == 1 else "add"
        nodes.append(NodeSource(op, operands, [f"t{at}"], {}, f"node{at}"))
        names.append(f"t{at}")
        choices[f"node{at}"] = [
            Offer(
                tuple(made.choice([None, *LAYOUTS]) for _ in operands),
                (made.choice(LAYOUTS),),
                made.choice([0, made.randint(1, 4000)]),
            )
            for _ in range(made.randint(1, 3))
        ]
    return Graph.of(inputs=inputs, nodes=nodes), choices


def copied_bytes(graph: Graph, name: str, layout: str) -> int:
    """Read and written by a copy."""
    kind = graph.type(name)
    assert kind is not None
    physical = parse_layout(layout, kind.shape).physical_shape
    assert physical is not None
    return 4 * (math.prod(kind.shape) + math.prod(physical))


def cost_of(
    graph: Graph, chosen: dict[str, Offer], given: dict[str, str], returned: str | None = "NCHW"
) -> float:
    """The contract's sentence: copies start from what was produced, and serve every reader.

    ``returned``: the layout in which the network's results are given back, None for any.
    """
    produced, read = dict(given), {name: set[str]() for name in graph.types}
    for node in graph.nodes:
        offer = chosen[node.name]
        for name, layout in zip(node.inputs, offer.inputs, strict=True):
            if layout is not None:
                read[name].add(layout)
        produced[node.outputs[0]] = str(offer.outputs[0])
    for name in graph.outputs:
        if returned is not None:
            read[name].add(returned)
    return sum(offer.cost for offer in chosen.values()) + sum(
        copied_bytes(graph, name, layout)
        for name, layouts in read.items()
        for layout in layouts - {produced[name]}
    )


@pytest.mark.parametrize("seed", range(120))
def test_the_plan_is_the_best_of_all(seed: int) -> None:
    graph, choices = random_graph(seed)
    given = {
        name: next(text for text in LAYOUTS if parse_layout(text, each.layout.shape) == each.layout)
        for name, each in graph.inputs.items()
    }
    names = [node.name for node in graph.nodes]
    returned = (None, "NCHW", "NCHW", "NHWC")[seed % 4]
    best = min(
        cost_of(graph, dict(zip(names, combination, strict=True)), given, returned)
        for combination in itertools.product(*(choices[name] for name in names))
    )
    outputs = {} if seed % 4 == 1 else dict.fromkeys(graph.outputs, returned)
    plan = plan_layouts(graph, choices=choices, outputs=outputs, deadline=Deadline.after(120))
    assert plan.cost == best
    assert plan.optimal
    assert cost_of(graph, dict(plan.nodes), given, returned) == best
    assert plan.cost == sum(each.bytes for each in plan.reorders) + sum(
        offer.cost for offer in plan.nodes.values()
    )
    for baseline in plan.baselines:
        assert baseline.cost >= best


def planned(**changes: object) -> LayoutPlan:
    graph = Graph.of(
        inputs={"x": tensor((1, 32, 8, 8))},
        constants={"w": GraphTensor(parse_layout("OIHW", (32, 32, 3, 3)), FLOAT)},
        nodes=chain("conv2d(x w) conv padding=1; relu(conv) act; add(act x) join"),
    )
    return plan_layouts(graph, **changes)  # type: ignore[arg-type]  # passed on as they are


def test_copies_serve_their_readers_and_results_are_given_back_as_wished() -> None:
    copy_bytes = 2 * 32 * 8 * 8 * 4
    copied, returned = planned().reorders  # one copy serves both readers
    assert (copied.tensor, copied.bytes, copied.readers) == ("x", copy_bytes, ("conv", "join"))
    assert (copied.before, copied.after) == ("conv", None)
    assert (returned.tensor, returned.target, returned.readers) == ("join", "NCHW", ())
    assert (returned.before, returned.after) == (None, "join")
    graph = Graph.of(inputs={"x": tensor((1, 32, 8, 8), "NHWC")}, nodes=[], outputs=["x"])
    assert plan_layouts(graph).cost == 0  # as it is
    assert plan_layouts(graph, outputs={"x": "NCHW"}).cost == copy_bytes
    assert planned(outputs={"join": None}).cost == copy_bytes
    plan = planned(outputs={"join": "NHWC"})
    assert (plan.cost, plan.tensors["join"]) == (copy_bytes, ("NHWC",))
    for outputs, field in (({"act": None}, "outputs"), ({"join": "NCQ?"}, "outputs.join")):
        with pytest.raises(LayoutError) as caught:
            planned(outputs=outputs)
        assert caught.value.field == field


def test_choices_of_an_operator_and_of_a_node_replace_the_defaults() -> None:
    forced = [Offer(("NHWC",), ("NCHW",), 5)]
    plan = planned(choices={"conv2d": forced})
    assert plan.nodes["conv"] == Offer(("NHWC", None), ("NCHW",), 5)
    assert plan.tensors["conv"][0] == "NCHW"
    named = planned(choices={"conv2d": forced, "conv": [Offer(("NCHW",), ("NCHW",))]})
    assert named.cost == 0


@pytest.mark.parametrize(
    ("choices", "field"),
    [
        ({"nobody": [Offer((), ())]}, "choices"),
        ({"conv": []}, "choices.conv"),
        ({"conv": [Offer(("NCQ?",), ("NCHW",))]}, "choices.conv[0].inputs[0]"),
        ({"conv": [Offer(("NCHW",), ("NCHW", "NCHW"))]}, "choices.conv[0].outputs"),
        ({"relu": [Offer(("W",), ("W",))]}, "choices.relu[0].inputs[0]"),
    ],
)
def test_a_wrong_choice_is_named(choices: dict[str, list[Offer]], field: str) -> None:
    with pytest.raises(LayoutError) as caught:
        planned(choices=choices)
    assert caught.value.field == field
