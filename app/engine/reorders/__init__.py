"""Reorders: plan, then execute."""

from app.engine.reorders.backends import available, load_in_background
from app.engine.reorders.execute import Reordered, reorder, reordered
from app.engine.reorders.moves import Move, moves_of
from app.engine.reorders.nibbles import pack_nibbles, unpack_nibbles
from app.engine.reorders.plan import Box, Loop, Plan, plan

__all__ = [
    "Box",
    "Loop",
    "Move",
    "Plan",
    "Reordered",
    "available",
    "load_in_background",
    "moves_of",
    "pack_nibbles",
    "plan",
    "reorder",
    "reordered",
    "unpack_nibbles",
]
