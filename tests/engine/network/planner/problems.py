"""Small random assignment problems, and the least cost by trying everything."""

import itertools
import random
import string

from app.engine.network.planner import Offer
from app.engine.network.planner.problem import PlanNode, PlanProblem, PlanTensor, price


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
