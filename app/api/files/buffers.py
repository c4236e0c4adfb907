"""A file over HTTP: its body is read only as far as needed, into memory or a temporary file."""

from __future__ import annotations

import asyncio
import mmap
import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ...engine.model.errors import phrase
from ...settings import Settings
from ..problems import BusyError, RefusedError
from ..work.resources import HeldBytes

Bytes = npt.NDArray[np.uint8]

SLICE_BYTES = 1 << 20  # smaller slices reduce the rate by a third
_NOTHING: Final = np.zeros(0, np.uint8)


@dataclass(slots=True)
class FileBuffer:
    """Zeroed bytes that one request holds until it releases them.

    ``share``: of memory or of the disk. ``file``: the open file that is mapped, None in memory.
    """

    share: HeldBytes
    content: Bytes
    file: int | None = None

    async def reserve(self) -> None:
        """Have blocks for all of a file: else a signal ends the process where the disk is full.

        Errors: BusyError.
        """
        if self.file is not None:
            size_bytes = len(self.content)
            await self._grow(size_bytes, os.posix_fallocate, self.file, 0, size_bytes)

    async def write(self, at: int, piece: memoryview) -> None:
        """Write ``piece`` from byte ``at`` on. Errors: BusyError if the disk is full."""
        if self.file is None:
            self.content.data[at : at + len(piece)] = piece
        else:
            # Assigning to the mapping would hold the interpreter while it waits for the disk.
            await self._grow(len(piece), _write, self.file, piece, at)

    async def _grow(self, size_bytes: int, work: Callable[..., None], *given: Any) -> None:
        """Do what takes blocks of the disk. They are counted as they are taken, so that who
        declares a large file and sends nothing takes nothing."""
        self.share.take(size_bytes)
        try:
            await run_in_threadpool(work, *given)
        except OSError as error:
            raise BusyError from error

    async def read(self, at: int, size_bytes: int) -> bytes:
        """Return a copy of the bytes from ``at`` on."""
        if self.file is None:
            return self.content[at : at + size_bytes].tobytes()
        return await run_in_threadpool(os.pread, self.file, size_bytes, at)

    def release(self) -> None:
        """Give the memory or the disk back. Existing views of the content stay valid."""
        self.share.release()
        if self.file is not None:
            # The system takes 10 ms to drop a file of 60 MiB: the event loop must not wait for it.
            asyncio.get_running_loop().run_in_executor(None, _drop, self.content, self.file)
        self.file = None
        self.content = _NOTHING  # an empty view of the content would keep all of it in memory


class BufferPool:
    """Memory and disk of all requests together; what is in memory is taken from ``budget`` too."""

    def __init__(self, limits: Settings, budget: HeldBytes) -> None:
        self._memory = HeldBytes(limits.max_file_memory_bytes, budget)
        self._disk = HeldBytes(limits.max_temporary_bytes)
        self._most_bytes = min(limits.max_file_memory_bytes, budget.most_bytes)

    async def take(self, size_bytes: int) -> FileBuffer:
        """Return a buffer in memory, or a mapped file where nothing is reserved yet.

        Errors: BusyError if both are used up.
        """
        share = self._memory.share()
        try:
            share.take(size_bytes)
            return FileBuffer(share, np.zeros(size_bytes, np.uint8))
        except (BusyError, MemoryError):
            share.release()
        if self._disk.held_bytes + size_bytes > self._disk.most_bytes:
            raise BusyError
        try:
            content, file = await run_in_threadpool(_mapped, size_bytes)
        except (OSError, ValueError) as error:
            raise BusyError from error
        return FileBuffer(self._disk.share(), content, file)

    def check_room(self, source_bytes: int, target_bytes: int) -> None:
        """Check that both buffers would fit if nobody held anything. Errors: RefusedError."""
        memory, files = self._most_bytes, self._disk.most_bytes
        left = [memory, files]
        for size_bytes in (target_bytes, source_bytes):  # as they are taken
            at = 0 if size_bytes <= left[0] else 1
            left[at] -= size_bytes
        if left[1] < 0:
            said = phrase(
                "bytes.buffers",
                source=source_bytes,
                target=target_bytes,
                memory=memory,
                files=files,
            )
            raise RefusedError(413, "body", said)


def _mapped(size_bytes: int) -> tuple[Bytes, int]:
    """Return a mapped file without a name, which is deleted with the last view of it; the file."""
    with tempfile.TemporaryFile(prefix="stridescope-") as file:
        file.truncate(size_bytes)
        content = np.frombuffer(mmap.mmap(file.fileno(), size_bytes), np.uint8)
        return content, os.dup(file.fileno())


def _write(file: int, piece: memoryview, at: int) -> None:
    while piece:
        went = os.pwrite(file, piece, at)
        piece, at = piece[went:], at + went


def _drop(content: Bytes, file: int) -> None:
    """Close a file. Its mapping ends with the last reference, which is this one as a rule."""
    del content
    os.close(file)


class Body:
    """A request's body, read in order. ``held``: bytes that came and were not taken yet."""

    def __init__(self, request: Request) -> None:
        self.held = bytearray()
        self._chunks = request.stream()

    async def read(self, least_bytes: int) -> bytearray:
        """Hold so many bytes, fewer only at the end of the body. Errors: ClientDisconnect."""
        while len(self.held) < least_bytes and (chunk := await anext(self._chunks, b"")):
            self.held += chunk
        return self.held


async def slices(head: bytes, buffer: FileBuffer) -> AsyncGenerator[bytes, None]:
    """A header and what is in a buffer, in large pieces.

    The server holds the last of them for as long as it likes: a view of the buffer would hold all
    of it, after its memory is given to another call.
    """
    yield head
    for at in range(0, len(buffer.content), SLICE_BYTES):
        yield await buffer.read(at, SLICE_BYTES)
