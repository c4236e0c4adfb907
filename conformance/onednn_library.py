"""oneDNN 3.2 through ctypes: memory descriptors, their fields, and reorders.

The wheel contains no Python: its C functions are called as dnnl.h declares them. The numbers of
queries and data types are those of the enumerations in dnnl_types.h.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

DATA_TYPES = {"float16": 1, "bfloat16": 2, "float32": 3, "int32": 4, "int8": 5, "uint8": 6}
_STRIDES, _OFFSET, _PADDED, _BLOCKS = 14, 259, 260, 263
_IMPLEMENTATION, _SOURCE, _TARGET = 8, 1, 17
_FIRST_TAG, _MOST_TAGS = 2, 4096
_CPU = 1


class OneDnnError(Exception):
    """A function of oneDNN returned a status other than success."""


@dataclass(frozen=True, slots=True)
class Said:
    """The fields of a memory descriptor: offset and strides in elements, its size in bytes."""

    padded_dims: tuple[int, ...]
    strides: tuple[int, ...]
    inner_blocks: tuple[tuple[int, int], ...]
    offset: int
    size_bytes: int


@cache
def library() -> ctypes.CDLL:
    """The shared library."""
    found = ctypes.CDLL(str(Path(sys.prefix) / "lib" / "libdnnl.so.3"))
    found.dnnl_fmt_tag2str.restype = ctypes.c_char_p
    found.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
    found.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
    return found


def call(name: str, *arguments: object) -> None:
    """Call a function that returns a status. Errors: OneDnnError if it is not success."""
    status = getattr(library(), name)(*arguments)
    if status:
        raise OneDnnError(f"{name}: status {status}")


def dims(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    """An array of sizes, as the C functions take it."""
    return (ctypes.c_int64 * len(values))(*values)


def tag_numbers() -> dict[str, int]:
    """The number of every primary tag of this library."""
    found: dict[str, int] = {}
    for number in range(_FIRST_TAG, _MOST_TAGS):
        name = library().dnnl_fmt_tag2str(number).decode()
        if name == "format_tag_last":
            return found
        found[name] = number
    raise OneDnnError("dnnl_fmt_tag2str: no end of the tags")


def header_tags(folder: str = "") -> tuple[list[str], dict[str, str]]:
    """The primary tags of a header, by default the newest (3.13), and the aliases with theirs."""
    header = Path(sys.prefix) / folder / "include" / "oneapi" / "dnnl" / "dnnl_types.h"
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
    body = text[text.index("dnnl_format_tag_any") : text.index("dnnl_format_tag_last")]
    primary = re.findall(r"\bdnnl_(\w+)\s*,", body)
    tail = text[text.index("dnnl_format_tag_last") : text.index("} dnnl_format_tag_t")]
    aliases = dict(re.findall(r"\bdnnl_(\w+)\s*=\s*dnnl_(\w+)", tail))
    return [tag for tag in primary if tag != "format_tag_any"], aliases


class Descriptor:
    """A dnnl_memory_desc_t; it is destroyed with this object."""

    def __init__(self, handle: ctypes.c_void_p, rank: int) -> None:
        self.handle = handle
        self.rank = rank

    def __del__(self) -> None:
        library().dnnl_memory_desc_destroy(self.handle)

    @classmethod
    def of_tag(cls, shape: Sequence[int], tag: int | str, dtype: str) -> Descriptor:
        """By the number of a tag, or by a text, which oneDNN's own parser reads (a, b, c…)."""
        name, last = (
            ("dnnl_memory_desc_create_with_string_tag", tag.encode())
            if isinstance(tag, str)
            else ("dnnl_memory_desc_create_with_tag", tag)
        )
        handle = ctypes.c_void_p()
        call(name, ctypes.byref(handle), len(shape), dims(shape), DATA_TYPES[dtype], last)
        return cls(handle, len(shape))

    def submemory(self, sizes: Sequence[int], offsets: Sequence[int]) -> Descriptor:
        """The part of ``sizes`` that begins at ``offsets``."""
        handle = ctypes.c_void_p()
        call(
            "dnnl_memory_desc_create_submemory",
            ctypes.byref(handle),
            self.handle,
            dims(sizes),
            dims(offsets),
        )
        return Descriptor(handle, self.rank)

    def permuted(self, permutation: Sequence[int]) -> Descriptor:
        """Dimension i becomes dimension permutation[i]."""
        handle = ctypes.c_void_p()
        axes = (ctypes.c_int * len(permutation))(*permutation)
        call("dnnl_memory_desc_permute_axes", ctypes.byref(handle), self.handle, axes)
        return Descriptor(handle, self.rank)

    def said(self) -> Said:
        """The fields of the descriptor, by queries."""
        count = self._query(_BLOCKS, ctypes.c_int())
        sizes = self._array(_BLOCKS + 1, count)
        return Said(
            self._array(_PADDED, self.rank),
            self._array(_STRIDES, self.rank),
            tuple(zip(sizes, self._array(_BLOCKS + 2, count), strict=True)),
            self._query(_OFFSET, ctypes.c_int64()),
            library().dnnl_memory_desc_get_size(self.handle),
        )

    def _query(self, what: int, result: ctypes.c_int | ctypes.c_int64) -> int:
        call("dnnl_memory_desc_query", self.handle, what, ctypes.byref(result))
        return int(result.value)

    def _array(self, what: int, count: int) -> tuple[int, ...]:
        pointer = ctypes.POINTER(ctypes.c_int64)()
        call("dnnl_memory_desc_query", self.handle, what, ctypes.byref(pointer))
        return tuple(pointer[:count])


class _Argument(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_int), ("memory", ctypes.c_void_p))


@cache
def _engine_and_stream() -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
    engine, stream = ctypes.c_void_p(), ctypes.c_void_p()
    call("dnnl_engine_create", ctypes.byref(engine), _CPU, ctypes.c_size_t(0))
    call("dnnl_stream_create", ctypes.byref(stream), engine, 1)
    return engine, stream


def reorder(
    source: Descriptor, target: Descriptor, values: npt.NDArray[np.generic], fill: int
) -> npt.NDArray[np.generic]:
    """The target's buffer after a real reorder; before it, every byte was ``fill``."""
    engine, stream = _engine_and_stream()
    # oneDNN's vector kernels may read past the end: add a page.
    inner = np.zeros(source.said().size_bytes + 4096, dtype=np.uint8)
    raw = values.view(np.uint8)
    inner[: len(raw)] = raw
    size = target.said().size_bytes
    outer = np.full(size + 4096, fill, dtype=np.uint8)
    description, primitive = ctypes.c_void_p(), ctypes.c_void_p()
    memories = ctypes.c_void_p(), ctypes.c_void_p()
    call(
        "dnnl_reorder_primitive_desc_create",
        ctypes.byref(description),
        source.handle,
        engine,
        target.handle,
        engine,
        None,
    )
    call("dnnl_primitive_create", ctypes.byref(primitive), description)
    for memory, desc, buffer in zip(memories, (source, target), (inner, outer), strict=True):
        address = ctypes.c_void_p(buffer.ctypes.data)
        call("dnnl_memory_create", ctypes.byref(memory), desc.handle, engine, address)
    arguments = (_Argument * 2)(_Argument(_SOURCE, memories[0]), _Argument(_TARGET, memories[1]))
    call("dnnl_primitive_execute", primitive, stream, 2, arguments)
    call("dnnl_stream_wait", stream)
    for memory in memories:
        call("dnnl_memory_destroy", memory)
    call("dnnl_primitive_destroy", primitive)
    call("dnnl_primitive_desc_destroy", description)
    return outer[:size].view(values.dtype)
