"""The page of runs: a pasted log, its findings, its link, and the offers of the other pages."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from app.engine.runs.traces import saved
from tests.browser.explorer import listen
from tests.engine.runs.logs import HEADER, conv, plain_conv, reorder
from tests.engine.runs.traced import CONVOLUTION, Program, tensor, weights

pytestmark = pytest.mark.browser
NewPage = Callable[..., Page]
Axe = Callable[..., list[dict[str, Any]]]
LOG = HEADER + plain_conv(16, 32) + plain_conv(32, 48) + "epoch 1\n"
PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const options = { clipboardData, bubbles: true, cancelable: true };
  document.dispatchEvent(new ClipboardEvent("paste", options));
}"""


def rows(page: Page) -> int:
    return page.locator("run-events tbody tr").count()


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_a_log_is_read_and_its_link_shows_it_again(
    new_page: NewPage, axe: Axe, size: tuple[int, int]
) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    heard = listen(page)
    page.goto("/run")
    title = page.locator("run-finding .title")
    expect(title).to_have_text("Two reorders undo each other")
    assert axe(page) == []
    page.evaluate(PASTE, LOG)
    facts = page.locator("run-facts")
    expect(facts).to_contain_text("lines not read")
    longest = facts.get_by_role("table", name="Where the time goes").get_by_role("row").first
    expect(longest).to_have_text(re.compile(r"^reorder jit:.*%$"))
    expect(page.locator("tr.hot .no")).to_have_text(["4", "5"])
    expect(page).to_have_url(re.compile("#log="))
    page.get_by_label("Reorders only").check()
    expect(page.locator("run-events tbody tr")).to_have_count(6)
    page.reload()
    expect(facts).to_contain_text("lines not read")
    assert rows(page) == 8
    assert heard == []


def test_events_are_sorted_by_time_and_a_row_lists_its_tensors(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport={"width": 390, "height": 844})
    page.goto("/run")
    numbers = page.locator("run-events .no")
    expect(numbers).to_have_text([str(at) for at in range(1, 9)])
    by_time = page.get_by_role("button", name="time", exact=True)
    by_time.click()
    expect(page.locator("run-events th[aria-sort=descending]")).to_have_count(1)
    times = page.locator("run-events td.number").all_inner_texts()
    units = {"µs": 1, "ms": 1000}
    found = [float(text.split()[0]) * units[text.split()[1]] for text in times]
    assert found == sorted(found, reverse=True)
    first = page.locator("run-events tbody tr").first
    first.locator("th").click()
    listed = page.locator("run-events .tensors li")
    expect(listed).to_have_count(first.locator(".layouts > *").count())
    expect(listed.first).to_contain_text(" kB")
    assert axe(page, "run-events") == []
    by_time.click()
    expect(numbers).to_have_text([str(at) for at in range(1, 9)])
    expect(page.locator("run-events .tensors")).to_have_count(1)
    page.locator("tr:has(+ .tensors) button").press("Enter")
    expect(listed).to_have_count(0)


def test_an_operand_is_one_click_from_its_memory(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/run")
    leads = page.locator("run-finding .lead")
    expect(leads).to_have_text(
        [
            re.compile("See row 4 in the explorer"),
            re.compile("Watch row 4 step by step"),
            "Lesson: What a reorder costs",
        ]
    )
    for at, there in enumerate(("compare-bar", "reorder-page", "learn-page")):
        leads.nth(at).click()
        expect(page.locator(there)).to_be_visible()
        page.go_back()
    page.get_by_role("link", name="dst aBcd16b", exact=True).first.click()
    expect(page).to_have_url(re.compile("layout=onednn(%3A|:)aBcd16b"))
    expect(page.locator("memory-view").first).to_be_visible()


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_the_chain_is_drawn_and_leads_to_memory_and_to_rows(
    new_page: NewPage, axe: Axe, size: tuple[int, int]
) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    page.goto("/run")
    boxes = page.locator("run-chain .box")
    expect(boxes).to_have_count(8)
    expect(page.locator("run-chain .box.changed .title")).to_have_text(
        ["aBcd16b → abcd", "abcd → aBcd16b"]
    )
    expect(page.locator("run-chain .label").last).to_have_text("aBcd16b")
    expect(page.locator("run-chain .line.unknown title")).to_have_text(
        "src 2x8x12x12: aBcd16b, one of 2"
    )
    page.locator("run-chain .legend").get_by_role("button", name="candidates").click()
    expect(page.locator("#word-candidate")).to_contain_text("wrote a tensor of the same shape")
    page.keyboard.press("Escape")
    assert axe(page, "run-chain") == []
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    boxes.last.click()
    expect(page.locator('run-events tr[data-event="7"]')).to_be_in_viewport()
    page.locator("run-chain a.line.plain").dispatch_event("click")
    expect(page).to_have_url(re.compile("layout=onednn(%3A|:)abcd"))


def test_what_is_not_certain_is_said_in_whole_words(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/run")
    other = reorder("abcd", "acdb", "2x32x12x12", "0.7")
    page.evaluate(PASTE, HEADER + conv(16, 32, mark="") + conv(32, 32, mark="", ms="0.3") + other)
    title = page.locator("run-finding .title")
    expect(title).to_have_text(re.compile(r"47\s% of the time is in reorders"))
    page.evaluate(PASTE, HEADER + 2 * conv(16, 32) + conv(32, 48))
    expect(title).to_have_text("3 events, no reorder")
    reads = page.locator("run-events .reads").last
    expect(reads).to_have_text("src of 2, or an earlier one: 2 candidates")
    expect(page.locator("run-facts")).to_contain_text("0 bytes")


def test_bars_are_as_long_as_their_times(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/run")
    axis = page.locator("run-events .axis span")
    expect(axis.first).to_have_text("0")
    ends = page.locator("run-events .axis, run-events .axis span:last-child").evaluate_all(
        "parts => parts.map(part => part.getBoundingClientRect().right)"
    )
    assert ends[0] == pytest.approx(ends[1], abs=1)
    widths = page.locator("run-events .lane .time-bar").evaluate_all(
        "bars => bars.map(bar => bar.offsetWidth / bar.parentElement.offsetWidth)"
    )
    assert len(widths) == 8
    lengths = page.locator("run-events tbody .number").all_text_contents()
    times = [float(text.removesuffix(" µs")) for text in lengths]
    for width, time in zip(widths, times, strict=True):
        assert width == pytest.approx(time / sum(times), abs=0.01)
    last = axis.last.inner_text().removesuffix(" µs")
    assert float(last) == pytest.approx(sum(times), rel=0.001)


def test_labels_of_the_chain_are_not_cut(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/run")
    twice = 2 * reorder("abcd", "ABcd16b16a", "32x32x3x3")
    page.evaluate(PASTE, HEADER + reorder("abcd", "aBcd16b", "2x32x12x12") + twice + conv(32, 32))
    expect(page.locator("run-chain .label").last).to_have_text("ABcd16b16a, one of 2")
    over = page.locator("run-chain .window > svg").evaluate(
        """svg => [...svg.querySelectorAll('.label')].map(label =>
            label.getBoundingClientRect().right - svg.getBoundingClientRect().right)"""
    )
    assert max(over) <= 0


def test_the_implementation_has_a_column_where_there_is_room(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/run")
    head = page.get_by_role("columnheader", name="implementation")
    expect(head).to_be_visible()
    expect(page.locator("run-events tbody .implementation").first).not_to_be_empty()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(head).to_be_hidden()
    shown = page.locator("run-events tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].filter(cell => cell.checkVisibility()).length)"
    )
    assert set(shown) == {5}


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_a_long_trace_fits_the_page_and_its_time_line_has_all_events(
    new_page: NewPage, size: tuple[int, int]
) -> None:
    program = Program()
    for at in range(300):
        given = {"log": plain_conv(32, 32), "arguments": CONVOLUTION}
        program.add("convolution.default", [tensor(at), weights(900)], tensor(at + 1), **given)
    page = new_page(viewport={"width": size[0], "height": size[1]})
    page.goto("/run")
    page.evaluate(PASTE, saved(program.trace))
    expect(page.locator("run-facts")).to_contain_text("by PyTorch's rules")
    expect(page.locator("run-facts")).to_contain_text(
        "keep channels_last through block.conv (model.py:42)"
    )
    expect(page.locator("run-events tbody small").first).to_have_text("block.conv, model.py:42")
    expect(page.locator("run-chain .box")).to_have_count(300)
    assert page.locator("run-chain .box.changed").count() > 200
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    ends = page.locator("run-events .over .time-bar").evaluate_all(
        "bars => bars.map(bar => parseFloat(bar.style.left) + parseFloat(bar.style.width))"
    )
    assert max(ends) == pytest.approx(100)
    assert len(ends) <= 800


def test_what_is_no_log_is_refused_and_the_last_run_stays(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/run")
    expect(page.locator("run-events tbody tr")).to_have_count(8)
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
def test_other_pages_lead_a_pasted_log_here(new_page: NewPage, where: str) -> None:
    page = new_page()
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


def test_the_drawing_is_saved(new_page: NewPage, tmp_path: Path) -> None:
    page = new_page()
    page.goto("/run")
    boxes = page.locator("run-chain .window .box")
    expect(boxes.first).to_be_visible()
    for ending, begins in (("svg", b"<svg "), ("png", b"\x89PNG"), ("mmd", b"flowchart TD")):
        page.keyboard.press("Control+k")
        page.keyboard.type("save as mermaid" if ending == "mmd" else f"save as {ending}")
        with page.expect_download() as saving:
            page.keyboard.press("Enter")
        assert saving.value.suggested_filename == f"Example.{ending}"
        saving.value.save_as(tmp_path / ending)
        assert (tmp_path / ending).read_bytes().startswith(begins)
    drawn = ElementTree.fromstring((tmp_path / "svg").read_bytes())
    named = [g for g in drawn.iter("{http://www.w3.org/2000/svg}g") if g.get("data-event")]
    assert len(named) == boxes.count()
