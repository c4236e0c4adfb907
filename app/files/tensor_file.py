"""A file of tensors: its kind, the content of its header, and its header after a reorder."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from ..engine.model.dtypes import ElementType
from . import npy, safetensors
from .stored import Part, Stored

Kind = Literal["npy", "safetensors", "raw"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SUFFIXES: Final[Mapping[Kind, str]] = {"npy": ".npy", "safetensors": ".safetensors", "raw": ".bin"}
PREFIX_BYTES: Final = max(npy.PREFIX_BYTES, safetensors.PREFIX_BYTES + 1)


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A file as its header describes it.

    ``parts``: its tensors, in the order of their bytes. ``size_bytes``: of the whole file.
    ``entries``: of a safetensors file's header.
    """

    kind: Kind
    parts: tuple[Part, ...]
    size_bytes: int
    entries: Mapping[str, Any] = field(default_factory=dict)

    def choose(self, name: str | None) -> Stored:
        """Return the tensor of this name; None: the only one. Errors: LayoutError naming tensor."""
        if self.kind == "safetensors":
            return safetensors.choose(self.parts, name)
        [part] = self.parts
        assert isinstance(part, Stored)  # the other kinds have no foreign types
        return part

    def reshaped(
        self, shapes: Mapping[str | None, tuple[int, ...]]
    ) -> tuple[bytes, tuple[Part, ...]]:
        """Return the header and the parts of this file with other ``shapes`` of tensors in memory.

        Parts that are not in ``shapes`` keep their size. All else in the header stays the same.
        """
        parts = [_reshaped(part, shapes.get(part.name)) for part in self.parts]
        header = b""
        if self.kind == "safetensors":
            header = safetensors.rewritten(self.entries, parts)
        elif self.kind == "npy" and isinstance(stored := parts[0], Stored):
            header = npy.header(stored.dtype, stored.shape, byte_order=stored.byte_order)
        begin, placed = len(header), []
        for part in parts:
            placed.append(replace(part, begin=begin))
            begin += part.size_bytes
        return header, tuple(placed)


def recognised(prefix: bytes) -> Kind | None:
    """Return the kind of a file by its first PREFIX_BYTES bytes, None if it is neither.

    .npy begins with its magic string; safetensors has the first character of JSON after a length.
    """
    if prefix.startswith(npy.MAGIC):
        return "npy"
    return "safetensors" if prefix[safetensors.PREFIX_BYTES :][:1] == b"{" else None


def header_size(kind: Kind, prefix: bytes, limit_bytes: int = safetensors.MAX_HEADER_BYTES) -> int:
    """Return the size of the header in bytes, from the file's first PREFIX_BYTES bytes.

    Errors: LayoutError naming ``header``.
    """
    if kind == "npy":
        return npy.header_size(prefix)
    return safetensors.header_size(prefix, limit_bytes) if kind == "safetensors" else 0


def read(kind: Kind, header: bytes) -> TensorFile:
    """Parse the whole header of a ``.npy`` or safetensors file; never unpickles.

    Errors: LayoutError naming header or a part of it.
    """
    if kind == "npy":
        stored = npy.parse_header(header)
        return TensorFile(kind, (stored,), stored.begin + stored.size_bytes)
    parts, entries, size_bytes = safetensors.parse_header(header)
    return TensorFile(kind, parts, size_bytes, entries)


def raw(dtype: ElementType, elements: int) -> TensorFile:
    size_bytes = dtype.size_bytes(elements)
    return TensorFile("raw", (Stored(None, dtype, (elements,), 0, size_bytes),), size_bytes)


def _reshaped(part: Part, shape: tuple[int, ...] | None) -> Part:
    if shape is None or not isinstance(part, Stored):
        return part
    return replace(part, shape=shape, size_bytes=part.dtype.size_bytes(math.prod(shape)))
