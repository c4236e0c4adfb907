"""Room for the files being reordered: in memory up to a limit, then in temporary files."""

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

# Options of glibc's mallopt, by their numbers in its malloc.h, and their values in bytes.
_TRIM_THRESHOLD: Final = (-1, 8 << 20)
_MMAP_THRESHOLD: Final = (-3, 1 << 20)
_NOTHING: Final = np.zeros(0, np.uint8)


class BusyError(Exception):
    """Other requests use the room; it is free again when they end."""


@dataclass(slots=True)
class Buffer:
    """Zeroed bytes that one request holds until it releases them."""

    room: Room
    content: Bytes
    in_memory: bool

    def release(self) -> None:
        """Give the room back. Existing views of the content stay valid."""
        self.room.give_back(len(self.content), in_memory=self.in_memory)
        self.content = _NOTHING  # an empty view of the content would keep all of it in memory


@dataclass(slots=True)
class Room:
    """Counts the bytes that all requests hold together. Only the event loop changes it."""

    max_memory_bytes: int
    max_temporary_bytes: int
    memory_bytes: int = 0
    temporary_bytes: int = 0

    async def take(self, size_bytes: int) -> Buffer:
        """Return a buffer in memory, or in a mapped temporary file if the memory is used up.

        Errors: BusyError if neither has room.
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
        """Count a buffer of this size as released."""
        if in_memory:
            self.memory_bytes -= size_bytes
        else:
            self.temporary_bytes -= size_bytes


def _mapped(size_bytes: int) -> Bytes:
    """Return a mapped file without a name, which is deleted with the last view of it.

    Its blocks are allocated at once. Otherwise a signal would end the process if the disk became
    full later.
    """
    with tempfile.TemporaryFile(prefix="stridescope-") as file:
        os.posix_fallocate(file.fileno(), 0, size_bytes)
        return np.frombuffer(mmap.mmap(file.fileno(), size_bytes), np.uint8)


def keep_chunks_in_the_heap() -> None:
    """Let glibc reuse the memory of a body's chunks, which the server copies three times.

    A chunk has a quarter of a megabyte. By default, glibc gets new pages from the system for each
    copy and returns them at once, which takes half the time of an upload. Other C libraries have
    no such option.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value_bytes in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(option, value_bytes)
