"""The full description of one tensor in memory, which the API, page and command line show."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..model.arrays import plain
from ..model.dtypes import ElementType
from ..model.errors import LayoutError, phrase
from ..model.layout import INT64_MAX, Digit, Layout, Swizzle
from ..notation import Reading, Written, canonical_spelling, notations
from ..notation.code import arrays, onednn
from ..notation.dialect import CannotSayError, Notation
from ..notation.dialects.directml import wraps_32_bit
from ..notation.orders import Blocking, blocking
from .names import Name, names_of
from .properties import OF_PYTORCH, Properties, properties
from .sizes import buffer_sizes


@dataclass(frozen=True, slots=True)
class Buffer:
    """The size of the buffer from address 0 on.

    ``bytes``: of packed elements, two of 4 bits in a byte. ``per_system``: bytes by each system's
    rule, without the offset; None where the system cannot have such a tensor, for the reason that
    stands in ``reasons``.
    """

    elements: int
    bytes: int
    per_system: dict[str, int | None]
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True)
class Description:
    """All facts about one tensor in memory; strides and offsets in elements.

    ``code``: code that makes the layout: numpy, pytorch, onednn (C++), onednn_c (C of version 3),
    onednn_descriptor (C of version 2). ``readings``: the chosen one first; empty if the notation
    was chosen; their ``shape`` is of a reading that gives the same memory behind leading sizes.
    ``system``: whose notation the text was read in; None where no text was read, as of a view.
    ``warnings``: where the arithmetic of a real library goes wrong, or it copies instead.
    ``not_applicable``: the properties that PyTorch reads from ``strides``, where there are none.

    >>> from stridescope import describe
    >>> found = describe("(5, 1)", (2, 3), dtype="float16")
    >>> found.strides, found.byte_strides, found.buffer.elements, found.properties.packed
    ((5, 1), (10, 2), 8, False)
    """

    shape: tuple[int, ...]
    dims: str
    dtype: str
    layout: str
    offset: int
    digits: tuple[tuple[Digit, ...], ...]
    swizzle: Swizzle | None
    strides: tuple[int, ...] | None
    byte_strides: tuple[int, ...] | None
    padded_shape: tuple[int, ...]
    physical_shape: tuple[int, ...] | None
    blocking: Blocking | None
    buffer: Buffer
    properties: Properties
    names: dict[str, list[Name]]
    notations: dict[str, Notation]
    code: dict[str, Notation]
    readings: tuple[Reading, ...]
    system: str | None
    warnings: tuple[str, ...]
    not_applicable: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """The description as JSON-ready dicts, lists and numbers."""
        found: dict[str, object] = _plain(self)
        return found

    def to_json(self) -> str:
        """The description as JSON text, as ``/describe`` answers it."""
        return json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":"))


_REVERSED: Final = "PyTorch has no negative strides: its flip makes a copy, in memory of its own."
_LEAVES: Final = frozenset({int, str, bool, type(None)})


def _plain(value: Any) -> Any:
    """A dataclass, dict or list as dicts and lists: faster than asdict, which copies numbers."""
    kind = type(value)
    if kind is tuple or kind is list:
        return [item if type(item) in _LEAVES else _plain(item) for item in value]
    if kind is not dict:
        value = {name: getattr(value, name) for name in kind.__dataclass_fields__}
    return {key: item if type(item) in _LEAVES else _plain(item) for key, item in value.items()}


def describe(
    layout: Layout | Written,
    dtype: ElementType,
    *,
    buffer_elements: int | None = None,
    readings: Sequence[Reading] = (),
    system: str | None = None,
    view_of: Layout | None = None,
) -> Description:
    """The description of ``layout`` with elements of ``dtype``; a Written one keeps its text.

    ``buffer_elements`` enlarges the buffer; it must hold the greatest address. ``readings``: the
    ways to read the text of ``layout``, and ``system``: whose it is, if it was read from one.
    ``view_of``: the stored tensor, if this is a view: the code stores that one.
    Errors: LayoutError naming ``elements``.
    """
    written = layout if isinstance(layout, Written) else Written(layout)
    layout = written.layout
    elements = checked_buffer(layout, buffer_elements)
    strides, byte_strides = layout.strides, None
    if strides is not None and not any(s * dtype.bits % 8 for s in strides):
        byte_strides = tuple(s * dtype.bits // 8 for s in strides)
    down = any(g.stride < 0 for mine in layout.reached for g in mine)
    reversed_ = _REVERSED if down else None
    said = notations(layout, dtype, written.order)
    return Description(
        shape=layout.shape,
        dims=layout.dims,
        dtype=dtype.name,
        layout=written.spelling or canonical_spelling(layout, said),
        offset=layout.offset,
        digits=layout.digits,
        swizzle=layout.swizzle,
        strides=strides,
        byte_strides=byte_strides,
        padded_shape=layout.padded_shape,
        physical_shape=written.physical_shape,
        blocking=blocking(layout),
        buffer=Buffer(elements, dtype.size_bytes(elements), *buffer_sizes(layout, dtype, said)),
        properties=properties(layout, buffer_elements=buffer_elements),
        names=names_of(layout, dtype),
        notations=said,
        code=code_of(written, dtype, view_of),
        readings=tuple(readings),
        system=system,
        warnings=tuple(filter(None, (wraps_32_bit(layout, dtype), reversed_))),
        not_applicable=OF_PYTORCH if strides is None else (),
    )


def code_of(
    written: Written, dtype: ElementType, view_of: Layout | None = None
) -> dict[str, Notation]:
    """Runnable code that makes the layout: ``{language: {"text": …} or {"reason": …}}``."""
    order, spelling = written.order, written.spelling
    writers: dict[str, Callable[[Layout, ElementType], str]] = {
        "numpy": partial(arrays.numpy_code, stored=view_of),
        "pytorch": partial(arrays.pytorch_code, stored=view_of),
        "onednn": partial(onednn.onednn_code, order=order, spelling=spelling),
        "onednn_c": partial(onednn.onednn_c, order=order, spelling=spelling),
        "onednn_descriptor": onednn.onednn_descriptor,
    }
    code: dict[str, Notation] = {}
    for name, write in writers.items():
        try:
            code[name] = {"text": write(written.layout, dtype)}
        except CannotSayError as error:
            code[name] = error.said
    return code


def checked_buffer(layout: Layout, buffer_elements: int | None) -> int:
    """Size of the buffer in elements: the layout's own, or the larger ``buffer_elements``.

    Errors: LayoutError naming ``elements``.
    """
    own = layout.buffer_elements
    if buffer_elements is None:
        return own
    buffer_elements = plain(buffer_elements)
    if type(buffer_elements) is not int or not own <= buffer_elements <= INT64_MAX:
        raise LayoutError("elements", buffer_elements, phrase("elements.range", own=own))
    return buffer_elements
