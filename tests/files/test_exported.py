"""Exported PyTorch programs, with stand-ins for the program: PyTorch is no dependency.

The stand-ins have the members of ``torch.export.ExportedProgram`` that are read.
"""

import sys
from pathlib import Path
from types import SimpleNamespace as Made
from typing import Any

import pytest

from app.engine.model.errors import LayoutError
from app.engine.model.layout import packed_strides
from app.files.exported import _graph_of, read_exported
from app.files.onnx import MissingLibraryError
from tests.cost import assert_costs_like


class Tensor:
    """A tensor's shape, strides and type."""

    def __init__(
        self, *shape: Any, strides: tuple[int, ...] = (), dtype: str = "torch.float32"
    ) -> None:
        self.shape, self.dtype = shape, dtype
        self._strides = strides or packed_strides(
            [getattr(n, "node", Made(hint=n)).hint for n in shape]
        )

    def stride(self) -> tuple[int, ...]:
        return self._strides


class Node:
    """A node of an exported graph."""

    def __init__(
        self,
        op: str,
        name: str,
        value: Any = None,
        target: Any = None,
        args: Any = (),
        **kwargs: Any,
    ) -> None:
        self.op, self.name, self.target, self.args = op, name, target, args
        self.kwargs, self.meta = kwargs, {"val": value}
        flat = [each for a in args for each in (a if isinstance(a, list) else [a])]
        self.all_input_nodes = [each for each in flat if isinstance(each, Node)]


def aten(text: str) -> Any:
    """An operator of a name and the names of its arguments."""
    name, *arguments = text.split()
    return Made(_schema=Made(name=f"aten::{name}", arguments=[Made(name=a) for a in arguments]))


def call(name: str, target: Any, value: Any, *args: Any, **kwargs: Any) -> Node:
    target = aten(target) if isinstance(target, str) and " " in target else target
    return Node("call_function", name, value, target, args, **kwargs)


def program() -> Any:
    x = Node("placeholder", "x", Tensor(2, 4, 8, 8, strides=(256, 1, 32, 4)))
    w = Node("placeholder", "w", Tensor(6, 4, 1, 1))
    conv = call("conv", "conv2d input weight", Tensor(2, 6, 8, 8), x, w)
    parts = call("parts", "chunk self chunks dim", [Tensor(2, 3, 8, 8)] * 2, conv, 2, 1)
    first = call("first", Made(__name__="getitem"), Tensor(2, 3, 8, 8), parts, 0)
    joined = call("joined", "cat tensors dim", Tensor(2, 9, 8, 8), [first, conv], 1)
    seen = call("seen", "view self size", Tensor(2, 576), joined, [2, 576])
    # A shape that the catalogue does not find: the node is kept by its name.
    odd = call("odd", "relu self", Tensor(2, 5), seen)
    new = call("new", "fft_fft self", Tensor(2, 5), odd)
    out = Node("output", "output", None, None, (new,))
    nodes = [x, w, conv, parts, first, joined, seen, odd, new, out]
    return of(*nodes, w="conv.weight")


def of(*nodes: Node, **parameters: str) -> Any:
    """A program of these nodes."""
    lifted = {"inputs_to_lifted_tensor_constants": {"lifted": "lifted"}}
    signature = Made(inputs_to_parameters=parameters, inputs_to_buffers={}, **lifted)
    return Made(graph=Made(nodes=nodes), graph_signature=signature)


def test_aten_operators_become_the_catalogue_s() -> None:
    graph = _graph_of(program())
    made = graph.json
    assert (list(graph.inputs), list(graph.constants)) == (["x"], ["w"])
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


X = Node("placeholder", "x", Tensor(2, 4, 8, 8))


FLOAT64 = type("ElementType", (), {"__str__": lambda _: "torch.float64"})()  # which is no text
UPSAMPLE = "upsample_bilinear2d input output_size align_corners"
# As torch.export of PyTorch 2.13 writes these calls: names and arguments of the schemas.
CALLS = [
    (
        call("y", "einsum equation tensors path", Tensor(2, 4, 4), "nchw,ndhw->ncd", [X, X]),
        ("einsum", ("x", "x"), {"equation": "nchw,ndhw->ncd"}),
    ),
    (
        call("y", UPSAMPLE, Tensor(2, 4, 4, 4), X, [4, 4], False),
        ("interpolate", ("x",), {"size": [4, 4], "align_corners": False, "mode": "bilinear"}),
    ),
    (
        call("y", "sum self dtype", Tensor(dtype="torch.float64"), X, dtype=FLOAT64),
        ("sum", ("x",), {"dtype": "float64"}),
    ),
    (
        call("y", "slice self dim start end step", Tensor(2, 1, 8, 8), X, 1, None, 1),
        ("slice", ("x",), {"dim": 1, "end": 1}),
    ),
    # What the catalogue cannot say keeps its name and the shapes that PyTorch found.
    (
        call("y", "cond", [Tensor(2, 4, 8, 8)], X, "true_graph_0"),
        ("aten:cond", ("x",), {"output_shapes": [[2, 4, 8, 8]], "output_dtypes": ["float32"]}),
    ),
]


@pytest.mark.parametrize(("node", "expected"), CALLS)
def test_calls(node: Node, expected: tuple[str, tuple[str, ...], dict[str, Any]]) -> None:
    graph = _graph_of(of(X, node, Node("output", "out", args=(node,))))
    (found,) = graph.nodes
    assert (found.op, found.inputs, found.given) == expected


def chain(count: int, op: str, *arguments: int) -> Any:
    """Relu and the operator in turn, each of the last result."""
    nodes = [X]
    for k in range(count):
        target = f"{op} self dim0 dim1" if k % 2 else "relu self"
        given = arguments if k % 2 else ()
        nodes.append(call(f"y{k}", target, Tensor(2, 4, 8, 8), nodes[-1], *given))
    return of(*nodes, Node("output", "out", args=(nodes[-1],)))


@pytest.mark.parametrize("dims", [(7, 9), (0, 1)])
def test_many_refused_nodes_cost_as_much_each_as_a_few(dims: tuple[int, int]) -> None:
    """Dimensions that are not there, and another shape: the relus between them are kept."""
    plain, refused = chain(3000, "relu"), chain(3000, "transpose", *dims)
    graph = _graph_of(refused)
    assert [node.op for node in graph.nodes] == ["relu", "aten:transpose"] * 1500
    assert_costs_like(lambda: _graph_of(plain), lambda: _graph_of(refused))


def test_sizes_that_depend_on_the_input() -> None:
    """``x.reshape(x.shape[0], -1)`` of an open batch: its number is the example's."""
    open_ = Made(node=Made(hint=2))
    x = Node("placeholder", "x", Tensor(open_, 4, 8, 8))
    size = call("size", "sym_size self dim", open_, x, 0)
    flat = call("flat", "reshape self shape", Tensor(open_, 256), x, [size, -1])
    graph = _graph_of(of(x, size, flat, Node("output", "out", args=(flat,))))
    assert [node.op for node in graph.nodes] == ["aten:reshape"]
    assert graph.json["inputs"]["x"]["shape"] == [2, 4, 8, 8]
    assert getattr(graph.type("flat"), "shape", None) == (2, 256)


def test_what_is_no_tensor_is_left_out_and_lifted_tensors_are_constants() -> None:
    number = Node("placeholder", "n", 3)
    lifted = Node("placeholder", "lifted", Tensor(2, dtype="torch.int64"))
    branch = Node("get_attr", "true_graph_0")
    relu = call("y", "relu_ self", Tensor(2, 4, 8, 8), X)
    graph = _graph_of(of(X, number, lifted, branch, relu))
    assert (list(graph.inputs), list(graph.constants)) == (["x"], ["lifted"])
    assert [node.op for node in graph.nodes] == ["relu"]


def test_unknown_types_and_ranks_beyond_the_catalogue_are_refused() -> None:
    z = Node("placeholder", "z", Tensor(2, dtype="torch.complex32"))
    with pytest.raises(LayoutError, match=r"source: got the element type torch.complex32"):
        _graph_of(of(z))
    deep = call("y", "reshape self shape", Tensor(*[1] * 60), X, [1] * 60)
    with pytest.raises(LayoutError, match="at most 52 dimensions"):
        _graph_of(of(X, deep))


def test_a_file_is_read_by_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def load(path: Path) -> Any:
        if path.read_bytes() != b"whole":
            raise RuntimeError("PytorchStreamReader failed reading zip archive")
        return program()

    path = tmp_path / "model.pt2"
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingLibraryError, match="needs PyTorch"):
        read_exported(path)
    monkeypatch.setitem(sys.modules, "torch", Made(export=Made(load=load)))
    with pytest.raises(FileNotFoundError):
        read_exported(path)
    path.write_bytes(b"half")
    with pytest.raises(LayoutError, match=r"source: got a file that torch.export.load does not"):
        read_exported(path)
    path.write_bytes(b"whole")
    assert read_exported(path).outputs == ("new",)
