"""The memory of a thread in which the bytes of a tile of nibbles wait between two kernels."""

from __future__ import annotations

from typing import Final

from .kernel_nibbles import BEYOND
from .lasting import ThreadMemory

TILE: Final = 1 << 19  # nibbles; a tile of pairs may have twice as many
BYTES: Final = 2 * TILE  # of a room: no tile fills more
PITCH: Final = BYTES + BEYOND


class Rooms(ThreadMemory):
    """Two rooms; both begin at a line of memory."""

    def __init__(self) -> None:
        super().__init__(2 * PITCH)
        memory = self.bytes()
        self.arrays = memory[:PITCH], memory[PITCH:]
        self.first, self.second = (room.ctypes.data for room in self.arrays)


here: Final = Rooms()
