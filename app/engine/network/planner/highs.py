"""The process that runs HiGHS: reads a pickled core, writes states and bound.

Started by ``quadratic``, so that no other process loads the solver.
"""

import pickle
import sys

import highspy
import numpy as np

from .quadratic import Core


def run(core: Core, time_limit_s: float) -> tuple[list[int] | None, float]:
    """The best states that HiGHS finds, None if none, and its bound."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its stub has no types here
    for name, value in (
        ("output_flag", False),
        ("time_limit", time_limit_s),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 0.5),
        ("threads", 1),
    ):
        solver.setOptionValue(name, value)
    first, model = _model(core)
    solver.passModel(model)
    solver.run()
    info = solver.getInfo()
    bound = float(info.mip_dual_bound)
    values = np.array(solver.getSolution().col_value)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, bound
    ends = [*first[1:], first[-1] + core.costs[-1].size]
    return [int(np.argmax(values[a:b])) for a, b in zip(first, ends, strict=True)], bound


def _model(core: Core) -> tuple[list[int], highspy.HighsLp]:
    sizes = [costs.size for costs in core.costs]
    first = [0, *np.cumsum(sizes)[:-1].tolist()]
    costs = np.concatenate([*core.costs, *(pair.ravel() for _, _, pair in core.pairs)])
    # A row per variable (one state), then per pair a row for each state of either side.
    rows: list[int] = []
    places: list[int] = []
    weights: list[float] = []
    row = 0
    for at, size in zip(first, sizes, strict=True):
        rows += [row] * size
        places += range(at, at + size)
        weights += [1.0] * size
        row += 1
    column = sum(sizes)
    for v, w, pair in core.pairs:
        grid = np.arange(pair.size).reshape(pair.shape) + column
        column += pair.size
        for start, lines in ((first[v], grid), (first[w], grid.T)):
            for at, line in enumerate(lines):
                rows += [row] * (line.size + 1)
                places += [*line.tolist(), start + at]
                weights += [1.0] * line.size + [-1.0]
                row += 1
    forbidden = np.isinf(costs)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = costs.size, row
    model.col_cost_ = np.where(forbidden, 0.0, costs)
    model.col_lower_ = np.zeros(costs.size)
    model.col_upper_ = np.where(forbidden, 0.0, 1.0)
    sides = np.zeros(row)
    sides[: len(sizes)] = 1.0
    model.row_lower_ = sides
    model.row_upper_ = sides
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    counts = np.bincount(rows, minlength=row)
    model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(counts)])
    model.a_matrix_.index_ = np.array(places)
    model.a_matrix_.value_ = np.array(weights)
    binary, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    model.integrality_ = [binary] * sum(sizes) + [real] * (costs.size - sum(sizes))
    return first, model


def main(time_limit_s: float) -> None:
    """Read the problem from this process' input, write the answer to its output."""
    answer = run(pickle.load(sys.stdin.buffer), time_limit_s)  # noqa: S301 -- from our own process
    sys.stdout.buffer.write(pickle.dumps(answer))
