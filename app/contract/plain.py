"""What an answer may consist of beside what JSON has: arrays, long lists, the engine's dataclasses.

orjson encodes dataclasses and arrays itself, several times faster than dicts that are made of them.
Only dataclasses with slots: of others it would encode what they keep beside their fields too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from typing import Any

_AT_ONCE = 1 << 12


def plain(value: Any) -> Any:
    """A dataclass as a dict, an array or a long list as a list; the ``default`` of json.dumps."""
    if is_dataclass(value):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return value.tolist()


class Listed(Sequence[Any]):
    """``count`` entries, made a part at a time: all of them as Python objects are too much.

    ``make``: returns those from one index up to another.
    """

    def __init__(self, count: int, make: Callable[[int, int], list[Any]]) -> None:
        self._count = count
        self._make = make

    def parts(self) -> Iterator[list[Any]]:
        """All entries, a few thousand at a time."""
        for start in range(0, self._count, _AT_ONCE):
            yield self._make(start, min(start + _AT_ONCE, self._count))

    def tolist(self) -> list[Any]:
        """All entries at once, as an array gives its own."""
        return list(self)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts():
            yield from part

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]
