"""What the strict parser cannot read is 400, what it reads but the model refuses is 422."""

import gzip
import time
from contextlib import suppress

import httpx2
import pytest

from app.contract.operations import OPERATIONS, Operation
from app.files.strict_json import UnreadableJsonError, parse_json
from tests.api.refusals.problems import DIGITS, MARKER, assert_problem, refused
from tests.api.twin import API


def shaped(text: str) -> bytes:
    return b'{"layout": "HW", "shape": [' + text.encode() + b", 3]}"


GOOD = shaped("2")
UNREAD = {
    "empty": b"",
    "blank": b" \n\t",
    "malformed": b'{"shape": [2, 3',
    "unquoted-word": b'{"shape": ' + MARKER.encode() + b"}",
    "single-quotes": b"{'shape': [2, 3]}",
    "trailing-comma": b'{"shape": [2, 3,], "layout": "HW"}',
    "trailing-garbage": GOOD + MARKER.encode(),
    "two-documents": GOOD + b"{}",
    "comment": b'{"shape": [2, 3], /* note */ "layout": "HW"}',
    "NaN": shaped("NaN"),
    "Infinity": shaped("Infinity"),
    "minus-Infinity": shaped("-Infinity"),
    "1e400": shaped("1e400"),
    "minus-1e400": shaped("-1e400"),
    "leading-zero": shaped("02"),
    "hexadecimal": shaped("0x10"),
    "plus-sign": shaped("+2"),
    "lone-high-surrogate": b'{"shape": [2, 3], "layout": "\\ud800"}',
    "lone-low-surrogate": b'{"shape": [2, 3], "layout": "HW\\udc00"}',
    "lone-surrogate-in-a-key": b'{"shape": [2, 3], "layout": "HW", "\\ud800": 1}',
    "not-UTF-8": b'{"shape": [2, 3], "layout": "\xff\xfe"}',
    "overlong-UTF-8": b'{"shape": [2, 3], "layout": "\xc0\xaf"}',
    "UTF-16": '{"shape": [2, 3], "layout": "HW"}'.encode("utf-16"),
    "raw-control-character": b'{"shape": [2, 3], "layout": "H\x00W"}',
    "deep-array": b"[" * 100_000 + b"]" * 100_000,
    "deep-array-unclosed": b"[" * 100_000,
    "deep-object": b'{"shape":' * 100_000 + b"1" + b"}" * 100_000,
    "deep-shape": b'{"shape": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep-unknown-field": b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "duplicate-key": b'{"shape": [2, 3], "layout": "HW", "shape": [3, 2]}',
}


@pytest.mark.parametrize("body", UNREAD.values(), ids=UNREAD.keys())
def test_unreadable_body(client: httpx2.Client, body: bytes) -> None:
    refused(client, "/describe", body, "body", status=400)


@pytest.mark.parametrize(
    ("body", "said", "position"),
    [
        (b'{"shape": [2, 6],\n "layout": x}', "at line 2, column 12", 29),
        (b'{"shape": [2 6]}', "at line 1, column 14", 13),
        ('{"ä": \n\n}'.encode(), "at line 3, column 1", 8),
        (b'{"shape": "\xff"}', "at byte 11", 11),
    ],
)
def test_what_is_not_json_is_shown_its_place(
    client: httpx2.Client, body: bytes, said: str, position: int
) -> None:
    [error] = refused(client, "/describe", body, "body", status=400)["errors"]
    assert error["message"].endswith(said)
    assert error["position"] == position


@pytest.mark.parametrize("path", ["describe", "graph", "plan"])
def test_an_encoded_body_is_refused_as_one(client: httpx2.Client, path: str) -> None:
    for coding in ("gzip", "br", "deflate", "gzip, identity"):
        headers = {"content-type": "application/json", "content-encoding": coding}
        answer = client.post(f"{API}/{path}", content=gzip.compress(GOOD), headers=headers)
        assert assert_problem(answer, 415, "Content-Encoding")["code"] == "media.encoded"
        assert answer.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_every_call_reads_strictly_and_needs_an_object(
    client: httpx2.Client, operation: Operation
) -> None:
    path, fields = f"/{operation.name}", operation.request.model_fields
    for body in (b"", b"[" * 100_000, b'{"a": NaN}', b'{"a": "\\ud800"}', b'{"a": "\xff"}'):
        refused(client, path, body, "body", status=400)
    for body in (b"[]", b"null", b"1", b'"' + MARKER.encode() + b'"'):
        refused(client, path, body, "body")
    needed = [name for name, field in fields.items() if field.is_required()]
    refused(client, path, b"{}", *needed)
    text = client.post(f"{API}{path}", content=GOOD, headers={"content-type": "text/plain"})
    assert_problem(text, 415, "Content-Type")


INTEGERS = [str(2**63), str(-(2**63) - 1), str(2**64), DIGITS * 5, "1" + "0" * 400]
INTEGERS += ["-1" + "0" * 400, "9" * 100_000]


@pytest.mark.parametrize("digits", INTEGERS, ids=len)
def test_integer_beyond_int64(client: httpx2.Client, digits: str) -> None:
    refused(client, "/describe", shaped(digits), "shape[0]")
    body = f'{{"shape": [2, 3], "layout": {{"strides": [{digits}, 1]}}}}'
    refused(client, "/describe", body.encode(), "layout.strides[0]")
    body = f'{{"tensor": {{"shape": [2], "layout": "W"}}, "offsets": [0, {digits}]}}'
    refused(client, "/coordinates", body.encode(), "offsets[1]")


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        *(("application/json; charset=utf-8", 200), ("Application/JSON", 200)),
        *(("application/x-www-form-urlencoded", 415), ("application/xml", 415), ("a/b/c", 415)),
    ],
)
def test_only_json_is_read(client: httpx2.Client, content_type: str, status: int) -> None:
    headers = {"content-type": content_type}
    assert client.post(f"{API}/describe", content=GOOD, headers=headers).status_code == status


def text_of(entry: bytes, size_bytes: int) -> bytes:
    return b"[" + b",".join([entry] * (size_bytes // (len(entry) + 1))) + b"]"


HOSTILE_ENTRIES = {
    "integers": b"1" * 4299,
    "digits-in-strings": b'"' + b"1" * 4299 + b'"',
    "fractions": b"0." + b"1" * 4299,
    "exponents": b"1e-" + b"0" * 4299,
    "endless-integers": b"-" + b"1" * 4300,
    "one-endless-integer": b"1" * 2_000_000,
    "backslashes": b'"' + b"\\" * 2_000_000 + b'"',
    "escaped-surrogates": b'"' + b"\\ud83d\\ude00" * 150_000 + b'"',
    "halves-of-surrogates": b'"' + b"\\ud83d" * 300_000 + b'"',
    "minus-signs": b"-" * 2_000_000,
}


@pytest.mark.parametrize("entry", HOSTILE_ENTRIES.values(), ids=HOSTILE_ENTRIES.keys())
def test_no_body_takes_longer_than_its_length_explains(entry: bytes) -> None:
    """Against a plain body of the same length, read in the same process; 20 times is generous:
    most take as long as it, the search for long integers once took over 100 times as long."""

    def seconds(body: bytes) -> float:
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            with suppress(UnreadableJsonError):
                parse_json(body)
            best = min(best, time.process_time() - began)
        return best

    plain = seconds(text_of(b'"abcdefgh"', 2_000_000))
    assert seconds(text_of(entry, 2_000_000 + len(entry))) < 20 * plain


@pytest.mark.parametrize("digits", [4299, 4300, 4301, 100_000])
@pytest.mark.parametrize("before", ["", "-", "0, ", "1" * 4299 + ", "], ids=len)
def test_integers_are_read_however_long(digits: int, before: str) -> None:
    value = parse_json(f"[{before}{'1' * digits}]".encode())[-1]
    assert type(value) is int
    assert abs(value) >= 10**4298
    assert (value < 0) == (before == "-")
    assert digits > 4299 or abs(value) == int("1" * digits)
