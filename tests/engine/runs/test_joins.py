"""What repeats at the end of a log, and which events are joined."""

import numpy as np
import pytest

from app.engine.runs.joins import Period, period_of
from app.engine.runs.report import read_run
from tests.engine.runs.logs import BLOCKED, conv, in_place, reorder


def by_trying(ids: list[int]) -> Period | None:
    """For each period the longest end that has it; the longest end wins, then the shortest."""
    best: tuple[int, int] | None = None
    for period in range(1, len(ids) // 2 + 1):
        length = period
        while length < len(ids) and ids[-1 - length] == ids[-1 - length + period]:
            length += 1
        if length >= 2 * period and (best is None or length > best[0]):
            best = length, period
    return best and Period(best[1], best[0] // best[1])


@pytest.mark.parametrize("seed", range(40))
def test_the_period_is_that_of_trying_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    unit = rng.integers(0, 3, rng.integers(1, 7)).tolist()
    ids = rng.integers(0, 3, rng.integers(0, 6)).tolist() + unit * int(rng.integers(1, 5))
    assert period_of(np.array(ids, np.int32)) == by_trying(ids)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        # A reader of the one tensor that fits; a second writer leaves two candidates.
        (conv(16, 32) + conv(32, 32) + conv(32, 48), [(0, 1, 0, 1), (1, 2, 0, 2)]),
        # What works in place reads the tensor that it writes, backward its gradient.
        (conv(16, 32) + in_place("eltwise") + conv(32, 48), [(0, 1, 0, 1), (1, 2, 0, 2)]),
        (
            in_place("eltwise", gradient=BLOCKED, prop="backward_data")
            + in_place("lrn", gradient=BLOCKED, prop="backward_data")
            + in_place("shuffle", prop="backward_data"),
            [(0, 1, 0, 2), (0, 1, 1, 2), (1, 2, 0, 3)],
        ),
        # Another type, another layout.
        (conv(16, 32) + reorder("abcd", BLOCKED, "2x32x12x12"), []),
        (conv(16, 32) + reorder(BLOCKED, "abcd", "2x32x12x12", types="s8 s8"), []),
    ],
)
def test_readers_are_joined_to_candidates(
    text: str, links: list[tuple[int, int, int, int]]
) -> None:
    run = read_run(text)
    assert [(each.source, each.target, each.operand, each.one_of) for each in run.links] == links
