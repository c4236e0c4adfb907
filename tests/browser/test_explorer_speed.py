"""The work of the page depends on what is on screen, not on the size of the tensor.

Small and huge are measured in turns on the same page, and the least of each counts: what slows the
machine slows both. ``benchmarks/frame`` prints how long each takes.
"""

from collections.abc import Callable, Iterable

from playwright.sync_api import Page

from benchmarks.frame.clock import Clock
from tests.browser.explorer import Explorer

SMALL = "30,30,30,30"
HUGE = "1000,1000,1000,1000"
ROUNDS = 2
# A million times as many elements: work that grows with them, or with their root, is far above.
TIMES = 4
SPARE_MS = 40


def assert_costs_alike(works_ms: Callable[[str], dict[str, float]]) -> None:
    """Assert that the works of a huge shape, by name, cost about what those of a small one do."""
    rounds = [(works_ms(SMALL), works_ms(HUGE)) for _ in range(ROUNDS)]
    for name in rounds[0][0]:
        small_ms = min(small[name] for small, _ in rounds)
        huge_ms = min(huge[name] for _, huge in rounds)
        assert 0 < huge_ms < TIMES * small_ms + SPARE_MS, (name, rounds)


def change_layout(explorer: Explorer, layout: str) -> None:
    explorer.field("layout").fill(layout)
    explorer.page.wait_for_function(
        "t => document.querySelector('memory-view .about').textContent.startsWith(`${t} `)",
        arg=layout,
    )
    explorer.settle()


def press(explorer: Explorer, keys: Iterable[str]) -> None:
    for key in keys:
        explorer.page.keyboard.press(key)
        explorer.settle()


def test_opening_a_layout_and_zooming_cost_the_same_at_any_size(page: Page) -> None:
    explorer = Explorer(page)
    clock = Clock(page)

    def works_ms(shape: str) -> dict[str, float]:
        page.goto("about:blank")
        query = f"?shape={shape}&layout=WHCN&at=0,1,2,3"
        works: dict[str, Callable[[], object]] = {
            "opening": lambda: explorer.open(query).settle(),
            "NCHW": lambda: change_layout(explorer, "NCHW"),
            "NCHW4": lambda: change_layout(explorer, "NCHW4"),
            "zooming": lambda: press(explorer, ["-"] * 4 + ["+"] * 8),
        }
        spent: dict[str, float] = {}
        for name, work in works.items():
            if name == "zooming":
                explorer.canvas("a").focus()
            spent[name] = clock.spent_ms(work)
        return spent

    assert_costs_alike(works_ms)
