"""The choices of a plan that are nearest to what a rule set decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...model.errors import LayoutError
from ..deadline import Deadline, OutOfTimeError, look
from ..graph import Graph
from ..propagation import Propagation
from .numbered import Numbered
from .problem import ANY

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


def counted_node_cost(graph: Graph, found: Propagation, limit_s: float = 1.0) -> float | None:
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
            one, other = graph.type(name), graph.type(after) if after else None
            if wanted[made.number[name]] is None and one and other and one.rank == other.rank:
                wanted[made.number[name]] = wanted[made.number[after]]
    return wanted
