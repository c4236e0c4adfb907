"""Products, attention, recurrent cells and look-ups in eager PyTorch: mostly contiguous results."""

from __future__ import annotations

from . import memory
from .calls import Eager, Outcome, Result, Rules, new
from .iterator import iterate

FAMILY = Rules()


@FAMILY.rule(
    "matmul", "addmm", "linear", "bilinear", "gemm", "matmul_integer",
    "qlinear_matmul", "lstm_cell", "torch_lstm", "torch_rnn",
)  # fmt: skip
def _product(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/LinearAlgebra.cpp (mm, bmm, _matmul_impl)."""
    found = tuple(Result(memory.fresh(each.shape)) for each in call.types)
    return Outcome(found, "A product of matrices is written as a contiguous tensor.")


@FAMILY.rule("rnn_cell")
def _cell(call: Eager) -> Outcome:
    """gru_cell ends with element-wise operations on the state; the others with an activation.

    Source: ATen/native/RNN.cpp (GRUCell, SimpleCell).
    """
    if call.op != "gru_cell":
        return _product(call)
    gate = memory.fresh(call.shape)
    return new(
        iterate([call.need("hx").layout, gate]),
        "The old state minus the new gate: the order of the state's strides is kept.",
    )


@FAMILY.rule("attention")
def _attention(call: Eager) -> Outcome:
    """Flash attention allocates like the query; without it two products, a contiguous result.

    It takes four dimensions, heads of one size, and a last stride of 1 for all operands.
    Source: ATen/native/transformers/sdp_utils_cpp.cpp (use_flash_attention_cpp), attention.cpp.
    """
    query, key, value = (call.need(role) for role in ("query", "key", "value"))
    last = [each.shape[-1] for each in (query, key, value)]
    flash = (
        all(each.layout.rank == 4 for each in (query, key, value))
        and len(set(last)) == 1
        and query.shape[:2] == key.shape[:2] == value.shape[:2]
        and key.shape == value.shape
        and 0 not in {*query.shape, *key.shape}
        and all(memory.strides_of(each.layout)[-1] == 1 for each in (query, key, value))
    )
    if not flash:
        return new(memory.fresh(call.shape), "Two products of matrices: a contiguous result.")
    return new(
        memory.preserved(query.layout), "Flash attention allocates its result like the query."
    )


@FAMILY.rule("embedding", "index_select", "gather", "gather_onnx", "gather_nd", "one_hot")
def _look_up(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/TensorAdvancedIndexing.cpp, Embedding.cpp."""
    found = tuple(Result(memory.fresh(each.shape)) for each in call.types)
    return Outcome(found, "The elements found are written into a new contiguous tensor.")
