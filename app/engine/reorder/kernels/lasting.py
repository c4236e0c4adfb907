"""What is there until the process has ended, because compiled code may still use it.

Python ends daemon threads when they next ask for its lock, and frees modules and the memory of
threads before. Such a thread may be in a kernel then: neither the kernel nor its memory may go.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
import numpy.typing as npt

from ...model.arrays import at_line

T = TypeVar("T")


def forever(what: T) -> T:
    """Keep an object until the process has ended; return it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))
    return what


class ThreadMemory(threading.local):
    """Memory that each thread has for itself. It begins at a line, and has zeros at first.

    When a thread ends, another one can have its memory.
    """

    def __init__(self, size_bytes: int) -> None:
        self._lent: Final = _Lent(size_bytes)
        self.address: int = self._lent.memory.ctypes.data

    def bytes(self) -> npt.NDArray[np.uint8]:
        """Return this thread's memory."""
        return self._lent.memory


class _Lent:
    spare: ClassVar[dict[int, list[npt.NDArray[Any]]]] = forever({})

    def __init__(self, size_bytes: int) -> None:
        self._left = self.spare.setdefault(size_bytes, [])
        try:
            self.memory = self._left.pop()
            self.memory.fill(0)  # its thread may have been in a kernel when the process was forked
        except IndexError:
            self.memory = at_line((size_bytes,), np.uint8, zeros=True)

    def __del__(self) -> None:
        self._left.append(self.memory)
