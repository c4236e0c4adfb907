"""Writes files that appear under their name only when they are complete."""

import mmap
import os
import secrets
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from ..engine.model.errors import refusal

Bytes = npt.NDArray[np.uint8]

STREAM: Final = "-"  # in the place of a name: standard input or output

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_ZEROS_BYTES = 1 << 22


class InterruptedBySignal(BaseException):
    """A signal asked the program to end. Not an Exception, so ``except Exception`` ignores it."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into InterruptedBySignal, so that cleanup code runs.

    A signal that was ignored before (``nohup``) stays ignored. Only for the main thread.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        raise InterruptedBySignal(number)

    with _handling(stop):
        yield


@contextmanager
def _handling(handler: Any) -> Iterator[None]:
    heard = [n for n in _ENDING if signal.getsignal(n) != signal.SIG_IGN]
    before = {n: signal.signal(n, handler) for n in heard}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def mapped(source: str) -> Bytes:
    """The bytes of a file, read-only, mapped into memory. The file may be larger than memory.

    ``source``: its name, or STREAM for a temporary copy of standard input.
    Errors: LayoutError for a pipe or a device, OSError.
    """
    if source == STREAM:
        with tempfile.TemporaryFile() as spool:
            shutil.copyfileobj(standard_input(), spool)
            spool.flush()
            return _map(spool.fileno(), spool.tell(), mmap.ACCESS_READ)
    path = Path(source)
    _status(path)
    with path.open("rb") as file:
        return _map(file.fileno(), os.fstat(file.fileno()).st_size, mmap.ACCESS_READ)


def standard_input() -> BinaryIO:
    """The bytes of standard input. Errors: LayoutError if it is closed."""
    stream: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise refusal(STREAM, "a closed input", "input.open")
    return stream


@contextmanager
def written(target: str, size_bytes: int) -> Iterator[Bytes]:
    """Yields the bytes of a new file, as ``written_whole``; STREAM is standard output.

    What goes there is in a temporary file first, so that it is whole or nothing.
    Errors: LayoutError for a terminal, a pipe by name or a device, OSError.
    """
    if target != STREAM:
        with written_whole(Path(target), size_bytes) as content:
            yield content
        return
    if sys.stdout is None or sys.stdout.isatty():
        raise refusal(STREAM, "a terminal or a closed output", "output.open")
    with tempfile.TemporaryFile() as spool:
        _reserve(spool.fileno(), size_bytes)
        yield _map(spool.fileno(), size_bytes, mmap.ACCESS_WRITE)
        shutil.copyfileobj(spool, sys.stdout.buffer)
    sys.stdout.buffer.flush()


@contextmanager
def written_whole(path: Path, size_bytes: int) -> Iterator[Bytes]:
    """Yields the bytes of a new file, all zero, mapped into memory. It becomes ``path`` at the end.

    The bytes are in a temporary file in the same folder, which is renamed to ``path`` when
    everything is on the disk. If the block raises, the temporary file is deleted and ``path`` is
    unchanged. The disk space is reserved first, so that a full disk is an error before the work and
    not a signal during it. Errors: LayoutError for a pipe or a device, OSError naming ``path``.
    """
    status = _status(path)
    mode = None if status is None else stat.S_IMODE(status.st_mode)
    place = path.resolve()  # replaces the target of a link, not the link
    part = place.with_name(f".stridescope-{secrets.token_hex(8)}.part")
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        descriptor = os.open(part, flags, 0o666 if mode is None else mode & 0o600)
        try:
            _reserve(descriptor, size_bytes)
            yield _map(descriptor, size_bytes, mmap.ACCESS_WRITE)
            # Writes through the map are in the pages of the file, so one fsync saves them all.
            os.fsync(descriptor)
            if mode is not None:
                os.fchmod(descriptor, mode & 0o777)
        finally:
            os.close(descriptor)
        part.replace(place)
    except BaseException as error:
        with _handling(signal.SIG_IGN):  # a second Ctrl-C must not prevent the deletion
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in {None, str(part)}:
            error.filename = str(path)
        raise


def _status(path: Path) -> os.stat_result | None:
    """What the system says about a file that can be mapped or replaced; None if it is missing.

    Errors: OSError, as for a folder or a link to itself; LayoutError for a pipe or a device.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(21, "Is a directory", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise refusal(str(path), "a pipe or a device", "file")
    return found


def _map(descriptor: int, size_bytes: int, access: int) -> Bytes:
    if size_bytes == 0:  # an empty file cannot be mapped
        return np.zeros(0, dtype=np.uint8)
    return np.frombuffer(mmap.mmap(descriptor, size_bytes, access=access), dtype=np.uint8)


def _reserve(descriptor: int, size_bytes: int) -> None:
    if size_bytes == 0:
        return
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size_bytes)
        return
    zeros = memoryview(bytes(_ZEROS_BYTES))
    while size_bytes > 0:
        size_bytes -= os.write(descriptor, zeros[:size_bytes])
