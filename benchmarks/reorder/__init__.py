"""Reorders compared with other libraries and a copy of memory: `python -m benchmarks.reorder`."""
