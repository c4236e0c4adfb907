"""An operator that is not in the catalogue: kept by name, in plain layouts."""

from __future__ import annotations

from ...model.dtypes import DEFAULT, parse_dtype
from ...model.errors import LayoutError, Phrase
from ...model.layout import check_shape
from ..attributes import read_integers
from .base import Call, Operator, Shaped, ShapeNotKnownError, TensorType
from .signatures import Signature


def _told(call: Call) -> Shaped:
    """The shapes that the node tells: ``output_shapes``, and ``output_dtypes`` if not float32."""
    shapes = call.attributes.get("output_shapes")
    if shapes is None:
        raise ShapeNotKnownError(
            "This operator is not in the catalogue. Its results are not known, unless the "
            "attribute output_shapes tells their shapes."
        )
    if not isinstance(shapes, (list, tuple)) or len(shapes) != call.outputs:
        expected = Phrase("sizes.lists", "{n} lists of sizes, one for each result", n=call.outputs)
        raise LayoutError("attributes.output_shapes", shapes, expected)
    names = call.attributes.get("output_dtypes")
    if names is None:
        first = next(iter(call.given()), None)
        names = [(first.dtype if first else DEFAULT).name] * call.outputs
    if not isinstance(names, (list, tuple)) or len(names) != call.outputs:
        expected = Phrase("dtypes.count", "{n} element types, one for each result", n=call.outputs)
        raise LayoutError("attributes.output_dtypes", names, expected)
    found = []
    for i, (shape, name) in enumerate(zip(shapes, names, strict=True)):
        where = f"attributes.output_shapes[{i}]"
        if not isinstance(shape, (list, tuple)):
            raise LayoutError(where, shape, Phrase("sizes.named", "a list of sizes"))
        sizes = read_integers(where, shape)
        try:
            check_shape(sizes)
        except LayoutError as error:
            raise error.under(where) from None
        if not isinstance(name, str):
            expected = Phrase("dtype", "an element type")
            raise LayoutError(f"attributes.output_dtypes[{i}]", name, expected)
        found.append(TensorType(sizes, parse_dtype(name, field=f"attributes.output_dtypes[{i}]")))
    return tuple(found)


OPAQUE = Operator("opaque", "opaque", _told)
OPAQUE_CALL = Signature(("operands",), 0, variadic=True, attributes={}, free=True)
