"""Reorders: plan, then execute."""

from .cpu import available
from .execute import Reordered, reorder, reordered
from .moves import Move, moves_of
from .plan import Box, Plan, plan
from .ranges import Loop
from .schedule import Schedule, ScheduledMove, Step, schedule, schedule_of

__all__ = [
    "Box",
    "Loop",
    "Move",
    "Plan",
    "Reordered",
    "Schedule",
    "ScheduledMove",
    "Step",
    "available",
    "moves_of",
    "plan",
    "reorder",
    "reordered",
    "schedule",
    "schedule_of",
]
