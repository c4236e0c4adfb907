"""Rows of integers as arrays: a million lists of Python's take more memory than a call may have."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from pydantic import ValidatorFunctionWrapHandler

from ..engine.model.errors import LayoutError, per_dimension
from ..engine.model.layout import Int64Array

_AT_ONCE = 1 << 16


class Rows:
    """Rows of the same length, from parts of shape (n, length)."""

    __slots__ = ("length", "parts")

    def __init__(self, parts: Sequence[Int64Array]) -> None:
        self.parts = parts
        self.length: int = parts[0].shape[1]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def tolist(self) -> list[list[int]]:
        """All rows as lists."""
        return [row for part in self.parts for row in part.tolist()]


def rows_or_lists(value: Any, lists: ValidatorFunctionWrapHandler) -> Any:
    """Take ``Rows`` as they are; everything else is for the validator of ``lists``."""
    return value if isinstance(value, Rows) else lists(value)


def in_parts(rows: Rows | list[list[int]], length: int, field: str) -> Iterator[Int64Array]:
    """Arrays of shape (n, ``length``), together all rows, each of some ten thousand.

    Errors: LayoutError naming the first row of another length, as an entry of ``field``.
    """
    if isinstance(rows, Rows):
        if rows.length != length:
            raise _wrong(field, 0, rows.parts[0][0].tolist(), length)
        yield from rows.parts
        return
    if not set(map(len, rows)) <= {length}:
        at = next(i for i, row in enumerate(rows) if len(row) != length)
        raise _wrong(field, at, rows[at], length)
    for start in range(0, len(rows), _AT_ONCE):
        lists = rows[start : start + _AT_ONCE]
        flat = np.fromiter(chain.from_iterable(lists), np.int64, len(lists) * length)
        yield flat.reshape(len(lists), length)


def _wrong(field: str, at: int, row: list[int], length: int) -> LayoutError:
    return LayoutError(f"{field}[{at}]", row, per_dimension(length))
