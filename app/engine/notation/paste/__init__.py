"""Reads tensors from text pasted from a session, a debugger or a log. Nothing here evaluates it."""
