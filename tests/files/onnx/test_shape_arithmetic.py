"""Shape arithmetic of exporters: computed as ONNX's own reference does, and folded when read."""

import random
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from app.engine import LayoutError
from app.files.onnx import read_network
from tests.files.onnx.models import integers, model, op, value, weight

INT64 = TensorProto.INT64
RANKED = "Shape NonZero Gather Slice Concat Split Flatten Tile"


def ints(made: random.Random, shape: tuple[int, ...], low: int = -9, high: int = 9) -> Any:
    count = int(np.prod(shape))
    return np.array([made.randint(low, high) for _ in range(count)], np.int64).reshape(shape)


def shape_of(made: random.Random, most: int = 3) -> tuple[int, ...]:
    return tuple(made.randint(1, 4) for _ in range(made.randint(0, most)))


def case(  # noqa: PLR0912 -- a branch for each kind of operator
    op: str, made: random.Random
) -> tuple[list[Any], dict[str, Any]]:
    """Operands and attributes of one use of an operator."""
    shape = shape_of(made)
    while not shape and op in RANKED.split():
        shape = shape_of(made)
    data = ints(made, shape)
    rank = len(shape)
    axis = made.randrange(-rank, rank) if rank else 0
    if op in {"Add", "Sub", "Mul", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}:
        return [data, ints(made, tuple(made.choice([1, n]) for n in shape))], {}
    if op in {"Div", "Mod"}:
        return [data, ints(made, shape, 1) * made.choice([-1, 1])], {}
    if op == "Pow":
        return [data, ints(made, shape, 0, 3)], {}
    if op in {"Min", "Max"}:
        return [data, ints(made, shape), ints(made, ())], {}
    if op in {"And", "Or", "Xor"}:
        return [data > 0, ints(made, shape) > 0], {}
    if op == "Not":
        return [data > 0], {}
    if op in {"Floor", "Ceil", "Round", "Sqrt"}:
        return [(np.abs(data) / np.float32(4)).astype(np.float32)], {}
    if op == "Cast":
        to = made.choice([1, 6, 7, 9, 11])
        data = data if made.random() < 0.5 else (data / np.float32(4)).astype(np.float32)
        return [data], {"to": to}
    if op == "Shape":
        return [data], {"start": made.randint(-rank, rank), "end": made.randint(-rank, rank)}
    if op == "Gather":
        n = shape[axis]
        return [data, ints(made, shape_of(made, 2), -n, n - 1)], {"axis": axis}
    if op == "Slice":
        step = made.choice([-2, -1, 1, 2])
        ends = [made.randint(-9, 9), made.choice([2**63 - 1, -(2**63)])]
        bounds = [np.array([each], np.int64) for each in (made.randint(-9, 9), made.choice(ends))]
        return [data, *bounds, np.array([axis]), np.array([step])], {}
    if op == "Concat":
        return [data, data[:1] if rank == 1 else data], {"axis": 0 if rank == 1 else axis}
    if op == "Unsqueeze":
        return [data, np.array([0, -1])], {}
    if op == "Squeeze":
        return [data[None, ..., None], np.array([0, -1])], {}
    if op == "ConstantOfShape":
        fill: Any = made.choice([np.int64(3), np.int32(2), np.float32(0.5), np.True_])
        tensor = numpy_helper.from_array(np.array([fill]))
        return [np.abs(ints(made, (2,), 0, 4))], {"value": tensor}
    if op == "Range":
        delta = made.choice([-3, -1, 1, 2])
        return [ints(made, ()), ints(made, ()), np.array(delta)], {}
    if op == "Where":
        return [data > 0, data, ints(made, ())], {}
    if op.startswith("Reduce"):
        axes = np.array(made.sample(range(rank), made.randint(1, rank)), np.int64) if rank else None
        operands = [data] if axes is None or made.random() < 0.3 else [data, axes]
        keep, none = made.randint(0, 1), made.randint(0, 1)
        return operands, {"keepdims": keep, "noop_with_empty_axes": none}
    if op == "Reshape":
        return [data, np.array([-1] if made.random() < 0.5 else [*shape[:-1], -1])], {}
    if op == "Flatten":
        return [data], {"axis": made.randint(-rank, rank)}
    if op == "Expand":
        return [data, np.array([2, *(made.choice([1, n]) for n in shape)])], {}
    if op == "Tile":
        return [data, np.array([made.randint(0, 3) for _ in shape])], {}
    if op == "Transpose":
        return [data], {"perm": made.sample(range(rank), rank)} if rank else {}
    if op == "Split":
        return [data, np.array([shape[axis] - 1, 1])], {"axis": axis}
    return [data], {}


OPS = """
Shape Size Gather Slice Concat Unsqueeze Squeeze Cast Identity Add Sub Mul Div Mod Pow Min Max
Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not Neg Abs Sign Floor Ceil Round Sqrt
ConstantOfShape Range Where ReduceProd ReduceSum ReduceMax ReduceMin Reshape Flatten Expand Tile
Transpose Split NonZero
"""


@pytest.mark.parametrize("op", OPS.split())
def test_each_operator_is_computed_as_onnx_s_reference_does(op: str) -> None:
    made = random.Random(op)  # noqa: S311 -- a test's own numbers
    computed = 0
    for _ in range(30):
        operands, attributes = case(op, made)
        names = [f"c{at}" for at in range(len(operands))]
        results = ["y", "z"] if op == "Split" else ["y"]
        node = helper.make_node(op, names, results, **attributes)
        kinds = [value(name, None, INT64) for name in results]
        constants = [
            numpy_helper.from_array(np.asarray(each), name)
            for name, each in zip(names, operands, strict=True)
        ]
        file = model([node], [], kinds, constants, opset=18)
        expected = ReferenceEvaluator(file).run(results, {})
        graph = read_network(file.SerializeToString()).graph
        for name, array in zip(results, expected, strict=True):
            kind = graph.type(name)
            assert kind is not None
            assert (kind.shape, kind.dtype.name) == (array.shape, array.dtype.name), attributes
            found = graph.values(name)
            if found is not None:
                computed += 1
                assert np.array_equal(np.array(found).reshape(array.shape), array), operands
    assert computed >= 25


def flattened() -> onnx.ModelProto:
    """``x.view(x.shape[0], -1)`` and an upsampling by a computed size, as exporters write them."""
    scale = numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "scale")
    nodes = [
        *(op("Conv x w -> a", pads=[1, 1, 1, 1]), op("Shape a -> s"), op("Cast s -> sf", to=1)),
        *(op("Mul sf scale -> m"), op("Floor m -> f"), op("Cast f -> size", to=7)),
        *(op("Resize a - - size -> u", mode="nearest"), op("Shape u -> t")),
        *(op("Gather t zero -> n", axis=0), op("Unsqueeze n axes -> n1")),
        *(op("Concat n1 rest -> sizes", axis=0), op("Reshape u sizes -> y")),
    ]
    constants = [weight("w", 8, 4, 3, 3), scale, integers("axes", 0), integers("rest", -1)]
    constants.append(numpy_helper.from_array(np.array(0, np.int64), "zero"))
    return model(nodes, [value("x", ["batch", 4, 6, 6])], [value("y", None)], constants)


def test_arithmetic_of_an_exporter_is_folded() -> None:
    found = read_network(flattened().SerializeToString(), {"batch": 3})
    assert [node.op for node in found.graph.nodes] == ["Conv", "Resize", "Reshape"]
    assert getattr(found.graph.type("y"), "shape", None) == (3, 8 * 12 * 12)
    assert found.graph.constants["sizes"].values == (3, -1)
    size = {"shape": [4], "dtype": "int64", "values": [3, 8, 12, 12]}
    assert found.graph.json["constants"]["size"] == size
    assert not found.unknown
    assert set(found.graph.constants) == {"w", "size", "sizes"}


def test_a_result_of_the_network_is_not_folded() -> None:
    nodes = [op("Shape x -> s"), op("Relu x -> y")]
    outputs = [value("y", None), value("s", None, INT64)]
    found = read_network(model(nodes, [value("x", [2, 3])], outputs).SerializeToString())
    assert [node.op for node in found.graph.nodes] == ["Shape", "Relu"]
    assert found.graph.values("s") == (2, 3)


@pytest.mark.parametrize(
    "node",
    [
        "Tile s many -> y",
        "Expand s many -> y",
        "Div s zero -> y",
        "Gather s many -> y",
        "Range zero many zero -> y",
        "Reshape s many -> y",
    ],
)
def test_what_is_large_or_does_not_fit_is_left_open_or_named(node: str) -> None:
    shape = op("Shape x -> s")
    constants = [integers("many", 10**9), integers("zero", 0)]
    file = model([shape, op(node)], [value("x", [2])], [value("y", None, INT64)], constants)
    try:
        found: object = read_network(file.SerializeToString()).graph.values("y")
    except LayoutError as error:
        found = error.field
    assert found in {None, "graph.node[1].input[1]", "graph.node[1].input[2]"}
