"""The palette of the pages beside the explorer: the same one, with what they offer."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.web.pages import PAGES
from tests.browser.explorer import DESK, PHONE, listen
from tests.browser.pages import Axe, NewPage, box_of


def ask(page: Page, text: str) -> None:
    """Open the palette by its keys and type; what fits best is then the active option."""
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name=re.compile("^Search"))
    expect(field).to_be_focused()
    field.fill(text)


def take(page: Page, text: str) -> None:
    """Ask for a text and take what fits best."""
    ask(page, text)
    page.keyboard.press("Enter")


def test_on_reorders_it_finds_steps_layouts_and_examples(page: Page, axe: Axe) -> None:
    page.set_viewport_size(DESK)
    page.goto("/reorder?shape=1,6,4,6&layout=NCHW&b-layout=NCHW4&step=74")
    said = listen(page)
    now = page.locator("reorder-line .now")
    expect(now).to_contain_text("A[66] → B[74]")
    dialog = page.get_by_role("dialog")

    ask(page, "b: 5")
    expect(page.get_by_role("option").first).to_contain_text("It writes address 5 of B.")
    assert axe(page, "dialog") == []
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(now).to_contain_text("→ B[5]")
    ask(page, "999")
    expect(page.locator("#command-said")).to_contain_text("This memory has 144 addresses")
    page.keyboard.press("Escape")

    ask(page, "nhwc")
    expect(page.get_by_role("option").first).to_contain_text("NHWC")
    page.keyboard.press("Enter")
    expect(page.locator("#b-layout")).to_have_value("NHWC")
    expect(now).to_contain_text("→")
    take(page, "exchange")
    expect(page.locator("#a-layout")).to_have_value("NHWC")
    take(page, "into a swizzle")
    expect(page).to_have_url(re.compile("Swizzle"))
    step = page.get_by_role("textbox", name="Step / 127")
    expect(step).to_be_visible()
    take(page, "last step")
    expect(step).to_have_value("127")
    take(page, "explorer")
    expect(page.locator("stride-explorer #a-layout")).to_have_value("RowMajor")
    assert said == []


def test_on_networks_it_finds_networks_rules_and_the_plan(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, color_scheme="dark")
    page.goto("/network")
    said = listen(page)
    expect(page.locator("network-graph .window > svg .box").first).to_be_attached()
    page.get_by_role("button", name="Search and commands").click()
    expect(page.get_by_role("option").first).to_contain_text("Explorer")
    assert axe(page, "dialog") == []
    page.keyboard.press("Escape")
    take(page, "onednn")
    expect(page.locator("#rules")).to_have_value("onednn")
    ask(page, "u-net skip")
    expect(page.get_by_role("option").first).to_contain_text("network")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile("^U-Net skip, onednn"))
    take(page, "show the plan")
    expect(page).to_have_title(re.compile("planned"))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert said == []


@pytest.mark.parametrize("path", ["/", "/reorder", "/network", "/help"])
def test_every_page_has_its_links_in_one_line_a_theme_and_a_link_of_what_it_shows(
    page: Page, path: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size(DESK)
    page.goto(path)
    switch = page.get_by_role("button", name=re.compile("^Theme"))
    expect(switch).to_have_accessible_name("Theme: auto")
    title = box_of(page.locator(".brand"))
    links = [box_of(link) for link in page.locator("nav a").all()]
    middle = title["y"] + title["height"] / 2
    assert len(links) == len(PAGES)
    for box in links:
        assert box["height"] >= 24
        assert box["y"] < middle < box["y"] + box["height"]
    switch.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    switch.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    if path == "/help":
        return
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="Pages").click()
    expect(page.locator("nav a[aria-current=page]")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name=re.compile("^Link")).click()
    expect(page.locator("#share .said")).to_have_text("The link is copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url.replace("?", "?v=1&")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#share .said")).to_have_text("")


def test_tabs_the_theme_and_networks_are_found_by_their_words(page: Page) -> None:
    page.set_viewport_size(DESK)
    page.goto("/")
    for words, tab in (("memory_desc", "Code"), ("bank conflict", "Cost")):
        ask(page, words)
        found = page.get_by_role("option").filter(has=page.get_by_text(tab, exact=True))
        expect(found).to_have_count(1)
        found.click()
        expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    ask(page, "dark")
    page.get_by_role("option", name="Next theme").click()
    # The first press is seen, whatever the system has.
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    button = page.locator("theme-switch button")
    for theme in ("light", "auto"):
        button.click()
        expect(button).to_have_accessible_name(f"Theme: {theme}")
    page.emulate_media(color_scheme="dark")
    for theme in ("light", "dark", "auto"):
        button.click()
        expect(button).to_have_accessible_name(f"Theme: {theme}")
    page.goto("/docs")
    ask(page, "resnet")
    expect(page.get_by_role("option").first).to_contain_text("ResNet-50")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/network\?preset=resnet-50"))
