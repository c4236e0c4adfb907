"""The operator catalogue: one row an operator, with its names in PyTorch, ONNX and oneDNN.

A row tells what all systems agree on, its shape first; what one system does is its rule set's.
"""

from __future__ import annotations

from ...model.errors import LayoutError, Phrase
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
from .base import Dialect, Operator
from .opaque import OPAQUE, OPAQUE_CALL
from .signatures import Signature

OPERATORS: tuple[Operator, ...] = (
    *convolution.OPERATORS,
    *matmul.OPERATORS,
    *einsum.OPERATORS,
    *recurrent.OPERATORS,
    *pooling.OPERATORS,
    *normalization.OPERATORS,
    *reductions.OPERATORS,
    *resizing.OPERATORS,
    *pointwise.OPERATORS,
    *views.OPERATORS,
    *parts.OPERATORS,
    *splits.OPERATORS,
    *joining.OPERATORS,
    *indexing.OPERATORS,
)
MAX_NAME = 256

Found = tuple[Operator, Dialect, Signature]
_BY_NAME: dict[str, Found] = {}
for _row in OPERATORS:
    if _row.torch_call is not None:
        _BY_NAME |= dict.fromkeys(_row.torch, (_row, "torch", _row.torch_call))
    if _row.onnx_call is not None:
        _BY_NAME |= dict.fromkeys(_row.onnx, (_row, "onnx", _row.onnx_call))


def find_operator(op: str) -> Found:
    """The row of an operator by its name in PyTorch or ONNX, whose name it is, and its signature.

    An unknown name gives the opaque operator. Errors: LayoutError naming ``op`` if it is empty.
    """
    found = _BY_NAME.get(op)
    if found is not None:
        return found
    if not op or len(op) > MAX_NAME:
        said = "the name of an operator, of at most {most} characters"
        raise LayoutError("op", op, Phrase("operator.name", said, most=MAX_NAME))
    return OPAQUE, "onnx" if op[:1].isupper() or ":" in op else "torch", OPAQUE_CALL
