"""Strict JSON by RFC 8259 and I-JSON: refuses what two readers could understand differently.

There are two parsers. The fast one is pydantic's. Its result is used only for texts that contain
nothing that it overlooks. The other is the standard library's, whose hooks see each number and
each object. Only this one refuses a text and gives the position of the error.
docs/decisions/0011-two-json-parsers.md has the measurements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

from pydantic_core import from_json

from ..engine.model.errors import Phrase

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# Python does not convert longer integers, because that takes too much time.
_MOST_DIGITS = 4299
# With every digit replaced by 0, a search for digits is a fast search for bytes.
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789E", b"000000000e")
# A number beyond float64, or an integer of too many digits, contains one of these two.
_LARGE_EXPONENT = re.compile(rb"e\+?000")
_MANY_DIGITS = b"0" * 200

TOO_DEEP = Phrase("json.deep", "the JSON is nested too deep")
_EMPTY = Phrase("json.empty", "got an empty body; expected a JSON object")
_SURROGATE = Phrase("json.surrogate", "a string holds half of a surrogate pair")
_TOO_LARGE = Phrase("json.number", "a number is beyond the range of float64")
_REPEATED = Phrase("json.repeated", "an object repeats a name")


class UnreadableJsonError(ValueError):
    """Text that is not strict JSON.

    ``position``: 0-based character of the error (byte, if the text is not UTF-8), or None.
    """

    def __init__(self, problem: Phrase, position: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.position = position


def parse_json(body: bytes) -> Any:
    """Return the value of ``body``; integers are exact, floats are finite.

    Errors: UnreadableJsonError for malformed or too deeply nested text, NaN, Infinity, 1e400,
    repeated names, lone surrogates, bytes that are not UTF-8.
    """
    if _is_plain(body):
        with suppress(ValueError):
            value = from_json(body, allow_inf_nan=False)
            if _has_every_name(value, body):
                return value
    return parse_slowly(body)


def parse_slowly(body: bytes) -> Any:
    """Do the same as ``parse_json`` with the standard library alone."""
    if not body.strip():
        raise UnreadableJsonError(_EMPTY)
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        said = Phrase("json.utf8", "the body is not UTF-8 at byte {at}", at=error.start)
        raise UnreadableJsonError(said, error.start) from None
    except json.JSONDecodeError as error:
        text = "malformed JSON: {reason} at line {line}, column {column}"
        line, column = error.lineno, error.colno
        said = Phrase("json.malformed", text, reason=error.msg, line=line, column=column)
        raise UnreadableJsonError(said, error.pos) from None
    except RecursionError:
        raise UnreadableJsonError(TOO_DEEP) from None
    if _ESCAPED_SURROGATE.search(body):
        _refuse_lone_surrogates(value)
    return value


def _is_plain(body: bytes) -> bool:
    """Whether no number can be too large, and no character is escaped.

    The fast parser reads 1e400 as infinity, and converts integers of any length, however long
    that takes.
    """
    zeros = body.translate(_DIGITS_AS_ZERO)
    return not (b"\\" in body or _MANY_DIGITS in zeros or _LARGE_EXPONENT.search(zeros))


def _has_every_name(value: Any, body: bytes) -> bool:
    """Whether ``value`` has as many names as the text, so that no name was repeated.

    In the text, one colon follows each name, and all other colons are inside strings. The fast
    parser keeps only the last of equal names. Then ``value`` has fewer names and colons in
    strings than the text has colons.
    """
    missing = body.count(b":")
    objects: list[dict[str, Any]] = []
    lists: list[Iterable[Any]] = [(value,)]
    while missing and (objects or lists):
        if objects:
            item = objects.pop()
            missing -= len(item) + sum(name.count(":") for name in item)
            parts: Iterable[Any] = item.values()
        else:
            parts = lists.pop()  # last: lists are long, and usually no colon is missing by then
        for part in parts:
            kind = type(part)
            if kind is str:
                missing -= part.count(":")
            elif kind is dict:
                objects.append(part)
            elif kind is list:
                lists.append(part)
    return not missing


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise UnreadableJsonError(_SURROGATE) from None


def _finite(text: str) -> float:
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise UnreadableJsonError(_TOO_LARGE)
    return value


def _integer(text: str) -> int:
    # No field accepts so long an integer. Errors report only its sign and its length.
    digits = text.lstrip("-")
    if len(digits) <= _MOST_DIGITS:
        return int(text)
    magnitude: int = 1 << (len(digits) * 10 // 3)
    return -magnitude if text[0] == "-" else magnitude


def _constant(name: str) -> NoReturn:
    raise UnreadableJsonError(Phrase("json.constant", "{name} is not a JSON number", name=name))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableJsonError(_REPEATED)
    return found


_DECODER = json.JSONDecoder(
    parse_float=_finite, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object
)
