"""The page of reorders: fields, player, plan, counts, registers, keys, links."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Position, expect

from app.engine import parse_layout
from app.engine.reorder.schedule import schedule
from tests.browser.explorer import DESK, PHONE, Explorer, listen
from tests.browser.pages import SMALL_TARGETS, Axe, NewPage, box_of, saved, settle

BLOCKS = "?shape=1,6,4,6&layout=NCHW&b-layout=NCHW4"
# Whether something is drawn over both memories at a point of one of them.
DRAWN_OVER = """([side, x, y]) => {
    const cells = document.querySelector(`reorder-memory[side=${side}] canvas.cells`);
    const over = document.querySelector('reorder-travel canvas');
    const [at, own] = [cells, over].map((each) => each.getBoundingClientRect());
    const scale = over.width / own.width;
    const point = [at.left + x - own.left, at.top + y - own.top].map((each) => each * scale);
    return over.getContext('2d').getImageData(...point, 1, 1).data[3] > 0;
}"""


@dataclass(frozen=True, slots=True)
class Reorders:
    """One page with a reorder on it."""

    page: Page

    def open(self, query: str = "") -> Reorders:
        """Load the page and wait until a step and both memories are drawn."""
        self.page.goto(f"/reorder{query}")
        expect(self.now).to_contain_text("→")
        for side in ("a", "b"):
            expect(self.cells(side)).to_have_attribute("data-inset_css", re.compile(","))
        return self

    @property
    def now(self) -> Locator:
        return self.page.locator("reorder-line .now")

    @property
    def step(self) -> Locator:
        return self.page.get_by_role("textbox", name="Step")

    @property
    def play(self) -> Locator:
        return self.page.locator("player-bar .play")

    def count(self, name: str) -> Locator:
        return self.page.locator(f"[data-count={name}]")

    def cells(self, side: str) -> Locator:
        return self.page.locator(f"reorder-memory[side={side}] canvas.cells")

    def middle(self, side: str, address: int, row: int = 16) -> Position:
        """The middle of an address, in pixels of its canvas."""
        data = self.cells(side).evaluate("c => ({...c.dataset})")
        left, top = (float(part) for part in data["inset_css"].split(","))
        cell = float(data["cell_css"])
        return {"x": left + (address % row + 0.5) * cell, "y": top + (address // row + 0.5) * cell}

    def pixel(self, side: str, address: int) -> list[int]:
        """The colour beside the middle of a cell, where no text is."""
        at = self.middle(side, address)
        found: list[int] = self.cells(side).evaluate(
            """(canvas, [x, y, cell]) => [...canvas.getContext('2d')
                .getImageData(x - cell * 0.4, y - cell * 0.3, 1, 1).data]""",
            [at["x"], at["y"], float(self.cells(side).get_attribute("data-cell_css") or 0)],
        )
        return found

    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.page.url).query)


@pytest.fixture
def reorders(page: Page) -> Iterator[Reorders]:
    page.set_viewport_size(DESK)
    said = listen(page)
    yield Reorders(page)
    assert said == []


def test_the_pages_lead_to_each_other(reorders: Reorders) -> None:
    page = reorders.page
    page.goto("/?shape=1,6,4,6&layout=NCHW&b-layout=NCHW4&at=0,5,1,2")
    page.get_by_role("link", name="Watch the reorder").click()
    expect(reorders.now).to_contain_text("A[0] → B[0]")
    page.get_by_role("link", name="Explorer").click()
    expect(page.locator("#b-layout")).to_have_value("NCHW4")
    Explorer(page).expect_lit("0,5,1,2", 128)
    page.goto("/network?preset=inception-block")
    page.get_by_role("link", name=re.compile("Watch the reorder of")).first.click()
    expect(reorders.now).to_contain_text("→")


def go_to(reorders: Reorders, number: int) -> None:
    reorders.step.fill(str(number))
    reorders.step.press("Enter")


def test_steps_are_the_engine_s_and_loops_cells_and_lines_are_counted(
    reorders: Reorders, axe: Axe
) -> None:
    page = reorders.open(f"{BLOCKS}&step=74").page
    loops = page.locator("reorder-loops .loops li")
    expect(loops).to_have_text([re.compile("i = 18 of 24"), re.compile("j = 2 of 4")])
    expect(page.locator("reorder-loops .turned")).to_contain_text("j =")
    white = [255, 255, 255, 255]
    assert reorders.pixel("b", 60) != white
    assert reorders.pixel("b", 90) == white
    # The row of 64 in A: its channel is read up to 66; what is read is pale.
    assert sum(reorders.pixel("a", 65)) > sum(reorders.pixel("a", 67))
    expect(reorders.count("lines-read")).to_have_text("6 of 9")
    expect(reorders.count("lines-written")).to_have_text("5 of 12")
    expect(reorders.count("useful-read")).to_have_text("300 B")
    expect(reorders.count("wasted-written")).to_have_text("20 B")
    expect(reorders.count("rest")).to_have_text("not used yet")
    expect(reorders.count("window")).to_have_text("Up to step 74, exact.")
    assert axe(page) == []
    go_to(reorders, 76)
    expect(page.locator("reorder-loops .turned")).to_contain_text("i = 19")
    expect(page.locator("reorder-registers figcaption")).to_contain_text(
        "4 rows are interleaved into one run in 2 rounds of interleaving"
    )
    shape = (1, 6, 4, 6)
    found = schedule(parse_layout("NCHW", shape), parse_layout("NCHW4", shape))
    # A move of one element, the first of zeros, and the last: tests/twins compares all.
    for number in (0, 96, found.steps - 1):
        go_to(reorders, number)
        step = found.step(number)
        read = "zeros" if step.source_address is None else f"A[{step.source_address}]"
        last = step.target_address + step.units - 1
        written = f"B[{step.target_address}" + (f" to {last}]" if step.units > 1 else "]")
        expect(reorders.now).to_contain_text(f"{read} → {written}")
        expect(page.locator("reorder-loops .present b")).to_have_text(f"Move {step.move}")
    expect(page.locator("reorder-line .spoken[aria-live]")).to_contain_text("Step 167.")
    expect(reorders.count("lines-written")).to_have_text("12 of 12")
    expect(reorders.count("zeros")).to_have_text("192 B")
    expect(reorders.count("wasted-read")).to_have_text("0 B")
    expect(reorders.count("rest")).to_have_text("wasted bytes")


def test_the_player_by_pointer_and_keyboard_and_a_cell_lead_to_a_step(reorders: Reorders) -> None:
    page = reorders.open(f"{BLOCKS}&step=10").page
    page.get_by_role("button", name="One step forward").click()
    expect(reorders.step).to_have_value("11")
    page.keyboard.press(",")
    expect(reorders.step).to_have_value("10")
    page.keyboard.press(".")
    expect(reorders.step).to_have_value("11")
    expect(page).to_have_url(re.compile("step=11"))
    reorders.cells("b").click(position=reorders.middle("b", 130))
    expect(reorders.now).to_contain_text("B[130")
    page.keyboard.press("ArrowUp")
    expect(reorders.now).to_contain_text("B[114")
    reorders.cells("a").click(position=reorders.middle("a", 100))
    expect(reorders.now).to_contain_text("A[100] →")
    page.keyboard.press("ArrowRight")
    expect(reorders.now).to_contain_text("A[101] →")
    page.keyboard.press(" ")
    expect(reorders.play).to_have_attribute("aria-label", "Pause")
    page.locator("player-bar select").select_option("128")
    expect(reorders.step).to_have_value("167")
    expect(reorders.play).to_have_attribute("aria-label", "Play")
    expect(page).to_have_url(re.compile("step=167"))
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    slider.press("ArrowLeft")
    expect(reorders.step).to_have_value("166")
    slider.press("Home")
    expect(reorders.now).to_contain_text("A[0] → B[0]")
    # In a field, the keys write.
    page.locator("#a-dtype").fill("")
    page.locator("#a-dtype").press_sequentially("int8")
    expect(reorders.count("useful-read")).to_have_text("1 B")


def test_examples_fields_and_the_browser_s_history(reorders: Reorders) -> None:
    page = reorders.open().page
    first = page.locator("reorder-presets > p").first
    expect(first).to_have_text("Press Play and watch each element move from A to B.")
    expect(reorders.step).to_have_value("0")
    page.get_by_role("button", name="Rows with padding").click()
    expect(reorders.now).to_have_text(re.compile(r"A\[39 to 51\] → B\[48 to 60\]: a run of 13"))
    expect(page.locator("reorder-registers .none")).to_be_visible()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Rows with padding")
    page.locator("#swap").click()
    expect(heading).to_have_text("Your own reorder")
    expect(page.locator("#a-layout")).to_have_value("(16,1)")
    expect(reorders.now).to_contain_text("A[0 to 12] → B[0 to 12]")
    go_to(reorders, 5)
    page.locator("#a-shape").fill("9,13")
    expect(reorders.step).to_have_value("0")
    page.go_back()
    page.go_back()
    expect(page.locator("#a-layout")).to_have_value("(13,1)")
    page.locator("#b-layout").fill("(0,1)")
    expect(page.locator("reorder-line .error")).to_contain_text("share addresses")
    page.locator("#b-layout").fill("")
    expect(page.locator("reorder-line .error")).to_contain_text("Type the layout")
    page.locator("#b-layout").fill("(16,1)")
    expect(page.locator("reorder-line .error")).to_have_text("")


def test_10_to_the_12_steps_are_scrubbed_at_once(reorders: Reorders) -> None:
    query = "?shape=1000,1000,1000,1000&layout=NCHW&b-layout=NHWC&step=500000123456"
    page = reorders.open(query).page
    expect(page.locator("reorder-loops .loops li").first).to_contain_text("i = 500")
    expect(reorders.count("window")).to_contain_text("too long to count from its beginning")
    slider = page.get_by_role("slider", name="Step")
    slider.press("End")
    expect(reorders.now).to_contain_text("n=999 c=999 h=999 w=999")


def test_a_reader_who_wants_no_motion_gets_steps(new_page: NewPage) -> None:
    opened = new_page(reduced_motion="reduce")
    reorders = Reorders(opened).open(f"{BLOCKS}&step=3")
    reorders.page.evaluate(
        """() => {
            window.parts = [];
            document.addEventListener('step', ({detail}) => window.parts.push(detail.part));
        }"""
    )
    reorders.page.get_by_role("button", name="One step forward").click()
    reorders.play.click()
    expect(reorders.step).not_to_have_value("4")
    reorders.play.click()
    assert set(reorders.page.evaluate("window.parts")) == {1}


def test_a_phone_plays_by_touch_and_saves_a_step_as_a_picture(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark", has_touch=True)
    reorders = Reorders(page).open(f"{BLOCKS}&step=74")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(SMALL_TARGETS) == []
    assert axe(page) == []
    page.locator("player-bar .forward").tap()
    expect(reorders.step).to_have_value("75")
    page.get_by_role("button", name="Share").click()
    name, picture = saved(page.get_by_role("button", name="Both memories at this step"))
    assert name == "NCHW-NCHW4-step-75.png"
    wide, high = struct.unpack(">II", picture[16:24])
    cells = page.locator("reorder-memory canvas.cells")
    sizes = cells.evaluate_all("all => all.map(({ width, height }) => [width, height])")
    assert wide > max(width for width, _ in sizes)
    assert high > sum(height for _, height in sizes)
    expect(page.locator("#share .said")).to_have_text("Saved as NCHW-NCHW4-step-75.png.")
    page.keyboard.press("Escape")
    reorders.cells("b").tap(position=reorders.middle("b", 40))
    expect(reorders.now).to_contain_text("B[40]")


def test_on_a_phone_the_marks_stay_at_their_cells_and_off_the_words(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    reorders = Reorders(page).open(f"{BLOCKS}&step=68")
    marks: list[tuple[str, float, float]] = []
    left = 0.0
    for side, address in (("a", 17), ("b", 68)):
        at = reorders.middle(side, address)
        left = float(reorders.cells(side).get_attribute("data-cell_css") or 0) / 2 + 1.5
        marks.append((side, at["x"] - left, at["y"]))
    expect(reorders.now).to_contain_text("A[17] → B[68]")
    for side in ("", "a", "b"):
        if side:
            page.locator(f"reorder-memory[side={side}] summary").tap()
        for mark in marks:
            page.wait_for_function(DRAWN_OVER, arg=mark)
    # The arrow crosses the bar of B, and none of its words.
    bar, about = (page.locator(f"reorder-memory[side=b] {name}") for name in (".bar", ".about"))
    box = box_of(about)
    x = box_of(reorders.cells("b"))["x"] + marks[1][1] + 2 * left
    assert box["x"] < x < box["x"] + box["width"]
    before = [bar.screenshot(), about.screenshot()]
    page.locator("reorder-travel").evaluate("travel => (travel.style.visibility = 'hidden')")
    assert [bar.screenshot() == before[0], about.screenshot() == before[1]] == [False, True]


def test_a_small_phone_shows_both_memories_between_the_fields_and_the_player(
    new_page: NewPage,
) -> None:
    page = new_page(viewport={"width": 320, "height": 640}, has_touch=True)
    reorders = Reorders(page).open("?shape=2,20,7,7&layout=nchw&b-layout=nChw16c&step=1029")
    page.locator("reorder-memory[side=a]").evaluate(
        """memory => scrollBy(0, memory.getBoundingClientRect().top
            - document.querySelector('.strip').offsetHeight)"""
    )
    settle(page)
    strip, a, b, player = (
        box_of(part)
        for part in (
            page.locator(".strip"),
            page.locator("reorder-memory[side=a]"),
            reorders.cells("b"),
            page.locator("reorder-player"),
        )
    )
    assert strip["y"] + strip["height"] <= a["y"] + 1
    assert b["y"] + 0.8 * b["height"] < player["y"]


def test_on_a_phone_lines_of_many_elements_are_parted_into_rows(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    reorders = Reorders(page).open("?shape=2,6,4,5&layout=NCHW4&b-layout=NHWC&dtype=uint8")
    for side in ("a", "b"):
        cells = reorders.cells(side)
        expect(cells).to_have_attribute("data-columns", "16")
        assert float(cells.get_attribute("data-cell_css") or 0) > 16
        # The sign of the first line, of four rows, is drawn in their middle.
        settle(page)
        drawn = page.locator(f"reorder-memory[side={side}] .rail").evaluate(
            """(rail) => {
                const scale = rail.width / rail.clientWidth;
                const x = (rail.clientWidth - 9) * scale;
                const {data} = rail.getContext('2d').getImageData(x, 0, 1, rail.height);
                const bright = [...Array(rail.height).keys()].filter((y) => data[4 * y] < 128);
                return [bright[0], bright.findLast((y, at) => y - bright[0] < 20 * scale)]
                    .map((y) => y / scale);
            }"""
        )
        middle = (
            reorders.middle(side, 32)["y"] - float(cells.get_attribute("data-cell_css") or 0) / 2
        )
        assert abs(sum(drawn) / 2 - middle) < 2


def test_on_a_phone_play_shows_what_is_written_above_the_player(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    reorders = Reorders(page).open(BLOCKS)
    page.evaluate("scrollTo(0, 0)")
    player = box_of(page.locator("reorder-player"))
    assert box_of(reorders.cells("b"))["y"] < player["y"]
    reorders.play.tap()
    page.wait_for_function("scrollY > 0")
    expect(reorders.now).to_be_in_viewport(ratio=0.99)
    b = box_of(reorders.cells("b"))
    assert b["y"] + b["height"] <= player["y"]
    assert box_of(reorders.cells("a"))["y"] >= box_of(page.locator(".strip"))["height"]


def test_in_a_narrow_window_the_bars_of_both_memories_keep_their_buttons_and_counts(
    new_page: NewPage,
) -> None:
    page = new_page(viewport={"width": 1024, "height": 768})
    Reorders(page).open("?shape=1,64,56,56&layout=NCHW&b-layout=NCHW16c")
    for side in ("a", "b"):
        bar = page.locator(f"reorder-memory[side={side}] .bar")
        box = box_of(bar)
        for button in bar.locator(".zoom > :visible").all():
            at = box_of(button)
            assert at["x"] + at["width"] <= box["x"] + box["width"]
        whole = """about => about.scrollWidth <= about.clientWidth
            && about.scrollHeight <= about.clientHeight + 1"""
        assert bar.locator(".about").evaluate(whole)
