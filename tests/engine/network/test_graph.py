"""Graph.of: order, names, operands and attributes; each error names the node and the field."""

import pytest

from app.engine import LayoutError
from app.engine.network import Graph, GraphTensor, NodeSource, Unknown
from tests.cost import assert_costs_like
from tests.engine.network.graphs import node, tensor

_SHAPES = {"x": (2, 8, 6, 6), "w": (16, 8, 3, 3), "v": (5,), "scalar": (), "huge": (1 << 58,)}
_X = {name: tensor(shape) for name, shape in _SHAPES.items()}
_AXES = {"axes": tensor((1,), dtype="int64", values=[0])}


def _graph(*nodes: NodeSource, constants: dict[str, GraphTensor] | None = None) -> Graph:
    return Graph.of(inputs=_X, nodes=nodes, constants=constants)


def test_what_a_graph_knows_of_its_tensors() -> None:
    graph = _graph(
        node("conv2d", "x w", "a", padding=1), node("relu", "a", "b"), node("add", "a a", "c")
    )
    assert graph.producers == {"a": 0, "b": 1, "c": 2}
    assert graph.readers == {"x": (0,), "w": (0,), "a": (1, 2)}
    assert graph.outputs == ("b", "c")
    assert graph.nodes[0].operator.name == "conv"
    assert graph.nodes[0].attributes["stride"] == (1,)
    assert graph.nodes[0].input("weight") == "w"
    assert graph.nodes[0].input("bias") == ""
    assert [each.name for each in graph.nodes] == ["a", "b", "c"]
    assert [each.origin for each in graph.nodes] == ["torch", "torch", "torch"]
    other = _graph(node("Conv", "x w", "b", group=1)).nodes[0]
    assert other.operator is graph.nodes[0].operator
    assert (other.attributes["groups"], other.origin) == (1, "onnx")


def test_constants_that_are_row_major_say_no_layout() -> None:
    constants = {"a": tensor((2, 3)), "b": tensor((2, 3), (1, 2))}
    said = _graph(node("add", "a b"), constants=constants).json["constants"]
    assert [said[name].get("layout") for name in "ab"] == [None, {"strides": [1, 2]}]


@pytest.mark.parametrize(
    ("nodes", "field", "says"),
    [
        ([node("relu", "nothing")], "nodes[0].inputs[0]", "no input, constant or node"),
        ([node("relu", "x", "x")], "nodes[0].outputs[0]", "given once"),
        ([node("relu", "x"), node("neg", "x")], "nodes[1].outputs[0]", "given once"),
        ([node("relu", "y")], "nodes[0].inputs[0]", "its own result"),
        ([node("relu", "z"), node("neg", "y", "z")], "nodes[0].inputs[0]", "nodes[1].outputs[0]"),
        ([node("relu", "x w")], "nodes[0].inputs", "got 2 operands; expected 1: input"),
        ([node("conv2d", "x")], "nodes[0].inputs", "2 to 3: input, weight, bias"),
        ([node("cat", "", dim=0)], "nodes[0].inputs", "at least 1"),
        ([node("conv2d", "x -")], "nodes[0].inputs[1]", "the operand weight"),
        ([node("conv2d", "x w", colour=1)], "nodes[0].attributes", "one of stride"),
        ([node("conv2d", "x w", stride=0)], "nodes[0].attributes.stride", "positive"),
        ([node("conv2d", "x w", stride=[1, 1, 1])], "nodes[0].attributes.stride", "or 2"),
        ([node("conv2d", "x w", groups=True)], "nodes[0].attributes.groups", "an integer"),
        ([node("conv2d", "x w", groups=3)], "nodes[0].inputs[1]", "8 input channels"),
        ([node("conv2d", "v w")], "nodes[0].inputs[0]", "4 dimensions"),
        ([node("conv2d", "x w v")], "nodes[0].inputs[2]", "the shape [16]"),
        ([node("add", "x v")], "nodes[0].inputs[1]", "sizes that broadcast"),
        ([node("add", "x")], "nodes[0].inputs", "two operands, or a number"),
        ([node("permute", "x")], "nodes[0].attributes.dims", "a value"),
        ([node("view", "x", shape=[5, -1])], "nodes[0].attributes.shape", "divides 576"),
        ([node("cat", "x w", dim=0)], "nodes[0].inputs[1]", "the sizes [2, 8, 6, 6]"),
        ([node("cat", "x x", dim=4)], "nodes[0].attributes.dim", "from -4 to 3"),
        ([node("chunk", "x", "a b", chunks=4, dim=1)], "nodes[0].outputs", "4, one for each part"),
        ([node("tensor_split", "x", indices_or_sections=2**62)], "nodes[0].outputs", str(2**62)),
        ([node("Split", "x", "a b", num_outputs=-2)], "nodes[0].attributes.num_outputs", "2 out"),
        ([node("relu", "x", "a b")], "nodes[0].outputs", "got 2 names; expected 1"),
        ([NodeSource("relu", ["x"], [])], "nodes[0].outputs", "at least one result"),
        ([node("", "x")], "nodes[0].op", "the name of an operator"),
        ([node("relu", "x", "a", "n"), node("neg", "x", "b", "n")], "nodes[1].name", "once"),
        ([node("magic", "x", deep=[[[[[1]]]]])], "nodes[0].attributes.deep", "4 levels"),
        ([node("matmul", "x v")], "nodes[0].inputs[1]", "6 rows"),
        ([node("sum", "x", dim=[0, 0])], "nodes[0].attributes.dim", "at most once"),
        ([node("Squeeze", "scalar axes")], "nodes[0].inputs[1]", "dimensions of size 1"),
        # Parts are counted, and not made.
        ([node("chunk", "huge", chunks=2**62)], "nodes[0].outputs", f"{1 << 58}, one for each"),
        ([node("split", "huge", split_size_or_sections=1)], "nodes[0].outputs", f"{1 << 58}, one"),
        (
            [node("magic", "x", "a", output_shapes=[[2], [3]])],
            "nodes[0].attributes.output_shapes",
            "1 lists",
        ),
    ],
)
def test_errors_name_the_node_and_the_field(nodes: list[NodeSource], field: str, says: str) -> None:
    with pytest.raises(LayoutError) as caught:
        _graph(*nodes, constants=_AXES)
    assert caught.value.field == field
    assert says in caught.value.message


def test_names_that_are_empty_or_taken() -> None:
    with pytest.raises(LayoutError, match=r"inputs: .* a name for each tensor"):
        Graph.of(inputs={"": tensor((1,))}, nodes=[])
    with pytest.raises(LayoutError, match="constants: got a name that stands among the inputs"):
        _graph(constants={"x": tensor((1,))})
    split = NodeSource("Split", ["x"], ["", "rest"], {"axis": 1})
    graph = _graph(split, node("relu", "rest", "y", "rest"), node("neg", "y", "z", "rest#0"))
    assert [each.name for each in graph.nodes] == ["rest#0'", "rest", "rest#0"]
    assert graph.type("rest") == tensor((2, 4, 6, 6)).type
    assert "" not in graph.types
    sizes = tensor((4,), dtype="int64", values=[2, 8, 6, 6])
    halves = _graph(NodeSource("Split", ["s"], ["", "end"]), constants={"s": sizes})
    assert halves.values("end") == (6, 6)


def test_outputs_are_tensors_once_each() -> None:
    nodes = [node("relu", "x")]
    assert Graph.of(inputs=_X, nodes=nodes, outputs=["y", "x"]).outputs == ("y", "x")
    with pytest.raises(LayoutError, match=r"outputs\[1\]: .* no tensor has"):
        Graph.of(inputs=_X, nodes=nodes, outputs=["y", "z"])
    with pytest.raises(LayoutError, match=r"outputs\[1\]: .* each tensor once"):
        Graph.of(inputs=_X, nodes=nodes, outputs=["y", "y"])


def test_an_unknown_operator_is_kept_and_says_so() -> None:
    graph = _graph(node("MyOp", "x", "a b", level=3), node("relu", "a", "c"))
    assert graph.nodes[0].operator.kind == "opaque"
    assert graph.nodes[0].attributes == {"level": 3}
    unknown, next_one = graph.types["b"], graph.types["c"]
    assert isinstance(unknown, Unknown)
    assert "not in the catalogue. Its" in unknown.reason
    near = _graph(node("rellu", "x", "a")).types["a"]
    assert isinstance(near, Unknown)
    assert "not in the catalogue (did you mean relu?). Its" in near.reason
    assert isinstance(next_one, Unknown)
    assert "inputs[0]" in next_one.reason


def test_an_unknown_operator_may_tell_its_shapes() -> None:
    told = node("MyOp", "x", "a b", output_shapes=[[2, 3], []], output_dtypes=["float16", "int64"])
    graph = _graph(told, node("relu", "a", "c"))
    assert graph.type("c") == tensor((2, 3), dtype="float16").type


def test_fifty_times_the_nodes_cost_no_square_of_it() -> None:
    def chain(length: int) -> list[NodeSource]:
        return [NodeSource("relu", [f"t{i}"], [f"t{i + 1}"]) for i in range(length)]

    start = {"t0": tensor((2, 8, 6, 6))}
    few, many = chain(400), chain(20_000)
    assert_costs_like(
        lambda: Graph.of(inputs=start, nodes=few),
        lambda: Graph.of(inputs=start, nodes=many),
        times=50 * 7,
    )


def test_an_operand_of_unknown_shape_is_not_one_left_out() -> None:
    values = {"sizes": [2, 8, 6, 6], "first": [0], "second": [2]}
    constants = {
        name: tensor((len(each),), dtype="int64", values=each) for name, each in values.items()
    }
    for source in (
        NodeSource("Split", ["sizes", "u"], ["y", "z"]),
        node("Slice", "sizes first second u"),
        node("ReduceSum", "sizes u"),
        node("Unsqueeze", "first u"),
    ):
        graph = _graph(node("mystery", "x", "u"), source, constants=constants)
        assert graph.type("y") is None, source
        assert graph.values("y") is None, source
