"""The page of networks: drawing, presets, rules, plan, table, keys, links."""

import base64
import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from app.engine.network import RULE_SETS
from tests.browser.networks import Networks
from tests.browser.pages import Axe, saved

# Whether a picture has one colour alone in each of some boxes.
PLAIN = """async ([png, boxes]) => {
    const bytes = Uint8Array.from(atob(png), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return boxes.map((box) => {
        const {data} = canvas.getImageData(...box);
        return new Set(new Uint32Array(data.buffer)).size === 1;
    });
}"""
# The middle of the letters of each text, without what is drawn around them.
MIDDLES = """all => all.map((text) => {
    const {x, y, width, height} = text.getBBox();
    const {a, d, e, f} = text.getScreenCTM();
    const [left, top] = [a * x + e, d * (y + height / 4) + f];
    return [left, top, a * width, d * height / 2].map(Math.round);
})"""


def expect_labels_free_of_lines(networks: Networks) -> None:
    """No line is drawn through its label."""
    labels = networks.page.locator(".scene text.label")
    letters = "(all, fill) => all.forEach((text) => (text.style.fill = fill))"
    labels.evaluate_all(letters, "none")
    boxes = labels.evaluate_all(MIDDLES)
    assert len(boxes) > 5
    png = base64.b64encode(networks.page.screenshot()).decode()
    assert set(networks.page.evaluate(PLAIN, [png, boxes])) == {True}
    labels.evaluate_all(letters, "")


def expect_to_be_read(networks: Networks, names: set[str]) -> None:
    """Each text that is seen is large enough, and these are among them."""
    sizes = networks.page.locator(".scene text").evaluate_all(
        """all => all.map((text) => [text, getComputedStyle(text)])
            .filter(([, style]) => style.display !== 'none' && style.opacity !== '0')
            .map(([text, style]) => [text.textContent,
                parseFloat(style.fontSize) * text.getScreenCTM().a])"""
    )
    assert [pair for pair in sizes if pair[1] < 10.9] == []
    assert names <= {text for text, _ in sizes}


def test_a_preset_is_drawn_and_other_rules_light_up_what_they_change(networks: Networks) -> None:
    networks.open("?preset=inception-block")
    expect(networks.boxes("node")).to_have_count(11)
    expect(networks.boxes("input")).to_have_count(1)
    said = networks.result.inner_text()
    assert said.startswith("2.09 MB read and written to change layouts at each run: 2 reorders of")
    assert "1.2 MB in all, 885 kB for" in said
    expect(networks.boxes("reorder")).to_have_count(3)
    expect(networks.boxes("reorder").first.locator(".detail")).to_have_text(re.compile(r"\d kB$"))
    legend = networks.page.locator(".legend")
    expect(legend).to_contain_text("channels last")
    expect(legend).to_contain_text("other strides")
    expect(networks.page.locator(".scene text.label.last").first).to_have_text("NHWC")
    expect_labels_free_of_lines(networks)
    expect(networks.boxes("changed")).to_have_count(0)
    networks.page.locator("#rules").select_option("onnxruntime-cpu")
    expect(networks.page.locator(".difference")).to_contain_text("Against pytorch-eager")
    networks.rest()
    patterns = networks.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.legend .line')].map((line) => {
            const {strokeDasharray, strokeWidth} = getComputedStyle(line.querySelector('.way'));
            return [line.getAttribute('class'), `${strokeDasharray} ${strokeWidth}`];
        }))"""
    )
    assert len(set(patterns.values())) == len(patterns) >= 3, "told apart without colour"
    # Most tensors lie differently: frames around all of them would say nothing.
    expect(networks.page.locator(".difference")).to_contain_text("Most differ")
    expect(networks.boxes("changed")).to_have_count(0)
    expect(networks.lines("changed")).to_have_count(0)
    networks.expect_query("was", "pytorch-eager")
    networks.page.go_back()
    expect(networks.page.locator("#rules")).to_have_value("pytorch-eager")
    expect(networks.boxes("changed")).to_have_count(0)


@pytest.mark.parametrize(
    ("preset", "before", "after", "said", "framed"),
    [
        # The reorder of the network's result alone.
        ("residual-block", "tensorflow-grappler", "tvm-relax", "1 reorder more, 1.61 MB more", 2),
        # As many reorders; those of weights are counted as such.
        ("resnet-50", "openvino-cpu", "pytorch-inductor", "weights 90.6 MB more", None),
        ("resnet-50", "openvino-cpu", "tensorflow-grappler", "Nothing differs", 0),
    ],
)
def test_rules_are_compared_by_the_numbers_that_each_shows(
    networks: Networks, preset: str, before: str, after: str, said: str, framed: int | None
) -> None:
    counts = []
    networks.open(f"?preset={preset}&rules={before}")
    counts.append(reorders_of(networks.result.inner_text()))
    networks.page.locator("#rules").select_option(after)
    difference = networks.page.locator(".difference")
    expect(difference).to_contain_text(said)
    counts.append(reorders_of(networks.result.inner_text()))
    more = re.search(r"(\d+) reorders? (more|fewer)", difference.inner_text())
    by = 0 if more is None else int(more[1]) * (1 if more[2] == "more" else -1)
    assert by == counts[1] - counts[0]
    if framed is not None:
        expect(networks.boxes("changed")).to_have_count(framed)
    frames = networks.page.locator(".scene .changed").count()
    assert ("What differs is framed" in difference.inner_text()) == (frames > 0)


def reorders_of(result: str) -> int:
    found = re.search(r"each run: (no|\d+) reorder", result)
    assert found, result
    return 0 if found[1] == "no" else int(found[1])


def test_an_option_of_the_rules_lights_up_what_it_changes(networks: Networks, axe: Axe) -> None:
    networks.open("?preset=residual-block&rules=onednn")
    page = networks.page
    expect(page.locator(".scene text.label.blocked").first).to_have_text("nChw16c")
    expect(page.locator("#onnxruntime-cpu-block")).to_be_hidden()
    page.locator("#onednn-isa").select_option("avx2")
    expect(page.locator(".scene text.label.blocked").first).to_have_text("nChw8c")
    expect(page.locator(".difference")).to_contain_text("Against isa avx512:")
    networks.expect_query("option", "isa:avx2")
    assert axe(page) == []
    page.reload()
    networks.rest()
    expect(page.locator("#onednn-isa")).to_have_value("avx2")
    page.locator("#rules").select_option("onnxruntime-cpu")
    expect(page.locator("#onnxruntime-cpu-block")).to_have_value("16")
    networks.rest()
    networks.expect_query("option")


def test_a_reorder_is_called_by_the_rules_names_where_both_are_the_same_memory(
    networks: Networks,
) -> None:
    page = networks.open("?preset=resnet-50&rules=onnxruntime-cpu").page
    said = "NCHW16c → NCHW"
    expect(page.locator(".box.reorder .title")).to_have_text(said)
    expect(page.locator("network-node details.kind summary .mono")).to_have_text(said)
    page.locator("network-table").evaluate("table => (table.closest('details').open = true)")
    row = page.locator("network-table tr", has_text="reorder, 16.4 kB")
    expect(row).to_contain_text("adaptive_avg_pool1 NCHW reorder")
    made = page.locator("network-table tr", has_text="adaptive_avg_pool1 NCHW16c")
    expect(made).to_have_count(1)


def test_a_preset_says_what_is_true_of_it_and_its_repeated_blocks_unfold(
    networks: Networks,
) -> None:
    networks.open("?preset=resnet-50&rules=pytorch-eager&at=conv1")
    expect_to_be_read(networks, {"conv2d", "NCHW", "avg_pool2d"})
    expect(networks.facts).to_contain_text(re.compile(r"[\d.]+ MB are read and written inside"))
    shows = networks.page.locator("network-plan .shows")
    about = networks.page.locator("network-plan .about")
    expect(about).to_have_text(re.compile("^Rules of PyTorch .* eager"))
    expect(shows).to_have_text("")
    expect(networks.boxes("fold")).to_have_count(4)
    folded = networks.boxes().count()
    box = networks.boxes("fold").nth(2)
    expect(box.locator(".title")).to_contain_text("×5")
    name = box.get_attribute("data-name")
    networks.window.focus()
    networks.choose(str(name))
    networks.page.get_by_role("button", name="Open the first block").click()
    expect(networks.boxes("fold").nth(2).locator(".title")).to_contain_text("×4")
    expect(networks.boxes()).to_have_count(folded + 10)
    networks.expect_query("open", str(name))
    networks.page.get_by_role("button", name="Fold again").click()
    expect(networks.boxes("fold")).to_have_count(4)
    networks.page.get_by_label("Fold repeated blocks").uncheck()
    expect(networks.boxes("node")).to_have_count(175)
    networks.expect_query("fold", "0")
    networks.page.locator("#rules").select_option("onednn")
    expect(shows).to_contain_text("writes blocks")
    networks.page.locator("#rules").select_option("pytorch-eager")
    networks.page.locator("#show").select_option("plan")
    expect(shows).to_contain_text("writes blocks")
    expect(about).to_have_text(re.compile("^A plan over all layouts"))
    expect(networks.page.locator("network-plan .bars li").first).to_contain_text("0 bytes")
    expect(networks.page.locator("network-plan .proof")).to_have_text("")


def test_the_plan_stands_beside_its_rivals(networks: Networks) -> None:
    networks.open("?preset=inception-block&show=plan")
    plan = networks.page.locator("network-plan")
    expect(plan.locator(".proof")).to_contain_text("Proven")
    names = plan.locator("li .name").all_inner_texts()
    assert names[0] == "plan"
    assert {"all NCHW", "all NHWC", "greedy", "pytorch-eager"} <= set(names)
    widths = plan.locator(".bar-fill").evaluate_all("bars => bars.map(bar => bar.clientWidth)")
    ways = [width for name, width in zip(names, widths, strict=True) if name not in RULE_SETS]
    assert ways[0] == min(ways) < max(ways)
    counted = plan.locator(".counted")
    expect(counted).to_contain_text("Results are given back row-major.")
    expect(plan.locator(".left-out li")).to_have_count(0)
    networks.page.get_by_label("Results may stay in any layout").check()
    expect(plan.locator(".proof")).to_have_text("")  # nothing is the least
    expect(counted).to_contain_text("Results stay in any layout.")
    networks.expect_query("results", "any")
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
    networks.expect_query("pin", f"{blocked - 1}:conv1")
    expect(way).to_have_value(str(blocked - 1))
    after = networks.result.inner_text()
    networks.page.reload()
    expect(networks.result).to_have_text(after)
    networks.page.get_by_role("button", name="Undo").click()
    expect(networks.result).to_have_text(before)


def test_an_edge_and_the_table_s_links_open_the_explorer(networks: Networks) -> None:
    page = networks.open("?preset=conv-norm-relu").page
    link = networks.rows().first.locator("td a").last
    expect(link).to_have_attribute(
        "href", re.compile(r"^/\?shape=1,64,56,56&layout=pytorch:channels_last")
    )
    # A curve's box need not have it in its middle: ask for a point of the way itself.
    at = page.locator("a.line[data-tensor=x] .hit").first.evaluate(
        """(path) => {
            const point = path.getPointAtLength(path.getTotalLength() / 2);
            const {x, y} = point.matrixTransform(path.getScreenCTM());
            return [x, y];
        }"""
    )
    page.mouse.click(*at)
    expect(page.locator("#a-layout")).to_have_value("pytorch:channels_last")
    expect(page.locator("#a-shape")).to_have_value("1,64,56,56")


def test_advice_says_how_to_avoid_reorders_and_shows_them(networks: Networks, axe: Axe) -> None:
    page = networks.open("?preset=inception-block&rules=pytorch-eager").page
    rows = networks.facts.locator(".advice > li")
    expect(rows).to_have_count(2)
    # What no change helps is said once.
    assert rows.first.inner_text().count("1.2 MB") == 1
    rows = rows.filter(has=page.locator("button[aria-pressed]"))
    button = rows.first.locator("button[aria-pressed]")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(networks.lines("picked")).not_to_have_count(0)
    expect(networks.boxes("picked")).not_to_have_count(0)
    assert axe(page) == []
    button.click()
    expect(networks.lines("picked")).to_have_count(0)
    # A node has the advice on its reorders, and is found by its layout.
    page.keyboard.press("Control+k")
    page.keyboard.type("conv 3 layout")
    expect(page.get_by_role("option").first).to_contain_text("conv3")
    page.keyboard.press("Enter")
    advice = page.locator("network-node .advice li")
    expect(advice).to_have_count(1)
    expect(advice).to_contain_text("Hand conv3.weight over in channels_last.")


def test_one_change_that_avoids_two_kinds_of_reorders_is_listed_once(networks: Networks) -> None:
    networks.open("?preset=unet-skip&rules=onnxruntime-cpu")
    row = networks.facts.locator(".advice > li", has_text="up1 and cat1 keep NCHW16c.")
    expect(row).to_have_count(1)
    expect(row.locator("b")).to_have_text(["1 reorder of 2.1 MB", "3 reorders of 1.64 MB in all"])
    expect(row.locator(".mono")).to_have_text(["NCHW → NCHW16c", "NCHW16c → NCHW"])
    row.locator("button").click()
    expect(networks.boxes("picked")).to_have_count(4)


def test_equal_reorders_are_summed_and_the_drawing_is_saved(networks: Networks) -> None:
    page = networks.open("?preset=bert-base").page
    kinds = networks.facts.locator(".kind")
    expect(kinds).to_have_count(1)
    expect(kinds.locator("summary")).to_have_text("acbd → abcd 12 reorders of 9.44 MB in all")
    expect(kinds.locator("li")).to_have_count(12)
    expect(networks.boxes("fold").locator(".detail")).to_have_text("1 reorder each")
    files: dict[str, bytes] = {}
    for kind in ("SVG", "PNG", "Mermaid"):
        name, files[kind] = saved(page.get_by_role("button", name=kind, exact=True))
        assert name.startswith("bert-base-pytorch-eager.")
    drawn = ElementTree.fromstring(files["SVG"])
    texts = {each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"softmax", "acbd → abcd", "abc"} <= texts
    assert all("class" not in each.attrib for each in drawn.iter())
    assert files["PNG"].startswith(b"\x89PNG")
    assert len(files["PNG"]) > 20_000
    chart = files["Mermaid"].decode()
    assert chart.startswith("flowchart TD\n")
    assert '{{"acbd → abcd<br/>786 kB"}}' in chart
    assert '"softmax1<br/>softmax"' in chart
    assert ' -->|"adbc"| ' in chart
