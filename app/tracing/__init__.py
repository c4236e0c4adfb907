"""Records what a program in PyTorch does: ``stridescope.trace``.

PyTorch is imported when a trace begins, not before. What a trace means is in ``app/engine/runs``.
"""
