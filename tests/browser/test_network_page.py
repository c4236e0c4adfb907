"""The page of networks: drawing, presets, rules, plan, table, keys, links."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import onnx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.explorer import listen
from tests.browser.networks import SMALL, Networks

pytestmark = pytest.mark.browser
Axe = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def networks(page: Page) -> Iterator[Networks]:
    page.set_viewport_size({"width": 1440, "height": 900})
    said = listen(page)
    yield Networks(page)
    assert said == []


def test_the_pages_lead_to_each_other(networks: Networks) -> None:
    page = networks.page
    page.goto("/")
    page.get_by_role("link", name="Networks").click()
    networks.rest()
    page.get_by_role("link", name="Explorer").click()
    expect(page.locator("stride-explorer")).to_be_attached()


def test_a_preset_is_drawn_with_its_layouts_and_reorders(networks: Networks) -> None:
    networks.open("?preset=inception-block")
    expect(networks.boxes("node")).to_have_count(11)
    expect(networks.boxes("input")).to_have_count(1)
    count = int((networks.result.inner_text()).split()[0])
    expect(networks.boxes("reorder")).to_have_count(count)
    expect(networks.boxes("reorder").first.locator(".detail")).to_have_text(re.compile(r"\d kB$"))
    legend = networks.page.locator(".legend")
    expect(legend).to_contain_text("channels last (NHWC)")
    expect(legend).to_contain_text("other strides")
    expect(networks.page.locator(".scene text.label.last").first).to_have_text("NHWC")


def test_line_patterns_tell_layouts_apart_without_colour(networks: Networks) -> None:
    networks.open("?preset=inception-block&rules=onnxruntime-cpu")
    patterns = networks.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.legend .line')].map((line) => {
            const {strokeDasharray, strokeWidth} = getComputedStyle(line.querySelector('.way'));
            return [line.getAttribute('class'), `${strokeDasharray} ${strokeWidth}`];
        }))"""
    )
    assert len(patterns) >= 3
    assert len(set(patterns.values())) == len(patterns)


def test_a_loss_is_marked_and_says_why(networks: Networks) -> None:
    networks.open().paste()
    expect(networks.result).to_contain_text("lost at 1 node")
    losing = networks.boxes("losing")
    expect(losing).to_have_count(1)
    expect(losing.locator(".lost")).to_contain_text("channels_last")
    networks.page.locator(".items button").click()
    expect(networks.facts.locator(".loss")).to_contain_text("channels_last is lost here")
    expect(networks.facts.locator("p").nth(1)).to_have_text(re.compile(r"\w+ .*\. Rule: softmax"))
    row = networks.rows().nth(1)
    expect(row.locator(".lost")).to_have_text("✕ channels_last")
    expect(row.locator(".why")).not_to_be_empty()


def test_other_rules_light_up_what_they_change(networks: Networks) -> None:
    networks.open("?preset=inception-block")
    expect(networks.boxes("changed")).to_have_count(0)
    networks.page.locator("#rules").select_option("onnxruntime-cpu")
    expect(networks.page.locator(".difference")).to_contain_text("Against pytorch-eager")
    networks.rest()
    assert networks.boxes("changed").count() > 5
    assert networks.lines("changed").count() > 5
    assert networks.query()["was"] == ["pytorch-eager"]
    networks.page.go_back()
    expect(networks.page.locator("#rules")).to_have_value("pytorch-eager")
    expect(networks.boxes("changed")).to_have_count(0)


def test_an_option_of_the_rules_lights_up_what_it_changes(networks: Networks, axe: Axe) -> None:
    networks.open("?preset=residual-block&rules=onednn")
    page = networks.page
    expect(page.locator(".scene text.label.blocked").first).to_have_text("nChw16c")
    expect(page.locator("#onnxruntime-cpu-block")).to_be_hidden()
    page.get_by_label("isa", exact=True).first.select_option("avx2")
    expect(page.locator(".scene text.label.blocked").first).to_have_text("nChw8c")
    expect(page.locator(".difference")).to_contain_text("Against onednn")
    assert networks.query()["option"] == ["isa:avx2"]
    assert axe(page) == []
    page.reload()
    networks.rest()
    expect(page.get_by_label("isa", exact=True).first).to_have_value("avx2")
    page.locator("#rules").select_option("onnxruntime-cpu")
    expect(page.locator("#onnxruntime-cpu-block")).to_have_value("16")
    networks.rest()
    assert "option" not in networks.query()


def test_repeated_blocks_are_folded_and_unfolded(networks: Networks) -> None:
    networks.open("?preset=resnet-50")
    expect(networks.boxes("fold")).to_have_count(4)
    folded = networks.boxes().count()
    box = networks.boxes("fold").nth(2)
    expect(box.locator(".title")).to_contain_text("×5")
    name = box.get_attribute("data-name")
    networks.window.focus()
    networks.choose(str(name))
    networks.page.get_by_role("button", name="Unfold").click()
    expect(networks.boxes("fold")).to_have_count(3)
    assert networks.boxes("node").count() > folded
    assert networks.query()["open"] == [name]
    networks.page.get_by_role("button", name="Fold again").click()
    expect(networks.boxes("fold")).to_have_count(4)
    networks.page.get_by_label("Fold repeated blocks").uncheck()
    expect(networks.boxes("node")).to_have_count(175)
    assert networks.query()["fold"] == ["0"]


def test_the_plan_stands_beside_its_rivals(networks: Networks) -> None:
    networks.open("?preset=inception-block&show=plan")
    plan = networks.page.locator("network-plan")
    expect(plan.locator(".proof")).to_contain_text("Proven")
    names = plan.locator("li .name").all_inner_texts()
    assert names[0] == "plan"
    assert {"all NCHW", "all NHWC", "greedy", "pytorch-eager"} <= set(names)
    widths = plan.locator(".bar-fill").evaluate_all("bars => bars.map(bar => bar.clientWidth)")
    assert widths[0] == min(widths) < max(widths)
    expect(plan.locator(".left-out li")).to_have_count(0)
    networks.page.get_by_label("Results may stay in any layout").check()
    expect(plan.locator(".proof")).to_contain_text("less than 0 bytes")
    assert networks.query()["results"] == ["any"]
    bounds = plan.locator(".bar-bound").evaluate_all("marks => marks.map(m => m.offsetLeft)")
    assert len(set(bounds)) == 1


def test_a_chosen_layout_is_planned_at_once(networks: Networks) -> None:
    networks.open("?preset=residual-block&show=plan&at=conv1")
    way = networks.page.locator("#way")
    before = networks.result.inner_text()
    expect(way.locator("option")).not_to_have_count(1)
    texts = way.locator("option").all_inner_texts()
    blocked = next(at for at, text in enumerate(texts) if "NCHW16" in text)
    way.select_option(index=blocked)
    expect(networks.result).not_to_have_text(before)
    expect(networks.page.locator(".difference")).to_contain_text("the plan without your choices")
    expect(networks.lines("blocked").first).to_be_attached()
    assert networks.query()["pin"] == [f"{blocked - 1}:conv1"]
    expect(way).to_have_value(str(blocked - 1))
    after = networks.result.inner_text()
    networks.page.reload()
    expect(networks.result).to_have_text(after)
    networks.page.get_by_role("button", name="Undo").click()
    expect(networks.result).to_have_text(before)


def test_an_edge_opens_its_memory_in_the_explorer(networks: Networks) -> None:
    networks.open("?preset=conv-norm-relu")
    page = networks.page
    path = page.locator("a.line[data-tensor=x] .hit").first
    # A curve's box need not have it in its middle: ask for a point of the way itself.
    at = path.evaluate(
        """(path) => {
            const point = path.getPointAtLength(path.getTotalLength() / 2);
            const {x, y} = point.matrixTransform(path.getScreenCTM());
            return [x, y];
        }"""
    )
    page.mouse.click(*at)
    expect(page.locator("#a-layout")).to_have_value("pytorch:channels_last")
    expect(page.locator("#a-shape")).to_have_value("1,64,56,56")


def test_the_table_s_links_open_the_explorer(networks: Networks) -> None:
    networks.open("?preset=conv-norm-relu")
    link = networks.rows().first.locator("td a").last
    expect(link).to_have_attribute(
        "href", re.compile(r"^/\?shape=1,64,56,56&layout=pytorch:channels_last")
    )


def test_keys_follow_the_edges_and_say_where_one_is(networks: Networks) -> None:
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
    expect(networks.said).to_contain_text("channels_last is lost here")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(networks.said).to_contain_text("conv2d a")
    expect(networks.boxes("chosen")).to_have_attribute("data-name", "a")
    page.keyboard.press("End")
    expect(networks.said).to_contain_text("conv2d c")
    expect(networks.facts.locator("h2")).to_have_text("conv2d c")


def test_keys_go_to_neighbours_in_a_layer(networks: Networks) -> None:
    networks.open("?preset=inception-block&at=max_pool1")
    networks.window.focus()
    networks.page.keyboard.press("ArrowRight")
    first = networks.boxes("chosen").get_attribute("data-name")
    networks.page.keyboard.press("ArrowLeft")
    expect(networks.boxes("chosen")).to_have_attribute("data-name", "max_pool1")
    assert first != "max_pool1"


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


def test_a_pasted_graph_is_in_the_link(networks: Networks, page: Page) -> None:
    networks.open().paste()
    assert "graph" in networks.query()
    networks.choose("b")
    expect(networks.facts.locator("h2")).to_have_text("softmax b")
    page.wait_for_url("**at=b**")
    url = page.url
    page.goto("about:blank")
    page.goto(url)
    networks.rest()
    expect(networks.facts.locator("h2")).to_have_text("softmax b")
    expect(networks.rows()).to_have_count(3)


def test_a_large_graph_is_not_in_the_link_and_the_page_says_so(networks: Networks) -> None:
    nodes, last, random = [], "x", Random(10)  # noqa: S311  # no secret
    for _ in range(1200):
        name = f"n{random.getrandbits(64):x}"
        op = random.choice(["relu", "sigmoid", "tanh"])
        nodes.append({"op": op, "inputs": [last], "outputs": [name]})
        last = name
    networks.open().paste({"inputs": SMALL["inputs"], "nodes": nodes})
    expect(networks.page.locator(".unlinked")).to_contain_text("too large for a link")
    assert "graph" not in networks.query()
    assert networks.boxes("node").count() > 1000
    networks.page.locator("#preset").select_option("conv-norm-relu")
    expect(networks.rows()).to_have_count(3)
    networks.page.go_back()
    expect(networks.rows()).to_have_count(300)
    networks.page.reload()
    expect(networks.page.locator("network-source .error")).to_contain_text("Open it again")


def test_a_wrong_text_gets_a_message_and_keeps_the_network(networks: Networks) -> None:
    networks.open("?preset=conv-norm-relu")
    page = networks.page
    page.locator(".paste summary").click()
    error = page.locator("network-source .error")
    dangling = {"op": "relu", "inputs": ["q"], "outputs": ["r"]}
    for text, message in (
        ("{", "not JSON"),
        ("{}", 'no list "nodes"'),
        (json.dumps({"inputs": {}, "nodes": [dangling]}), "nodes[0].inputs[0]"),
    ):
        page.locator("#pasted").fill(text)
        page.locator(".paste button").click()
        expect(error).to_contain_text(message)
    expect(networks.rows()).to_have_count(3)


def test_an_onnx_file_is_opened(networks: Networks) -> None:
    helper, types = onnx.helper, onnx.TensorProto
    x = helper.make_tensor_value_info("x", types.FLOAT, [1, 4, 5, 5])
    y = helper.make_tensor_value_info("y", types.FLOAT, [1, 4, 5, 5])
    nodes = [helper.make_node("Relu", ["x"], ["t"]), helper.make_node("Sigmoid", ["t"], ["y"])]
    model = helper.make_model(
        helper.make_graph(nodes, "two", [x], [y]), opset_imports=[helper.make_opsetid("", 17)]
    )
    networks.open()
    networks.page.locator("input[type=file]").set_input_files(
        {"name": "two.onnx", "mimeType": "", "buffer": model.SerializeToString()}
    )
    expect(networks.rows()).to_have_count(2)
    expect(networks.page.locator("#preset option:checked")).to_have_text("two.onnx")
    expect(networks.rows().first).to_contain_text("Relu")


def test_a_dropped_file_is_opened(networks: Networks) -> None:
    networks.open("?preset=conv-norm-relu")
    networks.page.evaluate(
        """(text) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], 'mine.json', {type: 'application/json'}));
            for (const type of ['dragover', 'drop']) {
                const event = new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true});
                document.querySelector('main').dispatchEvent(event);
            }
        }""",
        json.dumps({"graph": SMALL}),
    )
    expect(networks.page.locator("#preset option:checked")).to_have_text("mine.json")
    expect(networks.boxes("node")).to_have_count(3)


def test_a_thousand_nodes_are_moved_as_one(networks: Networks) -> None:
    """A move of the drawing changes the drawing as a whole, none of its nodes."""
    random = Random(7)  # noqa: S311  # no secret
    nodes, made = [], ["x"]
    for k in range(1000):
        op, count = random.choice([("relu", 1), ("sigmoid", 1), ("add", 2)])
        inputs = random.choices(made[-6:], k=count)
        nodes.append({"op": op, "inputs": inputs, "outputs": [f"t{k}"]})
        made.append(f"t{k}")
    networks.open().paste({"inputs": SMALL["inputs"], "nodes": nodes})
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
    # Where it lies, its scale, and how much of the text is drawn.
    assert min(changes) >= 1
    assert max(changes) <= 4, changes
