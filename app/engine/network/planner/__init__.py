"""The planner: the layouts of a network at the least cost, with a proven bound.

``problem`` is the question in numbers, ``numbered`` makes it from a graph, ``quadratic`` and
``integer`` solve it, ``baselines`` are other ways to choose, ``offers`` the ways to run each
operator, ``plan`` connects them.
"""

from .offers import Offer
from .plan import LIMIT_S, Baseline, Follow, LayoutPlan, LeftOut, plan_layouts

__all__ = ["LIMIT_S", "Baseline", "Follow", "LayoutPlan", "LeftOut", "Offer", "plan_layouts"]
