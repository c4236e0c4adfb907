"""Which Casts ONNX Runtime takes out, and what the tensors are called that are read then.

The models that ONNX Runtime 1.31.1 saves were read for each of these cases.
"""

from typing import Any

import pytest

from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.network import Graph, propagate
from app.engine.network.rules.onnxruntime import optimized
from tests.engine.network.graphs import chain, node, tensor

# The types to which a Cast, and back, is taken out.
_WIDER = {
    "float16": "float32 float64",
    "bfloat16": "float32 float64",
    "float32": "float64",
    "float64": "",
    "int8": "float16 bfloat16 float32 float64 int16 int32 int64",
    "int16": "float32 float64 int32 int64",
    "int32": "float64 int64",
    "int64": "",
    "uint8": "float16 bfloat16 float32 float64 int16 int32 int64 uint16 uint32 uint64",
    "uint16": "float32 float64 int32 int64 uint32 uint64",
    "uint32": "float64 int64 uint64",
    "uint64": "",
    "bool": "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64",
}
_NUMBERS = {name: ELEMENT_TYPES[name].onnx for name in _WIDER}


def _left(*texts: str, outputs: str, dtype: str = "float32") -> list[str]:
    """The steps that are left of nodes ``Cast(a) b float64``, in this form."""
    nodes = []
    for text in texts:
        call, made, *to = text.split()
        op, _, source = call.rstrip(")").partition("(")
        attributes: dict[str, Any] = {"to": _NUMBERS[to[0]]} if to else {}
        nodes.append(node(op, source, made, **attributes))
    graph = Graph.of(
        inputs={"x": tensor((4, 6), dtype=dtype)}, nodes=nodes, outputs=outputs.split()
    )
    steps = optimized(graph)[0].steps.values()
    return [f"{s.op}({' '.join(s.inputs)}) {s.output}" for s in steps]


@pytest.mark.parametrize("dtype", _NUMBERS)
def test_casts_that_lose_nothing_and_back(dtype: str) -> None:
    found = []
    for other in _NUMBERS:
        casts = (f"Cast(x) b {other}", f"Cast(b) c {dtype}", "Sign(c) d")
        if other != dtype and _left(*casts, outputs="d", dtype=dtype) == ["Sign(x) d"]:
            found.append(other)
    assert sorted(found) == sorted(_WIDER[dtype].split())


@pytest.mark.parametrize(
    "row",
    [
        "Cast(x) b float64, Cast(b) c float32 | c | Cast(x) c",
        "Cast(x) b float64, Cast(b) c float32 | b c | Cast(x) b, Cast(b) c",
        "Cast(x) b float64, Cast(b) c float32, Sign(c) d | b d | Cast(x) b, Sign(x) d",
        "Cast(x) b float64, Cast(b) c float16, Sign(c) d | d | Cast(x) c, Sign(c) d",
        "Cast(x) b float64, Cast(b) c float16, Sign(b) q, Sign(c) d | q d | Cast(x) b, Cast(b) "
        "c, Sign(b) q, Sign(c) d",
        "Cast(x) b float64, Cast(b) c float16, Cast(b) e float32, Sign(c) d, Sign(e) f | d f | "
        "Cast(x) c, Sign(c) d, Sign(x) f",
        "Cast(x) b float64, Cast(b) c float32, Cast(c) e float64, Cast(e) f float32, Sign(f) g "
        "| g | Sign(x) g",
        "Cast(x) b float64, Cast(b) c float32, Sign(c) d | c d | Cast(x) c, Sign(c) d",
        "Cast(x) b float64, Cast(b) c float16, Cast(c) e float32, Sign(e) f | f | Cast(x) c, "
        "Cast(c) e, Sign(e) f",
        "Cast(x) b int32, Cast(b) c float32, Sign(c) d | d | Cast(x) b, Cast(b) c, Sign(c) d",
    ],
)
def test_what_is_left_of_casts(row: str) -> None:
    nodes, outputs, left = row.split(" | ")
    assert _left(*nodes.split(", "), outputs=outputs) == left.split(", ")


def test_the_tensor_before_both_casts_is_what_is_reordered() -> None:
    graph = Graph.of(
        inputs={"x": tensor((1, 16, 8, 8))},
        constants={"w": tensor((16, 16, 3, 3)), "v": tensor((16, 16, 1, 1))},
        nodes=chain("Conv(x w) a pads=[1,1,1,1]; Cast(a) b to=11; Cast(b) c to=1; Conv(c v) d"),
    )
    found = propagate(graph, "onnxruntime-cpu")
    moved = [(each.tensor, each.source, each.readers) for each in found.reorders]
    assert moved == [
        ("x", "NCHW", ("a",)),
        ("a", "NCHW", ("d",)),
        ("a", "NCHW16c", ("d",)),
        ("d", "NCHW16c", ()),
    ]
    assert found.tensors["b"].layout is None
    assert (found.tensors["c"].view, found.tensors["c"].of) == (True, "a")
    assert [each.rule for each in found.nodes] == ["blocked", "removed", "removed", "blocked"]


def test_a_reorder_that_reads_nhwc_reads_the_tensor_before_both_casts_too() -> None:
    graph = Graph.of(
        inputs={"x": tensor((1, 8, 8, 16))},
        constants={"v": tensor((16, 16, 1, 1))},
        nodes=chain("Cast(x) b to=11; Cast(b) c to=1; Transpose(c) t perm=[0,3,1,2]; Conv(t v) d"),
    )
    regions = optimized(graph)[1]
    assert [each.tensor for each in regions.inputs.values()] == ["x"]
