"""What a rule set or a plan decides about a network, as it is drawn."""

from __future__ import annotations

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
    said = f"{title}: {_moved(found, found['bytes'])}"
    if lost:
        said += f" A format is lost at {count(len(lost), 'node')}."
    return Decided(said, found["tensors"], _drawable(graph, found["reorders"]), lost)


def of_plan(graph: Graph, found: Json) -> Decided:
    """What a plan chose, from the API's JSON."""
    proof = "proven least" if found["optimal"] else f"at least {bytes_text(found['bound'])}"
    said = f"The plan at the least cost: {bytes_text(found['cost'])} ({proof}). "
    said += _moved(found, found["cost"] - found["node_cost"])
    return Decided(said, found["layouts"], _drawable(graph, found["reorders"]), {})


def _drawable(graph: Graph, reorders: Sequence[Json]) -> list[Json]:
    """The reorders, with the readers that are nodes which read the tensor by its own name."""
    nodes = {node.name: node for node in graph.nodes}
    return [
        {**each, "readers": [x for x in each["readers"] if each["tensor"] in nodes[x].inputs]}
        for each in reorders
    ]


def _moved(found: Json, size_bytes: float) -> str:
    return f"{moved_text(found, bytes_text(size_bytes))}." if found["reorders"] else "No reorders."


def moved_text(found: Json, total: str) -> str:
    """What an answer's reorders move: ``total`` at each run, and what happens once for weights."""
    at_each_run = sum(not each["prepared"] for each in found["reorders"])
    said = f"{count(at_each_run, 'reorder')}, {total} read and written at each run"
    if not found["prepared_bytes"]:
        return said
    again = found.get("weights_each_call")
    when = "again at each call unless given as wanted" if again else "once, before the first run"
    return f"{said}; {bytes_text(found['prepared_bytes'])} for weights, {when}"
