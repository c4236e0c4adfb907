"""Operators whose result is, or may be, another view of the operand's memory."""

import math
from collections.abc import Sequence

from ...model.dtypes import ELEMENT_TYPES
from ...model.layout import checked_product
from .base import (
    Call,
    Shaped,
    StridedView,
    TensorType,
    axis_of,
    copy,
    dtype_named,
    read_axes,
    same,
    strided,
    view,
)


def replaced(shape: tuple[int, ...], d: int, *sizes: int) -> tuple[int, ...]:
    """The shape with other sizes in the place of dimension ``d``."""
    return (*shape[:d], *sizes, *shape[d + 1 :])


def _sizes(call: Call, name: str) -> tuple[int, ...]:
    """Sizes that are given, else those of the operand ``other``."""
    sizes = call.integers(name)
    if sizes is not None:
        return sizes
    if (other := call.operand("other")) is None:
        raise call.wrong(name, None, "sizes.named")
    return other.shape


def _reshaped(
    call: Call, source: TensorType, sizes: Sequence[int], name: str = "shape"
) -> TensorType:
    """The type after a reshape to the sizes that ``name`` gives; one may be -1."""
    elements = math.prod(source.shape)
    known = math.prod(n for n in sizes if n != -1)
    found = list(sizes)
    holes = [d for d, n in enumerate(found) if n == -1]
    if len(holes) > 1 or any(n < -1 for n in found):
        raise call.wrong(name, sizes, "sizes.or_unknown")
    if holes:
        if known == 0 or elements % known:
            raise call.wrong(name, sizes, "shape.divides", elements=elements)
        found[holes[0]] = elements // known
    if math.prod(found) != elements:
        raise call.wrong(name, sizes, "shape.elements", elements=elements)
    return TensorType(tuple(found), source.dtype)


def _reshape(call: Call, source: TensorType) -> Shaped:
    sizes = _sizes(call, "shape")
    if call.origin == "onnx" and not call.attributes["allowzero"]:
        if any(n == 0 and d >= source.rank for d, n in enumerate(sizes)):
            raise call.wrong("shape", 0, "size.copied")
        sizes = tuple(n or source.shape[d] for d, n in enumerate(sizes))
    return _reshaped(call, source, sizes)


def _flatten(call: Call, source: TensorType) -> Shaped:
    if call.origin == "onnx":
        axis = call.attributes["start_dim"]
        if not -source.rank <= axis <= source.rank:
            raise call.wrong("start_dim", axis, "dimension.of", rank=source.rank)
        axis += source.rank * (axis < 0)
        sizes = math.prod(source.shape[:axis]), math.prod(source.shape[axis:])
        return TensorType(sizes, source.dtype)
    first = axis_of(call, source.rank, "start_dim")
    last = axis_of(call, source.rank, "end_dim")
    if first > last:
        raise call.wrong("start_dim", first, "dimension.before_end")
    if not source.rank:
        return TensorType((1,), source.dtype)
    inner = math.prod(source.shape[first : last + 1])
    return TensorType((*source.shape[:first], inner, *source.shape[last + 1 :]), source.dtype)


def _unflatten(call: Call, source: TensorType) -> Shaped:
    d = axis_of(call, source.rank)
    part = TensorType((source.shape[d],), source.dtype) if source.rank else source
    sizes = _reshaped(call, part, call.attributes["sizes"], "sizes").shape
    return TensorType(replaced(source.shape, d, *sizes), source.dtype)


def _permute(call: Call, source: StridedView) -> StridedView:
    given = call.attributes["dims"]
    if given is None:
        return source.ordered(reversed(range(source.rank)))
    order = read_axes(given, source.rank, call.where("dims"))
    if len(order) != source.rank:
        raise call.wrong("dims", given, "dims.each", rank=source.rank)
    return source.ordered(order)


def _transpose(call: Call, source: StridedView) -> StridedView:
    if not source.rank:
        return source
    order = list(range(source.rank))
    a, b = (axis_of(call, source.rank, name) for name in ("dim0", "dim1"))
    order[a], order[b] = b, a
    return source.ordered(order)


def _transpose_matrix(call: Call, source: StridedView) -> StridedView:
    if call.op == "t" and source.rank > 2:
        raise call.refusal("input", "more dimensions", "rank.most_2")
    order = range(source.rank)
    return source.ordered([*order[:-2], *order[:-3:-1]])


def _movedim(call: Call, source: StridedView) -> StridedView:
    old, new = (
        read_axes(call.attributes[name], source.rank, call.where(name))
        for name in ("source", "destination")
    )
    if len(old) != len(new):
        raise call.wrong("destination", new, "dimensions.count", n=len(old))
    moved = dict(zip(new, old, strict=True))
    rest = iter([d for d in range(source.rank) if d not in old])
    return source.ordered(moved[d] if d in moved else next(rest) for d in range(source.rank))


def _squeeze(call: Call, source: StridedView) -> StridedView:
    given = call.integers("dim")
    ones = [d for d, size in enumerate(source.shape) if size == 1]
    gone = ones if given is None else read_axes(given, source.rank, call.where("dim"))
    if call.origin == "onnx" and not set(gone) <= set(ones):
        raise call.wrong("dim", given, "sizes.one")
    return source.ordered(d for d in range(source.rank) if d not in gone or d not in ones)


def _unsqueeze(call: Call, source: StridedView) -> StridedView:
    """The stride of a new dimension is size times stride of the next (inferUnsqueezeGeometry)."""
    given = call.integers("dim") or ()
    dims = list(source.dims)
    for d in sorted(read_axes(given, source.rank + len(given), call.where("dim"))):
        dims.insert(d, (1, math.prod(dims[d]) if d < len(dims) else 1))
    return StridedView(tuple(dims), source.offset)


def _expand(call: Call, source: StridedView) -> StridedView:
    """Stride 0 where a size changes (inferExpandGeometry)."""
    sizes = _sizes(call, "size")
    missing = len(sizes) - source.rank
    if missing < 0 and call.origin == "torch":
        raise call.wrong("size", sizes, "sizes.least", rank=source.rank)
    wanted = (1,) * -missing + tuple(sizes)
    found: list[tuple[int, int]] = []
    for d in reversed(range(len(wanted))):
        new, beside = wanted[d], found[0] if found else (1, 1)
        continued = math.prod(beside) if source.rank else 0  # a new dimension goes on with the next
        old, stride = source.dims[d - max(missing, 0)] if d >= missing else (1, continued)
        keeps = (new == -1 and d >= missing) or (new == 1 and call.origin == "onnx")
        if not keeps and (new < 0 or old not in {1, new}):
            raise call.wrong("size", sizes, "sizes.broadcasts_to", shape=list(source.shape))
        found.insert(0, (old, stride) if keeps or old == new else (new, 0))
    checked_product(call.where("size"), [size for size, _ in found])
    return StridedView(tuple(found), source.offset)


def _converted(call: Call, source: TensorType) -> Shaped:
    if call.op == "type_as":
        return TensorType(source.shape, call.need("other").dtype)
    if call.op in _NAMED_TYPES:
        return TensorType(source.shape, ELEMENT_TYPES[_NAMED_TYPES[call.op]])
    return TensorType(source.shape, dtype_named(call, source.dtype))


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
    strided("permute", _permute, "permute(input dims:ints!)", "Transpose(input perm>dims:ints)",
        family="permutation"),
    strided("transpose", _transpose, "transpose swapdims(input dim0:int! dim1:int!)",
        family="permutation"),
    strided("matrix_transpose", _transpose_matrix, "t mT adjoint(input)", family="permutation"),
    strided("movedim", _movedim, "movedim moveaxis(input source:ints! destination:ints!)",
        family="permutation"),
    strided("squeeze", _squeeze, "squeeze(input dim:ints)", "Squeeze(input dim?)"),
    strided("unsqueeze", _unsqueeze, "unsqueeze(input dim:ints!)", "Unsqueeze(input dim)"),
    strided("expand", _expand, "expand broadcast_to expand_as(input other? size:ints)",
        "Expand(input size)"),
    view("contiguous", same, f"contiguous(input {_CONTIGUOUS})", agnostic=True),
    copy("clone", same, f"clone(input {PRESERVED})", agnostic=True),
    view("to", _converted,
        f"to type_as(input other? dtype:text {PRESERVED} copy:flag device:text non_blocking:flag)",
        onednn="reorder", agnostic=True),
    view("convert", _converted, f"{' '.join(_NAMED_TYPES)}(input)", onednn="reorder",
        agnostic=True),
    view("identity", same, "detach identity alias(input)", "Identity(input)", agnostic=True),
)  # fmt: skip  # a table: a row an operator
