"""What a rule set or a plan decides about a network, as it is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.network import Graph
from ..engine.network.propagation import bytes_text
from .tables import count

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decided:
    """What is drawn of a network: each tensor, the reorders, the formats that nodes give up.

    ``said``: the sentence below the title. ``tensors``: of each at least its ``kind`` of layout and
    its ``short`` name, from the API's answer. ``reorders``: rows of the answer.
    """

    said: str
    tensors: Mapping[str, Json]
    reorders: Sequence[Json]
    lost: Mapping[str, str]


def of_rules(graph: Graph, found: Json, title: str) -> Decided:
    """What a rule set answered, from the API's JSON."""
    lost = {each["name"]: each["lost"] for each in found["nodes"] if "lost" in each}
    said = f"{title}: {moved_text(found)}."
    if lost:
        said += f" A format is lost at {count(len(lost), 'node')}."
    return Decided(said, found["tensors"], _drawable(graph, found["reorders"]), lost)


def of_plan(graph: Graph, found: Json) -> Decided:
    """What a plan chose, from the API's JSON."""
    proof = "proven least" if found["optimal"] else f"at least {bytes_text(found['bound'])}"
    said = f"The plan at the least cost ({proof}): {moved_text(found)}."
    return Decided(said, found["layouts"], _drawable(graph, found["reorders"]), {})


def _drawable(graph: Graph, reorders: Sequence[Json]) -> list[Json]:
    """The reorders, with the readers that are nodes which read the tensor by its own name."""
    nodes = {node.name: node for node in graph.nodes}
    return [
        {**each, "readers": [x for x in each["readers"] if each["tensor"] in nodes[x].inputs]}
        for each in reorders
    ]


def moved_text(found: Json) -> str:
    """What an answer reads and writes at each run, and what of it is what."""
    return f"{bytes_text(found['cost'])} read and written at each run: {moved_parts(found)}"


def moved_parts(found: Json) -> str:
    """The parts of what a rule set's answer, a plan or one of its baselines moves."""
    reorders, weights = found["reorders"], found["prepared_bytes"]
    number = reorders if isinstance(reorders, int) else sum(not x["prepared"] for x in reorders)
    again = found.get("weights_each_call", False)
    between = found["cost"] - (found["node_cost"] or 0) - (weights if again else 0)
    parts = [f"{count(number, 'reorder')} of {bytes_text(between)}" if number else "no reorders"]
    if found["node_cost"]:
        parts.append(f"{bytes_text(found['node_cost'])} inside nodes")
    if found["node_cost"] is None:
        parts.append("inside nodes not counted")
    if weights:
        when = "unless given as wanted" if again else "once, before the first run"
        parts.append(f"{bytes_text(weights)} for weights {when}")
    if back := found.get("results_bytes"):
        parts.append(f"{bytes_text(back)} more to give its results back as the plan does")
    return ", ".join(parts)
