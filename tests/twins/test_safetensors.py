"""The page's reader of safetensors files against the engine's, on random files.

The page reads a file itself: only the chosen tensor's bytes are read, and nothing is sent.
"""

import base64
import json
from typing import Any

import numpy as np

from app.engine.model.dtypes import by_name_in
from app.engine.model.errors import LayoutError
from app.files.safetensors import parse_header
from app.files.stored import Stored
from tests.examples import fewer
from tests.twins.node import ask_page

CASES = 60
SEED = 20261122
TYPES = by_name_in("safetensors")
BROKEN = fewer(400)

ASK = """async (files) => {
  const { parseHeader, headerSize, readValues } = await import('/static/core/files/safetensors.js');
  return files.map((text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    try {
      const tensors = parseHeader(bytes.slice(0, headerSize(bytes.subarray(0, 8))));
      return tensors.map((tensor) => ({
        ...tensor,
        shape: tensor.shape.map(String),
        values: tensor.dtype === null ? null
          : Array.from(readValues(tensor, bytes.slice(tensor.begin, tensor.end).buffer),
              (value) => Object.is(value, -0) ? '-0.0' : String(value)),
      }));
    } catch (error) {
      return error.message;
    }
  });
}"""


def random_file(rng: np.random.Generator) -> bytes:
    """Tensors of any type with random bits, in random order, and metadata at times."""
    entries: dict[str, Any] = {}
    body = b""
    for index in range(rng.integers(1, 6)):
        name = str(rng.choice([*TYPES, "F8_E8M0"]))
        bits = TYPES[name].bits if name in TYPES else 8
        shape = [int(n) for n in rng.integers(0, 5, rng.integers(0, 5)) + (rng.random() < 0.8)]
        if bits == 4:
            shape.append(2)
        size = int(np.prod(shape, dtype=np.int64)) * bits // 8
        most = 2 if name == "BOOL" else 256
        data = rng.integers(0, most, size, dtype=np.uint8).tobytes()
        key = str(rng.choice(["w", "layer.0.bias", 'q"\\ü𝄞'])) + str(index)
        place = [len(body), len(body) + size]
        entries[key] = {"dtype": name, "shape": shape, "data_offsets": place}
        body += data
    if rng.random() < 0.3:
        entries["__metadata__"] = {"format": "pt"}
    keys = list(entries)
    rng.shuffle(keys)
    text = json.dumps({key: entries[key] for key in keys}, ensure_ascii=bool(rng.random() < 0.5))
    encoded = text.encode() + b" " * int(rng.integers(0, 8))
    return len(encoded).to_bytes(8, "little") + encoded + body


def values_of(stored: Stored, data: bytes) -> list[str]:
    """The numbers of a tensor as ml_dtypes and NumPy read them."""
    raw = np.frombuffer(data, np.uint8)
    if stored.dtype.bits == 4:
        raw = np.stack([raw & 15, raw >> 4], axis=-1).reshape(-1)
    array = raw.view(stored.dtype.numpy())
    if stored.dtype.kind == "complex":
        array = array.view(np.float32)  # the page reads both parts of each
    if array.dtype.kind == "f" or stored.dtype.kind == "float":
        with np.errstate(invalid="ignore"):
            return [repr(float(value)) for value in array.astype(np.float64)]
    return [str(int(value)) for value in array]


def test_the_page_reads_safetensors_files_as_the_engine_does() -> None:
    rng = np.random.default_rng(SEED)
    files = [random_file(rng) for _ in range(CASES)]
    answers = ask_page(ASK, [base64.b64encode(file).decode() for file in files])
    seen: set[str] = set()
    for file, answer in zip(files, answers, strict=True):
        size = 8 + int.from_bytes(file[:8], "little")
        parts, _, _ = parse_header(file[:size])
        assert isinstance(answer, list), answer
        assert [one["name"] for one in answer] == [part.name for part in parts]
        for one, part in zip(answer, parts, strict=True):
            assert (one["begin"], one["end"]) == (part.begin, part.begin + part.size_bytes)
            if not isinstance(part, Stored):
                assert one["dtype"] is None
                continue
            seen.add(part.dtype.name)
            assert one["dtype"] == part.dtype.name
            assert one["shape"] == [str(n) for n in part.shape]
            expected = values_of(part, file[one["begin"] : one["end"]])
            if part.dtype.kind in {"float", "complex"}:
                assert [repr(float(text)) for text in one["values"]] == expected
            else:
                assert one["values"] == expected
    assert seen == {dtype.name for dtype in TYPES.values()}


SHORT = '" , } ] 1 - 1.0 1e3 null true \\ \\u00e9 \\ud800 NaN {} [] "w0" "F32" "XX"'
PIECES = [*SHORT.split(), "9" * 19, "9" * 25, " ", "\x00", "\ufeff"]


def test_the_page_refuses_what_the_engine_refuses() -> None:
    rng = np.random.default_rng(SEED + 1)
    files: list[bytes] = []
    for _ in range(BROKEN):
        file = random_file(rng)
        size = int.from_bytes(file[:8], "little")
        text = file[8 : 8 + size].decode()
        at = int(rng.integers(0, len(text)))
        changed = text[:at] + str(rng.choice(PIECES)) + text[at + int(rng.integers(0, 3)) :]
        encoded = changed.encode()
        said = len(encoded) + int(rng.choice([0, 0, 0, 0, 0, 1, -1]))
        files.append(said.to_bytes(8, "little") + encoded)
    answers = ask_page(
        ASK.replace("values: tensor.dtype === null ? null", "values: true ? null"),
        [base64.b64encode(file).decode() for file in files],
    )
    refused = 0
    for file, answer in zip(files, answers, strict=True):
        size = 8 + int.from_bytes(file[:8], "little")
        try:
            parts, _, _ = parse_header(file[:size])
        except LayoutError:
            refused += 1
            assert isinstance(answer, str), (file, answer)
            continue
        assert isinstance(answer, list), (file, answer)
        assert [one["name"] for one in answer] == [part.name for part in parts]
    assert BROKEN // 4 < refused < BROKEN
