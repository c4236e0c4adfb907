"""Answers as the bytes of JSON."""

from __future__ import annotations

import json
from typing import Any

import orjson

from ..contract.listed import Listed
from ..contract.plain import plain


def encode(value: Any) -> bytes:
    """Return an answer as JSON; integers may have any size."""
    try:
        return orjson.dumps(value, _in_parts, orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:
        # orjson encodes at most 64 bits, and the bytes of a buffer of 2^62 doubles need more.
        return json.dumps(value, separators=(",", ":"), default=plain).encode()


def _in_parts(value: Any) -> orjson.Fragment:
    if not isinstance(value, Listed):
        raise TypeError
    parts = (orjson.dumps(part)[1:-1] for part in value.parts())
    return orjson.Fragment(b"[" + b",".join(parts) + b"]")
