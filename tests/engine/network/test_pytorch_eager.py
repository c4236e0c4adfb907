"""The rules of eager PyTorch against graphs and operators that PyTorch 2.13 ran."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import Layout, LayoutError, parse_layout
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from app.engine.network.operators import OPERATORS
from app.engine.network.rules.pytorch_eager.calls import RULES
from app.engine.network.rules.pytorch_eager.memory import iterate
from tests.engine.network.graphs import chain, graph_of, node, tensor
from tests.places import golden_rows

_CL = (288, 1, 48, 8)


def _carried(tensors: Mapping[str, GraphTensor], *nodes: NodeSource) -> Propagation:
    return propagate(Graph.of(inputs=tensors, nodes=nodes), "pytorch-eager")


def _layout(found: Propagation, name: str = "y") -> Layout:
    layout = found.tensors[name].layout
    assert layout is not None
    return layout


def test_every_tensor_of_every_golden_graph() -> None:
    for row in [*golden_rows("torch_graphs"), *golden_rows("torch_calls")]:
        graph = graph_of(row["graph"])
        found = propagate(graph, "pytorch-eager")
        for name, expected in row["expected"].items():
            placed = found.tensors[name]
            layout, dtype = placed.layout, placed.dtype
            assert layout is not None
            assert dtype is not None
            said = {
                "shape": list(layout.shape),
                "strides": list(layout.strides or ()),
                "offset": layout.offset,
                "dtype": dtype.name,
                "view": placed.view,
            }
            op = graph.nodes[graph.producers[name]].op
            assert said == expected, op
            assert (placed.of is not None) == placed.view


# What the names of the golden file stand for, as far as they are not names of PyTorch.
_BY_NAME: dict[str, tuple[str, dict[str, Any]]] = {
    "add_scalar": ("add", {"other": 2.0}),
    "adaptive_avg_pool2d_1": ("adaptive_avg_pool2d", {"output_size": 1}),
    "adaptive_avg_pool2d_2": ("adaptive_avg_pool2d", {"output_size": 2}),
    "avg_pool2d": ("avg_pool2d", {"kernel_size": 2}),
    "cat_c": ("cat", {"dim": 1}),
    "cat_n": ("cat", {"dim": 0}),
    "chunk_c": ("narrow", {"dim": 1, "start": 0}),
    "clamp": ("clamp", {"min": 0}),
    "conv2d_1x1": ("conv2d", {}),
    "conv2d_3x3": ("conv2d", {"padding": 1}),
    "dropout_eval": ("dropout", {}),
    "flip_w": ("flip", {"dims": [3]}),
    "group_norm": ("group_norm", {"num_groups": 2}),
    "interpolate_bilinear_2x": ("interpolate", {"scale_factor": 2, "mode": "bilinear"}),
    "interpolate_nearest_2x": ("interpolate", {"scale_factor": 2}),
    "layer_norm_w": ("layer_norm", {}),
    "max_pool2d": ("max_pool2d", {"kernel_size": 2}),
    "mean_hw_keep": ("mean", {"dim": [2, 3], "keepdim": True}),
    "narrow_c": ("narrow", {"dim": 1, "start": 0}),
    "narrow_n": ("narrow", {"dim": 0, "start": 0}),
    "pad_1": ("pad", {"pad": [1, 1, 1, 1]}),
    "permute_nhwc": ("permute", {"dims": [0, 2, 3, 1]}),
    "pixel_shuffle": ("pixel_shuffle", {"upscale_factor": 2}),
    "roll_w": ("roll", {"shifts": 1, "dims": 3}),
    "select_n0_unsqueeze": ("narrow", {"dim": 0, "start": 0, "length": 1}),
    "slice_w": ("slice", {"dim": 3, "step": 2}),
    "softmax_c": ("softmax", {"dim": 1}),
    "softmax_w": ("softmax", {"dim": 3}),
    "stack": ("stack", {"dim": 0}),
    "sum_c_keep": ("sum", {"dim": [1], "keepdim": True}),
    "to_float64": ("to", {"dtype": "float64"}),
    "transpose_hw": ("transpose", {"dim0": 2, "dim1": 3}),
}


def _parameters(row: Mapping[str, Any]) -> dict[str, GraphTensor]:
    """Weights and second operands that the row does not list."""
    channels, out = row["shape"][1], row["result_shape"][1]
    op = row["op"]
    if op.startswith("conv"):
        kernel = 1 if op.endswith("1x1") else 3
        pair = [channels, out] if "transpose" in op else [out, channels]
        last = row["weight"] == "channels_last"
        size = kernel * kernel
        strides = [pair[1] * size, 1, kernel * pair[1], pair[1]] if last else None
        return {"w": tensor([*pair, kernel, kernel], strides)}
    if op == "batch_norm":
        return {name: tensor([channels]) for name in ("mean", "var")}
    if op == "add_bias_c":
        return {"bias": tensor([channels, 1, 1])}
    if op == "mul_column":
        return {"column": tensor([row["shape"][2], 1])}
    return {}


def test_every_golden_operator() -> None:
    for row in golden_rows("torch_operators"):
        op, attributes = _BY_NAME.get(row["op"], (row["op"].split("_bias")[0], {}))
        op = {"mul_column": "mul"}.get(op, op)
        tensors = {
            f"x{i}": tensor(row["shape"], strides) for i, strides in enumerate(row["input_strides"])
        } | _parameters(row)
        given = dict(attributes)
        if op == "narrow":
            given["length"] = row["result_shape"][given["dim"]]
        if op == "layer_norm":
            given["normalized_shape"] = row["shape"][3:]
        operands = [*tensors]
        if op == "where":  # torch.where(x0 > 0, x0, x1)
            operands = ["x0", *operands]
        found = _layout(_carried(tensors, node(op, " ".join(operands), **given)))
        assert list(found.shape) == row["result_shape"], row
        assert list(found.strides or ()) == row["result_strides"], row


def test_each_operator_of_pytorch_has_a_rule_that_names_its_source() -> None:
    without = {row.name for row in OPERATORS if row.torch and row.name not in RULES}
    assert without == {"nonzero"}  # its shape depends on values
    for name, rule in RULES.items():
        assert re.search(r"Source: |same memory", rule.__doc__ or ""), name


def test_where_channels_last_is_lost_the_node_says_so() -> None:
    x = {"x": tensor((2, 8, 6, 6), _CL)}
    kept, lost = _carried(x, *chain("relu(x) a; softmax(a) b dim=1")).nodes
    assert (kept.lost, lost.lost) == (None, "channels_last")
    assert lost.reason == "Softmax computes on contiguous memory, so the result is contiguous."


def test_the_copies_that_a_convolution_makes_are_reorders_with_their_bytes() -> None:
    tensors = {"x": tensor((2, 8, 6, 6)), "w": tensor((4, 8, 3, 3), (72, 1, 24, 8))}
    found = _carried(tensors, node("conv2d", "x w", name="first"))
    (reorder,) = found.reorders
    assert (reorder.tensor, reorder.source, reorder.target) == ("x", "contiguous", "channels_last")
    assert (reorder.before, reorder.after) == ("first", None)
    assert found.bytes == reorder.bytes == 2 * 2 * 8 * 6 * 6 * 4
    assert "The strides of the weight say channels_last" in found.nodes[0].reason


@pytest.mark.parametrize(
    ("a", "b", "copied"),
    [
        (((2, 4, 3, 5), (60, 5, 20, 1)), ((2, 4, 5, 6), None), [(2, 4, 3, 5)]),
        (((2, 3, 4, 5), (60, 5, 15, 1)), ((5, 6), None), [(2, 3, 4, 5)]),
        (((2, 3, 4, 5), (60, 5, 15, 1)), ((5,), None), [(2, 3, 4, 5)]),
        (((5,), None), ((2, 4, 5, 6), None), []),
        (((3, 4, 5), (5, 15, 1)), ((5, 6), None), []),
    ],
)
def test_stacks_of_matrices_are_copied_as_pytorchs_profiler_says(
    a: tuple[Any, Any], b: tuple[Any, Any], copied: list[tuple[int, ...]]
) -> None:
    found = _carried({"a": tensor(*a), "b": tensor(*b)}, node("matmul", "a b"))
    assert [each.layouts and each.layouts[1].shape for each in found.reorders] == copied


def test_a_view_that_strides_cannot_give() -> None:
    x = {"x": tensor((2, 8, 6, 6), _CL)}
    with pytest.raises(LayoutError, match="reshape, which copies") as caught:
        _carried(x, node("view", "x", shape=[2, 288]))
    assert caught.value.field == "nodes[0].attributes.shape"
    copied = _carried(x, node("reshape", "x", shape=[2, 288]))
    assert not copied.tensors["y"].view
    assert copied.bytes == 2 * 576 * 4


def test_an_input_that_pytorch_cannot_have() -> None:
    blocked = parse_layout("NCHW4", (2, 8, 6, 6))
    x = {"x": GraphTensor(blocked, tensor(()).dtype)}
    with pytest.raises(LayoutError) as caught:
        _carried(x, node("relu", "x"))
    assert caught.value.field == "inputs.x.layout"


@pytest.mark.parametrize(
    ("given", "layout"),
    [  # of torch.empty_strided((2, 8, 6, 6), (288, 1, 48, 8)), as PyTorch slices it
        ([[1, -5], [9, -1]], ((1, 4, 6, 6), (288, 1, 48, 8), 291)),
        ([[1, 9], [5, 9], [-1, 1], [2, 1]], ((2, 0, 6, 2), (288, 1, 48, 16), 16)),
        ([[-1], [-9], [2], [-2]], ((2, 8, 3, 6), (144, 18, 6, 1), 0)),
    ],
)
def test_a_slice_of_onnx_is_a_view_where_no_step_is_negative(
    given: list[list[int]], layout: tuple[Any, Any, int]
) -> None:
    """``given``: starts, ends, axes and steps."""
    constants = {
        f"c{at}": tensor((len(each),), dtype="int64", values=each) for at, each in enumerate(given)
    }
    call = node("Slice", " ".join(["x", *constants]))
    x = {"x": tensor((2, 8, 6, 6), _CL)}
    found = propagate(Graph.of(inputs=x, constants=constants, nodes=[call]), "pytorch-eager")
    assert _layout(found) == Layout.strided(*layout)
    assert found.tensors["y"].view == (min(given[-1]) > -2)


def test_a_first_result_without_a_name_has_its_part_of_the_memory() -> None:
    x = {"x": tensor((2, 8, 6, 6), _CL)}
    parts = NodeSource("chunk", ["x"], ["", "b"], {"chunks": 2, "dim": 1})
    assert _layout(_carried(x, parts), "b") == Layout.strided((2, 4, 6, 6), _CL, 4)


def test_new_dimensions_of_an_expanded_tensor_go_on_with_the_next_but_those_of_a_scalar() -> None:
    tensors = {"x": tensor((2, 3)), "s": tensor(())}
    found = _carried(tensors, *chain("expand(x) y size=[1,2,3]; expand(s) z size=[1,1]"))
    assert _layout(found, "y").strides == (6, 3, 1)
    assert _layout(found, "z").strides == (0, 0)


def test_no_operand_gives_no_result() -> None:
    with pytest.raises(LayoutError) as refused:
        iterate([])
    assert refused.value.field == "operands"
