"""What the backends of the CPU give: runners between two buffers, and pieces made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

Buffer = npt.NDArray[Any]
# The source and the target, one-dimensional and without gaps; where the first begins and ends, and
# where the second begins, if the backend's ``Look`` found that out, else 0.
Memory = tuple[Buffer, Buffer, int, int, int]
Runner = Callable[[Buffer, Buffer, int, int, int], None]
# Returns the three addresses of ``Memory`` and whether source and target overlap.
Look = Callable[[Buffer, Buffer], tuple[int, int, int, bool]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Moves made ready for a backend, and the bytes of the target that they write."""

    runners: tuple[Runner, ...]
    size_bytes: int
