"""Variables with costs of their own and costs of pairs: exact steps, then an integer program.

A partitioned Boolean quadratic problem (PBQP). Variables without neighbours, with one and with
two are eliminated (R0, R1, R2 of Scholz and Eckstein, "Register allocation for irregular
architectures", 2002). Chains and residual blocks vanish altogether. What is left is the core, an
integer program for HiGHS: one binary per state of a variable; one continuous weight per pair of
states of coupled variables, whose sums over a row or column are the binaries (the local marginal
polytope). HiGHS runs in a process of its own, the only one that loads it: it looks at its time
limit only now and then, a process can be ended.
"""

import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ...reorder import children
from ..deadline import Deadline, look

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


START_S = 0.5
"""The time for starting the process and handing over, at most a half of what is left."""


@dataclass(frozen=True, slots=True)
class Core:
    """Costs per variable, and per pair of variables (v < w, places in ``costs``)."""

    costs: list[Costs]
    pairs: list[tuple[int, int, Costs]]


def least(reduced: Quadratic, core: list[int], deadline: Deadline) -> tuple[dict[int, int], float]:
    """States of the core's variables with the least sum found in the time, and a lower bound.

    Errors: OutOfTimeError if there is not even time for a first assignment.
    """
    place = {v: at for at, v in enumerate(core)}
    asked = Core(
        [reduced.costs[v] for v in core],
        [(place[v], place[w], pair) for v in core for w, pair in reduced.pairs[v].items() if v < w],
    )
    weak = sum(float(costs.min()) for costs in asked.costs)  # a lower bound: each at its least
    weak += sum(float(pair.min()) for *_, pair in asked.pairs)
    start = descend(asked)
    if total(asked, start) <= weak:
        return dict(zip(core, start, strict=True)), weak
    answer = _in_process(asked, deadline.left_s())
    states, bound = answer or (None, weak)
    best = min(start, states or start, key=lambda each: total(asked, each))
    return dict(zip(core, best, strict=True)), max(bound, weak)


def total(core: Core, states: list[int]) -> float:
    """The sum of the costs of one state per variable."""
    own = sum(float(costs[at]) for costs, at in zip(core.costs, states, strict=True))
    return own + sum(float(pair[states[v], states[w]]) for v, w, pair in core.pairs)


def descend(core: Core) -> list[int]:
    """An assignment to start from: each variable in turn at its best, until nothing changes."""
    beside: list[list[tuple[int, Costs]]] = [[] for _ in core.costs]
    for v, w, pair in core.pairs:
        beside[v].append((w, pair))
        beside[w].append((v, pair.T))
    states: dict[int, int] = {}
    for _ in range(len(core.costs) + 1):
        before = dict(states)
        for v, costs in enumerate(core.costs):
            look()
            here = costs
            for w, pair in beside[v]:
                here = here + (pair[:, states[w]] if w in states else pair.min(axis=1))
            states[v] = int(np.argmin(here))
        if states == before:
            break
    return list(states.values())


def _in_process(core: Core, time_limit_s: float) -> tuple[list[int] | None, float] | None:
    """HiGHS's states (None if it found none) and bound; None where the process had to be ended."""
    if time_limit_s <= 0:
        return None
    searching_s = max(time_limit_s - START_S, time_limit_s / 2)
    try:
        done = subprocess.run(  # noqa: S603 -- our own module, no text of a user
            children.command(f"from {__name__} import main; main({searching_s!r})"),
            input=pickle.dumps(core),
            capture_output=True,
            timeout=time_limit_s,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    answer: tuple[list[int] | None, float] = pickle.loads(done.stdout)  # noqa: S301 -- from our own process
    return answer


def main(time_limit_s: float) -> None:
    """Solve the core of this process' input, and write the answer to its output."""
    answer = search(pickle.load(sys.stdin.buffer), time_limit_s)  # noqa: S301 -- from our own process
    sys.stdout.buffer.write(pickle.dumps(answer))


def search(core: Core, time_limit_s: float) -> tuple[list[int] | None, float]:
    """The best states that HiGHS finds, None if none, and its bound."""
    import highspy  # noqa: PLC0415 -- the process of the service does not load it

    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its stub has no types here
    for name, value in (
        ("output_flag", False),
        ("time_limit", time_limit_s),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 0.5),
        ("threads", 1),
    ):
        solver.setOptionValue(name, value)
    sizes = [costs.size for costs in core.costs]
    first = [0, *np.cumsum(sizes).tolist()]
    costs = np.concatenate([*core.costs, *(pair.ravel() for _, _, pair in core.pairs)])
    forbidden = np.isinf(costs)
    solver.addVars(costs.size, np.zeros(costs.size), np.where(forbidden, 0.0, 1.0))
    solver.changeColsCost(costs.size, np.arange(costs.size), np.where(forbidden, 0.0, costs))
    binary = np.full(first[-1], highspy.HighsVarType.kInteger)
    solver.changeColsIntegrality(first[-1], np.arange(first[-1]), binary)
    # A row per variable (one state), then per pair a row for each state of either side.
    for begin, end in pairwise(first):
        solver.addRow(1.0, 1.0, end - begin, np.arange(begin, end), np.ones(end - begin))
    column = first[-1]
    for v, w, pair in core.pairs:
        grid = np.arange(column, column + pair.size).reshape(pair.shape)
        column += pair.size
        for start, lines in ((first[v], grid), (first[w], grid.T)):
            for at, line in enumerate(lines, start):
                weights = np.append(np.ones(line.size), -1.0)
                solver.addRow(0.0, 0.0, weights.size, np.append(line, at), weights)
    solver.run()
    info = solver.getInfo()
    bound = float(info.mip_dual_bound)
    values = np.array(solver.getSolution().col_value)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, bound
    return [int(np.argmax(values[a:b])) for a, b in pairwise(first)], bound
