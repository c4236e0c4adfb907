"""Operators one by one: what PyTorch 2.13, and ONNX Runtime 1.31, make of rare calls and refuse.

The rows of the catalogue are well formed; a call of each that is usual is in the golden files.
"""

from typing import Any

import pytest

from app.engine import LayoutError
from app.engine.network import Graph, GraphTensor, propagate
from app.engine.network.operators import OPERATORS, find_operator
from tests.engine.network.graphs import node, tensor


def operand(text: str) -> GraphTensor:
    """``2,3`` or ``2,3:int8``; ``=1,-2`` has these numbers as its values."""
    text, _, dtype = text.partition(":")
    if text.startswith("="):
        values = [float(n) if "." in n else int(n) for n in text[1:].split(",")]
        return tensor((len(values),), dtype=dtype or "int64", values=values)
    shape = [int(n) for n in text.split(",")] if text not in {"", "()"} else []
    return tensor(shape, dtype=dtype or "float32")


def graph(op: str, operands: str, attributes: dict[str, Any], results: int = 1) -> Graph:
    texts = operands.split()
    names = [each if each == "-" else f"x{i}" for i, each in enumerate(texts)]
    pairs = zip(names, texts, strict=True)
    tensors = {name: operand(text) for name, text in pairs if text != "-"}
    outputs = " ".join(f"y{i}" for i in range(results))
    return Graph.of(
        inputs={name: each for name, each in tensors.items() if each.values is None},
        constants={name: each for name, each in tensors.items() if each.values is not None},
        nodes=[node(op, " ".join(names), outputs, **attributes)],
    )


_LAYER = {"num_layers": 1, "has_biases": False}
_BOTH = {"bidirectional": True}
TORCH_SHAPES: list[tuple[str, str, dict[str, Any], str]] = [
    ("max_pool2d", "2,8,6,6", {"kernel_size": 3, "stride": 2, "ceil_mode": True}, "2,8,3,3"),
    ("max_pool2d", "2,8,6,6", {"kernel_size": 2, "padding": 1}, "2,8,4,4"),
    ("conv2d", "2,8,6,6 16,8,3,3", {"padding": "same", "dilation": 2}, "2,16,6,6"),
    ("conv_transpose2d", "2,8,6,6 8,4,3,3", {"stride": 2, "output_padding": 1}, "2,4,14,14"),
    ("interpolate", "2,8,6,6", {"scale_factor": [0.5, 1.5]}, "2,8,3,9"),
    ("argmax", "2,8,6,6", {"dim": 1}, "2,6,6:int64"),
    ("einsum", "2,8,6,6 2,8,6,6", {"equation": "nchw,nkhw->nck"}, "2,8,8"),
    ("tensor_split", "2,8,6,6", {"indices_or_sections": [], "dim": 1}, "2,8,6,6"),
    ("unfold_dim", "2,8,6,6", {"dimension": 2, "size": 3, "step": 2}, "2,8,2,6,3"),
    ("movedim", "2,8,6,6", {"source": 1, "destination": -1}, "2,6,6,8"),
    ("repeat", "2,8,6,6", {"repeats": [2, 1, 1, 1, 3]}, "2,2,8,6,18"),
    ("pad", "2,8,6,6", {"pad": [1, 2, -1, 0]}, "2,8,5,9"),
    ("cat", "2,8,6,6 2,8,6,6:float16", {"dim": 1}, "2,16,6,6"),
    ("add", "2,8,6,6:float16", {"other": 2}, "2,8,6,6:float16"),
    ("add", "2,8,6,6:int32", {"other": 2.5}, "2,8,6,6"),
    ("add", "2,8,6,6:int32 ()", {}, "2,8,6,6"),
    ("add", "2,8,6,6:float16 ()", {}, "2,8,6,6:float16"),
    ("div", "2,8,6,6:int32 2,8,6,6:int32", {}, "2,8,6,6"),
    ("exp", "2,8,6,6:int32", {}, "2,8,6,6"),
    ("relu", "2,8,6,6:int32", {}, "2,8,6,6:int32"),
    ("sum", "2,8,6,6:int32", {"dim": 1}, "2,6,6:int64"),
    ("gt", "2,8,6,6", {"other": 0}, "2,8,6,6:bool"),
    ("to", "2,8,6,6", {"dtype": "torch.float16"}, "2,8,6,6:float16"),
    ("lstm_cell", "3,4 3,5 3,5 20,4 20,5", {}, "3,5"),
    ("repeat_interleave", "2,8,6,6", {"repeats": 3, "dim": 1}, "2,24,6,6"),
    ("scaled_dot_product_attention", " ".join(["2,0,4,4:bool"] * 3), {}, "2,0,4,4:int64"),
    ("conv2d", "2,8,6,6 4,8,3,3", {"padding": "valid"}, "2,4,4,4"),
    ("local_response_norm", "2,0,4:int64", {"size": 2}, "2,0,4:int64"),
    # Of operands without elements, bmm takes any types, and returns the second's.
    ("einsum", "0,2:float32 2,3:int32", {"equation": "ij,jk->ik"}, "0,3:int32"),
    ("einsum", "0,0:float32 0,0:bool", {"equation": "ij,ij->"}, "():bool"),
    ("einsum", "0:int32 0:float32", {"equation": "i,i->i"}, "0"),
    ("einsum", "2:float32 0:bool", {"equation": "i,j->ij"}, "2,0"),
    ("einsum", "0,0:float32 1,0:int64", {"equation": "ij,kl->il"}, "0,0"),
    ("einsum", "0,0:bfloat16 0,0:int32 0,0:float64", {"equation": "ij,ij,ij->i"}, "0:float64"),
    ("einsum", "0,0:float64 0,0:float16 0,0:int64", {"equation": "ij,jk,kl->il"}, "0,0:int64"),
    ("var", "2,3,4", {"dim": []}, "()"),
    ("add", "2,3:uint8 3:int8", {}, "2,3:int16"),
    ("add", "2,3:uint8 3:int64", {}, "2,3:int64"),
    ("add", "2,3:float16 3:bfloat16", {}, "2,3"),
    ("lstm", "3,2,4 1,2,5 1,2,5 20,4 20,5", _LAYER, "3,2,5 1,2,5 1,2,5"),
    ("gru", "3,2,4 2,2,5 15,4 15,5 15,4 15,5", {**_LAYER, **_BOTH}, "3,2,10 2,2,5"),
]
_HEADS, _NONE = ({"q_num_heads": 4, "kv_num_heads": n} for n in (2, -2))
_SAME = {"auto_pad": "SAME_UPPER", "strides": [2, 3]}
_QUANTIZED = "1,2,3,3:uint8 () ():uint8 4,2,1,1:int8 4 4:int8 () ():uint8"
ONNX_SHAPES: list[tuple[str, str, dict[str, Any], str]] = [
    ("Conv", "2,8,6,6 16,8,3,3", {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, "2,16,3,3"),
    ("Conv", "2,8,6,6 16,8,3,3", {"pads": [0, 1, 2, 1]}, "2,16,6,6"),
    (
        "AveragePool",
        "2,8,6,6",
        {"kernel_shape": [3, 3], "ceil_mode": 1, "strides": [2, 2]},
        "2,8,3,3",
    ),
    ("Resize", "2,8,6,6 - =1,1,2,0.5:float32", {}, "2,8,12,3"),
    ("Resize", "2,8,6,6 - - =2,8,3,3", {}, "2,8,3,3"),
    ("Reshape", "2,8,6,6 =0,-1", {}, "2,288"),
    ("ReduceSum", "2,8,6,6", {"noop_with_empty_axes": 1}, "2,8,6,6"),
    ("Slice", "2,8,6,6 =-1 =-100 =2 =-2", {}, "2,8,3,6"),
    ("Pad", "2,8,6,6 =1,0,2,-1 - =2,3", {}, "2,8,9,5"),
    ("TopK", "2,8,6,6 =2", {"axis": 1}, "2,2,6,6"),
    ("Gather", "2,8,6,6 =2,3", {"axis": 1}, "2,2,6,6"),
    ("Flatten", "2,8,6,6", {"axis": 2}, "16,36"),
    ("Cast", "2,8,6,6", {"to": 10}, "2,8,6,6:float16"),
    ("ConvTranspose", "2,8,6,6 8,4,3,3", {"output_shape": [13, 12]}, "2,4,13,12"),
    ("ConvTranspose", "2,8,6,6 8,4,3,3", _SAME, "2,4,12,18"),
    ("ConstantOfShape", "=2,3", {"value": ["int64", 7]}, "2,3:int64"),
    ("QLinearConv", _QUANTIZED, {}, "1,4,3,3:uint8"),
    ("ConvInteger", "1,2,3,3:uint8 4,2,1,1:uint8", {}, "1,4,3,3:int32"),
    ("Gemm", "3,2 4,3", {"transA": 1, "transB": 1}, "2,4"),
    ("ReduceMax", "2,3,4", {"axes": [0, -1], "keepdims": 0}, "3"),
    ("Split", "2,6 =1,5", {"axis": 1}, "2,1:float32 2,5"),
    ("LSTM", "2,3,4 1,20,4 1,20,5", {"layout": 1}, "2,3,1,5 2,1,5 2,1,5"),
    ("LSTM", "2,3,4 1,20,4 1,20,5", {}, "2,1,3,5 1,3,5 1,3,5"),
    ("Attention", "2,5,8 2,7,4 2,7,6", _HEADS, "2,5,12 2,2,7,2 2,2,7,3 2,4,5,7"),
]


@pytest.mark.parametrize(("op", "operands", "attributes", "results"), TORCH_SHAPES + ONNX_SHAPES)
def test_results(op: str, operands: str, attributes: dict[str, Any], results: str) -> None:
    wanted = [operand(each).type for each in results.split()]
    found = graph(op, operands, attributes, len(wanted))
    assert [found.type(f"y{i}") for i in range(len(wanted))] == wanted


TORCH_REFUSES: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("conv2d", "2,8,6,6 4,8,3,0", {}, "inputs[1]", "positive integers"),
    ("conv2d", "2,8,6,6 4,8,3,3", {"padding": "full"}, "attributes.padding", "same or valid"),
    ("conv_transpose2d", "2,8,2,2 8,4,3,3", {"padding": 9}, "attributes.padding", "less padding"),
    ("cat", "()", {"dim": 0}, "inputs[0]", "at least one dimension"),
    ("pad", "2,8,6,6", {"pad": [1, 2, -1]}, "attributes.pad", "two integers a dimension"),
    ("pad", "2,3", {"pad": [-2, -2]}, "attributes.pad", "at least -3"),
    ("conv2d", "2,8,6,6 0,8,3,3", {}, "inputs[1]", "output channels for each group"),
    ("conv_transpose2d", "2,8,0,6 8,4,3,3", {}, "inputs[0]", "but the batch or the channels"),
    ("bmm", "2,3,4 5,4,3", {}, "inputs[1]", "a batch of 2"),
    ("conv2d", "1,48,8,8 50,12,3,3", {"groups": 4}, "inputs[1]", "output channels that 4 groups"),
    ("conv_transpose2d", "1,48,8,8 48,10,3,3", {"groups": 5}, "inputs[1]", "that 5 groups divide"),
    ("einsum", "2,3", {"equation": "ij->ii"}, "attributes.equation", "each letter once"),
    ("einsum", "2,3 4,3", {"equation": "ij,ij->i"}, "inputs[1]", "2 for i"),
    ("einsum", "3,1", {"equation": "ii->i"}, "inputs[0]", "3 for each i"),
    ("einsum", "2 1,0", {"equation": "j,jj->"}, "inputs[1]", "1 for each j"),
    ("einsum", "2,3", {"equation": "ij->k"}, "attributes.equation", "letters of the operands"),
    ("narrow", "2,3", {"dim": 1, "start": 4, "length": 1}, "attributes.start", "from -3 to 3"),
    ("narrow", "()", {"dim": 0, "start": 0, "length": 0}, "attributes.start", "from 0 to 0"),
    ("slice", "2,3", {"dim": 0, "step": 0}, "attributes.step", "positive"),
    ("diagonal", "2,3", {"dim1": 1, "dim2": -1}, "attributes.dim2", "another dimension"),
    ("unfold_dim", "2,3", {"dimension": 1, "size": 4, "step": 1}, "attributes.size", "from 0 to 3"),
    ("unfold_dim", "2,3", {"dimension": 1, "size": 2, "step": 0}, "attributes.step", "positive"),
    ("flatten", "2,3", {"start_dim": 1, "end_dim": 0}, "attributes.start_dim", "behind end_dim"),
    ("interpolate", "2,3,4", {"scale_factor": [1.0] * 65537}, "attributes.scale_factor", "65536"),
    ("reshape", "2,3", {"shape": [1] * 65537}, "attributes.shape", "at most 65536"),
    ("max_pool2d", "2,8,6,6", {"kernel_size": 2, "padding": 2}, "attributes.padding", "half"),
    ("select", "2,3", {"dim": 1, "index": 3}, "attributes.index", "from -3 to 2"),
    ("interpolate", "2,3,4", {"scale_factor": -1.0}, "attributes.scale_factor", "positive"),
    ("group_norm", "2,6,4", {"num_groups": 4}, "attributes.num_groups", "a divisor of the 6"),
    ("layer_norm", "2,3 2", {"normalized_shape": [3]}, "inputs[1]", "the shape [3]"),
    ("clone", "2,3", {"memory_format": "channels_last"}, "attributes.memory_format", "rank 4"),
]
# Operators that are in no catalogue, so that only their own words can be wrong.
_TOLD = {"output_shapes": [[2]]}
OPAQUE_REFUSES: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("mine", "2,3", {**_TOLD, "output_dtypes": []}, "attributes.output_dtypes", "1 element types"),
    ("mine", "2,3", {"output_shapes": [2]}, "attributes.output_shapes[0]", "a list of sizes"),
    ("mine", "2,3", {"output_shapes": [[-2]]}, "attributes.output_shapes[0]", ""),
    ("mine", "2,3", {**_TOLD, "output_dtypes": [5]}, "attributes.output_dtypes[0]", "an element"),
]
ONNX_REFUSES: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("OneHot", "2,3:int64 =4 2", {"axis": 3}, "attributes.axis", "a dimension of 3"),
    ("DepthToSpace", "2,8,4,4", {"blocksize": 0}, "attributes.blocksize", "a positive integer"),
    ("Range", "=0 =5 =0", {}, "inputs[2]", "not 0"),
    ("Slice", "2,3 =0,0 =1", {}, "inputs[1]", "as many starts"),
    ("Slice", "() =0 =1", {}, "inputs[0]", "a dimension"),
    ("Pad", "2,3 =-2,0,-1,0", {}, "inputs[1]", "at least -2"),
    ("Resize", "2,3 () () =-1,3", {}, "inputs[3]", "positive"),
    ("Reshape", "2,3 =2,3,0", {}, "inputs[1]", "has a dimension"),
    ("Gemm", "2,3 4,5", {}, "inputs[1]", "3"),
    ("Attention", "2,5,8 2,2,7,4 2,7,6", _HEADS, "inputs[1]", "the rank of the query"),
    ("Attention", "2,5,8 2,7,4 2,7,6", _NONE, "attributes.kv_num_heads", "positive"),
    ("ReduceMax", "2,3", {"axes": [2]}, "attributes.axes[0]", "from -2 to 1"),
    ("ConvTranspose", "1,48,8,8 40,10,3,3", {"group": 5}, "inputs[1]", "for 48 input channels"),
]


_REFUSED = TORCH_REFUSES + OPAQUE_REFUSES + ONNX_REFUSES


@pytest.mark.parametrize(("op", "operands", "attributes", "field", "says"), _REFUSED)
def test_refusals(
    op: str, operands: str, attributes: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        propagate(graph(op, operands, attributes), "pytorch-eager")
    assert caught.value.field == f"nodes[0].{field}"
    assert says in caught.value.message


def test_each_name_of_a_system_has_one_row() -> None:
    names = [name for row in OPERATORS for name in (*row.torch, *row.onnx)]
    assert len(set(names)) == len(names)
    assert len({row.name for row in OPERATORS}) == len(OPERATORS)
    for row in OPERATORS:
        assert row.torch or row.onnx
        for name in (*row.torch, *row.onnx):
            assert find_operator(name)[0] is row


def test_attributes_of_all_rows_have_defaults_that_read_back() -> None:
    for row in OPERATORS:
        for call in (row.torch_call, row.onnx_call):
            for name, attribute in call.attributes.items() if call else ():
                if attribute.default is not None:  # a null is never read
                    read = attribute.read(name, attribute.default)
                    assert read == attribute.default
