"""What the tests of the dialects with pasted text share."""

from __future__ import annotations

from app.engine import LayoutError
from app.engine.model.dtypes import ElementType
from app.engine.model.layout import Layout
from app.engine.notation.dialect import CannotSayError, Dialect
from app.engine.notation.specs import Request
from tests.engine.notation.dialects.index_checks import FLOAT32


def check_round_trip(dialect: Dialect, layout: Layout, dtype: ElementType = FLOAT32) -> bool:
    """Reads back as the same layout, or refuses with a sentence. True where it was written."""
    reason = ""
    text = None
    try:
        text = dialect.write(layout, dtype)
    except CannotSayError as error:
        reason = str(error)
    if text is None:
        assert reason.endswith(".")
        return False
    again = dialect.parse(text, Request(layout.shape, layout.dims, dtype))
    assert again.normal_form == layout.normal_form, text
    return True


def never_breaks(dialect: Dialect, text: str, shape: tuple[int, ...] = (2, 3, 4, 5)) -> None:
    """Any text is read or refused, and a mark lies within it."""
    dialect.recognises(text)
    position = None
    try:
        dialect.parse(text, Request(shape, None, FLOAT32))
    except LayoutError as error:
        position = error.position
    assert position is None or 0 <= position <= len(text)
