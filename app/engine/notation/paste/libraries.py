"""Tensors as libraries' own calls and logs print them: cuDNN, TensorRT, ggml, oneDNN, TVM, CuTe;
PyTorch's TensorImpl in a debugger, its TorchScript graphs and what its C++ prints.

Source: cuDNN's reference of cudnnSetTensor4dDescriptor and the like; TensorRT's verbose log, whose
strides count vectors, and its engine inspector; ggml.h, whose ne and nb begin with the innermost;
TVM's script; CuTe's print and print_tensor; c10/core/impl/SizesAndStrides.h and ScalarType.h;
torch/csrc/jit/ir/ir.cpp and aten/src/ATen/core/Formatting.cpp; dnnl.hpp and dnnl.h.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ...model.dtypes import ElementType, by_name_in, find_dtype
from ...model.errors import LayoutError, phrase, unreadable
from ...model.layout import packed_strides
from ..dialect import per_size
from ..dialects import cute, onednn, tensorrt
from ..dialects.strides import parse_numbers, write_numbers
from ..grammar.cursor import CLOSING
from .found import VECTORS, Item
from .messages import find_messages
from .onednn import BLOCKING, MEMORY_DESC, offset_behind, read_blocking, read_descriptor
from .source import end_of

_Sizes = tuple[int, ...]
_LIST: Final = r"[\[({][\d\s,=*\[\]]{1,300}[\])}]"
_CUDNN = re.compile(r"\bcudnnSet(?:Tensor|Filter)(?P<rank>4d|Nd)Descriptor(?:Ex)?\s{0,9}(?=\()")
# What cuDNN's frontend logs, saves as JSON, and is called with.
_FRONTEND = re.compile(
    r"(?:\bDim\s|\"dim\"\s?:\s?|\bdim\s?=\s?|\bset_?[dD]im\((?:\d{1,2},\s?)?)"
    rf"(?P<sizes>{_LIST})[^\[{{(]{{0,99}}?"
    r"(?:\bStr\s|\"stride\"\s?:\s?|\bstride\s?=\s?|\bset_?[sS]tride\((?:\d{1,2},\s?)?)"
    rf"(?P<strides>{_LIST})\)?",
    re.ASCII,
)
_FRONTEND_TYPE = re.compile(
    r"\b(?:CUDNN_DATA_|DataType_t::|data_type\s?=\s?cudnn\.data_type\.|\"?data_type\"?\s?:\s?\"?)"
    r"([A-Z][A-Z0-9]{1,9}(?:_E\dM\d)?)\b",
    re.ASCII,
)
_FRONTEND_END = re.compile(r"[;{}]|\)(?!\s{0,99}\.)")  # of what describes a tensor
_FRONTEND_VECTORS = re.compile(r"VectorCount: ([2-9]|[1-9]\d{1,2})\b", re.ASCII)
_ARRAY = re.compile(
    r"(?:\b(?:int|\w{0,20}::dims|(?:const\s{1,9})?dnnl_dims_t)\s{1,9})?\b(?P<name>[A-Za-z_]\w{0,60})"
    r"\s?(?:\[\w{0,20}\])?\s?=\s?(?P<list>\{[\d\s,]{0,300}\})",
    re.ASCII,
)
_ENTRIES = re.compile(r",|\[\d{1,9}\]\s*=", re.ASCII)
_PRODUCT = re.compile(r"\d{1,18}(?:\s*\*\s*\d{1,18})*", re.ASCII)
_TYPED = re.compile(r"\w{1,9}\.u?int\d\d\(|\)", re.ASCII)
_ARGUMENT = re.compile(r"(?:\(int ?\[\d*\]\)\s*)?(?P<list>\{[^{}]*\})|[^,{}\s][^,{}]*")
_TENSORRT = re.compile(
    rf"(?<!\[){tensorrt.TYPE}(?P<first>\([\d,:]{{1,200}}\))"
    r"(?:,?\s{0,9}\bstrides?\s?[=:]\s?(?P<strides>\([\d,: ]{1,200}\))?)?",
    re.ASCII,
)
_INSPECTED = re.compile(
    r"\bDimensions\"?: *\[(?P<sizes>[\d, ]{1,100})\], *"
    r"\"?Format/Datatype\"?: *\"?(?P<format>[^\",{}\n]{0,99}\bformat\b"
    r"(?: where channel % \d{1,3} == 0)?|Row major linear \w{1,9}|[^\",{}\n]{1,200})",
    re.ASCII,
)
_INSPECTED_NAME = re.compile(r"\bName\"?: *\"?([^\",{}\n]{1,80})\"?,[^{}\n]{0,80}$", re.ASCII)
_WIDE: Final = {"Two": 2, "Four": 4, "Eight": 8, "Sixteen": 16, "Thirty-two": 32}
_GGML = re.compile(
    rf"\bne\s*[=:]\s*(?P<ne>{_LIST})(?:[\s,;]*nb\s*[=:]\s*(?P<nb>{_LIST}))?", re.ASCII
)
_GGML_TYPE = re.compile(r"\btype\s*[=:]\s*(?:GGML_TYPE_)?(?P<type>\w{1,12})", re.ASCII)
_MKLDNN = re.compile(
    r"\b(?:MKL-?DNN|one-?DNN|DNNL)\b[\s:]{0,9}(?P<tag>\w{1,40})\s{1,9}"
    r"(?P<sizes>\d{1,18}(?:x\d{1,18}){0,11})\b",
    re.ASCII | re.IGNORECASE,
)
# Of one tensor in llama.cpp's log of a model.
_LLAMA = re.compile(
    r"- tensor\s{1,9}\d{1,9}(?:,\s{1,9}split\s{1,9}\d{1,9})?:\s{1,99}(?P<role>[^\s]{1,80})"
    r"\s{1,99}(?P<type>\w{1,12})\s{1,99}\[(?P<ne>[\d ,]{1,100})\]",
    re.ASCII,
)
_TVM_LIST: Final = (
    r"[(\[](?:\s{0,9}(?:T\.u?int\d\d\(\d{1,18}\)|\d{1,18})\s{0,9},?){0,32}\s{0,9}[)\]]"
)
_TVM = re.compile(
    r"(?:\b(?P<role>[A-Za-z_]\w{0,60})\s?[:=]\s?)?\b(?:[A-Z]|tir|relax|tvm)\.(?:Buffer|Tensor|"
    r"match_buffer|decl_buffer|(?:sblock_)?alloc_buffer)\((?:[A-Za-z_][\w.]{0,60},\s{0,9})?"
    rf"(?:shape=)?(?P<sizes>{_TVM_LIST})(?:,\s{{0,9}}(?:dtype=)?[\"'](?P<type>\w{{1,20}})[\"'])?"
    rf"(?:,\s{{0,9}}strides=(?P<strides>{_TVM_LIST}))?"
    r"(?:,\s{0,9}elem_offset=(?P<offset>\d{1,18}))?(?=[,)])",
    re.ASCII,
)
_NEST: Final = r"(?:_?\d{1,18}|\((?:[^()\n]|\((?:[^()\n]|\([^()\n]{0,99}\)){0,99}\)){1,99}\))"
# As Python prints a tensor, or as C++ does.
_CUTE = re.compile(
    r"(?:\b(?P<role>[A-Za-z_]\w{0,60})\s?[:=]\s{0,9})?"
    r"(?:(?:tensor<ptr<|tensor\(raw_ptr\(\w{1,20}:\s?)"
    r"(?P<type>\w{1,12})(?:,\s?(?:[a-z]{1,12}|align<\d{1,6}>)){0,4}[>)] o )?"
    r"(?P<layout>(?(type)|(?:Sw(?:izzle)?<[-\d,]{1,9}>(?:_| o ))?"
    r"(?:[a-z]mem_)?(?P<unread>ptr\[\d{1,3}b\])\((?:\(nil\)|[\w.]{0,40})\) o )"
    rf"{_NEST}:{_NEST})",
    re.ASCII,
)
_OUT_OF_LINE: Final = r"outOfLineStorage_ = \w{1,20}"
# Debuggers print the members in either order, and the union with or without its other member;
# asked for this member alone, without its name behind the value's number.
_TENSOR_IMPL = re.compile(
    r"(?:(?:\bp(?:rint)? (?P<role>\w{1,60})(?!\w)[\w.()>-]{0,60}(?:\.|->))?\bsizes_and_strides_"
    r"\s{1,9}(?:\$\d{1,9} )?= )?\{\s{0,99}(?:size_ = (?P<first>[0-5]),\s{0,99})?"
    rf"(?:\{{\s{{0,99}})?(?:{_OUT_OF_LINE},\s{{1,99}})?"
    r"inlineStorage_ = (?P<inline>\{(?:\s{0,9}-?\d{1,18}\s{0,9}(?:,|(?=\}))){1,10}\})"
    rf"(?:,\s{{1,99}}{_OUT_OF_LINE})?\s{{0,99}}"
    r"(?(first)|\}?,\s{0,99}size_ = (?P<last>[0-5])\b)",
    re.ASCII,
)
_IMPL_OFFSET = re.compile(r"\bstorage_offset_ = (\d{1,18})")
_IMPL_TYPE = re.compile(r"\bdata_type_ = \{index_ = (\d{1,3})")
_SCALAR_TYPES: Final = dict(
    enumerate(("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"))
) | {9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16"}
_DIMS: Final = r"(?:(?:memory::dims|\(dnnl_dims_t\))\s?)?(?:\{[\w\s,*]{0,300}\}|[A-Za-z_]\w{0,60})"
_ALIAS: Final = r"(?:;\s{0,9}// = \w{1,40})?"  # as the page's code names a tag's alias
_DESC = re.compile(
    r"(?:\b(?P<role>[A-Za-z_]\w{0,60})\s?=\s?)?\bmemory::desc\b(?:\s(?P<name>[A-Za-z_]\w{0,60}))?"
    rf"\s?[({{](?P<sizes>{_DIMS}),\s*(?://[^\n]*\s*)?(?:[\w:]{{0,30}}::)?(?P<type>[a-z]\w{{0,9}}),\s*"
    rf"(?:[\w:]{{0,30}}tag::(?P<tag>\w{{1,40}})|(?P<strides>{_DIMS}))\s?[)}}]{_ALIAS}(?P<next>\s*\.)?",
    re.ASCII,
)
_DESC_C = re.compile(
    r"\bdnnl_memory_desc_(?:create_with|init_by)_(?:tag|strides)\(\s*&?(?P<role>[A-Za-z_]\w{0,60}),"
    rf"\s*\w{{1,20}},\s*(?P<sizes>{_DIMS}),\s*dnnl_(?P<type>[a-z]\w{{0,9}}),\s*"
    rf"(?:dnnl_(?P<tag>\w{{1,40}})|(?P<strides>{_DIMS}))\s?\){_ALIAS}",
    re.ASCII,
)
# A tensor's type in a TorchScript graph, and what C++ prints under a tensor's values.
_SCRIPT = re.compile(
    r"(?:%(?P<role>[\w.]{1,60})\s?:\s?)?\b(?:CPU|CUDA|HIP|MPS|XPU|Meta)?"
    r"(?P<type>(?:Complex)?(?:Float|Double)|Half|BFloat16|Long|Int|Short|Char|Byte|Bool)"
    r"(?:\(|Type\s?\{)(?P<sizes>(?:\d{1,18}(?:,\s?\d{1,18}){0,51})?)"
    r"(?:,\s?strides=(?P<strides>\[[\d\s,]{1,999}\])"
    r"(?:,\s?(?:requires_grad=[01]|device=[\w:]{1,20})){0,2}\)|\})",
    re.ASCII,
)


def find_prints(text: str) -> Iterator[Item]:
    """The tensors that libraries print. One that cannot be read has an error."""
    for system, pattern, reader in _READERS:
        for found in pattern.finditer(text):
            try:
                item = reader(text, found)
            except LayoutError as error:
                yield Item(found.start(), error=error)
                continue
            if item is not None:
                named = found.groupdict()
                left = named.get("unread") and item.itemsize is None
                start, end = found.span("unread") if left else (found.end(),) * 2
                spans = ((found.start(), start), (end, found.end()), *item.spans)
                role = named.get("role") or item.role
                yield replace(item, at=found.start(), role=role, system=system, spans=spans)
    yield from find_messages(text)


def _item(
    shape: _Sizes | None, dtype: ElementType | None, layout: str | None, *spans: tuple[int, int]
) -> Item:
    return Item(0, shape, None if dtype is None else dtype.name, layout, spans=spans)


def _cudnn(text: str, found: re.Match[str]) -> Item:
    """A call's format, type, sizes and strides, whatever their order."""
    end, arrays = end_of(text, found.end()), _arrays(text)
    spans = [(found.end(), end)]
    known: dict[str, str] = {}
    numbers: list[int] = []
    for argument in [*_ARGUMENT.finditer(text, found.end() + 1, end - 1)][1:]:
        word = re.sub(r"/\*.*?\*/", "", argument[0]).strip()
        kind = re.match(r"CUDNN_(DATA|TENSOR)_", word)
        array = arrays.get(word)
        if kind:
            known[kind[1]] = word
        elif array or "{" in word:
            numbers += _integers(text, *(array.span("list") if array else argument.span("list")))
            spans += [array.span()] if array else []
        elif word.isdecimal():
            numbers.append(int(word))
        else:
            raise unreadable(text, argument.start(), phrase("integer"))
    rank = 4 if found["rank"] == "4d" else numbers.pop(0) if numbers else 0
    shape, strides = tuple(numbers[:rank]), tuple(numbers[rank:])
    if len(shape) < rank or len(strides) not in {0, rank}:
        raise unreadable(text, found.end(), phrase("cudnn.numbers", rank=rank))
    name, vector, _ = known.get("DATA", "").partition("x")
    if strides and vector:
        raise unreadable(text, found.start(), VECTORS)
    layout = f"cudnn:{known['TENSOR'].removeprefix('CUDNN_TENSOR_')}" if "TENSOR" in known else None
    if layout and "VECT" in layout:
        layout += f" {known.get('DATA')}"
    return _item(shape, find_dtype(name), write_numbers(strides, 0) if strides else layout, *spans)


@lru_cache(maxsize=1)
def _arrays(text: str) -> dict[str, re.Match[str]]:
    """The lists of integers that a text declares, by their names."""
    return {found["name"]: found for found in _ARRAY.finditer(text)}


def _integers(text: str, start: int, end: int) -> tuple[int, ...]:
    """The integers of the list at ``start``: 56, ``[0] = 56`` or ``56 * 64``; none if empty."""
    inner = text[start:end].strip()
    inner = inner[1:].rstrip("])} ") if inner[-1:] in {"]", ")", "}"} else inner
    listed = _ENTRIES.split(_TYPED.sub("", inner))
    entries = [entry for entry in map(str.strip, listed) if entry]
    if not all(map(_PRODUCT.fullmatch, entries)):
        raise unreadable(text, start, phrase("integers.list"))
    return tuple(math.prod(map(int, entry.split("*"))) for entry in entries)


def _sizes_and_strides(
    text: str, found: re.Match[str], sizes: str = "sizes", strides: str = "strides"
) -> tuple[_Sizes, _Sizes]:
    """The lists of these groups; no strides where the text has none. Errors: LayoutError."""
    shape = _integers(text, *found.span(sizes))
    if found[strides] is None:
        return shape, ()
    steps = _integers(text, *found.span(strides))
    if len(steps) != len(shape):
        raise unreadable(text, found.start(strides), per_size(shape))
    return shape, steps


def _frontend(text: str, found: re.Match[str]) -> Item:
    """The frontend's sizes and strides; the type stands beside them, if it is said."""
    begin = max(found.start() - 200, 0)
    closed = 1 + text.find(CLOSING[found["strides"][0]], *found.span("strides"))
    end = closed or found.end("strides")
    before = max(
        (one.end() for one in _FRONTEND_END.finditer(text, begin, found.start())), default=begin
    )
    if vectors := _FRONTEND_VECTORS.search(text, before, found.start()):
        raise unreadable(text, vectors.start(), VECTORS)
    shape, strides = _sizes_and_strides(text, found)
    kinds = [*_FRONTEND_TYPE.finditer(text, before, found.start())]
    if not kinds:
        ends = _FRONTEND_END.search(text, end, end + 200)
        kinds = [*_FRONTEND_TYPE.finditer(text, end, ends.start() if ends else end + 200)][:1]
    kind = kinds[-1] if kinds else None
    spans = [kind.span()] if kind else []
    dtype = find_dtype(f"CUDNN_DATA_{kind[1]}") if kind else None
    return _item(shape, dtype, write_numbers(strides, 0), *spans)


def _tensorrt(text: str, found: re.Match[str]) -> Item:
    """What the log prints behind a type are strides; sizes alone if strides are named behind it."""
    name = "strides" if found["strides"] else "first"
    if found.end() > found.end(name):  # the word alone: the brackets are sizes
        raise unreadable(text, found.end(), phrase("integers.list"))
    strides = found[name].replace(" ", "")
    spec = tensorrt.DIALECT.attempt(strides)
    if isinstance(spec, LayoutError):
        raise spec.shifted(found.start(name))
    if not found["strides"] and not (strides := tensorrt.from_outermost(strides)):
        raise unreadable(text, found.start(name), phrase("tensorrt.order"))
    shape = _integers(text, *found.span("first")) if found["strides"] else None
    if shape is not None and strides.count(",") + 1 != len(shape):
        raise unreadable(text, found.start("strides"), per_size(shape))
    return _item(shape, find_dtype(f"k{found['type'].upper()}"), f"tensorrt:{strides}")


def _inspected(text: str, found: re.Match[str]) -> Item:
    """The inspector's words for a format: its name in TensorFormat."""
    said = found["format"]
    wide = re.match(r"([\w-]+) wide channel vectorized row major", said)
    multiple = re.match(r"Channel major.*channel % (\d{1,3}) == 0", said)
    layout = "LINEAR"
    if wide:
        layout = f"CHW{_WIDE.get(wide[1], wide[1])}"
    elif multiple or said.startswith("Channel major"):
        layout = f"HWC{multiple[1] if multiple else ''}"
    elif not said.startswith("Row major"):
        raise unreadable(text, found.start("format"), phrase("tensorrt.words"))
    spec = tensorrt.DIALECT.attempt(f"k{layout}")
    if isinstance(spec, LayoutError):
        raise unreadable(text, found.start("format"), spec.expectation)
    kinds = map(find_dtype, re.findall(r"\b[A-Za-z]+\d+\b|\bBool\b", said))
    dtype = next(filter(None, kinds), None)
    named = _INSPECTED_NAME.search(text, max(0, found.start() - 180), found.start())
    spans = [(named.start(), named.end(1))] if named else []
    shape = _integers(text, *found.span("sizes"))
    item = _item(shape, dtype, f"tensorrt:k{layout}", *spans)
    return replace(item, role=named[1] if named else None)


def _ggml(text: str, found: re.Match[str]) -> Item:
    shape, strides = (each[::-1] for each in _sizes_and_strides(text, found, "ne", "nb"))
    # A debugger prints the type first, a log often last.
    before = [*_GGML_TYPE.finditer(text, max(0, found.start() - 200), found.start())]
    kind = _GGML_TYPE.search(text, found.end(), found.end() + 40) or (before and before[-1])
    dtype = _ggml_type(text, kind) if kind else None
    layout = f"numpy:{write_numbers(strides, 0)}" if strides else None
    item = _item(shape, dtype, layout, *([kind.span()] if kind else []))
    return item if dtype or not strides else replace(item, byte_strides=strides)


def _mkldnn(_text: str, found: re.Match[str]) -> Item | None:
    if isinstance(onednn.DIALECT.attempt(found["tag"]), LayoutError):
        return None  # words
    return _item(tuple(map(int, found["sizes"].split("x"))), None, f"onednn:{found['tag']}")


def _llama(text: str, found: re.Match[str]) -> Item:
    return _item(_integers(text, *found.span("ne"))[::-1], _ggml_type(text, found), None)


def _ggml_type(text: str, found: re.Match[str]) -> ElementType:
    dtype = by_name_in("mlir").get(found["type"].lower())
    if dtype is None:
        raise unreadable(text, found.start("type"), phrase("ggml.type", type=found["type"]))
    return dtype


def _tvm(text: str, found: re.Match[str]) -> Item:
    """A buffer of a script; its strides count elements, and without them it is packed."""
    shape, strides = _sizes_and_strides(text, found)
    steps = strides if found["strides"] else packed_strides(shape)
    layout = write_numbers(steps, int(found["offset"] or 0))
    return _item(shape, find_dtype(found["type"] or ""), layout)


def _cute(_text: str, found: re.Match[str]) -> Item:
    spec = cute.DIALECT.attempt(found["layout"])
    if isinstance(spec, LayoutError):
        raise spec.shifted(found.start("layout"))
    item = _item(spec.shape, find_dtype(found["type"] or ""), f"cute:{found['layout']}")
    return replace(item, itemsize=spec.itemsize)


def _tensor_impl(text: str, found: re.Match[str]) -> Item:
    """Sizes and strides of up to five dimensions, which lie in the TensorImpl itself."""
    rank, inline = int(found["first"] or found["last"]), tuple(parse_numbers(found["inline"])[0])
    offset, kind = (p.search(text, found.end()) for p in (_IMPL_OFFSET, _IMPL_TYPE))
    half = len(inline) // 2
    strides = write_numbers(inline[half : half + rank], int(offset[1]) if offset else 0)
    dtype = _SCALAR_TYPES.get(int(kind[1])) if kind else None
    spans = [said.span() for said in (offset, kind) if said]
    return _item(inline[:rank], find_dtype(dtype or ""), strides, *spans)


def _script(text: str, found: re.Match[str]) -> Item:
    """A type of TorchScript or of C++'s print, which says no strides."""
    shape, strides = _sizes_and_strides(text, found)
    layout = write_numbers(strides, 0) if strides else None
    return _item(shape, find_dtype(f"torch.{found['type']}"), layout)


def _made(text: str, found: re.Match[str]) -> Item:
    """oneDNN's own call, in C++ or C. Sizes may stand in an array that the text declares."""
    if found.groupdict().get("next"):
        raise unreadable(text, found.start("next"), phrase("onednn.further"))
    role = found["role"] or found.groupdict().get("name")
    arrays, numbers, spans = _arrays(text), {}, []
    for name in ("sizes", "strides"):
        array = arrays.get(found[name] or "")
        spans += [array.span()] if array else []
        start, end = array.span("list") if array else found.span(name)
        start = text.find("{", start, end) if "{" in text[start:end] else start
        numbers[name] = _integers(text, start, end) if found[name] else ()
    shape, strides = numbers["sizes"], numbers["strides"]
    if strides and len(strides) != len(shape):
        raise unreadable(text, found.start("strides"), per_size(shape))
    dtype = find_dtype(f"dnnl_{found['type']}")
    itemsize = dtype.itemsize if dtype and strides else None
    offset, later = offset_behind(text, found.end(), role, itemsize)
    layout = write_numbers(strides, offset) if strides else f"onednn:{found['tag']}"
    return replace(_item(shape, dtype, layout, *spans, *later), role=role)


_Reader = Callable[[str, re.Match[str]], Item | None]
_READERS: Final[tuple[tuple[str, re.Pattern[str], _Reader], ...]] = (
    ("cudnn", _CUDNN, _cudnn),
    ("cudnn", _FRONTEND, _frontend),
    ("tensorrt", _INSPECTED, _inspected),
    ("tensorrt", _TENSORRT, _tensorrt),
    ("ggml", _GGML, _ggml),
    ("onednn", MEMORY_DESC, read_descriptor),
    ("onednn", BLOCKING, read_blocking),
    ("onednn", _MKLDNN, _mkldnn),
    ("ggml", _LLAMA, _llama),
    ("tvm", _TVM, _tvm),
    ("cute", _CUTE, _cute),
    ("pytorch", _TENSOR_IMPL, _tensor_impl),
    ("pytorch", _SCRIPT, _script),
    ("onednn", _DESC, _made),
    ("onednn", _DESC_C, _made),
)
