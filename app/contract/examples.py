"""Networks to start from and networks from files, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..engine.network.examples import EXAMPLES, Example, find_example
from ..files.onnx import read_network
from .network_shapes import ExamplesJson, ExampleSummaryJson, FileGraphJson
from .shapes import Answer


def answer_networks() -> ExamplesJson:
    """The networks to start from: names, titles, what each shows, and sizes."""
    return {"networks": [_summary(each) for each in EXAMPLES.values()]}


def answer_network(name: str) -> Answer:
    """One of these networks, with its graph. Errors: LayoutError naming ``name``."""
    example = find_example(name)
    return {**_summary(example), "graph": example.json}


def answer_graph(data: bytes, sizes: Mapping[str, int]) -> FileGraphJson:
    """The network of an .onnx file, and what of it is not known.

    Errors: LayoutError naming ``body``, ``sizes.<name>`` or a part of the file;
    MissingLibraryError.
    """
    found = read_network(data, sizes)
    return {
        "graph": found.json,
        "unknown": cast("Any", found.unknown),
        "assumed": found.assumed,
        "decisions": found.decisions,
    }


def _summary(example: Example) -> ExampleSummaryJson:
    graph = example.graph
    return {
        "name": example.name,
        "title": example.title,
        "shows": example.shows,
        "nodes": len(graph.nodes),
        "tensors": len(graph.types) - len(graph.constants),
        "constants": len(graph.constants),
    }
