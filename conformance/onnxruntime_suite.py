"""Networks: what ONNX Runtime runs blocked and reorders, beside the rules ``onnxruntime-cpu``."""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

import onnx

from app.engine.model.dtypes import parse_dtype
from app.engine.model.layout import Layout, packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from app.engine.runs.onnxruntime_profile import BLOCKED_DOMAIN
from app.engine.runs.report import read_run
from app.files.onnx.nchwc import read_nodes
from conformance import onnxruntime_library
from conformance.onnx_networks import OnnxNetwork
from conformance.report import Comparison

_NETWORKS = 500
_PROFILES, _RUNS = 100, 2
_KERNELS = {"Mul": "Conv", "BatchNormalization": "Conv", "Resize": "Upsample"}


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with ONNX Runtime."""
    block = onnxruntime_library.block()
    kinds: Mapping[str, Mapping[str, bool]] = {
        "networks": {},
        "networks with operators that other optimisers change": {"more": True},
        "networks of Transposes": {"turned": True},
    }
    for what, kind in kinds.items():
        found = Comparison("onnxruntime", f"{what}: reorders and blocked operators, block {block}")
        for _ in range(_NETWORKS):
            graph = OnnxNetwork(rng, **kind).graph
            live = onnxruntime_library.facts(graph)
            ours = carried(graph, "onnxruntime-cpu", {"block": block})
            found.equal(facts(ours), live, said(graph))
        yield found
    yield _profiles(rng, block)


def not_compared() -> str:
    """What is not compared, and why."""
    return (
        "onnxruntime networks: blocks of another size than this machine's, float16 and quantised "
        "networks, networks with control flow, sizes that are known only when they run."
    )


def _profiles(rng: random.Random, block: int) -> Comparison:
    """Profiles of networks that ran, beside their own events and the model that was saved."""
    found = Comparison("onnxruntime", "profiles: events, milliseconds, bytes, reorders, layouts")
    for _ in range(_PROFILES):
        graph = OnnxNetwork(rng).graph
        text, saved = onnxruntime_library.profiled(graph, _RUNS)
        rows = [e for e in json.loads(text) if e["cat"] == "Node" and "kernel_time" in e["name"]]
        run = read_run(text, nodes=read_nodes(saved))
        events = [run.recorded.event(i) for i in range(len(run.recorded.ids))]
        kernels = [row["args"]["op_name"] for row in sorted(rows, key=lambda row: row["ts"])]
        found.equal([e.primitive for e in events], kernels, said(graph))
        found.equal(round(run.totals.ms * 1000), sum(row["dur"] for row in rows), said(graph))
        found.equal(run.skipped.lines, 0, said(graph))
        given = sum(int(row["args"]["output_size"]) for row in rows)
        written = sum(o.bytes or 0 for e in events for o in e.operands if o.role == "dst")
        found.equal(written, given, said(graph))
        nodes = onnx.load_from_string(saved).graph.node
        reorders = [n for n in nodes if n.op_type in {"ReorderInput", "ReorderOutput", "Transpose"}]
        found.equal(run.totals.reorders, _RUNS * len(reorders), said(graph))
        blocked: set[str] = set()
        for n in nodes:  # what is not of the domain and reads its tensors hands them on
            if n.op_type != "ReorderOutput" and (
                n.domain == BLOCKED_DOMAIN or blocked.intersection(n.input)
            ):
                blocked.update(n.output)
        named = {n.name: n for n in nodes if n.name}
        for event in events:
            node = named.get(event.problem)
            for role, names in (("src", node.input), ("dst", node.output)) if node else ():
                layout = next((o.layout for o in event.operands if o.role == role), None)
                kind = f"NCHW{block}c" if names[0] in blocked else "onednn"
                if layout is not None:  # no channels were padded: the block is not told
                    found.equal(layout.partition(":")[0], kind, said(graph), event)
    return found


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
