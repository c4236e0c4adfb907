"""Reads a tensor from text pasted from a session, a debugger or a log."""
