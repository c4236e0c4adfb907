"""Join, pad, repeat, reverse and shuffle in eager PyTorch."""

from collections.abc import Sequence

from ....model.layout import Layout
from ....model.views.reshape import reshape
from ....notation import view_steps as steps
from ...operators.joining import pad_pairs
from . import memory
from .calls import Eager, Outcome, copied_to, new, rule, suggests, view, viewed
from .views import taken


def joined(operands: Sequence[Layout], d: int) -> Layout:
    """``torch.cat``: in a memory format only if the strides of all operands suggest it.

    Source: ATen/native/TensorShape.cpp (cat_compute_output_memory_format).
    """
    kept = [each for each in operands if each.shape != (0,)] or list(operands[:1])
    total = sum(each.shape[d] for each in kept)
    first = kept[0].shape
    return memory.fresh((*first[:d], total, *first[d + 1 :]), common_format(operands))


def common_format(operands: Sequence[Layout]) -> str:
    """The memory format that all operands suggest, else contiguous."""
    formats = {memory.suggested(each) for each in operands}
    return formats.pop() if len(formats) == 1 else memory.CONTIGUOUS


def _cat_reason(operands: Sequence[Layout]) -> str:
    formats = [memory.suggested(each) for each in operands]
    if len(set(formats)) == 1:
        return f"All operands are {formats[0].removesuffix('_format')}, so the result is."
    odd = formats.index(memory.CONTIGUOUS) if memory.CONTIGUOUS in formats else 1
    return f"Operand {odd} is not in the format of the others, so the result is contiguous."


@rule("cat")
def _cat(call: Eager) -> Outcome:
    """Joined in the format that all operands suggest. Source: ATen/native/TensorShape.cpp (cat)."""
    operands = call.layouts
    d = call.attributes["dim"] % max(len(call.shape), 1)
    return new(joined(operands, d), _cat_reason(operands))


@rule("stack")
def _stack(call: Eager) -> Outcome:
    """A cat along a dimension, then a view with one more. Source: ATen/native/TensorShape.cpp."""
    operands = call.layouts
    rank = operands[0].rank
    d = call.attributes["dim"] % (rank + 1)
    if d == rank:
        return new(joined([steps.unsqueeze(each, d) for each in operands], d), "Stacked by cat.")
    whole = joined(operands, d)
    found = viewed(reshape(whole, call.shape))
    return new(found, _cat_reason(operands))


@rule("pad")
def _pad(call: Eager) -> Outcome:
    """In the format that the input suggests, for the modes and ranks that support it.

    Source: ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp.
    """
    mode = call.attributes["mode"]
    layout = call.input
    pairs = pad_pairs(call, layout.rank)
    wanted = memory.suggested(layout)
    if mode == "constant":
        if all(before <= 0 and after <= 0 for before, after in pairs):
            for d, (before, after) in enumerate(pairs):
                length = layout.shape[d] + before + after
                layout = viewed(steps.narrow(layout, d, -before, length))
            return new(memory.preserved(layout), "Cut, then copied in the order of the strides.")
        return new(memory.fresh(call.shape, wanted), suggests(wanted))
    if mode in {"circular", "wrap"}:
        return new(memory.fresh(call.shape), "Circular padding writes a contiguous result.")
    spatial = len(call.attributes.get("pad") or (0,) * 4) // 2
    if spatial > 1 and layout.rank == spatial + 2:
        return new(memory.fresh(call.shape, wanted), suggests(wanted))
    return new(memory.fresh(call.shape), "This kernel writes a contiguous result.")


@rule("roll")
def _roll(call: Eager) -> Outcome:
    """A cat of two parts, dimension after dimension.

    Source: ATen/native/TensorTransformations.cpp (roll, roll_common).
    """
    shifts, dims = call.attributes["shifts"], call.attributes["dims"]
    layout = call.input
    if not dims:
        return new(memory.fresh(layout.shape), "Flattened into contiguous memory and rolled.")
    for shift, d in zip(shifts, dims, strict=True):
        layout = _rolled(layout, shift, d % max(layout.rank, 1))
    return new(layout, "Two parts, joined by cat: in a format only if both suggest it.")


def _rolled(layout: Layout, shift: int, d: int) -> Layout:
    if not layout.elements:
        return memory.preserved(layout)
    size = layout.shape[d]
    start = (size - shift) % size
    parts = (taken(layout, d, start, 1, size - start), taken(layout, d, 0, 1, start))
    return joined(parts, d)


@rule("pixel_shuffle pixel_unshuffle channel_shuffle")
def _shuffle(call: Eager) -> Outcome:
    """In the format that the input suggests. Source: ATen/native/PixelShuffle.cpp."""
    if not call.input.elements and call.op == "pixel_unshuffle":
        return new(memory.preserved(call.input), "Empty: a copy.")
    if not call.input.elements and call.op == "channel_shuffle":
        return view(call.input, "Empty: the input itself.")
    wanted = memory.suggested(call.input)
    target = memory.contiguous(call.input, wanted)
    return new(memory.fresh(call.shape, wanted), suggests(wanted), copied_to(call, 0, target))


@rule("scatter_elements")
def _scatter(call: Eager) -> Outcome:
    """A copy of the input, into which it writes.

    scatter and index_add write a contiguous one, index_fill one in the order of the input.
    Source: ATen/native/TensorAdvancedIndexing.cpp.
    """
    if call.op == "index_fill":
        return new(memory.preserved(call.input), "Fills a copy in the order of the input.")
    return new(memory.fresh(call.shape), "Writes into a contiguous copy of the input.")
