"""The picture in the HTML, before any script runs, and how the canvases take its place."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.explorer import DESK, PHONE, Explorer
from tests.browser.pages import hear

WATCH = """
    window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(
        ({value, sources}) => [value, ...sources.map(({node, previousRect: a, currentRect: b}) =>
            `${node?.nodeName} ${node?.className} ${a.x},${a.y} to ${b.x},${b.y}`)]
    ))).observe({type: 'layout-shift', buffered: true});
"""
CELLS = """(name) => {
    const shown = document.querySelector(`#first-${name}`);
    const drawn = [...shown.querySelectorAll('.cells')].find((one) => one.clientWidth > 0);
    if (drawn.matches('.pixels')) {
        const {x, y, width, height} = drawn.getBoundingClientRect();
        const of = (part) => Number(getComputedStyle(drawn).getPropertyValue(`--${part}`));
        const [wide, high] = [width / of('columns'), height / of('rows')];
        return Array.from({length: of('columns') * of('rows')}, (_, at) => [
            '', x + (at % of('columns')) * wide, y + Math.floor(at / of('columns')) * high, wide]);
    }
    return [...drawn.children].map((cell) => {
        const {x, y, width} = cell.getBoundingClientRect();
        return [cell.textContent, x, y, width + 1];
    });
}"""
PLACE = "(c) => [{...c.dataset}, c.getBoundingClientRect().x, c.getBoundingClientRect().y]"
CANVAS = {"logical": "logical-view canvas", "memory": "memory-view[side=a] canvas"}
SEEN = [
    (DESK, "/"),
    (DESK, "/?shape=2,3,7,5&layout=NHWC&at=1,2,6,0"),
    (PHONE, "/"),
    (PHONE, "/?shape=3,4&layout=(5,1)&at=2,1"),
    (DESK, "/?shape=2,64,3,3&layout=NCHW4"),
    (DESK, "/?shape=2,6,24,40&layout=NHWC"),
    (DESK, "/?shape=150,200&layout=WH"),
    (DESK, "/?shape=2,3,7,5&layout=NHWC&steps=permute(0,2,3,1)[:,%20::2]"),
    (DESK, "/?shape=2,3,7,5&layout=NHWC&slice=0,%20:,%20::2"),
    (PHONE, "/?shape=2,3,7,5&layout=NHWC&slice=0,%20:,%20::2&at=0,0,0,0"),
]


@pytest.mark.parametrize(("size", "link"), SEEN)
def test_the_scripts_take_the_picture_over_in_its_place(
    new_page: Any, size: ViewportSize, link: str
) -> None:
    page: Page = new_page(viewport=size, script=WATCH)
    page.route("**/static/**/*.js", lambda route: route.abort())
    page.goto(link)
    served = {name: page.evaluate(CELLS, name) for name in CANVAS}
    page.unroute("**/static/**/*.js")
    asked: list[str] = []
    hear(page, "request", lambda request: asked.append(request.url))
    explorer = Explorer(page).open(link.removeprefix("/"))
    expect(page.locator(".first")).to_have_count(0)
    explorer.settle()
    assert not any("/describe" in url for url in asked)
    for name, cells in served.items():
        assert len(cells) > 10
        data, left, top = page.locator(CANVAS[name]).evaluate(PLACE)
        for at, (_, x, y, side) in enumerate(cells):
            drawn = _drawn(data, at)
            assert (left + drawn[0], top + drawn[1], drawn[2]) == pytest.approx(
                (x, y, side), abs=1
            ), (name, at)
    # 0.1 is called good. A slice widens a menu; steps say beside theirs what they give.
    most = 0.02 if "steps=" in link else 0.001 if "slice=" in link else 0
    assert [shift for shift in page.evaluate("window.shifts") if shift[0] > most] == []


def _drawn(data: dict[str, str], at: int) -> tuple[float, float, float]:
    """Left, top and width of a cell of a canvas, in its own pixels."""
    inset_left, inset_top = map(float, data["inset_css"].split(","))
    row, column = divmod(at, int(data["columns"]))
    wide, high = map(float, data["side_css"].split(","))
    return inset_left + column * wide, inset_top + row * high, wide


@pytest.mark.parametrize("link", ["/?shape=2,3&layout=XYZ", "/?shape=4000,4000&layout=HW"])
def test_a_wrong_or_large_link_has_no_picture(page: Page, link: str) -> None:
    page.goto(link)
    expect(page.locator(".first")).to_have_count(0)
    if "XYZ" in link:
        expect(page.locator("#a-layout-error")).to_have_text(re.compile("character 1"))
