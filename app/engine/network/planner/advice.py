"""How the reorders of a system could be avoided: what would have to change, and what that costs.

Reorders from one layout to another are one kind, those of weights apart. For each kind some changes
are tried: the nodes around take the layouts of the least plan, and the bytes are counted again; an
input is handed over in the layout that is wanted, and the system's own rules are carried again; a
result is taken as it is. The change that saves most bytes is the advice. What nodes move inside is
one more kind: the inputs are handed over in another layout, and all bytes of a run are counted
again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial

from ...model.errors import LayoutError
from ...model.layout import Layout
from ...notation import split_system
from ..deadline import Deadline, OutOfTimeError, look
from ..graph import Graph
from ..labels import DEFAULT_BLOCK, dims_of, label_of, layout_of, relettered, spelled
from ..propagation import Propagation, Reorder, bytes_text
from .graph_problem import GraphProblem, counted_node_costs, follow
from .offers import layout_names, name_of
from .problem import Bill, price
from .solve import is_possible, solve

SECONDS = 2.0
_MOST_NAMED = 10

Again = Callable[[Graph], Propagation]


@dataclass(frozen=True, slots=True)
class Change:
    """What would have to change.

    ``nodes``: that keep ``layout``, in order; none where an end of the network changes. ``keeps``:
    one sentence.
    """

    nodes: tuple[str, ...]
    layout: str
    keeps: str


@dataclass(frozen=True, slots=True)
class Advice:
    """The reorders of one kind, and how to avoid them.

    ``source``, ``target``: the layouts, in the system's words. ``count``, ``bytes``: of all
    reorders of this kind. ``edges``: the tensors. ``change``: None where none saves bytes.
    ``saved_bytes``: of all reorders that go with the change, ``cost_bytes``: of what comes instead.
    ``text``: all of it as sentences. ``inside``: no reorders, but what ``count`` nodes read and
    write inside at each run; then ``source`` and ``target`` are empty, ``edges`` are the inputs of
    the network that would change, and all bytes of a run are counted again.
    """

    source: str
    target: str
    count: int
    bytes: int
    edges: tuple[str, ...]
    change: Change | None
    cost_bytes: int
    saved_bytes: int
    text: str
    inside: bool = False


@dataclass(frozen=True, slots=True)
class _Tried:
    """A change with what it saves and costs."""

    change: Change
    saved: int
    cost: int

    @property
    def net(self) -> int:
        return self.saved - self.cost


def advise(
    graph: Graph,
    found: Propagation,
    again: Again,
    *,
    block: int = DEFAULT_BLOCK,
    inside: float = 0,
    deadline: Deadline | None = None,
) -> tuple[Advice, ...]:
    """How to avoid each kind of reorder of ``found``, the kinds of most bytes first.

    ``again``: the same rules for a changed graph. ``block``: channels of 32 bits that the machine
    blocks. ``inside``: the bytes that nodes move themselves at each run. ``deadline``: 2 seconds
    from now by default; kinds that are not looked at before it say so.
    """
    dims = dims_of(graph)
    kinds: dict[tuple[str, str, bool], list[Reorder]] = {}
    for each in found.reorders:
        kinds.setdefault((*_kind(graph, dims, each), each.prepared), []).append(each)
    ordered = sorted(kinds.items(), key=lambda kind: -_sum(kind[1]))
    deadline = deadline or Deadline.after(SECONDS)
    advising = cache(partial(_Advising, graph, found, again, block, deadline))
    answers = []
    for (source, target, _), made in ordered:
        tried, why = None, "No change of layouts that was tried saves bytes here."
        try:
            with deadline.kept():
                look()
                tried = advising().best(made)
        except OutOfTimeError:
            why = "No time was left to look for a change."
        except LayoutError as error:  # too many layouts for one plan
            why = f"No change was looked for: {error}."
        once = found.weights_each_call is False and made[0].prepared
        answers.append(_advice(source, target, made, tried, why, once=once))
    if inside:
        # Where it fails, the answer has the bytes, and no change was tried.
        with suppress(OutOfTimeError, LayoutError), deadline.kept():
            look()
            answers.append(advising().inside(inside))
    return tuple(sorted(answers, key=lambda each: -each.bytes))


def _kind(graph: Graph, dims: Mapping[str, str], made: Reorder) -> tuple[str, str]:
    """The words for both layouts; for one without a name, what a drawing says: its strides differ
    with the sizes."""
    words, letters = [made.source, made.target], dims.get(made.tensor, "")
    kind = graph.type(made.tensor)
    for at, layout in enumerate(made.layouts or ()):
        words[at] = relettered(words[at], layout.rank, letters)
        if not made.named[at] and kind is not None:
            words[at] = label_of(layout, kind.dtype, dims=letters).short
    return words[0], words[1]


def _sum(reorders: Iterable[Reorder]) -> int:
    return sum(each.bytes for each in reorders)


def _advice(
    source: str, target: str, made: Sequence[Reorder], tried: _Tried | None, why: str, *, once: bool
) -> Advice:
    total, change, cost, saved = _sum(made), None, 0, 0
    said = f"{source} to {target}: {len(made)} of this kind, {bytes_text(total)}"
    said += " once, before the first run. " if once else ". "
    if tried is not None:
        change, cost, saved = tried.change, tried.cost, tried.saved
        why = f"{change.keeps} This saves {bytes_text(saved)}"
        why += f" and costs {bytes_text(cost)}." if cost else "."
    edges = tuple(dict.fromkeys(each.tensor for each in made))
    return Advice(source, target, len(made), total, edges, change, cost, saved, said + why)


class _Advising:
    """The plan's problem for a network as a system runs it."""

    def __init__(
        self, graph: Graph, found: Propagation, again: Again, block: int, deadline: Deadline
    ) -> None:
        self.graph, self.block = graph, block
        self.found = found
        self.again = again
        self.dims = dims_of(graph)
        self.made = GraphProblem(graph, {}, _ends(graph, found, block), block)
        self.problem = self.made.problem
        self.system = follow(self.made, found)
        self.before = price(self.problem, self.system)
        solved = solve(self.problem, deadline=deadline.earlier(deadline.left_s() / 2))
        self.least = list(solved.chosen)
        self.index = {node.name: node.index for node in graph.nodes}
        self.wanted = {each: self.made.made_by(each) for each in found.reorders}
        self.words = {  # the system's, by the plan's names
            self.made.text_of(each.layout, name): split_system(each.text)[1]
            for name, each in found.tensors.items()
            if each.text
        }

    def best(self, kind: Sequence[Reorder]) -> _Tried | None:
        """The change that saves most; of equal ones, that of the fewest nodes."""
        tried = [*self._inputs(kind), *self._results(kind), *self._nodes(kind)]
        tried = [each for each in tried if each.net > 0]
        return max(tried, key=lambda each: (each.net, -len(each.change.nodes)), default=None)

    def _region(self, around: set[int]) -> set[int]:
        """The nodes that the least plan runs otherwise, connected with those ``around``."""
        graph, count = self.graph, len(self.graph.nodes)
        differ = {at for at in range(count) if self.least[at] != self.system[at]}
        found = around & differ
        waiting = [*found]
        while waiting:
            node = graph.nodes[waiting.pop()]
            beside = {graph.producers.get(name, -1) for name in node.inputs}
            beside.update(*(graph.readers.get(name, ()) for name in node.outputs))
            waiting += beside & differ - found
            found |= beside & differ
        return found

    def _nodes(self, kind: Sequence[Reorder]) -> Iterable[_Tried]:
        """Nodes as the least plan runs them, counted again where they are."""
        around = {self.index[name] for each in kind for name in (*each.readers, each.after) if name}
        new = {at: self.least[at] for at in self._region(around)}
        chosen = [new.get(at, choice) for at, choice in enumerate(self.system)]
        if not new or not is_possible(after := price(self.problem, chosen)):
            return
        operators = [self.problem.operators[at] for at in new]
        touched = {tensor for each in operators for tensor in (*each.operands, *each.results)}
        left, was = _copies(after, touched), _copies(self.before, touched)
        alike = _alike(self.found, kind)
        own = (each for each in alike if each.tensor in touched and self.wanted[each])
        gone = [each for each in own if (each.tensor, self.wanted[each]) not in left]
        if not any(each in gone for each in kind):
            return
        kept = {(each.tensor, self.wanted[each]) for each in alike if each not in gone}
        come = {copy: cost for copy, cost in left.items() if copy not in was and copy not in kept}
        moved = self.made.node_cost(chosen) - self.made.node_cost(self.system)
        nodes = tuple(self.graph.nodes[at].name for at in sorted(new))
        layouts = Counter[str]()
        for at, choice in sorted(new.items()):
            names, choices = self.graph.nodes[at].outputs, self.problem.operators[at].choices
            texts = spelled(self.graph, self.dims, names, choices[choice].outputs)
            layouts.update(filter(None, texts))
        layout = max(layouts, key=lambda text: layouts[text], default="any layout")
        layout = self.words.get(layout, layout)
        keeps = f"{_named(nodes)} {'keeps' if len(nodes) == 1 else 'keep'} {layout}."
        cost = max(0, int(sum(come.values()) + moved))
        yield _Tried(Change(nodes, layout, keeps), _sum(gone), cost)

    def _inputs(self, kind: Sequence[Reorder]) -> Iterable[_Tried]:
        """Inputs and weights that are handed over as they are wanted; the rules are asked again."""
        wanted = {each.tensor: each.layouts[1] for each in kind if each.layouts is not None}
        wanted = {name: layout for name, layout in wanted.items() if self.graph.tensor(name)}
        if not wanted:
            return
        try:
            after = self.again(self.graph.handing(wanted))
        except LayoutError:
            return
        was = Counter(map(_identity, _alike(self.found, kind)))
        now = Counter(map(_identity, _alike(after, kind)))
        saved, cost = (sum(key[-1] * n for key, n in x.items()) for x in (was - now, now - was))
        target = _kind(self.graph, self.dims, kind[0])[1]
        keeps = f"Hand {_named([*wanted])} over in {target}."
        yield _Tried(Change((), target, keeps), saved, cost)

    def inside(self, own: float) -> Advice:
        """What nodes move themselves, and the layout of the inputs that saves most of a run."""
        pairs = zip(self.problem.operators, self.system, strict=True)
        count = sum(node.choices[choice].cost > 0 for node, choice in pairs)
        kinds = filter(None, map(self.graph.type, self.graph.inputs))
        texts = dict.fromkeys(t for k in kinds for t in layout_names(k, self.block))
        tried = [self._handed(text, own) for text in texts]
        best = max(filter(None, tried), key=lambda each: each[0].net, default=None)
        moved = f"{bytes_text(int(own))} inside at each run. "
        said = f"{count} nodes move {moved}" if count != 1 else f"1 node moves {moved}"
        edges, change, saved = tuple[str, ...](), None, 0
        why = "No layout of the inputs that was tried saves bytes here."
        if best is not None and best[0].net > 0:
            edges, change, saved = best[1], best[0].change, best[0].saved
            why = f"{change.keeps} This saves {bytes_text(saved)}."
        return Advice("", "", count, int(own), edges, change, 0, saved, said + why, inside=True)

    def _handed(self, text: str, own: float) -> tuple[_Tried, tuple[str, ...]] | None:
        """The inputs in that layout, then the weights as the system wants them with these."""
        wanted: dict[str, Layout] = {}
        for name, tensor in self.graph.inputs.items():
            with suppress(LayoutError):  # of another rank
                layout = layout_of(text, tensor.layout.shape)
                if layout.normal_form != tensor.layout.normal_form:
                    wanted[name] = layout
        if not wanted:
            return None
        names, weights = tuple(wanted), dict[str, Layout]()
        try:
            after = self.again(graph := self.graph.handing(wanted))
            if after.weights_each_call:
                made = [x for x in after.reorders if x.prepared and x.tensor in graph.constants]
                weights = {each.tensor: each.layouts[1] for each in made if each.layouts}
                after = self.again(graph := graph.handing(weights))
        except LayoutError:  # the system cannot have them so
            return None
        left = counted_node_costs(graph, after, self.block)
        if left is None:
            return None
        saved = int(self.found.run_bytes + own - after.run_bytes - sum(left))
        first = graph.inputs[names[0]]
        short = label_of(first.layout, first.dtype, dims=self.dims.get(names[0], "")).short
        too = ", and the weights too" if weights else ""
        keeps = f"Hand {_named(names)} over in {short}{too}."
        return _Tried(Change((), short, keeps), saved, 0), names

    def _results(self, kind: Sequence[Reorder]) -> Iterable[_Tried]:
        """Results that their user takes as they are."""
        last = [each for each in kind if not each.readers and each.tensor in self.graph.outputs]
        if last:
            source = _kind(self.graph, self.dims, last[0])[0]
            names = _named([each.tensor for each in last])
            keeps = f"Take {names} in {source}, without the copy at the end."
            yield _Tried(Change((), source, keeps), _sum(last), 0)


def _alike(found: Propagation, kind: Sequence[Reorder]) -> list[Reorder]:
    """The reorders of activations, or those of weights, as ``kind`` is."""
    return [each for each in found.reorders if each.prepared == kind[0].prepared]


def _identity(made: Reorder) -> tuple[str, str, tuple[str, ...], int]:
    return made.tensor, made.target, made.readers, made.bytes


def _copies(bill: Bill, touched: set[str]) -> dict[tuple[str, str], float]:
    """The copies of these tensors that move bytes, by tensor and layout."""
    return {
        (copy.tensor, copy.target): copy.cost
        for copy in bill.copies
        if copy.cost and copy.tensor in touched
    }


def _named(names: Sequence[str]) -> str:
    """The names; of many the first and the last, and how many are between."""
    if len(names) <= _MOST_NAMED:
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    first, last = ", ".join(names[: _MOST_NAMED - 1]), names[-1]
    return f"{first}, {len(names) - _MOST_NAMED} more up to {last}"


def _ends(graph: Graph, found: Propagation, block: int) -> dict[str, str | None]:
    """The layout in which a system gives back each result; None where it has no plan's name."""
    last = {each.tensor: each.layouts for each in found.reorders if not each.readers}
    ends: dict[str, str | None] = {}
    for name in graph.outputs:
        kind, layouts = graph.type(name), last.get(name)
        layout = layouts[1] if layouts else found.tensors[name].layout
        if kind is not None and layout is not None:
            ends[name] = name_of(layout, kind, block)
    return ends
