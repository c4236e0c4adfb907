"""Room for the files being reordered: memory up to a limit, then temporary files, then none."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from starlette.concurrency import run_in_threadpool

Bytes = npt.NDArray[np.uint8]

# glibc's numbers of these options, see its malloc.h.
_TRIM_THRESHOLD: Final = (-1, 8 << 20)
_MMAP_THRESHOLD: Final = (-3, 1 << 20)
_NOTHING: Final = np.zeros(0, np.uint8)


class BusyError(Exception):
    """Other requests hold the room; it comes back when they end."""


@dataclass(slots=True)
class Buffer:
    """Zeroed bytes that one request holds until it releases them."""

    room: Room
    content: Bytes
    in_memory: bool

    def release(self) -> None:
        """Give the room back; views of the content stay valid as long as they are held."""
        self.room.give_back(len(self.content), in_memory=self.in_memory)
        self.content = _NOTHING  # a view of no elements would keep all the others


@dataclass(slots=True)
class Room:
    """What all requests hold at once, counted on the event loop alone."""

    max_memory_bytes: int
    max_temporary_bytes: int
    memory_bytes: int = 0
    temporary_bytes: int = 0

    async def take(self, size_bytes: int) -> Buffer:
        """A buffer in memory, or in a mapped temporary file where memory is taken.

        Errors: BusyError where neither has room.
        """
        if self.memory_bytes + size_bytes <= self.max_memory_bytes:
            try:
                content = np.zeros(size_bytes, np.uint8)
            except MemoryError as error:
                raise BusyError from error
            self.memory_bytes += size_bytes
            return Buffer(self, content, in_memory=True)
        if self.temporary_bytes + size_bytes > self.max_temporary_bytes:
            raise BusyError
        self.temporary_bytes += size_bytes
        try:
            content = await run_in_threadpool(_mapped, size_bytes)
        except BaseException as error:
            self.give_back(size_bytes, in_memory=False)
            if isinstance(error, OSError):
                raise BusyError from error
            raise
        return Buffer(self, content, in_memory=False)

    def give_back(self, size_bytes: int, *, in_memory: bool) -> None:
        """The buffer of that size is no longer held."""
        if in_memory:
            self.memory_bytes -= size_bytes
        else:
            self.temporary_bytes -= size_bytes


def _mapped(size_bytes: int) -> Bytes:
    """A file without a name, which ends with the last view of it.

    Its blocks are allocated at once: a disk that fills up later would end the process by a signal.
    """
    with tempfile.TemporaryFile(prefix="stridescope-") as file:
        os.posix_fallocate(file.fileno(), 0, size_bytes)
        return np.frombuffer(mmap.mmap(file.fileno(), size_bytes), np.uint8)


def keep_chunks_in_the_heap() -> None:
    """Let glibc reuse the memory of a body's chunks, which the server copies three times over.

    They are a quarter of a megabyte each, for which it otherwise asks the system for new pages
    and returns them at once: half the time of an upload. Other C libraries have no such option.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value_bytes in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(option, value_bytes)
