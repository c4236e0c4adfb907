"""The assignment problem: the layouts that operators read and write, and what copies cost.

Layouts and tensors are names. A tensor may be held in several layouts at once: each copy is made
from the layout that was produced, and serves all readers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to run a node: a layout per operand and result, None for any.

    ``cost``: of the node itself, without reorders.
    """

    inputs: tuple[str | None, ...]
    outputs: tuple[str | None, ...]
    cost: float = 0


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node: the tensors that it reads and writes, and at least one way to run it."""

    operands: tuple[str, ...]
    results: tuple[str, ...]
    choices: Sequence[Offer]


@dataclass(frozen=True, slots=True)
class PlanTensor:
    """One tensor: its layout if it is an input, and the cost of a copy from one layout to another.

    ``copies[f][g]`` is the cost from layout f to layout g, for all layouts that it may have: 0
    where they are the same memory, infinity where no copy exists.
    """

    given: str | None
    copies: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class PlanProblem:
    """Operators in topological order, and the tensors between them by name."""

    operators: tuple[PlanNode, ...]
    tensors: Mapping[str, PlanTensor]


@dataclass(frozen=True, slots=True)
class PlanCopy:
    """One copy of a tensor, from the layout that was produced to one that is read."""

    tensor: str
    source: str
    target: str
    cost: float


@dataclass(frozen=True, slots=True)
class Bill:
    """What an assignment costs: the layout each tensor is produced in, its copies, the sum."""

    produced: Mapping[str, str | None]
    copies: tuple[PlanCopy, ...]
    cost: float


def price(problem: PlanProblem, chosen: Sequence[int]) -> Bill:
    """The cost of an assignment, from its definition: copies and the operators' own costs.

    ``chosen``: per operator, the place of its choice.
    """
    produced = {name: tensor.given for name, tensor in problem.tensors.items()}
    read: dict[str, dict[str, None]] = {name: {} for name in problem.tensors}
    own = []
    for operator, at in zip(problem.operators, chosen, strict=True):
        choice = operator.choices[at]
        own.append(choice.cost)
        produced.update(zip(operator.results, choice.outputs, strict=True))
        for tensor, layout in zip(operator.operands, choice.inputs, strict=True):
            if layout is not None:
                read[tensor][layout] = None
    copies = [
        PlanCopy(name, source, layout, problem.tensors[name].copies[source][layout])
        for name, layouts in read.items()
        for layout in layouts
        if (source := produced[name]) is not None and source != layout
    ]
    return Bill(produced, tuple(copies), sum(own) + sum(copy.cost for copy in copies))
