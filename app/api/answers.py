"""Keeps the bodies of answers, so that a question asked again is not worked out again.

An answer is kept under the exact bytes of its question. So two questions that only mean the same,
such as `1` and `1.0` or another order of names, are two. Errors are never kept.
"""

from collections import OrderedDict
from typing import Final

_MOST_QUESTION_BYTES: Final = 4096
_MOST_ANSWER_BYTES: Final = 1 << 18
_OVERHEAD_BYTES: Final = 1024  # what Python keeps beside the bytes


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
        """Keep an answer, if it is not too large."""
        size_bytes = _size(question, body)
        is_long = len(body) > _MOST_ANSWER_BYTES or len(question) > _MOST_QUESTION_BYTES
        if is_long or size_bytes > self.most_bytes:
            return
        before = self._kept.pop(question, None)
        self.held_bytes += size_bytes - (0 if before is None else _size(question, before))
        self._kept[question] = body
        while self.held_bytes > self.most_bytes:
            self.held_bytes -= _size(*self._kept.popitem(last=False))
            self.dropped += 1


def _size(question: bytes, body: bytes) -> int:
    return len(question) + len(body) + _OVERHEAD_BYTES
