"""Copies of bytes that store whole lines of memory, wherever source and target begin.

A store past the caches is fast only if it fills a line, and if no other store waits for the same
line. So the parts of a line that come at different times are collected in scratch memory, and the
line is stored when it is whole. Example: a plane of the target ends in the middle of a line, and
the next plane begins there. What stays unfinished is stored at the end of the kernel.

All addresses and counts are bytes in int64.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .instructions import (
    copy_line,
    copy_line_streamed,
    copy_register,
    copy_unit,
    helper,
    number,
    set_number,
)
from .kernel_tables import LINES_AT, MASKS_AT, OPEN_LINES, TAGS_AT

_SPREAD: Final = -0x61C8864680B583EB  # 2^64 divided by the golden ratio: spreads regular addresses
_DROPPED: Final = 65 - OPEN_LINES.bit_length()


@helper
def copy_bytes(source: int, target: int, count: int, streamed: bool, scratch: int) -> None:
    """Copy ``count`` bytes; if ``streamed``, whole lines of the target go past the cache.

    The target's lines are stored whole: a store that crosses lines takes twice as long.
    """
    if not streamed and count < 128:
        copy_part(source, target, count)
        return
    head = min(-target & 63, count)
    done = head
    if streamed:
        if head:
            _collect(source, target, head, scratch)
        while done + 64 <= count:
            copy_line_streamed(source + done, target + done)
            done += 64
        if done < count:
            _collect(source + done, target + done, count - done, scratch)
        return
    copy_part(source, target, head)
    while done + 64 <= count:
        copy_line(source + done, target + done)
        done += 64
    copy_part(source + done, target + done, count - done)


@helper
def copy_part(source: int, target: int, count: int) -> None:
    """Copy ``count`` bytes and store no others."""
    if count >= 16:
        done = 0
        while done + 16 <= count:
            copy_register(source + done, target + done)
            done += 16
        if done < count:
            copy_register(source + count - 16, target + count - 16)
        return
    if count & 8:
        copy_unit(np.uint64(0), source, target)
    done = count & 8
    if count & 4:
        copy_unit(np.uint32(0), source + done, target + done)
    done = count & 12
    if count & 2:
        copy_unit(np.uint16(0), source + done, target + done)
    done = count & 14
    if count & 1:
        copy_unit(np.uint8(0), source + done, target + done)


@helper
def _collect(source: int, target: int, count: int, scratch: int) -> None:
    """Keep a part of a line, ``count`` bytes, until the line is whole; then store it."""
    at = target & 63
    line = target - at
    k = (((line >> 6) * _SPREAD) >> _DROPPED) & (OPEN_LINES - 1)
    kept, mask = scratch + LINES_AT + 64 * k, 0
    tag = number(scratch + TAGS_AT, k)
    if tag == line:
        mask = number(scratch + MASKS_AT, k)
    elif tag:
        _store_kept(kept, tag, number(scratch + MASKS_AT, k))
    copy_part(source, kept + at, count)
    mask |= ((1 << count) - 1) << at
    if mask == -1:
        copy_line_streamed(kept, line)
        set_number(scratch + TAGS_AT, k, 0)
    else:
        set_number(scratch + TAGS_AT, k, line)
        set_number(scratch + MASKS_AT, k, mask)


@helper
def _store_kept(kept: int, line: int, mask: int) -> None:
    """Store the bytes of a line whose bit in ``mask`` is set."""
    for at in range(0, 64, 8):
        bits = (mask >> at) & 255
        if bits == 255:
            copy_unit(np.uint64(0), kept + at, line + at)
        elif bits:
            for i in range(8):
                if (bits >> i) & 1:
                    copy_unit(np.uint8(0), kept + at + i, line + at + i)


@helper
def store_collected(scratch: int) -> None:
    """Store what ``copy_bytes`` still keeps of lines that did not become whole."""
    for k in range(OPEN_LINES):
        tag = number(scratch + TAGS_AT, k)
        if tag:
            _store_kept(scratch + LINES_AT + 64 * k, tag, number(scratch + MASKS_AT, k))
            set_number(scratch + TAGS_AT, k, 0)
