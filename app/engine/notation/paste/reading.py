"""What a text says when nothing else is known: notation, or a paste from a session or a log."""

from __future__ import annotations

from dataclasses import dataclass

from ...dtypes import DEFAULT, parse_dtype
from ...errors import LayoutError
from .. import DIALECTS
from ..dialect import Dialect, TensorText
from .pasted import MAX_TEXT, read_pasted


@dataclass(frozen=True, slots=True)
class Read:
    """``layout`` parses with ``shape`` and ``dtype``; None where the text does not say.

    ``system``: the dialect that recognises the whole text, None for a paste.
    """

    shape: tuple[int, ...] | None
    dtype: str | None
    layout: str | None
    system: str | None


def _parses(dialect: Dialect, text: str, shape: tuple[int, ...], dtype: str | None) -> bool:
    try:
        dialect.parse(text, TensorText(shape, None, parse_dtype(dtype) if dtype else DEFAULT))
    except LayoutError:
        return False
    return True


def read_text(text: str) -> Read:
    """The parts of a tensor that ``text`` names.

    Errors: LayoutError naming ``text``, with the position, where it says nothing of a layout.
    """
    stripped = text.strip()
    known = None
    if len(stripped) <= MAX_TEXT:
        known = next((d for d in DIALECTS if d.recognises(stripped)), None)
    if known is not None and (shape := known.own_shape(stripped)) is not None:
        dtype = known.own_dtype(stripped)
        if _parses(known, stripped, shape, dtype):
            return Read(shape, dtype, stripped, known.system)
    try:
        found = read_pasted(text)
    except LayoutError as error:
        # Without a position it is no paste at all; with one it is a broken paste.
        if known is not None and error.position is None:
            return Read(None, known.own_dtype(stripped), stripped, known.system)
        raise error.under("text") from None
    if known is not None and found.layout == f"{known.system}:{stripped}":
        return Read(found.shape, found.dtype, stripped, known.system)
    return Read(found.shape, found.dtype, found.layout, None)
