"""What a rule set answers: the layout of every tensor, the reorders, and a reason at each node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..model.dtypes import ElementType
from ..model.layout import Layout
from ..notation import split_system
from ..reorder.plan import moved_bytes
from .graph import Graph
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
        found = label_of(self.layout, self.dtype, notation, split_system(self.text)[1], dims)
        text = relettered(self.text, self.layout.rank, dims)
        return replace(found, layout=text) if text else found


@dataclass(frozen=True, slots=True)
class Reorder:
    """A copy of ``tensor`` from one layout into another.

    ``source``, ``target``: texts in the rule set's own words. ``before``: the node that needs the
    copy first; ``after``: the node that made the tensor; None where it is an input or an output of
    the network. ``bytes``: as ``moved_bytes`` counts. ``prepared``: the tensor is a constant, so
    this happens once, before the first run. ``readers``: all nodes that read the
    copy, ``before`` first; none where only the network's user does. ``layouts``: from which to
    which, None where the shape is not known. ``named``: which of both texts is a name, so that the
    other one is what ``str`` says of the layout.
    """

    tensor: str
    source: str
    target: str
    bytes: int
    before: str | None = None
    after: str | None = None
    readers: tuple[str, ...] = ()
    layouts: tuple[Layout, Layout] | None = field(default=None, compare=False)
    prepared: bool = field(default=False, compare=False)
    named: tuple[bool, bool] = field(default=(True, True), compare=False)

    @classmethod
    def of(
        cls,
        graph: Graph,
        tensor: str,
        names: tuple[str | None, str | None],
        layouts: tuple[Layout, Layout],
        readers: Iterable[str],
    ) -> Reorder:
        """The copy of a tensor of ``graph`` that the nodes ``readers`` read, by name.

        ``names``: the rule set's names of both layouts, None where it has none.
        """
        kind, maker, read = graph.type(tensor), graph.maker(tensor), tuple(dict.fromkeys(readers))
        assert kind is not None  # it has a layout
        ends = (read[0] if read else None), (None if maker is None else maker.name)
        source, target = (
            str(layout) if name is None else name
            for name, layout in zip(names, layouts, strict=True)
        )
        size_bytes, prepared = moved_bytes(*layouts, kind.dtype), tensor in graph.constants
        named = names[0] is not None, names[1] is not None
        return cls(tensor, source, target, size_bytes, *ends, read, layouts, prepared, named)


@dataclass(frozen=True, slots=True)
class NodeReport:
    """What happens at a node.

    ``rule``: the name of the rule. ``reason``: one sentence that says what it did and why.
    ``lost``: the layout that the node was given and does not pass on, such as channels_last.
    ``fused``: the node whose kernel computes this one too.
    """

    name: str
    op: str
    rule: str
    reason: str
    lost: str | None = None
    fused: str | None = None


@dataclass(frozen=True, slots=True)
class Propagation:
    """The answer of the rule set ``rules``: every tensor, the reorders, every node in order.

    ``packed_bytes``: what is read and written to pack weights, where no reorder says so.
    ``weights_each_call``: the system copies weights again at each run, unless they come as wanted.
    """

    rules: str
    tensors: Mapping[str, Placed]
    reorders: tuple[Reorder, ...]
    nodes: tuple[NodeReport, ...]
    packed_bytes: int = 0
    weights_each_call: bool = False

    @property
    def bytes(self) -> int:
        """What the reorders of activations read and write at each run."""
        return sum(each.bytes for each in self.reorders if not each.prepared)

    @property
    def run_bytes(self) -> int:
        """The same, with the weights where the system copies them again at each run."""
        return self.bytes + (self.prepared_bytes if self.weights_each_call else 0)

    @property
    def prepared_bytes(self) -> int:
        """What is read and written once, before the first run, to bring weights into layouts.

        A weight that several nodes copy alike is prepared once.
        """
        copies = {(x.tensor, x.target): x.bytes for x in self.reorders if x.prepared}
        return self.packed_bytes + sum(copies.values())


def bytes_text(size_bytes: float) -> str:
    """Bytes in three digits: ``1.61 MB``. A kB has 1,000 bytes."""
    value, units = float(size_bytes), ["bytes", "kB", "MB", "GB", "TB", "PB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        units.pop(0)
    if units[0] == "bytes":
        return "1 byte" if size_bytes == 1 else f"{round(size_bytes)} bytes"
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {units[0]}"
