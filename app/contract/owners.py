"""The owners of addresses, as JSON."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.description.tensor import Tensor
from ..engine.inverse.owners import KINDS, Owners, owners_of
from ..engine.inverse.search import SHOWN, Budget
from ..engine.model.errors import LayoutError, Phrase
from ..engine.model.layout import Int64Array
from .allowance import BeyondError, hold, most_steps
from .plain import Listed

_COORDINATES_AT_ONCE = 1 << 22  # integers that one batch of shared owners may list
# What an owner takes at most: in arrays, and in its text; the second for each dimension.
_OWNER_BYTES = 64 + 72
_OWNER_COLUMN_BYTES = 8 + 20
_NUMBER_BYTES = 8 + 20

Answer = dict[str, Any]


def owners_listed(tensor: Tensor, asked: Sequence[int], most: int) -> Listed:
    """Return the owner of each address.

    Beyond one coordinate per address, at most ``most`` integers of coordinates are listed.
    Errors: LayoutError naming ``offsets``.
    """
    rank = tensor.layout.rank
    hold(len(asked) * (_OWNER_BYTES + _OWNER_COLUMN_BYTES * rank))
    # Each distinct address is searched once, and all batches share the budget of one call.
    addresses, asked_at, times = np.unique(
        np.array(asked, dtype=np.int64), return_inverse=True, return_counts=True
    )
    steps = most_steps()
    budget = Budget() if steps is None else Budget(steps)
    parts: list[Owners] = []
    beyond_one_each = 0
    batch = _COORDINATES_AT_ONCE // (SHOWN * max(rank, 1))
    for start in range(0, len(addresses), batch):
        part = addresses[start : start + batch]
        found = owners_of(
            tensor.layout, part, buffer_elements=tensor.buffer_elements, budget=budget
        )
        if steps is not None and budget.left < 0:
            raise BeyondError
        beyond = (np.diff(found.starts) - 1) * times[start : start + batch]
        beyond_one_each += max(int(beyond.sum()), 0) * rank
        if beyond_one_each > most:
            said = "fewer: the coordinates at shared addresses are over {most} integers"
            raise LayoutError("offsets", asked, Phrase("owners.fewer", said, most=most))
        parts.append(found)
    hold(beyond_one_each * _NUMBER_BYTES)
    return Listed(len(asked), _lister(addresses, asked_at, parts))


def _lister(
    addresses: Int64Array, asked_at: npt.NDArray[np.intp], parts: Sequence[Owners]
) -> Callable[[int, int], list[Answer]]:
    """A function that makes the owners from one index up to another of what was asked."""
    none = np.empty(0, dtype=np.int64)
    kinds = np.concatenate([none, *(part.kinds for part in parts)])
    counts = np.concatenate([none, *(part.counts for part in parts)])
    lengths = np.concatenate([none, *(np.diff(part.starts) for part in parts)])
    rows = np.concatenate([part.coordinates for part in parts]) if parts else none
    starts = np.cumsum(lengths) - lengths

    def owners(start: int, stop: int) -> list[Answer]:
        chosen = asked_at[start:stop]
        of_each = lengths[chosen]
        ends = np.cumsum(of_each)
        first = starts[chosen] - (ends - of_each)
        coordinates = rows[np.arange(ends[-1]) + np.repeat(first, of_each)].tolist()
        columns = (addresses[chosen], kinds[chosen], counts[chosen], ends - of_each, ends)
        return [
            {"offset": at, "kind": KINDS[k], "count": count, "coordinates": coordinates[i:j]}
            for at, k, count, i, j in zip(*(each.tolist() for each in columns), strict=True)
        ]

    return owners
