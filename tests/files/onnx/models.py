"""Small models, made with the library ``onnx``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
Shape = Sequence[int | str | None] | None


def value(name: str, shape: Shape, kind: int = FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def weight(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.ones(shape, np.float32), name)


def integers(name: str, *values: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def op(text: str, *, domain: str = "", **attributes: Any) -> onnx.NodeProto:
    """A node from a text such as ``Conv x w -> y``; a domain stands before the name and a colon.

    ``-`` is an operand or a result that is left out.
    """
    read, made = (part.split() for part in text.split("->"))
    own, _, name = read[0].rpartition(":")
    inputs, outputs = (["" if each == "-" else each for each in part] for part in (read[1:], made))
    return helper.make_node(name, inputs, outputs, domain=own or domain, **attributes)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    initializers: Sequence[onnx.TensorProto] = (),
    *,
    opset: int = 17,
    **more: Any,
) -> onnx.ModelProto:
    value_info = more.pop("value_info", ())
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers, value_info=value_info)
    others = sorted({node.domain for node in nodes} - {""})
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(each, 1) for each in others)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, **more)


def small(**more: Any) -> onnx.ModelProto:
    """A convolution, an activation, a reshape, and a sum."""
    nodes = [
        op("Conv x w -> a", name="conv", pads=[1, 1, 1, 1]),
        op("Relu a -> b", name="act"),
        op("Reshape b sizes -> c", name="flat"),
    ]
    sizes = integers("sizes", 0, -1)
    return model(
        nodes,
        [value("x", ["batch", 4, 8, 8])],
        [value("c", None)],
        [weight("w", 8, 4, 3, 3), sizes],
        **more,
    )
