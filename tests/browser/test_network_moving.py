"""The page /network: keys, wheel, search and map move the drawing and say where one is."""

import re
from random import Random

import pytest
from playwright.sync_api import expect

from tests.browser.networks import SMALL, Networks

pytestmark = pytest.mark.browser


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


def test_wheel_keys_buttons_and_drags_move_the_drawing(networks: Networks) -> None:
    networks.open("?preset=resnet-50")
    page, window = networks.page, networks.window
    fit = float(window.get_attribute("data-scale") or 0)
    window.hover()
    page.mouse.wheel(0, -400)
    expect(window).not_to_have_attribute("data-scale", f"{fit:.3f}")
    assert float(window.get_attribute("data-scale") or 0) > 2 * fit
    window.focus()
    page.keyboard.press("0")
    expect(window).to_have_attribute("data-scale", f"{fit:.3f}")
    page.keyboard.press("+")
    expect(window).not_to_have_attribute("data-scale", f"{fit:.3f}")
    page.get_by_role("button", name="Fit").click()
    expect(window).to_have_attribute("data-scale", f"{fit:.3f}")
    scene = page.locator(".scene")
    before = str(scene.get_attribute("transform"))
    box = window.bounding_box()
    assert box
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 90, steps=4)
    page.mouse.up()
    expect(scene).not_to_have_attribute("transform", before)


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


def test_a_map_shows_where_one_is_and_moves_the_drawing(networks: Networks) -> None:
    page = networks.open("?preset=resnet-50&fold=0").page
    small = page.locator("network-graph .map")
    # All of it would be too small to be read: it opens at its beginning.
    expect(small).to_be_visible()
    room, drawing, table = (
        part.bounding_box() for part in (small, networks.window, page.locator(".table > summary"))
    )
    assert room
    assert drawing
    assert table
    assert drawing["y"] + drawing["height"] <= room["y"]
    assert room["y"] + room["height"] <= table["y"]
    networks.window.focus()
    page.keyboard.press("0")
    expect(small).to_be_hidden()
    for _ in range(4):
        page.keyboard.press("+")
    expect(small).to_be_visible()
    here, scene = small.locator(".here"), page.locator(".scene")
    before, placed = str(here.get_attribute("d")), str(scene.get_attribute("transform"))
    small.click(position={"x": 5, "y": 5})
    expect(scene).not_to_have_attribute("transform", placed)
    expect(here).not_to_have_attribute("d", before)
    expect(here).to_have_attribute("d", re.compile(r"^M0\.0 0\.0h"))
    page.keyboard.press("0")
    expect(small).to_be_hidden()


def test_a_thousand_nodes_are_moved_as_one(networks: Networks) -> None:
    """A move of the drawing changes the drawing as a whole, none of its nodes."""
    random = Random(7)  # noqa: S311  # no secret
    nodes, made = [], ["x"]
    for k in range(1000):
        op, count = random.choice([("relu", 1), ("sigmoid", 1), ("add", 2)])
        inputs = random.choices(made[-6:], k=count)
        nodes.append({"op": op, "inputs": inputs, "outputs": [f"t{k}"]})
        made.append(f"t{k}")
    networks.open("?fold=0").paste({"inputs": SMALL["inputs"], "nodes": nodes})
    expect(networks.boxes("node")).to_have_count(1000)
    changes = networks.page.evaluate(
        """async () => {
            const area = document.querySelector('network-graph .window');
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            let seen = 0;
            const count = new MutationObserver((records) => void (seen += records.length));
            count.observe(document.body, {
                subtree: true, childList: true, attributes: true, characterData: true,
            });
            const changes = [];
            for (let step = 0; step < 12; step += 1) {
                const {left, top} = area.getBoundingClientRect();
                const at = {clientX: left + 300, clientY: top + 200};
                seen = 0;
                area.dispatchEvent(new WheelEvent('wheel', {deltaY: -60, ...at}));
                await frame();
                await frame();
                changes.push(seen);
            }
            return changes;
        }"""
    )
    # Where it lies, its scale, how much of the text is drawn, and the map.
    assert min(changes) >= 1
    assert max(changes) <= 6, changes
