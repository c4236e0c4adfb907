"""Events of a trace that wrote elements in another order, and those that gave up channels_last.

Copies are found by memory: the result is new memory, and its elements lie in another order than
those of the operand. Under inference_mode PyTorch's composite operators arrive whole, so the names
only say which operators keep every element as it is.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from .events import LoggedEvent
from .traces import TraceEvent, TraceTensor

# Operators whose result has the elements of their operand, by ATen's names without overloads.
_KEEPING: Final = frozenset({
    *("clone", "_to_copy", "to", "contiguous", "copy", "type_as", "reshape", "reshape_as"),
    *("_reshape_copy", "_unsafe_view", "flatten", "unflatten", "ravel", "movedim", "numpy_T"),
    *("view_copy", "permute_copy", "transpose_copy", "t_copy", "alias_copy", "squeeze_copy"),
    *("unsqueeze_copy", "expand_copy"),
})  # fmt: skip  # a list
_CONVOLUTIONS: Final = frozenset(
    {"convolution", "_convolution", "conv2d", "conv3d", "mkldnn_convolution"}
)


@dataclass(frozen=True, slots=True, repr=False)
class Copy:
    """Elements that were written in another order.

    ``event``: the operator; ``inner``: the reorder of oneDNN below it, None if the operator itself
    copied. ``bytes``: read and written. ``ms``: None where it was not measured. ``source_order``
    and ``target_order``: layouts as texts.
    """

    event: TraceEvent
    inner: LoggedEvent | None
    bytes: int
    ms: float | None
    source_order: str
    target_order: str

    def __repr__(self) -> str:
        moved = f"{self.source_order} to {self.target_order}, {self.bytes:,} bytes"
        return f"<{moved}, by {self.event!r}>"

    @property
    def of_plain_image(self) -> bool:
        """Whether a convolution converts an image that is not channels_last, which it mostly reads
        as it is."""
        event = self.event
        if self.inner is None or event.name.removesuffix("_backward") not in _CONVOLUTIONS:
            return False
        # A backward operator reads the gradient and the image, a forward one the image alone.
        images = (*event.inputs[: 1 + event.backward], *event.outputs[:1])
        shapes = {each.shape for each in images}
        return self.inner.operands[0].shape in shapes and not any(map(channels_innermost, images))

    @property
    def op(self) -> str:
        """The operator's name; for a reorder of oneDNN that of the operator above it."""
        return self.event.op

    @property
    def module(self) -> str:
        """The path of the module that called the operator."""
        return self.event.module

    @property
    def source(self) -> str:
        """The caller's line."""
        return self.event.source


def copies_of(events: Sequence[TraceEvent]) -> list[Copy]:
    """Every copy into another order, oneDNN's inner reorders included, in the order of events."""
    return [copy for event in events for copy in _copies(event)]


def _copies(event: TraceEvent) -> Iterator[Copy]:
    moved = own_copy(event)
    if moved is not None:
        source, target = moved
        size = source.bytes + target.bytes
        yield Copy(event, None, size, event.ms, str(source.strides), str(target.strides))
    for inner in event.inner:
        if inner.primitive == "reorder" and moves_elements(inner):
            sides = {each.role: each for each in inner.operands}
            size = sum(each.bytes or 0 for each in inner.operands)
            texts = [(sides[r].layout or "?").removeprefix("onednn:") for r in ("src", "dst")]
            yield Copy(event, inner, size, inner.ms, *texts)


def moves_elements(reorder: LoggedEvent) -> bool:
    """Whether a reorder changes more than the names of dimensions of size 1."""
    keys = [each.key for each in reorder.operands]
    return len(keys) == 2 and (None in keys or keys[0] != keys[1])


def own_copy(event: TraceEvent) -> tuple[TraceTensor, TraceTensor] | None:
    """Operand and result of an operator that wrote the same elements in another order.

    None where type or device changed, where the result shares memory, where elements were repeated
    (``expand`` before a write), and where the order stayed.
    """
    if event.name not in _KEEPING:
        return None
    if event.name == "copy":
        written, source = (*event.inputs[:2], None, None)[:2]
    else:
        source = event.inputs[0] if event.inputs else None
        written = event.outputs[0] if len(event.outputs) == 1 else None
    if source is None or written is None or source.storage == written.storage:
        return None
    kinds = [(each.dtype, each.device, each.elements) for each in (source, written)]
    before, after = source.order, written.order
    if kinds[0] != kinds[1] or None in {source.storage, written.storage}:
        return None
    if before is None or after is None:
        return None
    if source.shape == written.shape:
        same = before == after
    else:
        # Sizes are split or merged in row-major order: the order stays if both are row-major.
        same = list(before) == sorted(before) and list(after) == sorted(after)
    return None if same else (source, written)


def channels_innermost(tensor: TraceTensor) -> bool:
    """Whether a dense tensor of images has its channels innermost, and no other reading.

    Channels are the dimensions between the first and the last two: one, or the groups of a shuffle.
    """
    order, shape = tensor.order, tensor.shape
    if order is None or shape is None or len(shape) < 4 or not tensor.dense:
        return False
    images = any(shape[d] > 1 for d in range(len(shape) - 2, len(shape)))
    return images and bool(order) and 1 <= order[-1] < len(shape) - 2


def lost_of(events: Sequence[TraceEvent]) -> list[TraceEvent]:
    """Events that read channels innermost and wrote a result of as many dimensions otherwise.

    Also of images whose places are one dimension: flatten, softmax, unflatten.
    """
    images = [t for e in events for t in (*e.inputs, *e.outputs) if len(t.shape or ()) >= 4]
    last = {t.storage for t in images if channels_innermost(t)}
    other = {t.storage for t in images} - last
    return [event for event in events if loses(event) or _loses_flat(event, last, other)]


def _loses_flat(event: TraceEvent, last: Set[int | None], other: Set[int | None]) -> bool:
    """Whether an event gave up channels_last of an image that is flattened to three dimensions.

    ``last``, ``other``: storages that are images, channels_last or not, elsewhere in the trace.
    """
    for result in event.outputs:
        for operand in event.inputs:
            flat = operand.shape is not None and len(operand.shape) == 3
            if not flat or operand.shape != result.shape or operand.storage == result.storage:
                continue
            inner = [t.order[-1] if t.order else None for t in (operand, result)]
            if inner == [1, 2] and operand.storage in last and result.storage in other:
                return True
    return False


def loses(event: TraceEvent) -> bool:
    """Whether an event gave up channels_last: a dense operand had it, no dense result has it.

    Silent for views, for sizes of 1 that allow both readings, and where the rank changes.
    """
    operands = event.inputs[:1] if event.name in _CONVOLUTIONS else event.inputs
    shared = {each.storage for each in event.inputs}
    for result in event.outputs:
        if result.storage in shared or result.shape is None or not result.dense:
            continue
        rank = len(result.shape)
        given = [t for t in operands if t.shape is not None and len(t.shape) == rank >= 4]
        given = [t for t in given if t.shape and t.shape[0] == result.shape[0] and not t.parameter]
        several = any(n > 1 for n in result.shape[1:-2]) and any(n > 1 for n in result.shape[-2:])
        if several and not channels_innermost(result) and any(map(channels_innermost, given)):
            return True
    return False
