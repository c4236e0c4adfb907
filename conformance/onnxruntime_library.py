"""ONNX Runtime, asked what it makes of a network: the model that it saves after optimisation."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

_OPSET = 20
_TYPES = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}
_BLOCKED = "com.microsoft.nchwc"
Facts = dict[str, list[str]]


def facts(graph: Mapping[str, Any]) -> Facts:
    """The tensors that ORT reorders, and the operators that it runs on blocked channels.

    A tensor of ORT's own is named by the network's tensor that it comes from: ``model`` names the
    nodes by their results, and ORT names what a node makes before a Transpose by the node.
    """
    nodes = optimized(graph).graph.node
    return {
        "reorder_inputs": sorted(_own(n.input[0]) for n in nodes if n.op_type == "ReorderInput"),
        "reorder_outputs": sorted(_own(n.output[0]) for n in nodes if n.op_type == "ReorderOutput"),
        "blocked_operators": sorted(
            n.op_type for n in nodes if n.domain == _BLOCKED and "Reorder" not in n.op_type
        ),
    }


def _own(name: str) -> str:
    return name.partition("/node")[0]


def optimized(graph: Mapping[str, Any]) -> Any:
    """The ONNX model that ORT saves after all its optimisations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "optimized.onnx"
        _session(graph, path, onnxruntime.SessionOptions())
        return onnx.load(str(path))


def profiled(graph: Mapping[str, Any], runs: int) -> tuple[str, bytes]:
    """The profile of so many runs with random inputs, and the model that the session saved."""
    rng = np.random.default_rng(0)
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    with tempfile.TemporaryDirectory() as folder:
        options.profile_file_prefix = str(Path(folder) / "run")
        path = Path(folder) / "optimized.onnx"
        session = _session(graph, path, options)
        given = {
            name: rng.random(each["shape"]).astype(each["dtype"])
            for name, each in graph["inputs"].items()
        }
        for _ in range(runs):
            session.run(None, given)
        return Path(session.end_profiling()).read_text("utf-8"), path.read_bytes()


def _session(graph: Mapping[str, Any], saved: Path, options: Any) -> Any:
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.optimized_model_filepath = str(saved)
    return onnxruntime.InferenceSession(
        model(graph).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def block() -> int:
    """Channels in a block on this machine: the padded output channels of a convolution."""
    tensor = {"shape": [1, 4, 4, 4], "dtype": "float32"}
    weight = {"shape": [4, 4, 1, 1], "dtype": "float32"}
    node = {"op": "Conv", "inputs": ["x", "w"], "outputs": ["y"], "attributes": {}}
    graph = {"inputs": {"x": tensor}, "constants": {"w": weight}, "nodes": [node], "outputs": ["y"]}
    saved = optimized(graph)
    conv = next((node for node in saved.graph.node if node.domain == _BLOCKED), None)
    if conv is None or conv.op_type != "Conv":
        return 0
    return next(int(t.dims[0]) for t in saved.graph.initializer if t.name == conv.input[1])


def model(graph: Mapping[str, Any], *, opset: int = _OPSET, strict: bool = True) -> Any:
    """A graph of the API as an ONNX model, its constants of random values unless they are given.

    ``strict``: whether a shape that is not inferred is an error.
    """
    rng = np.random.default_rng(0)
    nodes = [
        helper.make_node(
            node["op"],
            node["inputs"],
            node["outputs"],
            name=f"{node['outputs'][0]}/node",
            **node["attributes"],
        )
        for node in graph["nodes"]
    ]
    inputs = [
        helper.make_tensor_value_info(name, _TYPES[each["dtype"]], each["shape"])
        for name, each in graph["inputs"].items()
    ]
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in graph["outputs"]]
    constants = [_constant(rng, name, each) for name, each in graph["constants"].items()]
    made = helper.make_model(
        helper.make_graph(nodes, "network", inputs, outputs, constants),
        opset_imports=[helper.make_opsetid("", opset)],
        ir_version=10,
    )
    return onnx.shape_inference.infer_shapes(made, strict_mode=strict, data_prop=True)


def _constant(rng: np.random.Generator, name: str, given: Mapping[str, Any]) -> Any:
    values = given.get("values")
    found = rng.standard_normal(given["shape"]) if values is None else np.array(values)
    return numpy_helper.from_array(np.asarray(found, given["dtype"]).reshape(given["shape"]), name)
