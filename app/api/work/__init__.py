"""Calls and what they need: a memory budget, small calls on a thread, long ones in worker
processes that can be killed. Only `worker.py` knows what is computed."""
