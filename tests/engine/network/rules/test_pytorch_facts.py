"""What PyTorch 2.13 gave for single operators where its rule is easily missed."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine.network import Graph, GraphTensor, propagate
from tests.engine.network.graphs import node, tensor

Sizes = tuple[int, ...]


def made(
    op: str, tensors: Mapping[str, GraphTensor], operands: str = "", **attributes: Any
) -> tuple[Sizes, str]:
    """The strides and the element type of a result."""
    call = node(op, operands or " ".join(tensors), **attributes)
    found = propagate(Graph.of(inputs=tensors, nodes=[call]), "pytorch-eager").tensors["y"]
    assert found.layout is not None
    assert found.layout.strides is not None
    assert found.dtype is not None
    return found.layout.strides, found.dtype.name


EINSUM: dict[tuple[str, tuple[Sizes, ...]], tuple[str, str, str]] = {
    ("ab->a", ((2, 3),)): ("int64", "int64", "float16"),
    ("ab->a", ((2, 1),)): ("int64", "int64", "float16"),
    ("ab->ba", ((2, 3),)): ("bool", "int8", "float16"),
    ("aa->a", ((3, 3),)): ("bool", "int8", "float16"),
    ("aa->", ((3, 3),)): ("int64", "int64", "float16"),
    ("ab,cd->acd", ((2, 3), (4, 5))): ("int64", "int64", "float16"),
    ("ab,cd->acd", ((2, 1), (4, 5))): ("bool", "int8", "float16"),
    ("ab,ab->a", ((2, 3), (2, 1))): ("int64", "int64", "float16"),
    ("ab,c->c", ((0, 3), (2,))): ("int64", "int64", "float16"),
    ("ab,bc->ac", ((2, 3), (3, 4))): ("", "int8", "float16"),
    ("ab,bc,cd->ad", ((2, 3), (3, 4), (4, 2))): ("", "int8", "float16"),
    ("abcd,efd->aefc", ((8, 2, 1, 1), (3, 2, 1))): ("int64", "int64", "float16"),
}  # empty: PyTorch has no bmm of that type


@pytest.mark.parametrize(("equation", "shapes"), EINSUM, ids=str)
def test_einsum_sums_integers_as_int64(equation: str, shapes: tuple[Sizes, ...]) -> None:
    for dtype, expected in zip(("bool", "int8", "float16"), EINSUM[equation, shapes], strict=True):
        tensors = {f"x{i}": tensor(shape, dtype=dtype) for i, shape in enumerate(shapes)}
        if expected:
            assert made("einsum", tensors, equation=equation)[1] == expected, dtype


@pytest.mark.parametrize(
    ("shape", "strides", "plain", "with_parameters"),
    [
        ((1, 4, 8, 0), (128, 16, 2, 1), (128, 16, 2, 1), (32, 8, 1, 1)),
        ((2, 4, 8, 0), (128, 16, 2, 1), (32, 8, 1, 1), (32, 8, 1, 1)),
        ((2, 4, 8, 0), (32, 1, 4, 4), (32, 8, 1, 1), (32, 8, 1, 1)),
        ((1, 4, 8, 0), (32, 1, 4, 4), (32, 1, 4, 4), (0, 1, 4, 32)),
        ((2, 4, 0), (1, 2, 8), (4, 1, 1), (4, 1, 1)),
        ((1, 4, 0, 3), (1, 1, 3, 12), (1, 1, 3, 12), (3, 3, 12, 1)),
        # PyTorch looks for the first number of a parameter that has none.
        ((0, 4, 8, 2), (64, 1, 8, 4), (64, 16, 2, 1), None),
        ((1, 0, 3, 3), (0, 1, 3, 1), (0, 1, 3, 1), None),
    ],
)
def test_instance_norm_of_nothing(
    shape: Sizes, strides: Sizes, plain: Sizes, with_parameters: Sizes | None
) -> None:
    tensors = {"x": tensor(shape, strides), "w": tensor(shape[1:2])}
    assert made("instance_norm", tensors, "x")[0] == plain
    if with_parameters is not None:
        assert made("instance_norm", tensors, "x - - w w")[0] == with_parameters


def test_batch_norm_of_nothing_is_a_clone() -> None:
    tensors = {"x": tensor((0, 4, 2, 2), (16, 1, 8, 4)), "m": tensor((4,)), "v": tensor((4,))}
    assert made("batch_norm", tensors)[0] == (16, 1, 8, 4)


@pytest.mark.parametrize(
    ("shape", "strides", "gru"),
    [
        ((3, 3), (3, 1), (3, 1)),
        ((3, 3), (1, 3), (1, 3)),
        ((1, 3), (1, 1), (3, 1)),
        ((3, 1), (1, 3), (1, 1)),
        ((2, 5), (10, 1), (5, 1)),
        ((2, 5), (0, 1), (5, 1)),
        ((2, 5), (1, 0), (5, 1)),
    ],
)
def test_a_gru_cell_keeps_the_order_of_the_state(
    shape: tuple[int, int], strides: Sizes, gru: Sizes
) -> None:
    batch, hidden = shape
    plain = (hidden, 1)
    for op, gates, expected in (
        ("gru_cell", 3, gru),
        ("rnn_tanh_cell", 1, plain),
        ("rnn_relu_cell", 1, plain),
    ):
        weights = {"wi": tensor((gates * hidden, 4)), "wh": tensor((gates * hidden, hidden))}
        tensors = {"x": tensor((batch, 4)), "h": tensor(shape, strides)} | weights
        assert made(op, tensors)[0] == expected, op


FOUR = (2, 3, 4, 5), (60, 20, 5, 1)
WIDE = (2, 4, 1, 6, 2), (96, 24, 1, 4, 1)


@pytest.mark.parametrize(
    ("op", "attributes", "given", "dtype", "result"),
    [
        # An integer is converted before it is divided: strides of size 1 are made anew.
        ("softsign", {}, ((3, 4, 1, 1), (16, 2, 7, 1)), "int64", ((4, 1, 1, 1), "float32")),
        ("softsign", {}, WIDE, "int64", ((48, 12, 12, 2, 1), "float32")),
        ("erf", {}, WIDE, "int64", ((48, 12, 12, 2, 1), "float32")),
        ("erf", {}, WIDE, "float32", ((48, 12, 1, 2, 1), "float32")),
        ("tanh", {}, WIDE, "bool", ((48, 12, 12, 2, 1), "float32")),
        ("tanhshrink", {}, WIDE, "int64", ((48, 12, 12, 2, 1), "float32")),
        ("abs", {}, WIDE, "int64", ((48, 12, 1, 2, 1), "int64")),
        ("logical_not", {}, WIDE, "int64", ((48, 12, 1, 2, 1), "bool")),
        (
            "local_response_norm",
            {"size": 2},
            ((1, 3, 1, 5), (1, 10, 10, 2)),
            "int64",
            ((15, 5, 5, 1), "float32"),
        ),
        ("zeros_like", {"memory_format": "channels_last"}, FOUR, "int8", ((60, 1, 15, 3), "int8")),
        ("normalize", {"dim": 0}, ((), ()), "float32", ((), "float32")),
        ("any", {"dim": 2}, ((5, 1, 2), (2, 2, 1)), "uint8", ((1, 1), "uint8")),
        ("all", {"dim": 2}, ((5, 1, 2), (2, 2, 1)), "int8", ((1, 1), "bool")),
    ],
)
def test_calls_of_one_operand(
    op: str, attributes: dict[str, Any], given: tuple[Sizes, Sizes], dtype: str, result: Any
) -> None:
    assert made(op, {"x": tensor(*given, dtype=dtype)}, **attributes) == result


@pytest.mark.parametrize(
    ("query", "key", "strides"),
    [
        ((2, 0, 1), (2, 0, 1), (0, 1, 0)),
        ((2, 0, 3), (2, 2, 3), (3, 3, 1)),
        ((2, 3, 4), (2, 5, 4), (12, 4, 1)),  # no flash attention of three dimensions
        ((2, 2, 1), (2, 0, 1), (2, 1, 1)),
    ],
)
def test_attention_of_nothing_is_a_sum_of_zeros_and_a_number_else_contiguous(
    query: Sizes, key: Sizes, strides: Sizes
) -> None:
    tensors = {"q": tensor(query), "k": tensor(key), "v": tensor(key)}
    assert made("scaled_dot_product_attention", tensors)[0] == strides


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_a_3d_convolution_of_16_bits_says_that_it_depends_on_the_processor(dtype: str) -> None:
    last = (1000, 1, 200, 40, 8)
    tensors = {"x": tensor((2, 8, 5, 5, 5), last, dtype=dtype), "w": tensor((4, 8, 3, 3, 3))}
    graph = Graph.of(inputs=tensors, nodes=[node("conv3d", "x w")])
    [told] = propagate(graph, "pytorch-eager").nodes
    assert ("A processor without instructions" in told.reason) == (dtype != "float32")
