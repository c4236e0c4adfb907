"""The operator catalogue: one row an operator, with its names in PyTorch, ONNX and oneDNN."""

from __future__ import annotations

from ...model.errors import LayoutError
from . import (
    convolution,
    einsum,
    indexing,
    joining,
    matmul,
    normalization,
    parts,
    pointwise,
    pooling,
    recurrent,
    reductions,
    resizing,
    splits,
    views,
)
from .base import Dialect, Operator, Signature
from .opaque import OPAQUE, OPAQUE_CALL

OPERATORS: tuple[Operator, ...] = tuple(
    operator
    for family in (
        convolution,
        matmul,
        einsum,
        recurrent,
        pooling,
        normalization,
        reductions,
        resizing,
        pointwise,
        views,
        parts,
        splits,
        joining,
        indexing,
    )
    for operator in family.OPERATORS
)

CATALOGUE = {operator.name: operator for operator in OPERATORS}

MAX_NAME = 256

Found = tuple[Operator, Dialect, Signature]
_BY_NAME: dict[str, Found] = {}
for _operator in OPERATORS:
    for _name in _operator.torch:
        assert _operator.torch_call is not None
        _BY_NAME[_name] = (_operator, "torch", _operator.torch_call)
    for _name in _operator.onnx:
        assert _operator.onnx_call is not None
        _BY_NAME[_name] = (_operator, "onnx", _operator.onnx_call)


def find_operator(op: str) -> Found:
    """The row of an operator by its name in PyTorch or ONNX, whose name it is, and its signature.

    An unknown name gives the opaque operator. Errors: LayoutError naming ``op`` if it is empty.
    """
    found = _BY_NAME.get(op)
    if found is not None:
        return found
    if not op or len(op) > MAX_NAME:
        raise LayoutError("op", op, f"the name of an operator, of at most {MAX_NAME} characters")
    return OPAQUE, "onnx" if op[:1].isupper() or ":" in op else "torch", OPAQUE_CALL
