"""Tensors that one pattern each finds in errors, logs and generated code: of PyTorch, NumPy, cuDNN,
MIOpen, MIGraphX, CK, TensorRT, gguf and CuTe.

Source: PyTorch's aten/src/ATen/cudnn/Descriptors.cpp, torch/_inductor/select_algorithm.py,
torch/_dynamo/debug_utils.py and its benchmarks' operator_inp_utils.py, whose calls make dense
memory where they name no strides; MIOpen's tensor.cpp and miopenDataType_t; MIGraphX's shape.cpp;
HostTensorDescriptor of CK; gguf_dump.py.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ...model.dtypes import ELEMENT_TYPES, ElementType, by_name_in, find_dtype
from ...model.errors import LayoutError, one_of, phrase, unreadable
from ...model.layout import packed_strides
from ..dialect import per_size
from ..dialects import cute, pytorch, tensorrt
from ..dialects.strides import write_numbers
from .found import VECTORS, Item

_COMMAS: Final = r"\d[\d, ]{0,200}"
_BRACES: Final = r"\{[\dL, ]{1,200}\}"
_TUPLE: Final = r"\([\d, ]{0,200}\)"
_SQUARE: Final = r"\[[\d, ]{1,200}\]"
_BOXED: Final = r"[\[(][\d, ]{1,200}[\])]"
_AT: Final = r"\s{1,9}(?:MIOpen\(\w{1,9}\):\s{1,9})?"  # between the lines of MIOpen
_MIOPEN: Final = dict(
    zip("012356", ["float16", "float32", "int32", "int8", "bfloat16", "float64"], strict=True)
)
_SHAPE: Final = r"\d{1,18}(?:x\d{1,18}){0,11}"
_SWIZZLED: Final = r"(?:Sw(?:izzle)?|S)<[-\d,]{1,9}> o (?:_?\d{1,9} o )?"
_NEST: Final = r"\((?:[\d_, -]|\((?:[\d_, -]|\([\d_, -]{0,99}\)){0,99}\)){1,99}\)"
# Each with its system. ``made``: by a call that takes float32 and dense memory by itself.
_MESSAGES: Final = (
    ("cudnn", r"(?:\b(?P<role>\w{1,60}): )?\b(?:Tensor|Filter)Descriptor 0x[\da-f]{1,16}"
        r"\s{1,20}type = (?P<type>CUDNN_DATA_\w{1,20})\s{1,20}"
        r"(?:tensor_format = CUDNN_TENSOR_(?P<order>\w{1,20})\s{1,20})?nbDims = \d{1,2}\s{1,20}"
        rf"dimA = (?P<sizes>{_COMMAS}),(?:\s{{1,20}}strideA = (?P<strides>{_COMMAS}),)?"),
    ("pytorch", rf"\breader\.(?P<made>tensor)\(\w{{1,60}}, (?P<sizes>{_TUPLE})"
        rf"(?:, (?P<strides>{_TUPLE}))?(?=[,)])"
        r"(?=(?:[^()\n]{0,200}\bdtype=(?P<type>torch\.\w{1,20}))?)"
        r"(?=(?:[^()\n]{0,200}\bstorage_offset=(?P<offset>\d{1,18}))?)"
        r"[^()\n]{0,300}\)(?:[ \t]{0,9}#[ \t]?(?P<role>\w{1,60}))?"),
    ("pytorch", r"\b(?P<made>T)\((?P<sizes>\[[\d, ]{0,200}\]), (?P<type>[a-z]{1,2}\d\w{0,12})"
        rf"(?:, stride=(?P<strides>{_TUPLE}))?\)"),
    ("pytorch", r"(?:\b(?P<role>\w{1,60})\s?=\s?)?\bat::(?:detail::)?empty_strided"
        rf"(?:_c\w{{2,3}})?\((?P<sizes>{_BRACES}), (?P<strides>{_BRACES})"
        r"(?:[^;{\n]{0,200}?(?P<type>at::k(?:Float|Half|BFloat|Double|Int|Long|Short|Char|Byte"
        r"|Bool|Complex)\w{0,20}))?"),
    ("pytorch", rf"\bAUTOTUNE (?P<op>\w{{1,40}})\((?P<each>{_SHAPE}(?:, {_SHAPE}){{0,9}})\)"
        r"(?:\s{1,20}strides: (?P<steps>\[[\d, ]{0,200}\](?:, \[[\d, ]{0,200}\]){0,9}))?"
        r"(?:\s{1,20}dtypes: (?P<types>torch\.\w{1,20}(?:, torch\.\w{1,20}){0,9}))?"),
    ("miopen", rf"(?:\bdataType = (?P<type>[012356]){_AT}(?:nbDims = \d{{1,2}}{_AT})?)?"
        rf"\bdim\.values = (?P<sizes>\{{[\d ]{{1,200}}\}}){_AT}"
        r"stride\.values = (?P<strides>\{[\d ]{1,200}\})"),
    ("miopen", rf"\b(?P<role>\w{{0,60}}Desc) = (?P<sizes>{_BRACES}), (?P<strides>{_BRACES}),"),
    ("migraphx", r"(?:(?P<role>@\d{1,9}) = [^\n]{0,400}?)?-> (?P<type>\w{1,20})_type, "
        rf"(?P<sizes>{_BRACES}), (?P<strides>{_BRACES})"),
    ("ck", rf"(?:\b(?P<role>\w{{1,60}}): )?\bdim \d{{1,2}}, lengths (?P<sizes>{_BRACES}), "
        rf"strides (?P<strides>{_BRACES})"),
    ("tensorrt", rf"[\[(]{tensorrt.TYPE}[(\[](?P<sizes>[\d,:]{{1,200}})(?:\)\]|\]\))"),
    ("ggml", rf"^\s{{0,9}}\d{{1,9}}:\s{{1,20}}\d{{1,18}} \|\s{{1,9}}(?P<sizes>{_COMMAS})"
        r"\| (?P<type>\w{1,12})\s{1,9}\| (?P<role>\S{1,80})"),
    ("cute", r"(?:^[ \t]{0,40}|(?:\b(?P<role>[A-Za-z_]\w{0,60})|[ \t])[ \t]?[:=][ \t]{1,20})"
        rf"(?P<layout>(?:{_SWIZZLED})?(?:{_NEST}:{_NEST}|_\d{{1,18}}:_\d{{1,18}}))"
        r"[ \t]{0,40}$"),
)  # fmt: skip  # a row on several lines where it is long
# Of two tensors, which a session may name too.
_MISFITS: Final = (
    ("pytorch", r"(?:\bGiven (?:groups|transposed)=\d{1,9}|, expected)[, ]{1,2}"
        rf"(?P<role>weight|input)(?: of size )?(?P<sizes>{_SQUARE})"
        r"(?:(?=, expected input\[)| to have \d{1,9} channels, but got \d{1,9} channels instead)"),
    ("pytorch", rf"(?:,? but )?\b(?P<role>expected|got) (?:strides? )?(?P<strides>{_BOXED})"
        rf"(?=(?:,? but got {_BOXED})? for shape (?P<sizes>{_BOXED}))(?: for shape )?"),
)  # fmt: skip  # a row on several lines where it is long
# Of sizes alone.
_ERRORS: Final = (
    ("pytorch", r"\b(?P<roles>\w{1,60} and \w{1,60}) shapes cannot be multiplied "
        rf"\((?P<each>{_SHAPE} and {_SHAPE})\)"),
    ("numpy", r"(?P<with>\btogether with )?\bshapes "
        rf"(?P<each>{_TUPLE}(?:(?: and)? {_TUPLE}){{1,9}})(?(with)| not aligned)"),
)  # fmt: skip  # a row on several lines where it is long
_EACH = re.compile(r"[(\[][^()\[\]]*[)\]]|\b(?!and\b)[\w.]+")
_VECTORS = re.compile(r"CUDNN_DATA_U?INT8x\d|VECT_C")


def find_messages(text: str) -> Iterator[Item]:
    """The tensors of such texts. One that cannot be read has an error."""
    return _found(text, _MESSAGES)


def find_misfits(text: str) -> Iterator[Item]:
    """The tensors of errors that name two which do not fit."""
    return _found(text, _MISFITS)


def find_errors(text: str) -> Iterator[Item]:
    """The operands of errors that say sizes alone."""
    return _found(text, _ERRORS)


def _found(text: str, rows: tuple[tuple[str, str], ...]) -> Iterator[Item]:
    for system, pattern in rows:
        for found in re.finditer(pattern, text, re.ASCII | re.MULTILINE):
            spans = (found.span(), *(found.span(n) for n in found.re.groupindex if n == "sizes"))
            try:
                for item in _items(text, system, found):
                    yield replace(item, at=found.start(), system=system, spans=spans)
            except LayoutError as error:
                yield Item(found.start(), error=error)


def _items(text: str, system: str, found: re.Match[str]) -> Iterator[Item]:
    said = found.groupdict()
    if "layout" in said:
        spec = cute.DIALECT.attempt(said["layout"])
        if isinstance(spec, LayoutError):
            raise spec.shifted(found.start("layout"))
        yield Item(0, spec.shape, None, f"cute:{said['layout']}", said["role"])
    elif "each" in said:
        yield from _several(said, found.start())
    else:
        yield _one(text, system, found, said)


def _one(text: str, system: str, found: re.Match[str], said: dict[str, str | None]) -> Item:
    """The tensor of one match. Errors: LayoutError with the position."""
    if vectors := _VECTORS.search(text, *found.span()):
        raise unreadable(text, vectors.start(), VECTORS)
    shape, strides = _numbers(said["sizes"]), _numbers(said.get("strides"))
    if said.get("strides") and len(strides) != len(shape):
        raise unreadable(text, found.start("strides"), per_size(shape))
    made = "made" in said
    dtype = ELEMENT_TYPES["float32"] if made else None
    if name := said.get("type"):
        dtype = _type_of(system, name)
        if dtype is None:
            ggml = system == "ggml"
            wanted = phrase("ggml.type", type=name) if ggml else one_of(ELEMENT_TYPES)
            raise unreadable(text, found.start("type"), wanted)
    layout = f"cudnn:{said['order']}" if said.get("order") else None
    if made or said.get("strides"):
        steps = strides if said.get("strides") else packed_strides(shape)
        layout = write_numbers(steps, int(said.get("offset") or 0))
    sizes = shape[::-1] if system == "ggml" else shape
    return Item(0, sizes, None if dtype is None else dtype.name, layout, said.get("role"))


def _type_of(system: str, name: str) -> ElementType | None:
    if system == "ggml":
        return by_name_in("mlir").get(name.lower())
    named = pytorch.ABBREVIATIONS.get(name) or _MIOPEN.get(name, name)
    kinds = map(find_dtype, (named, f"torch.{name}", f"k{name.upper()}"))
    return next(filter(None, kinds), None)


def _several(said: dict[str, str | None], at: int) -> Iterator[Item]:
    """The tensors of one message; none where it has not as many strides or types as sizes."""
    sizes, *others = (_EACH.findall(said.get(n) or "") for n in ("each", "steps", "types", "roles"))
    columns = [each or [""] * len(sizes) for each in others]
    if any(len(each) != len(sizes) for each in columns):
        return
    op = said.get("op")
    for place, (size, steps, name, role) in enumerate(zip(sizes, *columns, strict=True)):
        kind = find_dtype(name)
        layout = write_numbers(_numbers(steps), 0) if steps else None
        item = Item(0, _numbers(size), None if kind is None else kind.name, layout, role or None)
        yield replace(item, role=f"input{place}", source=op, group=at) if op else item


def _numbers(text: str | None) -> tuple[int, ...]:
    """The integers of a list; the size of a vector stands behind a colon."""
    return tuple(map(int, re.findall(r"(?<![:\d])\d+", text or "")))
