"""PyTorch's operators as ONNX Runtime reads them: as the exporter of PyTorch writes them."""

from typing import Any

import pytest

from app.engine.network import Graph
from app.engine.network.rules.onnxruntime.translate import read
from tests.engine.network.graphs import node, tensor


@pytest.mark.parametrize(
    ("op", "source", "attributes", "operators"),
    [  # as torch.onnx.export of PyTorch 2.13 writes them (opset 17), constants left out
        ("add", "x", {"other": 3.0, "alpha": 2}, "Mul Add"),
        ("sub", "x y", {"alpha": 2.5}, "Mul Sub"),
        ("clamp_max", "x", {"max": 1.0}, "Clip"),
        ("hardsigmoid", "x", {}, "HardSigmoid"),
        ("movedim", "x", {"source": 1, "destination": -1}, "Transpose 0231"),
        ("t", "matrix", {}, "Transpose 10"),
        ("t", "bias", {}, "Identity"),
        ("transpose", "low", {"dim0": 0, "dim1": 0}, "Identity"),
        ("permute", "low", {"dims": []}, "Identity"),
        ("adaptive_avg_pool2d", "x", {"output_size": 4}, "AveragePool"),
        ("adaptive_max_pool2d", "x", {"output_size": [2, 1]}, "MaxPool"),
        ("pad", "x", {"pad": [1, 2], "value": 3.0}, "Pad"),
        # What it cannot write, or what ONNX Runtime cannot run, keeps its name.
        ("adaptive_avg_pool2d", "x", {"output_size": 5}, "torch:adaptive_avg_pool2d"),
        ("interpolate", "x", {"size": 12, "mode": "area"}, "torch:interpolate"),
        ("adaptive_max_pool2d", "unknown", {"output_size": 2}, "torch:adaptive_max_pool2d"),
        ("batch_norm", "x - - bias bias", {"training": True}, "torch:batch_norm"),
        ("div", "x y", {"rounding_mode": "trunc"}, "torch:div"),
        ("permute", "unknown", {"dims": [1, 0]}, "torch:permute"),
    ],
)
def test_calls_of_pytorch_as_they_are_exported(
    op: str, source: str, attributes: dict[str, Any], operators: str
) -> None:
    unknown = node("mystery", "x", "unknown")
    inputs = {
        "x": tensor((1, 16, 8, 8)),
        "y": tensor((1, 16, 8, 8)),
        "matrix": tensor((3, 4)),
        "bias": tensor((16,)),
        "low": tensor(()),
    }
    working = read(Graph.of(inputs=inputs, nodes=[unknown, node(op, source, "z", **attributes)]))
    steps = list(working.steps.values())[1:]
    words = [
        f"{s.op} {''.join(map(str, s.attributes['dims']))}" if s.op == "Transpose" else s.op
        for s in steps
    ]
    assert " ".join(words) == operators
    assert steps[-1].output == "z"
    if op == "clamp_max":
        least, most = steps[0].inputs[1:]
        assert (least, working.constants[most].values) == ("", (1.0,))
