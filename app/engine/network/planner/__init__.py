"""The planner: the layouts of a network at the least cost, with a proven bound.

``problem`` is the question in numbers, ``quadratic`` and ``integer`` solve it, ``baselines`` are
other ways to choose, ``offers`` the ways to run each operator, ``plan`` connects them to a graph.
"""

from .offers import Offer
from .plan import Baseline, LayoutPlan, plan_layouts

__all__ = ["Baseline", "LayoutPlan", "Offer", "plan_layouts"]
