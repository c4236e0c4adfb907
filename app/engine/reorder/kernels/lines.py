"""Copies of bytes that store whole lines of memory, wherever source and target begin.

A store past the caches is fast only if it fills a line, and if no ordinary store waits for the same
line. So the parts of lines at both ends of a copy are stored through the caches.

All addresses and counts are bytes in int64.
"""

import numpy as np

from .instructions import (
    copy_half,
    copy_line,
    copy_line_streamed,
    copy_register,
    copy_unit,
    helper,
)


@helper
def copy_bytes(source: int, target: int, count: int, streamed: bool) -> None:
    """Copy ``count`` bytes; if ``streamed``, whole lines of the target go past the cache.

    The target's lines are stored whole: a store that crosses lines takes twice as long.
    """
    if not streamed and count < 128:
        copy_part(source, target, count)
        return
    done = min(-target & 63, count)
    copy_part(source, target, done)
    while done + 64 <= count:
        if streamed:
            copy_line_streamed(source + done, target + done)
        else:
            copy_line(source + done, target + done)
        done += 64
    copy_part(source + done, target + done, count - done)


@helper
def copy_part(source: int, target: int, count: int) -> None:
    """Copy ``count`` bytes and store no others."""
    done = 0
    while done + 64 <= count:
        copy_line(source + done, target + done)
        done += 64
    a, p, n = source + done, target + done, count - done
    if n >= 32:  # two copies that may overlap need no other branches
        copy_half(a, p)
        copy_half(source + count - 32, target + count - 32)
    elif n >= 16:
        copy_register(a, p)
        copy_register(source + count - 16, target + count - 16)
    elif n >= 8:
        copy_unit(np.uint64(0), a, p)
        copy_unit(np.uint64(0), source + count - 8, target + count - 8)
    elif n >= 4:
        copy_unit(np.uint32(0), a, p)
        copy_unit(np.uint32(0), source + count - 4, target + count - 4)
    elif n >= 2:
        copy_unit(np.uint16(0), a, p)
        copy_unit(np.uint16(0), source + count - 2, target + count - 2)
    elif n:
        copy_unit(np.uint8(0), a, p)
