"""What the strict parser cannot read is 400, what it reads but the model refuses is 422."""

import gzip
import time
from contextlib import suppress
from dataclasses import dataclass

import httpx2
import pytest

from app.files.strict_json import UnreadableJsonError, parse_json
from tests.api.refusals.problems import MARKER, assert_problem, refused

PATHS = ("/describe", "/offsets", "/coordinates", "/slice", "/reorder")


@dataclass(frozen=True, slots=True)
class Unread:
    id: str
    body: bytes
    status: int = 400
    fields: tuple[str, ...] = ("body",)


def shaped(text: str) -> bytes:
    return b'{"layout": "HW", "shape": [' + text.encode() + b", 3]}"


UNREAD = [
    Unread("empty-body", b""),
    Unread("blank-body", b" \n\t"),
    Unread("malformed", b'{"shape": [2, 3'),
    Unread("unquoted-word", b'{"shape": ' + MARKER.encode() + b"}"),
    Unread("single-quotes", b"{'shape': [2, 3]}"),
    Unread("trailing-comma", b'{"shape": [2, 3,], "layout": "HW"}'),
    Unread("trailing-garbage", b'{"shape": [2, 3], "layout": "HW"} ' + MARKER.encode()),
    Unread("two-documents", b'{"shape": [2, 3], "layout": "HW"}{}'),
    Unread("comment", b'{"shape": [2, 3], /* note */ "layout": "HW"}'),
    Unread("NaN", shaped("NaN")),
    Unread("Infinity", shaped("Infinity")),
    Unread("minus-Infinity", shaped("-Infinity")),
    Unread("1e400", shaped("1e400")),
    Unread("minus-1e400", shaped("-1e400")),
    Unread("leading-zero", shaped("02")),
    Unread("hexadecimal", shaped("0x10")),
    Unread("plus-sign", shaped("+2")),
    Unread("lone-high-surrogate", b'{"shape": [2, 3], "layout": "\\ud800"}'),
    Unread("lone-low-surrogate", b'{"shape": [2, 3], "layout": "HW\\udc00"}'),
    Unread("lone-surrogate-in-a-key", b'{"shape": [2, 3], "layout": "HW", "\\ud800": 1}'),
    Unread("not-UTF-8", b'{"shape": [2, 3], "layout": "\xff\xfe"}'),
    Unread("overlong-UTF-8", b'{"shape": [2, 3], "layout": "\xc0\xaf"}'),
    Unread("UTF-16", '{"shape": [2, 3], "layout": "HW"}'.encode("utf-16")),
    Unread("raw-control-character", b'{"shape": [2, 3], "layout": "H\x00W"}'),
    Unread("deep-array", b"[" * 100_000 + b"]" * 100_000),
    Unread("deep-array-unclosed", b"[" * 100_000),
    Unread("deep-object", b'{"shape":' * 100_000 + b"1" + b"}" * 100_000),
    Unread("deep-shape", b'{"shape": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    Unread("deep-unknown-field", b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    Unread("null-document", b"null", 422),
    Unread("array-document", b"[]", 422),
    Unread("string-document", b'"' + MARKER.encode() + b'"', 422),
    Unread("number-document", b"7", 422),
    Unread("empty-object", b"{}", 422, ("shape", "layout")),
    Unread("duplicate-key", b'{"shape": [2, 3], "layout": "HW", "shape": [3, 2]}'),
]


@pytest.mark.parametrize("row", UNREAD, ids=lambda row: row.id)
def test_unreadable_body(client: httpx2.Client, row: Unread) -> None:
    refused(client, "/describe", row.body, *row.fields, status=row.status)


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


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "gzip, identity"])
@pytest.mark.parametrize("path", ["describe", "graph", "plan"])
def test_an_encoded_body_is_refused_as_one(client: httpx2.Client, path: str, coding: str) -> None:
    body = gzip.compress(b'{"shape": [2, 6], "layout": "HW"}')
    headers = {"content-type": "application/json", "content-encoding": coding}
    answer = client.post(f"/api/v1/{path}", content=body, headers=headers)
    found = assert_problem(answer, 415, "Content-Encoding")
    assert found["code"] == "media.encoded"
    assert answer.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    [b"", b"[" * 100_000, b'{"a": NaN}', b'{"a": "\\ud800"}', b'{"a": "\xff"}'],
    ids=["empty", "deep", "NaN", "surrogate", "not-UTF-8"],
)
def test_every_call_reads_strictly(client: httpx2.Client, path: str, body: bytes) -> None:
    refused(client, path, body, "body", status=400)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [b"[]", b"null", b"1"])
def test_every_call_refuses_a_body_that_is_no_object(
    client: httpx2.Client, path: str, body: bytes
) -> None:
    refused(client, path, body, "body")


NEEDED = {
    "/describe": ("shape", "layout"),
    "/offsets": ("tensor", "coordinates"),
    "/coordinates": ("tensor", "offsets"),
    "/slice": ("tensor",),
    "/reorder": ("source", "target"),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_call_names_the_members_that_it_needs(client: httpx2.Client, path: str) -> None:
    refused(client, path, b"{}", *NEEDED[path])


INTEGERS = {
    "2^63": str(2**63),
    "minus-2^63-minus-1": str(-(2**63) - 1),
    "2^64": str(2**64),
    "marked": "918273645" * 5,
    "10^400": "1" + "0" * 400,
    "minus-10^400": "-1" + "0" * 400,
}


@pytest.mark.parametrize("digits", INTEGERS.values(), ids=INTEGERS.keys())
def test_integer_beyond_int64_in_a_shape(client: httpx2.Client, digits: str) -> None:
    refused(client, "/describe", shaped(digits), "shape[0]")


@pytest.mark.parametrize("digits", INTEGERS.values(), ids=INTEGERS.keys())
def test_integer_beyond_int64_in_a_stride(client: httpx2.Client, digits: str) -> None:
    body = f'{{"shape": [2, 3], "layout": {{"strides": [{digits}, 1]}}}}'
    refused(client, "/describe", body.encode(), "layout.strides[0]")


@pytest.mark.parametrize("digits", INTEGERS.values(), ids=INTEGERS.keys())
def test_integer_beyond_int64_among_offsets(client: httpx2.Client, digits: str) -> None:
    body = f'{{"tensor": {{"shape": [2], "layout": "W"}}, "offsets": [0, {digits}]}}'
    refused(client, "/coordinates", body.encode(), "offsets[1]")


def test_integer_of_100000_digits(client: httpx2.Client) -> None:
    refused(client, "/describe", shaped("9" * 100_000), "shape[0]")


CONTENT_TYPES = ["text/plain", "application/x-www-form-urlencoded", "application/xml", "a/b/c"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_wrong_content_type(client: httpx2.Client, path: str, content_type: str) -> None:
    response = client.post(
        f"/api/v1{path}",
        content=b'{"shape": [2, 3], "layout": "HW"}',
        headers={"content-type": content_type},
    )
    assert response.status_code == 415
    assert response.headers["content-type"].startswith("application/problem+json")


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json"]
)
def test_json_content_types_are_read(client: httpx2.Client, content_type: str) -> None:
    response = client.post(
        "/api/v1/describe",
        content=b'{"shape": [2, 3], "layout": "HW"}',
        headers={"content-type": content_type},
    )
    assert response.status_code == 200


def text_of(entry: bytes, size_bytes: int) -> bytes:
    return b"[" + b",".join([entry] * (size_bytes // (len(entry) + 1))) + b"]"


HOSTILE_ENTRIES = {
    "integers": b"1" * 4299,
    "digits-in-strings": b'"' + b"1" * 4299 + b'"',
    "fractions": b"0." + b"1" * 4299,
    "exponents": b"1e-" + b"0" * 4299,
    "one-fraction": b"0." + b"1" * 2_000_000,
    "endless-integers": b"-" + b"1" * 4300,
    "one-endless-integer": b"1" * 2_000_000,
    "backslashes": b'"' + b"\\" * 2_000_000 + b'"',
    "escaped-surrogates": b'"' + b"\\ud83d\\ude00" * 150_000 + b'"',
    "strings-of-surrogates": b'"\\ud83d\\ude00"',
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
@pytest.mark.parametrize("before", ["", "-", "0, ", "1" * 4299 + ", "])
def test_integers_are_read_however_long(digits: int, before: str) -> None:
    value = parse_json(f"[{before}{'1' * digits}]".encode())[-1]
    assert type(value) is int
    assert abs(value) >= 10**4298
    assert (value < 0) == (before == "-")
    assert digits > 4299 or abs(value) == int("1" * digits)
