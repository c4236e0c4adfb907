"""Reorders: plan, then execute."""

from app.engine.reorders.execute import pack_nibbles, reorder, unpack_nibbles
from app.engine.reorders.plan import Box, Loop, Plan, plan

__all__ = ["Box", "Loop", "Plan", "pack_nibbles", "plan", "reorder", "unpack_nibbles"]
