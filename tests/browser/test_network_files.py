"""Graphs that come to the page of networks: pasted, in a link, in a file."""

import json
import re
from random import Random

import onnx
from playwright.sync_api import expect

from tests.browser.networks import SMALL, Networks
from tests.browser.pages import drop


def test_a_pasted_graph_says_what_it_loses_and_is_in_the_link(networks: Networks) -> None:
    networks.open().paste()
    page = networks.page
    expect(networks.result).to_contain_text("lost at 1 node")
    losing = networks.boxes("losing")
    expect(losing).to_have_count(1)
    expect(losing.locator(".lost.whole")).to_contain_text("channels_last")
    page.get_by_role("button", name="✕").click()
    expect(networks.facts.locator(".loss")).to_contain_text("channels_last is lost here")
    expect(networks.facts.locator("p").nth(1)).to_have_text(re.compile(r"\w+ .*\. Rule: softmax"))
    row = networks.rows().nth(1)
    expect(row.locator(".lost")).to_have_text("✕ channels_last")
    expect(row.locator(".why")).not_to_be_empty()
    page.wait_for_url("**graph=**")
    networks.choose("b")
    expect(networks.facts.locator("h2")).to_have_text("softmax b")
    page.wait_for_url("**at=b**")
    page.reload()
    networks.rest()
    expect(networks.facts.locator("h2")).to_have_text("softmax b")
    expect(networks.rows()).to_have_count(3)


def test_a_pasted_request_brings_its_rules(networks: Networks) -> None:
    page = networks.open("?preset=conv-norm-relu").page
    page.get_by_role("button", name="Paste JSON").click()
    how = page.locator("#paste-json").get_by_role("link", name="/propagate")
    assert page.request.get(f"{how.get_attribute('href')}").ok
    page.keyboard.press("Escape")
    networks.paste({"graph": SMALL, "rules": "onnxruntime-cpu", "options": {"block": 8}})
    expect(page.locator("#rules")).to_have_value("onnxruntime-cpu")
    expect(page.locator("#onnxruntime-cpu-block")).to_have_value("8")
    expect(page.locator("network-plan .about")).to_contain_text("ONNX Runtime")
    networks.expect_query("rules", "onnxruntime-cpu")
    networks.paste({"graph": SMALL, "rules": "onnxruntime-cup"})
    expect(page.locator("network-source .error")).to_contain_text("a name that no rule set has")
    expect(page.locator("#rules")).to_have_value("onnxruntime-cpu")


def test_a_misspelt_operator_is_named_in_the_summary(networks: Networks) -> None:
    first, *others = SMALL["nodes"]
    networks.open().paste({**SMALL, "nodes": [first, {**others[0], "op": "sofmax"}, *others[1:]]})
    expect(networks.result).to_contain_text(
        "Nothing is known of the layouts of 2 nodes. "
        "sofmax: This operator is not in the catalogue (did you mean softmax?)."
    )
    expect(networks.result).not_to_contain_text("No layout is lost")
    networks.page.locator("#rules").select_option("onnxruntime-cpu")
    expect(networks.page.locator(".difference")).to_contain_text("Against pytorch-eager")
    expect(networks.result).to_contain_text("(did you mean softmax?)")


# Moves the drawing, and says how much of the page each time changes.
MOVES = """async () => {
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


def test_a_large_graph_is_moved_as_one_and_not_in_the_link(networks: Networks) -> None:
    """A move of the drawing changes the drawing as a whole, none of its nodes."""
    nodes, last, random = [], "x", Random(10)  # noqa: S311  # no secret
    for _ in range(500):
        name = f"n{random.getrandbits(160):x}"
        op = random.choice(["relu", "sigmoid", "tanh"])
        nodes.append({"op": op, "inputs": [last], "outputs": [name]})
        last = name
    networks.open("?fold=0").paste({"inputs": SMALL["inputs"], "nodes": nodes})
    expect(networks.page.locator(".unlinked")).to_contain_text("too large for a link")
    assert "graph" not in networks.query()
    expect(networks.boxes("node")).to_have_count(500)
    changes = networks.page.evaluate(MOVES)
    # Where it lies, its scale, how much of the text is drawn, and the map.
    assert min(changes) >= 1
    assert max(changes) <= 6, changes
    networks.page.locator("#preset").select_option("conv-norm-relu")
    expect(networks.rows()).to_have_count(3)
    networks.page.go_back()
    expect(networks.rows()).to_have_count(300)
    networks.page.reload()
    expect(networks.page.locator("network-source .error")).to_contain_text("Open it again")


def test_a_wrong_text_gets_a_message_and_keeps_the_network(networks: Networks) -> None:
    networks.open("?preset=conv-norm-relu")
    page = networks.page
    error = page.locator("network-source .error")
    dangling = {"op": "relu", "inputs": ["q"], "outputs": ["r"]}
    for text, message in (
        ("{", "not JSON"),
        ("{}", 'no list "nodes"'),
        (json.dumps({"inputs": {}, "nodes": [dangling]}), "nodes[0].inputs[0]"),
    ):
        page.get_by_role("button", name="Paste JSON").click()
        page.locator("#pasted").fill(text)
        page.locator("#paste-json button").click()
        expect(error).to_contain_text(message)
    page.locator("input[type=file]").set_input_files(
        {"name": "cut.onnx", "mimeType": "", "buffer": b"\x08\x07garbage"}
    )
    expect(error).to_have_text(
        "cut.onnx: got bytes that are no field; expected an ONNX model. "
        "Convolution, norm, activation is still shown."
    )
    expect(networks.rows()).to_have_count(3)


def model_with_a_free_batch() -> bytes:
    helper, types = onnx.helper, onnx.TensorProto
    x = helper.make_tensor_value_info("x", types.FLOAT, ["batch", 4, 5, 5])
    y = helper.make_tensor_value_info("y", types.FLOAT, ["batch", 4, 5, 5])
    nodes = [
        helper.make_node("Relu", ["x"], ["t"]),
        helper.make_node("Odd", ["t"], ["y"], domain="acme"),
    ]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    graph = helper.make_graph(nodes, "two", [x], [y])
    return bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())


def test_an_onnx_file_is_opened_and_a_free_size_is_asked_for(networks: Networks) -> None:
    page = networks.open().page
    page.locator("input[type=file]").set_input_files(
        {"name": "two.onnx", "mimeType": "", "buffer": model_with_a_free_batch()}
    )
    expect(networks.rows()).to_have_count(2)
    expect(page.locator("#preset option:checked")).to_have_text("two.onnx")
    expect(networks.rows().first).to_contain_text("Relu")
    expect(page.locator(".sizes")).to_contain_text("batch = 1, assumed")
    expect(page.locator(".strange")).to_contain_text("acme:Odd: This operator is not in the")
    page.get_by_label("Size of batch").fill("8")
    page.get_by_role("button", name="Read again").click()
    expect(page.locator(".sizes")).to_contain_text("batch = 8")
    expect(page.locator(".sizes")).not_to_contain_text("assumed")
    expect(networks.boxes("input").locator(".detail")).to_have_text("8×4×5×5")
    page.locator("#preset").select_option("conv-norm-relu")
    expect(page.locator(".sizes")).to_be_hidden()


def test_a_dropped_file_is_opened_or_sent_to_the_page_that_reads_it(networks: Networks) -> None:
    page = networks.open("?preset=conv-norm-relu").page
    drop(page, "mine.json", json.dumps({"graph": SMALL}).encode())
    expect(page.locator("#preset option:checked")).to_have_text("mine.json")
    expect(networks.boxes("node")).to_have_count(3)
    error = page.locator("network-source .error")
    for name in ("w.npy", "model.safetensors", "cat.PNG"):
        drop(page, name, b"")
        expect(error).to_contain_text(f"{name} is an array or a picture")
        expect(error.get_by_role("link")).to_have_attribute("href", "/")
    drop(page, "bench.log", b"")
    expect(error.get_by_role("link")).to_have_attribute("href", "/run")
    drop(page, "net.onnx.data", b"")
    expect(error).to_contain_text("The .onnx file beside it is enough")
    drop(page, "net.pt2", b"")
    expect(error).to_contain_text("stridescope network net.pt2")
    expect(networks.boxes("node")).to_have_count(3)
