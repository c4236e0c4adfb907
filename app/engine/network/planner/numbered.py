"""Numbered: a graph with its tensors and layouts as numbers, and what choices mean in it."""

from collections.abc import Mapping, Sequence

from ...model.errors import Described, LayoutError, Phrase, shown_name
from ...model.layout import Layout
from ..deadline import Deadline, OutOfTimeError, look
from ..dimensions import dims_of
from ..graph import Graph
from ..labels import UNKNOWN, LayoutLabel, label_of, layout_of, plain_name
from ..nodes import Node
from ..operators.base import TensorType
from ..propagation import Propagation, Reorder
from .given import given_offers
from .offers import Choices, Offer, OfferTable, copy_bytes, is_same, name_of, names_of
from .problem import ANY, Bill, Choice, PlanCopy, PlanNode, PlanProblem, PlanTensor, needs

MOST_LAYOUTS = 60  # of one plan: the beam holds them as the bits of an int64
MOST_COPIES = 1 << 26  # pairs of layouts, for all tensors together

Outputs = Mapping[str, str | None]
"""The layouts in which a network's results are given back, by name; None for any."""


class Numbered:
    """A graph with its tensors and layouts as numbers.

    ``problem``: its operators are the nodes, then one for each result of the network that is given
    back in a certain layout. ``offers``: the ways to run each node. ``outputs``: the layout of each
    result, None for any. Errors: LayoutError naming
    ``choices.<key>`` or ``outputs.<name>``; OutOfTimeError where a deadline is kept.
    """

    def __init__(self, graph: Graph, choices: Choices, outputs: Outputs) -> None:
        self.graph = graph
        self.names = [name for name in graph.types if name]
        self.number = {name: at for at, name in enumerate(self.names)}
        self.outputs: dict[str, str | None] = {}
        self._layouts: dict[str, int] = {}
        self.offers: list[Sequence[Offer]] = []
        operators = [*self._nodes(choices), *self._returned(outputs)]
        given = {name: self._given(name) for name in self.names}
        used: list[dict[int, None]] = [
            {} if text is None else {self.layout_number(text): None} for text in given.values()
        ]
        for operator in operators:
            for choice in operator.choices:
                read = zip(operator.operands, choice.reads, strict=True)
                for tensor, layout in (*read, *zip(operator.results, choice.writes, strict=True)):
                    if layout != ANY:
                        used[tensor][layout] = None
        self._texts = list(self._layouts)
        self._check_size()
        self._matrices: dict[object, tuple[tuple[float, ...], ...]] = {}
        tensors = []
        for at, (name, text) in enumerate(given.items()):
            own = None if text is None else self.layout_number(text)
            tensors.append(PlanTensor(own, self._copies(name, used[at])))
        self.problem = PlanProblem(tuple(operators), tuple(tensors))

    def _nodes(self, choices: Choices) -> list[PlanNode]:
        """The nodes, with the ways to run them. Ways of nodes that are alike are found once."""
        given, table = given_offers(self.graph, choices), OfferTable(self.graph)
        known: dict[int, tuple[Choice, ...]] = {}
        operators = []
        for node in self.graph.nodes:
            look()
            offers = table.offers(node, given.get(node.index))
            self.offers.append(offers)
            if id(offers) not in known:
                known[id(offers)] = self._choices(node, offers)
            operators.append(
                PlanNode(
                    tuple(self.number[name] for name in node.inputs if name),
                    tuple(self.number[name] for name in node.outputs if name),
                    known[id(offers)],
                )
            )
        return operators

    def _returned(self, outputs: Outputs) -> list[PlanNode]:
        """A reader for each result of the network, in plain memory where nothing else is said."""
        operators = []
        if not outputs.keys() <= set(self.graph.outputs):
            got = Described("a name that no output of the graph has")
            raise LayoutError("outputs", got, Phrase("outputs", "names of the graph's outputs"))
        for name in self.graph.outputs:
            kind = self.graph.type(name)
            if kind is None or (name not in outputs and name not in self.graph.producers):
                continue
            text = outputs.get(name, plain_name(kind.rank))
            self.outputs[name] = text
            if text is None:
                continue
            try:
                layout_of(text, kind.shape)
            except LayoutError as error:
                raise error.under(f"outputs.{shown_name(name)}") from None
            read = (Choice((self.layout_number(text),), ()),)
            operators.append(PlanNode((self.number[name],), (), read))
        return operators

    def layout_number(self, text: str) -> int:
        """The number of a layout's text."""
        return self._layouts.setdefault(text, len(self._layouts))

    def known_number(self, text: str) -> int:
        """The number of a layout's text; one that no layout has if no choice names the text."""
        return self._layouts.get(text, len(self._texts))

    def _check_size(self) -> None:
        count = len(self._texts)
        if count > MOST_LAYOUTS or count**2 * len(self.names) > MOST_COPIES:
            got = Described(f"{count} different layouts, those of inputs and constants included")
            said = "at most {most}, fewer for many tensors"
            raise LayoutError("choices", got, Phrase("layouts.most", said, most=MOST_LAYOUTS))

    def _given(self, name: str) -> str | None:
        """The text of an input's layout; None for a result."""
        tensor = self.graph.tensor(name)
        if tensor is None:
            return None
        return name_of(tensor.layout, tensor.type) or str(tensor.layout)

    def _choices(self, node: Node, offers: Sequence[Offer]) -> tuple[Choice, ...]:
        def numbers(names: Sequence[str], texts: Sequence[str | None]) -> tuple[int, ...]:
            named = (text for name, text in zip(names, texts, strict=True) if name)
            return tuple(ANY if text is None else self.layout_number(text) for text in named)

        return tuple(
            Choice(
                numbers(node.inputs, each.inputs), numbers(node.outputs, each.outputs), each.cost
            )
            for each in offers
        )

    def _layout(self, text: str, name: str) -> Layout | None:
        tensor = self.graph.tensor(name)
        kind = self.graph.type(name)
        assert kind is not None  # no choice names a layout for a tensor of unknown shape
        if tensor is not None and text == self._given(name):
            return tensor.layout
        try:
            return layout_of(text, kind.shape)
        except LayoutError:
            return None

    def _copies(self, name: str, used: Mapping[int, None]) -> tuple[tuple[float, ...], ...]:
        """Costs of copies between the layouts that this tensor may have; others are impossible."""
        kind = self.graph.type(name)
        key = (kind, tuple(used), self.graph.tensor(name), name in self.graph.constants)
        if key not in self._matrices:
            self._matrices[key] = self._matrix(name, kind, used)
        return self._matrices[key]

    def _matrix(
        self, name: str, kind: TensorType | None, used: Mapping[int, None]
    ) -> tuple[tuple[float, ...], ...]:
        count = len(self._texts)
        rows = [[float("inf")] * count for _ in range(count)]
        constants = self.graph.constants
        layouts = {at: self._layout(self._texts[at], name) for at in used}
        for f, source in layouts.items():
            for g, target in layouts.items():
                # A constant is copied once, before the first run.
                if source is None or target is None or kind is None or name in constants:
                    rows[f][g] = 0
                else:
                    rows[f][g] = copy_bytes(source, target, kind.dtype)
        return tuple(map(tuple, rows))

    def held(self, bill: Bill) -> dict[str, tuple[str, ...]]:
        """The layouts of each tensor, the produced one first."""
        found = {
            name: [self._texts[layout]] if layout != ANY else []
            for name, layout in zip(self.names, bill.produced, strict=True)
        }
        for copy in bill.copies:
            if self._moved(copy):
                found[self.names[copy.tensor]].append(self._texts[copy.target])
        return {name: tuple(texts) for name, texts in found.items()}

    def labels(self, bill: Bill) -> dict[str, LayoutLabel]:
        """How each tensor is drawn: in the layout that it is produced in."""
        found, dims = {}, dims_of(self.graph)
        for name, at in zip(self.names, bill.produced, strict=True):
            kind = self.graph.type(name)
            known = at != ANY and kind is not None
            layout = self._layout(self._texts[at], name) if known else None
            found[name] = (
                UNKNOWN
                if layout is None or kind is None
                else label_of(layout, kind.dtype, dims=dims.get(name, ""))
            )
        return found

    def reorders(self, bill: Bill, chosen: Sequence[int]) -> tuple[Reorder, ...]:
        """The copies that move bytes, each with the nodes that read it."""
        nodes = self.graph.nodes
        readers: dict[tuple[int, int], list[str]] = {}
        pairs = zip(nodes, self.problem.operators, chosen, strict=False)  # results come after nodes
        for node, operator, at in pairs:
            for tensor in dict.fromkeys(operator.operands):
                for layout in needs(operator, operator.choices[at], tensor):
                    readers.setdefault((tensor, layout), []).append(node.name)
        found = []
        for copy in bill.copies:
            both = self._both(copy)
            if both is not None and self._moved(copy):
                texts = self._texts[copy.source], self._texts[copy.target]
                read = readers.get((copy.tensor, copy.target), ())
                found.append(Reorder.of(self.graph, self.names[copy.tensor], texts, both, read))
        return tuple(found)

    def _both(self, copy: PlanCopy) -> tuple[Layout, Layout] | None:
        name = self.names[copy.tensor]
        source, target = (self._layout(self._texts[at], name) for at in (copy.source, copy.target))
        return None if source is None or target is None else (source, target)

    def _moved(self, copy: PlanCopy) -> int:
        """Bytes that a copy moves, also where it is made once and costs nothing."""
        layouts, kind = self._both(copy), self.graph.type(self.names[copy.tensor])
        return 0 if layouts is None or kind is None else copy_bytes(*layouts, kind.dtype)

    def node_cost(self, chosen: Sequence[int]) -> float:
        """What the choices cost by themselves, without copies."""
        pairs = zip(self.problem.operators, chosen, strict=True)
        return sum(operator.choices[at].cost for operator, at in pairs)

    def number_of(self, layout: Layout | None, tensor: str) -> int | None:
        """The number of the layout of the plan that is the same memory; None if none is."""
        kind = self.graph.type(tensor)
        if layout is None or kind is None:
            return None
        plain = sorted(plain_name(kind.rank))
        orders = [text for text in self._layouts if sorted(text) == plain]
        names = (text for text in (*names_of(kind), *orders) if text in self._layouts)
        same = (text for text in names if is_same(layout, text))
        return next((self._layouts[text] for text in same), None)

    def made_by(self, reorder: Reorder) -> int | None:
        """The number of the layout that a reorder makes; None if no choice names it."""
        return self.number_of(reorder.layouts and reorder.layouts[1], reorder.tensor)


_Layouts = Mapping[int, int | None]  # by tensor; None where the plan has no such layout


def follow(made: Numbered, found: Propagation) -> list[int]:
    """A choice for each operator: one whose results lie as the rule set lays them."""
    wanted = _wanted(made, found)
    copied: dict[str, dict[int, int | None]] = {}  # by the nodes that read copies
    for each in found.reorders:
        for reader in each.readers:
            copied.setdefault(reader, {})[made.number[each.tensor]] = made.made_by(each)
    readers = [node.name for node in made.graph.nodes]
    readers += [""] * (len(made.problem.operators) - len(readers))
    chosen = []
    for reader, operator in zip(readers, made.problem.operators, strict=True):
        look()
        read = {**wanted, **copied.get(reader, {})} if reader in copied else wanted
        misses = [
            (
                _misses(made, wanted, operator.results, choice.writes),
                _misses(made, read, operator.operands, choice.reads),
                choice.cost,
            )
            for choice in operator.choices
        ]
        chosen.append(misses.index(min(misses)))
    return chosen


def node_cost(made: Numbered, found: Propagation) -> float:
    """The bytes that the nodes move themselves at each run, in the layouts of a rule set."""
    return made.node_cost(follow(made, found))


def results_bytes(made: Numbered, found: Propagation) -> int:
    """The bytes of copies of a rule set's results into the layouts that the plan gives back."""
    total = 0
    for name, text in made.outputs.items():
        placed, kind = found.tensors.get(name), made.graph.type(name)
        if text and kind and placed and placed.layout:
            total += copy_bytes(placed.layout, layout_of(text, kind.shape), kind.dtype)
    return total


def counted_node_cost(graph: Graph, found: Propagation, limit_s: float = 5.0) -> float | None:
    """The same by the default table; None for a network too large for a plan or for the time."""
    try:
        with Deadline.after(limit_s).kept():
            return node_cost(Numbered(graph, {}, {}), found)
    except (LayoutError, OutOfTimeError):
        return None


def _misses(
    made: Numbered, wanted: _Layouts, tensors: Sequence[int], layouts: Sequence[int]
) -> int:
    """How many layouts are other memory than what is wanted."""
    count = 0
    for tensor, layout in zip(tensors, layouts, strict=True):
        want = wanted[tensor]
        if layout != ANY and want is not None and want != layout:
            count += made.problem.tensors[tensor].copies[want][layout] > 0
    return count


def _wanted(made: Numbered, found: Propagation) -> dict[int, int | None]:
    """The layout that a rule set gives each tensor.

    A tensor that a system never writes, because one kernel goes on with it, has the layout of the
    result of its first reader.
    """
    graph = made.graph
    placed = {name: found.tensors.get(name) for name in made.names}
    wanted = {
        made.number[name]: made.number_of(at.layout if at else None, name)
        for name, at in placed.items()
    }
    for node in reversed(graph.nodes):
        for name in filter(None, node.outputs):
            readers = graph.readers.get(name, ())
            after = graph.nodes[readers[0]].outputs[0] if readers else ""
            one, other = graph.type(name), graph.type(after)
            if wanted[made.number[name]] is None and one and other and one.rank == other.rank:
                wanted[made.number[name]] = wanted[made.number[after]]
    return wanted
