"""The list of explained words, and their drawings."""

import re
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from app.lessons import BY_ID
from app.web.words import WORDS, Word, words_on
from app.web.words.drawing import drawing


@pytest.mark.parametrize("word", WORDS, ids=[word.id for word in WORDS])
def test_a_word_has_two_sentences_a_drawing_and_a_lesson_that_exists(word: Word) -> None:
    assert 1 <= len(re.findall(r"[.;:](?: |$)", word.text)) <= 4
    assert 40 < len(word.text) < 220
    root = ElementTree.fromstring(word.picture)
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    assert width <= 288
    assert height <= 160
    assert word.lesson in {"", *BY_ID}


@pytest.mark.parametrize("page", ["explorer", "reorder", "run"])
def test_each_form_means_one_word_on_a_page(page: str) -> None:
    forms = [form for word in words_on(page) for form in word.written]
    assert len(set(forms)) == len(forms)
    assert set(forms) == {form for word in WORDS for form in word.written}
    assert len({word.id for word in WORDS}) == len(WORDS)


def test_a_drawing_shows_what_its_letters_say() -> None:
    root = ElementTree.fromstring(drawing("0A! # . | <&/:7", "0>2 +2"))
    texts = [text.text for text in root.iter("text")]
    assert sorted(filter(None, texts)) == ["&", "+2", "7", "A"]
    classes = [path.attrib.get("class") for path in root.iter("path")]
    assert classes == [None, "chosen", "plain", "hatch", "jump"]


def test_drawings_of_blocks_name_channels_and_number_pixels_blocks_and_places() -> None:
    """A bare number in a cell would be a channel in one tip and a pixel in another."""
    named = {"block", "vector", "block number", "place in the block", "digit", "padding"}
    seen = [word for word in WORDS if word.title in named]
    assert len(seen) == len(named)
    for word in seen:
        cells = [cell.rstrip("!") for cell in re.findall(r"(?<![:\w])\d[^ /]*", word.cells)]
        assert all(cell[1:] == f"c{cell[0]}" for cell in cells), word.title
    below = {word.title: word.cells.partition("/")[2].split() for word in seen}
    assert below["block"] == below["vector"] == [*[":w0"] * 4, "|", *[":w1"] * 4]
    assert ":block" in below["block number"]
    assert ":place" in below["place in the block"]


def test_a_cache_line_is_drawn_as_long_as_its_text_says() -> None:
    line = next(word for word in WORDS if word.id == "word-cache-line")
    boxes = [float(x) for x in re.findall(r"M([\d.]+) [\d.]+h2[34]v", str(line.picture))]
    left = sorted({round(x // 26) for x in boxes if x < 8 * 26})
    assert left == [*range(8)]
    assert "eight elements of 8 bytes" in line.text


def test_where_an_address_is_a_link_it_is_called_so(client: TestClient) -> None:
    assert "lessons' links" in client.get("/learn").text


def test_every_page_explains_and_help_lists_each_word(client: TestClient) -> None:
    explorer, helped = client.get("/").text, client.get("/help").text
    for word in words_on("explorer"):
        assert f'<div id="{word.id}" popover' in explorer
    for word in WORDS:
        assert f'<section id="{word.id.removeprefix("word-")}">' in helped
    linked = set(re.findall(r'href="/learn/([^"]+)">The lesson on it', explorer))
    assert linked == {word.lesson for word in WORDS if word.lesson}
