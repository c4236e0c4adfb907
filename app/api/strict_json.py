"""JSON as RFC 8259 and I-JSON have it: nothing that two readers could understand differently.

The standard library's parser, because it keeps integers of any length exact, so that they can
be refused for what they are; the faster parsers turn 2^64 into a float.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

# Python refuses to convert integers of more digits, for the time that takes. A run of digits is
# tried at its start alone: at each of its digits that would be quadratic.
_ENDLESS_INTEGER = re.compile(rb"(?<![0-9])[0-9]{4300}")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class UnreadableJsonError(ValueError):
    """Text that is not JSON; ``position`` is the character at fault, None where it has none."""

    def __init__(self, problem: str, position: int | None = None) -> None:
        super().__init__(problem)
        self.position = position


def parse_json(body: bytes) -> Any:
    """The value of ``body``; integers exact, floats finite.

    Errors: UnreadableJsonError for malformed or too deep text, NaN, Infinity, 1e400, repeated
    names, lone surrogates, bytes that are not UTF-8.
    """
    if not body.strip():
        raise UnreadableJsonError("got an empty body; expected a JSON object")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableJsonError("the body is not UTF-8", error.start) from None
    try:
        value = (_PATIENT if _ENDLESS_INTEGER.search(body) else _QUICK).decode(text)
    except json.JSONDecodeError as error:
        raise UnreadableJsonError(f"malformed JSON: {error.msg}", error.pos) from None
    except RecursionError:
        raise UnreadableJsonError("the JSON is nested too deep") from None
    if _ESCAPED_SURROGATE.search(body):
        _refuse_lone_surrogates(value)
    return value


def _refuse_lone_surrogates(value: Any) -> None:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            try:
                item.encode("utf-8")
            except UnicodeEncodeError:
                raise UnreadableJsonError("a string holds half of a surrogate pair") from None
        elif isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend(item)
            pending.extend(item.values())


def _finite(text: str) -> float:
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise UnreadableJsonError("a number is beyond the range of float64")
    return value


def _integer(text: str) -> int:
    # Nothing that long is accepted anywhere: the sign and the length are all that is reported.
    digits = text.lstrip("-")
    if len(digits) < 4300:
        return int(text)
    magnitude: int = 1 << (len(digits) * 10 // 3)
    return -magnitude if text[0] == "-" else magnitude


def _constant(name: str) -> NoReturn:
    raise UnreadableJsonError(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableJsonError("an object repeats a name")
    return found


def _decoder(parse_int: Callable[[str], int] | None) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_float=_finite,
        parse_int=parse_int,
        parse_constant=_constant,
        object_pairs_hook=_object,
    )


_QUICK = _decoder(None)
_PATIENT = _decoder(_integer)
