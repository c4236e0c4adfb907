"""Any notation in, every notation out: the registry of dialects and the order of resolution.

A text ``system:text`` is read by that system alone. Any other text is read by the first
dialect, in the order of DIALECTS, that recognises it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..dtypes import ElementType, parse_dtype
from ..errors import Described, LayoutError
from ..layout import INT64_MAX, Layout, check_shape
from .dialect import MAX_TEXT, CannotSayError, Dialect, TensorText, readable, same_addresses
from .dialects import (
    c_index,
    cudnn,
    cute,
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

# Names before grammars, the narrower grammar before the wider: NHWCD4 is MegEngine's before it is
# five letters, NCHW16c TVM's before it fails as a tag of oneDNN's. NumPy and DirectML read texts
# that others own and are never chosen unasked.
DIALECTS: Final = (
    megengine.DIALECT,
    letters.DIALECT,
    cudnn.DIALECT,
    tensorrt.DIALECT,
    tvm.DIALECT,
    onnxruntime.DIALECT,
    cute.DIALECT,
    xla.DIALECT,
    mlir.DIALECT,
    pytorch.DIALECT,
    onednn.DIALECT,
    c_index.DIALECT,
    python_index.DIALECT,
    strides.DIALECT,
    numpy_.DIALECT,
    directml.DIALECT,
)
_BY_SYSTEM: Final = {d.system: d for d in DIALECTS}
_PREFIX = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*:(?!:)")

LayoutSource = str | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text: ``system:text`` forces it. ``same``: whether it is the memory that
    the documented order chose."""

    system: str
    text: str
    same: bool


def parse_layout(
    layout: LayoutSource,
    shape: Sequence[int],
    dims: str | None = None,
    dtype: str | ElementType = "float32",
) -> Layout:
    """Layout of any notation: ``"NCHW4"``, ``"(5, 1)"``, ``"onednn:aBcd4b"``, ``{"strides": …}``.

    ``shape``: logical sizes in the order of ``dims``. ``dims``: one letter per dimension; by
    default the layout's letters in canonical order. ``dtype`` matters to notations in bytes.
    A mapping has ``strides`` and ``offset`` in elements, or ``byte_strides`` and
    ``byte_offset``. Errors: LayoutError with the field and, in text, the position at fault.

    >>> from stridescope import parse_layout
    >>> layout = parse_layout("NCHW4", (2, 6, 3, 3))
    >>> layout.padded_shape, layout.physical_shape
    ((2, 8, 3, 3), (2, 2, 3, 3, 4))
    >>> parse_layout("NHWC", (2, 6, 3, 3)).strides  # the shape is in the order of N, C, H, W
    (54, 1, 18, 6)
    """
    element = dtype if isinstance(dtype, ElementType) else parse_dtype(dtype)
    tensor = TensorText(tuple(shape), dims, element)
    check_shape(tensor.shape)
    _check_dims(dims)
    if isinstance(layout, str):
        return _of_text(layout, tensor)
    if isinstance(layout, Mapping):
        return _of_mapping(layout, tensor)
    raise LayoutError("layout", layout, "text such as NCHW4, or an object with strides")


def _check_dims(dims: str | None) -> None:
    if dims is None:
        return
    for at, letter in enumerate(dims):
        if not (letter.isascii() and letter.isalpha()) or letter in dims[:at]:
            raise LayoutError("dims", dims, "distinct letters, one per dimension", position=at)


def _of_text(text: str, tensor: TensorText) -> Layout:
    prefix = _PREFIX.match(text)
    if len(text) - (prefix.end() if prefix else 0) > MAX_TEXT:
        raise LayoutError("layout", text, f"at most {MAX_TEXT} characters")
    if prefix:
        dialect = _BY_SYSTEM.get(prefix[1].lower())
        if dialect is None:
            raise LayoutError(
                "layout", Described("an unknown system before the colon"),
                "one of " + ", ".join(_BY_SYSTEM), position=prefix.start(1),
            )  # fmt: skip
        return _shifted(dialect, text[prefix.end() :], tensor, prefix.end())
    lead = len(text) - len(text.lstrip())
    dialect = recognise(text.strip())
    return _shifted(dialect, text[lead:], tensor, lead)


def _shifted(dialect: Dialect, text: str, tensor: TensorText, shift: int) -> Layout:
    shift += len(text) - len(text.lstrip())
    if not text.strip():
        raise LayoutError("layout", text, "a layout after the system", position=shift)
    try:
        return dialect.parse(text.strip(), tensor)
    except LayoutError as error:
        if error.position is not None and error.field == "layout":
            error.position += shift
            error.args = (f"{error.field}: {error.message}",)
        raise


def recognise(text: str) -> Dialect:
    """The dialect that reads ``text``; for text that none recognises, the one whose error helps."""
    for dialect in DIALECTS:
        if dialect.recognises(text):
            return dialect
    if not text:
        raise LayoutError("layout", text, "a layout such as NCHW, (5, 1) or nChw16c")
    if text.split(maxsplit=1)[0].isupper():
        return letters.DIALECT
    if text[0].isalpha():
        return onednn.DIALECT
    raise LayoutError(
        "layout", Described("an unexpected character"),
        "a layout such as NCHW, NCHW4, (5, 1), channels_last or nChw16c", position=0,
    )  # fmt: skip


def _of_mapping(source: Mapping[str, object], tensor: TensorText) -> Layout:
    keys = set(source)
    if keys <= {"strides", "offset"} and "strides" in keys:
        values, offset = _integers(source, "strides", "offset")
        return strides.strided(
            values, offset, tensor, spelling=strides.write_numbers(values, offset)
        )
    if keys <= {"byte_strides", "byte_offset"} and "byte_strides" in keys:
        values, offset = _integers(source, "byte_strides", "byte_offset")
        return numpy_.from_bytes(values, offset, tensor, field="layout.byte_strides")
    raise LayoutError(
        "layout",
        source,
        "an object with strides and perhaps offset, or byte_strides and byte_offset",
    )


def _integers(source: Mapping[str, object], many: str, one: str) -> tuple[list[int], int]:
    values, offset = source[many], source.get(one, 0)
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise LayoutError(f"layout.{many}", values, "a list of integers")
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int):
            raise LayoutError(f"layout.{many}[{i}]", value, "an integer")
    if isinstance(offset, bool) or not isinstance(offset, int):
        raise LayoutError(f"layout.{one}", offset, "an integer")
    for name, value in [(f"{many}[{i}]", v) for i, v in enumerate(values)] + [(one, offset)]:
        if abs(value) > INT64_MAX:
            raise LayoutError(f"layout.{name}", value, "an integer from -(2^63-1) to 2^63-1")
    return list(values), offset


def readings(
    source: LayoutSource, layout: Layout, dtype: ElementType, *, shape: Sequence[int]
) -> list[Reading]:
    """Every dialect that reads the text ``source`` for ``shape``, the chosen one first.

    ``layout`` is what parse_layout made of it. A forced text or a mapping has one reading: none
    is listed.
    """
    if not isinstance(source, str) or _PREFIX.match(source):
        return []
    text = source.strip()
    chosen = recognise(text)
    found = [Reading(chosen.system, text, same=True)]
    for dialect in DIALECTS:
        if dialect is chosen:
            continue
        for dims in (layout.dims, None):
            try:
                other = dialect.parse(text, TensorText(tuple(shape), dims, dtype))
            except LayoutError:
                continue
            found.append(Reading(dialect.system, text, same=same_addresses(other, layout)))
            break
    return found


def _written(dialect: Dialect, layout: Layout, dtype: ElementType) -> str:
    """The text by which ``dialect`` says the layout, if the text can be read again."""
    if layout.swizzle and not dialect.says_swizzle:
        raise CannotSayError("The addresses are swizzled, which it has no word for.")
    return readable(dialect.write(layout, dtype))


def notations(layout: Layout, dtype: ElementType) -> dict[str, dict[str, str]]:
    """The layout in every dialect: ``{system: {"text": …} or {"reason": …}}``."""
    written = {}
    for dialect in DIALECTS:
        try:
            written[dialect.system] = {"text": _written(dialect, layout, dtype)}
        except CannotSayError as error:
            written[dialect.system] = {"reason": str(error)}
    return written


__all__ = [
    "DIALECTS",
    "LayoutSource",
    "Reading",
    "TensorText",
    "notations",
    "parse_layout",
    "readings",
]
