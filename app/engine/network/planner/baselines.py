"""Assignments that are not optimal, to compare with: one layout everywhere, greedy, and a beam.

Each takes a ``PlanProblem`` and returns the place of the chosen choice per operator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..deadline import look
from .problem import ANY, Choice, PlanNode, PlanProblem

BEAM_STATES = 1024
Rows = npt.NDArray[np.intp]
MOST_BEAM_CELLS = 1 << 22  # states by live tensors, in one step


def greedy(problem: PlanProblem, *, prefer: int | None = None) -> list[int]:
    """Each operator in turn takes its cheapest choice, counting the copies that it still needs.

    ``prefer``: a layout; choices that read and write it alone go before all others.
    """
    held: list[set[int]] = [set() for _ in problem.tensors]
    produced = [ANY if tensor.given is None else tensor.given for tensor in problem.tensors]
    chosen = []
    for operator in problem.operators:
        look()
        sums = []
        for choice in operator.choices:
            foreign = prefer is not None and any(
                layout not in {ANY, prefer} for layout in (*choice.reads, *choice.writes)
            )
            copies = sum(
                problem.tensors[tensor].copies[produced[tensor]][layout]
                for tensor, layout in _copies(operator, choice, produced)
                if layout not in held[tensor]
            )
            sums.append((foreign, choice.cost + copies))
        at = sums.index(min(sums))
        choice = operator.choices[at]
        chosen.append(at)
        for tensor, layout in _copies(operator, choice, produced):
            held[tensor].add(layout)
        for tensor, layout in zip(operator.results, choice.writes, strict=True):
            produced[tensor] = layout
    return chosen


def _copies(operator: PlanNode, choice: Choice, produced: list[int]) -> list[tuple[int, int]]:
    pairs = zip(operator.operands, choice.reads, strict=True)
    return list(
        dict.fromkeys(
            (tensor, layout) for tensor, layout in pairs if layout not in {ANY, produced[tensor]}
        )
    )


@dataclass(frozen=True, slots=True)
class _States:
    """Rows are states: the layouts held per live tensor as bits, the one produced, the cost."""

    held: npt.NDArray[np.int64]
    produced: npt.NDArray[np.int64]
    cost: npt.NDArray[np.float64]

    def take(self, rows: Rows) -> _States:
        return _States(self.held[rows], self.produced[rows], self.cost[rows])


def beam(problem: PlanProblem, *, states: int = BEAM_STATES) -> list[int] | None:
    """Dynamic programming over the operators, cut to the ``states`` cheapest states.

    A state is the set of layouts in which each live tensor is held. Of equal states the cheapest
    stays, and a state goes if a cheaper one can be copied into it for less than the difference.
    The cut makes it inexact. Source: MegEngine, ``dynamic_programming_solver.cpp`` (``prune``,
    ``force_prune``), which compares all pairs of states; here each is compared with the
    cheapest one. None if it takes much memory. Errors: OutOfTimeError where a deadline is kept.
    """
    last = _last_reads(problem)
    live = [t for t, tensor in enumerate(problem.tensors) if tensor.given is not None and t in last]
    given = [problem.tensors[t].given for t in live]
    first = np.array([[0 if g is None else g for g in given]], np.int64)
    now = _States(1 << first, first, np.zeros(1))
    history: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    for at, operator in enumerate(problem.operators):
        cells = now.cost.size * len(operator.choices) * (len(live) + len(operator.results))
        look()
        if cells > MOST_BEAM_CELLS:
            return None
        place = {tensor: column for column, tensor in enumerate(live)}
        parts = [_after(problem, operator, choice, now, place) for choice in operator.choices]
        live = [*live, *operator.results]
        keep = [column for column, tensor in enumerate(live) if last.get(tensor, -1) > at]
        live = [live[column] for column in keep]
        grown = _States(
            np.concatenate([part.held for part in parts])[:, keep],
            np.concatenate([part.produced for part in parts])[:, keep],
            np.concatenate([part.cost for part in parts]),
        )
        rows = _best(problem, grown, live, states)
        history.append((rows % now.cost.size, rows // now.cost.size))
        now = grown.take(rows)
    row = int(np.argmin(now.cost))
    chosen = []
    for parents, choices in reversed(history):
        chosen.append(int(choices[row]))
        row = int(parents[row])
    return chosen[::-1]


def _last_reads(problem: PlanProblem) -> dict[int, int]:
    """The last operator that reads a tensor in a certain layout; none for what is read in any."""
    return {
        tensor: at
        for at, operator in enumerate(problem.operators)
        for choice in operator.choices
        for tensor, layout in zip(operator.operands, choice.reads, strict=True)
        if layout != ANY
    }


def _after(
    problem: PlanProblem, operator: PlanNode, choice: Choice, now: _States, place: dict[int, int]
) -> _States:
    held, cost = now.held.copy(), now.cost + choice.cost
    pairs = zip(operator.operands, choice.reads, strict=True)
    for tensor, layout in dict.fromkeys(pairs):
        if layout == ANY:
            continue
        column = place[tensor]
        copies = np.array(problem.tensors[tensor].copies, np.float64)
        lacking = held[:, column] >> layout & 1 == 0
        cost = cost + np.where(lacking, copies[now.produced[:, column], layout], 0.0)
        held[:, column] |= 1 << layout
    results = np.array([max(0, layout) for layout in choice.writes], np.int64)
    wrote = np.tile(results, (cost.size, 1))
    return _States(
        np.concatenate([held, 1 << wrote], axis=1),
        np.concatenate([now.produced, wrote], axis=1),
        cost,
    )


def _best(
    problem: PlanProblem, grown: _States, live: list[int], states: int
) -> npt.NDArray[np.intp]:
    """Rows of the states that stay, the cheapest first."""
    order = np.argsort(grown.cost, kind="stable")
    keys = np.concatenate([grown.held, grown.produced], axis=1)[order]
    firsts: dict[bytes, int] = {}
    for at, key in enumerate(keys):
        firsts.setdefault(key.tobytes(), at)
    order = order[list(firsts.values())]
    order = order[np.isfinite(grown.cost[order])] if np.isfinite(grown.cost[order[0]]) else order
    gap = grown.cost[order] - grown.cost[order[0]]
    stays = _distance(problem, grown, live, order) >= gap
    kept: Rows = order[stays][:states]
    return kept


def _distance(
    problem: PlanProblem, grown: _States, live: list[int], order: Rows
) -> npt.NDArray[np.float64]:
    """Per state, the cost of the copies that the cheapest state would need to hold as much."""
    rival = order[0]
    total = np.zeros(order.size)
    lacking = grown.held[order] & ~grown.held[rival]
    for column in np.flatnonzero(lacking.any(axis=0)):
        costs = problem.tensors[live[column]].copies[int(grown.produced[rival, column])]
        missing = lacking[:, column]
        for layout, cost in enumerate(costs):
            wanted = missing >> layout & 1 == 1
            if wanted.any():
                total[wanted] += cost
    return total
