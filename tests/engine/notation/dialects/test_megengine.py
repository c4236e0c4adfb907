"""MegEngine's formats against its own reshapes and dimshuffles, written with NumPy."""

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map, parse_dtype
from app.engine.model.layout import Layout
from app.engine.notation.dialects import megengine
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.examples import examples

DIALECT = megengine.DIALECT
Fill = Callable[[checks.Array], checks.Array]


def channels(block: int, *order: int) -> Fill:
    """N, C, H, W with C split: axes n=0, C/x=1, x=2, h=3, w=4."""
    return lambda x: checks.split(x, a1=block).transpose(order)


ACTIVATIONS: Final[dict[str, Fill]] = {
    "NCHW": lambda x: x,
    "NHWC": lambda x: x.transpose(0, 2, 3, 1),
    "NCHW4": channels(4, 0, 1, 3, 4, 2),
    "NCHW8": channels(8, 0, 1, 3, 4, 2),
    "NCHW32": channels(32, 0, 1, 3, 4, 2),
    "NCHW64": channels(64, 0, 1, 3, 4, 2),
    "NCHW44": channels(4, 0, 1, 3, 4, 2),
    "NCHW44_DOT": channels(4, 0, 1, 3, 4, 2),
    "NCHW88": channels(8, 0, 1, 3, 4, 2),
    "CHWN4": channels(4, 1, 3, 4, 0, 2),
    "NHWCD4": channels(4, 0, 3, 1, 4, 2),
}


def filters(o: int, i: int, *order: int) -> Fill:
    """O, I, H, W with both split: axes O/o=0, o=1, I/i=2, i=3, h=4, w=5."""
    return lambda x: checks.split(x, a0=o, a1=i).transpose(order)


# Source: deduce_exec_layout of RelayoutFormat, and the shapes in convolution.cpp.
DENSE: Final[dict[str, Fill]] = {
    "NCHW": lambda x: x,
    "NHWC": lambda x: x.transpose(0, 2, 3, 1),
    **{f"NCHW{x}": filters(1, x, 0, 1, 2, 4, 5, 3) for x in (4, 8, 32, 64)},
    "CHWN4": filters(1, 4, 2, 4, 5, 0, 1, 3),
    "NHWCD4": filters(4, 4, 0, 4, 5, 2, 3, 1),
    "NHWCD4_DOT": filters(4, 4, 0, 4, 5, 2, 1, 3),
    "NCHW44": filters(4, 4, 0, 2, 4, 5, 3, 1),
    "NCHW44_DOT": filters(4, 4, 0, 2, 4, 5, 1, 3),
    "NCHW88": filters(8, 8, 0, 2, 4, 5, 3, 1),
}
HYBRID: Final[dict[str, Fill]] = {
    "NCHW44": filters(4, 1, 0, 4, 5, 2, 3, 1),
    "NCHW44_DOT": filters(4, 1, 0, 4, 5, 2, 3, 1),
    "NCHW88": filters(8, 1, 0, 4, 5, 2, 3, 1),
}
CHANNEL_WISE: Final = {
    **dict.fromkeys(("NCHW", "NHWC"), 1),
    **dict.fromkeys(("NHWCD4", "NHWCD4_DOT", "NCHW44", "NCHW44_DOT"), 4),
    "NCHW88": 8,
}


def sizes() -> st.SearchStrategy[tuple[int, ...]]:
    many = st.one_of(st.integers(1, 10), st.sampled_from([32, 65]))
    return st.tuples(st.integers(1, 9), many, st.integers(1, 3), st.integers(1, 3))


@examples(300)
@given(st.sampled_from(sorted(ACTIVATIONS)), sizes())
def test_activations_lie_as_relayout_format_puts_them(name: str, shape: tuple[int, ...]) -> None:
    layout = read(DIALECT, name, shape)
    checks.check_memory(layout, ACTIVATIONS[name])
    assert checks.check_round_trip(DIALECT, layout)


@examples(300)
@given(st.sampled_from(sorted(DENSE)), sizes(), st.integers(1, 3))
def test_weights_lie_as_convolution_reads_them(
    name: str, shape: tuple[int, ...], groups: int
) -> None:
    dense = read(DIALECT, f"weights {name}", shape)
    assert dense.dims == "OIHW"
    checks.check_memory(dense, DENSE[name])
    assert checks.check_round_trip(DIALECT, dense)
    group = read(DIALECT, f"group weights {name}", (groups, *shape))
    assert group.dims == "GOIHW"
    checks.check_memory(group, lambda x: np.stack([DENSE[name](g) for g in x]))
    assert checks.check_round_trip(DIALECT, group)


@settings(max_examples=150)
@given(st.sampled_from(sorted(HYBRID)), sizes())
def test_hybrid_weights_read_plain_activations(name: str, shape: tuple[int, ...]) -> None:
    layout = read(DIALECT, f"hybrid weights {name}", shape)
    checks.check_memory(layout, HYBRID[name])
    assert checks.check_round_trip(DIALECT, layout)


@settings(max_examples=150)
@given(st.sampled_from(sorted(CHANNEL_WISE)), st.integers(1, 20), st.integers(1, 3))
def test_channel_wise_weights_block_the_groups(name: str, groups: int, side: int) -> None:
    layout = read(DIALECT, f"channel-wise weights {name}", (groups, 1, 1, side, side))
    x = CHANNEL_WISE[name]
    checks.check_memory(layout, lambda w: checks.split(w, a0=x).transpose(0, 2, 3, 4, 5, 1))
    assert checks.check_round_trip(DIALECT, layout)


def test_strides_in_bytes_and_in_elements() -> None:
    int32 = parse_dtype("int32")
    layout = read(DIALECT, "(20, 4)", (2, 5), dtype=int32)
    assert layout.strides == (5, 1)
    assert int(offset_map(layout)[1, 2]) * 4 == 28
    assert DIALECT.write(layout, int32) == "(20, 4)"
    printed = read(DIALECT, "{2(5),5(1)}", (2, 5), dtype=int32)
    assert printed == layout
    assert DIALECT.write(layout, parse_dtype("int4")) == "{2(5),5(1)}"
    with pytest.raises(LayoutError, match="int4 is no whole byte"):
        read(DIALECT, "(20, 4)", (2, 5), dtype=parse_dtype("int4"))


test_reasons_name_what_is_in_the_way = unsaid(
    DIALECT,
    [
        (Layout.strided((2, 3), (3, 1), 1), "no offset"),
        (Layout.strided((1,) * 8, (1,) * 8), "at most 7"),
        (Layout.packed((4, 5), "HW", [(0, None), (1, None), (0, 2)]), "H is split"),
    ],
)


test_malformed_text_is_marked = marked(
    DIALECT,
    [
        Malformed("NCHW5", 4, "one of NCHW"),
        Malformed("NHWCD4_DOT", 0, "a format with activations"),
        Malformed("weight NCHW", 6, "weights"),
        Malformed("channel-wise weights NCHW4", 21, "a format with channel-wise weights"),
        Malformed("hybrid weights NCHW8", 15, "a format with hybrid weights"),
        Malformed("(20, 3)", 5, "multiples of the 4 bytes", (2, 5)),
        Malformed("(20, 4)+8", 7, "no offset", (2, 5)),
        Malformed("(20, x)", 5, "integers separated", (2, 5)),
        Malformed("{2(5),5[1]}", 7, "(", (2, 5)),
        Malformed("{2(5),5(1)", 10, ", or }", (2, 5)),
        Malformed("{2(5),5(1)}x", 11, "the end", (2, 5)),
        Malformed("{2(5),5(x)}", 8, "a stride in elements", (2, 5)),
        Malformed(f"{{{','.join(['1(1)'] * 8)}}}", 0, "at most 7"),
        Malformed("{2(5),6(1)}", None, "the sizes in the layout's text", (2, 5)),
        Malformed("channel-wise weights NCHW44", None, "one filter per channel", (8, 2, 1, 3, 3)),
        Malformed("weights NCHW4", None, "4 sizes (O, I, H, W)", (2, 3, 4)),
        Malformed("NCHW", None, "4 sizes (N, C, H, W)", (1,) * 8),
    ],
)
