"""GraphProblem: the assignment problem of a graph, and what an assignment means in the graph."""

from collections.abc import Iterator, Mapping, Sequence

from ...model.errors import LayoutError, refusal, shown_name
from ...model.layout import Layout
from ..deadline import Deadline, OutOfTimeError, look
from ..graph import Graph
from ..labels import DEFAULT_BLOCK, UNKNOWN, LayoutLabel, dims_of, label_of, layout_of, plain_name
from ..propagation import Propagation, Reorder
from .offers import Choices, OfferTable, copy_bytes, given_offers, is_same, layout_names, name_of
from .problem import Bill, Offer, PlanNode, PlanProblem, PlanTensor

MOST_LAYOUTS = 60  # of one plan: the beam holds them as the bits of an int64
MOST_COPIES = 1 << 26  # pairs of layouts, for all tensors together
_LIMIT_S = 5.0  # for counting what nodes move

Outputs = Mapping[str, str | None]
"""The layouts in which a network's results are given back, by name; None for any."""


class GraphProblem:
    """The assignment problem of a graph.

    ``problem``: its operators are the nodes, then one for each result of the network that is given
    back in a certain layout. ``outputs``: the layout of each result, None for any. ``block``:
    channels of 32 bits that the machine blocks. Errors: LayoutError naming ``choices.<key>`` or
    ``outputs.<name>``; OutOfTimeError where a deadline is kept.
    """

    def __init__(self, graph: Graph, choices: Choices, outputs: Outputs, block: int) -> None:
        self.graph, self.block = graph, block
        self.outputs: dict[str, str | None] = {}
        operators = [*self._nodes(choices), *self._returned(outputs)]
        self._given = {
            name: name_of(tensor.layout, tensor.type, block) or str(tensor.layout)
            for side in (graph.inputs, graph.constants)
            for name, tensor in side.items()
        }
        used: dict[str, set[str]] = {name: set() for name in graph.types}
        self._layouts: dict[str, None] = {}
        for tensor, layout in (*_named(operators), *self._given.items()):
            used[tensor].add(layout)
            self._layouts[layout] = None
        count = len(self._layouts)
        if count > MOST_LAYOUTS or count**2 * len(graph.types) > MOST_COPIES:
            got = f"{count} different layouts, those of inputs and constants included"
            raise refusal("choices", got, "layouts.most", most=MOST_LAYOUTS)
        self._costs: dict[object, Mapping[str, Mapping[str, float]]] = {}
        tensors = {
            name: PlanTensor(self._given.get(name), self._copies(name, layouts))
            for name, layouts in used.items()
        }
        self.problem = PlanProblem(tuple(operators), tensors)

    def _nodes(self, choices: Choices) -> list[PlanNode]:
        """The nodes, with the ways to run them."""
        given, table = given_offers(self.graph, choices), OfferTable(self.graph, self.block)
        operators = []
        for node in self.graph.nodes:
            look()
            offers = table.offers(node, given.get(node.index))
            operators.append(PlanNode(node.inputs, node.outputs, offers))
        return operators

    def _returned(self, outputs: Outputs) -> list[PlanNode]:
        """A reader for each result of the network, in plain memory where nothing else is said."""
        operators = []
        if not outputs.keys() <= set(self.graph.outputs):
            raise refusal("outputs", "a name that no output of the graph has", "outputs")
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
            operators.append(PlanNode((name,), (), [Offer((text,), ())]))
        return operators

    def _layout(self, text: str, name: str) -> Layout | None:
        tensor = self.graph.tensor(name)
        kind = self.graph.type(name)
        assert kind is not None  # no choice names a layout for a tensor of unknown shape
        if tensor is not None and text == self._given[name]:
            return tensor.layout
        try:
            return layout_of(text, kind.shape)
        except LayoutError:
            return None

    def _copies(self, name: str, used: set[str]) -> Mapping[str, Mapping[str, float]]:
        """Costs of copies between the layouts that this tensor may have."""
        kind, constant = self.graph.type(name), name in self.graph.constants
        texts = tuple(text for text in self._layouts if text in used)
        key = (kind, texts, self.graph.tensor(name), constant)
        if key not in self._costs:
            layouts = {text: self._layout(text, name) for text in texts}
            # A constant is copied once, before the first run.
            dtype = None if constant or kind is None else kind.dtype
            self._costs[key] = {
                f: {
                    g: copy_bytes(a, b, dtype) if a and b and dtype else 0
                    for g, b in layouts.items()
                }
                for f, a in layouts.items()
            }
        return self._costs[key]

    def held(self, bill: Bill, reorders: Sequence[Reorder]) -> dict[str, tuple[str, ...]]:
        """The layouts of each tensor, the produced one first."""
        produced = {name: bill.produced[name] for name in self.graph.types}
        found = {name: [text] if text else [] for name, text in produced.items()}
        for each in reorders:
            found[each.tensor].append(each.target)
        return {name: tuple(texts) for name, texts in found.items()}

    def labels(self, bill: Bill) -> dict[str, LayoutLabel]:
        """How each tensor is drawn: in the layout that it is produced in."""
        found, dims = dict.fromkeys(self.graph.types, UNKNOWN), dims_of(self.graph)
        for name in found:
            kind, text = self.graph.type(name), bill.produced[name]
            if kind and text and (layout := self._layout(text, name)):
                found[name] = label_of(layout, kind.dtype, dims=dims.get(name, ""))
        return found

    def reorders(self, bill: Bill, chosen: Sequence[int]) -> tuple[Reorder, ...]:
        """The copies that move bytes, each with the nodes that read it."""
        readers: dict[tuple[str, str | None], list[str]] = {}
        pairs = zip(self.graph.nodes, self.problem.operators, chosen, strict=False)
        for node, operator, at in pairs:  # results come after nodes
            inputs = operator.choices[at].inputs
            for read in dict.fromkeys(zip(operator.operands, inputs, strict=True)):
                readers.setdefault(read, []).append(node.name)
        found = []
        for copy in bill.copies:
            kind = self.graph.type(copy.tensor)
            source, target = (self._layout(x, copy.tensor) for x in (copy.source, copy.target))
            if source and target and kind and copy_bytes(source, target, kind.dtype):
                names = readers.get((copy.tensor, copy.target), ())
                called = (None if copy.source == str(source) else copy.source), copy.target
                found.append(Reorder.of(self.graph, copy.tensor, called, (source, target), names))
        return tuple(found)

    def node_costs(self, chosen: Sequence[int]) -> list[float]:
        """What each choice costs by itself, without copies."""
        pairs = zip(self.problem.operators, chosen, strict=True)
        return [operator.choices[at].cost for operator, at in pairs]

    def node_cost(self, chosen: Sequence[int]) -> float:
        """The sum of ``node_costs``."""
        return sum(self.node_costs(chosen))

    def text_of(self, layout: Layout | None, tensor: str) -> str | None:
        """The layout of the plan that is the same memory; None if none is."""
        kind = self.graph.type(tensor)
        if layout is None or kind is None:
            return None
        plain = sorted(plain_name(kind.rank))
        orders = [text for text in self._layouts if sorted(text) == plain]
        texts = *layout_names(kind, self.block), *orders
        names = (text for text in texts if text in self._layouts)
        return next((text for text in names if is_same(layout, text)), None)

    def made_by(self, reorder: Reorder) -> str | None:
        """The layout that a reorder makes; None if no choice names it."""
        return self.text_of(reorder.layouts and reorder.layouts[1], reorder.tensor)


def _named(operators: Sequence[PlanNode]) -> Iterator[tuple[str, str]]:
    """Each tensor with each layout that a choice names for it, in order."""
    for operator in operators:
        for choice in operator.choices:
            read = zip(operator.operands, choice.inputs, strict=True)
            for tensor, layout in (*read, *zip(operator.results, choice.outputs, strict=True)):
                if tensor and layout is not None:
                    yield tensor, layout


def follow(made: GraphProblem, found: Propagation) -> list[int]:
    """A choice for each operator: one whose results lie as the rule set lays them."""
    wanted = _wanted(made, found)
    copied: dict[str, dict[str, str | None]] = {}  # by the nodes that read copies
    for each in found.reorders:
        for reader in each.readers:
            copied.setdefault(reader, {})[each.tensor] = made.made_by(each)
    readers = [node.name for node in made.graph.nodes]
    readers += [""] * (len(made.problem.operators) - len(readers))
    chosen = []
    for reader, operator in zip(readers, made.problem.operators, strict=True):
        look()
        read = {**wanted, **copied.get(reader, {})} if reader in copied else wanted
        misses = [
            (
                _misses(made, wanted, operator.results, choice.outputs),
                _misses(made, read, operator.operands, choice.inputs),
                choice.cost,
            )
            for choice in operator.choices
        ]
        chosen.append(misses.index(min(misses)))
    return chosen


def results_bytes(made: GraphProblem, found: Propagation) -> int:
    """The bytes of copies of a rule set's results into the layouts that the plan gives back."""
    total = 0
    for name, text in made.outputs.items():
        placed, kind = found.tensors.get(name), made.graph.type(name)
        if text and kind and placed and placed.layout:
            total += copy_bytes(placed.layout, layout_of(text, kind.shape), kind.dtype)
    return total


def counted_node_costs(
    graph: Graph, found: Propagation, block: int = DEFAULT_BLOCK
) -> list[float] | None:
    """The bytes that each node moves itself at each run, in the layouts of a rule set.

    By the default table, for blocks of so many channels: the nodes in order, then the results,
    which move nothing. None for a network too large for a plan or for the time.
    """
    try:
        with Deadline.after(_LIMIT_S).kept():
            made = GraphProblem(graph, {}, {}, block)
            return made.node_costs(follow(made, found))
    except (LayoutError, OutOfTimeError):
        return None


def _misses(
    made: GraphProblem,
    wanted: Mapping[str, str | None],
    tensors: Sequence[str],
    layouts: Sequence[str | None],
) -> int:
    """How many layouts are other memory than what is wanted."""
    count = 0
    for tensor, layout in zip(tensors, layouts, strict=True):
        want = wanted.get(tensor)
        if layout is not None and want is not None and want != layout:
            copies = made.problem.tensors[tensor].copies
            count += want not in copies or copies[want][layout] > 0
    return count


def _wanted(made: GraphProblem, found: Propagation) -> dict[str, str | None]:
    """The layout that a rule set gives each tensor; None where the plan has no such layout.

    A tensor that a system never writes, because one kernel goes on with it, has the layout of the
    result of its first reader.
    """
    graph = made.graph
    placed = {name: found.tensors.get(name) for name in graph.types}
    wanted = {name: made.text_of(at.layout if at else None, name) for name, at in placed.items()}
    for node in reversed(graph.nodes):
        for name in filter(None, node.outputs):
            readers = graph.readers.get(name, ())
            after = graph.nodes[readers[0]].outputs[0] if readers else ""
            one, other = graph.type(name), graph.type(after)
            unwritten = not (at := placed[name]) or at.layout is None
            if unwritten and one and other and one.rank == other.rank:
                wanted[name] = wanted[after]
    return wanted
