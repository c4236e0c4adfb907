"""The types that the CPU's backends share: runners between two buffers, and pieces of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt

from .moves import Move

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


class Compiled(Protocol):
    """All that is used of the compiled kernels: the module ``kernels/runners.py`` has it."""

    @property
    def packing(self) -> Any:
        """How nibbles are unpacked and packed: a ``NibblePacking`` of ``nibbles.py``."""

    def compiling(self) -> Iterator[None]:
        """Compile every kernel, or read it from disk; yield after each one."""

    def has_kernel(self, move: Move) -> bool:
        """Whether ``runners`` takes a move."""

    def runners(self, moves: Sequence[Move], *, streamed: bool) -> Iterator[Runner]:
        """Yield the runners of moves; if ``streamed``, they write past the caches."""

    def in_one_pass(self, move: Move, rest: Move) -> object:
        """Return None unless one runner can make both moves in one pass."""

    def memory_of(self, source: Buffer, target: Buffer) -> Memory:
        """Return what runners take; the source is copied if it overlaps the target."""
