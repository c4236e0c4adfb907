"""Networks: layouts and reorders of OpenVINO's CPU plugin, beside the rules ``openvino-cpu``."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from app.engine.model.layout import Layout
from app.engine.network import Propagation
from app.engine.network.rules.openvino_copies import others
from app.engine.notation import parse_layout
from conformance import openvino_library
from conformance.onnx_networks import OnnxNetwork
from conformance.onnx_parts import PartsChain, PartsNetwork
from conformance.onnxruntime_suite import carried, said
from conformance.report import Comparison

_NETWORKS = 200
_POOLS = {"MaxPool", "AveragePool"}
# What moves in these is seen only inside of them: they are made of several nodes, or they are
# removed, with what moves before them.
_INSIDE = {"Transpose", "LayerNormalization", "LpNormalization", "LogSoftmax", "TopK", "Tile"}
_NORMS = {"LpNormalization", "LayerNormalization"}
_CUTS = {"Split", "Slice"}
_left_out = _refused = 0
Shapes = Mapping[str, Sequence[int]]


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with OpenVINO."""
    isa = openvino_library.isa()
    kinds: Mapping[str, Callable[[random.Random], OnnxNetwork]] = {
        "networks": OnnxNetwork,
        "networks of parts, copies and norms": PartsNetwork,
        "a part, copy or norm of three to five dimensions": PartsChain,
    }
    for what, made in kinds.items():
        layouts = Comparison("openvino", f"{what}: the layout of every result in memory, {isa}")
        reorders = Comparison("openvino", f"{what}, kernels not merged: reorders, {isa}")
        _compare(rng, isa, made, layouts, reorders)
        yield layouts
        yield reorders


def _compare(
    rng: random.Random,
    isa: str,
    made: Callable[[random.Random], OnnxNetwork],
    layouts: Comparison,
    reorders: Comparison,
) -> None:
    global _left_out, _refused  # noqa: PLW0603 -- what not_compared tells of this run
    while layouts.cases < _NETWORKS:
        network = made(rng)
        graph, shapes = network.graph, network.shapes
        ours = carried(graph, "openvino-cpu", {"isa": isa})
        if not _claimed(graph, shapes, ours, isa):
            _left_out += 1
            continue
        try:
            live = openvino_library.runtime(graph)
        except RuntimeError:
            _refused += 1
            continue
        text = said(graph)
        layouts.equal(_layouts(ours, live.layouts, shapes), _names(live.layouts, shapes), text)
        whole = all(each.tensor in {*live.layouts, *graph["inputs"]} for each in ours.reorders)
        if live.plain and whole and not _INSIDE.intersection(n["op"] for n in graph["nodes"]):
            moved = _moved(ours, shapes, _alike(graph))
            reorders.equal(moved, _real(live, graph, shapes, moved), text)


def not_compared() -> str:
    """What is not compared, and why."""
    return (
        f"openvino networks: {_left_out} more were left out, in which element-wise operators read "
        "operands of different layouts (OpenVINO makes one kernel of several such operators), "
        "pooling reads images of one pixel (oneDNN's reference code), a product reads what an "
        "LpNormalization or LayerNormalization makes (its factors are merged), or channels are "
        "repeated from blocks of 16 to blocks of 8, or a Concat joins parts of one tensor (it may "
        "be removed); and "
        f"{_refused} that OpenVINO refuses. Tiles of one channel or one pixel; "
        "GroupNormalization of one group and several images, where the number of threads decides; "
        "reorders inside of norms, TopK and Tile. Instruction sets other than this machine's; "
        "convolutions that are transposed, int8 and bfloat16."
    )


def _claimed(graph: Mapping[str, Any], shapes: Shapes, ours: Propagation, isa: str) -> bool:
    kinds = {each.name: each.rule for each in ours.nodes}
    nodes = graph["nodes"]
    normalised = {node["outputs"][0] for node in nodes if node["op"] in _NORMS}
    parts = {t: n["inputs"][0] for n in nodes if n["op"] in _CUTS for t in n["outputs"]}
    if any("8b" in each.text for each in ours.tensors.values()) and isa == "avx512":
        return False
    for node in nodes:
        name = node["outputs"][0]
        whole = {parts.get(each, each) for each in node["inputs"]}
        if node["op"] == "Concat" and len(whole) == 1 < len(set(node["inputs"])):
            return False
        if node["op"] in {"Mul", "BatchNormalization"} and normalised.intersection(node["inputs"]):
            return False
        placed = [ours.tensors[each].layout for each in node["inputs"] if each in shapes]
        if node["op"] in _POOLS and max(shapes[node["inputs"][0]][2:]) == 1:
            return False
        if kinds[name] != "element-wise":
            continue
        first = placed[0]
        if any(a is None or first is None or a.normal_form != first.normal_form for a in placed):
            return False
    return True


def _name(layout: Layout | None, shape: Sequence[int]) -> str:
    """The first of OpenVINO's names that is this memory, so that equal memory has one name."""
    names = ["abcdefgh"[: len(shape)], *others(len(shape))]
    for name in names:
        if (
            layout is not None
            and parse_layout(f"onednn:{name}", shape).normal_form == layout.normal_form
        ):
            return name
    return str(layout)


def _layouts(ours: Propagation, live: Mapping[str, str], shapes: Shapes) -> dict[str, str]:
    return {name: _name(ours.tensors[name].layout, shapes[name]) for name in live}


def _names(live: Mapping[str, str], shapes: Shapes) -> dict[str, str]:
    return {name: _same(layout, shapes[name]) for name, layout in live.items()}


def _same(layout: str, shape: Sequence[int]) -> str:
    return _name(parse_layout(f"onednn:{layout}", tuple(shape)), shape)


def _alike(graph: Mapping[str, Any]) -> dict[str, str]:
    """The first tensor that is computed in the same way: OpenVINO computes it once."""
    firsts: dict[str, str] = {}
    found: dict[str, str] = {}
    for node in graph["nodes"]:
        read = [found.get(each, each) for each in node["inputs"]]
        name = node["outputs"][0]
        key = repr((node["op"], read, sorted(node["attributes"].items())))
        found[name] = firsts.setdefault(key, name)
    return found


def _moved(ours: Propagation, shapes: Shapes, alike: Mapping[str, str]) -> set[tuple[str, str]]:
    return {
        (alike.get(each.tensor, each.tensor), _same(each.target, shapes[each.tensor]))
        for each in ours.reorders
    }


def _real(
    live: openvino_library.Runtime,
    graph: Mapping[str, Any],
    shapes: Shapes,
    moved: set[tuple[str, str]],
) -> set[tuple[str, str]]:
    """The reorders that move something, by the name that the engine has for one of its tensors.

    A kernel of a convolution may take in the operator after the pooling that reads it
    (FuseConvolutionAndSimpleOperationThroughMaxPool): the pooling writes that operator's result.
    """
    alike = _alike(graph)
    read = {node["outputs"][0]: node["inputs"][0] for node in graph["nodes"]}
    written = {
        pooled: result
        for result, pooled in read.items()
        for kernel in live.kernels
        if {result, read.get(pooled)} <= kernel and pooled not in kernel
    }
    found = set()
    for names, source, target in live.reorders:
        whole = names | {written[each] for each in names if each in written}
        own = sorted(alike.get(each, each) for each in whole if each in shapes)
        if not own or _same(source, shapes[own[0]]) == _same(target, shapes[own[0]]):
            continue
        pairs = [(name, _same(target, shapes[name])) for name in own]
        found.add(next((pair for pair in pairs if pair in moved), pairs[-1]))
    return found
