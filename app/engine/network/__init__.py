"""Networks: graphs of operators, their shapes, plans and drawings, and the layouts of real systems.

A rule of one system stands in ``rules``. Files, requests and options of a program belong elsewhere.
"""

from .graph import Graph
from .nodes import GraphTensor, Node, NodeSource
from .operators.base import TensorType, Unknown
from .propagation import NodeReport, Placed, Propagation, Reorder
from .rules import RULE_SETS, propagate

__all__ = [
    "RULE_SETS",
    "Graph",
    "GraphTensor",
    "Node",
    "NodeReport",
    "NodeSource",
    "Placed",
    "Propagation",
    "Reorder",
    "TensorType",
    "Unknown",
    "propagate",
]
