"""The graph of a file, as a caller of the API would write it."""

from typing import Any, TypeAlias

from ..engine.model.layout import packed_strides
from ..engine.network import Graph, GraphTensor

Json: TypeAlias = dict[str, Any]


def graph_json(graph: Graph) -> Json:
    """Return the graph as JSON of the contract. Constants are row-major where nothing is said."""
    constants = {name: _tensor(each) for name, each in graph.constants.items()}
    for name, each in graph.constants.items():
        if each.layout.strides == packed_strides(each.layout.shape):
            del constants[name]["layout"]
    return {
        "inputs": {name: _tensor(each) for name, each in graph.inputs.items()},
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


def _tensor(tensor: GraphTensor) -> Json:
    made: Json = {
        "shape": list(tensor.layout.shape),
        "layout": {"strides": list(tensor.layout.strides or ())},
        "dtype": tensor.dtype.name,
    }
    if tensor.values is not None:
        made["values"] = list(tensor.values)
    return made
