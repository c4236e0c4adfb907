"""The assignment of least cost, with a proven bound.

Eliminations come first and are enough for chains and blocks of residual networks. What they leave
goes to an integer program, in a process of its own that is ended at the time limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from ..deadline import Deadline, OutOfTimeError, look
from .baselines import greedy
from .problem import Bill, PlanProblem, price
from .quadratic import Costs, Quadratic, least

Masks = npt.NDArray[np.bool_]

MOST_COPIES_TOGETHER = 5
"""The copies of one tensor are decided together, 2^5 states at most; more are split."""

_LIMIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Solution:
    """An assignment: one choice per operator, its bill, and a lower bound of every assignment."""

    chosen: tuple[int, ...]
    bill: Bill
    bound: float
    core: int


def solve(
    problem: PlanProblem, *, deadline: Deadline | None = None, first: Sequence[int] | None = None
) -> Solution:
    """The cheapest assignment that can be found in the time, and its bound.

    Every operator needs at least one choice that its operands can be copied to. ``first``: an
    assignment that is known, the answer where no time is left; that of ``greedy`` by default.
    ``deadline``: 5 seconds from now by default.
    """
    deadline = deadline or Deadline.after(_LIMIT_S)
    known = tuple(greedy(problem) if first is None else first)
    paid = price(problem, known)
    least_own = sum(min(choice.cost for choice in each.choices) for each in problem.operators)
    try:
        with deadline.kept():
            if paid.cost == least_own:
                return Solution(known, paid, paid.cost, 0)
            reduced = _quadratic(problem)
            core = reduced.reduce()
            states, bound = least(reduced, core, deadline) if core else ({}, 0.0)
    except OutOfTimeError:
        return Solution(known, paid, min(least_own, paid.cost), len(problem.operators))
    chosen = tuple(reduced.expand(states)[: len(problem.operators)])
    bill = price(problem, chosen)
    bound = max(reduced.constant + bound, least_own)
    if _rank(paid) < _rank(bill):
        chosen, bill = known, paid
    return Solution(chosen, bill, _proven(bill.cost, bound), len(core))


def _rank(bill: Bill) -> tuple[float, float, int]:
    """Of equal costs, those are better that operators have less of, and then fewer copies."""
    moving = [copy.cost for copy in bill.copies if copy.cost > 0]
    return bill.cost, bill.cost - sum(moving), len(moving)


def _proven(cost: float, bound: float) -> float:
    """The bound, rounded to the cost where they differ by less than the arithmetic can tell."""
    exact = float(cost).is_integer() and cost < 2.0**53  # sums below it are exact in float64
    # Costs that are integers: a bound above cost - 1 is the cost. Else rounding alone is allowed.
    near = 1 - 1e-3 if exact else 1e-9 * abs(cost)
    return cost if cost - bound < near else min(bound, cost)


def _quadratic(problem: PlanProblem) -> Quadratic:
    made = Quadratic()
    producers: dict[str, int] = {}
    readers: dict[str, list[int]] = {}
    for operator in problem.operators:
        at = made.add(choice.cost for choice in operator.choices)
        producers |= dict.fromkeys(operator.results, at)
        for name in dict.fromkeys(operator.operands):
            readers.setdefault(name, []).append(at)
    for name in problem.tensors:
        look()
        _add_tensor(made, problem, name, producers.get(name), readers.get(name, ()))
    return made


def _add_tensor(
    made: Quadratic, problem: PlanProblem, name: str, producer: int | None, readers: Sequence[int]
) -> None:
    tensor = problem.tensors[name]
    reads = {}  # by reader and choice, the layouts in which it reads the tensor
    for reader in readers:
        operator = problem.operators[reader]
        own = [at for at, operand in enumerate(operator.operands) if operand == name]
        reads[reader] = [{choice.inputs[at] for at in own} for choice in operator.choices]
    read = {layout for lists in reads.values() for one in lists for layout in one}
    layouts = [layout for layout in tensor.copies if layout in read]
    if not layouts:
        return
    produced = [tensor.given]
    if producer is not None:
        operator = problem.operators[producer]
        at = operator.results.index(name)
        produced = [choice.outputs[at] for choice in operator.choices]
    copies = [[tensor.copies[f][g] if f and f != g else 0.0 for g in layouts] for f in produced]
    single = np.array(copies, np.float64)
    wanted = {  # sets of layouts: a row a choice, a column a layout
        reader: np.array([[layout in one for layout in layouts] for one in lists])
        for reader, lists in reads.items()
    }
    if len(readers) == 1:
        _attach(made, producer, readers[0], single, wanted[readers[0]])
        return
    for start in range(0, len(layouts), MOST_COPIES_TOGETHER):
        group = slice(start, start + MOST_COPIES_TOGETHER)
        places = np.arange(len(layouts[group]))
        sets = np.arange(1 << len(places))[:, None] >> places & 1 == 1  # a row a set of layouts
        held = made.add([0.0] * len(sets))
        _attach(made, producer, held, single[:, group], sets)
        for reader, masks in wanted.items():
            lacking = (masks[None, :, group] & ~sets[:, None]).any(axis=2)
            if lacking.any():
                made.couple(held, reader, np.where(lacking, np.inf, 0.0))


def _attach(
    made: Quadratic, producer: int | None, variable: int, single: Costs, sets: Masks
) -> None:
    """Add the costs of all copies of a set; ``single``: a row per produced layout."""
    costs = np.where(sets, single[:, None, :], 0.0).sum(axis=2)
    if producer is None:
        made.costs[variable] = made.costs[variable] + costs[0]
    else:
        made.couple(producer, variable, costs)


def is_possible(bill: Bill) -> bool:
    """Whether an assignment needs no copy that does not exist."""
    return isfinite(bill.cost)
