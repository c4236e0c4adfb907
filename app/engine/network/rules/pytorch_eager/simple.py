"""Operators of eager PyTorch that write contiguous memory, or memory in the input's order."""

from __future__ import annotations

from . import memory
from .calls import Eager, Outcome, Result, Rule, copied_to, rule


def _contiguous(reason: str, *, reads: bool = False) -> Rule:
    """The rule of new contiguous results; ``reads``: the first operand is made contiguous too."""

    def contiguous(call: Eager) -> Outcome:
        found = tuple(Result(memory.fresh(each.shape)) for each in call.types)
        copies = copied_to(call, 0, memory.contiguous(call.input)) if reads else ()
        return Outcome(found, reason.format(op=call.op), copies)

    return contiguous


def _in_order(reason: str) -> Rule:
    """The rule of results that are allocated in the order of the input's strides."""
    return lambda call: Outcome(
        tuple(Result(memory.preserved(call.input)) for _ in call.types), reason
    )


# See ATen/native/LinearAlgebra.cpp (mm, bmm, _matmul_impl), RNN.cpp
product = rule(
    "matmul addmm linear bilinear gemm matmul_integer qlinear_matmul lstm_cell torch_lstm torch_rnn"
)(_contiguous("A product of matrices is written as a contiguous tensor."))
# See ATen/native/TensorAdvancedIndexing.cpp, Embedding.cpp
rule("embedding index_select gather gather_onnx gather_nd one_hot")(
    _contiguous("The elements found are written into a new contiguous tensor.")
)
# See ATen/native/ReduceOpsUtils.h (resize_reduction)
rule("argmax argmin max_dim topk", "reduction")(
    _contiguous("A reduction writes a contiguous result, whatever the input's layout.")
)
# See ATen/native/ReduceOps.cpp (meta_func_cum_ops)
rule("cumsum")(_contiguous("A scan writes a contiguous result, whatever the input's layout."))
# See ATen/native/TensorShape.cpp (repeat)
rule("repeat repeat_interleave")(_contiguous("Repeats into a new contiguous tensor."))
# See ATen/native/TriangularOps.cpp, Im2Col.cpp
rule("triangle im2col reverse_sequence")(_contiguous("Writes a new contiguous tensor."))
# See ATen/native/TensorAdvancedIndexing.cpp
rule("masked_fill")(_contiguous("Fills a contiguous copy of the input."))
# See ATen/native/SoftMax.cpp
rule("softmax log_softmax softmin hardmax")(
    _contiguous("Softmax computes on contiguous memory, so the result is contiguous.", reads=True)
)
# See ATen/native/layer_norm.cpp
on_contiguous = rule("layer_norm mean_variance_norm")(
    _contiguous("{op} computes on contiguous memory, so the result is contiguous.", reads=True)
)
# See ATen/native/Activation.cpp (log_sigmoid_forward_cpu)
rule("logsigmoid")(
    _contiguous("Computes on contiguous memory, so the result is contiguous.", reads=True)
)
# See ATen/native/Activation.cpp (hardtanh, _prelu_kernel), UnaryOps.cpp (nan_to_num, deg2rad)
rule("relu6 hardtanh nan_to_num deg2rad rad2deg prelu")(
    _in_order("The result is allocated like the input.")
)
# See ATen/native/TensorTransformations.cpp (flip)
rule("flip")(_in_order("Copied in the order of the input's strides."))
# See ATen/native/Sorting.cpp (sort)
rule("sort")(_in_order("Allocated in the order of the input's strides."))
