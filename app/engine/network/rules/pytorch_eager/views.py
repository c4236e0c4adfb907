"""Operators of eager PyTorch that compute nothing: views, and what joins, pads and shuffles.

A view changes strides and shares the memory; it is a copy where strides cannot say it.
"""

from collections.abc import Sequence

from ....model.errors import refusal
from ....model.layout import Layout
from ....model.views import NeedsCopy, reshape
from ....notation import view_steps as steps
from ...operators import OPERATORS
from ...operators.base import StridedView
from ...operators.joining import pad_pairs
from ...operators.views import replaced
from . import memory
from .calls import Eager, EagerResult, Outcome, copied_to, new, rule, suggests, view, viewed

_VIEW = "A view: the strides change, the memory is shared."


@rule("reshape unflatten")
def _reshape(call: Eager) -> Outcome:
    """A view where the strides can say it; reshape copies otherwise, view refuses.

    Source: ATen/TensorUtils.cpp (computeStride), ATen/native/TensorShape.cpp (reshape).
    """
    found = reshape(call.input, call.shape)
    if not isinstance(found, NeedsCopy):
        return view(found, _VIEW)
    if call.op in {"view", "view_as"}:
        got = f"a view that strides {list(memory.strides_of(call.input))} cannot give"
        raise refusal("attributes.shape", got, "view.reshape", reason=found.reason)
    return new(
        memory.fresh(call.shape),
        f"Copied into contiguous memory: no strides give this shape. {found.reason}",
        [(0, memory.fresh(call.input.shape))],
    )


@rule(" ".join(row.name for row in OPERATORS if row.viewed))
def _strided(call: Eager) -> Outcome:
    """Other strides of the same memory, as the catalogue says.

    Source: ATen/native/TensorShape.cpp, ATen/ExpandUtils.cpp.
    """
    layout, operator = call.input, call.node.operator
    if call.op == "Slice" and min(call.integers("steps") or (1,)) < 0:
        return new(memory.fresh(call.shape), "PyTorch has no negative steps: a copy.")
    assert operator.viewed is not None
    source = tuple(zip(layout.shape, memory.strides_of(layout), strict=True))
    results = tuple(
        EagerResult(Layout.strided(each.shape, [s for _, s in each.dims], each.offset), 0)
        for each in operator.viewed(call, StridedView(source, layout.offset))
    )
    if call.op.startswith("unsafe"):
        return Outcome(results, "Views that autograd does not follow.")
    parts = "Views: each part begins further on in the same memory."
    return Outcome(results, parts if operator.family == "split" else _VIEW)


@rule("flatten")
def _flatten(call: Eager) -> Outcome:
    """A reshape. Source: ATen/native/TensorShape.cpp (flatten)."""
    rank = call.input.rank
    if call.node.origin == "torch" and call.op == "flatten" and rank:
        first, last = (call.attributes[name] % rank for name in ("start_dim", "end_dim"))
        if first == last:
            return view(call.input, "Nothing to flatten: the input itself.")
    if call.op == "ravel":
        done = memory.contiguous(call.input)
        if done != call.input:
            return new(done if rank == 1 else memory.fresh(call.shape), "Copied, then flattened.")
    return _reshape(call)


@rule("identity")
def _identity(call: Eager) -> Outcome:
    """The same memory."""
    return view(call.input, "The same tensor.")


def taken(layout: Layout, d: int, start: int, count: int) -> Layout:
    """Elements of a dimension from ``start`` on; the offset moves also where none are taken."""
    strides = memory.strides_of(layout)
    offset = layout.offset + start * strides[d]
    return Layout.strided(replaced(layout.shape, d, count), strides, offset)


@rule("contiguous")
def _contiguous(call: Eager) -> Outcome:
    """The tensor itself if it has the format, else a copy.

    Source: ATen/native/TensorProperties.cpp (contiguous).
    """
    wanted = checked_format(call, call.attributes["memory_format"])
    if memory.has_format(call.input, wanted):
        return view(call.input, "It has this format already: the input itself.")
    return _copied(call, wanted, "Copied into")


def _copied(call: Eager, wanted: str, said: str) -> Outcome:
    target = memory.fresh(call.shape, checked_format(call, wanted))
    words = "contiguous memory" if wanted == memory.CONTIGUOUS else wanted
    return new(target, f"{said} {words}.", [(0, target)])


def checked_format(call: Eager, wanted: str) -> str:
    """The memory format, if the input's rank allows it. Errors: LayoutError naming it."""
    rank = memory.RANKS.get(wanted, call.input.rank)
    if call.input.rank != rank:
        got = f"{wanted} for a tensor of rank {call.input.rank}"
        raise refusal("attributes.memory_format", got, "tensor.rank", rank=rank)
    return memory.CONTIGUOUS if wanted == "preserve_format" else wanted


@rule("clone")
def _clone(call: Eager) -> Outcome:
    """Always a copy; by default in the order of the input.

    Source: ATen/native/TensorFactories.cpp (clone).
    """
    wanted = call.attributes["memory_format"]
    if wanted == "preserve_format":
        return new(memory.preserved(call.input), "A copy in the order of the input's strides.")
    return _copied(call, wanted, "A copy in")


@rule("to convert")
def _to(call: Eager) -> Outcome:
    """The tensor itself if nothing changes, else a copy.

    The format counts as there already if the order of strides suggests it, dense or not.
    Source: ATen/native/TensorConversions.cpp (to_will_alias, _to_copy).
    """
    wanted = call.attributes.get("memory_format", "preserve_format")
    keeps = wanted == "preserve_format" or memory.suggested(call.input) == wanted
    same = call.first.dtype.name == call.types[0].dtype.name
    if same and keeps and not call.attributes.get("copy"):
        return view(call.input, "Nothing changes: the input itself.")
    if wanted == "preserve_format":
        return new(memory.preserved(call.input), "Converted, in the order of the input's strides.")
    return _copied(call, wanted, "Copied into")


def joined(operands: Sequence[Layout], d: int) -> Layout:
    """``torch.cat``: in a memory format only if the strides of all operands suggest it.

    Source: ATen/native/TensorShape.cpp (cat_compute_output_memory_format).
    """
    kept = [each.shape for each in operands if each.shape != (0,)] or [operands[0].shape]
    formats = {memory.suggested(each) for each in operands}
    wanted = formats.pop() if len(formats) == 1 else memory.CONTIGUOUS
    return memory.fresh(replaced(kept[0], d, sum(shape[d] for shape in kept)), wanted)


def _cat_reason(operands: Sequence[Layout]) -> str:
    formats = [memory.suggested(each) for each in operands]
    if len(set(formats)) == 1:
        read = formats[0].removesuffix("_format")
        return f"The strides of all operands read as {read}, so the result is."
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
    return new(viewed(reshape(joined(operands, d), call.shape)), _cat_reason(operands))


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
    for shift, dim in zip(shifts, dims, strict=True):
        d = dim % max(layout.rank, 1)
        if not layout.elements:
            layout = memory.preserved(layout)
            continue
        size = layout.shape[d]
        start = (size - shift) % size
        parts = (taken(layout, d, start, size - start), taken(layout, d, 0, start))
        layout = joined(parts, d)
    return new(layout, "Two parts, joined by cat: in a format only if both suggest it.")


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
