"""From coordinates to addresses (``offsets``), and whether two share one (``overlap``)."""

from .offsets import offset_map, offsets_of
from .overlap import shares_addresses

__all__ = ["offset_map", "offsets_of", "shares_addresses"]
