"""Files of tensors: what lies in one, and the head of one whose tensors were reordered."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..engine.dtypes import ElementType, parse_dtype
from ..engine.errors import Described, LayoutError
from ..engine.layout import Layout
from ..engine.notation import Written
from ..files import npy, safetensors
from ..files.stored import Stored, stored_shape
from .whole_file import Bytes, mapped

Format = Literal["npy", "safetensors", "raw"]

_METADATA = "__metadata__"
_SUFFIXES: Mapping[str, Format] = {".npy": "npy", ".safetensors": "safetensors"}


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes of one tensor. ``stored``: None where the engine has not its element type."""

    name: str | None
    begin: int
    size_bytes: int
    stored: Stored | None


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A file of tensors, mapped into memory. ``parts``: in the order of their bytes."""

    path: Path
    format: Format
    content: Bytes
    parts: tuple[Part, ...]

    def data(self, part: Part) -> Bytes:
        """The bytes of one tensor."""
        return self.content[part.begin : part.begin + part.size_bytes]

    def reordered(self, layouts: Mapping[str | None, Layout]) -> tuple[bytes, tuple[Part, ...]]:
        """The header and the parts of the file after a reorder to ``layouts`` by tensor's name.

        A tensor without a layout keeps its bytes. Whatever else the header says stays.
        """
        parts = [_laid_out(part, layouts.get(part.name)) for part in self.parts]
        header = b""
        if self.format == "npy" and (stored := parts[0].stored):
            header = npy.header(stored.dtype, stored.shape, byte_order=stored.byte_order)
        elif self.format == "safetensors":
            header = self._safetensors_header(parts)
        begin, moved = len(header), []
        for part in parts:
            moved.append(replace(part, begin=begin))
            begin += part.size_bytes
        return header, tuple(moved)

    def _safetensors_header(self, parts: Sequence[Part]) -> bytes:
        # Edited and not written anew: it may hold element types that the engine has not.
        size = safetensors.header_size(self.content[: safetensors.PREFIX_BYTES].tobytes())
        entries = json.loads(self.content[safetensors.PREFIX_BYTES : size].tobytes())
        begin = 0
        for part in parts:
            entry, end = entries[part.name], begin + part.size_bytes
            entry["data_offsets"] = [begin, end]
            if part.stored is not None:
                entry["shape"] = list(part.stored.shape)
            begin = end
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(safetensors.PREFIX_BYTES, "little") + text


def opened(path: Path, *, raw: bool, dtype: str | None) -> TensorFile:
    """A file that says what it holds, or with ``raw`` elements of ``dtype`` and nothing else.

    Errors: LayoutError naming dtype or the file and its part at fault, OSError.
    """
    if raw != (dtype is not None):
        raise LayoutError("dtype", dtype, "--dtype with --raw, and neither without the other")
    return read(path) if dtype is None else read_raw(path, parse_dtype(dtype))


def read(path: Path) -> TensorFile:
    """A ``.npy`` or ``.safetensors`` file, told by its first bytes; never unpickles.

    Errors: LayoutError naming the file and its part at fault, OSError.
    """
    content = mapped(path)
    prefix = content[: npy.PREFIX_BYTES].tobytes()
    try:
        if prefix.startswith(npy.MAGIC):
            size = npy.header_size(prefix)
            stored = npy.parse_header(content[:size].tobytes())
            parts: tuple[Part, ...] = (Part(None, stored.begin, stored.size_bytes, stored),)
            end = stored.begin + stored.size_bytes
            found: Format = "npy"
        elif prefix[safetensors.PREFIX_BYTES : safetensors.PREFIX_BYTES + 1] == b"{":
            size = safetensors.header_size(prefix)
            header = content[:size].tobytes()
            said = safetensors.parse_header(header)
            parts = _parts(header, said)
            end = said.size_bytes
            found = "safetensors"
        else:
            raise LayoutError(
                "", Described("bytes that begin otherwise"),
                "a .npy or .safetensors file, or --raw with --dtype and --shape",
            )  # fmt: skip
        if end != len(content):
            raise LayoutError("", Described(f"{len(content)} bytes"), f"{end}, as its header says")
    except LayoutError as error:
        raise error.under(": ".join(filter(None, (str(path), error.field)))) from None
    return TensorFile(path, found, content, parts)


def read_raw(path: Path, dtype: ElementType) -> TensorFile:
    """A file of elements and nothing else. Errors: LayoutError naming the file, OSError."""
    content = mapped(path)
    elements = len(content) * 8 // dtype.bits
    if dtype.size_bytes(elements) != len(content):
        raise LayoutError(
            str(path), Described(f"{len(content)} bytes"), f"whole elements of {dtype.name}"
        )
    stored = Stored(None, dtype, (elements,), 0, len(content))
    return TensorFile(path, "raw", content, (Part(None, 0, len(content), stored),))


def check_suffix(path: Path, written: Format) -> None:
    """Refuse a name that says another format than what is written."""
    said = _SUFFIXES.get(path.suffix.lower())
    if said not in {None, written}:
        raise LayoutError(
            str(path), Described(f"a name of {said}"), f"a name for {written}: the format stays"
        )


def _parts(header: bytes, said: safetensors.SafeHeader) -> tuple[Part, ...]:
    known = {stored.name: stored for stored in said.tensors}
    entries = json.loads(header[safetensors.PREFIX_BYTES :])
    entries.pop(_METADATA, None)
    places = sorted((*entry["data_offsets"], name) for name, entry in entries.items())
    return tuple(
        Part(name, len(header) + begin, end - begin, known.get(name)) for begin, end, name in places
    )


def _laid_out(part: Part, layout: Layout | None) -> Part:
    if layout is None or part.stored is None:
        return part
    shape = stored_shape(Written(layout))
    size_bytes = part.stored.dtype.size_bytes(math.prod(shape))
    stored = replace(part.stored, shape=shape, size_bytes=size_bytes)
    return replace(part, size_bytes=size_bytes, stored=stored)
