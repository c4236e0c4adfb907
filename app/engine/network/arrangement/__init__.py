"""Where the parts of a network are drawn: repeated blocks folded, vertices in layers, edges.

Positions are units that any screen can scale; colours, words and marks are the page's.
"""

from .folds import Fold, find_folds
from .place import Arrangement, Copied, Edge, Vertex, VertexKind, arrange, placed

__all__ = [
    "Arrangement",
    "Copied",
    "Edge",
    "Fold",
    "Vertex",
    "VertexKind",
    "arrange",
    "find_folds",
    "placed",
]
