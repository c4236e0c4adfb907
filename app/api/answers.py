"""Answers as bytes: encoded as JSON, tagged, and kept for a question that is asked again.

orjson reserves 256 bytes for each entry of a list, and writes on where it gets no memory. So long
lists are encoded a few thousand entries at a time, and Python joins the parts.

An answer is kept under the exact bytes of its question. So two questions that only mean the same,
such as `1` and `1.0` or another order of names, are two. Errors are never kept.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import orjson
from starlette.responses import Response

from ..contract.shapes import Listed, plain
from ..negotiation import is_known

JSON: Final = "application/json"
_MOST_ENTRIES: Final = 1 << 12
_MOST_QUESTION_BYTES: Final = 4096
_MOST_ANSWER_BYTES: Final = 1 << 18
_OVERHEAD_BYTES: Final = 1024  # what Python keeps beside the bytes of a question and its answer


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


def cacheable(body: bytes, media: str, known: str) -> Response:
    """An answer with an ETag, or 304 if ``known``, an If-None-Match, names it."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "public, max-age=0, must-revalidate"}
    if is_known(etag, known):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media, headers=headers)


class Answers:
    """At most ``most_bytes`` of answers; what was not asked for longest is dropped first."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.held_bytes = self.hits = self.misses = self.dropped = 0
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()

    def find(self, question: bytes) -> bytes | None:
        """The answer to a question, which counts as used now."""
        found = self._kept.get(question)
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        self._kept.move_to_end(question)
        return found

    def keep(self, question: bytes, body: bytes) -> None:
        """Keep an answer, if it is not too large and not kept already."""
        size_bytes = _size(question, body)
        is_long = len(body) > _MOST_ANSWER_BYTES or len(question) > _MOST_QUESTION_BYTES
        if is_long or size_bytes > self.most_bytes or question in self._kept:
            return
        self.held_bytes += size_bytes
        self._kept[question] = body
        while self.held_bytes > self.most_bytes:
            self.held_bytes -= _size(*self._kept.popitem(last=False))
            self.dropped += 1


def _size(question: bytes, body: bytes) -> int:
    return len(question) + len(body) + _OVERHEAD_BYTES
