"""How a drawing names a layout: computed from the layout itself."""

from __future__ import annotations

import pytest

from app.engine import Layout, parse_layout
from app.engine.model.dtypes import DEFAULT
from app.engine.network.labels import LayoutLabel, label_of

_SHAPE = (2, 3, 4, 5)


@pytest.mark.parametrize(
    ("text", "kind", "short"),
    [
        ("NCHW", "plain", "NCHW"),
        ("onednn:nhwc", "last", "NHWC"),
        ("acdb", "last", "NHWC"),
        ("channels_last", "last", "NHWC"),
        ("NWHC", "other", "NWHC"),
        ("onednn:nChw16c", "blocked", "NCHW16"),
        ("onednn:nChw4c", "blocked", "NCHW4"),
        ("OIhw4i16o4i", "blocked", "OIHW4i16o4"),
        ("(60, 1, 15, 3)", "last", "NHWC"),
        ("(60, 2, 15, 3)", "other", "strided"),
        ("cute:Swizzle<1,0,2> o (2,3,4,5):(60,20,5,1)", "other", "swizzled"),
    ],
)
def test_a_layout_has_a_kind_and_a_short_name(text: str, kind: str, short: str) -> None:
    found = label_of(parse_layout(text, _SHAPE), DEFAULT)
    assert (found.kind, found.short) == (kind, short)
    assert found.layout is None or parse_layout(found.layout, _SHAPE).shape == _SHAPE


def test_a_rule_set_s_own_words_are_taken() -> None:
    blocked = parse_layout("nChw16c", _SHAPE)
    found = label_of(blocked, DEFAULT, "onednn", "nChw16c")
    assert found == LayoutLabel("onednn:aBcd16b", "blocked", "nChw16c")
    assert label_of(parse_layout("NHWC", _SHAPE), DEFAULT, "onednn", "nhwc").short == "NHWC"


@pytest.mark.parametrize(
    ("shape", "strides", "kind", "short"),
    [
        ((1, 8, 1, 1), (8, 1, 8, 8), "last", "NHWC"),
        ((1, 8, 1, 1), (8, 1, 1, 1), "plain", "NCHW"),
        ((1, 3, 1, 5), (9, 1, 7, 3), "last", "NHWC"),
        ((), (), "plain", "()"),
        ((7,), (1,), "plain", "W"),
        ((2, 3), (3, 1), "plain", "HW"),
        ((2, 3, 4), (12, 1, 3), "last", "NWC"),
        ((1,) * 7, (1,) * 7, "plain", "row-major"),
    ],
)
def test_sizes_of_1_allow_several_orders(
    shape: tuple[int, ...], strides: tuple[int, ...], kind: str, short: str
) -> None:
    found = label_of(Layout.strided(shape, strides), DEFAULT)
    assert (found.kind, found.short) == (kind, short)
