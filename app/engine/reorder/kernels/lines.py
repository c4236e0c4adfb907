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
    copy_half,
    copy_line,
    copy_line_streamed,
    copy_register,
    copy_unit,
    helper,
    number,
    set_number,
)
from .kernel_tables import KEPT_AT, OPEN_LINES, TAGS_AT

_SPREAD: Final = -0x61C8864680B583EB  # 2^64 divided by the golden ratio: spreads regular addresses
_DROPPED: Final = 65 - OPEN_LINES.bit_length()
_MASK: Final = np.int64(1)  # index of the mask in the tags of a line


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


@helper
def _collect(source: int, target: int, count: int, scratch: int) -> None:
    """Keep a part of a line, ``count`` bytes, until the line is whole; then store it."""
    at = target & 63
    line = target - at
    k = (((line >> 6) * _SPREAD) >> _DROPPED) & (OPEN_LINES - 1)
    tags, kept = scratch + TAGS_AT + 16 * k, scratch + KEPT_AT + 64 * k
    tag, mask = number(tags, 0), number(tags, _MASK)
    if tag != line:
        if tag:
            _store_kept(kept, tag, mask)
        mask = 0
    copy_part(source, kept + at, count)
    mask |= ((1 << count) - 1) << at
    if mask == -1:
        copy_line_streamed(kept, line)
        set_number(tags, 0, 0)
        return
    set_number(tags, 0, line)
    set_number(tags, _MASK, mask)


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
        tags = scratch + TAGS_AT + 16 * k
        tag = number(tags, 0)
        if tag:
            _store_kept(scratch + KEPT_AT + 64 * k, tag, number(tags, _MASK))
            set_number(tags, 0, 0)
