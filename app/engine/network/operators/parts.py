"""Operators that take a part of the operand, as a view in PyTorch: narrow, slice, select."""

from __future__ import annotations

from ...model.errors import POSITIVE, Described, LayoutError, Phrase, integer_range
from .base import Call, Shaped, axis_of, read_axes, view
from .views import replaced, retyped


def _narrow(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    size = source.shape[d] if source.rank else 0
    start, length = call.attributes["start"], call.attributes["length"]
    if not source.rank or not -size <= start <= size:
        raise LayoutError("attributes.start", start, integer_range(-size, size))
    start += size * (start < 0)
    if not 0 <= length <= size - start:
        raise LayoutError("attributes.length", length, integer_range(0, size - start))
    return retyped(source, replaced(source.shape, d, length))


def _select(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    size = source.shape[d] if source.rank else 0
    index = call.attributes["index"]
    if not source.rank or not -size <= index < size:
        raise LayoutError("attributes.index", index, integer_range(-size, size - 1))
    return retyped(source, replaced(source.shape, d))


def sliced(size: int, start: int | None, end: int | None, step: int) -> range:
    """The indices that a slice of Python takes; steps may be negative in ONNX."""
    return range(*slice(start, end, step).indices(size))


def _slice(call: Call) -> Shaped:
    source = call.need("input")
    if call.dialect == "torch":
        d = axis_of(call, source.rank)
        step = call.attributes["step"]
        if step < 1 or not source.rank:
            raise LayoutError("attributes.step", step, POSITIVE)
        part = sliced(source.shape[d], call.attributes["start"], call.attributes["end"], step)
        return retyped(source, replaced(source.shape, d, len(part)))
    starts, ends = call.integers("starts") or (), call.integers("ends") or ()
    axes = call.integers("axes")
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = call.integers("steps") or (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        expected = Phrase("lists.as_many", "as many starts, ends, axes and steps")
        raise call.refusal("starts", "lists of different lengths, or a step of 0", expected)
    shape = list(source.shape)
    for d, start, end, step in zip(
        read_axes(axes, source.rank, call.where("axes")), starts, ends, steps, strict=True
    ):
        shape[d] = len(sliced(shape[d], start, end, step))
    return retyped(source, shape)


def _unbind(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    count = source.shape[d] if source.rank else 0
    if call.outputs != count:
        expected = Phrase("names.count", "{n} names", n=count)
        raise LayoutError("outputs", Described(f"{call.outputs} names"), expected)
    return (retyped(source, replaced(source.shape, d)),) * count


def _diagonal(call: Call) -> Shaped:
    source = call.need("input")
    a = axis_of(call, source.rank, "dim1")
    b = axis_of(call, source.rank, "dim2")
    if a == b:
        raise LayoutError("attributes.dim2", b, Phrase("dim.other", "another dimension than dim1"))
    shift = call.attributes["offset"]
    rows, columns = source.shape[a] + min(shift, 0), source.shape[b] - max(shift, 0)
    rest = [n for d, n in enumerate(source.shape) if d not in {a, b}]
    return retyped(source, (*rest, max(min(rows, columns), 0)))


def _unfold(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank, "dimension")
    size, step = call.attributes["size"], call.attributes["step"]
    whole = source.shape[d] if source.rank else 1
    if not 0 <= size <= whole:
        raise LayoutError("attributes.size", size, integer_range(0, whole))
    if step < 1:
        raise LayoutError("attributes.step", step, POSITIVE)
    if not source.rank:
        return retyped(source, (size,))
    return retyped(source, (*replaced(source.shape, d, (whole - size) // step + 1), size))


OPERATORS = (
    view("narrow", _narrow, "narrow(input dim:int! start:int! length:int!)"),
    view("select", _select, "select(input dim:int! index:int!)"),
    view(
        "slice",
        _slice,
        "slice(input dim:int=0 start:int end:int step:int=1)",
        "Slice(input starts ends axes? steps?)",
    ),
    view("unbind", _unbind, "unbind(input dim:int=0)"),
    view("diagonal", _diagonal, "diagonal(input offset:int=0 dim1:int=0 dim2:int=1)"),
    view(
        "unfold_dim", _unfold, "unfold_dim Tensor.unfold(input dimension:int! size:int! step:int!)"
    ),
)
