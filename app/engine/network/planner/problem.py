"""The assignment problem in numbers: the layouts that operators read and write, and their costs.

Layouts are small integers, the same for all tensors. A tensor may be held in several layouts at
once: each copy is made from the layout that was produced, and serves all readers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ANY = -1
"""An operand that is read in whatever layout it has, or a result whose layout does not matter."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to run an operator: a layout per operand and per result, and its own cost."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    cost: float = 0


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node: the tensors that it reads and writes, and at least one choice."""

    operands: tuple[int, ...]
    results: tuple[int, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class PlanTensor:
    """One tensor: its layout if it is an input, and the cost of a copy from one layout to another.

    ``copies[f][g]`` is the cost from layout f to layout g: 0 where they are the same memory,
    infinity where no copy exists.
    """

    given: int | None
    copies: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class PlanProblem:
    """Operators in topological order, and the tensors between them."""

    operators: tuple[PlanNode, ...]
    tensors: tuple[PlanTensor, ...]

    def producers(self) -> list[int | None]:
        """The operator that writes each tensor; None for an input."""
        found: list[int | None] = [None] * len(self.tensors)
        for at, operator in enumerate(self.operators):
            for tensor in operator.results:
                found[tensor] = at
        return found

    def readers(self) -> list[list[int]]:
        """The operators that read each tensor, each once."""
        found: list[list[int]] = [[] for _ in self.tensors]
        for at, operator in enumerate(self.operators):
            for tensor in dict.fromkeys(operator.operands):
                found[tensor].append(at)
        return found


@dataclass(frozen=True, slots=True)
class PlanCopy:
    """One copy of a tensor, from the layout that was produced to one that is read."""

    tensor: int
    source: int
    target: int
    cost: float


@dataclass(frozen=True, slots=True)
class Bill:
    """What an assignment costs: the layout each tensor is produced in, its copies, the sum."""

    produced: tuple[int, ...]
    copies: tuple[PlanCopy, ...]
    cost: float


def needs(operator: PlanNode, choice: Choice, tensor: int) -> list[int]:
    """The layouts in which ``choice`` reads ``tensor``, each once."""
    pairs = zip(operator.operands, choice.reads, strict=True)
    return list(dict.fromkeys(layout for at, layout in pairs if at == tensor and layout != ANY))


def written(operator: PlanNode, choice: Choice, tensor: int) -> int:
    """The layout in which ``choice`` writes ``tensor``."""
    return choice.writes[operator.results.index(tensor)]


def price(problem: PlanProblem, chosen: Sequence[int]) -> Bill:
    """The cost of an assignment, from its definition: copies and the operators' own costs.

    ``chosen``: per operator, the place of its choice.
    """
    produced = [ANY if tensor.given is None else tensor.given for tensor in problem.tensors]
    read: list[dict[int, None]] = [{} for _ in problem.tensors]
    own = []
    for operator, at in zip(problem.operators, chosen, strict=True):
        choice = operator.choices[at]
        own.append(choice.cost)
        for tensor, layout in zip(operator.results, choice.writes, strict=True):
            produced[tensor] = layout
        for tensor, layout in zip(operator.operands, choice.reads, strict=True):
            if layout != ANY:
                read[tensor][layout] = None
    copies = [
        PlanCopy(at, produced[at], layout, problem.tensors[at].copies[produced[at]][layout])
        for at, layouts in enumerate(read)
        for layout in layouts
        if produced[at] not in {ANY, layout}
    ]
    return Bill(tuple(produced), tuple(copies), sum(own) + sum(copy.cost for copy in copies))
