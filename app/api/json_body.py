"""The value of a JSON body whose memory is counted before it is parsed.

A few bytes can make an object of hundreds: `[]` takes 72, an unknown name more. So the bytes are
counted first. Long rows of integers become arrays: as lists they would not fit a call, as 2^20
coordinates of rank 8 are 20 MB of text and some 400 MB of lists, but 64 MB of integers.
"""

import re
from contextlib import suppress
from typing import Any, Final

import numpy as np

from ..contract.allowance import hold
from ..contract.fields import Rows
from ..contract.operations import Operation
from ..engine.model.errors import phrase
from ..engine.model.layout import Int64Array
from ..files.strict_json import TOO_DEEP, UnreadableJsonError, parse_json
from .problems import RefusedError

MAX_BYTES: Final = 256 << 20  # of all objects of one body
MAX_DEPTH: Final = 500
_PIECE: Final = 1 << 18
_NO_BRACKETS: Final = bytes(sorted(set(range(256)) - set(b"[]{}")))
# What CPython takes on a 64-bit machine: headers of the collector and growth included.
_LIST_BYTES: Final = 72
_DICT_BYTES: Final = 112
_NAME_BYTES: Final = 112  # a text, and its share of a dict that has grown
_SLOT_BYTES: Final = 8
_VALUE_BYTES: Final = 32
_TEXT_BYTES: Final = 64
_ERROR_BYTES: Final = 1400

LONG_BYTES: Final = 1 << 20  # shorter texts are parsed faster at once
_MOST_ROW: Final = 1 << 16  # a longer one's list would take more than is asked for
_MOST_EACH: Final = 4  # bytes of an array for each byte of text: "0," as int64
_END: Final = re.compile(rb"\][ \t\r\n]*\]")
_NEXT: Final = re.compile(rb"\][ \t\r\n]*,")
_OTHER: Final = re.compile(rb"[^-0-9,\[\] \t\r\n]")


def value_of(operation: Operation, body: bytearray) -> Any:
    """Return the value of a request's body, with long rows of integers as ``Rows``.

    Errors: RefusedError, UnreadableJsonError, those of the call's allowance.
    """
    if operation.rows and len(body) >= LONG_BYTES:
        found = parse_rows(body, operation.rows)
        if found is not None:
            value, rows = found
            return value | {operation.rows: rows}
    size_bytes, refusal_bytes = measure(body)
    # A list of numbers is refused at its first error, so what has such lists needs no more.
    hold(size_bytes + (0 if operation.lists else refusal_bytes))
    return parse_json(bytes(body))


def measure(body: bytes | bytearray) -> tuple[int, int]:
    """Count a whole text, without an object for each value: the bytes of all its objects, and what
    pydantic takes to refuse each value and two fields that each object lacks.

    Errors: RefusedError, UnreadableJsonError.
    """
    # Without escapes, every second part between quotes is a text.
    text = bytes(body).replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = outside_bytes = depth = lists = dicts = names = values = 0
    deep = text.count(b"[") + text.count(b"{") > MAX_DEPTH
    for start in range(0, len(text), _PIECE):
        parts = text[start : start + _PIECE].split(b'"')
        outside = b"".join(parts[quotes % 2 :: 2])
        quotes += len(parts) - 1
        outside_bytes += len(outside)
        lists += outside.count(b"[")
        dicts += outside.count(b"{")
        names += outside.count(b":")
        values += outside.count(b",")
        depth = _depth(outside, depth) if deep else 0
    texts = (quotes + 1) // 2
    text_bytes = (len(text) - outside_bytes - quotes) * (1 if text.isascii() else 4)
    values += lists + dicts + 1
    size_bytes = (
        lists * _LIST_BYTES
        + dicts * _DICT_BYTES
        + names * _NAME_BYTES
        + values * _SLOT_BYTES
        + max(values - lists - dicts - texts, 0) * _VALUE_BYTES
        + texts * _TEXT_BYTES
        + text_bytes
    )
    if size_bytes > MAX_BYTES:
        raise RefusedError(413, "body", phrase("bytes.values", got=size_bytes, most=MAX_BYTES))
    return size_bytes, (values + 2 * dicts) * _ERROR_BYTES


def _depth(outside: bytes, depth: int) -> int:
    """How deep the text is after a piece without texts. Errors: UnreadableJsonError."""
    brackets = np.frombuffer(outside.translate(None, _NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    depths = depth + np.cumsum(steps)
    if depths.max(initial=0) > MAX_DEPTH:
        raise UnreadableJsonError(TOO_DEEP)
    return int(depths[-1]) if len(depths) else depth


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
        hold(measure(rest)[0] + len(rest) + _MOST_EACH * len(body))
        value = parse_json(rest)
        if isinstance(value, dict) and value.get(name) == []:
            return value, Rows(_parts(body, begin.end(), last))
    return None


def _parts(body: bytes | bytearray, start: int, stop: int) -> list[Int64Array]:
    """The rows from ``start`` to ``stop``, a few thousand at a time. Errors: ValueError."""
    found: list[Int64Array] = []
    while start < stop:
        cut = _NEXT.search(body, start + _PIECE, stop)
        end = cut.start() + 1 if cut else stop
        if end - start > _PIECE + _MOST_ROW:
            raise ValueError
        piece = bytes(body[start:end])
        rows = np.array(parse_json(b"[%b]" % piece), np.int64)
        if rows.ndim != 2 or not rows.size or (found and rows.shape[1] != found[0].shape[1]):
            raise ValueError
        found.append(rows)
        start = cut.end() if cut else stop
    return found
