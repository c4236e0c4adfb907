"""Compares the engine with the installed libraries whose layouts it reads: `make conformance`."""
