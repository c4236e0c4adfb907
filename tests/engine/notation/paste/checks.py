"""What the tests of pasted texts share: tables of what is said and of what is refused."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from app.engine import LayoutError, parse_layout
from app.engine.notation.paste.reading import FoundTensor, Read, read_text
from tests.cost import assert_costs_like

Sizes = tuple[int, ...]
# A text, the sizes, type and layout of its first tensor, and what is not read: None if not asked.
Said = tuple[str, Sizes | None, str | None, str | None, tuple[str, ...] | None]
# A text, where it is marked, part of the expectation.
Refused = tuple[str, int | None, str]


def says(rows: Sequence[Said]) -> Callable[[Said], None]:
    """A test that each text says this tensor and leaves this unread."""

    @pytest.mark.parametrize("row", rows, ids=lambda row: row[0][:60])
    def test(row: Said) -> None:
        text, shape, dtype, layout, unread = row
        read = read_text(text)
        assert (read.shape, read.dtype, read.layout) == (shape, dtype, layout)
        assert unread is None or read.unread == unread
        if shape is not None and layout is not None:
            assert parse_layout(layout, shape, None, dtype or "float32").shape == shape

    return test


def refuses(rows: Sequence[Refused]) -> Callable[[Refused], None]:
    """A test that each text is refused at its character with these words."""

    @pytest.mark.parametrize("row", rows, ids=lambda row: row[0][:60])
    def test(row: Refused) -> None:
        text, position, expected = row
        with pytest.raises(LayoutError) as refused:
            read_text(text)
        assert (refused.value.field, refused.value.position) == ("text", position)
        assert expected in refused.value.expectation

    return test


def only(text: str) -> FoundTensor:
    """The one tensor of a text."""
    [found] = read_text(text).tensors
    return found


def read_or_refused(text: str) -> Read | LayoutError:
    """What is read, or the error that says why nothing is."""
    try:
        return read_text(text)
    except LayoutError as error:
        return error


def assert_reads_like(plain: str, text: str, *, times: float) -> None:
    """Assert that a text costs at most ``times`` what a plain one does, read or refused."""
    assert_costs_like(partial(read_or_refused, plain), partial(read_or_refused, text), times=times)
