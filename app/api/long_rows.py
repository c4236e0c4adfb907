"""Long rows of integers in a JSON text, parsed in pieces: as lists they would not fit a call.

2^20 coordinates of rank 8 are 20 MB of text and some 400 MB of lists, but 8 MB of small integers.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final

import numpy as np

from ..contract.allowance import hold
from ..contract.rows import IntegerArray, Rows
from .measure import measure
from .strict_json import parse_json

LONG_BYTES: Final = 1 << 20  # shorter texts are parsed faster at once
_PIECE: Final = 1 << 18
_MOST_ROW: Final = 1 << 16  # a longer one's list would take more than is asked for
_END: Final = re.compile(rb"\][ \t\r\n]*\]")
_NEXT: Final = re.compile(rb"\][ \t\r\n]*,")
_OTHER: Final = re.compile(rb"[^-0-9,\[\] \t\r\n]")
_MOST_EACH: Final = 4  # bytes of an array for each byte of text: "0," as int64
_TYPES: Final = (np.int8, np.int16, np.int32, np.int64)


def parse_rows(body: bytes | bytearray, name: str) -> tuple[Any, Rows] | None:
    """Return the value of ``body`` with an empty list for the rows at ``name``, and the rows.

    None if the text is not of this form, or is not valid: then ``parse_json`` reads all of it.
    Errors: RefusedError, and those of the call's allowance.
    """
    head = re.compile(rb'"%b"[ \t\r\n]*:[ \t\r\n]*\[' % re.escape(name.encode()))
    # Without a backslash, a quote before a colon ends a name and nothing else.
    begin = head.search(body)
    if begin is None or b"\\" in body or head.search(body, begin.end()):
        return None
    end = _END.search(body, begin.end())
    if end is None or _OTHER.search(body, begin.end(), end.end()):
        return None
    last = end.start() + 1
    with suppress(ValueError, OverflowError):
        rest = bytes(body[: begin.end()]) + bytes(body[end.end() - 1 :])
        hold(measure(rest).size_bytes + len(rest) + _MOST_EACH * len(body))
        value = parse_json(rest)
        if isinstance(value, dict) and value.get(name) == []:
            return value, Rows(_parts(body, begin.end(), last))
    return None


def _parts(body: bytes | bytearray, start: int, stop: int) -> list[IntegerArray]:
    """The rows from ``start`` to ``stop``, a few thousand at a time. Errors: ValueError."""
    found: list[IntegerArray] = []
    while start < stop:
        cut = _NEXT.search(body, start + _PIECE, stop)
        end = cut.start() + 1 if cut else stop
        if end - start > _PIECE + _MOST_ROW:
            raise ValueError
        piece = bytes(body[start:end])
        rows = np.array(parse_json(b"[%b]" % piece), np.int64)
        if rows.ndim != 2 or not rows.size or (found and rows.shape[1] != found[0].shape[1]):
            raise ValueError
        found.append(rows.astype(next(each for each in _TYPES if _holds(each, rows))))
        start = cut.end() if cut else stop
    return found


def _holds(kind: type[np.signedinteger[Any]], rows: IntegerArray) -> bool:
    limits = np.iinfo(kind)
    return bool(limits.min <= rows.min() and rows.max() <= limits.max)
