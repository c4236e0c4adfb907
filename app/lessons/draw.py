"""Numbers from a seed: the same on every machine and in every version, so that links stay true."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

Each = TypeVar("Each")


class Draw:
    """Draws that follow from one ``key`` alone."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._drawn = 0

    def below(self, count: int) -> int:
        """An integer from 0 to ``count`` - 1; for counts far below 2^64."""
        self._drawn += 1
        hashed = blake2b(self._key + b"/%d" % self._drawn, digest_size=8)
        return int.from_bytes(hashed.digest(), "little") % count

    def between(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``."""
        return low + self.below(high - low + 1)

    def pick(self, entries: Sequence[Each]) -> Each:
        """One of the entries."""
        return entries[self.below(len(entries))]

    def shuffled(self, entries: Sequence[Each]) -> tuple[Each, ...]:
        """All entries, in another order."""
        left = list(entries)
        return tuple(left.pop(self.below(len(left))) for _ in entries)

    def sizes(self, count: int, low: int, high: int, *, most: int = 96) -> tuple[int, ...]:
        """``count`` different sizes whose product is at most ``most``.

        They differ because a square picture hides that two dimensions were swapped.
        """
        product = most + 1
        found: tuple[int, ...] = ()
        while product > most:
            found = self.shuffled(range(low, high + 1))[:count]
            product = 1
            for size in found:
                product *= size
        return found

    def small(self, rank: int) -> tuple[int, ...]:
        """Sizes of a tensor that a phone shows beside a question: of four, the first is 2 or 3."""
        first = (self.between(2, 3),) if rank == 4 else ()
        return first + self.sizes(min(rank, 3), 2, 5, most=30 if first else 60)

    def at(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A coordinate within ``shape``."""
        return tuple(map(self.below, shape))
