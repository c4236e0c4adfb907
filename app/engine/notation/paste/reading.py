"""Reads a text of unknown kind: a notation, or text pasted from a session or a log."""

from __future__ import annotations

from dataclasses import dataclass

from ...dtypes import DEFAULT, parse_dtype
from ...errors import LayoutError
from .. import DIALECTS
from ..specs import Request, Spec, Written
from .pasted import MAX_TEXT, attempt_pasted


@dataclass(frozen=True, slots=True)
class Read:
    """The parts of a tensor, None for those that the text does not name.

    ``layout``: text for parse_layout with ``shape`` and ``dtype``. ``system``: the dialect that
    recognises the whole text, None for pasted text.
    """

    shape: tuple[int, ...] | None
    dtype: str | None
    layout: str | None
    system: str | None


def read_text(text: str) -> Read:
    """The parts of a tensor that ``text`` names.

    Errors: LayoutError naming ``text``, with the position, if it describes no tensor.
    """
    stripped = text.strip()
    known = spec = None
    if len(stripped) <= MAX_TEXT:
        known = next((d for d in DIALECTS if d.recognises(stripped)), None)
    if known is not None:
        said = known.attempt(stripped)
        spec = None if isinstance(said, LayoutError) else said
    if known and spec and spec.shape is not None and _makes_layout(spec, spec.shape):
        return Read(spec.shape, spec.dtype, stripped, known.system)
    found = attempt_pasted(text)
    if isinstance(found, LayoutError):
        # An error without a position: not pasted text. With a position: pasted text with an error.
        if known is not None and found.position is None:
            return Read(None, None if spec is None else spec.dtype, stripped, known.system)
        raise found.under("text")
    if known is not None and found.layout == f"{known.system}:{stripped}":
        return Read(found.shape, found.dtype, stripped, known.system)
    return Read(found.shape, found.dtype, found.layout, None)


def _makes_layout(spec: Spec, shape: tuple[int, ...]) -> bool:
    dtype = parse_dtype(spec.dtype) if spec.dtype else DEFAULT
    return isinstance(spec.attempt(Request(shape, None, dtype)), Written)
