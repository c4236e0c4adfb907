"""Exports of PyTorch modules: shapes in .onnx files, beside what ONNX Runtime computes.

The files have open batch sizes and no notes of shapes, so every shape comes from the arithmetic in
the file. Programs of torch.export (.pt2): the strides that the module returns.
"""

import io
import random
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import torch

from app.engine.network import propagate
from app.files.exported import read_exported
from app.files.onnx import read_network
from conformance.export_modules import module
from conformance.report import Comparison

_MODULES, _PROGRAMS = 60, 100


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with exports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield _onnx(rng)
        yield _programs(rng)


def not_compared() -> str:
    """What is not compared, and why."""
    return "exports: the dynamo exporter to ONNX, and networks with control flow."


def _onnx(rng: random.Random) -> Comparison:
    result = Comparison("exports", f"{_MODULES} .onnx files without shapes: every result's shape")
    for _ in range(_MODULES):
        name, made, given = module(rng)
        opset = rng.choice((13, 15, 17))
        file = io.BytesIO()
        torch.onnx.export(
            made,
            (given,),
            file,
            dynamo=False,
            opset_version=opset,
            input_names=["x"],
            output_names=["y"],
            dynamic_axes={"x": {0: "batch"}},
        )
        model = onnx.load_from_string(file.getvalue())
        del model.graph.value_info[:]
        model.graph.output[0].type.tensor_type.ClearField("shape")
        read = read_network(model.SerializeToString(), {"batch": given.shape[0]})
        live = _computed(model, [node.outputs[0] for node in read.graph.nodes], given)
        for result_name, shape in live.items():
            kind = read.graph.type(result_name)
            ours = None if kind is None else kind.shape
            result.equal(ours, shape, name, f"opset {opset}", result_name)
    return result


def _computed(model: Any, names: list[str], given: torch.Tensor) -> dict[str, tuple[int, ...]]:
    """The shapes of the results of those names, by running the network."""
    known = {each.name for each in model.graph.output}
    model.graph.output.extend(
        onnx.helper.make_empty_tensor_value_info(name) for name in names if name not in known
    )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    found = session.run(names, {"x": given.numpy()})
    return {name: tuple(each.shape) for name, each in zip(names, found, strict=True)}


def _programs(rng: random.Random) -> Comparison:
    result = Comparison("exports", f"{_PROGRAMS} programs (.pt2): shape and strides of the result")
    for _ in range(_PROGRAMS):
        name, made, given = module(rng)
        program = torch.export.export(made, (given,))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.pt2"
            torch.export.save(program, path)
            graph = read_exported(path)
        returned = program.module()(given)
        layout = propagate(graph, "pytorch-eager").tensors[graph.outputs[0]].layout
        ours = None if layout is None else (layout.shape, layout.strides)
        result.equal(ours, (tuple(returned.shape), returned.stride()), name)
    return result
