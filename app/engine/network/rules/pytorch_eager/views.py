"""Views of eager PyTorch: strides change, memory is shared; a copy where strides cannot say it."""

from collections.abc import Callable, Sequence

from ....model.errors import Described, LayoutError, Phrase
from ....model.layout import Layout
from ....model.views import steps
from ....model.views.reshape import NeedsCopy, reshape
from ...operators.base import Family
from . import memory
from .calls import Eager, EagerCopy, EagerResult, Outcome, new, rule, view, viewed

_VIEW = "A view: the strides change, the memory is shared."


@rule("reshape unflatten")
def _reshape(call: Eager) -> Outcome:
    """A view where the strides can say it; reshape copies otherwise, view refuses.

    Source: ATen/TensorUtils.cpp (computeStride), ATen/native/TensorShape.cpp (reshape).
    """
    return _reshaped(call, call.shape, refuses=call.op in {"view", "view_as"})


def _viewing(names: str, source: str, found: Callable[[Eager], Layout], *family: Family) -> None:
    """The rule of a view whose strides follow from the input's alone."""
    rule(names, *family, source=f"ATen/{source}")(lambda call: view(found(call), _VIEW))


def _integers(call: Eager, names: str) -> list[int]:
    return [call.attributes[name] for name in names.split()]


_viewing(
    "",
    "native/TensorShape.cpp (permute, movedim, …)",
    lambda call: steps.permute(call.input, call.node.permutation(call.input.rank)),
    "permutation",
)
_viewing("expand", "ExpandUtils.cpp", lambda call: steps.broadcast(call.input, call.shape))
_viewing(
    "select",
    "native/TensorShape.cpp (select)",
    lambda call: steps.select(call.input, *_integers(call, "dim index")),
)
_viewing(
    "narrow",
    "native/TensorShape.cpp (narrow)",
    lambda call: viewed(steps.narrow(call.input, *_integers(call, "dim start length"))),
)


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


@rule("squeeze")
def _squeeze(call: Eager) -> Outcome:
    """Sizes of 1 lose their dimension. Source: ATen/native/TensorShape.cpp (squeeze)."""
    dims = call.integers("dim")
    layout = call.input
    gone = range(layout.rank) if dims is None else [d % max(layout.rank, 1) for d in dims]
    for d in sorted(gone, reverse=True):
        layout = steps.squeeze(layout, d) if layout.rank else layout
    return view(layout, _VIEW)


@rule("unsqueeze")
def _unsqueeze(call: Eager) -> Outcome:
    """A dimension of size 1, of the stride size times stride of the next.

    Source: ATen/native/TensorShape.cpp (inferUnsqueezeGeometry).
    """
    layout = call.input
    dims = call.integers("dim") or ()
    rank = layout.rank + len(dims)
    for d in sorted(d % rank for d in dims):
        layout = steps.unsqueeze(layout, d)
    return view(layout, _VIEW)


@rule("identity")
def _identity(call: Eager) -> Outcome:
    """The same memory."""
    return view(call.input, "The same tensor.")


@rule("slice")
def _slice(call: Eager) -> Outcome:
    """The offset moves, the stride is multiplied. Source: ATen/native/TensorShape.cpp (slice)."""
    if call.node.dialect == "onnx":
        return _onnx_slice(call)
    layout = call.input
    d = call.attributes["dim"] % layout.rank
    start, step = call.attributes["start"] or 0, call.attributes["step"]
    size = layout.shape[d]
    start = min(max(start + size * (start < 0), 0), size)
    return view(taken(layout, d, start, step, call.shape[d]), _VIEW)


def taken(layout: Layout, d: int, start: int, step: int, count: int) -> Layout:
    """Every ``step``-th element of a dimension from ``start`` on; the offset moves if none is."""
    strides = list(memory.strides_of(layout))
    shape = list(layout.shape)
    offset = layout.offset + start * strides[d]
    shape[d], strides[d] = count, strides[d] * step
    return Layout.strided(shape, strides, offset)


def _onnx_slice(call: Eager) -> Outcome:
    layout = call.input
    starts, axes = call.integers("starts") or (), call.integers("axes")
    steps_ = call.integers("steps") or (1,) * len(starts)
    for i, d in enumerate(range(len(starts)) if axes is None else axes):
        if steps_[i] < 0:
            return new(memory.fresh(call.shape), "PyTorch has no negative steps: a copy.")
        size = layout.shape[d]
        start = min(max(starts[i] + size * (starts[i] < 0), 0), size)
        layout = taken(layout, d % layout.rank, start, steps_[i], call.shape[d])
    return view(layout, _VIEW)


@rule("chunk split tensor_split")
def _parts(call: Eager) -> Outcome:
    """Each part is a narrow. Source: ATen/native/TensorShape.cpp (split, chunk)."""
    d = call.attributes["dim"] % call.input.rank
    start = 0
    found = []
    for each in call.types:
        length = each.shape[d]
        begin = min(start, call.input.shape[d])
        found.append(EagerResult(viewed(steps.narrow(call.input, d, begin, length)), 0))
        start += length
    if call.op.startswith("unsafe"):
        return Outcome(tuple(found), "Views that autograd does not follow.")
    return Outcome(tuple(found), "Views: each part begins further on in the same memory.")


@rule("unbind")
def _unbind(call: Eager) -> Outcome:
    """Each part is a select. Source: ATen/native/TensorShape.cpp (unbind)."""
    d = call.attributes["dim"]
    found = [EagerResult(steps.select(call.input, d, i), 0) for i in range(len(call.types))]
    return Outcome(tuple(found), _VIEW)


@rule("diagonal")
def _diagonal(call: Eager) -> Outcome:
    """Two strides become their sum. Source: ATen/native/TensorShape.cpp (diagonal)."""
    layout = call.input
    rank, shift = layout.rank, call.attributes["offset"]
    a, b = call.attributes["dim1"] % rank, call.attributes["dim2"] % rank
    strides = memory.strides_of(layout)
    offset = layout.offset
    if call.shape[-1]:
        offset += shift * strides[b] if shift >= 0 else -shift * strides[a]
    rest = [strides[d] for d in range(rank) if d not in {a, b}]
    return view(Layout.strided(call.shape, [*rest, strides[a] + strides[b]], offset), _VIEW)


@rule("unfold_dim")
def _unfold(call: Eager) -> Outcome:
    """Windows that overlap, as one more dimension. Source: ATen/native/TensorShape.cpp (unfold)."""
    layout = call.input
    strides = list(memory.strides_of(layout))
    if not strides:
        return view(Layout.strided(call.shape, (1,), layout.offset), _VIEW)
    d = call.attributes["dimension"] % layout.rank
    last = strides[d]
    strides[d] *= call.attributes["step"]
    return view(Layout.strided(call.shape, [*strides, last], layout.offset), _VIEW)


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
