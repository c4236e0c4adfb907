"""The explorer as a test touches it: fields, grids by coordinates, the line of the sum."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Locator, Page, Route, ViewportSize, expect

from tests.browser.pages import Pages, box_of, hear, settle

DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
# Colours follow the scheme and places the width: each of both once.
COLOURED: tuple[tuple[ViewportSize, Literal["light", "dark"]], ...] = (
    (DESK, "light"),
    (PHONE, "dark"),
)
CLIPBOARD = ["clipboard-read", "clipboard-write"]
# The second example: blocks and padding.
BLOCKED = "?shape=1,6,4,5&layout=NCHW4&at=0,2,1,2"
Grid = Literal["logical", "slice", "a", "b"]
CANVAS = {
    "logical": "logical-view canvas",
    "slice": "slice-grid canvas",
    "a": "memory-view[side=a] canvas",
    "b": "memory-view[side=b] canvas",
}
# Take a link as an entry of the history, and wait until each question has its answer drawn.
SHOW = """async query => {
    if (!window.questions) {
        const ask = window.fetch;
        window.questions = new Set();
        window.fetch = (...given) => {
            const question = ask(...given).then(async (answer) => {
                await answer.clone().arrayBuffer();
                return answer;
            });
            window.questions.add(question);
            const done = () => window.questions.delete(question);
            question.then(done, done);
            return question;
        };
    }
    history.pushState(null, '', `/${query}`);
    dispatchEvent(new PopStateEvent('popstate'));
    const frame = () => new Promise(requestAnimationFrame);
    do {
        await Promise.allSettled([...window.questions]);
        await frame();
        await frame();
    } while (window.questions.size > 0);
}"""
# What a canvas has drawn, a word for each pixel.
PIXELS = """canvas => new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)"""


@dataclass(frozen=True, slots=True)
class Explorer:
    """One page with the explorer on it."""

    page: Page

    def open(self, query: str = "") -> Explorer:
        """Load the page and wait until the first answer is drawn.

        The tensor is drawn after the memory, and can't be focused until then.
        """
        self.page.goto(f"/{query}")
        self.expect_drawn("a")
        self.show_tensor()
        self.expect_drawn("logical")
        return self

    def show(self, query: str) -> Explorer:
        """Show another link in the same page, as the browser's Back does: cheaper than ``open``."""
        self.page.mouse.move(-1, -1)
        self.page.evaluate(SHOW, query)
        if "b-layout" in query:
            self.show_tensor()
            self.settle()
        return self

    def expect_drawn(self, grid: Grid) -> None:
        expect(self.canvas(grid)).to_have_attribute("data-cell_css", re.compile(r"\d"))

    def show_tensor(self) -> None:
        """Beside two memories the tensor is one press away, once there is an answer for B."""
        if self.field("layout", "b").input_value():
            self.expect_drawn("b")
            hidden = self.page.get_by_role("button", name="Show the tensor")
            if hidden.count() > 0:
                hidden.click()

    def canvas(self, grid: Grid) -> Locator:
        return self.page.locator(CANVAS[grid])

    def field(self, name: str, side: str = "a") -> Locator:
        return self.page.locator(f"#{side}-{name}")

    def error(self, name: str, side: str = "a") -> Locator:
        return self.page.locator(f"#{side}-{name}-error")

    def about(self, grid: Grid) -> Locator:
        return self.canvas(grid).locator("xpath=..").locator(".about")

    @property
    def sum(self) -> Locator:
        return self.page.locator("address-sum .sum").first

    def expect_lit(self, coords: str, address: int) -> None:
        """The sum shows these coordinates and this address in A."""
        expect(self.sum).to_have_attribute("data-coords", coords)
        expect(self.sum).to_have_attribute("data-address", str(address))

    def settle(self) -> None:
        """Wait until two display frames have passed."""
        settle(self.page)

    def rest(self, longest_ms: int = 300) -> None:
        """Wait until each timer of the page that is set by now, and is no longer, has run.

        A page runs its timers in their order, however late: ours is the last of them.
        """
        self.settle()
        self.page.evaluate("ms => new Promise((done) => setTimeout(done, ms))", longest_ms)

    def copy_with(self, button: Locator) -> str:
        """Press a button of copied texts; what the clipboard has once the button has said so.

        It says so for a moment, so it is watched from before the press on.
        """
        said = button.element_handle()
        said.evaluate(
            """(button) => new MutationObserver(() => {
                button.said ||= button.textContent;
            }).observe(button, {subtree: true, childList: true, characterData: true})"""
        )
        button.click()
        self.page.wait_for_function("(button) => button.said", arg=said)
        assert said.evaluate("(button) => button.said") == "Copied"
        copied: str = self.page.evaluate("navigator.clipboard.readText()")
        return copied

    def paste(self, text: str) -> None:
        """Paste a text into the field of the layout."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.field("layout").focus()
        self.page.keyboard.press("Control+v")

    def press(self, locator: Locator) -> None:
        """Press what lies in folded parts, after unfolding them."""
        locator.evaluate(
            """(one) => {
                for (let fold = one.closest('details'); fold;
                    fold = fold.parentElement.closest('details')) fold.open = true;
            }"""
        )
        locator.click()

    def example(self, name: str) -> Locator:
        """The button of a worked example."""
        return self.page.locator("preset-list").get_by_role(
            "button", name=name, exact=True, include_hidden=True
        )

    def fit(self, grid: Grid) -> None:
        """Bring the whole grid into view."""
        self.canvas(grid).focus()
        self.page.keyboard.press("0")
        self.settle()

    def middle(self, grid: Grid, column: float, row: float) -> tuple[float, float]:
        """The middle of a cell of a grid, in CSS pixels of its canvas."""
        return _middle(self._drawn(grid), column, row)

    def memory_cell(self, grid: Grid, address: int) -> tuple[float, float]:
        """The middle of an address, in CSS pixels of the memory canvas."""
        return self.memory_cells(grid, [address])[0]

    def memory_cells(self, grid: Grid, addresses: Iterable[int]) -> list[tuple[float, float]]:
        """The same for many, asked at once."""
        data = self._drawn(grid)
        columns = int(data["columns"])
        return [_middle(data, each % columns, each // columns) for each in addresses]

    def _drawn(self, grid: Grid) -> dict[str, str]:
        """What a grid says of its drawing, once it is drawn."""
        expect(self.canvas(grid)).to_have_attribute("data-inset_css", re.compile("."))
        data: dict[str, str] = self.canvas(grid).evaluate("c => ({...c.dataset})")
        return data

    def number(self, grid: Grid, name: str) -> float:
        """One number that a grid says of its drawing."""
        return float(self.canvas(grid).get_attribute(f"data-{name}") or 0)

    def hover(self, grid: Grid, at: tuple[float, float]) -> None:
        self.canvas(grid).hover(position={"x": at[0], "y": at[1]})
        self.settle()

    def click(self, grid: Grid, at: tuple[float, float]) -> None:
        self.canvas(grid).click(position={"x": at[0], "y": at[1]})
        self.settle()

    def pixel(self, grid: Grid, at: tuple[float, float]) -> tuple[int, int, int]:
        """The drawn colour at a point, in CSS pixels of the canvas."""
        return self.pixels(grid, [at])[0]

    def pixels(
        self, grid: Grid, points: Iterable[tuple[float, float]]
    ) -> list[tuple[int, int, int]]:
        """The same for many, asked at once."""
        found = self.canvas(grid).evaluate(
            """(canvas, points) => {
                const ratio = canvas.width / canvas.clientWidth;
                const context = canvas.getContext('2d');
                return points.map(([x, y]) => [
                    ...context.getImageData(x * ratio, y * ratio, 1, 1).data
                ]);
            }""",
            [list(point) for point in points],
        )
        return [(red, green, blue) for red, green, blue, _ in found]

    def keep(self, grid: Grid) -> None:
        """Remember the drawn pixels of a grid, for ``changed``."""
        self.canvas(grid).evaluate(f"canvas => {{ canvas.kept = ({PIXELS})(canvas); }}")

    def changed(self, grid: Grid) -> tuple[float, float, float, float] | None:
        """Bounds of what differs from ``keep``, in CSS pixels: left, top, right, bottom."""
        box = self.canvas(grid).evaluate(
            """canvas => {
                const {width, kept} = canvas, ratio = width / canvas.clientWidth;
                let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
                PIXELS(canvas).forEach((word, at) => {
                    if (word === kept[at]) return;
                    const x = (at % width) / ratio, y = Math.floor(at / width) / ratio;
                    if (x < left) left = x;
                    if (x > right) right = x;
                    if (y < top) top = y;
                    if (y > bottom) bottom = y;
                });
                return right < 0 ? null : [left, top, right, bottom];
            }""".replace("PIXELS", f"({PIXELS})")
        )
        return None if box is None else (box[0], box[1], box[2], box[3])

    def expect_changed(self, grid: Grid) -> None:
        """What a grid draws comes to differ from ``keep``."""
        self.page.wait_for_function(
            f"canvas => ({PIXELS})(canvas).some((word, at) => word !== canvas.kept[at])",
            arg=self.canvas(grid).element_handle(),
        )

    def expect_only_changed_at(self, grid: Grid, at: tuple[float, float]) -> None:
        """What differs from ``keep`` is one cell: the one around this point."""
        box = self.changed(grid)
        assert box is not None, f"nothing changed in {grid}"
        sides_css = self._drawn(grid)["side_css"].split(",")
        across_css, down_css = (float(side) / 2 + 6 for side in sides_css)
        assert abs(box[0] - at[0]) <= across_css
        assert abs(box[2] - at[0]) <= across_css
        assert abs(box[1] - at[1]) <= down_css
        assert abs(box[3] - at[1]) <= down_css


def grouped(text: str) -> str:
    """Every integer of a text with narrow spaces between its thousands, as the page writes it."""
    return re.sub(r"(?<![\d.])\d{4,}", lambda m: f"{int(m[0]):,}".replace(",", "\u202f"), text)


def forget(page: Page) -> None:
    """Let the page come without the answers to its link, so that it asks for them."""

    def without(route: Route) -> None:
        answer = route.fetch()
        known = re.compile(r'(id="known"[^>]*>).*?(?=</script>)', re.DOTALL)
        route.fulfill(response=answer, body=known.sub(r"\g<1>[]", answer.text()))

    page.route(re.compile(r"/(\?.*)?$"), without)


def _middle(data: dict[str, str], column: float, row: float) -> tuple[float, float]:
    left_css, top_css = (float(part) for part in data["inset_css"].split(","))
    column_css, row_css = (float(part) for part in data["side_css"].split(","))
    return (
        left_css + (column + 0.5 - float(data["left_cells"])) * column_css,
        top_css + (row + 0.5 - float(data["top_cells"])) * row_css,
    )


def hold(page: Page, url: str | re.Pattern[str]) -> list[Route]:
    """The requests to an address from now on, as they come: each waits until it is continued."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(url, keep)
    return held


@contextmanager
def one_page(pages: Pages, query: str = "") -> Iterator[Explorer]:
    """An explorer for a whole file of tests: a script's error fails the last of them.

    Raised where it is heard, it would end the connection to the browser.
    """
    page = pages.open(viewport=DESK, permissions=CLIPBOARD)
    said: list[str] = []
    hear(page, "pageerror", lambda error: said.append(str(error)))
    yield Explorer(page).open(query)
    pages.close(page, again=False)
    assert said == []


def no_message(page: Page) -> Iterator[None]:
    """A fixture's work: a message in the console fails the test."""
    said = listen(page)
    yield
    assert said == []


def listen(page: Page) -> list[str]:
    """The messages that the page writes to the console from now on, as they come."""
    said: list[str] = []
    # The browser itself tells of refused requests, and of the tests' reading of pixels.
    own = ("status of 422", "getImageData")
    hear(
        page,
        "console",
        lambda message: (
            None if any(part in message.text for part in own) else said.append(message.text)
        ),
    )
    hear(page, "pageerror", lambda error: said.append(str(error)))
    return said


def is_in_view(explorer: Explorer, grid: Grid, address: int) -> bool:
    """Whether the window of a memory shows the cell of an address."""
    x_css, y_css = explorer.memory_cell(grid, address)
    box = box_of(explorer.canvas(grid))
    return 0 < x_css < box["width"] and 0 < y_css < box["height"]
