"""A text of any dialect with a control character, a blank or a digit of Unicode in it."""

from functools import partial

import pytest

from app.engine import Layout, describe, parse_dtype, parse_layout
from app.engine.notation import DIALECTS
from app.engine.notation.paste.reading import read_text
from app.engine.notation.slices import index_expression
from tests.examples import fewer
from tests.odd_characters import accepted

BLANKS = "\0\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f\x7f\x85\xa0\u2003\u2028\u3000"
DIGITS = "²١３𝟛½Ⅳ"
INT8 = parse_dtype("int8")
LAYOUTS = [
    parse_layout("(5, 1)+3", (2, 3)),
    parse_layout("NCHW4", (2, 6, 3, 3)),
    parse_layout("OIhw4i16o4i", (20, 32, 3, 3)),
    parse_layout("NCHW32", (2, 64, 4, 4)),
    parse_layout("NHWC", (2, 6, 3, 3)),
    parse_layout("NCDHW", (2, 6, 3, 3, 3)),
    parse_layout("NCHW", (2, 6, 3, 3)),
]
SYSTEMS = [d.system for d in DIALECTS]


def texts_of(system: str) -> list[tuple[str, Layout]]:
    notations = [
        (describe(layout, INT8).notations[system].get("text"), layout) for layout in LAYOUTS
    ]
    written = [(text, layout) for text, layout in notations if text is not None]
    return sorted(written, key=lambda each: len(each[0]))  # every place of a text is tried


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_layout_is_read_or_refused_and_no_digit_of_unicode_is_a_number(system: str) -> None:
    texts = texts_of(system)
    assert texts
    for text, layout in texts[: fewer(3)]:
        read = partial(parse_layout, shape=layout.shape, dtype=INT8)
        fields = "layout shape dims dtype"
        for character, other, _ in accepted(read, f"{system}:{text}", BLANKS + DIGITS, fields):
            assert character not in DIGITS, repr(other)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_paste_is_read_or_refused(system: str) -> None:
    for text, _layout in texts_of(system)[: fewer(2)]:
        for _, other, found in accepted(read_text, text, BLANKS + DIGITS, "text"):
            assert found.layout, repr(other)


def test_an_index_is_read_or_refused() -> None:
    layout = Layout.strided((4, 5, 6), (30, 6, 1))
    text = "0, ::-1, 1:3, None"
    for character, other, found in accepted(
        lambda text: index_expression(layout, text), text, BLANKS + DIGITS, "index"
    ):
        assert character.isspace(), repr(other)
        assert found == index_expression(layout, text), repr(other)
