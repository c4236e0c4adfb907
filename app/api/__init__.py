"""The HTTP API: how the engine is asked."""
