"""The memory that all calls together may hold."""

from __future__ import annotations

from dataclasses import dataclass

from ..problems import BusyError


@dataclass(slots=True)
class MemoryBudget:
    """``most_bytes`` of all calls together; ``within``: what they are taken from besides.

    Only the event loop changes it.
    """

    most_bytes: int
    within: MemoryBudget | None = None
    held_bytes: int = 0
    refused: int = 0

    def take(self, size_bytes: int) -> None:
        """Count bytes as held. Errors: BusyError if others hold too many."""
        if self.held_bytes + size_bytes > self.most_bytes:
            self.refused += 1
            raise BusyError
        if self.within is not None:
            self.within.take(size_bytes)
        self.held_bytes += size_bytes

    def give_back(self, size_bytes: int) -> None:
        """Count bytes as free again."""
        self.held_bytes -= size_bytes
        if self.within is not None:
            self.within.give_back(size_bytes)


@dataclass(slots=True)
class Share:
    """What one call holds of a budget. As a context it is released at the end of the block."""

    budget: MemoryBudget
    held_bytes: int = 0

    def hold(self, size_bytes: int) -> None:
        """Take so much more. Errors: BusyError."""
        self.budget.take(size_bytes)
        self.held_bytes += size_bytes

    def resize(self, size_bytes: int) -> None:
        """Hold so much in all. Errors: BusyError if that is more than before, and too much."""
        if size_bytes > self.held_bytes:
            self.hold(size_bytes - self.held_bytes)
        else:
            self.budget.give_back(self.held_bytes - size_bytes)
            self.held_bytes = size_bytes

    def moved(self) -> Share:
        """Return a share with all that this one holds, which then holds nothing."""
        taken, self.held_bytes = Share(self.budget, self.held_bytes), 0
        return taken

    def release(self) -> None:
        """Give everything back."""
        self.resize(0)

    def __enter__(self) -> Share:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
