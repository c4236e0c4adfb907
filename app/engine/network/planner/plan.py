"""plan_layouts: the layouts of a whole network at the least cost, beside what others would pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import Described, LayoutError
from ...layout import Layout
from ...notation.specs import same_addresses
from ..graph import Graph, Node
from ..operators.base import TensorType
from ..propagation import Propagation, Reorder
from .baselines import beam, greedy
from .offers import (
    Choices,
    Given,
    Offer,
    bytes_of,
    copy_bytes,
    layout_of,
    names_of,
    offers_of,
    plain_name,
)
from .problem import ANY, Bill, Choice, Operator, Problem, Tensor, price
from .solve import is_possible, solve

MOST_BEAM_OPERATORS = 2_000
MOST_LAYOUTS = 60  # of one plan: the beam holds them as the bits of an int64
MOST_COPIES = 1 << 26  # pairs of layouts, for all tensors together


@dataclass(frozen=True, slots=True)
class Baseline:
    """What another way to choose costs, in bytes, and how many reorders it needs."""

    name: str
    cost: float
    reorders: int


@dataclass(frozen=True, slots=True)
class LayoutPlan:
    """An assignment of layouts to a network.

    ``tensors``: the layouts that each tensor is held in, the one it is produced in first.
    ``nodes``: how each node is run. ``reorders``: the copies, each serving all its readers.
    ``cost``: their bytes plus the nodes' own costs. ``bound``: no assignment costs less.
    """

    tensors: Mapping[str, tuple[str, ...]]
    nodes: Mapping[str, Offer]
    reorders: tuple[Reorder, ...]
    cost: float
    bound: float
    baselines: tuple[Baseline, ...]

    @property
    def optimal(self) -> bool:
        """Whether the cost equals the proven bound."""
        return self.cost == self.bound


def plan_layouts(
    graph: Graph,
    *,
    choices: Choices | None = None,
    followed: Sequence[Propagation] = (),
    compare: bool = True,
    time_limit_s: float = 5.0,
) -> LayoutPlan:
    """The cheapest layouts for ``graph``, and baselines.

    ``choices``: by the name of a node or of an operator, the ways to run it, in place of the
    default ones. ``followed``: answers of rule sets, each a baseline. ``compare``: False for no
    other baselines.
    ``time_limit_s``: for the proof, and once more for the beam, which is left out if it takes
    longer. Errors: LayoutError naming ``choices.<key>``.
    """
    made = _Numbered(graph, choices or {})
    problem = made.problem
    solution = solve(problem, time_limit_s=time_limit_s)
    if not is_possible(solution.bill):
        raise LayoutError(
            "choices",
            Described("choices that no layouts fit together"),
            "for each node a choice whose layouts its operands can be copied to",
        )
    others = _others(graph, made, time_limit_s) if compare else {}
    others |= {each.rules: made.follow(each) for each in followed}
    bills = {name: price(problem, chosen) for name, chosen in others.items() if chosen is not None}
    return LayoutPlan(
        made.held(solution.bill),
        {
            node.name: made.offers[at][choice]
            for at, (node, choice) in enumerate(zip(graph.nodes, solution.chosen, strict=True))
        },
        made.reorders(solution.bill),
        solution.bill.cost,
        solution.bound,
        tuple(
            Baseline(name, bill.cost, sum(copy.cost > 0 for copy in bill.copies))
            for name, bill in bills.items()
            if is_possible(bill)
        ),
    )


def _others(graph: Graph, made: _Numbered, time_limit_s: float) -> dict[str, list[int] | None]:
    """What one layout everywhere, greedy and the beam choose; None where one takes too long."""
    problem = made.problem
    found: dict[str, list[int] | None] = {
        f"all {name}": greedy(problem, prefer=made.layout_number(name)) for name in _uniform(graph)
    }
    found["greedy"] = greedy(problem)
    if len(problem.operators) <= MOST_BEAM_OPERATORS:
        found["beam of 1024"] = beam(problem, time_limit_s=time_limit_s)
    return found


def _uniform(graph: Graph) -> list[str]:
    """The plain and the channels-last layout of the rank that most tensors have."""
    ranks = [kind.rank for kind in map(graph.type, graph.types) if kind is not None]
    spatial = [rank for rank in ranks if rank in (3, 4, 5)]
    if not spatial:
        return []
    rank = max(set(spatial), key=spatial.count)
    return [plain_name(rank), {3: "NWC", 4: "NHWC", 5: "NDHWC"}[rank]]


class _Numbered:
    """A graph with its tensors and layouts as numbers."""

    def __init__(self, graph: Graph, choices: Choices) -> None:
        self.graph = graph
        self.names = [name for name in graph.types if name]
        self.number = {name: at for at, name in enumerate(self.names)}
        self._layouts: dict[str, int] = {}
        given_offers = Given(choices)
        self.offers: list[Sequence[Offer]] = [
            given_offers.offers(graph, node) or offers_of(graph, node) for node in graph.nodes
        ]
        _check_keys(graph, choices)
        given_offers.check()
        given = {name: self._given(name) for name in self.names}
        operators = [self._operator(node, self.offers[node.index]) for node in graph.nodes]
        used: list[dict[int, None]] = [
            {} if text is None else {self.layout_number(text): None} for text in given.values()
        ]
        for operator in operators:
            for choice in operator.choices:
                for tensor, layout in (
                    *zip(operator.operands, choice.reads, strict=True),
                    *zip(operator.results, choice.writes, strict=True),
                ):
                    if layout != ANY:
                        used[tensor][layout] = None
        self._texts = list(self._layouts)
        self._check_size()
        self._matrices: dict[object, tuple[tuple[float, ...], ...]] = {}
        tensors = [
            Tensor(None if text is None else self.layout_number(text), self._copies(name, used[at]))
            for at, (name, text) in enumerate(given.items())
        ]
        self.problem = Problem(tuple(operators), tuple(tensors))

    def layout_number(self, text: str) -> int:
        """The number of a layout's text."""
        return self._layouts.setdefault(text, len(self._layouts))

    def _check_size(self) -> None:
        count = len(self._texts)
        if count > MOST_LAYOUTS or count**2 * len(self.names) > MOST_COPIES:
            raise LayoutError(
                "choices",
                Described(f"{count} different layouts, those of inputs and constants included"),
                f"at most {MOST_LAYOUTS}, fewer for many tensors",
            )

    def _given(self, name: str) -> str | None:
        """The text of an input's layout; None for a result."""
        tensor = self.graph.tensor(name)
        if tensor is None:
            return None
        for text in names_of(tensor.type):
            if same_addresses(layout_of(text, tensor.layout.shape), tensor.layout):
                return text
        return str(tensor.layout)

    def _operator(self, node: Node, offers: Sequence[Offer]) -> Operator:
        operands = [at for at, name in enumerate(node.inputs) if name]
        results = [at for at, name in enumerate(node.outputs) if name]
        return Operator(
            tuple(self.number[node.inputs[at]] for at in operands),
            tuple(self.number[node.outputs[at]] for at in results),
            tuple(
                Choice(
                    tuple(self._place(offer.inputs[at]) for at in operands),
                    tuple(self._place(offer.outputs[at]) for at in results),
                    offer.cost,
                )
                for offer in offers
            ),
        )

    def _place(self, text: str | None) -> int:
        return ANY if text is None else self.layout_number(text)

    def _layout(self, text: str, name: str) -> Layout | None:
        tensor = self.graph.tensor(name)
        kind = self.graph.type(name)
        if kind is None:
            return None
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

    def reorders(self, bill: Bill) -> tuple[Reorder, ...]:
        """The copies that move bytes."""
        nodes = self.graph.nodes
        found = []
        for copy in bill.copies:
            name = self.names[copy.tensor]
            producer = self.graph.producers.get(name)
            readers = self.graph.readers.get(name, ())
            if copy.cost:
                found.append(
                    Reorder(
                        name,
                        self._texts[copy.source],
                        self._texts[copy.target],
                        int(copy.cost),
                        before=nodes[readers[0]].name if readers else None,
                        after=None if producer is None else nodes[producer].name,
                    )
                )
        return tuple(found)

    def follow(self, propagation: Propagation) -> list[int]:
        """The choices nearest to what a rule set decided: those whose results it lays the same."""
        wanted = self._all_wanted(propagation)
        chosen = []
        for operator in self.problem.operators:
            misses = [
                (
                    self._misses(wanted, operator.results, choice.writes),
                    self._misses(wanted, operator.operands, choice.reads),
                    choice.cost,
                )
                for choice in operator.choices
            ]
            chosen.append(misses.index(min(misses)))
        return chosen

    def _misses(
        self, wanted: Sequence[int | None], tensors: Sequence[int], layouts: Sequence[int]
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
                kinds = self.graph.type(name), self.graph.type(after)
                if after and kinds[0] and kinds[1] and kinds[0].rank == kinds[1].rank:
                    wanted[self.number[name]] = wanted[self.number[after]]
        return wanted

    def _wanted(self, propagation: Propagation, name: str) -> int | None:
        placed = propagation.tensors.get(name)
        kind = self.graph.type(name)
        if placed is None or placed.layout is None or kind is None:
            return None
        plain = sorted(plain_name(kind.rank))
        orders = [text for text in self._layouts if sorted(text) == plain]
        for text in (*names_of(kind), *orders):
            if text in self._layouts and same_addresses(layout_of(text, kind.shape), placed.layout):
                return self._layouts[text]
        return None


def _check_keys(graph: Graph, choices: Choices) -> None:
    known = {key for node in graph.nodes for key in (node.name, node.op, node.operator.name)}
    if not known.issuperset(choices):
        raise LayoutError(
            "choices",
            Described("a name that no node and no operator of the graph has"),
            "names of nodes or operators of the graph",
        )


__all__ = ["Baseline", "LayoutPlan", "bytes_of", "plan_layouts"]
