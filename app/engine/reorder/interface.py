"""The types that the CPU's backends share: runners between two buffers, and pieces of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

Buffer = npt.NDArray[Any]
# The source and the target, one-dimensional and contiguous. Then three addresses: begin and end of
# the source, begin of the target; 0 for NumPy, which does not use them.
Memory = tuple[Buffer, Buffer, int, int, int]
Runner = Callable[[Buffer, Buffer, int, int, int], None]


@dataclass(frozen=True, slots=True)
class Piece:
    """Moves prepared for a backend. ``size_bytes``: bytes of the target that they write."""

    runners: tuple[Runner, ...]
    size_bytes: int
