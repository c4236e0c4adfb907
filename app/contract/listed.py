"""A long list of an answer, made a part at a time: all of it as Python objects is too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

_AT_ONCE = 1 << 12


class Listed(Sequence[Any]):
    """``count`` entries; ``make`` returns those from one index up to another."""

    def __init__(self, count: int, make: Callable[[int, int], list[Any]]) -> None:
        self._count = count
        self._make = make

    def parts(self) -> Iterator[list[Any]]:
        """All entries, a few thousand at a time."""
        for start in range(0, self._count, _AT_ONCE):
            yield self._make(start, min(start + _AT_ONCE, self._count))

    def tolist(self) -> list[Any]:
        """All entries at once, as an array gives its own."""
        return self._make(0, self._count)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts():
            yield from part

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]
