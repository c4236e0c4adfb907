"""Names and values in pasted text, as sessions, debuggers, cuDNN and DirectML print them.

pair  = [variable "."] name ["()"] between value
name  = "shape" | "size" | "sizes" | "dims" | "stride" | "strides" | "storage_offset" | "dtype" | …
value = "torch.Size([…])" | list of integers | integer (offsets) | null (strides) | type

A value that a tensor already has begins the next tensor; values of one variable belong together.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ...model.dtypes import ELEMENT_TYPES, find_dtype
from ...model.errors import LayoutError, one_of, phrase, unreadable
from ...model.facts import least_offset
from ...model.layout import packed_strides
from ..dialect import match_end, per_size, skip_blanks, skip_comma
from ..dialects import pytorch
from ..dialects.strides import write_numbers
from ..grammar.cursor import read_literal
from .found import VECTORS, Item, fills, may_count, type_of_code
from .operations import strides_of_operations
from .session import NamedTensor, Session, merged
from .unknown import check_sizes, open_size, refuse_size

_TYPE = r"(?:torch\.|dtype\(')?(?:[a-z]{3,8}[0-9]{1,3}|bool)\b(?:'\))?"
_PRINTED_TYPE = re.compile(_TYPE)
_LIST = r"\([-0-9, ]{0,300}\)"
_GAP = r"[\s,]{1,9}"
# What a debugger prints before a list of integers.
ANSWER = re.compile(
    r"(?:\$[0-9]+ = )?(?:std::vector of length [0-9]+, capacity [0-9]+ = )?(?=\{[-0-9, ]+\})"
)
# Sizes, strides and a type in any order, as print(x.dtype, x.shape, x.strides). Without a type only
# as the whole text, also in the brackets of C++.
_PRINTED = (
    rf"(?<![\w=]){_LIST}(?={_GAP}(?:(?:{_TYPE}{_GAP})?torch\.Size\(|{_TYPE}{_GAP}\([-0-9]"
    rf"|{_LIST}{_GAP}{_TYPE}))"
    rf"|(?<![\w.'=]){_TYPE}(?={_GAP}{_LIST}{_GAP}{_LIST})"
    rf"|\A(?=\s{{0,9}}{_LIST}{_GAP}{_LIST}\s{{0,9}}\Z)"
    r"|\A(?=\s{0,9}\[[0-9, ]{1,300}\]\s{1,9}\[[-0-9, ]{1,300}\]\s{0,9}\Z)"
    rf"|\A(?=(?:\s{{0,9}}{ANSWER.pattern}\{{[-0-9, ]{{1,300}}\}}){{2}}\s{{0,9}}\Z)"
)
# Text that may be between a name and its value: prompts, arrows, a debugger's history.
_BETWEEN = re.compile(
    r"(?:\s|->|=>|=|:|['\"]|>>>|\$[0-9]+|\(gdb\)|\(lldb\)|In \[[0-9]+\]|Out\[[0-9]+\]"
    r"|type=int;|val=|;|(?:std::vector|c10::ArrayRef<[\w ]{1,20}>) of length [0-9]+"
    r"(?:, capacity [0-9]+)?|\((?:std|c10)::[\w:<> ]{1,80}\)|size=[0-9]+(?=\s*\{)"
    r"|[{(]Data = 0x[0-9a-f]{1,16}(?: <[^<>\n]{0,99}>)?, Length = [0-9]{1,9}[})])*"
)
_SIZE = r"[0-9]{1,4}\b"
_CODE = r"[@=<>!|]?[a-zA-Z?](?=['\"])"
_SAID = rf"(?:(?P<size>{_SIZE})|['\"](?P<code>{_CODE})['\"])"
_BUFFER = re.compile(_BETWEEN.pattern + _SAID)
_PRINTED_BUFFER = re.compile(rf"\s*,\s*{_SAID}")
_KEY = re.compile(
    rf"(?P<printed>{_PRINTED})"
    r"|(?<!\w)(?P<size>torch\.Size\(|Size(?=\(\[))|(?P<dot>\.)?(?<!\w)(?:m_)?(?P<word>"
    r"shape|sizes?|dims|dimA|Sizes|strides?|strideA|Strides|storage_offset|start_offset|offset"
    rf"|itemsize(?={_BETWEEN.pattern}{_SIZE})|format(?={_BETWEEN.pattern}['\"]{_CODE}))_?\b"
    r"(?:\(\)(?:\.vec\(\)|\.data\(\)(?:@[0-9]{1,2})?)?|@[0-9]{1,2}|\[[0-9]*\](?=\s*=))?"
)
# Two lists in brackets after the question, which may ask for the type as well.
_PAIR = re.compile(
    rf"(?P<more>(?:\s*,\s*[\w.]{{1,60}}\.(?:dtype|itemsize|format|flags\.\w{{1,20}})\b){{0,3}})"
    rf"{_BETWEEN.pattern}[(\[{{]\s*(?=[(\[{{](?![0-9]{{1,9}}\]\s*=))"
)
# A bracket that opens a list, and not words, as in "stride (at least …".
_OPENING = re.compile(r"[(\[{](?!\s*[A-Za-z])")
_TO_CLOSING = re.compile(r"[^)\]}]*[)\]}]")
_PLUS = re.compile(r"\s{0,9}\+\s{0,9}(?P<offset>\d{1,19})", re.ASCII)
_NEXT = re.compile(r"[\s,]{1,9}(?P<offset>\d{1,19})(?![.\w])", re.ASCII)  # after printed strides
_NULL = re.compile(r"nullptr|NULL|null|None")
_MAX_DIMS = 12  # entries of dims and strides in oneDNN, the unused ones behind them 0
_FIELDS = {
    **dict.fromkeys(("shape", "size", "sizes", "dims", "dimA", "Sizes"), "shape"),
    **dict.fromkeys(("stride", "strides", "strideA", "Strides"), "strides"),
    **dict.fromkeys(("storage_offset", "start_offset", "offset"), "offset"),
    "itemsize": "itemsize",
    "format": "code",
}
_VECTORS = re.compile(r"CUDNN_DATA_U?INT8x[0-9]+|NCHW_VECT_C")
_MEMORY_FORMAT = re.compile(r"\btorch\.(channels_last_3d|channels_last|contiguous_format)\b")
_DTYPE = re.compile(
    r"\b(?P<torch>torch\.[a-z][a-z0-9_]*)"
    rf"|\b(?:m_)?(?:dtype|scalar_type)_?(?:\(\))?(?!\w){_BETWEEN.pattern}"
    r"(?:<class )?\(?\s*['\"]?(?!dtype\b)"
    r"(?P<numpy>(?:(?:np|numpy|torch)\.|(?:[A-Za-z]\w{1,11}::){1,3})?[<>|=]?[a-zA-Z][a-zA-Z0-9_]*)"
    r"|\b(?P<cpp>(?:c10|at|torch)::(?:ScalarType::)?k?[A-Z]\w{1,15})"
    r"|\b(?P<cudnn>CUDNN_DATA_[A-Z0-9_]+)|\b(?P<dml>DML_TENSOR_DATA_TYPE_[A-Z0-9]+)"
    r"|\b(?:dt\s*=\s*)?(?P<dnnl>dnnl(?:_|::memory::data_type::)[a-z]\w{1,9})\b"
    r"|(?m:^type: (?P<info>[<>]?[a-z][a-z0-9]*)$)"  # the last line of np.info
)
_VARIABLE = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,60})$")
# What names printed sizes: q: or q =, at the begin of a line q alone.
_LABEL = re.compile(
    r"(?:^[ \t]*|[\s,;](?=\w+\s?[:=]))(?P<name>[A-Za-z_]\w{0,60})\s?[:=]?[ \t]+$",
    re.ASCII | re.MULTILINE,
)
_ASKED_OFFSET = re.compile(r"\.stride\(\),\s{0,3}[\w.]{1,60}\.storage_offset\(\)")
_ASKED_TYPE = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,60})\.dtype\b(?!\s*=)")
_MODULES = {"np", "numpy", "torch", "desc", "self"}


def find_keys(text: str) -> list[Item]:
    """The tensors that ``text`` names.

    A wrong value after two tensors or more ends the reading and is the error of the last item.
    Errors: LayoutError with the position of any other wrong value.
    """
    session, error = _session(text, leading=True)
    if session.tensors and session.tensors[-1].shape is None:  # the last value stands behind sizes
        session, error = _session(text, leading=False)
    tensors = merged(session.tensors)
    if error is not None and len(tensors) < 2:
        raise error
    if tensors and (vectors := _VECTORS.search(text)):
        raise unreadable(text, vectors.start(), VECTORS)
    found = [_item(text, tensor) for tensor in tensors]
    if found:
        read = (span for tensor in session.tensors for span in tensor.explained)
        found[0] = replace(found[0], spans=(*session.spans, *read))
    return found if error is None else [*found, Item(error.position or 0, error=error)]


def _session(text: str, *, leading: bool) -> tuple[Session, LayoutError | None]:
    """All tensors of a text, and the error that ends them."""
    spans = [asked.span() for asked in _ASKED_TYPE.finditer(text)]
    session = Session(text, leading, spans=spans)
    try:
        _fill(text, session)
    except LayoutError as refused:
        return session, refused
    return session, None


def _fill(text: str, session: Session) -> None:
    waiting = deque(sorted(_types_in(text)))
    others = strides_of_operations(text)
    at = 0
    while True:
        key = _KEY.search(text, at)
        end = len(text) if key is None else key.start()
        while waiting and waiting[0][0] < end:
            start, span, asked, name, value = waiting.popleft()
            session.set(start, asked or session.role, **{name: value})
            session.mark(name, span)
        if key is None:
            return
        if key.start("word") in others:
            at = key.end()
            continue
        begin, name = key.start(), "shape"
        if key["size"] or key["printed"] is not None:
            at = _take_printed(text, begin, session)
            begin = _label(text, begin, session)
        else:
            variable, name = None, _FIELDS[key["word"]]
            before = _VARIABLE.search(text, max(0, begin - 64), begin) if key["dot"] else None
            if before and before["name"] not in _MODULES:  # whose attribute it is, as x in x.shape
                variable, begin = before["name"], before.start()
            session.ask(variable and variable.removesuffix(".format_desc.blocking"))
            take = _take_buffer if name in {"itemsize", "code"} else _take_value
            at = take(text, key, session)
        session.mark(name, (begin, at))


def _types_in(text: str) -> Iterator[tuple[int, tuple[int, int], str, str, str]]:
    """Position, span, variable (empty if none), field and value of types and memory formats."""
    asked = deque(_ASKED_TYPE.finditer(text))
    last: re.Match[str] | None = None
    for found in _DTYPE.finditer(text):
        while asked and asked[0].start() < found.start():
            last = asked.popleft()
        known = find_dtype(next(group for group in found.groups() if group is not None))
        if known is None:
            continue
        printed = last is not None and (
            found.start() < last.end() or _BETWEEN.fullmatch(text, last.end(), found.start())
        )
        role = last["name"] if printed and last and last["name"] not in _MODULES else ""
        begin = last.start() if printed and last else found.start()
        yield found.start(), (begin, found.end()), role, "dtype", known.name
    for found in _MEMORY_FORMAT.finditer(text):
        yield found.start(), found.span(), "", "format", found[1]


def _label(text: str, at: int, session: Session) -> int:
    """Give the tensor printed at ``at`` the name before it; return where the text of it begins."""
    found = _LABEL.search(text, max(0, at - 64), at)
    tensor = session.filled
    if not found or not tensor or found["name"] in _FIELDS or find_dtype(found["name"]):
        return at
    tensor.label = found["name"]
    return found.start("name")


def _take_printed(text: str, begin: int, session: Session) -> int:
    """Read sizes, strides and a type in any order; return the end. Where no torch.Size says which
    list the sizes are, it is the first, unless only the other order leaves no gaps."""
    lists: list[tuple[tuple[int, ...], int]] = []
    sized, kind, end, at = None, None, begin, match_end(ANSWER, text, skip_blanks(text, begin))
    opening = text[at] if text.startswith(("[", "{"), at) else "("
    while len(lists) < 2 or (sized is None and kind is None):
        if sized is None and text.startswith(("torch.Size(", "Size(["), at):
            sized = len(lists)
            check_sizes(text, text.index("(", at) + 1)
            sizes, end = pytorch.read_size(text, at)
            lists.append((sizes, at))
            at = end
        elif kind is None and (kind := _PRINTED_TYPE.match(text, at)):
            at = kind.end()
        elif len(lists) < 2 and text.startswith(opening, at) and _OPENING.match(text, at):
            literal, end = read_literal(text, at)
            lists.append((literal.integers(text), at))
            at = end
        else:
            break
        at = match_end(ANSWER, text, skip_comma(text, at))
    known = find_dtype(re.sub(r"dtype|\W", "", kind[0].removeprefix("torch."))) if kind else None
    if kind and sized is None:
        if known is None:
            raise unreadable(text, kind.start(), one_of(ELEMENT_TYPES))
        end = max(end, kind.end())
    if sized and len(lists[0][0]) != len(lists[1][0]):
        return begin + 1  # no strides: the sizes come next
    values: dict[str, object] = {"dtype": known.name} if known else {}
    if len(lists) == 1:
        session.set(begin, session.role, shape=lists[0][0])
        return end
    (shape, shape_at), (strides, strides_at) = lists
    unit = 1
    if sized is None and opening == "(" and not (kind and kind[0].startswith("torch.")):
        unit = (known.itemsize or 1) if known else min(map(abs, filter(None, strides)), default=1)
    if sized or (sized is None and not fills(shape, strides, unit) and fills(strides, shape, unit)):
        shape, strides, strides_at = strides, shape, shape_at
    tensor = session.set(begin, session.role, shape=shape, strides=strides, **values)
    numpy = sized is None and kind is not None and not kind[0].startswith("torch.")
    tensor.guessed = kind is None and unit in {2, 4, 8} and fills(shape, strides, unit)
    tensor.in_bytes = numpy or tensor.guessed
    tensor.strides_at = strides_at
    asked = sized == 0 and _ASKED_OFFSET.search(text, 0, begin) is not None
    if asked and (offset := _NEXT.match(text, end)):
        tensor.offset, end = int(offset["offset"]), offset.end()
    return end


def _take_value(text: str, key: re.Match[str], session: Session) -> int:
    """Read the value after a name, if there is one; return the position to go on from."""
    name = _FIELDS[key["word"]]
    start, role = key.start(), session.role
    at = match_end(_BETWEEN, text, key.end())
    if text.startswith("(", key.end()):  # a call with arguments, as in size(0)
        return key.end()
    if name == "offset":
        if re.match(r"-?[0-9]", text[at : at + 2]):
            literal, at = read_literal(text, at)
            session.set(start, role, offset=literal.integer(text))
        return max(at, key.end())
    if name == "strides" and _NULL.match(text, at):
        session.tensor(start, role, strides=None).null_strides = True
        return at
    # NumPy's attribute counts bytes; PyTorch's methods are stride() and, in C++, strides(), a
    # member is strides_ or m_strides, and of DLPack's pointer gdb prints strides@4.
    attribute = key["word"] == "strides" and not re.search(r"[(@_]", key[0])
    attribute &= not text.endswith("format_desc.blocking", 0, start)  # oneDNN's count elements
    in_bytes = attribute and key["dot"] is not None
    pair = _PAIR.match(text, key.end()) if name == "strides" and session.sizes_asked else None
    if pair is not None:  # x.shape, x.strides typed on one line
        sizes, at = read_literal(text, pair.end())
        if not _OPENING.match(text, skip_comma(text, at)):  # the type may stand between
            return key.end()
        steps, end = read_literal(text, skip_comma(text, at))
        tensor = session.set(start, role, shape=sizes.integers(text), strides=steps.integers(text))
        tensor.strides_at, tensor.in_bytes = steps.at, in_bytes
        while buffer := _PRINTED_BUFFER.match(text, end):
            tensor.itemsize = int(buffer["size"]) if buffer["size"] else tensor.itemsize
            tensor.code, end = buffer["code"] or tensor.code, buffer.end()
        return end
    unknown = open_size(text, at) if name == "shape" else None
    if unknown is not None or not _OPENING.match(text, at):
        session.sizes_asked |= name == "shape"
        return key.end() if unknown is None else _take_open(text, unknown, start, session)
    literal, end = read_literal(text, at)
    numbers = literal.integers(text)
    if key["word"] == "dims" and len(numbers) == _MAX_DIMS:
        numbers = numbers[: 1 + max((d for d, n in enumerate(numbers) if n), default=_MAX_DIMS)]
    tensor = session.set(start, role, **{name: numbers})
    if name == "strides":
        if plus := _PLUS.match(text, end):
            tensor.offset, end = int(plus["offset"]), plus.end()
        tensor.strides_at, tensor.in_bytes = at, in_bytes
        tensor.unsaid = attribute
        kind = _PRINTED_TYPE.match(text, skip_comma(text, end))
        if tensor.dtype is None and kind and (known := find_dtype(kind[0])):
            tensor.dtype, end = known.name, kind.end()
    return end


def _take_open(text: str, unknown: int, start: int, session: Session) -> int:
    """Note a tensor one of whose sizes is open, at ``unknown``; return the end of its sizes."""
    session.set(start, session.role, shape=(-1 - unknown,), unknown_at=unknown)
    return match_end(_TO_CLOSING, text, unknown)


def _take_buffer(text: str, key: re.Match[str], session: Session) -> int:
    """Read what a buffer of Python says of its elements; return the position to go on from."""
    found = _BUFFER.match(text, key.end())
    assert found is not None  # as the name is a key only before such a value
    said: dict[str, object] = {"itemsize": int(found["size"])} if found["size"] else {}
    session.set(key.start(), session.role, **(said or {"code": found["code"]}))
    return found.end()


def _item(text: str, tensor: NamedTensor) -> Item:
    shape, strides = tensor.shape, tensor.strides
    if tensor.unknown_at is not None:
        return Item(tensor.at, role=tensor.role, error=refuse_size(text, tensor.unknown_at))
    error = None
    unused = strides[len(shape) :] if shape and strides and len(strides) == _MAX_DIMS else ()
    if strides and unused and not any(unused):
        strides = tensor.strides = strides[: -len(unused)]
        tensor.in_bytes = tensor.unsaid = False
    if shape is not None and strides is not None and len(strides) != len(shape):
        error = unreadable(text, tensor.strides_at, per_size(shape))
    if tensor.code is not None and tensor.dtype is None:
        tensor.dtype = type_of_code(tensor.code, tensor.itemsize)
    if error is None and strides and tensor.unsaid and "torch." not in text:
        _count(tensor, strides, tuple_=text.startswith("(", tensor.strides_at))
    counted = tensor.in_bytes and tensor.dtype is None and error is None
    if counted and tensor.itemsize and not may_count(strides or (), tensor.itemsize):
        error = unreadable(text, tensor.strides_at, phrase("paste.bytes"))
    needed = None
    if error is None and shape and strides and tensor.offset is None:
        needed = tensor.offset = least_offset(shape, strides) or None
    return Item(
        tensor.at,
        shape,
        tensor.dtype,
        _layout_of(tensor),
        tensor.role,
        byte_strides=strides if counted else None,
        itemsize=tensor.itemsize if counted else None,
        in_elements=write_numbers(strides or (), tensor.offset or 0) if tensor.guessed else None,
        least_offset=needed,
        error=error,
        system="numpy" if tensor.in_bytes and not tensor.guessed else None,
    )


def _count(tensor: NamedTensor, strides: tuple[int, ...], *, tuple_: bool) -> None:
    """Decide whether strides count bytes, of which the word alone stands before them."""
    if tensor.itemsize is not None or tensor.code is not None:  # a buffer of Python
        tensor.in_bytes = True
    elif tensor.dtype is not None and tensor.shape:
        # NumPy prints bytes. As elements, the same strides would leave a gap after each of them.
        unit = ELEMENT_TYPES[tensor.dtype].itemsize or 1
        tensor.in_bytes |= unit > 1 and fills(tensor.shape, strides, unit)
    elif tensor.dtype is None and tuple_:
        least = min(map(abs, filter(None, strides)), default=1)  # perhaps the size of an element
        if least > 1 and may_count(strides, least):
            tensor.in_bytes = tensor.guessed = True


def _layout_of(tensor: NamedTensor) -> str | None:
    if tensor.strides is not None:
        prefix = "numpy:" if tensor.in_bytes else ""
        return prefix + write_numbers(tensor.strides, tensor.offset or 0)
    if tensor.null_strides and tensor.shape is not None:
        return write_numbers(packed_strides(tensor.shape), 0)
    return tensor.format


def dtype_in(text: str) -> Item | None:
    """The first known element type that the text names, None if it names none."""
    named = next((found for found in _types_in(text) if found[3] == "dtype"), None)
    return named and Item(named[0], dtype=named[4], spans=(named[1],))
