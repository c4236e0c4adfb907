"""RuleSet: how one real system carries layouts through a network.

Carrier: the state of a rule set that has a name for each layout, from node to node.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...model.errors import LayoutError
from ...model.layout import Layout
from ...reorder.plan import moved_bytes
from .. import labels
from ..attributes import Attribute, Signature, Value
from ..deadline import look
from ..graph import Graph
from ..labels import DEFAULT_BLOCK, dims_of
from ..nodes import Node
from ..operators import OPERATORS
from ..operators.base import Family, Unknown
from ..propagation import NodeReport, Placed, Propagation, Reorder


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one system, one module each, every rule with its source.

    ``name``: as the API takes it. ``title``: for people, with the version. ``source``: where the
    rules were read. ``notation``: the dialect that its layouts are written in. ``carry(graph,
    options)`` applies them. ``options``: by name, as attributes. ``verified``: its answers have
    been held against the running system; if not, the source is all there is. ``note``: what else a
    person has to know of them. ``block(options)``: how many channels of 32 bits a block has on the
    machine that the options name.
    """

    name: str
    title: str
    source: str
    notation: str
    carry: Callable[[Graph, Mapping[str, Value]], Propagation]
    options: Mapping[str, Attribute] = field(default_factory=dict)
    verified: bool = True
    note: str = ""
    block: Callable[[Mapping[str, Value]], int] = lambda _: DEFAULT_BLOCK

    @property
    def label(self) -> str:
        """The name, marked if the rules are not verified."""
        return self.name if self.verified else f"{self.name} †"

    @property
    def remark(self) -> str:
        """What a person has to know of the rules, behind their title; mostly empty."""
        note = self.note if self.verified else f"† Not verified: only read in {self.source}"
        return note and f". {note}"

    def propagate(self, graph: Graph, options: Mapping[str, Value] | None = None) -> Propagation:
        """Carry the layouts of the inputs through ``graph``.

        Errors: LayoutError naming ``options.<name>``.
        """
        return self.carry(graph, self._read(options))

    def block_under(self, options: Mapping[str, Value] | None = None) -> int:
        """The ``block`` of options as ``propagate`` takes them, with its errors."""
        return self.block(self._read(options))

    def _read(self, options: Mapping[str, Value] | None) -> Mapping[str, Value]:
        signature = Signature((), 0, variadic=False, attributes=self.options)
        try:
            return signature.read(options or {})
        except LayoutError as error:
            raise error.under(error.field.replace("attributes", "options", 1)) from None


def operators(names: str) -> frozenset[str]:
    """The operators of a text, by the catalogue's names, which are checked."""
    found = frozenset(names.split())
    unknown = found - {row.name for row in OPERATORS}
    assert not unknown, unknown
    return found


def families(*names: Family) -> frozenset[str]:
    """The operators of the catalogue's families of these names."""
    return frozenset(row.name for row in OPERATORS if row.family in names)


def axes_of(node: Node, rank: int) -> set[int]:
    """The dimensions that a node's attribute ``dim`` names, all where it is null."""
    given = node.attributes.get("dim")
    axes = range(rank) if given is None else [given] if isinstance(given, int) else given
    return {d % max(rank, 1) for d in axes}


def plain_name(rank: int) -> str:
    """Row-major memory in capitals, as systems with a letter for each dimension write it."""
    return labels.plain_name(rank).upper() if rank else ""


@dataclass(frozen=True, slots=True)
class Words:
    """The names that a system gives to layouts, by default those of NCHW and NHWC in capitals.

    ``plain(rank)``: the name of row-major memory. ``others(rank)``: the other names that an input
    may come with. ``dialect``: in which ``parse_layout`` reads them, with its colon.
    ``write(name, layout)``: what ``parse_layout`` reads as it, where that is not the name.
    """

    plain: Callable[[int], str] = plain_name
    others: Callable[[int], Sequence[str]] = lambda rank: (
        (f"N{labels.SPACE[rank]}C",) if rank in labels.SPACE else ()
    )
    dialect: str = ""
    write: Callable[[str, Layout], str] | None = None

    def text(self, name: str, layout: Layout) -> str:
        """What ``parse_layout`` reads as the layout of that name; empty if it has no text."""
        if self.write is not None:
            return self.write(name, layout)
        return self.dialect + name if 0 < layout.rank <= _MOST_LETTERS else ""

    def name(self, layout: Layout) -> str | None:
        """The name of a layout, the plain one first; None if it has none."""
        for name in (self.plain(layout.rank), *self.others(layout.rank)):
            named = self.laid(name, layout.shape)
            if named is not None and _lies_alike(named, layout):
                return name
        return None

    def laid(self, name: str, shape: tuple[int, ...]) -> Layout | None:
        """The layout of that name, None where its padding is more than a memory has."""
        if name == self.plain(len(shape)):
            return labels.row_major(shape)
        try:
            return labels.layout_of(self.dialect + name, shape)
        except LayoutError:
            return None


_MOST_LETTERS = 12  # that every dialect has: oneDNN's end with l


def rank_of(name: str) -> int:
    """How many dimensions a name is for."""
    return len({letter for letter in name.lower() if letter.isalpha()})


def _lies_alike(a: Layout, b: Layout) -> bool:
    """Whether nothing has to move between two layouts."""
    return 0 in a.shape or a.normal_form == b.normal_form


# Of a copy: the tensor, the names of both layouts, the layouts, and the nodes that read it.
_Made = tuple[str, tuple[str | None, str], tuple[Layout, Layout], list[str]]
UNKNOWN = "This operator is not in the catalogue: it reads and writes plain memory."


class Carrier(ABC):
    """Where each tensor of a graph lies, and the copies that were made of it.

    ``rules``: the rule set's name. ``words``: its names of layouts. ``shares``: a copy is made
    once, and serves all its readers. ``folds``: copies of constants are made when the network is
    built, and cost nothing per run. A rule set says in ``add`` what happens at a node.
    """

    rules: str
    words: Words
    shares = True
    folds = False

    def __init__(self, graph: Graph, options: Mapping[str, Value]) -> None:
        self.graph = graph
        self.type, self.rank = graph.type, graph.rank
        self.options = options
        self._placed: dict[str, Placed] = {}
        self._names: dict[str, str | None] = {}  # None where the system has no name for it
        self._copied: dict[tuple[str, str], list[str]] = {}  # with the nodes that read the copy
        self._made: list[_Made] = []
        self._reports: list[NodeReport] = []
        self._packed: dict[tuple[str, str], int] = {}  # bytes, by constant and layout
        self._dims: Mapping[str, str] | None = None
        for tensors in (graph.inputs, graph.constants):
            for tensor, given in tensors.items():
                found = self.words.name(given.layout)
                text = "" if found is None else self.words.text(found, given.layout)
                self._placed[tensor] = Placed(given.layout, given.dtype, text=text)
                self._names[tensor] = found

    def shown(self, name: str, tensor: str) -> str:
        """The name as a sentence says it of a tensor: no letters of dimensions without meaning."""
        if self._dims is None:
            self._dims = dims_of(self.graph)
        rank = self.rank(tensor)
        return labels.relettered(name, rank, self._dims.get(tensor, "")) if rank > 0 else name

    def plain(self, tensor: str) -> str:
        """The name of plain memory for this tensor."""
        return self.words.plain(max(0, self.rank(tensor)))

    def name(self, tensor: str) -> str:
        """Under which name the tensor lies; plain memory where the system has no name for it."""
        return self._names.get(tensor) or self.plain(tensor)

    @classmethod
    def answer(cls, graph: Graph, options: Mapping[str, Value]) -> Propagation:
        """Carry the layouts of the inputs through ``graph``."""
        carrier = cls(graph, options)
        for node in graph.nodes:
            if carrier.known(node):
                carrier.add(node)
        for tensor in graph.outputs:
            if tensor in graph.producers and graph.type(tensor) is not None:
                carrier._copy(tensor, carrier.written(tensor))
        reorders = tuple(Reorder.of(graph, *each) for each in carrier._made)
        packed, reports = sum(carrier._packed.values()), tuple(carrier._reports)
        return Propagation(cls.rules, carrier._placed, reorders, reports, packed)

    @abstractmethod
    def add(self, node: Node) -> None:
        """Say what happens at a node of known shapes."""

    def written(self, tensor: str) -> str:
        """The layout in which a result of the network is given back."""
        return self.plain(tensor)

    def known(self, node: Node) -> bool:
        """Whether all shapes at a node are known; if not, it is reported, in plain memory."""
        kinds = (self.graph.types[name] for name in (*node.outputs, *node.inputs) if name)
        unknown = next((kind for kind in kinds if isinstance(kind, Unknown)), None)
        if unknown is None:
            return True
        for tensor in node.inputs:
            self.read(node, tensor)
        for name in node.outputs:
            found = self.graph.types.get(name)
            if isinstance(found, Unknown):
                self._placed[name] = Placed(None, None, reason=found.reason)
            elif name:
                self.write(name, self.plain(name))
        self.report(node, "unknown", unknown.reason)
        return False

    def read(self, node: Node, tensor: str, wanted: str = "") -> None:
        """Have an operand in a layout, by default plain, by a reorder unless it lies so already."""
        wanted = wanted or self.plain(tensor)
        if self.folds and tensor in self.graph.constants:
            self._pack(tensor, wanted)
        elif tensor:
            self._copy(tensor, wanted, node.name)

    def _pack(self, tensor: str, wanted: str) -> Layout | None:
        """Count what it takes to bring a constant into a layout; None if it cannot have it."""
        given = self.graph.constants[tensor]
        layout = self.words.laid(wanted, given.layout.shape)
        if layout is not None and not _lies_alike(given.layout, layout):
            self._packed[tensor, wanted] = moved_bytes(given.layout, layout, given.dtype)
        return layout

    def _copy(self, tensor: str, wanted: str, *readers: str) -> None:
        kind = self.type(tensor)
        held = self._names.get(tensor)
        if kind is None or tensor not in self._names or held == wanted:
            return
        if (tensor, wanted) in self._copied:
            self._copied[tensor, wanted] += readers
            return
        source = self._placed[tensor].layout
        target = self.words.laid(wanted, kind.shape)
        if source is None or target is None or _lies_alike(source, target):
            return
        read = list(readers)
        if self.shares:
            self._copied[tensor, wanted] = read
        self._made.append((tensor, (held, wanted), (source, target), read))

    def write(self, tensor: str, name: str) -> None:
        """Place a result in the layout of that name."""
        kind = self.type(tensor)
        assert kind is not None  # nodes without known shapes are reported by ``known``
        layout = self.words.laid(name, kind.shape)
        self._names[tensor] = self.plain(tensor) if layout is None else name
        layout = layout or labels.row_major(kind.shape)
        text = self.words.text(self.name(tensor), layout)
        self._placed[tensor] = Placed(layout, kind.dtype, text=text)

    def pack(self, tensor: str, name: str, reason: str) -> None:
        """Place a constant that one node reads in another layout, once, ahead of time."""
        given = self.graph.constants.get(tensor)
        if given is None or len(self.graph.readers[tensor]) > 1:
            return
        layout = self._pack(tensor, name)
        if layout is not None:
            self._names[tensor] = name
            text = self.words.text(name, layout)
            self._placed[tensor] = Placed(layout, given.dtype, reason=reason, text=text)

    def run(
        self, node: Node, rule: str, reason: str, name: str, tensors: Sequence[str] | None = None
    ) -> None:
        """Read operands in one layout, by default the first, write the results in it, report."""
        for tensor in node.inputs[:1] if tensors is None else tensors:
            self.read(node, tensor, name)
        self.end(node, rule, reason, name)

    def end(self, node: Node, rule: str, reason: str, name: str = "") -> None:
        """Write the results in a layout, plain where they are of another rank, and report."""
        for tensor in filter(None, node.outputs):
            alike = name and self.rank(tensor) == rank_of(name)
            self.write(tensor, name if alike else self.plain(tensor))
        self.report(node, rule, reason)

    def plainly(self, node: Node, rule: str, reason: str) -> None:
        """Report a node that reads and writes plain memory."""
        for tensor in node.inputs:
            self.read(node, tensor)
        self.end(node, rule, reason)

    def report(self, node: Node, rule: str, reason: str) -> None:
        """Report a node whose results are placed, with the format that it gave up.

        Errors: OutOfTimeError where a deadline is kept.
        """
        look()
        self._reports.append(NodeReport(node.name, node.op, rule, reason, self._lost(node)))

    def _lost(self, node: Node) -> str | None:
        for tensor in node.inputs:
            held = self._names.get(tensor)
            if held and held != self.plain(tensor) and tensor not in self.graph.constants:
                alike = [each for each in node.outputs if self.rank(each) == self.rank(tensor)]
                if alike and all(self.name(each) == self.plain(each) for each in alike):
                    return held
        return None
