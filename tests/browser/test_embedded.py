"""The grids in pages of others: in a frame, as an element, in a notebook's output from a file."""

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from app.notebook import show as notebook
from tests.browser.pages import box_of, hear
from tests.places import ROOT

VIEW = "shape=1,6,4,5&layout=NCHW4&steps=permute(0,2,3,1)[0]&b-layout=NHWC&slice=0,1&at=0,1,2"
PAGE = """<!doctype html><meta charset="utf-8"><title>Elsewhere</title>
<iframe id="frame" src="{service}/embed?v=1&shape=1,6,4,5&layout=NCHW4&at=0,2,1,2" width="700"
  height="300"></iframe>
<memory-grid shape="2,3" layout="(5, 1)" at="1,2"></memory-grid>
<iframe id="view" width="700" height="700" src="{service}/embed?{view}"></iframe>
<img id="picture" src="{service}/api/v1/picture.svg?shape=4,4&layout=(1,1)">
<script type="module" src="{service}/static/elements/embed/memory-grid.js"></script>
<script>
  const frame = document.getElementById('frame');
  addEventListener('message', ({{ origin, source, data }}) => {{
    if (origin !== '{service}' || source !== frame.contentWindow) return;
    if (data.type === 'stridescope:height') frame.height = data.height;
  }});
</script>
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def elsewhere(tmp_path: Path, live_server: str) -> Iterator[str]:
    """A page of another origin."""
    (tmp_path / "index.html").write_text(
        PAGE.format(service=live_server, view=VIEW), encoding="utf-8"
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def other_page(browser: Browser) -> Iterator[Page]:
    """A page without the service's address, in which each error of a script fails the test."""
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    hear(page, "pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def test_another_page_shows_three_tensors(elsewhere: str, other_page: Page) -> None:
    other_page.goto(elsewhere)
    framed = other_page.frame_locator("#frame")
    expect(framed.get_by_role("status")).to_have_text("n=0 c=2 h=1 w=2 lies at address 30")
    expect(framed.locator(".legend")).to_have_text(
        "Colour: channel c; numbers count elements row by row; hatched: padding."
    )
    element = other_page.locator("body > memory-grid")
    words = element.get_by_role("status")
    expect(words).to_have_text("h=1 w=2 lies at address 7")
    expect(element.locator(".legend")).to_have_text(
        "Colour: h; letters name elements row by row; dot: a gap."
    )
    other_page.wait_for_function("frame.height !== '300'")
    height = other_page.evaluate("Number(frame.height)")
    told = framed.locator("memory-grid").evaluate(
        "each => Math.ceil(each.getBoundingClientRect().height)"
    )
    assert height == told
    loaded = other_page.evaluate("picture.decode().then(() => picture.naturalWidth)")
    assert loaded > 100
    # Steps, a slice and a second layout. Element c=2 h=0 w=1 of NCHW4 lies at 1 * 4 + 2.
    view = other_page.frame_locator("#view")
    expect(view.get_by_role("status")).to_have_text("h=0 w=1 c=2 lies at address 6 in A and 8 in B")
    names = [canvas.get_attribute("aria-label") for canvas in view.locator("canvas").all()]
    assert names == ["Memory A", "Memory B", "Logical tensor"]
    pale = """canvas => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const bright = new Uint32Array(data.buffer).filter((word) => (word & 0xff) < 40).length;
      return bright / (data.length / 4);
    }"""
    # The slice takes one of four rows and one of five columns: little stands out.
    assert 0 < view.get_by_role("img", name="Memory B").evaluate(pale) < 0.2
    # What is said of a cell stands between both grids.
    tops = [box_of(part)["y"] for part in (element.locator("canvas").first, words)]
    assert tops[0] < tops[1] < box_of(element.locator("canvas").last)["y"]
    # A cell is lit by the pointer, and by keys.
    memory = element.get_by_role("img", name="Memory")
    # Cells are 32 pixels wide; the sixth address is the first of the second row.
    memory.hover(position={"x": box_of(memory)["width"] - 32 * 5 + 16, "y": 36})
    expect(words).not_to_have_text("h=1 w=2 lies at address 7")
    element.get_by_role("img", name="Logical tensor").focus()
    other_page.mouse.move(0, 0)
    other_page.keyboard.press("ArrowUp")
    expect(words).to_have_text("h=0 w=2 lies at address 2")
    other_page.keyboard.press("ArrowLeft")
    expect(words).to_have_text("h=0 w=1 lies at address 1")
    other_page.evaluate("document.body.innerHTML = '<memory-grid layout=nChw16c></memory-grid>'")
    expect(words).to_contain_text("A layout alone has no sizes: add them")


FRAMES = [
    "shape=64,48,3,3&layout=OIhw4i16o4i&at=17,5,1,2",
    "shape=2,8,3,3&layout=NCHW4&b-layout=NHWC&at=0,2,1,2",
]


@pytest.mark.parametrize("link", FRAMES)
def test_a_frame_shows_the_memories_and_the_chosen_cell_first(
    live_server: str, other_page: Page, link: str
) -> None:
    other_page.set_viewport_size({"width": 720, "height": 560})
    other_page.goto(f"{live_server}/embed?{link}")
    memories = other_page.get_by_role("img", name=re.compile("^Memory"))
    expect(memories).to_have_count(2 if "b-layout" in link else 1)
    for memory in memories.all():
        box = box_of(memory)
        assert box["y"] + box["height"] <= 560
        # Texts and the frame of the chosen cell are dark, and more than the labels of the edges.
        ink = """canvas => {
            const { data } = canvas.getContext('2d').getImageData(
                0, 24, canvas.width, canvas.height - 24);
            const words = Array.from(new Uint32Array(data.buffer));
            return words.filter((word) => (word & 0xffffff) === 0).length;
        }"""
        assert memory.evaluate(ink) > 500
    # Each grid says what it shows, and the way back to the page is in view.
    names = re.findall("layout=([^&]*)", link)
    heads = other_page.get_by_role("heading").all_text_contents()
    for name, layout in zip(
        ["Memory A", "Memory B"] if names[1:] else ["Memory"], names, strict=True
    ):
        assert any(head.startswith(f"{name}{layout} · ") for head in heads), heads
    assert any(head.startswith("Logical tensor") for head in heads), heads
    expect(other_page.get_by_role("link", name="Stridescope")).to_be_in_viewport()
    memories.first.focus()
    other_page.keyboard.press("ArrowDown")
    expect(other_page.get_by_role("status")).to_contain_text("h=2 w=2 lies at address")


def test_a_frame_shows_both_memories_and_the_zoom_of_its_link(
    live_server: str, other_page: Page
) -> None:
    other_page.set_viewport_size({"width": 720, "height": 560})
    memories = other_page.get_by_role("img", name=re.compile("^Memory"))
    for link in (
        "shape=64,64&layout=HW&b-layout=WH",
        "shape=1,64,56,56&layout=NCHW&b-layout=NHWC&mv=26,10,30",
    ):
        other_page.goto(f"{live_server}/embed?{link}")
        expect(memories).to_have_count(2)
        for box in map(box_of, memories.all()):
            assert box["y"] + box["height"] <= 560
    # Row 30 of 784 addresses and row 30 of 896, from the tenth on: cells of 26 beside labels of 60.
    memories.first.hover(position={"x": 60 + 13, "y": 33})
    expect(other_page.get_by_role("status")).to_contain_text("lies at address 23530 in A")
    memories.last.hover(position={"x": 60 + 13, "y": 33})
    expect(other_page.get_by_role("status")).to_contain_text("and 26890 in B")


def test_of_two_memories_both_show_the_cells_around_the_chosen_one(
    live_server: str, other_page: Page
) -> None:
    other_page.set_viewport_size({"width": 720, "height": 560})
    other_page.goto(f"{live_server}/embed?shape=1,20,7,7&layout=NCHW&b-layout=nChw16c&at=0,3,2,2")
    memories = other_page.get_by_role("img", name=re.compile("^Memory"))
    expect(memories).to_have_count(2)
    boxes = [box_of(each) for each in memories.all()]
    assert boxes[0]["height"] == boxes[1]["height"]
    assert boxes[1]["y"] + boxes[1]["height"] <= 560


def test_a_frame_shows_the_part_of_each_grid_that_its_link_has(
    live_server: str, other_page: Page
) -> None:
    link = "shape=1,64,56,56&layout=NCHW&b-layout=NHWC&lv=30,3,1&mv=26,10,30&bv=26,11,31&apart=1"
    other_page.goto(f"{live_server}/embed?{link}")
    status = other_page.get_by_role("status")
    memories = other_page.get_by_role("img", name=re.compile("^Memory"))
    memories.first.hover(position={"x": 60 + 13, "y": 33})
    expect(status).to_contain_text("lies at address 23530 in A")
    memories.last.hover(position={"x": 60 + 13, "y": 33})
    expect(status).to_contain_text(f"and {31 * 896 + 11} in B")
    other_page.get_by_role("img", name="Logical tensor").hover(position={"x": 200, "y": 100})
    # Cells of 30 beside and below the labels, from column 3 and row 1 on.
    expect(status).to_contain_text("n=0 c=0 h=3 w=8 lies at address 176 in A")


# Of the pixels: those as dark and blue as the lower third of the scale.
LOW = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(40, 30, 300, 300);
  const words = Array.from(new Uint32Array(data.buffer));
  const parts = words.map((word) => [word & 255, word >> 8 & 255, word >> 16 & 255]);
  return parts.filter(([r, g, b]) => r < 75 && g < 105 && b > 80).length / words.length;
}"""


def test_a_frame_shows_all_values_or_says_what_is_wrong(live_server: str, other_page: Page) -> None:
    status, canvas = other_page.get_by_role("status"), other_page.locator("canvas")
    for values, least, most in (
        ([f"{n / 3:.9f}" for n in range(900)], 0.1, 0.4),
        (["inf"] * 898 + ["0", "1"], 0, 0.01),
        (["1", "2"], None, None),
    ):
        link = {"shape": "30,30", "layout": "HW", "view": "memory", "values": ",".join(values)}
        other_page.goto(f"{live_server}/embed?{urlencode(link)}&text=address")
        if least is None:
            expect(status).to_contain_text("got 2 numbers; expected one for each of 900 elements")
            expect(canvas).to_have_count(0)
        else:
            expect(status).to_contain_text("30 × 30, float32")
            assert least <= canvas.evaluate(LOW) <= most


def test_a_picture_has_its_look_as_a_page_of_its_own(live_server: str, other_page: Page) -> None:
    other_page.goto(f"{live_server}/api/v1/picture.svg?shape=2,3&layout=HW&colour=linear")
    dark = other_page.locator("text.w").first
    assert dark.evaluate("each => getComputedStyle(each).fill") == "rgb(255, 255, 255)"
    other_page.goto(f"{live_server}/api/v1/picture.svg?shape=64,64&layout=HW")
    blocked = (
        "name => document.querySelector('image').decode().then(() => '', (error) => error.name)"
    )
    assert other_page.evaluate(blocked) == ""


# As VS Code shows HTML: put into a page whose policy allows inline scripts and no address.
WEBVIEW = """<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none';
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src https: http: data:;
font-src https:; connect-src https:; child-src https: data:"><body><script>
document.body.innerHTML = {output};</script>"""
PLAIN = "<!doctype html><meta charset=utf-8>{output}"


CASES = ((PLAIN, True), (PLAIN, False), (WEBVIEW, True))


def test_a_notebook_s_output_works_from_a_file(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = tmp_path / "memory-grid.js"
    subprocess.run(
        [
            ROOT / "node_modules" / ".bin" / "esbuild",
            ROOT / "static" / "elements" / "embed" / "memory-grid.js",
            *("--bundle", "--minify", "--format=iife", "--define:import.meta.url=''"),
            f"--outfile={bundle}",
        ],
        check=True,
        capture_output=True,
    )
    monkeypatch.setattr(notebook, "bundled_script", lambda _: bundle.read_text(encoding="utf-8"))
    tensor = np.zeros((2, 3, 4, 5), np.float32).transpose(0, 3, 1, 2)
    output = notebook.show(tensor)._repr_mimebundle_()["text/html"]
    file = tmp_path / "out.html"
    for page_of, scripts in CASES:
        put = json.dumps(output).replace("</", "<\\/") if page_of == WEBVIEW else output
        file.write_text(page_of.replace("{output}", put), encoding="utf-8")
        context = browser.new_context(java_script_enabled=scripts, offline=True)
        page = context.new_page()
        page.goto(file.as_uri())
        expect(page.get_by_role("img").first).to_be_visible()
        if scripts:
            grid = page.frame_locator("iframe").locator("memory-grid")
            expect(grid.get_by_role("status")).to_have_text("2 × 5 × 3 × 4, float32")
            assert grid.locator("canvas").count() == 2
        context.close()
