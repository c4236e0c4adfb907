"""The graph of a file, as a caller of the API would write it."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..engine.network import Graph

Json: TypeAlias = dict[str, Any]


def graph_json(graph: Graph, inputs: Json, constants: Json) -> Json:
    """Return the graph with these inputs and constants, each of its own name."""
    return {
        "inputs": inputs,
        "constants": constants,
        "nodes": [
            {
                "name": node.name,
                "op": node.op,
                "inputs": list(node.inputs),
                "outputs": list(node.outputs),
                "attributes": dict(node.given),
            }
            for node in graph.nodes
        ],
        "outputs": list(graph.outputs),
    }
