"""Reorders beside their peers and beside memcpy, in one run: `python -m benchmarks.reorder`."""
