"""Connections: how many there may be, how long each may wait, and how they end. Only this folder
touches private attributes of uvicorn."""
