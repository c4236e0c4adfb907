"""The cost lens: what is counted stands beside the grids, and what costs less is one press away."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.explorer import PHONE, Explorer, no_message
from tests.browser.pages import Axe, NewPage

TILE = "?shape=32,32&layout=HW"
PAIR = "?shape=2,6,8,8&layout=NCHW&b-layout=NHWC"


console = pytest.fixture(autouse=True)(no_message)


def row(page: Page, name: str) -> Locator:
    # By the text that is read: beside an explained word its accessible name has a space more.
    header = page.get_by_role("rowheader").filter(has_text=re.compile(f"^{re.escape(name)}$"))
    return page.locator("cost-lens .counts tbody tr").filter(has=header)


def test_a_tile_with_conflicts_and_its_swizzle(page: Page, axe: Axe) -> None:
    explorer = Explorer(page).open(TILE)
    page.get_by_role("tab", name="Facts").focus()
    page.keyboard.press("End")  # the last tab
    expect(page.get_by_role("tabpanel", name="Cost")).to_contain_text("Counted, not measured")
    expect(row(page, "lines fetched")).to_have_text("lines fetched64")
    page.get_by_role("radio", name="GPU warp").check()
    explorer.keep("a")
    page.locator("[data-cost=space]").select_option("shared")
    expect(row(page, "passes, one warp")).to_have_text("passes, one warp1")
    page.get_by_label("32 lanes along").select_option("H")
    expect(row(page, "passes, one warp")).to_have_text("passes, one warp32")
    explorer.expect_changed("a")  # the lanes are marked
    page.get_by_label("Colour").select_option("@bank")
    expect(page.locator("grid-legend")).to_contain_text("by bank of shared memory, 32 of 4 B")
    expect(page.locator("grid-legend")).to_contain_text("lane of the warp")
    page.get_by_role("button", name="Suggest a layout").press("Enter")
    fixes = page.locator("warp-cost ul.fixes li")
    expect(fixes).to_have_count(2)
    expect(fixes.nth(0)).to_contain_text("a gap of 1 element per step of h")
    expect(fixes.nth(0)).to_contain_text("along h 32 passes of all warps (32), no conflict")
    assert axe(page, ".facts") == []
    page.get_by_role("button", name="Compare with Swizzle<5,0,5>").click()
    expect(explorer.field("layout", "b")).to_have_value(re.compile("Swizzle<5,0,5>"))
    expect(row(page, "passes, one warp")).to_have_text("passes, one warp321")
    expect(row(page, "passes, all warps (32)")).to_have_text("passes, all warps (32)1\u202f02432")
    expect(row(page, "conflicts, all warps (32)")).to_have_text("conflicts, all warps (32)9920")
    assert axe(page, ".facts") == []
    expect(page).to_have_url(re.compile("colour=@bank|colour=%40bank"))
    page.reload()
    expect(row(page, "passes, one warp")).to_have_text("passes, one warp321")
    explorer.show_tensor()
    explorer.expect_drawn("logical")
    explorer.click("logical", explorer.middle("logical", 3, 0))
    expect(row(page, "active lanes")).to_have_text("active lanes32 of 3232 of 32")
    page.get_by_role("button", name="Suggest a layout").click()
    page.get_by_role("button", name=re.compile("^Use a gap of 1 element")).click()
    expect(explorer.field("layout")).to_have_value("(33, 1)")
    expect(row(page, "passes, one warp")).to_have_text("passes, one warp11")


def test_orders_of_two_layouts(page: Page, axe: Axe) -> None:
    explorer = Explorer(page).open(f"{PAIR}&tab=cost&colour=@line")
    expect(page.locator("grid-legend")).to_contain_text("by cache line of 64 B, again after 8")
    expect(row(page, "lines fetched")).to_have_text("lines fetched48288")
    orders = page.locator("walk-cost .orders tbody tr")
    expect(orders).to_have_count(24)
    expect(orders.nth(0)).to_have_text("NCHWleast 48288")
    expect(page.locator("walk-cost .orders")).to_contain_text("Without a cache")
    totals, table = (
        page.locator(f"walk-cost {name}").bounding_box() for name in (".counts", ".orders")
    )
    assert totals
    assert table
    assert totals["y"] < table["y"]
    page.get_by_role("button", name="Count with 32 KiB").click()
    expect(row(page, "lines fetched")).to_have_text("lines fetched4848")
    expect(page.locator("walk-cost .orders")).not_to_contain_text("Without a cache")
    page.go_back()
    expect(orders.nth(0)).to_have_text("NCHWleast 48288")
    expect(orders.filter(has_text="NHWC")).to_have_text(re.compile("^NHWC768least 48$"))
    page.get_by_role("button", name="NHWC", exact=True).click()
    expect(row(page, "lines fetched")).to_have_text("lines fetched76848")
    expect(page.get_by_label("Loops", exact=True)).to_have_value("NHWC")
    assert axe(page, ".facts") == []
    explorer.keep("a")
    page.get_by_label("Line, B").fill("128")
    expect(row(page, "lines, different")).to_have_text("lines, different2424")
    explorer.expect_changed("a")  # the colours follow
    page.get_by_label("Cache, B").fill("1024")
    expect(row(page, "lines fetched")).not_to_have_text("lines fetched76824")
    page.get_by_label("Ways", exact=True).fill("0")
    expect(page.get_by_label("Ways", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Ways", exact=True).fill("7")
    expect(page.locator("walk-cost .error")).to_contain_text("multiple of 896")
    page.get_by_label("Ways", exact=True).fill("8")
    page.get_by_label("Loops", exact=True).fill("NHWX")
    expect(page.locator("walk-cost .error")).to_contain_text("the letters N, C, H, W")
    expect(page).to_have_url(re.compile("order=NHWX&line=128&cache=1024"))


def test_what_is_counted_beside_a_slice_is_said(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,6,8,8&layout=NCHW&tab=cost&slice=0,:2")
    expect(page.get_by_text("Of the whole tensor, not of the slice.")).to_be_visible()
    expect(row(page, "accesses")).to_have_text("accesses768")
    explorer.field("slice").fill("")
    expect(page.get_by_text("Of the whole tensor, not of the slice.")).to_be_hidden()


def test_a_count_that_stopped_is_explained(page: Page) -> None:
    Explorer(page).open("?shape=128,64,56,56&layout=NHWC&tab=cost&cache=32768")
    orders = page.locator("walk-cost .orders")
    expect(orders).to_contain_text("Orders with ≥ fetch at least as many")
    expect(orders.locator("tbody tr").filter(has_text="≥").first).to_contain_text("WNHC")
    expect(orders.locator("tbody tr").last).to_contain_text("≥")


def test_the_lens_on_a_phone(new_page: NewPage, axe: Axe) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    Explorer(page).open(f"{TILE}&tab=cost&cost=warp&space=shared&along=H&colour=@bank")
    expect(page.get_by_role("tab", name="Cost")).to_be_in_viewport()  # a link leads to its tab
    expect(row(page, "passes, one warp")).to_have_text("passes, one warp32")
    page.get_by_role("button", name="Suggest a layout").tap()
    expect(page.locator("warp-cost ul.fixes li")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(page, ".facts") == []
