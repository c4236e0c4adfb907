"""Takes the weights out of an ``.onnx`` file, and checks it on the way.

The file is protocol buffers: fields with a number, a kind and a length. What is returned has all
nodes and types but no large tensors, so the library parses kilobytes. A file may claim anything:
the work is one pass, and fields, depth and what is kept are limited before anything is allocated.
Source: protobuf.dev, "Encoding".
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ...engine.model.dtypes import BY_ONNX
from ...engine.model.errors import LayoutError, refusal

MOST_NODES = 20_000
MOST_FIELDS = 1 << 20
MOST_KEPT_BYTES = 16 << 20
MOST_DEPTH = 32  # messages in messages: a graph in a node in a graph takes three
SMALL_BYTES = 16384  # of a tensor whose elements are kept, because they may be sizes or axes

_COUNTED = {"node": MOST_NODES, "initializer": 2 * MOST_NODES, "functions": 1000}
_NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")
_MOST_DIMS = 64
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_DATA, _TEXT, _PLAIN = "data", "text", ""  # elements of a tensor; UTF-8; numbers and bytes
# Fields that no network needs: what is written for people, and for training.
_LEFT_OUT = {
    *("doc_string", "metadata_props", "producer_name", "producer_version", "training_info"),
    *("quantization_annotation", "configuration", "device_configurations"),
    "external_data",  # the path of weights beside the file: their sizes suffice
}
# Bits of an element by TensorProto.DataType, of scales too; text has none.
_BITS = {18: 8, 20: 8, 24: 8} | {code: t.bits for code, t in BY_ONNX.items()}


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a message. ``holds``: the name of its message, or data, text or plain."""

    name: str
    holds: str
    repeated: bool


@cache
def _messages() -> dict[str, dict[int, _Field]]:
    """Per message of ONNX its fields by number, as the library ``onnx`` describes them."""
    from onnx import ModelProto

    found: dict[str, dict[int, _Field]] = {}
    waiting: list[Any] = [ModelProto.DESCRIPTOR]
    while waiting:
        message = waiting.pop()
        rows = found[message.full_name.removeprefix("onnx.")] = {}
        for each in message.fields:
            inner, holds = each.message_type, _PLAIN
            if each.name in _LEFT_OUT:
                continue
            if inner is not None and inner.name not in {"Segment", "StringStringEntryProto"}:
                holds = inner.full_name.removeprefix("onnx.")
                if holds not in found:
                    waiting.append(inner)
            elif each.type == each.TYPE_STRING:
                holds = _TEXT
            elif each.name.endswith("_data"):
                holds = _DATA
            rows[each.number] = _Field(each.name, holds, each.is_repeated)
    return found


def slim(data: memoryview) -> bytes:
    """The bytes of a model without its large tensors.

    Errors: LayoutError naming ``body`` or a part of the file such as ``graph.initializer[3]``:
    truncated, malformed, too deep, too many fields, sizes that the data do not have. Data in a
    file beside it are taken by their sizes; nothing is opened.
    """
    return _Slimming(data).message("ModelProto", 0, len(data))


@dataclass(slots=True)
class _Tensor:
    dims: list[int] = field(default_factory=list)
    data_type: int = 0
    name: str = ""
    data_bytes: dict[str, int] = field(default_factory=dict)
    is_external: bool = False


class _Slimming:
    """One pass over the file; ``stack``: where it is."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.messages = _messages()
        self.stack: list[tuple[str, int | None]] = []
        self.fields = 0
        self.kept_bytes = 0

    def message(self, kind: str, at: int, end: int) -> bytes:
        """The message from ``at`` to ``end`` without what is left out."""
        rows, data = self.messages[kind], self.data
        kept = bytearray()
        counts: dict[int, int] = {}
        tensor = _Tensor() if kind == "TensorProto" else None
        while at < end:
            self.fields += 1
            if self.fields > MOST_FIELDS:
                raise refusal("body", "a file of more fields", "fields.most", most=MOST_FIELDS)
            begin = at
            key, at = self._varint(at, end)
            body, at, value = self._field(key & 7, at, end)
            row = rows.get(key >> 3)
            if at > end:
                raise self._cut(row, counts.get(key, -1) + 1, body, at, end)
            if row is None:
                continue
            name, inner = row.name, row.holds
            if inner in self.messages:
                if key & 7 != _BYTES:
                    raise self._error("a number where a message belongs", "onnx.model")
                counts[key] = counts.get(key, -1) + 1
                self._enter(row, counts[key])
                made = self.message(inner, body, at)
                self.stack.pop()
                kept += _varint_bytes(key) + _varint_bytes(len(made)) + made
                continue
            if tensor is not None:
                self._note(tensor, name, key & 7, body, at, value)
            if inner == _TEXT:
                self._check_text(name, body, at)
            if inner != _DATA or at - body <= SMALL_BYTES:
                self.kept_bytes += at - begin
                if self.kept_bytes > MOST_KEPT_BYTES:
                    raise refusal("body", "a larger file", "onnx.kept", most=MOST_KEPT_BYTES)
                kept += data[begin:at]
        if tensor is not None:
            self._check(tensor)
        return bytes(kept)

    def _enter(self, row: _Field, index: int) -> None:
        if index >= _COUNTED.get(row.name, MOST_FIELDS):
            raise self._error(f"more of {row.name}", "most", most=_COUNTED[row.name])
        self.stack.append((row.name, index if row.repeated else None))
        if len(self.stack) > MOST_DEPTH:
            raise self._error("messages nested deeply", "levels.most", most=MOST_DEPTH)

    def _cut(self, row: _Field | None, index: int, body: int, at: int, end: int) -> LayoutError:
        """The error of a field that ends at ``at``, after its message, as deep as it is known."""
        if row is None or row.holds not in self.messages or body > end:
            return self._ends(at - end)
        self._enter(row, index)
        ended = self._ends(at - end)
        try:
            self.message(row.holds, body, end)
        except LayoutError as error:
            return error
        return ended

    def _check_text(self, name: str, body: int, at: int) -> None:
        try:
            str(self.data[body:at], "utf-8")
        except UnicodeDecodeError:
            where = f"{self._place()}.{name}" if self.stack else name
            raise refusal(where, "bytes that are not UTF-8", "text") from None

    def _field(self, wire: int, at: int, end: int) -> tuple[int, int, int]:
        """Where the content of a field begins and says to end, and its value if it is a number."""
        if wire == _VARINT:
            value, after = self._varint(at, end)
            return at, after, value
        if wire == _BYTES:
            size, body = self._varint(at, end)
            return body, body + size, 0
        if wire not in {_FIXED64, _FIXED32}:
            raise self._error("bytes that are no field", "onnx.model")
        return at, at + (8 if wire == _FIXED64 else 4), 0

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                raise self._ends(1)
            byte = self.data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise self._error("a number of more than 64 bits", "onnx.model")

    def _note(self, tensor: _Tensor, name: str, wire: int, body: int, at: int, value: int) -> None:
        if name == "dims":
            for size in [value] if wire == _VARINT else self._packed(body, at):
                if len(tensor.dims) == _MOST_DIMS or size >= 1 << 63:
                    got = "a negative size" if size >= 1 << 63 else "more dimensions"
                    raise self._error(got, "onnx.dims", most=_MOST_DIMS)
                tensor.dims.append(size)
        elif name == "data_type":
            tensor.data_type = value
        elif name == "name":
            text = bytes(self.data[body : min(at, body + 65)]).decode("utf-8", "replace")
            tensor.name = text if _NAME.fullmatch(text) else ""
        elif name == "data_location":
            tensor.is_external = value == 1
        elif name.endswith("_data"):
            tensor.data_bytes[name] = tensor.data_bytes.get(name, 0) + at - body

    def _packed(self, at: int, end: int) -> Iterator[int]:
        while at < end:
            value, at = self._varint(at, end)
            yield value

    def _check(self, tensor: _Tensor) -> None:
        """Errors: LayoutError where the data in the file are not those of the sizes."""
        bits = _BITS.get(tensor.data_type)
        if bits is None or tensor.is_external:
            return
        elements, found = math.prod(tensor.dims), sum(tensor.data_bytes.values())
        wanted = -(-elements * bits // 8)
        # Numbers in fields of their own may be short: one byte holds up to two elements.
        if found != wanted if "raw_data" in tensor.data_bytes else 2 * found < elements:
            named = f" of the tensor {tensor.name}" if tensor.name else ""
            raise self._error(f"{found} bytes of data{named}", "onnx.bytes", wanted=wanted)

    def _error(self, got: str, code: str, **params: Any) -> LayoutError:
        return refusal(self._place(), got, code, **params)

    def _ends(self, missing_bytes: int) -> LayoutError:
        got = f"a part that ends {missing_bytes} byte{'s' * (missing_bytes != 1)} too early"
        if missing_bytes >= 1 << 63:
            got = "a length beyond the file"
        return self._error(got, "onnx.complete")

    def _place(self) -> str:
        parts = [name if at is None else f"{name}[{at}]" for name, at in self.stack]
        if len(parts) > 9:
            parts = [*parts[:6], "…", *parts[-2:]]
        return ".".join(parts) or "body"


def _varint_bytes(value: int) -> bytes:
    if value < 128:
        return bytes([value])
    return bytes([value & 127 | 128]) + _varint_bytes(value >> 7)
