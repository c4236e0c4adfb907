"""Operators that divide a dimension into parts, each a view in PyTorch: chunk, split."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from ...model.errors import POSITIVE, Described, LayoutError, Phrase
from .base import Call, Shaped, TensorType, axis_of, view
from .views import replaced


def section_sizes(call: Call, size: int) -> list[int]:
    """Sizes of the parts of chunk, split and tensor_split along a dimension of ``size``."""
    if call.dialect == "onnx":
        return _onnx_sections(call, size)
    if call.op in {"chunk", "unsafe_chunk"}:
        chunks = call.attributes["chunks"]
        if chunks < 1:
            raise LayoutError("attributes.chunks", chunks, POSITIVE)
        if not size:
            return [0] * _named(call, chunks, size)
        return _equal_parts(call, size, -(-size // chunks))
    if call.op == "tensor_split":
        return _tensor_split(call, size)
    given = call.attributes["split_size_or_sections"]
    if isinstance(given, tuple):
        if sum(given) != size or min(given, default=0) < 0:
            expected = Phrase("sizes.sum", "sizes with the sum {sum}", sum=size)
            raise LayoutError("attributes.split_size_or_sections", list(given), expected)
        return list(given)
    if given is None or given < (1 if size else 0):
        raise LayoutError("attributes.split_size_or_sections", given, POSITIVE)
    return _equal_parts(call, size, given)


def _named(call: Call, parts: int, size: int) -> int:
    """The number of parts, checked before any is made. Errors: LayoutError naming ``outputs``."""
    if call.outputs != parts:
        said = "{n}, one for each part of a dimension of {size}"
        expected = Phrase("parts.count", said, n=parts, size=size)
        raise LayoutError("outputs", Described(f"{call.outputs} names"), expected)
    return parts


def _equal_parts(call: Call, size: int, part: int) -> list[int]:
    whole, rest = divmod(size, part) if size else (0, 0)
    parts = _named(call, max(whole + bool(rest), 1), size)
    return [*[part] * (parts - 1), rest or min(part, size)]


def _tensor_split(call: Call, size: int) -> list[int]:
    parts = call.attributes["indices_or_sections"]
    if isinstance(parts, tuple):
        cuts = parts
        places = [0, *(min(n + size * (n < 0), size) for n in cuts), size]
        return [max(b - a, 0) for a, b in pairwise(places)]
    if parts is None or parts < 1:
        raise LayoutError("attributes.indices_or_sections", parts, POSITIVE)
    return [size // parts + (i < size % parts) for i in range(_named(call, parts, size))]


def _onnx_sections(call: Call, size: int) -> list[int]:
    given = call.integers("split")
    if given is not None:
        if sum(given) != size or min(given, default=0) < 0:
            expected = Phrase("sizes.sum", "sizes with the sum {sum}", sum=size)
            raise LayoutError(call.where("split"), list(given), expected)
        return list(given)
    if call.attributes["num_outputs"] not in {None, call.outputs}:
        expected = Phrase("outputs.most", "{n} outputs", n=call.outputs)
        raise LayoutError("attributes.num_outputs", call.attributes["num_outputs"], expected)
    part = -(-size // call.outputs)
    return [max(min(part, size - i * part), 0) for i in range(call.outputs)]


def _split(call: Call) -> Shaped:
    source = call.need("input")
    d = axis_of(call, source.rank)
    if not source.rank:
        raise call.refusal("input", "a tensor of rank 0", Phrase("rank.some", "a dimension"))
    parts = section_sizes(call, source.shape[d])
    _named(call, len(parts), source.shape[d])
    return tuple(TensorType(replaced(source.shape, d, n), source.dtype) for n in parts)


_cutting = partial(view, family="split", agnostic=True)
OPERATORS = (
    _cutting("chunk", _split, "chunk unsafe_chunk(input chunks:int! dim:int=0)"),
    _cutting(
        "split",
        _split,
        "split unsafe_split(input split_size_or_sections:int|ints! dim:int=0)",
        "Split(input split? axis>dim:int=0 num_outputs:int)",
    ),
    _cutting("tensor_split", _split, "tensor_split(input indices_or_sections:int|ints! dim:int=0)"),
)
