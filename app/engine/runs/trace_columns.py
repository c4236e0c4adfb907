"""Three columns: what was measured, what the rules of PyTorch say, the least that is possible."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..network import Propagation, propagate
from ..network.propagation import bytes_text
from .copies import copies_of
from .trace_graph import TraceGraph
from .traces import Trace


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
    ``by_rules``: of PyTorch's eager mode; ``least``: of the plan, None where there was none.
    ``differences``: between the run and the rules; ``compared``: how many results.
    """

    measured: int
    measured_ms: float
    share: float
    by_rules: int
    least: int | None
    compared: int
    differences: tuple[Difference, ...]

    @property
    def text(self) -> str:
        """One sentence."""
        least = "" if self.least is None else f"; the least is {bytes_text(self.least)}"
        return (
            f"You read and write {bytes_text(self.measured)} and spend {self.measured_ms:.3g} ms "
            f"({self.share:.0%}) on reorders; by PyTorch's rules {bytes_text(self.by_rules)} would "
            f"be copied{least}."
        )


def columns_of(trace: Trace, made: TraceGraph, least: int | None = None) -> Columns:
    """The columns of a trace; ``least``: the cost of a plan for its network."""
    said = propagate(made.graph, "pytorch-eager")
    copies = copies_of(trace.events)
    total = sum(event.spent_ms for event in trace.events)
    spent = sum(copy.ms or 0.0 for copy in copies)
    compared, differences = 0, []
    for difference in _compared(made, said):
        compared += 1
        if difference is not None:
            differences.append(difference)
    return Columns(
        sum(copy.bytes for copy in copies),
        spent,
        spent / total if total > 0 else 0.0,
        said.bytes,
        least,
        compared,
        tuple(differences),
    )


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
