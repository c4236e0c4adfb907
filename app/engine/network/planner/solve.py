"""The assignment of least cost, with a proven bound.

Eliminations (``quadratic``) come first and are enough for chains and blocks of residual
networks. What they leave goes to an integer program (``integer``), in a process of its own that
is ended at the time limit.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import isfinite

import numpy as np

from . import integer
from .problem import ANY, Bill, Problem, Tensor, needs, price, written
from .quadratic import Costs, Quadratic

MOST_COPIES_TOGETHER = 5
"""The copies of one tensor are decided together, 2^5 states at most; more are split."""

EXACT_SUM = 2.0**53
"""Sums of integers below it are exact in float64."""


@dataclass(frozen=True, slots=True)
class Solution:
    """An assignment: one choice per operator, its bill, and a lower bound of every assignment."""

    chosen: tuple[int, ...]
    bill: Bill
    bound: float
    core: int

    @property
    def optimal(self) -> bool:
        """Whether no assignment costs less, proven: the bound equals the cost."""
        return self.bound == self.bill.cost


def solve(problem: Problem, *, time_limit_s: float = 5.0) -> Solution:
    """The cheapest assignment that can be found in the time, and its bound.

    Every operator needs at least one choice that its operands can be copied to.
    """
    started_s = time.monotonic()
    reduced = _quadratic(problem)
    core = reduced.reduce()
    rest_s = max(0.1, time_limit_s - (time.monotonic() - started_s))
    states, bound = integer.least(reduced, core, rest_s) if core else ({}, 0.0)
    chosen = reduced.expand(states)[: len(problem.operators)]
    bill = price(problem, chosen)
    return Solution(tuple(chosen), bill, _proven(bill.cost, reduced.constant + bound), len(core))


def _proven(cost: float, bound: float) -> float:
    """The bound, rounded to the cost where they differ by less than the arithmetic can tell."""
    exact = float(cost).is_integer() and cost < EXACT_SUM
    # Costs that are integers: a bound above cost - 1 is the cost. Else rounding alone is allowed.
    near = 1 - 1e-3 if exact else 1e-9 * abs(cost)
    return cost if cost - bound < near else min(bound, cost)


def _quadratic(problem: Problem) -> Quadratic:
    made = Quadratic()
    for operator in problem.operators:
        made.add(choice.cost for choice in operator.choices)
    producers, readers = problem.producers(), problem.readers()
    for at, tensor in enumerate(problem.tensors):
        _add_tensor(made, problem, at, tensor, producers[at], readers[at])
    return made


def _add_tensor(
    made: Quadratic,
    problem: Problem,
    at: int,
    tensor: Tensor,
    producer: int | None,
    readers: list[int],
) -> None:
    copies = np.array(tensor.copies, np.float64)
    needed = {reader: _needs(problem, reader, at) for reader in readers}
    layouts = sorted({layout for lists in needed.values() for one in lists for layout in one})
    if not layouts:
        return
    if producer is None:
        assert tensor.given is not None
        produced = [tensor.given]
    else:
        operator = problem.operators[producer]
        produced = [written(operator, choice, at) for choice in operator.choices]

    def sums(sets: list[list[int]]) -> Costs:
        """Cost of all copies of a set, a row per produced layout."""
        return np.array(
            [[sum(_copy(copies, f, g) for g in one) for one in sets] for f in produced], np.float64
        )

    if len(readers) == 1:
        _attach(made, producer, readers[0], sums(needed[readers[0]]))
        return
    for first in range(0, len(layouts), MOST_COPIES_TOGETHER):
        group = layouts[first : first + MOST_COPIES_TOGETHER]
        sets = [
            [layout for bit, layout in enumerate(group) if mask >> bit & 1]
            for mask in range(1 << len(group))
        ]
        held = made.add([0.0] * len(sets))
        _attach(made, producer, held, sums(sets))
        for reader, lists in needed.items():
            wanted = [set(one) & set(group) for one in lists]
            lacking = np.array(
                [[np.inf if one - set(has) else 0.0 for one in wanted] for has in sets]
            )
            if lacking.any():
                made.couple(held, reader, lacking)


def _attach(made: Quadratic, producer: int | None, variable: int, costs: Costs) -> None:
    if producer is None:
        made.costs[variable] = made.costs[variable] + costs[0]
    else:
        made.couple(producer, variable, costs)


def _needs(problem: Problem, reader: int, tensor: int) -> list[list[int]]:
    operator = problem.operators[reader]
    return [needs(operator, choice, tensor) for choice in operator.choices]


def _copy(copies: Costs, source: int, target: int) -> float:
    return 0.0 if source in {ANY, target} else float(copies[source, target])


def is_possible(bill: Bill) -> bool:
    """Whether an assignment needs no copy that does not exist."""
    return isfinite(bill.cost)
