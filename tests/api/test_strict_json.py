"""What is strict about the parser, and that looking at large numbers alone overlooks none."""

import math
import random
import struct
from typing import Any

import pytest

from app.files import strict_json
from app.files.strict_json import UnreadableJsonError, parse_json
from tests.api.refusals.test_bad_json import INTEGERS, UNREAD, shaped

TEXTS = {
    "repeated name below": b'[{"a": {"b": 1, "b": 2}}, 0]',
    "repeated name that is escaped": b'{"a": 1, "\\u0061": 2}',
    "repeated name, colons in strings": b'{"a:": ":", "b": "::", "a:": ""}',
    "repeated name, escaped colon": b'{"a": 1, "a": "\\u003a"}',
    "colons in names and values": b'{"a:b": "onednn:aBcd16b", "c": [":", [{"::": 1}], 2]}',
    "integer of 4299 digits": shaped("9" * 4299),
    "integer of 4300 digits": shaped("9" * 4300),
    "integer of 4301 digits": shaped("-" + "1" * 4301),
    "float of 400 digits": shaped("9" * 400 + ".0"),
    "float of 309 digits and an exponent": shaped("0." + "0" * 400 + "1e+401"),
    "largest float": shaped("1.7976931348623157e308"),
    "just too large": shaped("1.7976931348623159e308"),
    "large exponent with zeros": shaped("1E+000000400"),
    "small exponent with zeros": shaped("1e-000000400"),
    "exponent in capitals": shaped("1E400"),
    "smallest floats": b"[5e-324, 2e-324, -2e-324, -0.0, -0]",
    "zero of exponent": b"[0e999999999, -0E+999]",
    "pair of surrogates": b'["\\ud83d\\ude00", "\\uD83D\\uDE00"]',
    "pair the wrong way round": b'["\\ude00\\ud83d", 0]',
    "surrogate in UTF-8": b'["\xed\xa0\x80", 0]',
    "byte order mark": b"\xef\xbb\xbf[1, 2]",
    "space that is no JSON": b"\x0c[1, 2]\xc2\xa0",
    "201 deep": b"[" * 201 + b"]" * 201,
    "900 deep": b"[" * 900 + b"]" * 900,
    "zero byte at the end": b"[1, 2]\x00",
    "delete character": b'["\x7f", 0]',
}
SEEDS = (
    b'{"tensor": {"shape": [2, 3.5e2, -1], "layout": "HW \xc3\xa9", "dims": null}, "a:b": [true]}',
    b'[1, {"a": {"b": [1.5, 2, "q"]}, "\\u00e9": "\\ud83d\\ude00"}, 12345678901234567890123]',
    b'{"shape": [0, 3], "layout": {"strides": [1, -2], "offset": 1e5}, "x": [{}, {"y": ":"}]}',
)


def outcome(parse: Any, body: bytes) -> Any:
    """What comes of a body, comparable: bits of floats, order of names, errors and positions."""
    try:
        value = parse(body)
    except UnreadableJsonError as error:
        return "refused", str(error), error.position
    flat: list[Any] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            flat.append(("object", len(item)))
            pending += [part for pair in item.items() for part in pair]
        elif isinstance(item, list):
            flat.append(("array", len(item)))
            pending += item
        else:
            flat.append((type(item), struct.pack("d", item) if type(item) is float else item))
    return flat


def strictly(body: bytes) -> Any:
    """Every number through its hook, as if each could be large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_json, "_MANY_DIGITS", b"")
        return parse_json(body)


def test_no_large_number_is_overlooked() -> None:
    for body in [*TEXTS.values(), *UNREAD.values(), *map(shaped, INTEGERS)]:
        assert outcome(parse_json, body) == outcome(strictly, body)
    chance = random.Random(8)  # noqa: S311  # examples, not secrets
    for _ in range(2000):
        text = bytearray(chance.choice(SEEDS))
        for _ in range(chance.randrange(1, 4)):
            at, end = sorted(chance.sample(range(len(text)), 2))
            text[at:at] = chance.choice((b"e4", b"0" * 99, b"E+", b"9", text[at:end]))
        body = bytes(text)
        assert outcome(parse_json, body) == outcome(strictly, body)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zero of exponent", [0.0, -0.0]),
        ("integer of 4299 digits", {"layout": "HW", "shape": [int("9" * 4299), 3]}),
        ("largest float", {"layout": "HW", "shape": [1.7976931348623157e308, 3]}),
        ("pair of surrogates", ["\U0001f600"] * 2),
        ("just too large", "a number is beyond the range of float64"),
        ("repeated name that is escaped", "an object repeats a name"),
        ("pair the wrong way round", "a string holds half of a surrogate pair"),
    ],
)
def test_what_is_read(text: str, value: Any) -> None:
    if isinstance(value, str):
        with pytest.raises(UnreadableJsonError, match=value):
            parse_json(TEXTS[text])
    else:
        assert parse_json(TEXTS[text]) == value


def test_floats_are_rounded_as_python_rounds_them() -> None:
    chance = random.Random(8)  # noqa: S311  # examples, not secrets
    floats = [struct.unpack("d", chance.randbytes(8))[0] for _ in range(5000)]
    texts = [repr(number) for number in floats if math.isfinite(number) and abs(number) < 1e99]
    texts += [f"{chance.getrandbits(99)}.{chance.getrandbits(99)}e-{i % 340}" for i in range(2500)]
    # Halfway between two neighbours, where one digit too few decides wrongly.
    texts += [str((1 << 53) + chance.getrandbits(52) * 2 + 1) + ".0" for _ in range(2500)]
    body = ("[" + ", ".join(texts) + "]").encode()
    assert outcome(parse_json, body) == outcome(lambda _: [float(text) for text in texts], body)
