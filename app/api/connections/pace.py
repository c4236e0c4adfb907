"""How fast the other side of a connection sends or reads."""

from __future__ import annotations

from dataclasses import dataclass

from ...settings import Settings


def tick_seconds(limits: Settings) -> float:
    """How often connections are looked at: a deadline is missed by at most this."""
    return min(1.0, limits.idle_seconds / 6, limits.head_seconds / 6)


@dataclass(slots=True)
class Pace:
    """One direction of one request. Only the time is counted in which the other side is late."""

    waited_seconds: float = 0
    still_seconds: float = 0
    moved_bytes: int = 0

    def is_late(self, seconds: float, moved_bytes: int, limits: Settings) -> bool:
        """Count ``seconds`` of waiting in which so many bytes moved; whether it is too slow."""
        self.waited_seconds += seconds
        self.still_seconds = 0 if moved_bytes else self.still_seconds + seconds
        self.moved_bytes += moved_bytes
        due = (self.waited_seconds - limits.idle_seconds) * limits.least_bytes_per_second
        return (
            self.still_seconds >= limits.idle_seconds
            or self.waited_seconds >= limits.transfer_seconds
            or self.moved_bytes < due
        )
