"""The picture in the HTML, before any script runs, and how the canvases take its place."""

import base64
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer
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
    (PHONE, "/"),
    (PHONE, "/?shape=3,4&layout=(5,1)&at=2,1"),
    (PHONE, "/?shape=1,6,4,5&layout=nhwc&at=0,2,1,2"),
    (PHONE, "/?shape=2,6,4,5&layout=NCHW4&at=0,3,1,2"),
    (PHONE, "/?shape=1,3,8,8&layout=NHWC&at=0,2,0,7"),
    (DESK, "/?shape=20,8,4,5&layout=NCHW4"),
    (DESK, "/?shape=60,80&layout=WH"),
    (DESK, "/?shape=2,3,7,5&layout=NHWC&steps=permute(0,2,3,1)[:,%20::2]"),
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
        drawn = [_drawn(data, at) for at in range(len(cells))]
        apart = np.abs(np.add(drawn, (left, top, 0)) - [cell[1:] for cell in cells])
        assert apart.max() <= 1, (name, np.argmax(apart.max(axis=1)))
    # 0.1 is called good. A slice widens a menu; steps say beside theirs what they give.
    most = 0.02 if "steps=" in link else 0.001 if "slice=" in link else 0
    assert [shift for shift in page.evaluate("window.shifts") if shift[0] > most] == []


LINES = """async ([shot, across, down]) => {
    const bytes = Uint8Array.from(atob(shot), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const whites = (...box) => {
        const {data} = context.getImageData(...box);
        return Array.from({length: data.length / 4}, (_, at) =>
            Math.min(...data.subarray(4 * at, 4 * at + 3)) > 245);
    };
    const {width, height} = bitmap;
    return [whites(0, Math.round(across), width, 1), whites(Math.round(down), 0, 1, height)];
}"""


@pytest.mark.parametrize(
    ("size", "link"), [(DESK, BLOCKED), (PHONE, "?shape=1,8,2,3&layout=NCHW4&at=0,2,1,2")]
)
def test_the_gaps_are_where_the_canvas_has_them(
    new_page: Any, size: ViewportSize, link: str
) -> None:
    page: Page = new_page(viewport=size)
    explorer = Explorer(page).open(link)
    explorer.settle()
    memory = page.locator(CANVAS["memory"])
    data, _, _ = memory.evaluate(PLACE)
    left, top, _ = _drawn(data, 1)
    high = float(data["cell_css"])
    at = [top + high - 5, left + 3]  # below the texts of a row, and before those of a column

    def gaps(locator: Locator) -> list[list[tuple[int, int]]]:
        """Where white begins and ends that is wider than the line between two cells."""
        shot = base64.b64encode(locator.screenshot()).decode()
        return [
            [
                found.span()
                for found in re.finditer("1{2,}", "".join("1" if white else "0" for white in line))
                if found.start() > 0 and found.end() < len(line)
            ]
            for line in page.evaluate(LINES, [shot, *at])
        ]

    drawn = gaps(memory)
    page.route("**/static/**/*.js", lambda route: route.abort())
    page.goto(f"/{link}")
    first = gaps(page.locator("#first-memory"))
    assert [len(line) for line in drawn] == [len(line) for line in first]
    assert len(drawn[0]) >= 2  # between the pixels of a row
    assert len(drawn[1]) >= 1  # below a block
    for line, other in zip(drawn, first, strict=True):
        for gap, same in zip(line, other, strict=True):
            assert gap == pytest.approx(same, abs=2)


def _drawn(data: dict[str, str], at: int) -> tuple[float, float, float]:
    """Left, top and width of a cell of a canvas, in its own pixels."""
    inset_left, inset_top = map(float, data["inset_css"].split(","))
    row, column = divmod(at, int(data["columns"]))
    wide, high = map(float, data["side_css"].split(","))
    column_before, row_before = float(data["left_cells"]), float(data["top_cells"])
    return inset_left + (column - column_before) * wide, inset_top + (row - row_before) * high, wide
