"""The plan of a network's layouts: the request, and the answer as JSON."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from ..engine import LayoutError
from ..engine.errors import Described
from ..engine.network import RULE_SETS, Graph, Propagation, propagate
from ..engine.network.planner import Offer, plan_layouts
from .fields import Strict, Text
from .networks import NetworkGraph, shown

MOST_SECONDS = 5.0
_MOST_WAYS = 32  # to run one node
_MOST_WAYS_IN_ALL = 1 << 17

Answer = dict[str, Any]


class Way(Strict):
    """One way to run a node: the layouts that it reads and writes, and what it costs by itself."""

    inputs: list[Text | None] = Field(description="A layout per operand; null for any.")
    outputs: list[Text | None] = Field(description="A layout per result; null for row-major.")
    cost: Annotated[float, Field(ge=0, le=2**53)] = 0

    def offer(self) -> Offer:
        """The engine's value."""
        return Offer(tuple(self.inputs), tuple(self.outputs), _number(self.cost))


_EXAMPLE: dict[str, Any] = {
    "graph": {
        "inputs": {"x": {"shape": [1, 32, 8, 8], "layout": "NCHW"}},
        "constants": {"w": {"shape": [32, 32, 3, 3]}},
        "nodes": [
            {"op": "conv2d", "inputs": ["x", "w"], "outputs": ["a"], "attributes": {"padding": 1}},
            {"op": "relu", "inputs": ["a"], "outputs": ["b"]},
            {"op": "add", "inputs": ["b", "x"], "outputs": ["c"]},
        ],
    },
    "choices": {
        "conv2d": [
            {"inputs": ["NHWC"], "outputs": ["NHWC"]},
            {"inputs": ["NCHW"], "outputs": ["NCHW"], "cost": 40000},
        ]
    },
}


class PlanRequest(Strict):
    """A network, and where the usual ones are not meant, the ways in which its nodes can run."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    graph: NetworkGraph
    choices: dict[Text, list[Way]] = Field(
        default_factory=dict,
        description="By the name of a node or of an operator, in place of the usual ones.",
    )
    time_limit_s: float | None = Field(None, description="Seconds for the proof, 5 by default.")


def answer_plan(request: PlanRequest, most_seconds: float = MOST_SECONDS) -> Answer:
    """The layouts of a network at the least cost, its proof, and what others would pay."""
    limit_s = most_seconds if request.time_limit_s is None else request.time_limit_s
    if not 0 < limit_s <= most_seconds:
        raise LayoutError(
            "time_limit_s", request.time_limit_s, f"seconds: over 0, at most {most_seconds:g}"
        )
    choices = {key: [way.offer() for way in ways] for key, ways in request.choices.items()}
    graph = request.graph.parse()
    _check_count(graph, choices)
    return planned(graph, choices, limit_s)


def planned(
    graph: Graph, choices: Mapping[str, Sequence[Offer]], time_limit_s: float = MOST_SECONDS
) -> Answer:
    """The plan of a graph, as JSON. Errors: LayoutError naming a field."""
    try:
        found = plan_layouts(
            graph,
            choices=choices,
            followed=followed(graph, time_limit_s),
            time_limit_s=time_limit_s,
        )
    except LayoutError as error:
        if error.field.startswith(("nodes", "inputs", "constants")):
            raise error.within("graph") from None
        raise
    return {
        "tensors": {name: list(texts) for name, texts in found.tensors.items()},
        "nodes": {
            name: {
                "inputs": list(offer.inputs),
                "outputs": list(offer.outputs),
                "cost": _number(offer.cost),
            }
            for name, offer in found.nodes.items()
        },
        "reorders": [
            {
                "tensor": each.tensor,
                "source": each.source,
                "target": each.target,
                "before": each.before,
                "after": each.after,
                "bytes": each.bytes,
            }
            for each in found.reorders
        ],
        "cost": _number(found.cost),
        "bound": _number(found.bound),
        "optimal": found.optimal,
        "baselines": [
            {"name": each.name, "cost": _number(each.cost), "reorders": each.reorders}
            for each in found.baselines
        ],
    }


def followed(graph: Graph, time_limit_s: float = MOST_SECONDS) -> list[Propagation]:
    """What every rule set makes of the network, without those that cannot carry its layouts.

    None is started after the time limit, which only networks of many thousand nodes reach.
    """
    ends_s = time.monotonic() + time_limit_s
    found = []
    for name in RULE_SETS:
        if time.monotonic() > ends_s:
            break
        try:
            found.append(propagate(graph, name))
        except LayoutError:
            continue
    return found


def _check_count(graph: Graph, choices: dict[str, list[Offer]]) -> None:
    for key, offers in choices.items():
        if len(offers) > _MOST_WAYS:
            raise LayoutError(
                f"choices.{shown(key)}", Described(f"{len(offers)} ways"), f"at most {_MOST_WAYS}"
            )
    total = sum(
        len(choices.get(key, ()))
        for node in graph.nodes
        for key in {node.name, node.op, node.operator.name}
    )
    if total > _MOST_WAYS_IN_ALL:
        raise LayoutError(
            "choices",
            Described(f"{total} ways for all nodes together"),
            f"at most {_MOST_WAYS_IN_ALL}",
        )


def _number(value: float) -> float | int:
    """A whole number without its decimal point."""
    return int(value) if float(value).is_integer() else value
