"""Attention and recurrent cells in eager PyTorch."""

from __future__ import annotations

from . import memory
from .calls import Eager, Outcome, new, rule
from .simple import product


@rule("rnn_cell")
def _cell(call: Eager) -> Outcome:
    """gru_cell ends with element-wise operations on the state; the others with an activation.

    Source: ATen/native/RNN.cpp (GRUCell, SimpleCell).
    """
    if call.op != "gru_cell":
        return product(call)
    gate = memory.fresh(call.shape)
    return new(
        memory.iterate([call.need("hx").layout, gate]),
        "The old state minus the new gate: the order of the state's strides is kept.",
    )


@rule("attention")
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
