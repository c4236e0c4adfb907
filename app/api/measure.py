"""How much memory the objects of a JSON text will take, from its bytes alone.

A few bytes can make an object of hundreds: `[]` takes 72, an unknown name more. So a text is
counted before it is parsed, in pieces and without an object for each value.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from ..engine.model.errors import Phrase
from .problems import RefusedError
from .strict_json import TOO_DEEP, UnreadableJsonError

MAX_BYTES: Final = 256 << 20  # of all objects of one body
MAX_DEPTH: Final = 500
_PIECE: Final = 1 << 18
_ESCAPED: Final = re.compile(rb"\\.", re.DOTALL)
_NO_BRACKETS: Final = bytes(sorted(set(range(256)) - set(b"[]{}")))
# What CPython takes on a 64-bit machine: headers of the collector and growth included.
_LIST_BYTES: Final = 72
_DICT_BYTES: Final = 112
_NAME_BYTES: Final = 112  # a text, and its share of a dict that has grown
_SLOT_BYTES: Final = 8
_VALUE_BYTES: Final = 32
_TEXT_BYTES: Final = 64
_ERROR_BYTES: Final = 1400


class Measure:
    """Counts a text, piece by piece."""

    def __init__(self) -> None:
        self._ascii = True
        self.lists = self.dicts = self.names = self.commas = self.texts = self.text_bytes = 0
        self._depth = 0
        self._in_text = False
        self._escapes = False

    def feed(self, piece: bytes) -> None:
        """Count the next piece. Errors: RefusedError, UnreadableJsonError."""
        self._ascii = self._ascii and piece.isascii()
        outside = self._outside(piece)
        lists, dicts = outside.count(b"["), outside.count(b"{")
        self.lists += lists
        self.dicts += dicts
        self.names += outside.count(b":")
        self.commas += outside.count(b",")
        if lists or dicts or self._depth:
            self._count_depth(outside)
        if self.size_bytes > MAX_BYTES:
            said = "its values would take over {got} bytes of memory; expected at most {most}"
            phrase = Phrase("bytes.values", said, got=self.size_bytes, most=MAX_BYTES)
            raise RefusedError(413, "body", phrase)

    @property
    def values(self) -> int:
        """How many values the text has, or a few more."""
        return self.commas + self.lists + self.dicts + 1

    @property
    def refusal_bytes(self) -> int:
        """What pydantic takes to refuse each value, and two fields that each object lacks."""
        return (self.values + 2 * self.dicts) * _ERROR_BYTES

    @property
    def size_bytes(self) -> int:
        """All objects that the text makes."""
        values = self.values
        return (
            self.lists * _LIST_BYTES
            + self.dicts * _DICT_BYTES
            + self.names * _NAME_BYTES
            + values * _SLOT_BYTES
            + max(values - self.lists - self.dicts - self.texts, 0) * _VALUE_BYTES
            + self.texts * _TEXT_BYTES
            + self.text_bytes * (1 if self._ascii else 4)
        )

    def _outside(self, piece: bytes) -> bytes:
        """What of ``piece`` is outside of texts; counts the texts."""
        if self._escapes:
            piece = piece[1:]
            self._escapes = False
        if b"\\" in piece:
            piece = _ESCAPED.sub(b"", piece)
            if piece.endswith(b"\\"):
                self._escapes = True
        if b'"' not in piece:
            self.text_bytes += len(piece) if self._in_text else 0
            return b"" if self._in_text else piece
        parts = piece.split(b'"')
        outside = b"".join(parts[1 if self._in_text else 0 :: 2])
        self.text_bytes += len(piece) - len(outside) - len(parts) + 1
        quotes = len(parts) - 1
        self.texts += quotes // 2 if self._in_text else (quotes + 1) // 2
        self._in_text ^= len(parts) % 2 == 0
        return outside

    def _count_depth(self, outside: bytes) -> None:
        brackets = np.frombuffer(outside.translate(None, _NO_BRACKETS), np.uint8)
        steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
        depths = np.cumsum(steps)
        if len(depths):
            if self._depth + int(depths.max()) > MAX_DEPTH:
                raise UnreadableJsonError(TOO_DEEP)
            self._depth += int(depths[-1])


def measure(body: bytes | bytearray) -> Measure:
    """Count a whole text. Errors: RefusedError, UnreadableJsonError."""
    found = Measure()
    for start in range(0, len(body), _PIECE):
        found.feed(bytes(body[start : start + _PIECE]))
    return found
