"""The command line: tables for people, the API's JSON for machines."""

from .commands import main

__all__ = ["main"]
