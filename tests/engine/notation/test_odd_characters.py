"""Any text, and texts of any dialect with an odd character in them, are read or refused."""

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, describe, parse_dtype, parse_layout
from app.engine.notation import DIALECTS, known_words
from app.engine.notation.dialect import Dialect
from app.engine.notation.paste.reading import read_text
from app.engine.notation.slices import index_expression
from app.engine.notation.specs import Spec
from tests.engine.notation.dialects.dense_checks import attempt
from tests.examples import examples, fewer
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
    parse_layout("cute:Swizzle<2,0,3> o (8,8):(8,1)", (8, 8)),
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


def hostile_texts(dialect: Dialect) -> st.SearchStrategy[str]:
    """Any text, text of the dialect's characters, and its words with something wrong."""
    written = [text for text, _ in texts_of(dialect.system)]
    words = [*known_words(dialect), *re.findall(r"\w+|\W", "".join(written))]
    alphabet = "".join({*"".join(words), *"0123456789 +-,:(){}[]"})
    pieces = st.one_of(
        st.sampled_from(written), st.sampled_from(words), st.text(alphabet, max_size=4)
    )
    return st.one_of(
        st.text(max_size=30),
        st.text(alphabet, max_size=30),
        st.lists(pieces, max_size=5).map("".join),
        st.sampled_from(["9" * 1000, "(" * 1000, "{" * 1000, "[" * 1000, "4c" * 500, "A" * 1000]),
    )


HOSTILE = {dialect.system: hostile_texts(dialect) for dialect in DIALECTS}


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.system)
@examples(400)
@given(st.data())
def test_no_text_breaks_a_dialect(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(HOSTILE[dialect.system])
    dialect.recognises(text)
    said = dialect.attempt(text)
    if isinstance(said, Spec):
        assert said.shape is None or all(size >= 0 for size in said.shape)
        assert said.dtype is None or parse_dtype(said.dtype).name == said.dtype
    found = attempt(dialect, text, (2, 8, 3, 4))
    if isinstance(found, LayoutError):
        assert found.position is None or 0 <= found.position <= len(text)


@examples(500)
@given(st.text(max_size=30) | st.text("NCHWDabcdnchw(){}[],+-0123456789: _", max_size=30))
def test_no_text_breaks_the_choice_of_a_dialect(text: str) -> None:
    position = None
    try:
        parse_layout(text, (2, 3, 4, 5))
    except LayoutError as error:
        position = error.position
    assert position is None or 0 <= position <= len(text)
