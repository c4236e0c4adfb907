"""Reads and writes layouts in every notation: the list of dialects and the rule that picks one.

Only the dialect of ``system`` reads a text ``system:text``. Any other text is read by the first
dialect, in the order of DIALECTS, that recognises it. No module here describes or reorders.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from ...nearest import first_difference, nearest
from ..model.arrays import listed, plain
from ..model.dtypes import DEFAULT, ElementType, parse_dtype
from ..model.errors import LayoutError, one_of, phrase, unreadable
from ..model.layout import INT64_MAX, Layout, check_shape
from .dialect import MAX_TEXT, CannotSayError, Dialect, Notation, readable, refusal
from .dialects import (
    c_index,
    cudnn,
    cute,
    cutlass,
    directml,
    letters,
    megengine,
    mlir,
    numpy_,
    onednn,
    onnxruntime,
    python_index,
    pytorch,
    strides,
    tensorrt,
    tvm,
    xla,
)
from .formats import FORMATS
from .orders import DigitOrder
from .specs import Request as Request
from .specs import Spec
from .specs import Written as Written

# The first that recognises a text reads it. megengine comes before letters, which would read NHWCD4
# otherwise, and tvm before onednn, which would refuse NCHW16c. NumPy and DirectML come last: most
# of their texts belong to another dialect too.
_IN_ORDER = (
    *(megengine, letters, cudnn, tensorrt, cutlass, tvm, onnxruntime, cute, xla, mlir, pytorch),
    *(onednn, c_index, python_index, strides, numpy_, directml),
)
DIALECTS: Final[tuple[Dialect, ...]] = tuple(module.DIALECT for module in _IN_ORDER)
_BY_SYSTEM: Final = {d.system: d for d in DIALECTS}
# Letters, then blocks, with blanks between them: NCHW 4, OIhw 4i 16o 4i.
_BLANK_BLOCKS = re.compile(r"[A-Za-z]+(?:\s+[0-9]+[A-Za-z]?)+", re.ASCII)
_LETTERS_AND_BLOCK = re.compile(r"[A-Z]+[0-9]+", re.ASCII)
_PREFIX = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*:(?!:)")
_ANY_LAYOUT = phrase("layout.any")

LayoutSource = str | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text. The text ``system:text`` selects it.

    ``same``: whether it gives the same memory, in the same shape, as the dialect that is chosen by
    default. ``shape``: if it gives the same memory in a shape with leading ones (DirectML fills
    shapes up to four sizes), that shape; else None.
    """

    system: str
    text: str
    same: bool
    shape: tuple[int, ...] | None = None


def parse_layout(
    layout: LayoutSource,
    shape: Sequence[int],
    dims: str | None = None,
    dtype: str | ElementType = DEFAULT,
) -> Layout:
    """The layout of a text in any notation, or of a mapping.

    ``layout``: ``"NCHW4"``, ``"(5, 1)"``, ``"onednn:aBcd4b"``, ``{"strides": …}``.

    ``shape``: logical sizes in the order of ``dims``. ``dims``: one letter per dimension; by
    default the layout's letters in canonical order. ``dtype``: used by notations in bytes.
    A mapping has ``strides`` and ``offset`` in elements, or ``byte_strides`` and
    ``byte_offset``. Errors: LayoutError with the field and, for text, the position.

    >>> from stridescope import parse_layout
    >>> layout = parse_layout("NCHW4", (2, 6, 3, 3))
    >>> layout.padded_shape, layout.physical_shape
    ((2, 8, 3, 3), (2, 2, 3, 3, 4))
    >>> parse_layout("NHWC", (2, 6, 3, 3)).strides  # the shape is in the order of N, C, H, W
    (54, 1, 18, 6)
    """
    element = dtype if isinstance(dtype, ElementType) else parse_dtype(dtype)
    return read_layout(layout, Request(listed(shape, "shape"), dims, element)).layout


def read_layout(source: LayoutSource, request: Request) -> Written:
    """The layout in any notation, and how it was written. Errors: the same as parse_layout.

    The spelling that is returned reads back as the same layout; where it would be ambiguous, it
    keeps the system's prefix.
    """
    check_request(request)
    if not isinstance(source, str):
        return _of_source(source).apply(request)
    text = _typed(source)
    made = _spec_of(text).attempt(request)
    if isinstance(made, LayoutError):
        raise text.placed(made)
    spelling = _unambiguous(made, text.dialect, request)
    return made if spelling == made.spelling else replace(made, spelling=spelling)


def split_system(text: str) -> tuple[str, str]:
    """The system that the prefix of a layout's text names, empty without one; the text after it."""
    prefix = _PREFIX.match(text)
    return (prefix[1].lower(), text[prefix.end() :]) if prefix else ("", text)


def _unambiguous(made: Written, dialect: Dialect, request: Request) -> str:
    """The spelling of a layout that ``dialect`` read, with a prefix if it needs one."""
    text = made.spelling
    if not text or _PREFIX.match(text):
        return text
    reader = reader_of(text)
    if reader is dialect:
        return text
    spec = None if reader is None else reader.attempt(text)
    if isinstance(spec, Spec):
        read = spec.attempt(request)
        if isinstance(read, Written) and (read.layout, read.order) == (made.layout, made.order):
            return text
    return f"{dialect.system}:{text}"


def check_request(request: Request) -> None:
    """Raise LayoutError for sizes or names that no notation accepts."""
    check_shape(request.shape)
    dims = "" if request.dims is None else request.dims
    if not isinstance(dims, str):
        raise LayoutError("dims", dims, phrase("dims.text"))
    for at, letter in enumerate(dims):
        if not (letter.isascii() and letter.isalpha()) or letter in dims[:at]:
            raise LayoutError("dims", dims, phrase("dims.distinct"), position=at)


def read_spec(source: LayoutSource) -> Spec:
    """The spec of a layout in any notation. Errors: LayoutError naming ``layout`` or a part of it,
    with the position for text."""
    return _spec_of(_typed(source)) if isinstance(source, str) else _of_source(source)


@dataclass(frozen=True, slots=True)
class _Typed:
    """A text, its dialect and what the dialect reads: without prefix, without some blanks.
    ``places``: for each character that is read, and for the end, its position in the whole text."""

    dialect: Dialect
    forced: bool
    read: str
    places: range | tuple[int, ...]

    def placed(self, error: LayoutError) -> LayoutError:
        """The same error, new, with its position in the whole text."""
        if error.field != "layout" or error.position is None:
            return error.copy()
        return error.shifted(self.places[min(error.position, len(self.read))] - error.position)


def _spec_of(text: _Typed) -> Spec:
    spec = text.dialect.attempt(text.read)
    if not isinstance(spec, LayoutError):
        return spec
    error = text.placed(spec)
    if error.field != "layout":
        raise error
    near = nearest(text.read, known_words(text.dialect if text.forced else None))
    if near is not None and not text.forced and spec.position is not None:
        wrong_at = first_difference(text.read, near)
        if spec.position < wrong_at:
            # The dialect was a wrong guess: its error is before the misspelt character.
            error = text.placed(refusal("an unknown name", _ANY_LAYOUT, wrong_at))
    raise error.suggesting(near)


@lru_cache
def known_words(dialect: Dialect | None) -> tuple[str, ...]:
    """The names that are suggested for a misspelt one: a dialect's, or all without a prefix."""
    rows = [f.name for f in FORMATS if dialect is None or f.system == dialect.system]
    own = [w for d in DIALECTS if dialect in {None, d} for w in d.words]
    words = dict.fromkeys((*rows, *own))
    return tuple(w for w in words if dialect or any(d.recognises(w) for d in DIALECTS))


def _typed(text: str) -> _Typed:
    """The dialect of a text, and the part that the dialect reads."""
    prefix = _PREFIX.match(text)
    start = prefix.end() if prefix else 0
    if len(text) - start > MAX_TEXT:
        raise LayoutError("layout", text, phrase("characters.most", most=MAX_TEXT))
    own = text[start:].strip()
    start += len(text[start:]) - len(text[start:].lstrip())
    places: range | tuple[int, ...] = range(start, start + len(own) + 1)
    if _BLANK_BLOCKS.fullmatch(own):
        kept = [at for at, c in enumerate(own) if not c.isspace()]
        places = tuple(start + at for at in (*kept, len(own)))
        own = "".join(own[at] for at in kept)
    if prefix is None:
        return _Typed(recognise(own), forced=False, read=own, places=places)
    dialect = _BY_SYSTEM.get(prefix[1].lower())
    if dialect is None:
        what = "an unknown system before the colon"
        error = refusal(what, one_of(_BY_SYSTEM), prefix.start(1))
        raise error.suggesting(nearest(prefix[1], _BY_SYSTEM))
    if not own:
        raise LayoutError("layout", own, phrase("layout.after_system"), position=start)
    return _Typed(dialect, forced=True, read=own, places=places)


def recognise(text: str) -> Dialect:
    """The dialect that reads ``text``. If none recognises it, the one with the most useful error.
    Errors: LayoutError if the text is empty or its first character fits no dialect."""
    dialect = reader_of(text)
    if dialect is not None:
        return dialect
    if not text:
        raise LayoutError("layout", text, phrase("layout.some"))
    begin = _LETTERS_AND_BLOCK.match(text)
    if text.split(maxsplit=1)[0].isupper() or (begin and letters.recognises(begin[0])):
        return letters.DIALECT
    if text[0].isalpha():
        return onednn.DIALECT
    raise unreadable(text, 0, _ANY_LAYOUT)


@lru_cache(maxsize=1024)
def reader_of(text: str) -> Dialect | None:
    """The first dialect that recognises ``text``. Cached: most texts come again and again."""
    return next((d for d in DIALECTS if d.recognises(text)), None)


def _of_source(source: LayoutSource) -> Spec:
    if not isinstance(source, Mapping):
        raise LayoutError("layout", source, phrase("layout.source"))
    keys = set(source)
    if keys <= {"strides", "offset"} and "strides" in keys:
        return strides.StridesSpec.of_numbers(*_integers(source, "strides", "offset"))
    if keys <= {"byte_strides", "byte_offset"} and "byte_strides" in keys:
        values, offset = _integers(source, "byte_strides", "byte_offset")
        return numpy_.BytesSpec(values, offset, field="layout.byte_strides")
    raise LayoutError("layout", source, phrase("layout.object"))


def _integers(source: Mapping[str, Any], many: str, one: str) -> tuple[tuple[int, ...], int]:
    values, offset = source[many], plain(source.get(one, 0))
    if isinstance(values, (str, Mapping)):
        raise LayoutError(f"layout.{many}", values, phrase("integers.list"))
    values = listed(values, f"layout.{many}")
    named = [*((f"layout.{many}[{i}]", v) for i, v in enumerate(values)), (f"layout.{one}", offset)]
    for name, value in named:
        if isinstance(value, bool) or not isinstance(value, int):
            raise LayoutError(name, value, phrase("integer"))
        if abs(value) > INT64_MAX:
            raise LayoutError(name, value, phrase("stride.int64"))
    return values, offset


def system_of(source: LayoutSource) -> str | None:
    """The system of the dialect that reads a text; None for a mapping. Errors: LayoutError."""
    return _typed(source).dialect.system if isinstance(source, str) else None


def readings(
    source: LayoutSource, layout: Layout, dtype: ElementType, *, shape: Sequence[int]
) -> list[Reading]:
    """Every dialect that reads the text ``source`` for ``shape``, the chosen one first.

    ``layout``: the result of parse_layout for this source. The list is empty for a mapping and for
    text with a prefix, which can be read in one way only.
    """
    if not isinstance(source, str) or _PREFIX.match(source):
        return []
    typed, mine = _typed(source), layout.normal_form
    text, chosen = typed.read, typed.dialect
    found = [Reading(chosen.system, text, same=True)]
    for dialect in DIALECTS:
        spec = dialect.attempt(text)
        if dialect is chosen or isinstance(spec, LayoutError):
            continue
        for dims in (layout.dims, None):
            memory = spec.memory(Request(tuple(shape), dims, dtype))
            if memory is not None:
                longer = memory != mine and memory.after_ones(layout.rank) == mine
                behind = memory.shape if longer else None
                found.append(Reading(dialect.system, text, same=memory == mine, shape=behind))
                break
    return found


def notations(
    layout: Layout, dtype: ElementType, order: DigitOrder | None = None
) -> dict[str, Notation]:
    """The layout in every dialect: ``{system: {"text": …} or {"reason": …}}``. ``order``: the
    memory order as it was written. It is used if sizes of 1 allow several orders."""
    written: dict[str, Notation] = {}
    for dialect in DIALECTS:
        try:
            if layout.swizzle and not dialect.says_swizzle:
                raise CannotSayError("swizzle")
            written[dialect.system] = {"text": readable(dialect.writes(layout, dtype, order))}
        except CannotSayError as error:
            written[dialect.system] = error.said
    return written


def canonical_spelling(layout: Layout, said: dict[str, Notation]) -> str:
    """The text to show for a layout that was not read from a text: the first notation's."""
    for system in ("letters", "strides", "onednn", *said):
        text = said[system].get("text")
        if text is not None:
            return text if system in {"letters", "strides"} else f"{system}:{text}"
    # No dialect can write it, and its strides alone would be another layout: show the digits.
    return str(layout)
