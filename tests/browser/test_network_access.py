"""The page of networks for everybody: axe, phones, touch."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, PHONE
from tests.browser.networks import Networks
from tests.browser.pages import lasting

pytestmark = pytest.mark.browser
NewPage = Callable[..., Page]
Axe = Callable[..., list[dict[str, Any]]]


def test_axe_finds_nothing(page: Page, axe: Axe) -> None:
    """Each pair of a view, a size and a scheme."""
    networks = Networks(page)
    for query in ("?preset=inception-block", "?preset=residual-block&show=plan&at=conv1"):
        plan = "plan" in query
        page.set_viewport_size(DESK)
        page.emulate_media(color_scheme="dark" if plan else "light")
        networks.open(query)
        if plan:
            expect(page.locator("#way option").nth(1)).to_be_attached()
        assert axe(page) == []
        page.set_viewport_size(PHONE)
        page.emulate_media(color_scheme="light" if plan else "dark")
        assert axe(page) == []


def test_a_phone_shows_all_of_it_in_one_column(new_page: NewPage) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    networks = Networks(page).open("?preset=resnet-50")
    width = networks.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    box = networks.window.bounding_box()
    assert box
    assert box["height"] > 300
    small = networks.page.evaluate(
        """() => [...document.querySelectorAll('button, a, select, input:not(.hidden-input)')]
            .filter((e) => e.checkVisibility() && !e.closest('svg, label, .skip, .word'))
            .filter((e) => !e.matches('.skip'))
            .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect().height])
            .filter(([, height]) => height < 24)"""
    )
    assert small == []
    page.goto("/network?preset=inception-block")
    expect(page.locator("#preset")).to_have_value("inception-block")
    cut = """() => [...document.querySelectorAll('.strip select')].filter((select) => {
        const shown = select.offsetWidth;
        select.style.flex = 'none';
        return select.checkVisibility() && shown < select.offsetWidth;
    }).map(({ id }) => id)"""
    assert page.evaluate(cut) == []


def test_on_a_phone_what_is_chosen_opens_a_sheet(new_page: NewPage) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    Networks(page).open("?preset=inception-block")
    sheet = page.locator(".facts")
    page.locator("network-graph").evaluate("graph => graph.scrollIntoView()")
    for kind in ("node", "reorder", "input"):
        box = page.locator(f".box.{kind} .frame").first.bounding_box()
        assert box
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(sheet).to_have_css("position", "fixed")
        page.get_by_role("button", name="The whole network").tap()
        expect(sheet).not_to_have_css("position", "fixed")


def test_two_fingers_zoom_and_one_moves(new_page: NewPage) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    networks = Networks(page).open("?preset=resnet-50")
    networks.window.scroll_into_view_if_needed()
    box = networks.window.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + 160
    before = str(networks.window.get_attribute("data-scale"))
    session = lasting(page).context.new_cdp_session(networks.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": px, "y": py, "id": at} for at, (px, py) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    touch("touchStart", (x - 20, y), (x + 20, y))
    for spread in (40, 60, 80):
        touch("touchMove", (x - spread, y), (x + spread, y))
    touch("touchEnd")
    expect(networks.window).not_to_have_attribute("data-scale", before)
    scene = networks.page.locator(".scene")
    placed = str(scene.get_attribute("transform"))
    touch("touchStart", (x, y))
    for step in (10, 30, 50):
        touch("touchMove", (x + step, y + step))
    touch("touchEnd")
    expect(scene).not_to_have_attribute("transform", placed)


def test_on_a_phone_a_large_network_opens_at_its_beginning(new_page: NewPage) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    networks = Networks(page).open("?preset=resnet-50")
    expect(networks.window).to_have_attribute("data-scale", "0.800")
    window, first = (
        part.bounding_box() for part in (networks.window, page.locator(".box.input").first)
    )
    assert window
    assert first
    assert window["y"] <= first["y"] <= window["y"] + 40
    letters = page.locator(".scene .label").first.bounding_box()
    assert letters
    assert letters["height"] >= 11
    small = page.locator("network-graph .map").bounding_box()
    assert small
    assert small["y"] >= window["y"] + window["height"]  # it covers no node
    page.get_by_role("button", name="Fit").tap()
    expect(networks.window).not_to_have_attribute("data-scale", "0.800")
    assert float(str(networks.window.get_attribute("data-scale"))) < 0.4


def test_a_node_has_the_advice_on_its_reorders_and_is_found_by_its_layout(
    new_page: NewPage,
) -> None:
    page = new_page()
    Networks(page).open("?preset=inception-block&rules=pytorch-eager")
    page.keyboard.press("Control+k")
    page.keyboard.type("conv 3 layout")
    expect(page.get_by_role("option").first).to_contain_text("conv3")
    page.keyboard.press("Enter")
    advice = page.locator("network-node .advice li")
    expect(advice).to_have_count(1)
    expect(advice).to_contain_text("Hand conv3.weight over in channels_last.")
    page.get_by_role("button", name="The whole network").click()
    expect(advice).to_have_count(2)
    # What no change helps is said once.
    said = advice.first.inner_text()
    assert said.count("1.2 MB") == 1
