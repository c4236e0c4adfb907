"""Calls and what they need: a memory budget, small calls on a thread, long ones in worker
processes that can be killed. Nothing here knows a layout; `calls.py` names what workers compute."""
