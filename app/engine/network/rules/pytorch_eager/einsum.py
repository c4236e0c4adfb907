"""einsum in eager PyTorch: a permuted view, a sum, or a product of matrices that is permuted back.

Source: ATen/native/Linear.cpp (einsum, sumproduct_pair).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....model.layout import Layout
from ....model.views import steps
from ....model.views.reshape import reshape
from ...operators.base import TensorType
from ...operators.einsum import contractions, einsum_terms
from . import memory
from .calls import Eager, Outcome, new, rule, view, viewed
from .memory import converted, iterate


@rule("einsum")
def _einsum(call: Eager) -> Outcome:
    """Operands are brought to one order of letters, the result's first, and contracted in order.

    Where the package opt_einsum is installed, PyTorch may contract three or more in another order.
    Source: ATen/native/Linear.cpp (einsum).
    """
    terms, right = einsum_terms(call.call)
    letters = [*right, *sorted({*"".join(terms)} - {*right})]
    operands = [
        _aligned(each.layout, term, letters) for each, term in zip(call.given(), terms, strict=True)
    ]
    if len(operands) == 1:
        if len(right) == len(letters):
            return view(operands[0], "A view: the dimensions are permuted.")
        return new(memory.fresh(call.shape), "A sum writes a contiguous result.")
    found = operands[0]
    types = [TensorType(each.shape, each.dtype) for each in call.given()]
    for other, step in zip(operands[1:], contractions(terms, right, types), strict=True):
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
    for d in range(a.rank):
        in_a, in_b = a.shape[d] != 1, b.shape[d] != 1
        if d in sums:
            continue
        (both if in_a and in_b else first if in_a else second).append(d)
    if first and second and second[-1] < first[0]:
        a, b, first, second = b, a, second, first
    order = [*both, *first, *sums, *second]
    parts = [[a.shape[d] for d in both], [a.shape[d] for d in first], [b.shape[d] for d in second]]
    flat = memory.fresh([math.prod(each) for each in parts])
    sizes = [*parts[0], *parts[1], *(1 for _ in sums), *parts[2]]
    return steps.permute(viewed(reshape(flat, sizes)), [order.index(d) for d in range(a.rank)])
