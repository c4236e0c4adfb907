"""The page of networks for everybody: axe, phones, touch."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.explorer import DESK, PHONE
from tests.browser.networks import Networks
from tests.browser.pages import SMALL_TARGETS, Axe, NewPage, box_of, lasting, settle


def fingers_of(page: Page) -> Callable[..., None]:
    """``touch("touchMove", (x, y), …)``: where each finger is."""
    session = lasting(page).context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    return touch


def test_axe_finds_nothing(page: Page, axe: Axe) -> None:
    """Advice and the options of rules are looked at light and on a desk."""
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(DESK)
    Networks(page).open("?preset=residual-block&show=plan&at=conv1")
    expect(page.locator("#way option").nth(1)).to_be_attached()
    assert axe(page) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    expect(page.get_by_text("the layout in which it is fast")).to_be_in_viewport()
    assert axe(page) == []


def test_on_a_phone_what_is_chosen_opens_a_sheet(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    Networks(page).open("?preset=inception-block")
    cut = """all => all.filter((select) => {
        const shown = select.offsetWidth;
        select.style.flex = 'none';
        return select.checkVisibility() && shown < select.offsetWidth;
    }).map(({ id }) => id)"""
    assert page.locator(".strip select").evaluate_all(cut) == []
    sheet = page.locator(".facts")
    page.locator("network-graph").evaluate("graph => graph.scrollIntoView()")
    for kind in ("node", "reorder", "input"):
        box = box_of(page.locator(f".box.{kind} .frame").first)
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(sheet).to_have_css("position", "sticky")
        page.get_by_role("button", name="The whole network").tap()
        expect(sheet).not_to_have_css("position", "sticky")


def test_on_a_phone_the_sheet_leaves_what_is_chosen_in_sight(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    networks = Networks(page)
    sheet, chosen = page.locator(".facts"), page.locator(".box.chosen")
    above = """() => {
        const [box, sheet] = ['.box.chosen', '.facts'].map((part) =>
            document.querySelector(part)?.getBoundingClientRect());
        return box && box.top > 0 && box.bottom < sheet.top && sheet.bottom <= innerHeight;
    }"""
    # The second is drawn far below the first screen of its drawing.
    for query in ("?preset=inception-block&at=conv2", "?preset=resnet-50&at=conv40"):
        networks.open(query)
        page.wait_for_function(above)
        expect(chosen).to_be_in_viewport(ratio=0.99)
    for node in (0, -1):
        networks.open("?preset=inception-block")
        page.locator("network-graph").evaluate("graph => graph.scrollIntoView()")
        box = box_of(page.locator(".box .frame").nth(node))
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_function(above)
    # Its name and its close stay where its text is scrolled.
    sheet.evaluate("sheet => sheet.scrollTo(0, 1000)")
    expect(sheet.locator("h2")).to_be_in_viewport(ratio=0.99)
    # Another node begins with its first sentence.
    page.locator(".box .frame").nth(1).evaluate("frame => frame.scrollIntoView()")
    box = box_of(page.locator(".box .frame").nth(1))
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("document.querySelector('.facts').scrollTop === 0")
    page.get_by_role("button", name="The whole network").tap()
    expect(chosen).to_have_count(0)


# The middle of the first name at an edge that no card lies over.
BESIDE = """() => [...document.querySelectorAll('.scene .label')]
    .map((label) => label.getBoundingClientRect())
    .map(({left, right, top, bottom}) => [(left + right) / 2, (top + bottom) / 2])
    .find(([x, y]) => document.elementFromPoint(x, y)?.closest('network-graph'))"""


def test_on_a_phone_a_tap_reaches_nothing_that_opens_below_it(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    Networks(page).open("?preset=inception-block")
    page.evaluate(
        """addEventListener('click', ({target}) => {
            document.body.dataset.pressed = target.closest('network-graph, .facts').localName;
        }, true)"""
    )
    box = box_of(page.locator(".box.reorder .frame").first)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    page.wait_for_function(
        "([x, y]) => document.elementFromPoint(x, y).closest('.facts')", arg=[x, y]
    )
    expect(page.locator("body")).to_have_attribute("data-pressed", "network-graph")


def test_on_a_phone_a_tap_beside_a_card_only_closes_it(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    Networks(page).open("?preset=inception-block")
    page.locator("network-plan .word").first.tap()
    card = page.locator(".explained:popover-open")
    expect(card).to_be_visible()
    x, y = page.evaluate(BESIDE)
    page.touchscreen.tap(x, y)
    expect(card).to_be_hidden()
    settle(page)
    expect(page).to_have_url(re.compile("/network"))
    page.touchscreen.tap(x, y)
    page.locator(".facts:has(.back) a[href^='/?shape=']").first.tap()
    expect(page).to_have_url(re.compile(r"/\?shape="))


def test_on_a_phone_an_edge_opens_the_facts_of_its_reorder(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    networks = Networks(page).open("?preset=conv-norm-relu&rules=onnxruntime-cpu")
    page.locator("network-graph").evaluate("graph => graph.scrollIntoView()")
    for name in (page.locator(".label.blocked").first, page.locator(".label.plain").first):
        box = box_of(name)
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(networks.facts.locator("h2")).to_have_text("Reorder x")
        expect(page.get_by_role("link", name="Watch the reorder of x")).to_be_in_viewport()
        page.get_by_role("button", name="The whole network").tap()


def test_on_a_phone_a_large_network_opens_at_its_beginning_and_fingers_move_it(
    new_page: NewPage,
) -> None:
    """All of the page is in one column, and large enough for a finger."""
    page = new_page(viewport=PHONE, has_touch=True)
    networks = Networks(page).open("?preset=resnet-50")
    window, scene = networks.window, page.locator(".scene")
    expect(window).to_have_attribute("data-scale", "0.800")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(SMALL_TARGETS) == []
    box, first, letters, small = (
        box_of(part)
        for part in (
            window,
            page.locator(".box.input").first,
            page.locator(".scene .label").first,
            page.locator("network-graph .map"),
        )
    )
    assert box["height"] > 300
    assert box["y"] <= first["y"] <= box["y"] + 40
    assert letters["height"] >= 11
    assert small["y"] >= box["y"] + box["height"]  # it covers no node
    page.get_by_role("button", name="Fit").tap()
    expect(window).not_to_have_attribute("data-scale", "0.800")
    before = str(window.get_attribute("data-scale"))
    assert float(before) < 0.4
    window.scroll_into_view_if_needed()
    box = box_of(window)
    x, y = box["x"] + box["width"] / 2, box["y"] + 160
    touch = fingers_of(page)
    touch("touchStart", (x - 20, y), (x + 20, y))
    for spread in (40, 60, 80):
        touch("touchMove", (x - spread, y), (x + spread, y))
    touch("touchEnd")
    expect(window).not_to_have_attribute("data-scale", before)
    placed = str(scene.get_attribute("transform"))
    touch("touchStart", (x, y))
    for step in (10, 30, 50):
        touch("touchMove", (x + step, y + step))
    touch("touchEnd")
    expect(scene).not_to_have_attribute("transform", placed)
    for _ in range(9):
        touch("touchStart", (x, y + 200))
        for step in (20, 120, 220, 320):
            touch("touchMove", (x, y + 200 - step))
        touch("touchEnd")
    # At its end it stays in the window.
    shown, around = box_of(scene), box_of(window)
    assert shown["y"] + shown["height"] > around["y"] + around["height"] - 40


def test_on_a_phone_a_finger_that_goes_up_scrolls_the_page(new_page: NewPage) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    touch = fingers_of(page)
    for preset in ("inception-block", "resnet-50"):
        networks = Networks(page).open(f"?preset={preset}")
        box = box_of(networks.window)
        placed = str(page.locator(".scene").get_attribute("transform"))
        before = page.evaluate("scrollY")
        x, y = box["x"] + 200, box["y"] + 250
        touch("touchStart", (x, y))
        for step in range(20, 220, 20):
            touch("touchMove", (x, y - step))
        touch("touchEnd")
        page.wait_for_function("before => scrollY > before + 100", arg=before)
        expect(page.locator(".scene")).to_have_attribute("transform", placed)
    hint = page.get_by_text("Two fingers zoom and drag the drawing.")
    expect(hint).to_be_visible()
    page.get_by_role("button", name="Fit").tap()
    expect(hint).to_be_hidden()


def test_on_a_phone_an_edge_opens_a_sheet_by_its_label_and_beside_its_line(
    new_page: NewPage,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    for name, aside in ((".scene .label", 0), ("a.line .way", -10)):
        Networks(page).open("?preset=residual-block")
        page.locator("network-graph").evaluate("graph => graph.scrollIntoView()")
        box = box_of(page.locator(name).first)
        middle = box["x"] + box["width"] / 2 + aside
        page.touchscreen.tap(middle, box["y"] + box["height"] / 2)
        page.locator(".facts:has(.back) a[href^='/?shape=']").first.tap()
        expect(page).to_have_url(re.compile(r"/\?shape="))
        page.go_back()
