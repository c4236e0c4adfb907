"""OpenVINO's CPU plugin, asked for the layout of every tensor and for its reorders."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import openvino

from conformance.onnxruntime_library import model

_HINT = {"INFERENCE_PRECISION_HINT": "f32"}
_OPSET = 21  # the first whose GroupNormalization has a weight for each channel
_NO_KERNELS = {"Const", "Output", "Input", "Reorder"}


@dataclass(frozen=True, slots=True)
class Runtime:
    """What runs. ``layouts``: of the results that are in memory, by the network's names.

    ``reorders``: the names of the kernel that makes the tensor, which may compute several nodes of
    the network, and the layout that it is brought from and into. ``kernels``: the names of each
    kernel. ``plain``: whether each element-wise kernel computes one node.
    """

    layouts: Mapping[str, str]
    reorders: frozenset[tuple[frozenset[str], str, str]]
    kernels: frozenset[frozenset[str]]
    plain: bool


_core = openvino.Core()


def isa() -> str:
    """The instruction set that the plugin uses here, in the words of the rules."""
    with open("/proc/cpuinfo", encoding="ascii") as file:  # noqa: PTH123 -- not a file on a disk
        return "avx512" if "avx512" in file.read() else "avx2"


def runtime(graph: Mapping[str, Any]) -> Runtime:
    """The network as OpenVINO runs it in float32."""
    made = model(graph, opset=_OPSET, strict=False).SerializeToString()
    compiled = _core.compile_model(_core.read_model(made), "CPU", _HINT)
    layouts: dict[str, str] = {}
    reorders: set[tuple[frozenset[str], str, str]] = set()
    known: dict[str, tuple[frozenset[str], str]] = {}
    results = {name: node["outputs"] for node in graph["nodes"] for name in node["outputs"]}
    plain = True
    for operator in compiled.get_runtime_model().get_ordered_ops():
        told = operator.get_rt_info()
        kind, name = _text(told, "layerType"), operator.get_friendly_name()
        layout = _text(told, "outputLayouts").split(",")[0]
        names = (_text(told, "originalLayersNames") or name).split(",")
        plain &= kind != "Subgraph" or len(names) == 1
        own = names[-1].split("/")[0]
        if kind == "Reorder":
            value = operator.input_value(0)
            source = value.get_node().get_friendly_name()
            if source in known:
                read, before = known[source]
                several = [results.get(each, ()) for each in read]
                if len(read) == 1 and len(several[0]) > 1:
                    read = frozenset({several[0][value.get_index()]})
                reorders.add((read, before, layout))
        elif kind == "Input" or (kind not in _NO_KERNELS and _named(own)):
            known[name] = frozenset(each.split("/")[0] for each in names), layout
            if kind != "Input":
                layouts |= {each: layout for each in results[own] if _named(each)}
    kernels = frozenset(names for names, _ in known.values())
    return Runtime(layouts, frozenset(reorders), kernels, plain)


def _named(result: str) -> bool:
    """Whether the network names it, not OpenVINO."""
    return result[:1] == "t" and result[1:].isdigit()


def _text(told: Any, name: str) -> str:
    return str(told[name].astype(str)) if name in told else ""
