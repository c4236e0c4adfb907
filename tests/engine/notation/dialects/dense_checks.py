"""What the tests of the dialects share: a brute-force oracle, rows, strategies."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map, parse_dtype
from app.engine.model.dtypes import ElementType
from app.engine.model.layout import Layout
from app.engine.notation.dialect import CannotSayError, Dialect
from app.engine.notation.specs import Request
from tests.engine.strategies import small_layouts

FLOAT32 = parse_dtype("float32")
Array = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Malformed:
    """A text, the character to be marked, part of the expectation, the field that is refused.

    Without a character, the field is the shape unless another one is given.
    """

    text: str
    position: int | None
    expected: str
    shape: tuple[int, ...] = (2, 8, 3, 3)
    field: str | None = None


def marked(
    reader: Dialect | Callable[[str, Sequence[int]], Layout], rows: Sequence[Malformed]
) -> Callable[[Malformed], None]:
    """A test that each refusal marks the character and says what was expected there."""
    parse = partial(read, reader) if isinstance(reader, Dialect) else reader

    @pytest.mark.parametrize("row", rows, ids=lambda row: row.text[:30] or "empty")
    def test(row: Malformed) -> None:
        with pytest.raises(LayoutError) as refused:
            parse(row.text, row.shape)
        assert refused.value.field == (row.field or ("shape" if row.position is None else "layout"))
        assert refused.value.position == row.position
        assert row.expected in refused.value.expectation

    return test


def unsaid(dialect: Dialect, rows: Sequence[tuple[Layout, str]]) -> Callable[[Layout, str], None]:
    """A test that the dialect cannot write each layout, and says so with these words."""

    @pytest.mark.parametrize(("layout", "words"), rows, ids=[row[1] for row in rows])
    def test(layout: Layout, words: str) -> None:
        with pytest.raises(CannotSayError, match=words):
            dialect.write(layout, FLOAT32)

    return test


def read(
    dialect: Dialect,
    text: str,
    shape: Sequence[int],
    dims: str | None = None,
    dtype: ElementType = FLOAT32,
) -> Layout:
    return dialect.read(text).apply(Request(tuple(shape), dims, dtype)).layout


def attempt(dialect: Dialect, text: str, shape: Sequence[int]) -> Layout | LayoutError:
    """The layout that the dialect reads, or why it refuses."""
    try:
        return read(dialect, text, shape)
    except LayoutError as error:
        return error


def spelling(dialect: Dialect, text: str, shape: Sequence[int]) -> str:
    """The spelling under which the text's layout is shown."""
    return dialect.read(text).apply(Request(tuple(shape))).spelling


def respelled(dialect: Dialect, text: str, shape: Sequence[int]) -> Layout:
    """The layout of what the text's own spelling, under its system, reads back as."""
    shown = spelling(dialect, text, shape)
    return read(dialect, shown.removeprefix(f"{dialect.system}:"), shape)


def check_memory(layout: Layout, fill: Callable[[Array], Array]) -> None:
    """``fill`` makes the padded memory of a logical array: each element must be found there."""
    logical = np.arange(1, math.prod(layout.shape) + 1, dtype=np.int64).reshape(layout.shape)
    memory = np.ascontiguousarray(fill(logical)).ravel()
    assert memory.size == layout.buffer_elements
    assert np.array_equal(memory[offset_map(layout)], logical)


def padded(array: Array, axis: int, multiple: int) -> Array:
    """Zeros appended along an axis up to a multiple."""
    after = [(0, 0)] * array.ndim
    after[axis] = (0, -array.shape[axis] % multiple)
    return np.pad(array, after)


def split(x: Array, **blocks: int) -> Array:
    """Axes named by position (a0, a1, …) padded and split in two: (…, ⌈n/x⌉, x, …)."""
    for name, block in sorted(blocks.items(), reverse=True):
        axis = int(name[1:])
        x = padded(x, axis, block)
        x = x.reshape(*x.shape[:axis], x.shape[axis] // block, block, *x.shape[axis + 1 :])
    return x


def check_round_trip(dialect: Dialect, layout: Layout, dtype: ElementType = FLOAT32) -> bool:
    """What is written reads back as the same addresses; a refusal is one sentence.

    True where it was written.
    """
    text, reason = said(dialect, layout, dtype)
    if text is None:
        assert re.fullmatch(r"[A-Za-z][^\n]*\.", reason)
        return False
    spec = dialect.read(text)
    assert spec.shape in {None, layout.shape}
    assert spec.dtype in {None, dtype.name}
    again = spec.apply(Request(layout.shape, layout.dims, dtype))
    assert again.layout.normal_form == layout.normal_form, text
    assert dialect.write(again.layout, dtype, again.order) == text
    return True


def said(dialect: Dialect, layout: Layout, dtype: ElementType = FLOAT32) -> tuple[str | None, str]:
    """The text of a layout, or why there is none."""
    try:
        return dialect.write(layout, dtype), ""
    except CannotSayError as error:
        return None, str(error)


def arbitrary_layouts(most_rank: int = 5) -> st.SearchStrategy[Layout]:
    """Layouts of no dialect in particular, under names that several dialects know."""
    return small_layouts(max_rank=most_rank).flatmap(_renamed)


def _renamed(layout: Layout) -> st.SearchStrategy[Layout]:
    names = {4: ["NCHW", "OIHW", "NHWC", "abcd"], 5: ["NCDHW", "GOIHW"], 3: ["CHW", "NCW"]}
    choices = names.get(layout.rank, [layout.dims])
    plain = replace(layout, swizzle=None)  # no writer is asked for a swizzle
    return st.sampled_from(choices).map(lambda dims: replace(plain, dims=dims))
