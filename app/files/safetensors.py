"""Headers of safetensors files: eight bytes of length, then JSON, then the tensors' bytes.

Source: the format's reference implementation, safetensors/src/tensor.rs. All that it refuses is
refused here. Repeated names are refused too; the reference keeps the last of them.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ..engine.model.dtypes import by_name_in
from ..engine.model.errors import Described, LayoutError, Phrase, one_of, phrase, refusal
from ..engine.model.layout import check_shape
from .stored import Foreign, Part, Stored
from .strict_json import UnreadableJsonError, parse_json

PREFIX_BYTES: Final = 8
MAX_HEADER_BYTES: Final = 100_000_000
_METADATA = "__metadata__"
_INFO = ("dtype", "shape", "data_offsets")
_OBJECT: Final = phrase("json.object")
_SHOWN_NAMES = 8
_SHOWN_CHARACTERS = 64

TYPES: Final = by_name_in("safetensors")
# Types of the format that the engine does not support: their tensors are skipped.
_OTHER_BITS = {"F6_E2M3": 6, "F6_E3M2": 6, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8}


def choose(parts: Sequence[Part], name: str | None) -> Stored:
    """Return the tensor of this name; None: the only one. Errors: LayoutError naming tensor."""
    named = [part for part in parts if name in {None, part.name}]
    found = [part for part in named if isinstance(part, Stored)]
    if named and not found:
        got = Described("an element type that is not supported")
        raise LayoutError("tensor", got, one_of(TYPES))
    if len(named) != 1:
        raise LayoutError("tensor", name, _names([p for p in parts if isinstance(p, Stored)]))
    return found[0]


def rewritten(entries: Mapping[str, Any], parts: Iterable[Part]) -> bytes:
    """Return the header of a file with only these ``parts``, whose bytes follow in this order.

    ``entries``: of the old header. The metadata is kept, and so are all fields of an entry except
    its shape and its place. Errors: LayoutError naming ``shape`` for a tensor that does not end at
    a whole byte.
    """
    placed: dict[str | None, Any] = {}
    end = 0
    for part in parts:
        begin, end = end, end + part.size_bytes
        said = {**entries[part.name or ""], "data_offsets": [begin, end]}
        placed[part.name] = said
        if isinstance(part, Stored):
            said["shape"] = part.shape
            elements = math.prod(part.shape)
            if elements * part.dtype.bits % 8:
                raise refusal("shape", f"{elements} elements of {part.dtype.name}", "bytes")
    kept = {
        name: placed.get(name, said)
        for name, said in entries.items()
        if name in placed or name == _METADATA
    }
    text = json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(PREFIX_BYTES, "little") + text


def _names(tensors: Sequence[Stored]) -> Phrase:
    """List a few names that are safe to show, because names are the sender's text."""
    short = (t.name for t in tensors if t.name and len(t.name) <= _SHOWN_CHARACTERS)
    plain = tuple(name for name in short if name.replace(".", "_").isidentifier())
    if not plain:
        return phrase("tensor.name", n=len(tensors))
    names, more = plain[:_SHOWN_NAMES], len(tensors) - len(plain[:_SHOWN_NAMES])
    return phrase("one_of.more", names=names, more=more) if more else one_of(names)


def header_size(prefix: bytes, limit_bytes: int = MAX_HEADER_BYTES) -> int:
    """Return the size of the header in bytes, with the eight bytes of its length.

    ``prefix``: the file's first eight bytes. Errors: LayoutError naming ``header`` if there are
    fewer, or for a header over ``limit_bytes``.
    """
    if len(prefix) < PREFIX_BYTES:
        raise refusal("header", f"{len(prefix)} bytes", "header.whole")
    size = int.from_bytes(prefix[:PREFIX_BYTES], "little")
    most = min(limit_bytes, MAX_HEADER_BYTES)
    if size > most:
        raise refusal("header", "a longer header", "bytes.limit", most=most)
    return PREFIX_BYTES + size


def parse_header(header: bytes) -> tuple[tuple[Part, ...], dict[str, Any], int]:
    """Parse a whole header; the data begins where it ends.

    Returns the tensors in the order of their bytes; all entries by name, of which ``__metadata__``
    is the writer's own text; the size of the whole file in bytes.
    Errors: LayoutError naming header or a part of one tensor's entry.
    """
    if len(header) != header_size(header):
        raise refusal("header", f"{len(header)} bytes", "header")
    said = _parse_json(header[PREFIX_BYTES:])
    metadata = {} if said.get(_METADATA) is None else said[_METADATA]
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise LayoutError(f"header.{_METADATA}", metadata, phrase("texts"))
    tensors = [item for item in said.items() if item[0] != _METADATA]
    # Errors name an entry by its index, because its name is the sender's text.
    parts = [_part(*item, f"header[{i}]", len(header)) for i, item in enumerate(tensors)]
    parts.sort(key=lambda part: (part.begin, part.size_bytes))
    end = len(header)
    for part in parts:
        if part.begin != end:
            got = "tensors that overlap or leave holes"
            raise refusal("header.data_offsets", got, "safetensors.adjoining")
        end += part.size_bytes
    return tuple(parts), said, end


def _part(name: str, info: object, field: str, data_begin: int) -> Part:
    if not isinstance(info, dict) or not all(key in info for key in _INFO):
        raise LayoutError(field, info, phrase("safetensors.entry"))
    dtype_name, shape, offsets = (info[key] for key in _INFO)
    dtype = TYPES.get(dtype_name) if isinstance(dtype_name, str) else None
    known = dtype_name if isinstance(dtype_name, str) else ""
    bits = dtype.bits if dtype else _OTHER_BITS.get(known, 0)
    if not bits:
        raise LayoutError(f"{field}.dtype", dtype_name, one_of((*TYPES, *_OTHER_BITS)))
    if not isinstance(shape, list):
        raise LayoutError(f"{field}.shape", shape, phrase("sizes.list"))
    try:
        check_shape(tuple(shape))
    except LayoutError as error:
        raise error.within(field) from None
    if not isinstance(offsets, list) or [type(n) for n in offsets] != [int, int]:
        raise LayoutError(f"{field}.data_offsets", offsets, phrase("integers.two"))
    begin, end = offsets
    size_bits = math.prod(shape) * bits
    if begin < 0 or size_bits % 8 or end - begin != size_bits // 8:
        raise LayoutError(f"{field}.data_offsets", offsets, phrase("safetensors.offsets"))
    if dtype is None:
        return Foreign(name, data_begin + begin, end - begin)
    return Stored(name, dtype, tuple(shape), data_begin + begin, end - begin)


def _parse_json(text: bytes) -> dict[str, Any]:
    try:
        said = parse_json(text)
    except UnreadableJsonError as error:
        got = Described(f"text that is not strict JSON ({error.problem})")
        raise LayoutError("header", got, _OBJECT, position=error.position) from None
    if not isinstance(said, dict):
        raise LayoutError("header", said, _OBJECT)
    return said
