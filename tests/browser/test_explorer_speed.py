"""The work of the page depends on what is on screen, not on the size of the tensor."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.explorer import Explorer

pytestmark = pytest.mark.browser

SMALL = "30,30,30,30"
HUGE = "1000,1000,1000,1000"
MOST_WORK_MS = 100
ROUNDS = 3
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


class Clock:
    """Processor time of the page's main thread for scripts, style and layout.

    Processor time, because a shared machine's pauses are nobody's work.
    """

    def __init__(self, page: Page) -> None:
        self._cdp = page.context.new_cdp_session(page)
        self._cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now_ms(self) -> float:
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return 1000 * sum(float(each["value"]) for each in metrics if each["name"] in WORK)


def change_layout(explorer: Explorer, layout: str) -> None:
    explorer.field("layout").fill(layout)
    explorer.page.wait_for_function(
        "t => document.querySelector('memory-view .about').textContent.startsWith(`${t} `)",
        arg=layout,
    )
    explorer.settle()


@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "NCHW4"])
def test_a_change_of_layout_costs_the_same_at_any_size(page: Page, layout: str) -> None:
    explorer = Explorer(page)
    clock = Clock(page)
    spent: dict[str, float] = {}
    for shape in (SMALL, HUGE):
        explorer.open(f"?shape={shape}&layout=WHCN&at=0,1,2,3")
        explorer.settle()
        rounds = []
        for _ in range(ROUNDS):
            before = clock.now_ms()
            change_layout(explorer, layout)
            rounds.append(clock.now_ms() - before)
            change_layout(explorer, "WHCN")
        spent[shape] = min(rounds)
    assert spent[HUGE] < MOST_WORK_MS, spent
    assert spent[HUGE] < 3 * spent[SMALL] + 10, spent


def test_a_huge_tensor_opens_as_fast_as_a_small_one(page: Page) -> None:
    explorer = Explorer(page)
    clock = Clock(page)
    opened: dict[str, float] = {}
    for shape in (SMALL, HUGE):
        rounds = []
        for _ in range(ROUNDS):
            page.goto("about:blank")
            before = clock.now_ms()
            explorer.open(f"?shape={shape}&layout=NCHW4&at=0,1,2,3")
            explorer.settle()
            rounds.append(clock.now_ms() - before)
        opened[shape] = min(rounds)
    assert opened[HUGE] < MOST_WORK_MS, opened
    assert opened[HUGE] < 2 * opened[SMALL] + 10, opened


def test_zooming_a_huge_tensor_stays_within_a_few_frames(page: Page) -> None:
    explorer = Explorer(page).open(f"?shape={HUGE}&layout=NCHW4")
    clock = Clock(page)
    explorer.canvas("a").focus()
    steps = ["-"] * 4 + ["+"] * 8
    before = clock.now_ms()
    for key in steps:
        page.keyboard.press(key)
        explorer.settle()
    assert (clock.now_ms() - before) / len(steps) < 30


def test_a_step_of_a_walk_costs_the_same_at_any_size(page: Page) -> None:
    explorer = Explorer(page)
    clock = Clock(page)
    spent: dict[str, float] = {}
    for shape in (SMALL, HUGE):
        explorer.open(f"?shape={shape}&layout=NCHW&walk=WHCN&t=5000")
        explorer.canvas("a").focus()
        explorer.settle()
        rounds = []
        for _ in range(8):
            before = clock.now_ms()
            page.keyboard.press(".")
            explorer.settle()
            rounds.append(clock.now_ms() - before)
        spent[shape] = min(rounds)
    assert spent[HUGE] < MOST_WORK_MS, spent
    assert spent[HUGE] < 3 * spent[SMALL] + 10, spent
