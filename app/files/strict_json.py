"""Strict JSON by RFC 8259 and I-JSON: refuses what two readers could understand differently.

docs/decisions/0001-strict-json.md says why it is the standard library's parser.
"""

import json
import re
from typing import Any, NoReturn

from ..engine.model.errors import Phrase, phrase

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# Python does not convert longer integers, because that takes too much time.
_MOST_DIGITS = 4299
# With every digit replaced by 0, a search for digits is a fast search for bytes.
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789E", b"000000000e")
# A number beyond float64, or an integer of too many digits, contains one of these two.
_LARGE_EXPONENT = re.compile(rb"e\+?000")
_MANY_DIGITS = b"0" * 200

TOO_DEEP = phrase("json.deep")


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
    if not body.strip():
        raise UnreadableJsonError(phrase("json.empty"))
    zeros = body.translate(_DIGITS_AS_ZERO)
    has_large = _MANY_DIGITS in zeros or _LARGE_EXPONENT.search(zeros)
    try:
        value = (_LARGE if has_large else _USUAL).decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UnreadableJsonError(phrase("json.utf8", at=error.start), error.start) from None
    except json.JSONDecodeError as error:
        line, column = error.lineno, error.colno
        said = phrase("json.malformed", reason=error.msg, line=line, column=column)
        raise UnreadableJsonError(said, error.pos) from None
    except RecursionError:
        raise UnreadableJsonError(TOO_DEEP) from None
    if _ESCAPED_SURROGATE.search(body):
        _refuse_lone_surrogates(value)
    return value


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise UnreadableJsonError(phrase("json.surrogate")) from None


def _finite(text: str) -> float:
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise UnreadableJsonError(phrase("json.number"))
    return value


def _integer(text: str) -> int:
    # No field accepts so long an integer. Errors report only its sign and its length.
    digits = text.lstrip("-")
    if len(digits) <= _MOST_DIGITS:
        return int(text)
    magnitude: int = 1 << (len(digits) * 10 // 3)
    return -magnitude if text[0] == "-" else magnitude


def _constant(name: str) -> NoReturn:
    raise UnreadableJsonError(phrase("json.constant", name=name))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableJsonError(phrase("json.repeated"))
    return found


# A function called for each number takes thrice the time of all else.
_USUAL = json.JSONDecoder(parse_constant=_constant, object_pairs_hook=_object)
_LARGE = json.JSONDecoder(
    parse_float=_finite, parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object
)
