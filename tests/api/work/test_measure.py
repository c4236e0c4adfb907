"""The memory of a text's objects is known from its bytes, before there is an object."""

import json
import tracemalloc
from typing import Any

import pytest

from app.api import json_body
from app.api.json_body import MAX_BYTES, MAX_DEPTH, measure
from app.api.problems import RefusedError
from app.files.strict_json import UnreadableJsonError, parse_json

MILLION = 1 << 20
TEXTS: dict[str, Any] = {
    "offsets": list(range(1000, 21_000)),
    "floats": [k / 7 for k in range(20_000)],
    "coordinates": [[k, k + 300, k + 301, k + 302] for k in range(1000, 9000)],
    "empty-lists": [[]] * 20_000,
    "empty-objects": [{}] * 20_000,
    "objects": [{"name": k, "other": str(k)} for k in range(1000, 6000)],
    "names": {f"name {k}": k for k in range(10_000)},
    "texts": ["a longer text", "é", '"[{,:'] * 5000,
    "nested": json.loads("[" * 100 + "]" * 100),
}


@pytest.mark.parametrize("value", TEXTS.values(), ids=TEXTS.keys())
def test_it_is_no_less_than_the_objects_take(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    tracemalloc.start()
    try:
        parsed = parse_json(text)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert parsed == value
    assert held * 0.9 < measure(text)[0] < 4 * held + 4096


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    value = [TEXTS["texts"][:40], {'a"\\': ["[[", "\\\\"]}, [[], {}]]
    text = json.dumps(value).encode()
    whole = measure(text)
    for piece in range(1, 200):
        monkeypatch.setattr(json_body, "_PIECE", piece)
        assert measure(text) == whole


def test_what_a_call_may_list_is_no_more_than_the_limit() -> None:
    assert measure(b"[" + b"123456,12345678," * (MILLION // 2) + b"1]")[0] < MAX_BYTES
    row = b"[1234,5678,9012,3456],"
    assert measure(b"[" + row * MILLION + b"[]]")[0] < MAX_BYTES


@pytest.mark.parametrize("unit", [b"[],", b"{},", b'"":0,', b"[[[]]],"])
def test_millions_of_nothings_are_refused_from_their_count(unit: bytes) -> None:
    with pytest.raises(RefusedError, match=str(MAX_BYTES)):
        measure(unit * 6_000_000)


def test_depth_is_counted_outside_of_texts() -> None:
    measure(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    measure(b'{"text": "' + b"[" * 10_000 + b'"}')
    for text in (b"[" * (MAX_DEPTH + 1), b'{"a":' * (MAX_DEPTH + 1)):
        with pytest.raises(UnreadableJsonError, match="deep"):
            measure(text)
