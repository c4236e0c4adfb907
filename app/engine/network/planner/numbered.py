"""Numbered: a graph with its tensors and layouts as numbers, and what a solution means in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...model.errors import Described, LayoutError, Phrase
from ...model.layout import Layout
from ..deadline import look
from ..dimensions import dims_of
from ..graph import Graph
from ..labels import UNKNOWN, LayoutLabel, label_of, plain_name
from ..nodes import Node
from ..operators.base import TensorType
from ..propagation import Propagation, Reorder
from .given import GivenOffers, shown
from .offers import Choices, Offer, copy_bytes, layout_of, likeness, names_of, offers_of
from .problem import ANY, Bill, Choice, PlanNode, PlanProblem, PlanTensor, needs

MOST_LAYOUTS = 60  # of one plan: the beam holds them as the bits of an int64
MOST_COPIES = 1 << 26  # pairs of layouts, for all tensors together

Outputs = Mapping[str, str | None]
"""The layouts in which a network's results are given back, by name; None for any."""


class Numbered:
    """A graph with its tensors and layouts as numbers.

    ``problem``: its operators are the nodes, then one for each result of the network that is given
    back in a certain layout. ``offers``: the ways to run each node. Errors: LayoutError naming
    ``choices.<key>`` or ``outputs.<name>``; OutOfTimeError where a deadline is kept.
    """

    def __init__(self, graph: Graph, choices: Choices, outputs: Outputs) -> None:
        self.graph = graph
        self.names = [name for name in graph.types if name]
        self.number = {name: at for at, name in enumerate(self.names)}
        self._layouts: dict[str, int] = {}
        self._kinds: dict[tuple[object, ...], tuple[Sequence[Offer], tuple[Choice, ...]]] = {}
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
        given = GivenOffers(choices)
        operators = []
        for node in self.graph.nodes:
            look()
            own = given.offers(self.graph, node)
            offers, found = (own, self._choices(node, own)) if own else self._usual(node)
            self.offers.append(offers)
            operators.append(
                PlanNode(
                    tuple(self.number[name] for name in node.inputs if name),
                    tuple(self.number[name] for name in node.outputs if name),
                    found,
                )
            )
        given.check(self.graph)
        return operators

    def _usual(self, node: Node) -> tuple[Sequence[Offer], tuple[Choice, ...]]:
        key = likeness(self.graph, node)
        if key not in self._kinds:
            found = offers_of(self.graph, node)
            self._kinds[key] = found, self._choices(node, found)
        return self._kinds[key]

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
            if text is None:
                continue
            try:
                layout_of(text, kind.shape)
            except LayoutError as error:
                raise error.under(f"outputs.{shown(name)}") from None
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
        for text in names_of(tensor.type):
            if layout_of(text, tensor.layout.shape).normal_form == tensor.layout.normal_form:
                return text
        return str(tensor.layout)

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
        key = (kind, tuple(used), self.graph.tensor(name))
        if key not in self._matrices:
            self._matrices[key] = self._matrix(name, kind, used)
        return self._matrices[key]

    def _matrix(
        self, name: str, kind: TensorType | None, used: Mapping[int, None]
    ) -> tuple[tuple[float, ...], ...]:
        count = len(self._texts)
        rows = [[float("inf")] * count for _ in range(count)]
        layouts = {at: self._layout(self._texts[at], name) for at in used}
        for f, source in layouts.items():
            for g, target in layouts.items():
                if source is None or target is None or kind is None:
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
            if copy.cost:
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
            name, read = self.names[copy.tensor], readers.get((copy.tensor, copy.target), [])
            producer = self.graph.producers.get(name)
            after = None if producer is None else nodes[producer].name
            texts = self._texts[copy.source], self._texts[copy.target]
            source, target = (self._layout(text, name) for text in texts)
            layouts = None if source is None or target is None else (source, target)
            before = read[0] if read else None
            if copy.cost:
                made = Reorder(name, *texts, int(copy.cost), before, after, tuple(read), layouts)
                found.append(made)
        return tuple(found)

    def follow(self, propagation: Propagation) -> list[int]:
        """The choices nearest to what a rule set decided: those whose results it lays the same."""
        wanted = dict(enumerate(self._all_wanted(propagation)))
        copied = self._all_copied(propagation)
        names = [node.name for node in self.graph.nodes]
        chosen = []
        for at, operator in enumerate(self.problem.operators):
            look()
            read = {tensor: wanted[tensor] for tensor in operator.operands}
            if at < len(names):
                read |= copied.get(names[at], {})
            misses = []
            for choice in operator.choices:
                results = self._misses(wanted, operator.results, choice.writes)
                operands = self._misses(read, operator.operands, choice.reads)
                misses.append((results, operands, choice.cost))
            chosen.append(misses.index(min(misses)))
        return chosen

    def _misses(
        self, wanted: Mapping[int, int | None], tensors: Sequence[int], layouts: Sequence[int]
    ) -> int:
        """How many layouts are other memory than what is wanted."""
        count = 0
        for tensor, layout in zip(tensors, layouts, strict=True):
            want = wanted[tensor]
            if layout != ANY and want is not None and want != layout:
                count += self.problem.tensors[tensor].copies[want][layout] > 0
        return count

    def _all_wanted(self, propagation: Propagation) -> list[int | None]:
        """The layout that a rule set gives each tensor.

        A tensor that a system never writes, because one kernel goes on with it, has the layout of
        the result of its first reader.
        """
        wanted = [self._wanted(propagation, name) for name in self.names]
        for node in reversed(self.graph.nodes):
            for name in node.outputs:
                readers = self.graph.readers.get(name, ())
                if not name or not readers or wanted[self.number[name]] is not None:
                    continue
                after = self.graph.nodes[readers[0]].outputs[0]
                one, other = self.graph.type(name), self.graph.type(after) if after else None
                if one and other and one.rank == other.rank:
                    wanted[self.number[name]] = wanted[self.number[after]]
        return wanted

    def _all_copied(self, propagation: Propagation) -> dict[str, dict[int, int | None]]:
        """By the nodes that read copies: the layout of the copy of each tensor."""
        found: dict[str, dict[int, int | None]] = {}
        for each in propagation.reorders:
            kind = self.graph.type(each.tensor)
            if kind is None or each.before is None:
                continue
            try:
                number = self._number_of(layout_of(each.target, kind.shape), kind)
            except LayoutError:  # the system's own word
                continue
            for reader in each.readers or (each.before,):
                found.setdefault(reader, {})[self.number[each.tensor]] = number
        return found

    def _wanted(self, propagation: Propagation, name: str) -> int | None:
        placed = propagation.tensors.get(name)
        kind = self.graph.type(name)
        if placed is None or placed.layout is None or kind is None:
            return None
        return self._number_of(placed.layout, kind)

    def _number_of(self, layout: Layout, kind: TensorType) -> int | None:
        """The layout of the plan that is the same memory."""
        plain = sorted(plain_name(kind.rank))
        orders = [text for text in self._layouts if sorted(text) == plain]
        for text in (*names_of(kind), *orders):
            if (
                text in self._layouts
                and layout_of(text, kind.shape).normal_form == layout.normal_form
            ):
                return self._layouts[text]
        return None
