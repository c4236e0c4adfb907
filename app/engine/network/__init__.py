"""Networks: graphs of operators, the rules of real systems for layouts in them."""

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
