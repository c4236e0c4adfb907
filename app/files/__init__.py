"""Reads and writes the headers of tensor files."""
