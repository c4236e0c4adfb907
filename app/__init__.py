"""Stridescope: how a tensor lies in memory."""
