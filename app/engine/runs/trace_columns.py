"""Three columns: what was measured, what the rules of PyTorch say, the least that is possible."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..model.errors import LayoutError
from ..network import Propagation, propagate
from ..network.deadline import Deadline, OutOfTimeError
from ..network.planner import plan_layouts
from ..network.propagation import bytes_text
from .copies import Copy, copies_of, lost_of
from .trace_graph import TraceGraph, graph_of
from .traces import Trace, named

_PLAN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Difference:
    """A result whose strides are not those of the rules: an error of the rules.

    ``node`` and ``op``: of the network; ``where``: module and line. Strides in elements.
    """

    node: str
    op: str
    where: str
    traced: tuple[int, ...]
    by_rules: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Bytes that copies into another order read and write.

    ``measured``: in the run, and ``measured_ms``, ``share`` of the time of all events;
    ``by_rules``: of PyTorch's eager mode; ``least``: of the plan, None where there was none;
    ``proven``: no assignment of layouts is cheaper. ``differences``: between the run and the rules;
    ``compared``: how many results. ``text``: one sentence with what to keep, and where.
    """

    measured: int
    measured_ms: float
    share: float
    by_rules: int
    least: int | None
    proven: bool
    compared: int
    differences: tuple[Difference, ...]
    text: str


def columns_of(trace: Trace, made: TraceGraph | None = None) -> Columns:
    """The columns of a trace, with a plan of at most 2 seconds. ``made``: its network.

    Copies inside PyTorch's own kernels are in the second column alone: no trace sees them. Errors:
    LayoutError, where the trace is no network.
    """
    made = made or graph_of(trace)
    said = propagate(made.graph, "pytorch-eager")
    least, proven = _least(made, said)
    copies = copies_of(trace.events)
    total = sum(event.spent_ms for event in trace.events)
    spent = sum(copy.ms or 0.0 for copy in copies)
    measured = sum(copy.bytes for copy in copies)
    compared = [*_compared(made, said)]
    shares = f" and spend {spent:.3g} ms ({spent / total:.0%})" if spent and total else ""
    by_plan = (
        "" if least is None else f"; the least{' found' * (not proven)} is {bytes_text(least)}"
    )
    text = (
        f"You read and write {bytes_text(measured)}{shares} on reorders; by PyTorch's rules "
        f"{bytes_text(said.bytes)} would be copied{by_plan}{_advice(trace, copies)}."
    )
    return Columns(
        measured,
        spent,
        spent / total if total > 0 else 0.0,
        said.bytes,
        least,
        proven,
        len(compared),
        tuple(each for each in compared if each is not None),
        text,
    )


def columns_if_any(trace: Trace | None) -> Columns | None:
    """The columns of a trace; None without one, or where it is no network."""
    try:
        return columns_of(trace) if trace else None
    except LayoutError:
        return None


def _least(made: TraceGraph, said: Propagation) -> tuple[int | None, bool]:
    """The least bytes of copies that a plan or the rules find, and whether that is proven."""
    anyhow = dict.fromkeys(made.graph.outputs)  # a result may be left in any layout
    deadline = Deadline.after(_PLAN_S)
    try:
        plan = plan_layouts(made.graph, outputs=anyhow, compare=False, deadline=deadline)
    except (LayoutError, OutOfTimeError):
        return None, False
    least = int(min(plan.cost, said.bytes))
    return least, least == 0 or (plan.optimal and least == plan.cost)


def _advice(trace: Trace, copies: Sequence[Copy]) -> str:
    """What to keep, and where by module and line, or where most bytes are copied."""
    largest = sorted(copies, key=lambda copy: -copy.bytes)
    plain = [copy for copy in largest if copy.of_plain_image]
    most = 2 * sum(copy.bytes for copy in plain) > sum(copy.bytes for copy in copies)
    if events := lost_of(trace.events) or [copy.event for copy in plain if most]:
        return f": keep channels_last through {named(events)}"
    return f". Most is copied by {named(copy.event for copy in largest)}" if largest else ""


def _compared(made: TraceGraph, said: Propagation) -> Iterator[Difference | None]:
    """For each result of a node that the rules carry, how it differs, None where it does not."""
    for node in made.graph.nodes:
        if node.op.startswith("aten:"):
            continue
        for name in node.outputs:
            seen, placed = made.seen.get(name), said.tensors.get(name)
            layout = placed.layout if placed else None
            if seen is None or seen.strides is None or layout is None or layout.strides is None:
                continue
            same = seen.shape == layout.shape and seen.strides == layout.strides
            where = made.nodes[node.name].where
            yield (
                None
                if same
                else Difference(node.name, node.op, where, seen.strides, layout.strides)
            )
