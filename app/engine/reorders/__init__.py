"""Reorders: plan, then execute."""

from app.engine.reorders.backends import available
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
    "moves_of",
    "pack_nibbles",
    "plan",
    "reorder",
    "reordered",
    "unpack_nibbles",
]
