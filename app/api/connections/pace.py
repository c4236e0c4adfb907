"""How fast the other side of a connection sends or reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...settings import Settings


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server grants its connections.

    ``idle_seconds``: longest time without a byte. ``head_seconds``: for a whole head.
    ``least_rate``: bytes a second of a body or an answer, after the first ``idle_seconds``.
    ``total_seconds``: for all waiting of one request. ``stop_seconds``: for calls that still run
    when the server is told to stop.
    """

    connections: int
    idle_seconds: float
    head_seconds: float
    least_rate: float
    total_seconds: float
    stop_seconds: float

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Return the part of ``settings`` that is about connections."""
        return cls(
            settings.max_connections,
            settings.idle_seconds,
            settings.head_seconds,
            settings.least_bytes_per_second,
            settings.transfer_seconds,
            settings.stop_seconds,
        )

    @property
    def tick_seconds(self) -> float:
        """How often connections are looked at: a deadline is missed by at most this."""
        return min(1.0, self.idle_seconds / 6, self.head_seconds / 6)


@dataclass(slots=True)
class Pace:
    """One direction of one request. Only the time is counted in which the other side is late."""

    waited_seconds: float = 0
    still_seconds: float = 0
    moved_bytes: int = 0

    def is_late(self, seconds: float, moved_bytes: int, limits: Limits) -> bool:
        """Count ``seconds`` of waiting in which so many bytes moved; whether it is too slow."""
        self.waited_seconds += seconds
        self.still_seconds = 0 if moved_bytes else self.still_seconds + seconds
        self.moved_bytes += moved_bytes
        due = (self.waited_seconds - limits.idle_seconds) * limits.least_rate
        return (
            self.still_seconds >= limits.idle_seconds
            or self.waited_seconds >= limits.total_seconds
            or self.moved_bytes < due
        )
