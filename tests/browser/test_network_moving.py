"""The page /network: keys, wheel, search and map move the drawing and say where one is."""

import re

from playwright.sync_api import expect

from tests.browser.networks import Networks
from tests.browser.pages import box_of


def test_keys_follow_the_edges_and_layers_and_say_where_one_is(networks: Networks) -> None:
    networks.open().paste()
    networks.window.focus()
    page = networks.page
    page.keyboard.press("ArrowDown")
    expect(networks.said).to_have_text("Input x, 1×8×6×6, NHWC.")
    page.keyboard.press("ArrowDown")
    expect(networks.said).to_contain_text("conv2d a, 1×16×6×6, NHWC")
    page.keyboard.press("ArrowDown")
    expect(networks.said).to_contain_text("Reorder of a, NHWC → NCHW")
    page.keyboard.press("ArrowDown")
    expect(networks.said).to_contain_text("It loses channels_last")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(networks.said).to_contain_text("conv2d a")
    expect(networks.boxes("chosen")).to_have_attribute("data-name", "a")
    page.keyboard.press("End")
    expect(networks.said).to_contain_text("conv2d c")
    expect(networks.facts.locator("h2")).to_have_text("conv2d c")
    page.locator("#preset").select_option("inception-block")
    expect(networks.boxes("node")).to_have_count(11)
    networks.rest().choose("max_pool1")
    networks.window.focus()
    page.keyboard.press("ArrowRight")
    expect(networks.boxes("chosen")).not_to_have_attribute("data-name", "max_pool1")
    page.keyboard.press("ArrowLeft")
    expect(networks.boxes("chosen")).to_have_attribute("data-name", "max_pool1")


def test_wheel_keys_buttons_drags_and_the_map_move_the_drawing(networks: Networks) -> None:
    page = networks.open("?preset=resnet-50&fold=0").page
    window, small = networks.window, page.locator("network-graph .map")
    # All of it would be too small to be read: it opens at its beginning.
    expect(small).to_be_visible()
    below, drawing, table = (
        box_of(part) for part in (small, window, page.locator(".table > summary"))
    )
    assert drawing["y"] + drawing["height"] <= below["y"]
    assert below["y"] + below["height"] <= table["y"]
    window.focus()
    page.keyboard.press("0")
    expect(small).to_be_hidden()
    fit = str(window.get_attribute("data-scale"))
    window.hover()
    page.mouse.wheel(0, -400)
    expect(window).not_to_have_attribute("data-scale", fit)
    assert float(window.get_attribute("data-scale") or 0) > 2 * float(fit)
    page.get_by_role("button", name="Fit").click()
    expect(window).to_have_attribute("data-scale", fit)
    scene = page.locator(".scene")
    placed = str(scene.get_attribute("transform"))
    page.mouse.move(drawing["x"] + 20, drawing["y"] + 20)
    page.mouse.down()
    page.mouse.move(drawing["x"] + 80, drawing["y"] + 90, steps=4)
    page.mouse.up()
    expect(scene).not_to_have_attribute("transform", placed)
    window.focus()
    page.keyboard.press("0")
    for _ in range(4):
        page.keyboard.press("+")
    expect(small).to_be_visible()
    here = small.locator(".here")
    before, placed = str(here.get_attribute("d")), str(scene.get_attribute("transform"))
    small.click(position={"x": 5, "y": 5})
    expect(scene).not_to_have_attribute("transform", placed)
    expect(here).not_to_have_attribute("d", before)
    expect(here).to_have_attribute("d", re.compile(r"^M0\.0 0\.0h"))
    page.keyboard.press("0")
    expect(small).to_be_hidden()


def test_a_search_frames_nodes_and_goes_from_one_to_the_next(networks: Networks) -> None:
    page = networks.open("?preset=densenet-121").page
    assert networks.boxes().count() < 40, "readable at fit"
    networks.window.focus()
    page.keyboard.press("/")
    page.keyboard.type("max_pool")
    hits = page.locator("network-find .hits")
    expect(hits).to_have_text("1 found")
    expect(networks.boxes("found")).to_have_attribute("data-name", "max_pool1")
    page.keyboard.press("Enter")
    expect(networks.boxes("chosen")).to_have_attribute("data-name", "max_pool1")
    field = page.get_by_label("Find a node by name or operator")
    field.fill("cat")
    for key, said in (("Enter", "1 of 58"), ("Enter", "2 of 58"), ("Shift+Enter", "1 of 58")):
        page.keyboard.press(key)
        expect(hits).to_contain_text(said)
    expect(networks.boxes("found")).to_have_count(4)  # each inside a folded block
    expect(networks.boxes("chosen")).to_have_class(re.compile("fold"))
    page.keyboard.press("Escape")
    expect(networks.boxes("found")).to_have_count(0)
    expect(networks.window).to_be_focused()
