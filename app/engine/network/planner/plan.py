"""plan_layouts: the layouts of a whole network at the least cost, beside what others would pay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...model.errors import LayoutError, refusal
from ..deadline import Deadline, OutOfTimeError
from ..graph import Graph
from ..labels import DEFAULT_BLOCK, SPACE, LayoutLabel, dims_of, plain_name, relettered
from ..propagation import Propagation, Reorder
from .baselines import BEAM_STATES, beam, greedy
from .graph_problem import GraphProblem, Outputs, follow, results_bytes
from .offers import Choices
from .problem import Offer, PlanProblem, price
from .solve import is_possible, solve

MOST_BEAM_OPERATORS = 2_000
LIMIT_S = 5.0
_FOR_OTHERS = 0.25  # of the time that is left when the proof begins
_FOR_THE_ANSWER = 0.05


@dataclass(frozen=True, slots=True)
class Baseline:
    """What another way to choose costs, in bytes, and how many reorders it needs at each run.

    ``cost``: all that is read and written at each run, as of the plan. ``node_cost``: the part of
    it that the nodes move themselves in these layouts by the plan's table, such as a transposition
    that copies. ``prepared_bytes``: what is read and written for weights, once, before the first
    run; ``weights_each_call``: at each run, and a part of ``cost``. ``results_bytes``: what the
    copies of its results into the layouts that the plan gives them back in would read and write;
    no part of ``cost``, as the system hands results back as it leaves them.
    """

    name: str
    cost: float
    reorders: int
    node_cost: float = 0
    prepared_bytes: int = 0
    weights_each_call: bool = False
    results_bytes: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A baseline that is not there.

    ``reason``: one sentence: no time was left, or it does not fit.
    """

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class LayoutPlan:
    """An assignment of layouts to a network.

    ``tensors``: the layouts that each tensor is held in, the one it is produced in first.
    ``nodes``: how each node is run. ``reorders``: the copies, each serving all its readers.
    ``cost``: their bytes at each run plus ``node_cost``, the nodes' own costs. ``bound``: no
    assignment costs less. ``prepared_bytes``: read and written once, before the first run.
    ``left_out``: baselines that had no time left, or do not know these layouts. ``labels``: how
    each tensor is drawn, in the first of its layouts. ``outputs``: the layout in which each result
    of the network is given back, None for any.
    """

    tensors: Mapping[str, tuple[str, ...]]
    nodes: Mapping[str, Offer]
    reorders: tuple[Reorder, ...]
    cost: float
    bound: float
    baselines: tuple[Baseline, ...]
    left_out: tuple[LeftOut, ...] = ()
    labels: Mapping[str, LayoutLabel] = field(default_factory=dict)
    node_cost: float = 0
    outputs: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def prepared_bytes(self) -> int:
        """What the reorders of weights read and write, once."""
        return sum(each.bytes for each in self.reorders if each.prepared)

    @property
    def optimal(self) -> bool:
        """Whether the cost equals the proven bound."""
        return self.cost == self.bound


Follow = Callable[[], Propagation]
_Compare = Callable[[], Baseline]


class _NotRunError(Exception):
    """A baseline is not run; the text is the reason."""


def plan_layouts(
    graph: Graph,
    *,
    choices: Choices | None = None,
    outputs: Outputs | None = None,
    followed: Mapping[str, Follow] | None = None,
    compare: bool = True,
    block: int = DEFAULT_BLOCK,
    deadline: Deadline | None = None,
) -> LayoutPlan:
    """The cheapest layouts for ``graph``, and baselines.

    ``choices``: by the name of a node or of an operator, the ways to run it, in place of the
    default ones. ``outputs``: the layout in which a result of the network is given back, None for
    any; plain memory for those that are not named. ``followed``: rule sets by name, each a
    baseline. ``compare``: False for no other baselines. ``block``: channels of 32 bits that the
    machine blocks. ``deadline``: of all of it, 5 seconds from now by default. The proof has three
    quarters of the time, what it leaves goes to the baselines.
    Errors: LayoutError naming ``choices.<key>`` or ``outputs.<name>``; OutOfTimeError if the time
    is over before any assignment is found.
    """
    deadline = deadline or Deadline.after(LIMIT_S)
    with deadline.kept():
        made = GraphProblem(graph, choices or {}, outputs or {}, block)
        first = greedy(made.problem)
    left_s = max(0.0, deadline.left_s())
    solution = solve(made.problem, deadline=deadline.earlier(_FOR_OTHERS * left_s), first=first)
    if not is_possible(solution.bill):
        raise refusal("choices", "choices that no layouts fit together", "choices.fitting")
    others = _others(graph, made, first) if compare else {}
    systems = (followed or {}).items()
    others |= {name: partial(_followed, made, name, each) for name, each in systems}
    found = _run(others, deadline.earlier(_FOR_THE_ANSWER * left_s))
    reorders = made.reorders(solution.bill, solution.chosen)
    run = zip(graph.nodes, made.problem.operators, solution.chosen, strict=False)
    return LayoutPlan(
        made.held(solution.bill, reorders),
        {node.name: operator.choices[choice] for node, operator, choice in run},
        reorders,
        solution.bill.cost,
        solution.bound,
        tuple(each for each in found if isinstance(each, Baseline)),
        tuple(each for each in found if isinstance(each, LeftOut)),
        made.labels(solution.bill),
        made.node_cost(solution.chosen),
        made.outputs,
    )


def _run(others: Mapping[str, _Compare], deadline: Deadline) -> list[Baseline | LeftOut]:
    """What each baseline costs, in the order in which they are given; the beam runs last."""
    found: dict[str, Baseline | LeftOut] = {}
    for name in sorted(others, key=lambda name: name == _BEAM):
        try:
            with deadline.kept():
                if deadline.over:
                    raise _NotRunError("No time was left for it.")
                found[name] = others[name]()
        except OutOfTimeError:
            found[name] = LeftOut(name, "Its time was over before it came to an end.")
        except _NotRunError as error:
            found[name] = LeftOut(name, str(error))
        except LayoutError as error:
            found[name] = LeftOut(name, f"It does not know this network: {error}.")
    return [found[name] for name in others]


def _priced(made: GraphProblem, name: str, choose: Callable[[], Sequence[int]]) -> Baseline:
    chosen = choose()
    bill = price(made.problem, chosen)
    if not is_possible(bill):
        raise _NotRunError("Its layouts do not fit together here.")
    reorders = made.reorders(bill, chosen)
    prepared = [each.bytes for each in reorders if each.prepared]
    count = len(reorders) - len(prepared)
    return Baseline(name, bill.cost, count, made.node_cost(chosen), sum(prepared))


def _followed(made: GraphProblem, name: str, carry: Follow) -> Baseline:
    found = carry()
    own = made.node_cost(follow(made, found))
    count = sum(not each.prepared for each in found.reorders)
    cost = found.run_bytes + own
    weights = found.prepared_bytes, found.weights_each_call
    return Baseline(name, cost, count, own, *weights, results_bytes(made, found))


_BEAM = f"beam of {BEAM_STATES}"


def _others(graph: Graph, made: GraphProblem, first: Sequence[int]) -> dict[str, _Compare]:
    """One layout everywhere, greedy and the beam."""
    problem = made.problem
    chosen: dict[str, Callable[[], Sequence[int]]] = {
        f"all {shown}": partial(greedy, problem, prefer=name)
        for name, shown in _uniform(graph).items()
    }
    chosen |= {"greedy": lambda: first, _BEAM: partial(_beamed, problem)}
    return {name: partial(_priced, made, name, each) for name, each in chosen.items()}


def _beamed(problem: PlanProblem) -> Sequence[int]:
    if len(problem.operators) > MOST_BEAM_OPERATORS:
        raise _NotRunError(f"It is run for at most {MOST_BEAM_OPERATORS:,} operators.")
    if (chosen := beam(problem)) is None:
        raise _NotRunError("Its states need too much memory here.")
    return chosen


def _uniform(graph: Graph) -> dict[str, str]:
    """The plain and the channels-last layout of the rank that most tensors have, as shown."""
    spatial = [rank for rank in map(graph.rank, graph.types) if rank in SPACE]
    if not spatial:
        return {}
    rank = max(set(spatial), key=spatial.count)
    images = any(graph.rank(name) == rank for name in dims_of(graph))
    names = plain_name(rank), f"N{SPACE[rank]}C"
    return {name: name if images else relettered(name, rank, "") for name in names}
