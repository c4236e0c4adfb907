"""Coordinates to addresses and back, and who owns an address."""
