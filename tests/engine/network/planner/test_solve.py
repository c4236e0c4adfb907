"""The planner's optimum equals that of trying everything, and its baselines are never below it."""

import itertools
import random
import string

import pytest

from app.engine.network.deadline import Deadline, OutOfTimeError
from app.engine.network.planner import Offer, quadratic
from app.engine.network.planner.baselines import beam, greedy
from app.engine.network.planner.problem import PlanNode, PlanProblem, PlanTensor, price
from app.engine.network.planner.solve import Solution
from app.engine.network.planner.solve import solve as solve_in_time
from tests.cost import assert_costs_like
from tests.examples import fewer


def tensor(given: str | None, sizes_bytes: list[int]) -> PlanTensor:
    """A tensor of layouts a, b, …, of these sizes; a copy costs the bytes read and written."""
    sizes = dict(zip(string.ascii_lowercase, sizes_bytes, strict=False))
    costs = {f: {g: 0 if f == g else m + n for g, n in sizes.items()} for f, m in sizes.items()}
    return PlanTensor(given, costs)


def named(operators: list[PlanNode], tensors: list[PlanTensor]) -> PlanProblem:
    """A problem whose tensors are named by their places."""
    return PlanProblem(tuple(operators), {str(at): each for at, each in enumerate(tensors)})


def random_problem(seed: int, *, most_operators: int = 8, layouts: int = 3) -> PlanProblem:
    """Operators of up to three operands and two results; tensors read by several operators."""
    made = random.Random(seed)  # noqa: S311 -- a test's own numbers
    letters = string.ascii_lowercase[:layouts]
    tensors = [
        tensor(made.choice(letters), [made.randint(1, 20) for _ in range(layouts)])
        for _ in range(made.randint(1, 2))
    ]
    operators = []
    for _ in range(made.randint(1, most_operators)):
        operands = [made.randrange(len(tensors)) for _ in range(made.choice([1, 1, 2, 3]))]
        results = range(len(tensors), len(tensors) + made.choice([1, 1, 2]))
        tensors += [tensor(None, [made.randint(1, 20) for _ in range(layouts)]) for _ in results]
        choices = tuple(
            Offer(
                tuple(made.choice([None, *letters]) for _ in operands),
                tuple(made.choice(letters) for _ in results),
                made.choice([0, 0, made.randint(0, 15)]),
            )
            for _ in range(made.randint(1, 3))
        )
        operators.append(PlanNode(tuple(map(str, operands)), tuple(map(str, results)), choices))
    return named(operators, tensors)


def least(problem: PlanProblem) -> float:
    """The least cost of all assignments."""
    places = [range(len(operator.choices)) for operator in problem.operators]
    return min(price(problem, chosen).cost for chosen in itertools.product(*places))


def solve(problem: PlanProblem) -> Solution:
    """Solved without haste: a busy machine must not change the answer."""
    return solve_in_time(problem, deadline=Deadline.after(120))


@pytest.fixture
def solved_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS in this process: one of its own for each of many problems takes longer than they do."""
    monkeypatch.setattr(quadratic, "_in_process", quadratic.search)


@pytest.mark.usefixtures("solved_here")
@pytest.mark.parametrize(
    ("layouts", "seeds"), [(3, range(fewer(3000))), *((n, range(fewer(60))) for n in (2, 5, 7))]
)
def test_the_optimum_is_that_of_trying_everything_and_baselines_are_not_below_it(
    layouts: int, seeds: range
) -> None:
    above = {"greedy": 0, "beam": 0}
    for seed in seeds:
        most = 8 if layouts == 3 else 5
        problem = random_problem(seed, most_operators=most, layouts=layouts)
        found = solve(problem)
        best = found.bill.cost
        assert best == least(problem) == found.bound, seed
        assert price(problem, found.chosen) == found.bill
        ways = [("greedy", greedy(problem)), ("greedy", greedy(problem, prefer="b"))]
        for name, chosen in [*ways, ("beam", beam(problem))] if seed % 10 == 0 else ways:
            assert chosen is not None
            cost = price(problem, chosen).cost
            assert cost >= best, (seed, name)
            above[name] += cost > best
    assert above["greedy"] > 0


def losing_beam(branches: int) -> PlanProblem:
    """Branches that may write layout a for nothing or b for 1; then all are read in layout b."""
    sizes = [1, 2]
    tensors = [tensor("a", sizes) for _ in range(branches)]
    tensors += [tensor(None, sizes) for _ in range(branches + 1)]
    ways = Offer((None,), ("a",)), Offer((None,), ("b",), 1)
    operators = [PlanNode((str(at),), (str(branches + at),), ways) for at in range(branches)]
    join = tuple(str(branches + at) for at in range(branches))
    operators.append(PlanNode(join, (str(2 * branches),), (Offer(("b",) * branches, ("b",)),)))
    return named(operators, tensors)


def test_a_beam_of_1024_states_loses_where_2048_matter() -> None:
    problem = losing_beam(11)
    best = solve(problem)
    assert best.bound == best.bill.cost
    assert best.bill.cost == 11
    narrow, wide = beam(problem), beam(problem, states=2048)
    assert narrow is not None
    assert wide is not None
    assert price(problem, narrow).cost > 11
    assert price(problem, wide).cost == 11


def test_a_beam_ends_at_its_time_limit() -> None:
    with pytest.raises(OutOfTimeError), Deadline.after(0).kept():
        beam(losing_beam(11))


def chain(length: int) -> PlanProblem:
    made = random.Random(length)  # noqa: S311 -- a test's own numbers
    tensors = [tensor("a" if at == 0 else None, [4, 5, 6]) for at in range(length + 1)]
    operators = [
        PlanNode(
            (str(at),),
            (str(at + 1),),
            tuple(Offer((f,), (f,), made.randint(0, 9)) for f in "abc"),
        )
        for at in range(length)
    ]
    return named(operators, tensors)


def test_a_chain_is_eliminated_in_time_that_grows_with_its_length() -> None:
    short, long = chain(200), chain(10_000)
    found = solve(long)
    assert found.bound == found.bill.cost
    assert found.core == 0
    assert_costs_like(lambda: solve(short), lambda: solve(long), times=50 * 7)


def grid(side: int, seed: int) -> PlanProblem:
    """Operators that each read two neighbours: eliminations leave a core."""
    made = random.Random(seed)  # noqa: S311 -- a test's own numbers
    sizes = [made.sample(range(2, 30), 3) for _ in range(side * side + 1)]
    tensors = [tensor("a", sizes[0])]
    operators = []
    for row, column in itertools.product(range(side), repeat=2):
        up = 0 if row == 0 else 1 + (row - 1) * side + column
        left = 0 if column == 0 else row * side + column
        result = 1 + row * side + column
        tensors.append(tensor(None, sizes[result]))
        choices = tuple(Offer((f, f), (f,), made.randint(0, 40)) for f in "abc")
        operators.append(PlanNode((str(up), str(left)), (str(result),), choices))
    return named(operators, tensors)


def test_a_core_is_solved_as_an_integer_program() -> None:
    problem = grid(3, 1)
    found = solve(problem)
    assert found.core > 0
    assert found.bound == found.bill.cost
    assert found.bill.cost == least(problem)


def test_a_solver_that_is_ended_leaves_a_true_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = grid(3, 2)
    best = solve(problem).bill.cost
    monkeypatch.setattr(quadratic, "_in_process", lambda core, time_limit_s: None)
    found = solve(problem)
    assert found.bound <= best <= found.bill.cost
    assert price(problem, found.chosen).cost == found.bill.cost
