"""What the tests of the index expressions share: Python itself evaluates them, as the oracle."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map
from app.engine.model.layout import Layout
from app.engine.notation.dialect import Dialect
from app.engine.notation.grammar.index_dialect import variables_of
from tests.engine.notation.dialects.dense_checks import attempt, read, said

SHAPE = (2, 8, 4, 4)


def evaluated(text: str, shape: Sequence[int], variables: str) -> npt.NDArray[np.int64]:
    """The Python expression on every coordinate."""
    coordinates = dict(zip(variables, np.indices(tuple(shape), dtype=np.int64), strict=True))
    value = eval(text, {"__builtins__": {}}, coordinates)  # noqa: S307  # the test's own text
    return np.broadcast_to(np.asarray(value, dtype=np.int64), tuple(shape))


def check_written(dialect: Dialect, layout: Layout, division: str) -> bool:
    """Reads back as the same layout, and Python computes the same addresses."""
    text, reason = said(dialect, layout)
    if text is None:
        assert reason.endswith(".")
        assert 0 in layout.shape or (layout.swizzle and not layout.swizzle.bits)
        return False
    assert read(dialect, text, layout.shape, layout.dims).normal_form == layout.normal_form, text
    addresses = evaluated(text.replace(division, "//"), layout.shape, variables_of(layout.dims))
    assert np.array_equal(addresses, offset_map(layout)), text
    return True


def check_read(dialect: Dialect, text: str, division: str) -> None:
    """Whatever is read has the addresses that Python computes; a mark lies inside the text."""
    layout = attempt(dialect, text.replace("//", division), SHAPE)
    if isinstance(layout, LayoutError):
        assert layout.position is None or 0 <= layout.position <= len(text)
    else:
        assert np.array_equal(offset_map(layout), evaluated(text, SHAPE, "nchw")), text


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
    masks = st.sampled_from(["8", "12", "24", "56"])
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
            st.builds("({0}) ^ ((({0}) & {1}) >> {2})".format, inner, masks, st.sampled_from("23")),
        ),
        max_leaves=6,
    )
