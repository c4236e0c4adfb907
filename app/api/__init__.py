"""The HTTP API: turns HTTP requests into calls of the contract."""
