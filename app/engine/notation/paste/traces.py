"""Inputs of operators in a trace of torch.profiler, as its JSON has them.

    arguments = "{" … '"Input Dims":' list ['"Input Strides":' list] ['"Input type":' names] … "}"
    list      = "[" {input | "[" {input} "]"} "]"
    input     = "[" {integer} "]"

An input without sizes is no tensor here: a number or None is written so, too. Types are C++'s
names. Source: torch/csrc/profiler/kineto_shim.cpp and torch/csrc/profiler/util.cpp.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeGuard

from ...model.dtypes import find_dtype
from ...model.errors import phrase, unreadable
from ..dialect import per_size
from ..dialects.strides import write_numbers
from .found import Item

_LIST: Final = r"\s?:\s?(?P<list>\[[\d\s,\[\]]{0,8000}\])"
_DIMS = re.compile(rf"\"Input Dims\"{_LIST}", re.ASCII)
_STRIDES = re.compile(rf"\"Input Strides\"{_LIST}", re.ASCII)
_TYPES = re.compile(r"\"Input type\"\s?:\s?(?P<list>\[[^\[\]{}]{0,8000}\])")
_OPERATOR = re.compile(r"\b[a-z_]\w{0,30}::\w{1,60}", re.ASCII)
_EDGE = re.compile(r"[{}]")
_MOST: Final = 20_000  # characters of an operator's arguments before their sizes, and behind
_NAMES: Final = {
    "float": "float32",
    "int": "int32",
    "long int": "int64",
    "short int": "int16",
    "unsigned char": "uint8",
    "signed char": "int8",
    "c10::complex<float>": "complex64",
    "c10::complex<double>": "complex128",
}


def find_traces(text: str) -> Iterator[Item]:
    """The inputs that have sizes, with their strides and types where the text says them. One whose
    strides do not fit has an error. Errors: LayoutError with the position of what is no list."""
    last = 0
    for dims in _DIMS.finditer(text):
        begin = max(last, dims.start() - _MOST)
        begin = max(begin, *(text.rfind(edge, begin, dims.start()) for edge in "{}"))
        edge = _EDGE.search(text, dims.end(), dims.end() + _MOST)
        end = edge.start() if edge else min(len(text), dims.end() + _MOST)
        strides, types = (pattern.search(text, begin, end) for pattern in (_STRIDES, _TYPES))
        operator = [*_OPERATOR.finditer(text, max(last, begin - 400), begin)][-1:]
        spans = tuple(one.span() for one in (*operator, dims, strides, types) if one)
        source = operator[0][0] if operator else None
        group = Item(dims.start(), source=source, group=dims.start(), system="pytorch", spans=spans)
        names = _entries(text, types)
        last = end
        for at, role, shape, steps in _tensors(_entries(text, dims), _entries(text, strides)):
            name = names[at] if at < len(names) else None
            known = find_dtype(_NAMES.get(name, name)) if isinstance(name, str) else None
            item = replace(group, shape=shape, role=role, dtype=known.name if known else None)
            if strides and (not _are_integers(steps) or len(steps) != len(shape)):
                yield replace(item, error=unreadable(text, strides.start("list"), per_size(shape)))
            else:
                yield replace(item, layout=write_numbers(steps, 0) if strides else None)


def _entries(text: str, found: re.Match[str] | None) -> list[Any]:
    """The entries of a list, none where the text has no such list."""
    if found is None:
        return []
    try:
        return list(json.loads(found["list"]))
    except (ValueError, RecursionError):
        raise unreadable(text, found.start("list"), phrase("integers.list")) from None


def _tensors(
    sizes: list[Any], strides: list[Any]
) -> Iterator[tuple[int, str, tuple[int, ...], Any]]:
    """Number, name, sizes and strides of the inputs; those of a list of tensors one by one."""
    for at, one in enumerate(sizes):
        steps = strides[at] if at < len(strides) else None
        inner = isinstance(one, list) and not _are_integers(one)
        for n, entry in enumerate(one if inner else [one]):
            if entry and _are_integers(entry):
                own = steps[n] if inner and isinstance(steps, list) and n < len(steps) else steps
                yield at, f"input{at}.{n}" if inner else f"input{at}", tuple(entry), own


def _are_integers(entries: Any) -> TypeGuard[list[int]]:
    return isinstance(entries, list) and all(isinstance(entry, int) for entry in entries)
