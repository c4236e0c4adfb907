"""Each technical word that a page shows is one press away from its explanation."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.pages import Axe, NewPage

_VOCABULARY = Path(__file__).parents[2] / "docs" / "vocabulary.md"
_ROWS = re.findall(r"^\| (.+?) \|", _VOCABULARY.read_text(encoding="utf-8"), re.MULTILINE)[1:]
VOCABULARY = {
    word: re.compile(rf"(?<![\w-]){re.escape(word)}s?(?![\w-])", re.IGNORECASE)
    for row in _ROWS
    for word in (each.strip().lower() for each in re.split("[,;]", row))
}

# Every text that is seen, and the words explained by buttons near it. Near is the same element of
# the page; a control's own text cannot hold a button, so for that the whole page is near.
_SEEN = """() => {
    // The bar names pages; what is typed or printed is no text of the page; "Copy" on a button
    // beside a code means the clipboard, not a copy of elements.
    const apart = '.words, .top nav, .spoken, script, style, noscript, option, code, pre, textarea,'
        + '.mono, canvas, copy-button';
    const control = 'button:not(.word), a, label, select, summary, legend, [role=tab], svg, '
        + '.kicker';
    const parts = [...document.querySelectorAll('*')].filter((one) => one.localName.includes('-'));
    const root = parts.shift();
    const partOf = (node) => {
        let at = node.closest('section, aside') ?? root;
        for (let one = node; one && one !== root; one = one.parentElement) {
            if (one.localName.includes('-')) return one;
        }
        return at;
    };
    const forms = new Map();
    for (const button of document.querySelectorAll('button.word')) {
        if (!button.checkVisibility()) continue;
        const own = document.getElementById(button.getAttribute('popovertarget')).dataset.forms;
        for (const part of [partOf(button), root]) {
            forms.set(part, [...(forms.get(part) ?? []), ...own.toLowerCase().split(', ')]);
        }
    }
    const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { parentElement: parent, data } = walker.currentNode;
        if (!data.trim() || parent.closest(apart) || !parent.checkVisibility()) continue;
        texts.push([data, forms.get(parent.closest(control) ? root : partOf(parent)) ?? []]);
    }
    return texts;
}"""

STATES = {
    "first": "/",
    "shared": "/?shape=2,3&layout=0,1",
    "gaps": "/?shape=2,3&layout=5,1&b-layout=NHWC",
    "swizzle": "/?shape=8,8&layout=Sw<3,0,3> o 0 o (8,8):(8,1)&tab=cost",
    "window": "/?shape=1,1,4,4&layout=NCHW&slice=..., ::-2, 1:4:2&tab=notations",
    "reorder": "/reorder",
    "copied": "/reorder?shape=1,6,4,6&layout=NCHW&b-layout=NHWC",
    "rules": "/network",
    "api": "/docs",
    "call": "/docs/schedule",
    "lesson": "/learn/nchw4?seed=5&level=3",
    "program": "/learn/channels-last?seed=28&level=2",
    "plan": "/network?preset=inception-block&show=plan",
}


# What a page draws last, by its first part.
DRAWN = {
    "": "memory-view[side=a] canvas[data-cell_css]",
    "reorder": "reorder-memory[side=b] canvas[data-inset_css]",
    "network": "network-graph .window[aria-busy=false][data-scale]",
    "docs": ".stage",
    "learn": "lesson-grids .plane",
}


@pytest.mark.parametrize("path", STATES.values(), ids=STATES)
def test_no_word_of_the_vocabulary_stands_without_its_explanation(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator(DRAWN[re.split("[/?]", path)[1]]).first).to_be_visible()
    Explorer(page).rest()
    missing = {
        (word, text.strip())
        for text, explained in page.evaluate(_SEEN)
        for word, pattern in VOCABULARY.items()
        if pattern.search(text) and not {word, f"{word}s"} & set(explained)
    }
    assert missing == set()


def test_the_first_words_are_explained_by_key(page: Page, axe: Axe) -> None:
    """What stands above the grids, and what the first story says of them."""
    page.goto("/")
    word = page.locator("layout-facts button.word", has_text="buffer")
    box = page.locator("#word-buffer")
    word.press("Enter")
    expect(box).to_be_visible()
    expect(box).to_contain_text("The memory that a tensor takes, from address 0")
    expect(box.locator("svg.drawing")).to_be_visible()
    assert axe(page, "#word-buffer") == []
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(word).to_be_focused()
    for where, form, said in (
        ("logical-view .bar", "tensor", "Numbers in any number of dimensions"),
        ("logical-view .bar", "C H W", "N images, C channels, H rows, W columns"),
        ("memory-view[side=a] .bar", "Memory", "Numbered places in one long row"),
        ("example-story", "address", "The number of a place in memory"),
        ("grid-legend", "row by row", "the last index moves fastest"),
        ("grid-legend", "step", "How far that is in memory is the stride"),
    ):
        page.locator(where).get_by_role("button", name=form, exact=True).first.click()
        expect(page.locator("[popover]:popover-open")).to_contain_text(said)
        page.keyboard.press("Escape")


def test_the_notation_of_sizes_and_strides_says_what_stands_where(page: Page) -> None:
    page.goto("/?shape=3,4,5&layout=CHW")
    page.get_by_role("tab", name="Notations").click()
    page.locator("li[data-system=cute]").get_by_role("button", name="CuTe", exact=True).click()
    expect(page.locator("#word-cute")).to_contain_text("sizes, a colon, strides")


def test_a_lesson_s_words_mean_what_the_lesson_means(page: Page) -> None:
    """On other pages a step is a reorder's, and transposing is done by tiles."""
    for lesson, word, said in (
        ("broadcast", "step", "From one index of a dimension to the next"),
        ("transpose", "transpose", "The dimensions change places"),
    ):
        page.goto(f"/learn/{lesson}?seed=5")
        page.locator("lesson-idea button.word", has_text=word).first.click()
        expect(page.locator("[popover]:popover-open")).to_contain_text(said)
    # Offset and stride of a window are indices, not places in memory.
    page.goto("/learn/windows?seed=5&level=3")
    page.locator(".prompt button.word", has_text="window offsets").click()
    expect(page.locator("[popover]:popover-open")).to_contain_text("those a window stride apart")
    page.get_by_role("button", name="Hint").click()
    linked = page.locator(".one button.word:visible")
    assert not {"offset", "stride", "size"} & {*linked.all_inner_texts()}
    page.goto("/learn/nchw4?seed=4")
    page.get_by_role("button", name="Show me").click()
    # No line ends between a word and the brackets around it.
    expect(page.locator(".together", has_text="mod")).to_have_text("(c\u00a0mod\u00a04)")


def test_texts_are_pages_without_findings(page: Page, axe: Axe) -> None:
    """No word of help links to itself or to another meaning."""
    for path, first, second in (("/docs", DESK, PHONE), ("/help", PHONE, DESK)):
        page.set_viewport_size(first)
        page.emulate_media(color_scheme="light" if first is DESK else "dark")
        page.goto(path)
        assert axe(page) == [], path
        for size in (first, second):
            page.set_viewport_size(size)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    expect(page.locator("section#memory button.word")).to_have_text(["address"])
    expect(page.locator("section#contiguous button.word", has_text="memory")).to_be_visible()
    expect(page.locator("section#contiguous button.word", has_text="word")).to_have_count(0)
    expect(page.locator("section#bank button.word")).to_have_text(["Address"])


def test_on_a_phone_a_finger_opens_words_and_meets_each_of_the_foot(
    new_page: NewPage,
) -> None:
    phone = new_page(viewport=PHONE, has_touch=True)
    phone.goto("/")
    touched = phone.locator("example-story .see button.word", has_text="address")
    assert touched.evaluate("word => getComputedStyle(word, '::after').height") == "40px"
    touched.tap()
    expect(phone.locator("#word-address")).to_be_visible()
    expect(phone.locator("#word-address button.word")).to_have_text(["memory"])
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.keyboard.press("Escape")
    expect(phone.locator("layout-facts table").first).to_be_attached()
    phone.locator(".facts > .fold > summary").tap()
    line = phone.locator(".word-line")
    line.scroll_into_view_if_needed()
    met = line.evaluate(
        """line => [...line.querySelectorAll('.word, a')].map((word) => {
            const {x, y, width, height} = word.getBoundingClientRect();
            const there = document.elementFromPoint(x + width / 2, y + height / 2);
            return [word.textContent, there?.closest('.word, a')?.textContent, height >= 40];
        })"""
    )
    assert len(met) > 15
    assert [one for one in met if one[0] != one[1] or not one[2]] == []
