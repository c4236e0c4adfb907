"""The operator catalogue: one row an operator, with its names in PyTorch, ONNX and oneDNN.

A row tells what all systems agree on, above all the shapes of the results. What one system does
differently stands in its rule set. The rows are in these modules:

- ``convolution``: convolutions and their transposes, all pooling
- ``matmul``: products of matrices, linear, bilinear, einsum, attention, recurrent layers
- ``reductions``: sums to norms, argmax, softmax, cumsum, sort, topk, all normalisations
- ``pointwise``: activations, arithmetic, comparisons, logic, where, dropout, cast
- ``views``: reshape, flatten, permute, squeeze, expand, contiguous, clone
- ``joining``: cat, stack, pad, repeat, flip, roll, the shuffles, im2col, scatter, resizing
- ``indexing``: slice, select, split, gather, embedding, one_hot, shape, filled, range, quantize
"""

from functools import lru_cache

from ....nearest import nearest
from ...model.dtypes import parse_dtype
from ...model.errors import LayoutError, phrase
from ...model.layout import check_shape
from ..attributes import Signature, read_integers
from . import convolution, indexing, joining, matmul, pointwise, reductions, views
from .base import Call, Operator, Origin, Shaped, ShapeNotKnownError, TensorType

_MODULES = (convolution, matmul, reductions, pointwise, views, joining, indexing)
OPERATORS: tuple[Operator, ...] = tuple(row for each in _MODULES for row in each.OPERATORS)
MAX_NAME = 256


def _told(call: Call, first: TensorType) -> Shaped:
    """The shapes that the node tells: ``output_shapes``, and ``output_dtypes`` if not float32."""
    shapes = call.attributes.get("output_shapes")
    if shapes is None:
        near = _near(call.op)
        meant = "" if near is None else f" (did you mean {near}?)"
        raise ShapeNotKnownError(
            f"This operator is not in the catalogue{meant}. Its results are not known, unless the "
            "attribute output_shapes tells their shapes."
        )
    names = call.attributes.get("output_dtypes")
    names = [first.dtype.name] * call.outputs if names is None else names
    sides = (("output_shapes", shapes, "sizes.lists"), ("output_dtypes", names, "dtypes.count"))
    for name, given, code in sides:
        if not isinstance(given, (list, tuple)) or len(given) != call.outputs:
            raise call.wrong(name, given, code, n=call.outputs)
    found = []
    for i, (shape, name) in enumerate(zip(shapes, names, strict=True)):
        where = f"attributes.output_shapes[{i}]"
        if not isinstance(shape, (list, tuple)):
            raise LayoutError(where, shape, phrase("sizes.named"))
        sizes = read_integers(where, shape)
        try:
            check_shape(sizes)
        except LayoutError as error:
            raise error.under(where) from None
        if not isinstance(name, str):
            raise LayoutError(f"attributes.output_dtypes[{i}]", name, phrase("dtype"))
        found.append(TensorType(sizes, parse_dtype(name, field=f"attributes.output_dtypes[{i}]")))
    return tuple(found)


OPAQUE = Operator("opaque", "opaque", _told)
OPAQUE_CALL = Signature(("operands",), 0, variadic=True, attributes={}, free=True)

Found = tuple[Operator, Origin, Signature]
_BY_NAME: dict[str, Found] = {}
for _row in OPERATORS:
    if _row.torch_call is not None:
        _BY_NAME |= dict.fromkeys(_row.torch, (_row, "torch", _row.torch_call))
    if _row.onnx_call is not None:
        _BY_NAME |= dict.fromkeys(_row.onnx, (_row, "onnx", _row.onnx_call))


@lru_cache(maxsize=4096)
def _near(op: str) -> str | None:
    return nearest(op, _BY_NAME)


def find_operator(op: str) -> Found:
    """The row of an operator by its name in PyTorch or ONNX, whose name it is, and its signature.

    An unknown name gives the opaque operator. Errors: LayoutError naming ``op`` if it is empty.
    """
    found = _BY_NAME.get(op)
    if found is not None:
        return found
    if not op or len(op) > MAX_NAME:
        raise LayoutError("op", op, phrase("operator.name", most=MAX_NAME))
    return OPAQUE, "onnx" if op[:1].isupper() or ":" in op else "torch", OPAQUE_CALL
