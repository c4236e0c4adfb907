"""Every worked example of the source documents opens and says what its document says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.explorer import Explorer, grouped, one_page
from tests.browser.pages import Pages

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def explorer(pages: Pages) -> Iterator[Explorer]:
    """One page for all examples: choosing one must leave nothing behind for the next."""
    with one_page(pages) as opened:
        yield opened


# name, strides in elements, addresses of the buffer, one more thing the facts or the sum say: the
# sum has each value above its term
STATED = [
    ("A picture as planes, stripes and combs", "36864 1 384 3", 36864, "Sample picture"),
    ("Row-major: one row after another", "3 1", 6, "byte 12"),
    ("Column-major: one column after another", "1 2", 6, "byte 4"),
    ("An address is a sum of steps", "6 3 1", 12, "= 6 d·6 + 0 h·3 + 1 w·1"),
    ("Two indices become one offset", "3 1", 9, "= 3 h·3 + 1 w·1"),
    ("Addresses count elements, memory counts bytes", "5 1", 10, "byte 28"),
    ("Packed strides follow from the sizes", "15 15 5 1", 15, "= 0 n·15 + 0 c·15 + 5 h·5 + 2 w·1"),
    ("One channel, two names", "15 1 5 1", 15, "= 0 n·15 + 0 c·1 + 5 h·5 + 2 w·1"),
    ("Two orders of one tensor", "15 15 5 1", 15, "c·1"),
    ("NCHW: each channel is a plane", "576 9 3 1", 1152, "= 0 n·576 + 9 c·9"),
    ("NHWC: the channels of a pixel are neighbours", "576 1 192 64", 1152, "c·1"),
    ("Contiguous: memory in logical order", "3072 1024 32 1", 30720, "c·1024"),
    ("channels_last: the same shape, other strides", "3072 1 96 3", 30720, "channels_last"),
    ("A permutation can make channels_last unasked", "768 1 48 3", 7680, "channels_last"),
    ("Contiguous and channels_last at once", "16 16 4 1", 32, "c·1"),
    ("NCHW4: four channels of a pixel together", "576 36,1 12 4", 1152, "(c mod 4)·1"),
    ("NCHW32: blocks that feed tensor cores", "576 288,1 96 32", 1152, "(c mod 32)·1"),
    ("One block of all channels is NHWC", "576 1 192 64", 1152, "upper half"),
    ("CHWN4: the images of a pixel together", "4 72,1 24 8", 1152, "⌊c/4⌋·72"),
    (
        "nChw16c: the name tells the block",
        "512 256,1 64 16",
        1024,
        "256 ⌊c/16⌋·256 + 1 (c mod 16)·1",
    ),
    ("A vector that is only partly used", "576 288,1 96 32", 576, "padded to1 × 64 × 3 × 3"),
    ("Strides may count vectors", "72 36,1 12 4", 144, "(c mod 4)·1"),
    ("Blocks of two dimensions at once", "192,4 96,1 48 16", 384, "(n mod 4)·4"),
    (
        "A dimension that is split twice",
        "256,4 256,32,1 128 64",
        256,
        "32 (⌊i/4⌋ mod 2)·32 + 1 (i mod 4)·1",
    ),
    ("Weights in blocks of outputs and inputs", "288,1 144,4 48 16", 576, "(o mod 4)·1"),
    ("Tiles reach beyond the edge", "16,4 8,1", 48, "padded to6 × 8"),
    ("A map that makes tiles", "16,4 8,1", 32, "⌊h/2⌋·16"),
    ("Tiles within tiles: Morton order", "4,1 8,2", 16, "(w mod 2)·2"),
    ("Stride 0: one row is stored for all", "0 1", 3, "shared by 2"),
    ("Stride 0: one channel is stored for all", "6 0 3 1", 6, "shared by 3"),
    ("A larger stride leaves gaps", "5 1", 10, "= 5 h·5 + 0 w·1"),
    ("A leading dimension is a stride", "6 1", 16, "6 m·6 + 0 n·1"),
    ("A transposition exchanges strides", "1 5", 18, "0 m·1 + 5 n·5"),
    ("A window has an offset and the same strides", "6 1", 24, "= 8 8 + 0 m·6 + 0 n·1"),
    ("permute copies no element", "3072 32 1 1024", 30720, "c·1024"),
    ("One image is a view at an offset", "3072 1 96 3", 30720, "strides 1, 96, 3 from 0"),
    ("The stride of a size of 1 does not count", "3072 1 96 3", 3072, "channels_last"),
    ("A chunk of the channels has holes", "64 16 4 1", 96, "n·64"),
    ("A slice takes every second cell", "16 16 4 1", 16, "1, 3, 9, 11"),
    ("A negative stride begins at the end", "16 16 4 1", 16, "13, 15, 5, 7"),
    ("The same window as an index", "16 16 4 1", 16, "13, 15, 5, 7"),
    ("Rows as wide as the banks make a column wait", "32 1", 1024, "h·32"),
    ("A swizzle spreads a column over the banks", "8 1", 64, "26 ^ 3"),
    ("A layout can be an expression in C", "160 80,1 20 4", 160, "Read as C index"),
    ("A picture as three planes", "36864 12288 128 1", 36864, "Sample picture"),
    ("A picture in stripes", "36864 1 384 3", 36864, "Sample picture"),
    ("A picture as a comb", "49152 1 512 4", 49152, "Sample picture"),
    (
        "A million million elements open at once",
        "1000000000 1000000 1000 1",
        10**12,
        "2000 h·1000 + 3 w·1",
    ),
    ("10¹² elements, channels innermost", "1000000000 1 1000000 1000", 10**12, "2000000 h·1000000"),
    ("10¹² elements in blocks of four", "1000000000 4000000,1 4000 4", 10**12, "8000 h·4000"),
]


@pytest.mark.parametrize(
    ("name", "strides", "addresses", "says"), STATED, ids=[s[0] for s in STATED]
)
def test_an_example_shows_what_its_document_says(
    explorer: Explorer, name: str, strides: str, addresses: int, says: str
) -> None:
    page = explorer.page
    button = page.locator("preset-list").get_by_text(name, exact=True)
    explorer.press(button)
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("example-story .see")).not_to_be_empty()
    expect(explorer.about("a")).to_have_text(re.compile(grouped(f"   {addresses} addresses$")))
    column = page.locator("layout-facts tbody tr td:nth-child(3)")
    expect(column).to_have_text([grouped(text.replace(",", ", ")) for text in strides.split(" ")])
    expect(page.locator("stride-explorer")).to_contain_text(re.compile(re.escape(grouped(says))))
    assert [text for text in page.locator(".error").all_text_contents() if text.strip()] == []


def test_the_table_above_names_every_example(explorer: Explorer) -> None:
    names = explorer.page.locator("preset-list button").all_text_contents()
    assert names[1:] == [stated[0] for stated in STATED]
