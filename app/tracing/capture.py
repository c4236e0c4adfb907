"""oneDNN's verbose lines of one process, caught operator by operator.

They go to C's standard output. While a capture is open, a temporary file stands in its place, so
that a position in the file before and after an operator gives the lines between. What others write
there is written to the real output in its order when the capture ends. A child process that is
forked by Python writes to the real output again.
"""

import contextlib
import ctypes
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from ..engine.model.errors import refusal

_LINE: Final = re.compile(rb"(?:mkldnn|dnnl|onednn)_verbose,[^\n]*\n?")
_VERSION: Final = re.compile(r"oneDNN v[0-9][\w.]*")
_PIECE: Final = 1 << 20
_TIMED: Final = frozenset({"1", "2", "all", "-1", "profile", "profile_exec"})
_SILENT: Final = frozenset({"", "0", "none", "error"})
_ONE = threading.Lock()


class Capture:
    """An open capture. ``at``: the position in the output, in bytes."""

    def __init__(self, torch: Any) -> None:
        """Take over standard output. Errors: OSError where there is none."""
        self._torch = torch
        self._real = os.dup(1)
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed by ``close``
        except OSError:
            os.close(self._real)
            raise
        # The position after all that was written so far; asked before and after each operator.
        self.at = partial(os.lseek, self._file.fileno(), 0, os.SEEK_CUR)
        self._pid = os.getpid()
        _flush()
        os.dup2(self._file.fileno(), 1)
        os.register_at_fork(after_in_child=self._in_child)
        self._open, self._first = True, 0
        self.was_on = False
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Find out whether verbose mode is on, by a reorder of one element; switch it on if not."""
        self._reorder_one()
        self._first = self.at()
        self.header = self._read(0, self._first)
        self.was_on = b",exec," in self.header
        if not self.was_on:
            self._set(1)
            # The first lines name the version; they are printed once in a process.
            self._reorder_one()
            end = self.at()
            self.header += self._read(self._first, end)
            self._first = end

    def _reorder_one(self) -> None:
        """Let oneDNN run once, unseen by the caller's own modes."""
        from torch.utils._python_dispatch import _disable_current_modes  # noqa: PLC0415  # optional

        with _disable_current_modes(), self._torch.inference_mode():
            self._torch.ones(1, device="cpu").to_mkldnn()

    @property
    def versions(self) -> list[str]:
        """oneDNN's own, where the header was still to be printed."""
        found = _VERSION.search(self.header.decode("utf-8", "replace"))
        return [found[0]] if found else []

    def _set(self, level: int) -> None:
        self._torch._C._verbose.mkldnn_set_verbose(level)

    def _read(self, start: int, stop: int) -> bytes:
        return os.pread(self._file.fileno(), stop - start, start)

    def lines(self, start: int, stop: int) -> str:
        """oneDNN's lines between two positions."""
        found = _LINE.findall(self._read(start, stop)) if stop > start else []
        return b"".join(found).decode("utf-8", "replace")

    def outside(self, ranges: Sequence[tuple[int, int]]) -> int:
        """How many of its lines stand outside these ranges, which are in order."""
        found, start = 0, self._first
        for begin, end in (*ranges, (self.at(),) * 2):
            found += self.lines(start, begin).count("\n")
            start = max(start, end)
        return found

    def _in_child(self) -> None:
        if self._open and os.getpid() != self._pid:
            os.dup2(self._real, 1)
            self._open = False

    def restore(self) -> None:
        """Give standard output back, and verbose mode its level."""
        if not self._open:
            return
        _flush()
        if not self.was_on:
            self._set(0)
        os.dup2(self._real, 1)
        self._open = False

    def close(self) -> None:
        """Give everything back, and write what others wrote, in its order.

        oneDNN's lines are left out where verbose mode was off before.
        """
        self.restore()
        try:
            end, at, rest = os.fstat(self._file.fileno()).st_size, self._first, b""
            while at < end:
                piece = rest + os.pread(self._file.fileno(), _PIECE, at)
                at += len(piece) - len(rest)
                cut = piece.rfind(b"\n") + 1 if at < end else len(piece)
                whole, rest = piece[:cut], piece[cut:]
                _write(self._real, whole if self.was_on else _LINE.sub(b"", whole))
        finally:
            self._file.close()
            os.close(self._real)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _flush() -> None:
    """Flush what Python and C have not yet written."""
    with contextlib.suppress(ValueError, AttributeError, OSError):
        sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)


def why_not(torch: Any) -> str:
    """Why oneDNN's lines cannot be caught here; empty if they can."""
    if sys.platform == "win32":
        return "On Windows oneDNN writes to a standard output of its own."
    if not torch.backends.mkldnn.is_available():
        return "This build of PyTorch has no oneDNN."
    try:
        os.fstat(1)
    except OSError:
        return "The process has no standard output."
    # oneDNN's function sets the levels 0, 1 and 2 alone: nothing else could be given back.
    level = os.environ.get("ONEDNN_VERBOSE") or os.environ.get("DNNL_VERBOSE", "")
    words = set(level.split(","))
    if any(each.startswith("filter") for each in words) or not words & (_TIMED | _SILENT):
        return f"ONEDNN_VERBOSE={level} could not be set again after the block."
    return ""


@contextlib.contextmanager
def captured(torch: Any, *, wanted: bool | None) -> Iterator[tuple[Capture | None, str]]:
    """A capture, or None and why there is none. ``wanted``: None takes it where it can be had.

    Errors: LayoutError naming ``onednn`` where it is wanted and cannot be had.
    """
    reason = "" if wanted is not False else "It was not asked for."
    reason = reason or why_not(torch)
    locked = not reason and _ONE.acquire(blocking=False)
    if not reason and not locked:
        reason = "Another trace of this process has it."
    if wanted and reason:
        raise refusal("onednn", "True", "trace.onednn", reason=reason)
    if not locked:
        yield None, reason
        return
    try:
        capture = Capture(torch)
        try:
            yield capture, ""
        finally:
            capture.close()
    finally:
        _ONE.release()
