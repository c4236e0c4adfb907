"""What PyTorch 2.13 gave for single operators where its rule is easily missed."""

from typing import Any

import pytest

from app.engine.network import Graph, propagate
from tests.engine.network.graphs import node, tensor

EINSUM: dict[tuple[str, tuple[tuple[int, ...], ...]], tuple[str, str, str]] = {
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
def test_einsum_sums_integers_as_int64(equation: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    for dtype, expected in zip(("bool", "int8", "float16"), EINSUM[equation, shapes], strict=True):
        if not expected:
            continue
        tensors = {f"x{i}": tensor(shape, dtype=dtype) for i, shape in enumerate(shapes)}
        call = node("einsum", " ".join(tensors), equation=equation)
        found = propagate(Graph.of(inputs=tensors, constants={}, nodes=[call]), "pytorch-eager")
        kind = found.tensors["y"].dtype
        assert kind is not None
        assert kind.name == expected, dtype


@pytest.mark.parametrize(
    ("shape", "strides", "plain", "with_parameters"),
    [
        ((1, 4, 8, 0), (128, 16, 2, 1), (128, 16, 2, 1), (32, 8, 1, 1)),
        ((2, 4, 8, 0), (128, 16, 2, 1), (32, 8, 1, 1), (32, 8, 1, 1)),
        ((2, 4, 8, 0), (32, 1, 4, 4), (32, 8, 1, 1), (32, 8, 1, 1)),
        ((1, 4, 8, 0), (32, 1, 4, 4), (32, 1, 4, 4), (0, 1, 4, 32)),
        ((2, 4, 0), (1, 2, 8), (4, 1, 1), (4, 1, 1)),
        ((1, 4, 0, 3), (1, 1, 3, 12), (1, 1, 3, 12), (3, 3, 12, 1)),
        ((0, 4, 8, 2), (64, 1, 8, 4), (64, 16, 2, 1), None),
        ((1, 0, 3, 3), (0, 1, 3, 1), (0, 1, 3, 1), None),
    ],
)
def test_instance_norm_of_nothing(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    plain: tuple[int, ...],
    with_parameters: tuple[int, ...] | None,
) -> None:
    tensors = {"x": tensor(shape, strides), "w": tensor(shape[1:2])}
    for operands, expected in (("x", plain), ("x - - w w", with_parameters)):
        if expected is None:  # PyTorch looks for the first number of a parameter that has none
            continue
        graph = Graph.of(inputs=tensors, constants={}, nodes=[node("instance_norm", operands)])
        layout = propagate(graph, "pytorch-eager").tensors["y"].layout
        assert layout is not None
        assert layout.strides == expected


@pytest.mark.parametrize(
    ("shape", "strides", "gru"),
    [
        ((3, 3), (3, 1), (3, 1)),
        ((3, 3), (1, 3), (1, 3)),
        ((1, 3), (1, 1), (3, 1)),
        ((3, 1), (1, 3), (1, 1)),
        ((2, 5), (1, 2), (1, 2)),
        ((2, 5), (10, 1), (5, 1)),
        ((2, 5), (0, 1), (5, 1)),
        ((2, 5), (1, 0), (5, 1)),
    ],
)
def test_a_gru_cell_keeps_the_order_of_the_state(
    shape: tuple[int, int], strides: tuple[int, int], gru: tuple[int, int]
) -> None:
    batch, hidden = shape
    for op, gates, expected in (
        ("gru_cell", 3, gru),
        ("rnn_tanh_cell", 1, (hidden, 1)),
        ("rnn_relu_cell", 1, (hidden, 1)),
    ):
        tensors = {
            "x": tensor((batch, 4)),
            "h": tensor(shape, strides),
            "wi": tensor((gates * hidden, 4)),
            "wh": tensor((gates * hidden, hidden)),
        }
        graph = Graph.of(inputs=tensors, constants={}, nodes=[node(op, "x h wi wh")])
        layout = propagate(graph, "pytorch-eager").tensors["y"].layout
        assert layout is not None
        assert layout.strides == expected, op


@pytest.mark.parametrize(
    ("op", "attributes", "shape", "strides", "dtype", "result"),
    [
        # An integer is converted before it is divided: strides of size 1 are made anew.
        ("softsign", {}, (3, 4, 1, 1), (16, 2, 7, 1), "int64", ((4, 1, 1, 1), "float32")),
        (
            "local_response_norm",
            {"size": 2},
            (1, 3, 1, 5),
            (1, 10, 10, 2),
            "int64",
            ((15, 5, 5, 1), "float32"),
        ),
        ("any", {"dim": 2}, (5, 1, 2), (2, 2, 1), "uint8", ((1, 1), "uint8")),
        ("all", {"dim": 2}, (5, 1, 2), (2, 2, 1), "int8", ((1, 1), "bool")),
    ],
)
def test_integers(
    op: str,
    attributes: dict[str, Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: str,
    result: tuple[tuple[int, ...], str],
) -> None:
    inputs = {"x": tensor(shape, strides, dtype=dtype)}
    graph = Graph.of(inputs=inputs, constants={}, nodes=[node(op, "x", **attributes)])
    found = propagate(graph, "pytorch-eager").tensors["y"]
    assert found.layout is not None
    assert found.dtype is not None
    assert (found.layout.strides, found.dtype.name) == result


@pytest.mark.parametrize(
    ("query", "key", "strides"),  # of scaled_dot_product_attention, as PyTorch 2.13 answers
    [
        ((2, 0, 1), (2, 0, 1), (0, 1, 0)),
        ((2, 0, 3), (2, 2, 3), (3, 3, 1)),
        ((2, 2, 1), (2, 0, 1), (2, 1, 1)),
    ],
)
def test_attention_of_nothing_is_a_sum_of_zeros_and_a_number(
    query: tuple[int, ...], key: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    tensors = {"q": tensor(query), "k": tensor(key), "v": tensor(key)}
    attention = node("scaled_dot_product_attention", "q k v")
    graph = Graph.of(inputs=tensors, constants={}, nodes=[attention])
    layout = propagate(graph, "pytorch-eager").tensors["y"].layout
    assert layout is not None
    assert layout.strides == strides


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_a_3d_convolution_of_16_bits_says_that_it_depends_on_the_processor(dtype: str) -> None:
    last = (1000, 1, 200, 40, 8)
    tensors = {"x": tensor((2, 8, 5, 5, 5), last, dtype=dtype), "w": tensor((4, 8, 3, 3, 3))}
    graph = Graph.of(inputs=tensors, constants={}, nodes=[node("conv3d", "x w")])
    [told] = propagate(graph, "pytorch-eager").nodes
    assert ("A processor without instructions" in told.reason) == (dtype != "float32")
