"""Reorders: plan, then execute."""
