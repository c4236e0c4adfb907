"""What the tests of the index expressions share: Python itself evaluates them, as the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map, parse_dtype
from app.engine.model.layout import Layout
from app.engine.notation.dialect import CannotSayError, Dialect
from app.engine.notation.grammar.index_dialect import variables_of
from app.engine.notation.specs import Request

FLOAT32 = parse_dtype("float32")
SHAPE = (2, 8, 4, 4)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A text, the field refused, the character to be marked, part of the expectation."""

    text: str
    position: int | None
    expected: str
    field: str = "layout"
    shape: tuple[int, ...] = SHAPE


def read(
    dialect: Dialect, text: str, shape: Sequence[int] = SHAPE, dims: str | None = None
) -> Layout:
    """The layout that the dialect reads."""
    return dialect.parse(text, Request(tuple(shape), dims, FLOAT32))


def evaluated(text: str, shape: Sequence[int], variables: str) -> npt.NDArray[np.int64]:
    """The Python expression on every coordinate."""
    coordinates = dict(zip(variables, np.indices(tuple(shape), dtype=np.int64), strict=True))
    value = eval(text, {"__builtins__": {}}, coordinates)  # noqa: S307  # the test's own text
    return np.broadcast_to(np.asarray(value, dtype=np.int64), tuple(shape))


def check_written(dialect: Dialect, layout: Layout, division: str) -> bool:
    """Reads back as the same layout, and Python computes the same addresses."""
    text, reason = _written(dialect, layout)
    if text is None:
        assert reason.endswith(".")
        assert 0 in layout.shape or (layout.swizzle and not layout.swizzle.bits)
        return False
    assert read(dialect, text, layout.shape, layout.dims).normal_form == layout.normal_form, text
    addresses = evaluated(text.replace(division, "//"), layout.shape, variables_of(layout.dims))
    assert np.array_equal(addresses, offset_map(layout)), text
    return True


def _written(dialect: Dialect, layout: Layout) -> tuple[str | None, str]:
    try:
        return dialect.write(layout, FLOAT32), ""
    except CannotSayError as error:
        return None, str(error)


def read_or_marked(dialect: Dialect, text: str, shape: Sequence[int]) -> Layout | None:
    """The layout that the dialect reads; None where it marks a character or refuses the sizes."""
    position: int | None = None
    try:
        return read(dialect, text, shape)
    except LayoutError as error:
        position = error.position
    assert position is None or 0 <= position <= len(text)
    return None


def check_read(dialect: Dialect, text: str, division: str) -> None:
    """Whatever is read has the addresses that Python computes."""
    layout = read_or_marked(dialect, text.replace("//", division), SHAPE)
    if layout is None:
        return
    assert np.array_equal(offset_map(layout), evaluated(text, SHAPE, "nchw")), text


def check_malformed(dialect: Dialect, row: Malformed) -> None:
    """The refusal marks the character and says what was expected there."""
    with pytest.raises(LayoutError) as refused:
        read(dialect, row.text, row.shape)
    assert refused.value.field == row.field
    assert refused.value.position == row.position
    assert row.expected in refused.value.expectation


def expressions() -> st.SearchStrategy[str]:
    """Python expressions of n, c, h, w, most of which are sums of digits."""
    constant = st.sampled_from(["0", "1", "2", "3", "4", "6", "8", "12", "16", "64"])
    digit = st.one_of(
        st.sampled_from("nchw"),
        st.builds("{}//{}".format, st.sampled_from("nchw"), st.sampled_from("1248")),
        st.builds("({}//{})%{}".format, st.sampled_from("nchw"), st.sampled_from("124"), constant),
        st.builds("{}%{}".format, st.sampled_from("nchw"), constant),
        st.builds("({} & {})".format, st.sampled_from("nchw"), st.sampled_from("137")),
        st.builds("({} >> {})".format, st.sampled_from("nchw"), st.sampled_from("012")),
    )
    return st.recursive(
        st.one_of(
            digit,
            constant,
            st.builds("{}*{}".format, digit, constant),
            st.builds("{}*{}".format, constant, digit),
        ),
        lambda inner: st.one_of(
            st.builds("{} + {}".format, inner, inner),
            st.builds("{} - {}".format, inner, inner),
            st.builds("({})*{}".format, inner, constant),
            st.builds("({})//{}".format, inner, constant),
            st.builds("({})%{}".format, inner, constant),
            st.builds("({} << {})".format, inner, st.sampled_from("012")),
            st.builds("({0}) ^ ((({0}) & {1}) >> {2})".format, inner,
                      st.sampled_from(["8", "12", "24", "56"]), st.sampled_from("23")),
        ),
        max_leaves=6,
    )  # fmt: skip
