"""Networks to start from and networks from files, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..engine.network.examples import EXAMPLES, Example, find_example
from ..files.onnx import read_network

Answer = dict[str, Any]


def answer_networks() -> Answer:
    """The networks to start from: names, titles, what each shows, and sizes."""
    return {"networks": [_summary(each) for each in EXAMPLES.values()]}


def answer_network(name: str) -> Answer:
    """One of these networks, with its graph. Errors: LayoutError naming ``name``."""
    example = find_example(name)
    return {**_summary(example), "graph": example.json}


def answer_graph(data: bytes, sizes: Mapping[str, int]) -> Answer:
    """The network of an .onnx file, and what of it is not known.

    Errors: LayoutError naming ``body``, ``sizes.<name>`` or a part of the file;
    MissingLibraryError.
    """
    found = read_network(data, sizes)
    return {
        "graph": found.json,
        "unknown": found.unknown,
        "assumed": found.assumed,
        "decisions": [asdict(each) for each in found.decisions],
    }


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
