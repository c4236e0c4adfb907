"""Reads a text of unknown kind: a notation, or text pasted from a session or a log."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from ...model.dtypes import AMBIGUOUS, DEFAULT, parse_dtype
from ...model.errors import Described, LayoutError, phrase
from .. import DIALECTS, read_spec, reader_of, system_of
from ..dialect import MAX_TEXT as MAX_NOTATION
from ..dialects.numpy_ import InterfaceSpec
from ..dialects.strides import write_numbers
from ..specs import Request, Written
from .calls import read_views
from .found import Item
from .keys import ANSWER, dtype_in
from .listed import MAX_TENSORS, FoundTensor, Read, listed, tensor_of
from .operations import names_operation
from .orders import in_both_orders
from .pasted import MAX_TEXT, c_type, find_tensors, first_of
from .unknown import refuse_size, unknown_size, with_values

__all__ = ["MAX_TENSORS", "MAX_TEXT", "FoundTensor", "Read", "read_text"]

_MAX_PREFIXED: Final = 2 * MAX_NOTATION
_MAX_UNREAD: Final = 20
_MAX_PIECE: Final = 100
_PROMPT = re.compile(
    r">>>(?: ?print\()?|\((?:gdb|lldb)\)(?: p(?:rint)?\b)?|\$[0-9]+ =|(?:In|Out) ?\[[0-9]+\]:?|^i!"
    r"|^p \*"
)
_ONE_LIST = re.compile(rf"\s*{ANSWER.pattern}(?=[^}}]*\}}\s*\Z)")
# The same in lldb, each number behind its index.
_INDEXED = re.compile(
    r"\s{0,9}(?:\((?:std|c10)::[\w:<>, ]{1,80}\) \$?\w{1,60} = )?"
    r"(?:size=\d{1,9} |\(Data = 0x[0-9a-f]{1,16}, Length = \d{1,9}\) )?"
    r"\{(?:\s{1,99}\[\d{1,2}\] = -?\d{1,19}){1,52}\s{1,9}\}\s{0,9}",
    re.ASCII,
)
_LABEL = re.compile(r"\s{0,9}layout\s?[:=]\s?(?=\S)", re.IGNORECASE)
_EDGES = re.compile(r"^[^\w(\[{<]+|[^\w\])}>]+$")
_WORDS = re.compile(r"\w")
# Sizes and a notation, as people write the two together: 8x16x56x56 aBcd8b, (2, 6) onednn:ab.
_SIZES = (
    r"(?:shape\s?[=:]\s?)?[(\[{]?(?P<sizes>\d{1,18}(?:\s{0,9}[x,]\s{0,9}\d{1,18}){1,51})[)\]}]?"
)
_LAYOUT = r"(?:layout\s?[=:]\s?)?(?P<layout>[A-Za-z].*?)"
_TOGETHER = [
    re.compile(r"[\s:,;]{1,9}".join(parts), re.ASCII)
    for parts in ((_SIZES, _LAYOUT), (_LAYOUT, _SIZES), (_LAYOUT, _SIZES, r"(?P<vectors>\w+)"))
]
# A type beside a notation that has its own sizes, as CuTe's: (128,64):(64,1) half.
_TYPED = [
    re.compile(r"(?P<type>[A-Za-z_]\S{0,40}?)[\s,]{1,9}(?P<layout>\S.*)"),
    re.compile(r"(?P<layout>.*[^\s,])[\s,]{1,9}(?P<type>[A-Za-z_]\S{0,40})"),
]
# The same in any order, among other words: sizes, perhaps strides and a type.
_NUMBERS = (
    r"(?:(?:torch\.)?Size\()?[(\[{]?\d{1,18}(?:\s{0,9}[x,]\s{0,9}\d{1,18}){1,51}(?!\w)[)\]}]?\)?"
)
_TOKEN = re.compile(
    rf"strides?\s{{0,9}}[=:]?\s{{0,9}}(?P<strides>{_NUMBERS})|(?P<sizes>(?<!\w){_NUMBERS})"
    r"|(?P<word>[^\s,;=()\[\]{}]+)",
    re.ASCII,
)
_PART = re.compile(r"[,;\n]")
_LABELS = {"shape", "size", "sizes", "layout", "dtype", "type", "of", "in", "for"}
# Sizes alone, some of which are open.
_SIZE = r"(?:-?\d{1,18}|\?|[A-Za-z_]\w{0,40})"
_BY = r"(?:\s{0,3}[,×]\s{0,3}|\s{1,3}x\s{1,3})"
_OPEN = re.compile(rf"[(\[{{]?{_SIZE}(?:{_BY}{_SIZE}){{2,51}}[)\]}}]?", re.ASCII)
# What stands beside the name of a type in C, or before it in a debugger.
_BESIDE_C = re.compile(
    r"(?:(?:\w{1,60}(?:\.|->))?(?:d?type|data(?:_type|_ptr)?|scalar_type|ptr)|const|p|0x[0-9a-f]+)$"
)
_UNCLEAR = AMBIGUOUS.keys() - {"float", "int", "uint"}  # in C, too
_VERSUS = re.compile(r"\s{1,9}(?:vs\.?|versus)\s{1,9}", re.IGNORECASE)
_ARROW = re.compile(r"\s{0,9}(?:->|=>|→)\s{0,9}|\s{1,9}to\s{1,9}")
# The page's function of an address, which has no sizes.
_ADDRESS = re.compile(
    r"\bsize_t \w{1,60}\([^(){}]{0,999}\) \{\s{1,99}return (?P<sum>[^;{}]+);\s{1,99}\}", re.ASCII
)
_MAX_SENTENCE: Final = 200  # characters of such a text: a longer one is prose


def read_text(text: str) -> Read:
    """The parts of a tensor that ``text`` names. Errors: LayoutError naming ``text``, with the
    position, if it describes no tensor."""
    given = with_values(text)
    if given != text:
        try:
            return _read_whole(given)
        except LayoutError:  # its position is that of another text
            pass
    return _read_whole(text)


def _read_whole(text: str) -> Read:
    if answer := _ONE_LIST.match(text):
        text = " " * answer.end() + text[answer.end() :]  # so that positions stay as they are
    elif _INDEXED.fullmatch(text):
        text = f"{{{', '.join(re.findall(r'] = (-?[0-9]+)', text))}}}"
    label = _LABEL.match(text)
    if label and isinstance(_noted(text[label.end() :].strip()), Read):
        text = " " * label.end() + text[label.end() :]
    stripped = text.strip()
    if (two := _compared(stripped, _VERSUS)) is not None:
        return two
    # This prefix is a word of sessions too, but there a blank follows it.
    forced = _noted(stripped) if re.match(r"strides:\S", stripped) else None
    return forced if isinstance(forced, Read) else _read(text, stripped)


def _read(text: str, stripped: str) -> Read:
    known = reader_of(stripped) if len(stripped) <= _MAX_PREFIXED else None
    said = None if known is None else known.attempt(stripped)
    own = isinstance(said, InterfaceSpec) and said.typestr is None  # or a .npy file's header
    spec = None if own or isinstance(said, LayoutError) else said
    if known and spec and spec.shape is not None:
        dtype = parse_dtype(spec.dtype) if spec.dtype else DEFAULT
        if isinstance(spec.attempt(Request(spec.shape, None, dtype)), Written):
            # A dictionary is no text to edit.
            layout = spec.short_form if isinstance(spec, InterfaceSpec) else stripped
            read = Read(spec.shape, spec.dtype, layout, known.system, unread=spec.unread)
            if spec.itemsize is None:
                return read
            item = Item(0, spec.shape, None, layout, system=known.system, itemsize=spec.itemsize)
            return replace(read, tensors=(replace(tensor_of(item), line=1),))
    try:
        items = find_tensors(text)
        first = first_of(items) if items else None
    except LayoutError as error:
        if (written := _written(text)) is not None:
            return in_both_orders(written, text)
        # Wrong sizes have no position; another error without one: it is no pasted text.
        if error.position is not None or error.field != "layout":
            raise error.under("text") from None
        if known is not None and spec is not None:
            return Read(None, spec.dtype, stripped, known.system)
        _check_known(text)
        if (other := _worded(text) or _compared(stripped, _ARROW) or _views(text)) is not None:
            return other
        if len(stripped) <= _MAX_SENTENCE and _VERSUS.search(stripped):
            got = Described("a comparison that names no two layouts")
            raise LayoutError("text", got, phrase("paste.versus")) from None
        if isinstance(said, LayoutError):
            raise said.shifted(len(text) - len(text.lstrip())).under("text") from None
        raise error.under("text") from None
    if first is None:
        return _of_type(text)
    if known is not None and first.layout == f"{known.system}:{stripped}":
        return Read(first.shape, first.dtype, stripped, known.system)
    return _of_items(text, items, first)


def _of_type(text: str) -> Read:
    """A text that names a type, with sizes where a layout or nothing else stands beside them."""
    words = _written(text) or _worded(text)
    if words is not None and (words.layout is not None or not words.unread):
        return words
    _check_known(text)
    first = dtype_in(text) or Item(0)
    return Read(None, first.dtype, None, None, unread=_unread(text, [first]))


def _check_known(text: str) -> None:
    """Raise LayoutError where a short text is sizes, or names a type, and leaves one open."""
    tokens = [*_TOKEN.finditer(text)] if len(text) <= _MAX_SENTENCE else []
    sizes = tokens and _OPEN.fullmatch(text.strip())
    for token in tokens if sizes or any(map(c_type, _words_of(tokens))) else []:
        if token["sizes"] and (at := unknown_size(text, *token.span("sizes"))) is not None:
            raise refuse_size(text, at).under("text")


def _of_items(text: str, items: list[Item], first: Item) -> Read:
    """The tensors of a pasted text. Sizes that stand before or behind one tensor's strides, without
    a name, are its sizes."""
    if len(items) == 1 and first.shape is None and first.system is None:
        words = _in_words(text)
        if words is not None and words.layout == first.layout:
            return words
        if words is not None and words.layout == first.in_elements is not None:
            items = [first := replace(first, shape=words.shape)]
    unread = _unread(text, items)
    if items[0] is first:
        items, unread = _completed(first, items[1:], unread)
        first = items[0]
    said = first.layout
    if len(items) == 1 and said is None and first.shape is not None:
        words = _in_words(text)
        if words is not None and words.layout is not None and words.shape == first.shape:
            items = [first := replace(first, layout=words.layout, dtype=words.dtype or first.dtype)]
            left = " ".join(unread).split()
            unread = tuple(word for word in words.unread if word in left)
    tensors, left_out = listed(text, items)
    read = Read(first.shape, first.dtype, first.layout, None, tensors, left_out, unread=unread)
    read = replace(read, least_offset=first.least_offset)
    return read if said else in_both_orders(read, text)


def _completed(
    item: Item, others: list[Item], unread: tuple[str, ...]
) -> tuple[list[Item], tuple[str, ...]]:
    """The same tensors with what the text says of them elsewhere, and what is unread then: sizes
    beside oneDNN's descriptors, C's name of a type that stands alone, as (float *)."""
    sizes = [t["sizes"] for t in _TOKEN.finditer(" ".join(unread)) if t["sizes"]]
    items = [item, *others]
    if item.system == "onednn" and item.shape is None and len(sizes) == 1:
        shape = tuple(map(int, re.findall(r"\d+", sizes[0])))
        alike = not others or {one.role for one in items} == {"src", "dst"}
        if alike and all(isinstance(_noted(one.layout or "", shape), Read) for one in items):
            left = (_EDGES.sub("", piece.replace(sizes[0], "")) for piece in unread)
            return [replace(one, shape=shape) for one in items], tuple(filter(None, left))
    if others or item.dtype or item.layout is None or item.byte_strides:
        return items, unread
    for piece in unread:
        words = [word for word in _words_of(_TOKEN.finditer(piece)) if not _BESIDE_C.match(word)]
        kind = c_type(words[0]) if len(words) == 1 and words[0] not in _UNCLEAR else None
        if kind is not None:
            return [replace(item, dtype=kind)], tuple(one for one in unread if one != piece)
    return items, unread


def _written(text: str) -> Read | None:
    """A notation with its system's prefix, a function of an address in C, or a notation with sizes
    or, where it has its own, with a type; None of any other text.
    Errors: LayoutError naming ``text``, for a prefix before what its system does not read."""
    text, blanks = text.strip(), len(text) - len(text.lstrip())
    if len(text) > MAX_NOTATION:
        return None
    address = _ADDRESS.search(text)
    whole = _noted(f"c:{address['sum']}" if address else text) if address or _system(text) else None
    if isinstance(whole, Read):
        return whole
    for found in filter(None, (pattern.fullmatch(text) for pattern in _TOGETHER)):
        layout = " ".join(filter(None, (found["layout"], found.groupdict().get("vectors"))))
        if _recognised(layout):
            read = _noted(layout, tuple(map(int, re.findall(r"\d+", found["sizes"]))))
            if isinstance(read, Read):
                return read
    for found in filter(None, (pattern.fullmatch(text) for pattern in _TYPED)):
        layout, kind = found["layout"], c_type(found["type"])
        said = _noted(layout) if kind and _recognised(layout) else None
        if isinstance(said, Read) and said.shape is not None:
            return replace(said, dtype=kind)
    if whole is not None:
        raise whole.shifted(blanks).under("text")
    return None


def _in_words(text: str) -> Read | None:
    """Sizes, and strides, a notation or a type, in any order among other words, which stay unread;
    None where one of them is said twice, or words stand beside sizes and say neither. Of several
    notations or types, the sizes have the one that no comma or line end parts from them."""
    if len(text) > _MAX_SENTENCE or names_operation(text):
        return None
    tokens = [*_TOKEN.finditer(text)]
    sizes = [t for t in tokens if t["sizes"]]
    if len(sizes) != 1 or unknown_size(text, *sizes[0].span("sizes")) is not None:
        return None
    shape = tuple(map(int, re.findall(r"\d+", sizes[0]["sizes"])))
    words = [*_words_of(tokens)]
    before, after = (_PART.split(part) for part in text.split(sizes[0][0], 1))
    near = {*_words_of(_TOKEN.finditer(f"{before[-1]} {after[0]}"))}
    types = {word: kind for word in words if (kind := c_type(word))}
    noted = {word: _noted(word, shape) for word in {*words} - {*types} if _recognised(word)}
    taken = {word: said for word, said in noted.items() if isinstance(said, Read)}
    types = {word: kind for word, kind in types.items() if len(types) == 1 or word in near}
    taken = {word: said for word, said in taken.items() if len(taken) == 1 or word in near}
    listed = [re.findall(r"\d+", t["strides"]) for t in tokens if t["strides"]]
    strides = [write_numbers([*map(int, numbers)], 0) for numbers in listed]
    read = [*taken.values()]
    read += [said for each in strides if isinstance(said := _noted(each, shape), Read)]
    alone = not words and "," not in sizes[0][0]
    if max(len(read), len(types)) > 1 or not (read or types or alone) or (strides and not read):
        return None
    said = read[0] if read else Read(shape, None, None, None)
    unread = [w for w in words if w not in types and w != said.layout and w.lower() not in _LABELS]
    return replace(said, dtype=next(iter(types.values()), said.dtype), unread=tuple(unread))


def _worded(text: str) -> Read | None:
    words = _in_words(text)
    return None if words is None else in_both_orders(words, text)


def _words_of(tokens: Iterable[re.Match[str]]) -> Iterator[str]:
    """The words of a sentence; those of a type and a tag that colons join, as aBcd16b:f32."""
    for word in (token["word"] or "" for token in tokens):
        parts = word.split(":")
        joined = any(map(c_type, parts)) and any(map(_recognised, parts))
        yield from filter(_WORDS.search, parts if joined else [word])


def _compared(text: str, between: re.Pattern[str]) -> Read | None:
    """Two layouts, as NCHW vs NHWC, with sizes or without; those that one side alone names are of
    both. The second is the target of the first. None of others: an arrow may lead from sizes."""
    sides = between.split(text) if len(text) <= _MAX_SENTENCE else []
    if len(sides) != 2:
        return None
    sizes = next((t["sizes"] for t in _TOKEN.finditer(text) if t["sizes"]), "")
    a, b = (_in_words(side) or _in_words(f"{sizes} {side}") or _noted(side) for side in sides)
    if isinstance(a, LayoutError) or isinstance(b, LayoutError):
        return None
    if a.layout is None or b.layout is None or a.shape != b.shape:
        return None
    if between is _ARROW and not (a.layout[0].isalpha() and b.layout[0].isalpha()):
        return None
    dtype = a.dtype or b.dtype
    items = (Item(0, one.shape, one.dtype or dtype, one.layout) for one in (a, b))
    first, second = (replace(tensor_of(item), line=1) for item in items)
    both = (replace(first, target=1), second)
    return replace(a, dtype=dtype, system=None, tensors=both, unread=(*a.unread, *b.unread))


def _recognised(word: str) -> bool:
    return _system(word) is not None or reader_of(word) is not None


def _system(layout: str) -> str | None:
    before, colon, _ = layout.partition(":")
    return next((d.system for d in DIALECTS if colon and d.system == before.lower()), None)


def _noted(layout: str, shape: tuple[int, ...] | None = None) -> Read | LayoutError:
    """What a notation says, where it takes these sizes. The error is returned, not raised."""
    try:
        spec = read_spec(layout)
        sizes = spec.shape if shape is None else shape
        if sizes is not None:
            dtype = parse_dtype(spec.dtype) if spec.dtype else DEFAULT
            spec.apply(Request(sizes, None, dtype))
    except LayoutError as error:
        return error
    return Read(sizes, spec.dtype, layout, system_of(layout))


def _views(text: str) -> Read | None:
    try:
        steps = read_views(text)
    except LayoutError as error:
        raise error.under("text") from None
    return Read(None, None, None, None, steps=steps) if steps else None


def _unread(text: str, items: list[Item]) -> tuple[str, ...]:
    """What stands outside the spans of all tensors, line by line, without punctuation at its ends
    and without prompts; the first pieces."""
    found: list[str] = []
    at = 0
    for start, end in [*sorted(span for item in items for span in item.spans), (len(text),) * 2]:
        pieces = (
            _EDGES.sub("", _PROMPT.sub("", line)) for line in text[at : max(at, start)].split("\n")
        )
        found += [piece[:_MAX_PIECE] for piece in pieces if _WORDS.search(piece)]
        at = max(at, end)
    return tuple(found[:_MAX_UNREAD])
