"""Products, attention, recurrent cells and look-ups in eager PyTorch: contiguous results."""

from __future__ import annotations

from . import memory
from .calls import Eager, Outcome, Result, Rules

FAMILY = Rules()


@FAMILY.rule(
    "matmul", "addmm", "linear", "bilinear", "gemm", "attention", "matmul_integer",
    "qlinear_matmul", "lstm_cell", "rnn_cell", "torch_lstm", "torch_rnn",
)  # fmt: skip
def _product(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/LinearAlgebra.cpp (mm, bmm, _matmul_impl)."""
    found = tuple(Result(memory.fresh(each.shape)) for each in call.types)
    return Outcome(found, "A product of matrices is written as a contiguous tensor.")


@FAMILY.rule("embedding", "index_select", "gather", "gather_onnx", "gather_nd", "one_hot")
def _look_up(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/TensorAdvancedIndexing.cpp, Embedding.cpp."""
    found = tuple(Result(memory.fresh(each.shape)) for each in call.types)
    return Outcome(found, "The elements found are written into a new contiguous tensor.")
