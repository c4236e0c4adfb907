"""Each worked example says what its document says, and has one thing to try.

The cells that its sentences name can be read.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.explorer import Explorer, grouped
from tests.browser.stated import STATED
from tests.browser.taught import TAUGHT, VACANT, Named, Taught

FIELDS = ("shape", "layout", "dtype", "slice")
# As the page draws: the font in a cell, and the least that is drawn without fading.
CHARACTER_PER_FONT = 0.58
TEXT_PER_CELL = 0.92
LEAST_FONT_CSS = 11
LEAST_INK = 0.004
PICTURE = "A picture as planes, stripes and combs"


@pytest.fixture(scope="module")
def presets(shared: Explorer) -> dict[str, dict[str, Any]]:
    """The examples as the page knows them, by name: all on one page, one after the other."""
    found = shared.page.evaluate(
        """async () => (await import('/static/state/presets.js')).PRESET_GROUPS
            .flatMap(({presets}) => presets)"""
    )
    return {preset["title"]: preset for preset in found}


def test_the_tables_name_every_example(
    shared: Explorer, presets: dict[str, dict[str, Any]]
) -> None:
    assert set(presets) == {taught.name for taught in TAUGHT} | {PICTURE}
    names = shared.page.locator("preset-list button").all_text_contents()
    assert names[3:] == list(STATED)


@pytest.mark.parametrize("taught", TAUGHT, ids=[taught.name for taught in TAUGHT])
def test_an_example_and_its_trial_show_what_their_sentences_say(
    shared: Explorer, presets: dict[str, dict[str, Any]], taught: Taught
) -> None:
    preset = presets[taught.name]
    choose(shared, taught.name)
    see = shared.page.locator("example-story .see")
    expect(see).to_have_text(preset["see"])
    if taught.name in STATED:
        expect_stated(shared, taught.name)
    expect_named(shared, taught.before, preset)
    try_it(shared, preset)
    expect(see).to_have_text(preset["trial"]["see"])
    expect_facts(shared, taught.strides, taught.addresses)
    expect_named(shared, taught.after, preset)


def test_the_example_without_a_trial_shows_what_its_document_says(shared: Explorer) -> None:
    choose(shared, PICTURE)
    expect(shared.page.locator("example-story .see")).not_to_be_empty()
    expect_stated(shared, PICTURE)


def choose(explorer: Explorer, name: str) -> None:
    """Press the button of an example, and see it pressed."""
    button = explorer.page.locator("preset-list").get_by_text(name, exact=True)
    explorer.press(button)
    expect(button).to_have_attribute("aria-pressed", "true")


def expect_facts(explorer: Explorer, strides: str, addresses: int) -> None:
    """The facts have these strides in elements, and the memory so many addresses."""
    expect(explorer.about("a")).to_have_text(re.compile(grouped(f"   {addresses} addresses$")))
    column = explorer.page.locator("layout-facts tbody tr td:nth-child(3)")
    expect(column).to_have_text([grouped(text.replace(",", ", ")) for text in strides.split(" ")])


def expect_stated(explorer: Explorer, name: str) -> None:
    """The facts and the sum say what the document does, and no field has an error."""
    page = explorer.page
    strides, addresses, says = STATED[name]
    expect_facts(explorer, strides, addresses)
    expect(page.locator("stride-explorer")).to_contain_text(re.compile(re.escape(grouped(says))))
    assert [text for text in page.locator(".error").all_text_contents() if text.strip()] == []


def try_it(explorer: Explorer, preset: dict[str, Any]) -> None:
    """Do what the example says, as a user does it."""
    for key, value in preset["trial"]["done"].items():
        if key == "at":
            address = address_of(explorer, value)
            explorer.click("a", explorer.memory_cell("a", address))
            continue
        assert key in (*FIELDS, "b")
        field = explorer.field("layout", "b") if key == "b" else explorer.field(key)
        field.fill(value)


def address_of(explorer: Explorer, coords: list[int]) -> int:
    """The address at which the server says that these coordinates are."""
    answer = explorer.page.request.post(
        "/api/v1/offsets", data={"tensor": tensor_of(explorer), "coordinates": [coords]}
    )
    return int(answer.json()["offsets"][0])


def tensor_of(explorer: Explorer) -> dict[str, Any]:
    """The tensor that the fields describe."""
    given = {name: explorer.field(name).input_value() for name in ("layout", "dtype")}
    shape = [int(size) for size in explorer.field("shape").input_value().split(",")]
    layout: Any = given["layout"]
    if re.fullmatch(r"[\d,]+(\+\d+)?", layout):
        strides, _, offset = layout.partition("+")
        layout = {"strides": [int(each) for each in strides.split(",")], "offset": int(offset or 0)}
    elements = explorer.field("elements").input_value()
    return {
        "shape": shape,
        "layout": layout,
        "dtype": given["dtype"],
        **({"elements": int(elements)} if elements else {}),
    }


def expect_named(explorer: Explorer, named: Named, preset: dict[str, Any]) -> None:
    """The cells that are named hold what the engine says, can be seen and can be read."""
    page = explorer.page
    if named.says:
        page.wait_for_function(
            """says => new RegExp(says).test(['main', 'aside', 'slice-result']
                .map(name => document.querySelector(name).textContent).join(' '))""",
            arg=named.says,
        )
    if named.drawn == "texture":
        explorer.settle()
        return
    cells = {
        start + place: label
        for start, run in named.runs.items()
        for place, label in enumerate(run.split(" "))
    }
    if cells:
        tensor = tensor_of(explorer)
        asked = {"tensor": tensor, "offsets": list(cells)}
        answer = page.request.post("/api/v1/coordinates", data=asked)
        longest = max(len(label) for label in cells.values())
        assert font_css(logical_cell_css(explorer), longest) >= LEAST_FONT_CSS
        labels = [label_of(owner, tensor["shape"], preset) for owner in answer.json()["owners"]]
        assert labels == list(cells.values())
    lit = explorer.sum.get_attribute("data-address")
    expect_readable(explorer, cells or ({int(lit): "0"} if lit else {}))
    explorer.settle()


def logical_cell_css(explorer: Explorer) -> float:
    """The width of a cell of the tensor.

    Beside two memories the tensor is one press away, and is put away again by the next.
    """
    switch = explorer.page.locator("compare-bar .tensor")
    beside = explorer.field("layout", "b").input_value() != ""
    if beside:
        switch.click()
        expect(switch).to_have_text("Hide the tensor")
    canvas = explorer.canvas("logical")
    expect(canvas).to_be_visible()
    expect(canvas).to_have_attribute("data-side_css", re.compile(r"\d"))
    explorer.settle()
    sides_css = canvas.get_attribute("data-side_css") or ""
    if beside:
        switch.click()
        explorer.settle()
    return float(sides_css.split(",")[0])


def font_css(cell_css: float, characters: int) -> float:
    """The size of a text of so many characters that fits into a cell."""
    return cell_css * TEXT_PER_CELL / (characters * CHARACTER_PER_FONT)


def label_of(owner: dict[str, Any], shape: list[int], preset: dict[str, Any]) -> str:
    """The text that an owner has on the screen: what is stored there."""
    if owner["kind"] not in {"element", "shared"}:
        return VACANT
    if preset.get("text") == "address":
        return str(owner["offset"])
    linear, elements = 0, 1
    for index, size in zip(owner["coordinates"][0], shape, strict=True):
        linear, elements = linear * size + index, elements * size
    if preset.get("sample") == "count":
        return str(linear + 1)
    if elements <= 26 and preset.get("text") != "linear":
        return chr(ord("A") + linear)
    return str(linear).zfill(len(str(elements - 1)))


def expect_readable(explorer: Explorer, cells: dict[int, str]) -> None:
    """The cells lie inside the window of the memory and show texts of these lengths."""
    canvas = explorer.canvas("a")
    expect(canvas).to_have_attribute("data-columns", re.compile(r"\d"))
    explorer.page.wait_for_function(
        """([selector, cells, perFont, perCell, least, leastInk]) => {
            const canvas = document.querySelector(selector);
            const {side_css, left_cells, top_cells, inset_css, columns} = canvas.dataset;
            const [insetLeft, insetTop] = inset_css.split(',').map(Number);
            const [wide, cell] = side_css.split(',').map(Number);
            return cells.every(([address, label]) => {
                const x = insetLeft + (address % columns - left_cells) * wide;
                const y = insetTop + (Math.floor(address / columns) - top_cells) * cell;
                const inside = x >= insetLeft - 1 && y >= insetTop - 1
                    && x + wide <= canvas.clientWidth + 2 && y + cell <= canvas.clientHeight + 2;
                if (!inside) return false;
                if (label === 'x') return true;
                if (wide * perCell / (label.length * perFont) < least) return false;
                const ratio = canvas.width / canvas.clientWidth;
                const side = Math.floor(cell * 0.8 * ratio);
                const {data} = canvas.getContext('2d').getImageData(
                    Math.round((x + (wide - cell * 0.8) / 2) * ratio),
                    Math.round((y + cell * 0.1) * ratio),
                    side, side);
                const words = new Map();
                for (const word of new Uint32Array(data.buffer)) {
                    words.set(word, (words.get(word) ?? 0) + 1);
                }
                const most = Math.max(...words.values());
                return 1 - most / (data.length / 4) >= leastInk;
            });
        }""",
        arg=[
            "memory-view[side=a] canvas",
            list(cells.items()),
            CHARACTER_PER_FONT,
            TEXT_PER_CELL,
            LEAST_FONT_CSS,
            LEAST_INK,
        ],
    )
