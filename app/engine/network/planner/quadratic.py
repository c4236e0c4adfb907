"""Variables with costs of their own and costs of pairs, made smaller by exact steps.

A partitioned Boolean quadratic problem (PBQP). Variables without neighbours, with one and with
two are eliminated (R0, R1, R2 of Scholz and Eckstein, "Register allocation for irregular
architectures", 2002). Chains and residual blocks vanish altogether. What is left is the core.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..deadline import look

Costs = npt.NDArray[np.float64]


@dataclass(slots=True)
class Quadratic:
    """The problem while it shrinks. ``costs[v]`` is one cost per state of v.

    ``pairs[v][w]`` has a row per state of v and a column per state of w, and is the transpose of
    ``pairs[w][v]``.
    """

    costs: list[Costs] = field(default_factory=list)
    pairs: list[dict[int, Costs]] = field(default_factory=list)
    constant: float = 0.0
    _gone: list[int] = field(default_factory=list)  # their pairs are those of that time

    def add(self, costs: Iterable[float]) -> int:
        """Adds a variable with one cost per state; returns its number."""
        self.costs.append(np.array(list(costs), np.float64))
        self.pairs.append({})
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
            look()
            v = waiting.popleft()
            if v in left and len(self.pairs[v]) <= 2:
                del left[v]
                self._eliminate(v)
                waiting.extend(self.pairs[v])
        return list(left)

    def expand(self, core: dict[int, int]) -> list[int]:
        """The best state of every variable, from the states of the core."""
        chosen = [core.get(v, 0) for v in range(len(self.costs))]
        for v in reversed(self._gone):
            total = self.costs[v]
            for w, pair in self.pairs[v].items():
                total = total + pair[:, chosen[w]]
            chosen[v] = int(np.argmin(total))
        return chosen

    def _eliminate(self, v: int) -> None:
        costs, beside = self.costs[v], self.pairs[v]
        self._gone.append(v)
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
