"""What the attackers send."""

import io
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.places import ROOT

Json = dict[str, Any]


def post(call: str, body: bytes, *, media: str = "application/json") -> bytes:
    """A whole request."""
    return head(call, len(body), media=media) + body


def head(call: str, length: int, *, media: str = "application/json") -> bytes:
    """The head of a request whose body may never come."""
    return (
        f"POST /api/v1/{call} HTTP/1.1\r\nHost: x\r\nContent-Type: {media}\r\n"
        f"Content-Length: {length}\r\nConnection: close\r\n\r\n"
    ).encode()


def get(path: str) -> bytes:
    """A whole request without a body."""
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()


def call(name: str, body: Json) -> bytes:
    """A whole request with a body in JSON."""
    return post(name, json.dumps(body, separators=(",", ":")).encode())


def wide_slice(side: int) -> bytes:
    """109 bytes whose answer has numbers of 17 digits for each element."""
    layout = {"strides": [2**50, 1]}
    return call("slice", {"tensor": {"shape": [side, side], "layout": layout}, "index": ":"})


def labels(side: int) -> bytes:
    """77 bytes whose answer numbers every element."""
    source = {"shape": [1, 4, side, side], "layout": "NCHW"}
    return call("reorder", {"source": source, "target": "NHWC"})


def longest_answers(values: int) -> list[bytes]:
    """Requests of any length whose answers, or whose refusals, have as many entries as may be."""
    row = {"shape": [1, 1, 1, values], "layout": "NCHW"}
    one = {"shape": [1, 1, 1, 1], "layout": "NCHW"}
    still = {"shape": [values], "layout": {"strides": [0]}}
    zeros = b"0," * values
    return [
        call("reorder", {"source": one, "target": f"NCHW{values}", "values": [1]}),
        call("reorder", {"source": row, "target": "NHWC"}),
        call("reorder", {"source": row, "target": "NHWC", "values": list(range(values))}),
        call("slice", {"tensor": still, "index": ":", "values": [1]}),
        post("coordinates", b'{"tensor":%b,"offsets":[%b0]}' % (json.dumps(one).encode(), zeros)),
        post("propagate", b'{"rules":"onnx","graph":{"inputs":{},"nodes":[%b0]}}' % zeros),
        post("cost", b'{"tensor":%b,"warp":{"along":[%b0]}}' % (json.dumps(one).encode(), zeros)),
        post("describe", b'{"shape":["' + b"x" * (8 * values) + b'"],"layout":"W"}'),
    ]


def interleaved(count: int) -> bytes:
    """Addresses, each of which needs a long search."""
    strides = [2**k for k in range(28)] + [2**k for k in range(11)]
    offsets = [k * 2654435761 % 2**28 for k in range(count)]
    tensor = {"shape": [2] * 39, "layout": {"strides": strides}}
    return call("coordinates", {"tensor": tensor, "offsets": offsets})


def long_integers(size_bytes: int) -> bytes:
    """Integers of 4,299 digits."""
    number = b"9" * 4299
    body = b'{"shape":[' + b",".join([number] * (size_bytes // 4300)) + b'],"layout":"W"}'
    return post("describe", body)


def unknown_names(size_bytes: int) -> bytes:
    """An object of names that nobody knows."""
    names = b",".join(b'"k%07d":0' % k for k in range(size_bytes // 13))
    return post("describe", b"{" + names + b"}")


def brackets(size_bytes: int, depth: int) -> bytes:
    """Lists in lists."""
    one = b"[" * depth + b"]" * depth
    # Not joined from a list: that would keep this process, and its watch, from everything else.
    return post("describe", b"[" + (one + b",") * (size_bytes // len(one) - 1) + one + b"]")


def heavy_operands() -> bytes:
    """64 operands, each of which took 70 ms to read."""
    # Blocks of one by any number of letters: much to read, and nothing in memory.
    text = "ABCD" + "1a1b1c1d" * 240
    return call("elementwise", {"operands": [{"shape": [2, 2, 2, 2], "layout": text}] * 64})


def npy(side: int, dtype: str = "float32") -> bytes:
    """A file."""
    written = io.BytesIO()
    np.save(written, np.zeros((side, side), dtype))
    return written.getvalue()


FILE = "reorder/file?source=HW&target=WH"
OCTETS = "application/octet-stream"

_SAMPLES = json.loads((ROOT / "app" / "api" / "samples.json").read_bytes())["bodies"]
_CALLS = [(name, body) for name, bodies in _SAMPLES.items() if "{" not in name for body in bodies]
_NUMBERS = (0, -1, 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64)
_TEXTS = ("", "\0", "é", "9" * 5000, "(" * 2000, "%" * 500)
_OTHERS: tuple[object, ...] = (10**30, 10**400, 1.5, 1e308, True, None, [], {}, [[]])
_EDGES = (*_NUMBERS, *_OTHERS, *_TEXTS)


def edges(seed: int) -> Iterator[bytes]:
    """Requests in which one value is another one: numbers at every edge, texts, wrong types."""
    choose = random.Random(seed)
    while True:
        name, body = choose.choice(_CALLS)
        changed = json.loads(json.dumps(body))
        place, key = choose.choice(list(_places(changed)))
        place[key] = choose.choice(_EDGES)
        yield call(name, changed)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def mutated_bodies(seed: int) -> Iterator[bytes]:
    """Requests whose text has a few other bytes."""
    choose = random.Random(seed)
    while True:
        name, body = choose.choice(_CALLS)
        yield post(name, _mutated(json.dumps(body).encode(), choose))


def mutated_files(seed: int) -> Iterator[bytes]:
    """Files, in three formats, whose headers have a few other bytes."""
    choose = random.Random(seed)
    header = json.dumps({"a": {"dtype": "F32", "shape": [8, 8], "data_offsets": [0, 256]}}).encode()
    safe = len(header).to_bytes(8, "little") + header + bytes(256)
    while True:
        content = choose.choice((npy(8), safe))
        mutated = _mutated(content[:128], choose) + content[128:]
        query = choose.choice(("", "&shape=8,8", "&dtype=float32&shape=8,8&format=raw"))
        yield post(FILE + query, mutated, media=OCTETS)
        yield post("graph", _mutated(content[:128], choose), media=OCTETS)


def _mutated(content: bytes, choose: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(choose.randint(1, 4)):
        at = choose.randrange(len(changed) + 1)
        match choose.randrange(4):
            case 0:
                changed[at : at + 1] = bytes([choose.randrange(256)])
            case 1:
                del changed[at : at + choose.randint(1, 8)]
            case 2:
                changed[at:at] = changed[: choose.randint(0, 16)]
            case _:
                changed[at:at] = choose.choice((b"\x1c", b"\0", b"\\ud800", b"1e400", b"[[", b'"'))
    return bytes(changed)


SCRIPTS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "</title><svg/onload=alert(1)>",
    "'-alert(1)-'",
    "\u2028alert(1)",
)
