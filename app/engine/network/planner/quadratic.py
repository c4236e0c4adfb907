"""Variables with costs of their own and costs of pairs, made smaller by exact steps.

A partitioned Boolean quadratic problem (PBQP). Variables without neighbours, with one and with
two are eliminated (R0, R1, R2 of Scholz and Eckstein, "Register allocation for irregular
architectures", 2002); states that another state is never worse than are removed; costs of a pair
that are a sum of two costs are moved to the variables. Chains and residual blocks vanish
altogether. What is left is the core.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..deadline import look

Costs = npt.NDArray[np.float64]
MOST_STATES_COMPARED = 64


@dataclass(slots=True)
class _Eliminated:
    variable: int
    states: npt.NDArray[np.int64]
    costs: Costs
    beside: list[tuple[int, npt.NDArray[np.int64], Costs]]  # neighbour, its states then, pair


@dataclass(slots=True)
class Quadratic:
    """The problem while it shrinks. ``costs[v]`` is one cost per state that is left of v.

    ``pairs[v][w]`` has a row per state of v and a column per state of w, and is the transpose of
    ``pairs[w][v]``. ``states[v]`` are the original numbers of the states that are left.
    """

    costs: list[Costs] = field(default_factory=list)
    pairs: list[dict[int, Costs]] = field(default_factory=list)
    states: list[npt.NDArray[np.int64]] = field(default_factory=list)
    constant: float = 0.0
    _gone: list[_Eliminated] = field(default_factory=list)

    def add(self, costs: Iterable[float]) -> int:
        """Adds a variable with one cost per state; returns its number."""
        self.costs.append(np.array(list(costs), np.float64))
        self.pairs.append({})
        self.states.append(np.arange(self.costs[-1].size))
        return len(self.costs) - 1

    def couple(self, v: int, w: int, costs: Costs) -> None:
        """Adds costs of pairs of states of two different variables."""
        both = self.pairs[v][w] + costs if w in self.pairs[v] else costs
        self.pairs[v][w] = both
        self.pairs[w][v] = both.T

    def reduce(self) -> list[int]:
        """Eliminates what can be eliminated exactly; returns the variables of the core.

        Errors: OutOfTimeError where a deadline is kept.
        """
        left = dict.fromkeys(range(len(self.costs)))
        waiting = deque(left)
        while waiting:
            self._eliminate_all(waiting, left)
            for v in left:
                look()
                waiting.extend(self._prune(v))
                waiting.extend(self._separate(v))
        return list(left)

    def expand(self, core: dict[int, int]) -> list[int]:
        """The best original state of every variable, from the states of the core.

        ``core``: per variable of the core, the place among the states that are left.
        """
        chosen = [0] * len(self.costs)
        for v, at in core.items():
            chosen[v] = int(self.states[v][at])
        for gone in reversed(self._gone):
            total = gone.costs
            for w, states, pair in gone.beside:
                total = total + pair[:, int(np.searchsorted(states, chosen[w]))]
            chosen[gone.variable] = int(gone.states[np.argmin(total)])
        return chosen

    def _eliminate_all(self, waiting: deque[int], left: dict[int, None]) -> None:
        while waiting:
            look()
            v = waiting.popleft()
            if v not in left or len(self.pairs[v]) > 2:
                continue
            waiting.extend(self.pairs[v])
            del left[v]
            self._eliminate(v)

    def _eliminate(self, v: int) -> None:
        costs, beside = self.costs[v], self.pairs[v]
        then = [(w, self.states[w], pair) for w, pair in beside.items()]
        self._gone.append(_Eliminated(v, self.states[v], costs, then))
        self.pairs[v] = {}
        for w in beside:
            del self.pairs[w][v]
        if not beside:
            self.constant += float(costs.min())
        elif len(beside) == 1:
            [(w, pair)] = beside.items()
            self.costs[w] = self.costs[w] + (pair + costs[:, None]).min(axis=0)
        else:
            (w, one), (u, other) = beside.items()
            sums = one[:, :, None] + (other + costs[:, None])[:, None, :]
            self.couple(w, u, sums.min(axis=0))

    def _prune(self, v: int) -> list[int]:
        """Removes the states of v that another one is never worse than; returns whom it touches.

        Dead-end elimination: i goes if, summed over the neighbours, the least advantage of i over
        j is not negative.
        """
        costs = self.costs[v]
        if costs.size == 1 or costs.size > MOST_STATES_COMPARED:
            return []
        with np.errstate(invalid="ignore"):  # inf - inf: a state that is impossible either way
            gain = _difference(costs[:, None], costs[None, :])
            for pair in self.pairs[v].values():
                gain = gain + _difference(pair[:, None, :], pair[None, :, :]).min(axis=2)
        keep = np.ones(costs.size, bool)
        for i in range(costs.size):
            rivals = keep & (gain[i] >= 0)
            rivals[i] = False
            if rivals.any() or (np.isinf(costs[i]) and keep.sum() > 1):
                keep[i] = False
        if keep.all():
            return []
        self.costs[v] = costs[keep]
        self.states[v] = self.states[v][keep]
        for w, pair in self.pairs[v].items():
            self.pairs[v][w] = pair[keep]
            self.pairs[w][v] = self.pairs[v][w].T
        return [v, *self.pairs[v]]

    def _separate(self, v: int) -> list[int]:
        """Moves costs of pairs that are a_i + b_j to the variables; returns whom it touches."""
        touched = []
        for w, pair in list(self.pairs[v].items()):
            if not np.isfinite(pair).all():
                continue
            rows = pair[:, 0]
            columns = pair[0] - pair[0, 0]
            if not np.array_equal(rows[:, None] + columns, pair):
                continue
            self.costs[v] = self.costs[v] + rows
            self.costs[w] = self.costs[w] + columns
            del self.pairs[v][w], self.pairs[w][v]
            touched += [v, w]
        return touched


def _difference(one: Costs, other: Costs) -> Costs:
    """one - other, where a state that is impossible either way never counts for ``one``."""
    return np.where(np.isinf(one), np.inf, one - other)
