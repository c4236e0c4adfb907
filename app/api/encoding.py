"""Answers as the bytes of JSON, encoded in bounded parts.

orjson reserves 256 bytes for each entry of a list, and writes on where it gets no memory. So long
lists are encoded a few thousand entries at a time, and Python joins the parts.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import orjson

from ..contract.plain import Listed, plain

_MOST_ENTRIES: Final = 1 << 12


def encode(value: Any) -> bytes:
    """Return an answer as JSON; integers may have any size."""
    return b"".join(_parts(value))


def _parts(value: Any) -> Iterator[bytes | memoryview]:
    if isinstance(value, dict):
        comma = b"{"
        for name, entry in value.items():
            yield comma + orjson.dumps(name) + b":"
            yield from _parts(entry)
            comma = b","
        yield b"}" if value else b"{}"
    elif isinstance(value, Listed):
        yield from _joined(value.parts())
    elif isinstance(value, list | tuple | np.ndarray) and len(value) > _MOST_ENTRIES:
        starts = range(0, len(value), _MOST_ENTRIES)
        yield from _joined(value[start : start + _MOST_ENTRIES] for start in starts)
    else:
        yield _dumped(value)


def _joined(parts: Iterator[Any]) -> Iterator[bytes | memoryview]:
    comma = b"["
    for part in parts:
        yield comma
        yield memoryview(_dumped(part))[1:-1]
        comma = b","
    yield b"[]" if comma == b"[" else b"]"


def _dumped(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:
        # orjson encodes at most 64 bits, and the bytes of a buffer of 2^62 doubles need more.
        return json.dumps(value, separators=(",", ":"), default=plain).encode()
