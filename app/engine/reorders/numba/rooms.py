"""The memory of a thread in which the bytes of a tile of nibbles wait between two kernels."""

from __future__ import annotations

import threading
from typing import Final

import numpy as np

from .kernel_nibbles import BEYOND

TILE: Final = 1 << 19  # nibbles; a tile of pairs may have twice as many
BYTES: Final = 2 * TILE  # of a room: no tile fills more
PITCH: Final = BYTES + BEYOND
_LINE: Final = 64


class Rooms(threading.local):
    """Two rooms; both begin at a line of memory."""

    def __init__(self) -> None:
        memory = np.zeros(2 * PITCH + _LINE, np.uint8)
        begin = -memory.ctypes.data % _LINE
        self.arrays = memory[begin:][:PITCH], memory[begin + PITCH :][:PITCH]
        self.first, self.second = (room.ctypes.data for room in self.arrays)


here = Rooms()
