"""The page of runs: a pasted log, its findings, its link, and the offers of the other pages."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from app.engine.runs.traces import saved
from tests.browser.explorer import DESK, PHONE, listen
from tests.browser.pages import Axe
from tests.engine.runs.logs import HEADER, conv, plain_conv, reorder
from tests.engine.runs.traced import CONVOLUTION, Program, tensor, weights

LOG = HEADER + plain_conv(16, 32) + plain_conv(32, 48) + "epoch 1\n"
PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const options = { clipboardData, bubbles: true, cancelable: true };
  document.dispatchEvent(new ClipboardEvent("paste", options));
}"""


@pytest.fixture
def run(page: Page) -> Iterator[Page]:
    """The page with its example."""
    page.set_viewport_size(DESK)
    heard = listen(page)
    page.goto("/run")
    expect(page.locator("run-events tbody tr")).to_have_count(8)
    yield page
    assert heard == []


def rows(page: Page) -> int:
    return page.locator("run-events tbody tr").count()


def test_a_log_is_read_and_its_link_shows_it_again(run: Page) -> None:
    expect(run.locator("run-finding .title")).to_have_text("Two reorders undo each other")
    run.evaluate(PASTE, LOG)
    facts = run.locator("run-facts")
    expect(facts).to_contain_text("lines not read")
    longest = facts.get_by_role("table", name="Where the time goes").get_by_role("row").first
    expect(longest).to_have_text(re.compile(r"^reorder jit:.*%$"))
    expect(run.locator("tr.hot .no")).to_have_text(["4", "5"])
    expect(run).to_have_url(re.compile("#log="))
    run.get_by_label("Reorders only").check()
    expect(run.locator("run-events tbody tr")).to_have_count(6)
    run.reload()
    expect(facts).to_contain_text("lines not read")
    assert rows(run) == 8


def test_events_have_bars_of_their_times_are_sorted_by_them_and_list_their_tensors(
    run: Page, axe: Axe
) -> None:
    numbers = run.locator("run-events .no")
    expect(numbers).to_have_text([str(at) for at in range(1, 9)])
    axis = run.locator("run-events .axis span")
    expect(axis.first).to_have_text("0")
    ends = run.locator("run-events .axis, run-events .axis span:last-child").evaluate_all(
        "parts => parts.map(part => part.getBoundingClientRect().right)"
    )
    assert ends[0] == pytest.approx(ends[1], abs=1)
    widths = run.locator("run-events .lane .time-bar").evaluate_all(
        "bars => bars.map(bar => bar.offsetWidth / bar.parentElement.offsetWidth)"
    )
    cells = run.locator("run-events tbody .number")
    times = [float(text.removesuffix(" µs")) for text in cells.all_text_contents()]
    assert len(widths) == 8
    for width, time in zip(widths, times, strict=True):
        assert width == pytest.approx(time / sum(times), abs=0.01)
    last = axis.last.inner_text().removesuffix(" µs")
    assert float(last) == pytest.approx(sum(times), rel=0.001)
    head = run.get_by_role("columnheader", name="implementation")
    expect(head).to_be_visible()
    expect(run.locator("run-events tbody .implementation").first).not_to_be_empty()
    run.set_viewport_size(PHONE)
    expect(head).to_be_hidden()
    shown = run.locator("run-events tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].filter(cell => cell.checkVisibility()).length)"
    )
    assert set(shown) == {5}
    by_time = run.get_by_role("button", name="time", exact=True)
    by_time.click()
    expect(run.locator("run-events th[aria-sort=descending]")).to_have_count(1)
    found = [float(text.removesuffix(" µs")) for text in cells.all_inner_texts()]
    assert found == sorted(times, reverse=True)
    first = run.locator("run-events tbody tr").first
    first.locator("th").click()
    listed = run.locator("run-events .tensors li")
    expect(listed).to_have_count(first.locator(".layouts > *").count())
    expect(listed.first).to_contain_text(" kB")
    assert axe(run, "run-events") == []
    by_time.click()
    expect(numbers).to_have_text([str(at) for at in range(1, 9)])
    expect(run.locator("run-events .tensors")).to_have_count(1)
    run.locator("tr:has(+ .tensors) button").press("Enter")
    expect(listed).to_have_count(0)


def test_an_operand_is_one_click_from_its_memory(run: Page) -> None:
    leads = run.locator("run-finding .lead")
    expect(leads).to_have_text(
        [
            re.compile("See row 4 in the explorer"),
            re.compile("Watch row 4 step by step"),
            "Lesson: What a reorder costs",
        ]
    )
    for at, there in enumerate(("compare-bar", "reorder-page", "learn-page")):
        leads.nth(at).click()
        expect(run.locator(there)).to_be_visible()
        run.go_back()
    run.get_by_role("link", name="dst aBcd16b", exact=True).first.click()
    expect(run).to_have_url(re.compile("layout=onednn(%3A|:)aBcd16b"))
    expect(run.locator("memory-view").first).to_be_visible()


def test_the_chain_is_drawn_is_saved_and_leads_to_memory_and_to_rows(
    run: Page, axe: Axe, tmp_path: Path
) -> None:
    boxes = run.locator("run-chain .box")
    expect(boxes).to_have_count(8)
    expect(run.locator("run-chain .box.changed .title")).to_have_text(
        ["aBcd16b → abcd", "abcd → aBcd16b"]
    )
    expect(run.locator("run-chain .label").last).to_have_text("aBcd16b")
    expect(run.locator("run-chain .line.unknown title")).to_have_text(
        "src 2x8x12x12: aBcd16b, one of 2"
    )
    for size in (DESK, PHONE):
        run.set_viewport_size(size)
        run.locator("run-chain .legend").get_by_role("button", name="candidates").click()
        said = run.locator("#word-candidate")
        expect(said).to_contain_text("wrote a tensor of the same shape")
        run.keyboard.press("Escape")
        assert run.evaluate("document.documentElement.scrollWidth") == size["width"]
    assert axe(run) == []
    for ending, begins in (("svg", b"<svg "), ("png", b"\x89PNG"), ("mmd", b"flowchart TD")):
        run.keyboard.press("Control+k")
        run.keyboard.type("save as mermaid" if ending == "mmd" else f"save as {ending}")
        with run.expect_download() as saving:
            run.keyboard.press("Enter")
        assert saving.value.suggested_filename == f"Example.{ending}"
        saving.value.save_as(tmp_path / ending)
        assert (tmp_path / ending).read_bytes().startswith(begins)
    drawn = ElementTree.fromstring((tmp_path / "svg").read_bytes())
    named = [g for g in drawn.iter("{http://www.w3.org/2000/svg}g") if g.get("data-event")]
    assert len(named) == 8
    boxes.last.click()
    expect(run.locator('run-events tr[data-event="7"]')).to_be_in_viewport()
    run.locator("run-chain a.line.plain").dispatch_event("click")
    expect(run).to_have_url(re.compile("layout=onednn(%3A|:)abcd"))


def test_what_is_not_certain_is_said_in_whole_words_and_no_label_is_cut(run: Page) -> None:
    other = reorder("abcd", "acdb", "2x32x12x12", "0.7")
    run.evaluate(PASTE, HEADER + conv(16, 32, mark="") + conv(32, 32, mark="", ms="0.3") + other)
    title = run.locator("run-finding .title")
    expect(title).to_have_text(re.compile(r"47\s% of the time is in reorders"))
    run.evaluate(PASTE, HEADER + 2 * conv(16, 32) + conv(32, 48))
    expect(title).to_have_text("3 events, no reorder")
    reads = run.locator("run-events .reads").last
    expect(reads).to_have_text("src of 2, or an earlier one: 2 candidates")
    expect(run.locator("run-facts")).to_contain_text("0 bytes")
    run.evaluate(PASTE, reorder("abcd", "acdb", "2x3x4x5").rstrip()[:-9])
    expect(title).to_have_text("No event: 1 line not read")
    expect(run.locator("run-finding .unseen")).to_contain_text("The last line seems to be cut")
    twice = 2 * reorder("abcd", "ABcd16b16a", "32x32x3x3")
    run.evaluate(PASTE, HEADER + reorder("abcd", "aBcd16b", "2x32x12x12") + twice + conv(32, 32))
    expect(run.locator("run-chain .label").last).to_have_text("ABcd16b16a, one of 2")
    over = run.locator("run-chain .window > svg").evaluate(
        """svg => [...svg.querySelectorAll('.label')].map(label =>
            label.getBoundingClientRect().right - svg.getBoundingClientRect().right)"""
    )
    assert max(over) <= 0


def test_a_long_trace_fits_the_page_and_its_time_line_has_all_events(run: Page) -> None:
    program = Program()
    for at in range(300):
        given = {"log": plain_conv(32, 32), "arguments": CONVOLUTION}
        program.add("convolution.default", [tensor(at), weights(900)], tensor(at + 1), **given)
    run.evaluate(PASTE, saved(program.trace))
    facts = run.locator("run-facts")
    expect(facts).to_contain_text("by PyTorch's rules")
    expect(facts).to_contain_text("keep channels_last through block.conv (model.py:42)")
    expect(run.locator("run-events tbody small").first).to_have_text("block.conv, model.py:42")
    expect(run.locator("run-chain .box")).to_have_count(300)
    assert run.locator("run-chain .box.changed").count() > 200
    for size in (DESK, PHONE):
        run.set_viewport_size(size)
        assert run.evaluate("document.documentElement.scrollWidth") == size["width"]
    ends = run.locator("run-events .over .time-bar").evaluate_all(
        "bars => bars.map(bar => parseFloat(bar.style.left) + parseFloat(bar.style.width))"
    )
    assert max(ends) == pytest.approx(100)
    assert len(ends) <= 800


def test_what_is_no_log_is_refused_and_the_last_run_stays(run: Page) -> None:
    page = run
    field = page.locator("run-source textarea")
    field.fill("no log at all" * 40 + "\n" + "no log at all")
    pasted = {"inputType": "insertFromPaste", "bubbles": True}
    paste = "(field, made) => field.dispatchEvent(new InputEvent('input', made))"
    field.evaluate(paste, pasted)
    expect(field).to_have_value("")
    expect(field).to_have_attribute("placeholder", re.compile("Paste what"))
    # A text that is scrolled shows through the padding, beside the label.
    assert field.evaluate("field => getComputedStyle(field).padding") == "0px"
    error = page.locator("#stage > .error")
    expect(error).to_contain_text("The pasted text:")
    expect(error).to_contain_text("Not read, and the run before it is still shown.")
    assert rows(page) == 8
    page.locator("run-source textarea").fill("--reorder --stag=abcd --dtag=aBcd16b 2x8x5x6")
    links = error.get_by_role("link")
    expect(links).to_have_text(["src 2x8x5x6", "dst 2x8x5x6"])
    both = "/?shape=2%2C8%2C5%2C6&layout=onednn%3Aabcd&dtype=float32&b-layout=onednn%3AaBcd16b"
    expect(links.first).to_have_attribute("href", both)
    field.blur()
    expect(field).to_have_value("")
    field.fill(HEADER + conv(16, 32) + conv(32, 32))
    field.evaluate(paste, pasted)
    expect(field).to_have_attribute("placeholder", f"{HEADER.count(chr(10)) + 2} lines pasted")
    expect(field).to_have_value("")


@pytest.mark.parametrize("where", ["/", "/network"])
def test_other_pages_lead_a_pasted_log_here(page: Page, where: str) -> None:
    page.goto(where)
    if where == "/":
        expect(page.locator("memory-view").first).to_be_visible()
        page.evaluate(PASTE, LOG)
    else:
        page.get_by_text("Paste JSON").click()
        page.locator("#pasted").fill(LOG)
        page.locator("#paste-json button").click()
    page.get_by_role("link", name="see what ran").click()
    expect(page.locator("run-facts")).to_contain_text("lines not read")
