"""What a rule set answers: the layout of every tensor, the reorders, and a reason at each node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..model.dtypes import ElementType
from ..model.layout import Layout
from .labels import FUSED, UNKNOWN, LayoutLabel, label_of, relettered


@dataclass(frozen=True, slots=True)
class Placed:
    """How a tensor of a network lies in memory.

    ``layout``, ``dtype``: None where they are not known; ``reason`` then says why. ``view``: the
    result shares the memory of the tensor ``of``. ``fused``: the tensor that the same kernel goes
    on to; this one is never in memory. ``text``: the layout in the system's notation, which
    ``parse_layout`` reads; empty where the rule set has no name for it.
    """

    layout: Layout | None
    dtype: ElementType | None
    view: bool = False
    of: str | None = None
    reason: str = ""
    fused: str | None = None
    text: str = ""

    def label(self, notation: str = "letters", dims: str = "") -> LayoutLabel:
        """How it is drawn, with a text in the notation of that system if it has one.

        ``dims``: the letters of its dimensions, where they have a meaning.
        """
        if self.layout is None or self.dtype is None:
            return UNKNOWN if self.fused is None else FUSED
        found = label_of(self.layout, self.dtype, notation, self.text.rpartition(":")[2], dims)
        text = relettered(self.text, self.layout.rank, dims)
        return replace(found, layout=text) if text else found


@dataclass(frozen=True, slots=True)
class Reorder:
    """A copy of ``tensor`` from one layout into another.

    ``source``, ``target``: texts in the rule set's own words. ``before``: the node that needs the
    copy first; ``after``: the node that made the tensor; None where it is an input or an output of
    the network. ``bytes``: read and written, padding included. ``readers``: all nodes that read the
    copy, ``before`` first; none where only the network's user does. ``layouts``: from which to
    which, None where the shape is not known.
    """

    tensor: str
    source: str
    target: str
    bytes: int
    before: str | None = None
    after: str | None = None
    readers: tuple[str, ...] = ()
    layouts: tuple[Layout, Layout] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NodeReport:
    """What happens at a node.

    ``rule``: the name of the rule. ``reason``: one sentence that says what it did and why.
    ``lost``: the format that the node was given and gave up, such as channels_last. ``fused``: the
    node whose kernel computes this one too.
    """

    name: str
    op: str
    rule: str
    reason: str
    lost: str | None = None
    fused: str | None = None


@dataclass(frozen=True, slots=True)
class Propagation:
    """The answer of the rule set ``rules``: every tensor, the reorders, every node in order."""

    rules: str
    tensors: Mapping[str, Placed]
    reorders: tuple[Reorder, ...]
    nodes: tuple[NodeReport, ...]

    @property
    def bytes(self) -> int:
        """What all reorders read and write."""
        return sum(each.bytes for each in self.reorders)


def layout_bytes(layout: Layout, dtype: ElementType) -> int:
    """Bytes of a tensor in memory, padding included."""
    return dtype.size_bytes(layout.span_elements)
