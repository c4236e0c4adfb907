"""Two kernels that share the pieces of a reorder between threads, without Python.

To wake a thread takes as long as to copy 1 MB, and Python's lock lets two threads take turns no
faster. So a thread that has helped looks for the next job for a short time before it sleeps, in
compiled code. Nothing is started or told by Python between two jobs.

The words of a helper: its state, and whether it is to end. Its state is ``ASLEEP``, ``READY`` (it
looks for a job), the address of the job that it is given, or that address and ``AT_WORK``. Only a
caller gives a job and takes it back, and only the helper begins and ends it.

The words of a job: the number of pieces, the addresses of the first calls of pieces and of the
calls, begin and end of the source, begin of the target, the number of threads; then a set of cores,
a bit for each; then one word for each piece, whether a thread has it. Each thread begins with a
part of its own, as in the call before, so that its part is still in its cache; then it takes what
others have not begun. All addresses are bytes in int64.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from numba import types

from . import atomics, instructions
from .atomics import CALL_BYTES, changed, make_call, pause, set_word, word
from .instructions import helper
from .loading import compiled

HELPERS: Final = (atomics, instructions)  # compiled into the kernels below
LINE: Final = 64  # bytes from one helper's words to the next
MOST_PIECES: Final = 512
_CORES_AT: Final = 8 * 7
_CORES_BYTES: Final = 128
_PIECES_AT: Final = _CORES_AT + _CORES_BYTES
JOB_BYTES: Final = _PIECES_AT + 8 * MOST_PIECES
ASLEEP, READY = 0, 1
AT_WORK: Final = 1
_PATIENCE: Final = 1 << 12  # pauses of a waiting thread before it lets others run

_int, _address = types.int32, types.int64
# Of the C library. Each takes or returns what its manual page says.
_read: Any = types.ExternalFunction("read", types.intp(_int, _address, types.uintp))
_write: Any = types.ExternalFunction("write", types.intp(_int, _address, types.uintp))
_sched_yield: Any = types.ExternalFunction("sched_yield", _int())

if sys.platform == "linux":
    _sched_getcpu: Any = types.ExternalFunction("sched_getcpu", _int())
    _affinity: Any = _int(_int, types.uintp, _address)
    _sched_getaffinity: Any = types.ExternalFunction("sched_getaffinity", _affinity)
    _sched_setaffinity: Any = types.ExternalFunction("sched_setaffinity", _affinity)

    @helper
    def _find_others(cores: int) -> bool:
        """Find the cores where this thread may run and does not; return whether there are any."""
        here, found = int(_sched_getcpu()), 0
        if here < 0 or here >= 8 * _CORES_BYTES or _sched_getaffinity(0, _CORES_BYTES, cores):
            for k in range(0, _CORES_BYTES, 8):
                set_word(cores + k, 0)  # which is refused: the system wakes threads where it likes
            return True
        at = cores + 8 * (here // 64)
        set_word(at, word(at) & ~(1 << here % 64))
        for k in range(0, _CORES_BYTES, 8):
            found |= word(cores + k)
        return found != 0

    @helper
    def _place(thread: int, cores: int) -> None:
        """Let a thread run on these cores. Linux might wake it on the core of the one it helps."""
        _sched_setaffinity(thread, _CORES_BYTES, cores)

else:

    @helper
    def _find_others(cores: int) -> bool:
        """Return whether there are other cores: the system does not tell which."""
        return True

    @helper
    def _place(thread: int, cores: int) -> None:
        """Leave it to the system on which core a thread runs."""


@helper
def _carry_out(job: int, k: int, scratch: int) -> None:
    """Carry out piece ``k`` of a job, if no other thread has it."""
    if changed(job + _PIECES_AT + 8 * k, 0, 1):
        firsts, calls = word(job + 8) + 8 * k, word(job + 16)
        for i in range(word(firsts), word(firsts + 8)):
            call = calls + i * CALL_BYTES
            make_call(call, word(job + 24), word(job + 32), word(job + 40), scratch)


@helper
def _wake_one(crew: int, threads: int, job: int, first: int, end: int) -> int:
    """Wake one of the helpers from ``first`` to ``end``, for a job; return the next one."""
    for k in range(first, end):
        if changed(crew + k * LINE, ASLEEP, job):
            _place(word(threads + 16 * k), job + _CORES_AT)
            _write(word(threads + 16 * k + 8), job, 8)
            return k + 1
    return end


@compiled(*HELPERS)
def help_out(crew: int, me: int, bell: int, heard: int, pauses: int, scratch: int) -> None:
    """Work on each job that is given to helper ``me`` of a crew, until it is to end.

    ``bell``: the file from which a sleeping helper reads, which wakes it. -1: return instead of
    sleeping. ``heard``: a word, to which it reads. ``pauses``: before the helper sleeps.
    """
    mine, left = crew + me * LINE, pauses
    while True:
        job = word(mine)
        if job != READY and changed(mine, job, job | AT_WORK):
            pieces = word(job)
            home = pieces * (me + 1) // word(job + 48)
            for i in range(pieces):
                _carry_out(job, (home + i) % pieces, scratch)
            changed(mine, job | AT_WORK, READY)
            left = pauses
        if word(mine + 8):
            return
        pause()
        left -= 1
        if left <= 0:
            left = pauses
            if bell < 0:
                return
            if changed(mine, READY, ASLEEP):
                _read(bell, heard, 8)
                changed(mine, ASLEEP, READY)  # or it was given a job while it slept


@compiled(*HELPERS)
def together(
    crew: int, threads: Any, wakes: int, job: int, pieces: Any, calls: Any,
    source: int, source_end: int, target: int, scratch: int,
) -> None:  # fmt: skip  # one line for the crew and its work, one for the memory
    """Carry out a job with the help of all helpers that have none. Return when it is done.

    ``crew``: the words of the helpers. ``threads``: of each helper, the number of its thread and
    the file to which a word is written to wake it. ``wakes``: if 0, let them sleep. ``job``: memory
    for the job's words. ``pieces``: the first call of each piece, and the number of calls.
    ``calls``: see ``atomics``.
    """
    count, helpers, asleep = pieces.size - 1, threads.size // 2, 0
    set_word(job, count)
    set_word(job + 8, pieces.ctypes.data)
    set_word(job + 16, calls.ctypes.data)
    set_word(job + 24, source)
    set_word(job + 32, source_end)
    set_word(job + 40, target)
    set_word(job + 48, helpers + 1)
    for k in range(count):
        set_word(job + _PIECES_AT + 8 * k, 0)
    for k in range(helpers):
        if not changed(crew + k * LINE, READY, job):
            asleep += word(crew + k * LINE) == ASLEEP
    # To wake a helper takes as long as a small piece, so they are woken between pieces.
    following = 0 if wakes and asleep and _find_others(job + _CORES_AT) else helpers
    for k in range(count):
        if k < count - 1:
            following = _wake_one(crew, threads.ctypes.data, job, following, helpers)
        _carry_out(job, k, scratch)
    for k in range(helpers):
        each = crew + k * LINE
        # A helper that has not begun has nothing to do any more.
        if not changed(each, job, READY):
            waited = 0
            while word(each) == job | AT_WORK:
                pause()
                waited += 1
                if waited > _PATIENCE:
                    _sched_yield()
