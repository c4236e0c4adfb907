"""Small random assignment problems, and the least cost by trying everything."""

import itertools
import random

from app.engine.network.planner.problem import ANY, Choice, PlanNode, PlanProblem, PlanTensor, price


def tensor(given: int | None, sizes_bytes: list[int]) -> PlanTensor:
    """A tensor whose copy costs the bytes read and the bytes written."""
    costs = tuple(
        tuple(0 if f == g else sizes_bytes[f] + sizes_bytes[g] for g in range(len(sizes_bytes)))
        for f in range(len(sizes_bytes))
    )
    return PlanTensor(given, costs)


def random_problem(seed: int, *, most_operators: int = 8, layouts: int = 3) -> PlanProblem:
    """Operators of up to three operands and two results; tensors read by several operators."""
    made = random.Random(seed)  # noqa: S311 -- a test's own numbers
    tensors = [
        tensor(made.randrange(layouts), [made.randint(1, 20) for _ in range(layouts)])
        for _ in range(made.randint(1, 2))
    ]
    operators = []
    for _ in range(made.randint(1, most_operators)):
        operands = tuple(made.randrange(len(tensors)) for _ in range(made.choice([1, 1, 2, 3])))
        results = tuple(range(len(tensors), len(tensors) + made.choice([1, 1, 2])))
        tensors += [tensor(None, [made.randint(1, 20) for _ in range(layouts)]) for _ in results]
        choices = tuple(
            Choice(
                tuple(made.choice([ANY, *range(layouts)]) for _ in operands),
                tuple(made.randrange(layouts) for _ in results),
                made.choice([0, 0, made.randint(0, 15)]),
            )
            for _ in range(made.randint(1, 3))
        )
        operators.append(PlanNode(operands, results, choices))
    return PlanProblem(tuple(operators), tuple(tensors))


def least(problem: PlanProblem) -> float:
    """The least cost of all assignments."""
    places = [range(len(operator.choices)) for operator in problem.operators]
    return min(price(problem, chosen).cost for chosen in itertools.product(*places))
