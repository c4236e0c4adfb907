"""Assignments that are not optimal, to compare with: one layout everywhere, greedy, and a beam.

Each takes a ``PlanProblem`` and returns the place of the chosen choice per operator.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..deadline import look
from .problem import Offer, PlanNode, PlanProblem

BEAM_STATES = 1024
Rows = npt.NDArray[np.intp]
Costs = npt.NDArray[np.float64]
# Of each state and live tensor, the layouts in which it is held, as bits, and the one produced, by
# their places among those of the tensor.
States = npt.NDArray[np.int64]
MOST_BEAM_CELLS = 1 << 22  # states by live tensors, in one step


def greedy(problem: PlanProblem, *, prefer: str | None = None) -> list[int]:
    """Each operator in turn takes its cheapest choice, counting the copies that it still needs.

    ``prefer``: a layout; choices that read and write it alone go before all others.
    """
    held: dict[str, set[str]] = {name: set() for name in problem.tensors}
    produced = {name: tensor.given for name, tensor in problem.tensors.items()}
    chosen = []
    for operator in problem.operators:
        look()
        sums = []
        for choice in operator.choices:
            foreign = prefer and {*choice.inputs, *choice.outputs} - {None, prefer}
            copies = sum(
                problem.tensors[tensor].copies[source][layout]
                for tensor, source, layout in _copies(operator, choice, produced)
                if layout not in held[tensor]
            )
            sums.append((bool(foreign), choice.cost + copies))
        at = sums.index(min(sums))
        choice = operator.choices[at]
        chosen.append(at)
        for tensor, _, layout in _copies(operator, choice, produced):
            held[tensor].add(layout)
        produced.update(zip(operator.results, choice.outputs, strict=True))
    return chosen


def _copies(
    operator: PlanNode, choice: Offer, produced: Mapping[str, str | None]
) -> list[tuple[str, str, str]]:
    """The tensor, its own layout and the one that is read, for each copy, once."""
    return [
        (tensor, source, layout)
        for tensor, layout in dict.fromkeys(zip(operator.operands, choice.inputs, strict=True))
        if layout and (source := produced[tensor]) and source != layout
    ]


def beam(problem: PlanProblem, *, states: int = BEAM_STATES) -> list[int] | None:
    """Dynamic programming over the operators, cut to the ``states`` cheapest states.

    A state is the set of layouts in which each live tensor is held. Of equal states the cheapest
    stays, and a state goes if a cheaper one can be copied into it for less than the difference.
    The cut makes it inexact. Source: MegEngine, ``dynamic_programming_solver.cpp`` (``prune``,
    ``force_prune``), which compares all pairs of states; here each is compared with the
    cheapest one. None if it takes much memory. Errors: OutOfTimeError where a deadline is kept.
    """
    last = _last_reads(problem)
    live = [name for name, tensor in problem.tensors.items() if tensor.given and name in last]
    given = [_place(problem, name, problem.tensors[name].given) for name in live]
    now, costs = np.array([[(1 << g, g) for g in given]], np.int64).reshape(1, -1, 2), np.zeros(1)
    history: list[tuple[Rows, Rows]] = []
    for at, operator in enumerate(problem.operators):
        cells = costs.size * len(operator.choices) * (len(live) + len(operator.results))
        look()
        if cells > MOST_BEAM_CELLS:
            return None
        place = {tensor: column for column, tensor in enumerate(live)}
        parts = [
            _after(problem, operator, choice, now, costs, place) for choice in operator.choices
        ]
        live = [*live, *operator.results]
        keep = [column for column, tensor in enumerate(live) if last.get(tensor, -1) > at]
        live = [live[column] for column in keep]
        grown = np.concatenate([made for made, _ in parts])[:, keep]
        sums = np.concatenate([each for _, each in parts])
        rows = _best(problem, grown, sums, live, states)
        history.append((rows % costs.size, rows // costs.size))
        now, costs = grown[rows], sums[rows]
    row = int(np.argmin(costs))
    chosen = []
    for parents, choices in reversed(history):
        chosen.append(int(choices[row]))
        row = int(parents[row])
    return chosen[::-1]


def _last_reads(problem: PlanProblem) -> dict[str, int]:
    """The last operator that reads a tensor in a certain layout; none for what is read in any."""
    return {
        tensor: at
        for at, operator in enumerate(problem.operators)
        for choice in operator.choices
        for tensor, layout in zip(operator.operands, choice.inputs, strict=True)
        if layout is not None
    }


def _place(problem: PlanProblem, tensor: str, layout: str | None) -> int:
    """The place of a layout among those of a tensor; 0 where it does not matter."""
    return 0 if layout is None else list(problem.tensors[tensor].copies).index(layout)


def _after(
    problem: PlanProblem,
    operator: PlanNode,
    choice: Offer,
    now: States,
    costs: Costs,
    place: dict[str, int],
) -> tuple[States, Costs]:
    found = now.copy()
    for tensor, layout in dict.fromkeys(zip(operator.operands, choice.inputs, strict=True)):
        if layout is None:
            continue
        column, at = place[tensor], _place(problem, tensor, layout)
        copies = problem.tensors[tensor].copies.values()
        from_each = np.array([row[layout] for row in copies], np.float64)
        lacking = found[:, column, 0] >> at & 1 == 0
        costs = costs + np.where(lacking, from_each[now[:, column, 1]], 0.0)
        found[:, column, 0] |= 1 << at
    pairs = zip(operator.results, choice.outputs, strict=True)
    results = [_place(problem, tensor, layout) for tensor, layout in pairs]
    wrote = np.array([(1 << at, at) for at in results], np.int64).reshape(1, -1, 2)
    return np.concatenate([found, wrote.repeat(len(now), axis=0)], axis=1), costs + choice.cost


def _best(problem: PlanProblem, grown: States, costs: Costs, live: list[str], states: int) -> Rows:
    """Rows of the states that stay, the cheapest first."""
    order = np.argsort(costs, kind="stable")
    firsts: dict[bytes, int] = {}
    for at, key in enumerate(grown[order]):
        firsts.setdefault(key.tobytes(), at)
    order = order[list(firsts.values())]
    order = order[np.isfinite(costs[order])] if np.isfinite(costs[order[0]]) else order
    stays = _distance(problem, grown[order], live) >= costs[order] - costs[order[0]]
    kept: Rows = order[stays][:states]
    return kept


def _distance(problem: PlanProblem, ordered: States, live: list[str]) -> Costs:
    """Per state, the cost of the copies that the first state would need to hold as much."""
    rival = ordered[0]
    total = np.zeros(len(ordered))
    lacking = ordered[:, :, 0] & ~rival[:, 0]
    for column in np.flatnonzero(lacking.any(axis=0)):
        copies = list(problem.tensors[live[column]].copies.values())
        for at, cost in enumerate(copies[rival[column, 1]].values()):
            wanted = lacking[:, column] >> at & 1 == 1
            if wanted.any():
                total[wanted] += cost
    return total
