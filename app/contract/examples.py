"""The networks to start from, as JSON."""

from __future__ import annotations

from typing import Any

from ..engine.network.examples import EXAMPLES, Example, find_example

Answer = dict[str, Any]


def answer_networks() -> Answer:
    """The networks to start from: names, titles, what each shows, and sizes."""
    return {"networks": [_summary(each) for each in EXAMPLES.values()]}


def answer_network(name: str) -> Answer:
    """One of these networks, with its graph. Errors: LayoutError naming ``name``."""
    example = find_example(name)
    return {**_summary(example), "graph": example.json}


def _summary(example: Example) -> Answer:
    graph = example.graph
    return {
        "name": example.name,
        "title": example.title,
        "shows": example.shows,
        "nodes": len(graph.nodes),
        "tensors": len(graph.types) - len(graph.constants),
        "constants": len(graph.constants),
    }
