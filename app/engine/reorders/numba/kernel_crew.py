"""Two kernels that share the pieces of a reorder between threads, without Python.

To wake a thread takes as long as to copy 1 MB, and Python's lock lets two threads take turns no
faster. So a thread that has helped looks for the next job for a short time before it sleeps, in
compiled code. Nothing is started or told by Python between two jobs.

The words of a helper: its state, and the address of the job that it is given. The words of a job:
the next piece, the number of pieces, the addresses of the first calls of pieces and of the calls,
begin and end of the source, begin of the target; then a set of cores, a bit for each; then one word
for each helper, whether it was given the job. All addresses are bytes in int64.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from numba import types

from ...kernels import compiled
from . import atomics, instructions
from .atomics import CALL_BYTES, changed, counted, make_call, pause, set_word, word
from .instructions import helper

HELPERS: Final = (atomics, instructions)  # compiled into the kernels below
LINE: Final = 64  # bytes from one helper's words to the next
_CORES_AT: Final = 8 * 7
_CORES_BYTES: Final = 128
_GIVEN_AT: Final = _CORES_AT + _CORES_BYTES
MOST_HELPERS: Final = 64
JOB_BYTES: Final = _GIVEN_AT + 8 * MOST_HELPERS
# The states of a helper. It sleeps, looks for a job, is being given one, is given one, works, and
# has done its part. It ends when it finds that it is to end.
ASLEEP, READY, TAKEN, GIVEN, AT_WORK, DONE, ENDED = range(7)
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
        here = int(_sched_getcpu())
        if here < 0 or here >= 8 * _CORES_BYTES or _sched_getaffinity(0, _CORES_BYTES, cores):
            return False
        at = cores + 8 * (here // 64)
        set_word(at, word(at) & ~(1 << here % 64))
        found = 0
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
def _one_piece(job: int, scratch: int) -> bool:
    """Carry out one piece of a job; return whether there was one."""
    k = counted(job)
    if k >= word(job + 8):
        return False
    firsts, calls = word(job + 16) + 8 * k, word(job + 24)
    for i in range(word(firsts), word(firsts + 8)):
        call = calls + i * CALL_BYTES
        make_call(call, word(job + 32), word(job + 40), word(job + 48), scratch)
    return True


@helper
def _give(each: int, job: int, k: int) -> None:
    """Give a job to helper ``k``, which has been taken."""
    set_word(job + _GIVEN_AT + 8 * k, 1)
    set_word(each + 8, job)
    set_word(each, GIVEN)


@helper
def _wake_one(crew: int, threads: int, job: int, first: int, end: int) -> int:
    """Wake one of the helpers from ``first`` to ``end``, for a job; return the next one."""
    for k in range(first, end):
        each = crew + k * LINE
        if changed(each, ASLEEP, TAKEN):
            _give(each, job, k)
            _place(word(threads + 16 * k), job + _CORES_AT)
            _write(word(threads + 16 * k + 8), job + 8, 8)
            return k + 1
    return end


@compiled(*HELPERS)
def help_out(me: int, bell: int, heard: int, pauses: int, scratch: int) -> None:
    """Work on each job that is given to helper ``me``, until it is to end.

    ``bell``: the file from which a sleeping helper reads, which wakes it. -1: return instead of
    sleeping. ``heard``: a word, to which it reads. ``pauses``: before the helper sleeps.
    """
    left = pauses
    while True:
        state = word(me)
        if state == GIVEN and changed(me, GIVEN, AT_WORK):
            job = word(me + 8)
            while _one_piece(job, scratch):
                pass
            set_word(me, DONE)
            left = pauses
        if state == ENDED:
            return
        pause()
        left -= 1
        if left <= 0:
            left = pauses
            if bell < 0:
                return
            if changed(me, READY, ASLEEP):
                _read(bell, heard, 8)
                changed(me, ASLEEP, READY)  # or it was given a job while it slept


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
    set_word(job, 0)
    set_word(job + 8, pieces.size - 1)
    set_word(job + 16, pieces.ctypes.data)
    set_word(job + 24, calls.ctypes.data)
    set_word(job + 32, source)
    set_word(job + 40, source_end)
    set_word(job + 48, target)
    helpers, asleep = threads.size // 2, 0
    for k in range(helpers):
        each = crew + k * LINE
        set_word(job + _GIVEN_AT + 8 * k, 0)
        if changed(each, READY, TAKEN):
            _give(each, job, k)
        asleep += word(each) == ASLEEP
    # To wake a helper takes as long as a small piece, so they are woken between pieces.
    k = 0 if wakes and asleep and _find_others(job + _CORES_AT) else helpers
    while word(job) < pieces.size - 1:
        k = _wake_one(crew, threads.ctypes.data, job, k, helpers)
        _one_piece(job, scratch)
    for k in range(helpers):
        each = crew + k * LINE
        # A helper that has not begun has nothing to do any more.
        if word(job + _GIVEN_AT + 8 * k) and not changed(each, GIVEN, READY):
            waited = 0
            while word(each) != DONE:
                pause()
                waited += 1
                if waited > _PATIENCE:
                    _sched_yield()
            set_word(each, READY)
