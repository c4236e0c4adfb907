"""A long list of an answer, made a part at a time: all of it as Python objects is too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, overload

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

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(islice(self, *index.indices(self._count)))
        at = range(self._count)[index]
        return self._make(at, at + 1)[0]

    def __eq__(self, other: object) -> bool:
        return self.tolist() == (other.tolist() if isinstance(other, Listed) else other)

    __hash__ = None  # type: ignore[assignment]  # as a list
