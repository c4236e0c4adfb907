"""Views of eager PyTorch: strides change, memory is shared; a copy where strides cannot say it."""

from collections.abc import Sequence

from ....model.errors import Described, LayoutError, Phrase
from ....model.layout import Layout
from ....model.views.reshape import NeedsCopy, reshape
from ...operators import OPERATORS
from ...operators.base import StridedView
from . import memory
from .calls import Eager, EagerCopy, EagerResult, Outcome, new, rule, view

_VIEW = "A view: the strides change, the memory is shared."


@rule("reshape unflatten")
def _reshape(call: Eager) -> Outcome:
    """A view where the strides can say it; reshape copies otherwise, view refuses.

    Source: ATen/TensorUtils.cpp (computeStride), ATen/native/TensorShape.cpp (reshape).
    """
    return _reshaped(call, call.shape, refuses=call.op in {"view", "view_as"})


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
    said = _VIEW
    if operator.family == "split":
        said = "Views: each part begins further on in the same memory."
    if call.op.startswith("unsafe"):
        said = "Views that autograd does not follow."
    return Outcome(results, said)


def _reshaped(call: Eager, shape: Sequence[int], *, refuses: bool = False) -> Outcome:
    found = reshape(call.input, shape)
    if not isinstance(found, NeedsCopy):
        return view(found, _VIEW)
    if refuses:
        got = Described(f"a view that strides {list(memory.strides_of(call.input))} cannot give")
        expected = Phrase("view.reshape", "reshape, which copies. {reason}", reason=found.reason)
        raise LayoutError("attributes.shape", got, expected)
    return new(
        memory.fresh(shape),
        f"Copied into contiguous memory: no strides give this shape. {found.reason}",
        [EagerCopy(0, memory.fresh(call.input.shape))],
    )


@rule("flatten")
def _flatten(call: Eager) -> Outcome:
    """A reshape. Source: ATen/native/TensorShape.cpp (flatten)."""
    rank = call.input.rank
    if call.node.dialect == "torch" and call.op == "flatten" and rank:
        first, last = (call.attributes[name] % rank for name in ("start_dim", "end_dim"))
        if first == last:
            return view(call.input, "Nothing to flatten: the input itself.")
    if call.op == "ravel":
        done = memory.contiguous(call.input)
        if done != call.input:
            return new(done if rank == 1 else memory.fresh(call.shape), "Copied, then flattened.")
    return _reshaped(call, call.shape)


@rule("identity")
def _identity(call: Eager) -> Outcome:
    """The same memory."""
    return view(call.input, "The same tensor.")


def taken(layout: Layout, d: int, start: int, step: int, count: int) -> Layout:
    """Every ``step``-th element of a dimension from ``start`` on; the offset moves if none is."""
    strides = list(memory.strides_of(layout))
    shape = list(layout.shape)
    offset = layout.offset + start * strides[d]
    shape[d], strides[d] = count, strides[d] * step
    return Layout.strided(shape, strides, offset)


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
    return new(target, f"{said} {words}.", [EagerCopy(0, target)])


def checked_format(call: Eager, wanted: str) -> str:
    """The memory format, if the input's rank allows it. Errors: LayoutError naming it."""
    rank = memory.RANKS.get(wanted, call.input.rank)
    if call.input.rank != rank:
        got = Described(f"{wanted} for a tensor of rank {call.input.rank}")
        expected = Phrase("tensor.rank", "a tensor of rank {rank}", rank=rank)
        raise LayoutError("attributes.memory_format", got, expected)
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
    source = call.operands[0]
    assert source is not None
    keeps = wanted == "preserve_format" or memory.suggested(call.input) == wanted
    same = source.dtype.name == call.types[0].dtype.name
    if same and keeps and not call.attributes.get("copy"):
        return view(call.input, "Nothing changes: the input itself.")
    if wanted == "preserve_format":
        return new(memory.preserved(call.input), "Converted, in the order of the input's strides.")
    return _copied(call, wanted, "Copied into")
