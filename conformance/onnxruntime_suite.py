"""Networks: what ONNX Runtime runs blocked and reorders, beside the rules ``onnxruntime-cpu``."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from app.engine.model.dtypes import parse_dtype
from app.engine.model.layout import Layout, packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from conformance import onnxruntime_library
from conformance.onnx_networks import OnnxNetwork
from conformance.report import Comparison

_NETWORKS = 500
_KERNELS = {"Mul": "Conv", "BatchNormalization": "Conv", "Resize": "Upsample"}


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with ONNX Runtime."""
    block = onnxruntime_library.block()
    for more in (False, True):
        what = "networks with operators that other optimisers change" if more else "networks"
        found = Comparison("onnxruntime", f"{what}: reorders and blocked operators, block {block}")
        for _ in range(_NETWORKS):
            graph = OnnxNetwork(rng, more=more).graph
            live = onnxruntime_library.facts(graph)
            ours = carried(graph, "onnxruntime-cpu", {"block": block})
            found.equal(facts(ours), live, said(graph))
        yield found


def not_compared() -> str:
    """What is not compared, and why."""
    return (
        "onnxruntime networks: blocks of another size than this machine's, float16 and quantised "
        "networks, networks with control flow, sizes that are known only when they run."
    )


def carried(graph: Mapping[str, Any], rules: str, options: Mapping[str, Any]) -> Propagation:
    """What the engine says about a network."""
    read = Graph.of(
        inputs={name: _tensor(each) for name, each in graph["inputs"].items()},
        constants={name: _tensor(each) for name, each in graph["constants"].items()},
        nodes=[
            NodeSource(each["op"], each["inputs"], each["outputs"], each["attributes"])
            for each in graph["nodes"]
        ],
        outputs=graph["outputs"],
    )
    return propagate(read, rules, options)


def facts(found: Propagation) -> dict[str, list[str]]:
    """The engine's answer in the form of the library's."""
    blocked = [_KERNELS.get(each.op, each.op) for each in found.nodes if each.rule == "blocked"]
    return {
        "reorder_inputs": sorted(r.tensor for r in found.reorders if r.source == "NCHW"),
        "reorder_outputs": sorted(r.tensor for r in found.reorders if r.target == "NCHW"),
        "blocked_operators": sorted(blocked),
    }


def _tensor(given: Mapping[str, Any]) -> GraphTensor:
    values = given.get("values")
    layout = Layout.strided(given["shape"], packed_strides(given["shape"]))
    return GraphTensor(
        layout, parse_dtype(given["dtype"]), None if values is None else tuple(values)
    )


def said(graph: Mapping[str, Any]) -> str:
    """A network in one line."""
    return "; ".join(
        f"{','.join(n['outputs'])} = {n['op']}({', '.join(n['inputs'])}) {n['attributes'] or ''}"
        for n in graph["nodes"]
    )
