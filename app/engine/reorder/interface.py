"""The types that the CPU's backends share: runners between two buffers, and pieces of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy.typing as npt

# Whether kernels can share work without Python: the C library has ``read`` and ``sched_yield``.
HAS_CREW: Final = os.name == "posix"
Buffer = npt.NDArray[Any]
# The source and the target, one-dimensional and contiguous. Then three addresses, which the
# backend's ``Look`` returns: begin and end of the source, begin of the target; 0 if not used.
Memory = tuple[Buffer, Buffer, int, int, int]
Runner = Callable[[Buffer, Buffer, int, int, int], None]
# Of a source and a target, and of how many items they need at least: the three addresses of
# ``Memory``, and whether both are long enough, without gaps, and share no byte.
Look = Callable[[Buffer, Buffer, int, int], tuple[int, int, int, bool]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Moves prepared for a backend. ``size_bytes``: bytes of the target that they write."""

    runners: tuple[Runner, ...]
    size_bytes: int
