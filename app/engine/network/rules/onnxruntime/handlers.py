"""The operators that let a Transpose pass, and what has to change in them.

Source: ``handler_map`` in onnx_transpose_optimization.cc, and ``OrtExtendedHandlers`` in
ort_transpose_optimization.cc. Operators that have a handler but never let one pass in float32
(MaxPool) stand here too, because the cost asks only whether there is a handler.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...operators import OPERATORS
from ...operators.base import Family
from .working import OrtStep, Perm, Working

Operands = Callable[[Working, OrtStep], list[int]]
Change = Callable[[Working, OrtStep, Perm], Perm | None]


@dataclass(frozen=True, slots=True)
class Handler:
    """How a Transpose passes an operator.

    ``operands(working, step)``: positions of the operands that are transposed. ``change(working,
    step, perm)`` rewrites the attributes and returns the permutation behind the node, or None if
    the Transpose cannot pass. ``broadcasts``: the operands get one rank before. ``moves``: a
    Transpose comes behind the node.
    """

    operands: Operands
    change: Change
    broadcasts: bool = False
    moves: bool = True


def _all(_working: Working, step: OrtStep) -> list[int]:
    return list(range(len(step.inputs)))


def _first(_working: Working, _step: OrtStep) -> list[int]:
    return [0]


def _not_scalar(working: Working, step: OrtStep) -> list[int]:
    return [i for i, name in enumerate(step.inputs) if working.shapes.get(name) != ()]


def _same(_working: Working, _step: OrtStep, perm: Perm) -> Perm:
    return perm


def _never(_working: Working, _step: OrtStep, _perm: Perm) -> None:
    return None


def _axis(_working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    """The axis is another one before the Transpose."""
    axis = step.attributes["dim"]
    if axis is None or not -len(perm) <= axis < len(perm):
        return None
    step.attributes["dim"] = perm[axis % len(perm)]
    return perm


def _shuffled(_working: Working, step: OrtStep, perm: Perm) -> Perm:
    """A constant operand has one value a dimension: it is permuted, so the node is another."""
    step.attributes["permuted"] = (*step.attributes.get("permuted", ()), perm)
    return perm


def _without(axes: tuple[int, ...], perm: Perm) -> Perm:
    """``SqueezePerm``: the permutation when the dimensions ``axes`` are gone."""
    place = {d: i for i, d in enumerate(d for d in range(len(perm)) if d not in axes)}
    return tuple(place[d] for d in perm if d in place)


def _axes(working: Working, step: OrtStep, rank: int) -> tuple[int, ...] | None:
    """The axes, an attribute or a constant operand, as indices from 0; None if unknown."""
    axes = step.attributes.get("dim")
    if axes is None and step.input(1):
        constant = working.constants.get(step.input(1))
        if constant is None or constant.values is None:
            return None
        axes = constant.values
    if axes is None or not all(-rank <= d < rank for d in axes):
        return None
    return tuple(int(d) % rank for d in axes)


def _reduce(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    keep = bool(step.attributes.get("keepdim", True))
    if step.attributes.get("dim") is None and not step.input(1):
        return perm if keep or step.attributes.get("noop") else ()
    axes = _axes(working, step, len(perm))
    if axes is None:
        return None
    new = tuple(sorted(perm[d] for d in axes))
    step.attributes["dim"] = new
    return perm if keep else _without(new, perm)


def _arg(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    if _axis(working, step, perm) is None:
        return None
    return perm if step.attributes["keepdim"] else _without((step.attributes["dim"],), perm)


def _squeeze(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    axes = _axes(working, step, len(perm))
    if not axes:
        return None
    new = tuple(sorted(perm[d] for d in axes))
    step.attributes["dim"] = new
    return _without(new, perm)


def _unsqueeze(working: Working, step: OrtStep, perm: Perm) -> Perm | None:
    constant = working.constants.get(step.input(1))
    given = step.attributes.get("dim") or (constant.values if constant else None)
    if not given:
        return None
    rank = len(perm) + len(given)
    new = {int(d) % rank for d in given}
    old = [d for d in range(rank) if d not in new]
    moved = iter(perm)
    return tuple(d if d in new else old[next(moved)] for d in range(rank))


def _onnx(*family: Family) -> set[str]:
    """ONNX's names of the operators of these families."""
    return {name for row in OPERATORS if row.family in family for name in row.onnx}


_ELEMENTWISE = _onnx("unary") - {"BitwiseNot", "Dropout", "Elu", "Mish", "Swish"}
_BROADCAST = _onnx("binary", "pointwise") - {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}
_REDUCTIONS = _onnx("reduction")


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(_ELEMENTWISE | {"Identity"}, Handler(_all, _same)),
    **dict.fromkeys(_BROADCAST | {"PRelu"}, Handler(_not_scalar, _same, broadcasts=True)),
    **dict.fromkeys(_REDUCTIONS, Handler(_first, _reduce)),
    **dict.fromkeys(("ArgMin", "ArgMax"), Handler(_first, _arg)),
    **dict.fromkeys(("Clip", "CastLike"), Handler(_first, _same)),
    **dict.fromkeys(("Softmax", "Hardmax", "LogSoftmax", "Split"), Handler(_first, _axis)),
    **dict.fromkeys(("Pad", "Slice", "Tile", "Resize"), Handler(_first, _shuffled)),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), Handler(_first, _shuffled)),
    **dict.fromkeys(("Transpose", "Reshape", "Shape"), Handler(_first, _never, moves=False)),
    "Concat": Handler(_all, _axis),
    "Squeeze": Handler(_first, _squeeze),
    "Unsqueeze": Handler(_first, _unsqueeze),
    "MaxPool": Handler(_first, _never),
}
