"""Operators of eager PyTorch that write contiguous memory or the input's order; products."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ....model.layout import Layout
from ....model.views import NeedsCopy, reshape
from ....notation import view_steps as steps
from ...operators.base import Family
from ...operators.matmul import contractions, einsum_terms
from . import memory
from .calls import Eager, EagerCopy, EagerResult, Outcome, Rule, copied_to, new, rule, view, viewed
from .memory import converted, iterate


def _writes(
    names: str, reason: str, source: str, *family: Family, reads: bool = False, kept: bool = False
) -> Rule:
    """The rule of new contiguous results; ``kept``: in the order of the input's strides.

    ``reads``: the first operand is made contiguous too.
    """

    def write(call: Eager) -> Outcome:
        own = memory.preserved(call.input) if kept else None
        found = tuple(EagerResult(own or memory.fresh(each.shape)) for each in call.types)
        copies = copied_to(call, 0, memory.contiguous(call.input)) if reads else ()
        return Outcome(found, reason.format(op=call.op), copies)

    write.__doc__ = f"{reason} Source: ATen/native/{source}."
    return rule(names, *family)(write)


product = _writes(
    "addmm linear bilinear gemm matmul_integer qlinear_matmul lstm_cell torch_lstm torch_rnn",
    "A product of matrices is written as a contiguous tensor.",
    "LinearAlgebra.cpp (mm, bmm, _matmul_impl)",
)
on_contiguous = _writes(
    "layer_norm mean_variance_norm",
    "{op} computes on contiguous memory, so the result is contiguous.",
    "layer_norm.cpp",
    reads=True,
)
_TABLE = (
    ("new", "embedding index_select gather gather_onnx gather_nd one_hot",
        "The elements found are written into a new contiguous tensor.",
        "TensorAdvancedIndexing.cpp, Embedding.cpp"),
    ("new", "cumsum", "A scan writes a contiguous result, whatever the input's layout.",
        "ReduceOps.cpp (meta_func_cum_ops)"),
    ("new", "repeat repeat_interleave", "Repeats into a new contiguous tensor.",
        "TensorShape.cpp (repeat)"),
    ("new", "triangle im2col reverse_sequence", "Writes a new contiguous tensor.",
        "TriangularOps.cpp, Im2Col.cpp"),
    ("new", "masked_fill", "Fills a contiguous copy of the input.", "TensorAdvancedIndexing.cpp"),
    ("reads", "softmax log_softmax softmin hardmax",
        "Softmax computes on contiguous memory, so the result is contiguous.", "SoftMax.cpp"),
    ("reads", "logsigmoid", "Computes on contiguous memory, so the result is contiguous.",
        "Activation.cpp (log_sigmoid_forward_cpu)"),
    ("kept", "relu6 hardtanh nan_to_num deg2rad rad2deg prelu",
        "The result is allocated like the input.",
        "Activation.cpp (hardtanh, _prelu_kernel), UnaryOps.cpp (nan_to_num, deg2rad)"),
    ("kept", "flip", "Copied in the order of the input's strides.",
        "TensorTransformations.cpp (flip)"),
    ("kept", "sort", "Allocated in the order of the input's strides.", "Sorting.cpp (sort)"),
)  # fmt: skip  # a table: contiguous or in the input's order; operators, why, source
for _how, _names, _why, _source in _TABLE:
    _writes(_names, _why, _source, reads=_how == "reads", kept=_how == "kept")
_writes(
    "argmax argmin max_dim topk",
    "A reduction writes a contiguous result, whatever the input's layout.",
    "ReduceOpsUtils.h (resize_reduction)",
    "reduction",
)


@rule("matmul")
def _matmul(call: Eager) -> Outcome:
    """A stack of matrices is reshaped to one batch first, which copies where strides cannot say it.
    A copy that broadcasting makes larger than its operand is not counted.

    Source: ATen/native/LinearAlgebra.cpp (_matmul_impl).
    """
    lead = call.shape[: max(each.rank for each in call.layouts) - 2]
    copies: list[EagerCopy] = []
    for position, each in enumerate(call.layouts):
        if len(lead) > 1 and each.shape[:-2] == lead:
            batch = (math.prod(lead), *each.shape[-2:])
            if isinstance(reshape(each, batch), NeedsCopy):
                copies += copied_to(call, position, memory.fresh(each.shape))
    return replace(product(call), copies=tuple(copies))


@rule("rnn_cell")
def _cell(call: Eager) -> Outcome:
    """gru_cell ends with element-wise operations on the state; the others with an activation.

    Source: ATen/native/RNN.cpp (GRUCell, SimpleCell).
    """
    if call.op != "gru_cell":
        return product(call)
    return new(
        memory.iterate([call.layout("hx"), memory.fresh(call.shape)]),
        "The old state minus the new gate: the order of the state's strides is kept.",
    )


@rule("attention")
def _attention(call: Eager) -> Outcome:
    """Flash attention allocates like the query; without it two products, a contiguous result.

    It takes four dimensions, heads of one size, and a last stride of 1 for all operands.
    Source: ATen/native/transformers/sdp_utils_cpp.cpp (use_flash_attention_cpp), attention.cpp.
    """
    query, key, value = (call.layout(role) for role in ("query", "key", "value"))
    last = [each.shape[-1] for each in (query, key, value)]
    flash = (
        all(each.rank == 4 for each in (query, key, value))
        and len(set(last)) == 1
        and query.shape[:2] == key.shape[:2] == value.shape[:2]
        and key.shape == value.shape
        and all(memory.strides_of(each)[-1] == 1 for each in (query, key, value))
    )
    if any(0 in each.shape for each in (query, key, value)):
        written = memory.iterate([memory.fresh(call.shape)], scalars=1)
        return new(written, "Without elements: zeros, to which the sums of the operands are added.")
    if not flash:
        return new(memory.fresh(call.shape), "Two products of matrices: a contiguous result.")
    return new(memory.preserved(query), "Flash attention allocates its result like the query.")


@rule("einsum")
def _einsum(call: Eager) -> Outcome:
    """Operands are brought to one order of letters, the result's first, and contracted in order.

    Where the package opt_einsum is installed, PyTorch may contract three or more in another order.
    Source: ATen/native/Linear.cpp (einsum).
    """
    terms, right = einsum_terms(call)
    letters = [*right, *sorted({*"".join(terms)} - {*right})]
    operands = [
        _aligned(each, term, letters) for each, term in zip(call.layouts, terms, strict=True)
    ]
    if len(operands) == 1:
        if len(right) == len(letters):
            return view(operands[0], "A view: the dimensions are permuted.")
        return new(memory.fresh(call.shape), "A sum writes a contiguous result.")
    found = operands[0]
    for other, step in zip(operands[1:], contractions(terms, right, call.given()), strict=True):
        a, b = (
            _summed(each, [letters.index(c) for c in alone])
            for each, alone in zip((found, other), step.alone, strict=True)
        )
        if step.together:
            found = _product(a, b, [letters.index(c) for c in step.together])
        else:
            own = zip((a, b), step.types, strict=True)
            found = iterate([converted(each, dtype, step.dtype) for each, dtype in own])
    if len(letters) > len(right):
        found = viewed(reshape(found, call.shape))
    return new(found, "A product of matrices, whose dimensions are permuted into the result's.")


def _aligned(layout: Layout, term: str, letters: Sequence[str]) -> Layout:
    """The operand with one dimension for each letter; a letter twice in it is a diagonal."""
    own = dict.fromkeys(term, 0)
    for letter, stride in zip(term, memory.strides_of(layout), strict=True):
        own[letter] += stride
    sizes = dict(zip(term, layout.shape, strict=True))
    shape = [sizes.get(c, 1) for c in letters]
    return Layout.strided(shape, [own.get(c, 1) for c in letters], layout.offset)


def _summed(layout: Layout, dims: Sequence[int]) -> Layout:
    if not dims:
        return layout
    return memory.fresh([1 if d in dims else n for d, n in enumerate(layout.shape)])


def _product(a: Layout, b: Layout, sums: Sequence[int]) -> Layout:
    """A product that sums ``sums`` away: one bmm, permuted back."""
    both: list[int] = []
    first: list[int] = []
    second: list[int] = []
    for d in (d for d in range(a.rank) if d not in sums):
        in_a, in_b = a.shape[d] != 1, b.shape[d] != 1
        (both if in_a and in_b else first if in_a else second).append(d)
    if first and second and second[-1] < first[0]:
        a, b, first, second = b, a, second, first
    order = [*both, *first, *sums, *second]
    parts = [[a.shape[d] for d in both], [a.shape[d] for d in first], [b.shape[d] for d in second]]
    flat = memory.fresh([math.prod(each) for each in parts])
    sizes = [*parts[0], *parts[1], *(1 for _ in sums), *parts[2]]
    return steps.permute(viewed(reshape(flat, sizes)), [order.index(d) for d in range(a.rank)])
