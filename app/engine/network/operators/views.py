"""Operators whose result is, or may be, another view of the operand's memory."""

import math
from collections.abc import Sequence

from ...model.dtypes import ELEMENT_TYPES
from ...model.errors import LayoutError, Phrase
from ...model.layout import checked_product
from .base import Call, Shaped, TensorType, axis_of, copy, dtype_named, read_axes, same, view


def retyped(source: TensorType, shape: Sequence[int]) -> TensorType:
    """Another shape of the same element type."""
    return TensorType(tuple(shape), source.dtype)


def replaced(shape: tuple[int, ...], d: int, *sizes: int) -> tuple[int, ...]:
    """The shape with other sizes in the place of dimension ``d``."""
    return (*shape[:d], *sizes, *shape[d + 1 :])


def place(call: Call, name: str) -> str:
    """The field that gives ``name``: an attribute, or an operand in ONNX."""
    if call.attributes.get(name) is None and name in call.signature.positions:
        return call.where(name)
    return f"attributes.{'axes' if name == 'dim' and call.dialect == 'onnx' else name}"


def _other_shape(call: Call, name: str) -> tuple[int, ...]:
    other = call.operand("other")
    if other is None:
        raise LayoutError(f"attributes.{name}", None, Phrase("sizes.named", "a list of sizes"))
    return other.shape


def reshaped(source: TensorType, sizes: Sequence[int], where: str) -> TensorType:
    """The type after a reshape; one size may be -1."""
    elements = math.prod(source.shape)
    known = math.prod(n for n in sizes if n != -1)
    found = list(sizes)
    holes = [d for d, n in enumerate(found) if n == -1]
    if len(holes) > 1 or any(n < -1 for n in found):
        expected = Phrase("sizes.or_unknown", "sizes from 0, at most one of them -1")
        raise LayoutError(where, list(sizes), expected)
    if holes:
        if known == 0 or elements % known:
            said = "other sizes whose product divides {elements}"
            raise LayoutError(where, list(sizes), Phrase("shape.divides", said, elements=elements))
        found[holes[0]] = elements // known
    if math.prod(found) != elements:
        expected = Phrase("shape.elements", "sizes with a product of {elements}", elements=elements)
        raise LayoutError(where, list(sizes), expected)
    return retyped(source, found)


def _reshape(call: Call, source: TensorType) -> Shaped:
    sizes = call.integers("shape")
    if sizes is None:
        sizes = _other_shape(call, "shape")
    if call.dialect == "onnx" and not call.attributes["allowzero"]:
        if any(n == 0 and d >= source.rank for d, n in enumerate(sizes)):
            expected = Phrase("size.copied", "a 0 only where the input has a dimension")
            raise LayoutError(call.where("shape"), 0, expected)
        sizes = tuple(n or source.shape[d] for d, n in enumerate(sizes))
    return reshaped(source, sizes, place(call, "shape"))


def _flatten(call: Call, source: TensorType) -> Shaped:
    if call.dialect == "onnx":
        axis = call.attributes["start_dim"]
        if not -source.rank <= axis <= source.rank:
            expected = Phrase("dimension.of", "a dimension of {rank}", rank=source.rank)
            raise LayoutError("attributes.axis", axis, expected)
        axis += source.rank * (axis < 0)
        return retyped(source, (math.prod(source.shape[:axis]), math.prod(source.shape[axis:])))
    first = axis_of(call, source.rank, "start_dim")
    last = axis_of(call, source.rank, "end_dim")
    if first > last:
        expected = Phrase("dimension.before_end", "a dimension that is not behind end_dim")
        raise LayoutError("attributes.start_dim", first, expected)
    if not source.rank:
        return retyped(source, (1,))
    inner = math.prod(source.shape[first : last + 1])
    return retyped(source, (*source.shape[:first], inner, *source.shape[last + 1 :]))


def _unflatten(call: Call, source: TensorType) -> Shaped:
    d = axis_of(call, source.rank)
    part = TensorType((source.shape[d],), source.dtype) if source.rank else source
    sizes = reshaped(part, call.attributes["sizes"], "attributes.sizes").shape
    return retyped(source, replaced(source.shape, d, *sizes))


def _permute(call: Call, source: TensorType) -> Shaped:
    name = "perm" if call.dialect == "onnx" else "dims"
    given = call.attributes["dims"]
    if given is None:
        return retyped(source, source.shape[::-1])
    order = read_axes(given, source.rank, f"attributes.{name}")
    if len(order) != source.rank:
        expected = Phrase("dims.each", "each of the {rank} dimensions once", rank=source.rank)
        raise LayoutError(f"attributes.{name}", list(given), expected)
    return retyped(source, [source.shape[d] for d in order])


def _transpose(call: Call, source: TensorType) -> Shaped:
    shape = list(source.shape)
    if not shape:
        return source
    a, b = (axis_of(call, source.rank, name) for name in ("dim0", "dim1"))
    shape[a], shape[b] = shape[b], shape[a]
    return retyped(source, shape)


def _transpose_matrix(call: Call, source: TensorType) -> Shaped:
    if call.op == "t" and source.rank > 2:
        raise call.refusal("input", "more dimensions", Phrase("rank.most_2", "at most 2"))
    if source.rank < 2:
        return source
    return retyped(source, (*source.shape[:-2], source.shape[-1], source.shape[-2]))


def moved_order(rank: int, source: Sequence[int], destination: Sequence[int]) -> list[int]:
    """The order of dimensions that movedim gives."""
    order = [-1] * rank
    for a, b in zip(source, destination, strict=True):
        order[b] = a
    rest = iter(d for d in range(rank) if d not in source)
    return [next(rest) if d == -1 else d for d in order]


def _movedim(call: Call, source: TensorType) -> Shaped:
    old = read_axes(call.attributes["source"], source.rank, "attributes.source")
    new = read_axes(call.attributes["destination"], source.rank, "attributes.destination")
    if len(old) != len(new):
        expected = Phrase("dimensions.count", "{n} dimensions", n=len(old))
        raise LayoutError("attributes.destination", list(new), expected)
    if not source.rank:
        return source
    return retyped(source, [source.shape[d] for d in moved_order(source.rank, old, new)])


def _squeeze(call: Call, source: TensorType) -> Shaped:
    given = call.integers("dim")
    if given is None:
        return retyped(source, [n for n in source.shape if n != 1])
    gone = read_axes(given, source.rank, place(call, "dim"))
    if call.dialect == "onnx" and any(source.shape[d : d + 1] != (1,) for d in gone):
        expected = Phrase("sizes.one", "dimensions of size 1")
        raise LayoutError(place(call, "dim"), list(given), expected)
    return retyped(source, [n for d, n in enumerate(source.shape) if d not in gone or n != 1])


def _unsqueeze(call: Call, source: TensorType) -> Shaped:
    given = call.integers("dim") or ()
    rank = source.rank + len(given)
    new = read_axes(given, rank, place(call, "dim"))
    old = iter(source.shape)
    return retyped(source, [1 if d in new else next(old) for d in range(rank)])


def _expand(call: Call, source: TensorType) -> Shaped:
    sizes = call.integers("size")
    if sizes is None:
        sizes = _other_shape(call, "size")
    where = place(call, "size")
    missing = len(sizes) - source.rank
    if missing < 0 and call.dialect == "torch":
        expected = Phrase("sizes.least", "at least {rank} sizes", rank=source.rank)
        raise LayoutError(where, list(sizes), expected)
    own = (1,) * missing + source.shape
    found = []
    for d, (old, new) in enumerate(zip(own, (1,) * -missing + tuple(sizes), strict=True)):
        keeps = (new == -1 and d >= missing) or (new == 1 and call.dialect == "onnx")
        if not keeps and (new < 0 or old not in {1, new}):
            said = "sizes that {shape} broadcasts to"
            expected = Phrase("sizes.broadcasts_to", said, shape=list(source.shape))
            raise LayoutError(where, list(sizes), expected)
        found.append(old if keeps else new)
    checked_product(where, found)
    return retyped(source, found)


def _converted(call: Call, source: TensorType) -> Shaped:
    if call.op == "type_as":
        return TensorType(source.shape, call.need("other").dtype)
    return TensorType(source.shape, dtype_named(call, "dtype", source.dtype))


def _named_type(call: Call, source: TensorType) -> Shaped:
    return TensorType(source.shape, ELEMENT_TYPES[_NAMED_TYPES[call.op]])


# Methods of a tensor that convert it.
_NAMED_TYPES = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "bool": "bool",
}
# The memory formats by PyTorch's names, the default first.
PRESERVED = "memory_format:preserve_format/contiguous_format/channels_last/channels_last_3d"
_CONTIGUOUS = "memory_format:contiguous_format/channels_last/channels_last_3d/preserve_format"

OPERATORS = (
    view("reshape", _reshape,
        "reshape view reshape_as view_as _unsafe_view(input other? shape:ints)",
        "Reshape(input shape allowzero:flag)"),
    view("flatten", _flatten, "flatten ravel(input start_dim:int=0 end_dim:int=-1)",
        "Flatten(input axis>start_dim:int=1)"),
    view("unflatten", _unflatten, "unflatten(input dim:int! sizes:ints!)"),
    view("permute", _permute, "permute(input dims:ints!)", "Transpose(input perm>dims:ints)",
        family="permutation"),
    view("transpose", _transpose, "transpose swapdims(input dim0:int! dim1:int!)",
        family="permutation"),
    view("matrix_transpose", _transpose_matrix, "t mT adjoint(input)", family="permutation"),
    view("movedim", _movedim, "movedim moveaxis(input source:ints! destination:ints!)",
        family="permutation"),
    view("squeeze", _squeeze, "squeeze(input dim:ints)", "Squeeze(input dim?)"),
    view("unsqueeze", _unsqueeze, "unsqueeze(input dim:ints!)", "Unsqueeze(input dim)"),
    view("expand", _expand, "expand broadcast_to expand_as(input other? size:ints)",
        "Expand(input size)"),
    view("contiguous", same, f"contiguous(input {_CONTIGUOUS})", agnostic=True),
    copy("clone", same, f"clone(input {PRESERVED})", agnostic=True),
    view("to", _converted,
        f"to type_as(input other? dtype:text {PRESERVED} copy:flag device:text non_blocking:flag)",
        onednn="reorder", agnostic=True),
    view("convert", _named_type, f"{' '.join(_NAMED_TYPES)}(input)", onednn="reorder",
        agnostic=True),
    view("identity", same, "detach identity alias(input)", "Identity(input)", agnostic=True),
)  # fmt: skip  # a table: a row an operator
