"""What is there until the process has ended, because compiled code may still use it.

Python frees modules and the memory of threads before it ends daemon threads, which may be in a
kernel then: neither the kernel nor its memory may go.
"""

import ctypes
import threading
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from ...model.arrays import at_line

T = TypeVar("T")


def forever(what: T) -> T:
    """Keep an object until the process has ended; return it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))
    return what


_spare: Final[dict[int, list[npt.NDArray[np.uint8]]]] = forever({})  # by size: no thread has it


class _Lent:
    """Memory that goes back to the spare one when its thread ends."""

    def __init__(self, size_bytes: int) -> None:
        spare = _spare.setdefault(size_bytes, [])
        self._back: Final = spare.append
        try:
            self.memory = spare.pop()
            self.memory.fill(0)  # its thread may have been in a kernel when the process was forked
        except IndexError:
            self.memory = at_line((size_bytes,), np.uint8, zeros=True)

    def __del__(self) -> None:
        self._back(self.memory)


class ThreadMemory(threading.local):
    """Memory that each thread has for itself. It begins at a line, and has zeros at first."""

    def __init__(self, size_bytes: int) -> None:
        self._lent: Final = _Lent(size_bytes)
        self.address: int = self._lent.memory.ctypes.data

    def bytes(self) -> npt.NDArray[np.uint8]:
        """Return this thread's memory."""
        return self._lent.memory
