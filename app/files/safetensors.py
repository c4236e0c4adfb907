"""Headers of safetensors files: eight bytes of length, then JSON, then the tensors' bytes.

Source: the format's reference implementation, safetensors/src/tensor.rs. What it refuses is
refused; so are repeated names, of which it keeps the last.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from ..engine.dtypes import ElementType, by_name_in
from ..engine.errors import Described, LayoutError
from ..engine.layout import check_shape
from .stored import Stored

PREFIX_BYTES: Final = 8
MAX_HEADER_BYTES: Final = 100_000_000
_METADATA = "__metadata__"
_INFO = ("dtype", "shape", "data_offsets")
_MAX_DIGITS = 20
_SHOWN_NAMES = 8
_SHOWN_CHARACTERS = 64

TYPES: Final = by_name_in("safetensors")
# Types of the format that the engine has not: their tensors are stepped over.
_OTHER_BITS = {
    "F6_E2M3": 6, "F6_E3M2": 6, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "C64": 64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SafeHeader:
    """What a header says. ``tensors``: by their place in the file. ``others``: names of those
    whose element type the engine has not. ``metadata``: the writer's own text."""

    tensors: tuple[Stored, ...]
    others: tuple[str, ...]
    metadata: Mapping[str, str]
    size_bytes: int

    def choose(self, name: str | None) -> Stored:
        """The tensor of that name, or the only one. Errors: LayoutError naming ``tensor``."""
        if name in self.others or (name is None and self.others and not self.tensors):
            raise LayoutError(
                "tensor", Described("one of an element type without a layout"),
                "elements of " + ", ".join(t.name for t in TYPES.values()),
            )  # fmt: skip
        found = [t for t in self.tensors if name in {None, t.name}]
        if len(found) == 1 and (name is not None or not self.others):
            return found[0]
        raise LayoutError("tensor", name, self._names())

    def _names(self) -> str:
        """A few names that are safe to show: they are the sender's text."""
        plain = [t.name for t in self.tensors if t.name is not None and _is_plain(t.name)]
        if not plain:
            return f"the name of one of the file's {len(self.tensors)} tensors"
        more = len(self.tensors) - len(plain[:_SHOWN_NAMES])
        return "one of " + ", ".join(plain[:_SHOWN_NAMES]) + (f" and {more} more" if more else "")


def _is_plain(name: str) -> bool:
    return len(name) <= _SHOWN_CHARACTERS and name.replace(".", "_").isidentifier()


def header_size(prefix: bytes, limit_bytes: int = MAX_HEADER_BYTES) -> int:
    """Bytes of the header, its own length included, from the file's first eight bytes.

    Errors: LayoutError naming ``header`` for fewer bytes, or a header over ``limit_bytes``.
    """
    if len(prefix) < PREFIX_BYTES:
        raise _bad(f"{len(prefix)} bytes", "a whole header")
    size = int.from_bytes(prefix[:PREFIX_BYTES], "little")
    most = min(limit_bytes, MAX_HEADER_BYTES)
    if size > most:
        raise _bad("a longer header", f"at most {most} bytes")
    return PREFIX_BYTES + size


def parse_header(header: bytes) -> SafeHeader:
    """What a whole header says; the data begins where it ends.

    Errors: LayoutError naming header or a part of one tensor's entry.
    """
    if len(header) != header_size(header):
        raise _bad(f"{len(header)} bytes", "a whole header and nothing after it")
    said = _parse_json(header[PREFIX_BYTES:])
    metadata = said.pop(_METADATA, None)
    metadata = {} if metadata is None else metadata
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise LayoutError(f"header.{_METADATA}", metadata, "an object of texts")
    # An entry is named by its place: its name is the sender's text.
    entries = [
        _entry(name, info, f"header[{i}]", len(header))
        for i, (name, info) in enumerate(said.items())
    ]
    entries.sort(key=lambda entry: entry[:2])
    end = 0
    for begin, stop, _, _ in entries:
        if begin != end:
            raise LayoutError(
                "header.data_offsets", Described("tensors that overlap or leave holes"),
                "each to begin where the one before ends",
            )  # fmt: skip
        end = stop
    return SafeHeader(
        tuple(stored for _, _, _, stored in entries if stored is not None),
        tuple(name for _, _, name, stored in entries if stored is None),
        metadata,
        len(header) + end,
    )


def header(
    tensors: Iterable[tuple[str, ElementType, Sequence[int]]], metadata: Mapping[str, str]
) -> bytes:
    """A header for tensors whose bytes follow in this order, padded to 8 bytes.

    Errors: LayoutError naming ``dtype`` for a type that the format has not, ``shape`` for a
    tensor that ends inside a byte.
    """
    said: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    end = 0
    for name, dtype, shape in tensors:
        if dtype.safetensors is None:
            known = ", ".join(t.name for t in TYPES.values())
            raise LayoutError("dtype", Described(dtype.name), f"one of {known}")
        elements = math.prod(shape)
        if elements * dtype.bits % 8:
            got = Described(f"{elements} elements of {dtype.name}")
            raise LayoutError("shape", got, "whole bytes: the format has no half ones")
        begin, end = end, end + dtype.size_bytes(elements)
        said[name] = {
            "dtype": dtype.safetensors, "shape": list(shape), "data_offsets": [begin, end],
        }  # fmt: skip
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(PREFIX_BYTES, "little") + text


Entry = tuple[int, int, str, Stored | None]


def _entry(name: str, info: object, field: str, data_begin: int) -> Entry:
    """Begin and end in the data, name, and the tensor unless its type is foreign."""
    if not isinstance(info, dict) or not all(key in info for key in _INFO):
        raise LayoutError(field, info, "an object of dtype, shape and data_offsets")
    dtype_name, shape, offsets = (info[key] for key in _INFO)
    dtype = TYPES.get(dtype_name) if isinstance(dtype_name, str) else None
    bits = (
        dtype.bits if dtype else _OTHER_BITS.get(dtype_name) if isinstance(dtype_name, str) else 0
    )
    if not bits:
        raise LayoutError(
            f"{field}.dtype", dtype_name, "one of " + ", ".join((*TYPES, *_OTHER_BITS))
        )
    if not isinstance(shape, list):
        raise LayoutError(f"{field}.shape", shape, "a list of integers from 0 to 2^63-1")
    try:
        check_shape(tuple(shape))
    except LayoutError as error:
        raise error.within(field) from None
    if (
        not isinstance(offsets, list)
        or len(offsets) != 2
        or any(type(n) is not int for n in offsets)
    ):
        raise LayoutError(f"{field}.data_offsets", offsets, "two integers")
    begin, end = offsets
    size_bits = math.prod(shape) * bits
    if begin < 0 or size_bits % 8 or end - begin != size_bits // 8:
        raise LayoutError(
            f"{field}.data_offsets", offsets, "offsets as far apart as shape and dtype say"
        )  # fmt: skip
    if dtype is None:
        return begin, end, name, None
    return begin, end, name, Stored(name, dtype, tuple(shape), data_begin + begin, end - begin)


def _parse_json(text: bytes) -> dict[str, Any]:
    try:
        said = _DECODER.decode(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _bad("bytes that are not UTF-8", "JSON", error.start) from None
    except json.JSONDecodeError as error:
        raise _bad("malformed JSON", "a JSON object", error.pos) from None
    except RecursionError:
        raise _bad("JSON nested too deep", "a JSON object of flat entries") from None
    if not isinstance(said, dict):
        raise LayoutError("header", said, "a JSON object")
    return said


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _bad("an object that repeats a name", "each name once")
    for key, value in pairs:
        for text in (key, value):
            if isinstance(text, str):
                try:
                    text.encode("utf-8")
                except UnicodeEncodeError:
                    raise _bad("half of a surrogate pair", "text of whole characters") from None
    return found


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise _bad("an integer out of range", f"integers of at most {_MAX_DIGITS} digits")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise _bad("a number that is no integer", "integers")


def _bad(got: str, expected: str, position: int | None = None) -> LayoutError:
    return LayoutError("header", Described(got), expected, position=position)


_DECODER = json.JSONDecoder(
    parse_int=_integer,
    parse_float=_no_number,
    parse_constant=_no_number,
    object_pairs_hook=_object,
)
