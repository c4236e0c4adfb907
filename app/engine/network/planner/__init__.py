"""The planner: the layouts of a network at the least cost, with a proven bound.

``problem`` is the question, ``graph_problem`` makes it from a graph and its ``offers``,
``solve`` and ``quadratic`` solve it, ``baselines`` are other ways to choose, ``plan`` connects
them, ``advice`` says how a system could avoid its reorders. What one system decides stands in the
rule sets, not here.
"""

from .advice import Advice, advise
from .graph_problem import counted_node_costs
from .plan import LIMIT_S, Baseline, Follow, LayoutPlan, LeftOut, plan_layouts
from .problem import Offer

__all__ = [
    "LIMIT_S",
    "Advice",
    "Baseline",
    "Follow",
    "LayoutPlan",
    "LeftOut",
    "Offer",
    "advise",
    "counted_node_costs",
    "plan_layouts",
]
