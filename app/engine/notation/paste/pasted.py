"""Reads one tensor in memory from text pasted from a session, a debugger or a log.

It reads PyTorch and NumPy sessions, ``__array_interface__``, ``flags``, key=value pairs as
debuggers and cuDNN print them, DML_BUFFER_TENSOR_DESC, oneDNN's verbose lines, XLA shapes, MLIR
memrefs, and C array declarations. If a text describes several tensors, the first one is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ...dtypes import ELEMENT_TYPES, by_name_in
from ...errors import Described, LayoutError
from ...layout import check_shape, packed_strides
from ..dialect import skip_blanks, unreadable
from ..dialects import mlir, numpy_, xla
from ..dialects.strides import write_numbers
from ..grammar.literals import read_literal
from . import onednn_verbose
from .keys import Pasted, dtype_in, read_keys

__all__ = ["MAX_TEXT", "Pasted", "attempt_pasted", "read_pasted"]

MAX_TEXT: Final = 4096


def read_pasted(text: str) -> Pasted:
    """Sizes, element type and layout from a pasted text.

    Errors: LayoutError naming ``layout`` with the position, or ``shape`` for invalid sizes.
    """
    if len(text) > MAX_TEXT:
        raise LayoutError("layout", text, f"at most {MAX_TEXT} characters")
    for reader in _READERS:
        found = reader(text)
        if found is not None:
            if found.shape is not None:
                check_shape(found.shape)
            return found
    dtype = dtype_in(text)
    if dtype is not None:
        return Pasted(dtype=dtype)
    raise LayoutError(
        "layout",
        Described("text that names no sizes and no strides"),
        "a shape and strides as a session or a debugger prints them, as in "
        "torch.Size([2, 3]) (3, 1)",
    )


def attempt_pasted(text: str) -> Pasted | LayoutError:
    """The same as ``read_pasted``, but the error is returned, not raised."""
    try:
        return read_pasted(text)
    except LayoutError as error:
        return error


# NumPy ------------------------------------------------------------------------------------------

_INTERFACE = re.compile(r"\{\s*['\"](?:shape|strides|typestr|data|descr|version|offset)['\"]\s*:")


def _of_interface(text: str) -> Pasted | None:
    opened = _INTERFACE.search(text)
    if opened is None:
        return None
    _, end = read_literal(text, opened.start())
    interface = text[opened.start() : end]
    spec = numpy_.DIALECT.attempt(interface)
    if isinstance(spec, LayoutError):
        raise spec.shifted(opened.start())
    if not isinstance(spec, numpy_.InterfaceSpec):
        return None
    return Pasted(spec.shape, spec.dtype, spec.short_form)


_FLAGS = re.compile(r"\bC_CONTIGUOUS\s*:\s*(True|False)\s*F_CONTIGUOUS\s*:\s*(True|False)")


def _of_flags(text: str) -> Pasted | None:
    found = _FLAGS.search(text)
    if found is None:
        return None
    named = read_keys(text[: found.start()]) or Pasted()
    if named.layout is not None:
        return named
    if "True" not in found.groups():
        raise unreadable(text, found.start(), "strides: flags give only C or F order")
    return Pasted(named.shape, named.dtype, "numpy:C" if found[1] == "True" else "numpy:F")


# Verbose lines, XLA, MLIR -----------------------------------------------------------------------


def _of_verbose(text: str) -> Pasted | None:
    return Pasted(*onednn_verbose.read_verbose(text)) if onednn_verbose.recognises(text) else None


_XLA = re.compile(
    r"\b(?P<type>[a-z]{1,4}[0-9]{0,2}[a-z0-9]{0,8})\[[0-9,\s]*\](?:\{[^{}]*\})?", re.ASCII
)
_XLA_TYPES: Final = by_name_in("xla").keys()


def _of_xla(text: str) -> Pasted | None:
    for found in _XLA.finditer(text):
        spec = xla.DIALECT.attempt(found[0])
        if isinstance(spec, LayoutError):
            if found["type"] in _XLA_TYPES:
                raise spec.shifted(found.start())
        elif spec.shape is not None and spec.dtype is not None:
            return Pasted(spec.shape, spec.dtype, f"xla:{found[0]}")
    return None


def _of_memref(text: str) -> Pasted | None:
    start = text.find("memref<")
    if start < 0:
        return None
    depth = 0
    for at in range(start, len(text)):
        if text[at] == "<":
            depth += 1
        elif text[at] == ">" and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                memref = text[start : at + 1]
                spec = mlir.DIALECT.attempt(memref)
                if isinstance(spec, LayoutError):
                    raise spec.shifted(start)
                return Pasted(spec.shape, spec.dtype, f"mlir:{memref}")
    raise unreadable(text, len(text), "a closing >")


# C ----------------------------------------------------------------------------------------------

_DECLARED = re.compile(
    r"\s*(?P<words>(?:[A-Za-z_][A-Za-z0-9_:]*\s+)+)[A-Za-z_][A-Za-z0-9_]*\s*(?=\[)", re.ASCII
)
_C_TYPES = {
    "float": "float32", "double": "float64", "char": "int8", "short": "int16", "int": "int32",
    "long": "int64", "bool": "bool", "_Bool": "bool", "half": "float16", "__half": "float16",
    "_Float16": "float16", "__bf16": "bfloat16", "__nv_bfloat16": "bfloat16",
    **{f"{name}_t": name for name in ELEMENT_TYPES if "int" in name},
}  # fmt: skip


def _of_declaration(text: str) -> Pasted | None:
    """The tensor of ``float x[2][3]``. C arrays are row-major."""
    declared = _DECLARED.match(text)
    if declared is None:
        return None
    words = declared["words"].replace("std::", "").split()
    types = [_C_TYPES[word] for word in words if word in _C_TYPES]
    if not types:
        return None
    dtype = "int64" if "long" in words else types[0]
    if "unsigned" in words and dtype.startswith("int"):
        dtype = "u" + dtype
    shape: list[int] = []
    at = declared.end()
    while text.startswith("[", at):
        literal, at = read_literal(text, at)
        numbers = literal.integers(text)
        if len(numbers) != 1:
            raise unreadable(text, literal.at + 1, "one size between brackets, as in x[2][3]")
        shape.append(numbers[0])
        at = skip_blanks(text, at)
    return Pasted(tuple(shape), dtype, write_numbers(packed_strides(shape), 0))


_READERS: Final[tuple[Callable[[str], Pasted | None], ...]] = (
    _of_interface,
    _of_flags,
    _of_verbose,
    _of_memref,
    read_keys,
    _of_xla,
    _of_declaration,
)
