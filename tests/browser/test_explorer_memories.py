"""One picture as planes, stripes and combs: what is drawn, what is said, what is saved."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from app.engine import offset_map, parse_layout
from tests.browser.explorer import CLIPBOARD, PHONE, Explorer, one_page
from tests.browser.pages import Axe, Pages, box_of, saved

LINK = "?shape=1,3,96,128&layout=NHWC&dtype=uint8&sample=balloon&show=memories"
NAME = "A picture as planes, stripes and combs"


@pytest.fixture(scope="module")
def memories(pages: Pages) -> Iterator[Locator]:
    """The picture as its link shows it, on one page for the tests that leave it as it is."""
    with one_page(pages) as explorer:
        drawn = explorer.show(LINK).page.locator("three-memories")
        expect(drawn.locator("canvas")).to_have_attribute("data-memories", "NCHW NHWC NCHW4")
        yield drawn


def means(memories: Locator, rows: list[tuple[float, float]], column: int) -> list[list[float]]:
    """Mean red, green and blue between heights of the canvas, of one of the three columns.

    Only the middle fifth of a third is read: the memories stand together in the middle of the
    stage, so that beside the outer ones there is ground.
    """
    found: list[list[float]] = memories.locator("canvas").evaluate(
        """(canvas, [rows, column]) => rows.map(([from, to]) => {
            const width = Math.floor(canvas.width / 3);
            const top = Math.round(from * canvas.height);
            const height = Math.round((to - from) * canvas.height);
            const left = Math.round((column + 0.4) * width);
            const {data} = canvas.getContext('2d')
                .getImageData(left, top, Math.floor(width * 0.2), height);
            return [0, 1, 2].map(part => {
                let sum = 0;
                for (let at = part; at < data.length; at += 4) sum += data[at];
                return (sum * 4) / data.length;
            });
        })""",
        [rows, column],
    )
    return found


def test_the_formulas_are_those_of_the_engine(memories: Locator) -> None:
    sizes = {"width": 48, "height": 36}
    computed = memories.page.evaluate(
        """async (size) => (await import('/static/core/files/three-memories.js')).PICTURE_MEMORIES
            .map(({layout, addressOf, formula}) => ({
                layout,
                numbers: formula(size).numbers,
                addresses: [0, 1, 2].map(c => Array.from({length: size.height}, (_, h) =>
                    Array.from({length: size.width}, (_, w) => addressOf(size, c, h, w)))),
            }))""",
        sizes,
    )
    said = memories.locator("li").all_text_contents()
    for memory, words in zip(computed, said, strict=True):
        layout = parse_layout(memory["layout"], (1, 3, sizes["height"], sizes["width"]))
        addresses = offset_map(layout)[0]
        assert json.dumps(addresses.tolist()) == json.dumps(memory["addresses"])
        # The formula is Python, but for its point and the spaces between factors.
        formula = memory["numbers"].replace("·", "*")
        for c, h, w in ((0, 0, 0), (1, 5, 7), (2, 35, 47)):
            assert eval(formula, {}, {"c": c, "h": h, "w": w}) == addresses[c, h, w]  # noqa: S307 - the page's own formula
        assert words.endswith(f"address = {memory['numbers']}")
        assert words.startswith(f"{memory['layout']}, ")


def test_planes_are_red_green_and_blue_and_stripes_are_all_of_them(memories: Locator) -> None:
    thirds = [(0.2, 0.38), (0.5, 0.64), (0.76, 0.9)]
    red, green, blue = means(memories, thirds, 0)
    assert red[0] > 1.5 * max(red[1:])
    assert green[1] > 1.5 * max(green[0], green[2])
    assert blue[2] > 1.5 * max(blue[:2])
    for column in (1, 2):
        whole = means(memories, thirds[:1], column)[0]
        assert max(whole) < 1.5 * min(whole)


def test_the_picture_is_saved_as_it_is_shown(memories: Locator) -> None:
    _, data = saved(memories.get_by_role("button", name="Save as PNG"))
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    assert width == 2000
    assert 1500 < height < 2400


def test_it_leads_to_the_addresses_and_back(page: Page) -> None:
    explorer = Explorer(page).open()
    explorer.press(explorer.example(NAME))
    memories = page.locator("three-memories")
    expect(memories).to_be_visible()
    expect(page.locator("logical-view")).to_be_hidden()
    expect(page.locator("example-story .try")).to_have_text("Try it: press “Explore NCHW4”.")
    expect(page).to_have_url(re.compile("show=memories"))
    page.locator(".skip").press("Enter")
    expect(page.locator("#stage")).to_be_focused()  # there is no grid yet
    memories.get_by_role("button", name="Explore NCHW4").click()
    expect(memories).to_be_hidden()
    expect(explorer.canvas("a")).to_be_focused()
    expect(explorer.about("a")).to_contain_text("49\u202f152 addresses")
    expect(page.locator("example-story .see")).to_contain_text("each fourth place is padding")
    page.go_back()
    expect(memories).to_be_visible()
    explorer.field("layout").fill("NCHW")
    expect(memories).to_be_hidden()
    expect(explorer.about("a")).to_contain_text("36\u202f864 addresses")


def test_it_is_accessible_and_fits_on_a_phone_and_an_own_picture_is_drawn_so_too(
    memories: Locator, axe: Axe
) -> None:
    page = memories.page
    assert axe(page, "main") == []
    canvas = box_of(memories.locator("canvas"))
    assert canvas["y"] + canvas["height"] <= 900, "all of it is seen at 1440 × 900"
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    expect(memories.locator("canvas")).to_have_attribute("width", str(PHONE["width"]))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    facts = box_of(page.get_by_role("region", name="Facts of the layout"))
    below = box_of(memories.locator("canvas"))
    assert facts["y"] >= below["y"] + below["height"], "the facts come after the picture"
    assert axe(page, "main") == []
    # Two rows of four white pixels, as a PNG that the page itself makes.
    page.evaluate(
        """async () => {
            const canvas = new OffscreenCanvas(4, 2);
            const context = canvas.getContext('2d');
            context.fillStyle = 'white';
            context.fillRect(0, 0, 4, 2);
            const file = new File([await canvas.convertToBlob()], 'white.png', {type: 'image/png'});
            const transfer = new DataTransfer();
            transfer.items.add(file);
            const drop = new DragEvent('drop', {dataTransfer: transfer, cancelable: true});
            document.dispatchEvent(drop);
        }"""
    )
    expect(memories.locator("li").first).to_have_text("NCHW, planes: address = c·8 + h·4 + w")
    expect(memories).to_be_visible()


def test_on_a_phone_a_pasted_text_leaves_no_word_of_the_picture_in_the_bar(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.context.grant_permissions(CLIPBOARD)
    explorer = Explorer(page).open(LINK.removesuffix("&show=memories"))
    loaded = page.locator("value-source .loaded")
    expect(loaded).to_have_text("Showing Sample picture, 128 × 96")
    explorer.paste("torch.Size([2, 3, 8, 8])")
    expect(page.locator("paste-note .taken")).to_contain_text("shape 2,3,8,8; no type, so float32")
    expect(loaded).to_be_empty()
    page.get_by_role("button", name="Undo").click()
    expect(loaded).to_have_text("Showing Sample picture, 128 × 96")
