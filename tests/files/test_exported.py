"""Exported PyTorch programs, with stand-ins for the program: PyTorch is no dependency.

The stand-ins have the members of ``torch.export.ExportedProgram`` that are read.
"""

from __future__ import annotations

from types import SimpleNamespace as Made
from typing import Any

from app.engine.layout import packed_strides
from app.files.exported import _Reading


class Tensor:
    """A tensor's shape, strides and type."""

    def __init__(self, *shape: int, strides: tuple[int, ...] = ()) -> None:
        self.shape, self.dtype = shape, "torch.float32"
        self._strides = strides or packed_strides(shape)

    def stride(self) -> tuple[int, ...]:
        return self._strides


class Node:
    """A node of an exported graph."""

    def __init__(
        self, op: str, name: str, value: Any = None, target: Any = None, args: tuple[Any, ...] = ()
    ) -> None:
        self.op, self.name, self.target, self.args = op, name, target, args
        self.kwargs: dict[str, Any] = {}
        self.meta = {"val": value}
        flat = [each for a in args for each in (a if isinstance(a, list) else [a])]
        self.all_input_nodes = [each for each in flat if isinstance(each, Node)]


def aten(name: str, *arguments: str) -> Any:
    return Made(_schema=Made(name=f"aten::{name}", arguments=[Made(name=a) for a in arguments]))


def program() -> Any:
    x = Node("placeholder", "x", Tensor(2, 4, 8, 8, strides=(256, 1, 32, 4)))
    w = Node("placeholder", "w", Tensor(6, 4, 1, 1))
    conv = Node("call_function", "conv", Tensor(2, 6, 8, 8), aten("conv2d", "input", "weight"),
                (x, w))  # fmt: skip
    parts = Node("call_function", "parts", [Tensor(2, 3, 8, 8)] * 2,
                 aten("chunk", "self", "chunks", "dim"), (conv, 2, 1))  # fmt: skip
    first = Node("call_function", "first", Tensor(2, 3, 8, 8), Made(__name__="getitem"), (parts, 0))
    joined = Node("call_function", "joined", Tensor(2, 9, 8, 8), aten("cat", "tensors", "dim"),
                  ([first, conv], 1))  # fmt: skip
    seen = Node("call_function", "seen", Tensor(2, 576), aten("view", "self", "size"),
                (joined, [2, 576]))  # fmt: skip
    # A shape that the catalogue does not find: the node is kept by its name.
    odd = Node("call_function", "odd", Tensor(2, 5), aten("relu", "self"), (seen,))
    new = Node("call_function", "new", Tensor(2, 5), aten("fft_fft", "self"), (odd,))
    out = Node("output", "output", None, None, (new,))
    nodes = [x, w, conv, parts, first, joined, seen, odd, new, out]
    signature = Made(inputs_to_parameters={"w": "conv.weight"}, inputs_to_buffers={})
    return Made(graph=Made(nodes=nodes), graph_signature=signature)


def test_aten_operators_become_the_catalogue_s() -> None:
    graph, made = _Reading(program()).done()
    assert list(graph.inputs) == ["x"]
    assert list(graph.constants) == ["w"]
    assert graph.inputs["x"].layout.strides == (256, 1, 32, 4)
    assert [(node.op, node.inputs, node.outputs) for node in graph.nodes] == [
        ("conv2d", ("x", "w"), ("conv",)),
        ("chunk", ("conv",), ("parts.0", "parts.1")),
        ("cat", ("parts.0", "conv"), ("joined",)),
        ("view", ("joined",), ("seen",)),
        ("aten:relu", ("seen",), ("odd",)),
        ("aten:fft_fft", ("odd",), ("new",)),
    ]
    assert made["nodes"][4]["attributes"]["output_shapes"] == [[2, 5]]
    assert made["inputs"]["x"]["layout"] == {"strides": [256, 1, 32, 4]}
    assert made["outputs"] == ["new"]
