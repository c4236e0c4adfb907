"""From coordinates to addresses (``offsets``) and back, and owners of addresses (``owners``)."""

from .offsets import offset_map, offsets_of
from .overlap import shares_addresses
from .owners import KINDS, Owners, coordinates_of, owners_of

__all__ = [
    "KINDS",
    "Owners",
    "coordinates_of",
    "offset_map",
    "offsets_of",
    "owners_of",
    "shares_addresses",
]
