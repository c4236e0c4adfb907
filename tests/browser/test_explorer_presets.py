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


# name, strides in elements, addresses of the buffer, one more thing the facts or the sum say
STATED = [
    ("A picture as planes, stripes and combs", "36864 1 384 3", 36864, "Sample picture"),
    ("Row major 2 × 3", "3 1", 6, "byte 12"),
    ("Column major 2 × 3", "1 2", 6, "byte 4"),
    ("DHW 2 × 2 × 3", "6 3 1", 12, "= 1·6 + 0·3 + 1·1"),
    ("Broadcast rows", "0 1", 3, "shared by 2"),
    ("Broadcast channels", "6 0 3 1", 6, "shared by 3"),
    ("Rows with gaps", "5 1", 10, "= 1·5 + 0·1"),
    ("Packed NCHW 1,1,3,5", "15 15 5 1", 15, "= 0·15 + 0·15 + 1·5 + 2·1"),
    ("Packed NHWC 1,1,3,5", "15 1 5 1", 15, "= 0·15 + 0·1 + 1·5 + 2·1"),
    ("NHWC beside NCHW", "15 15 5 1", 15, "c·1"),
    ("int32 2 × 5", "5 1", 10, "byte 28"),
    ("Row major 3 × 3", "3 1", 9, "= 1·3 + 1·1"),
    ("Figure: NCHW", "576 9 3 1", 1152, "= 0·576 + 1·9"),
    ("Figure: NHWC", "576 1 192 64", 1152, "c·1"),
    ("Figure: NCHW4", "576 36,1 12 4", 1152, "(c mod 4)·1"),
    ("Figure: NCHW32", "576 288,1 96 32", 1152, "(c mod 32)·1"),
    ("Figure: NCHW64", "576 1 192 64", 1152, "upper half"),
    ("Figure: CHWN4", "4 72,1 24 8", 1152, "⌊c/4⌋·72"),
    ("Matrix with LDA 6", "6 1", 16, "m·6 + n·1"),
    ("Transposed, LDA 5", "1 5", 18, "m·1 + n·5"),
    ("Submemory", "6 1", 24, "8 + m·6 + n·1"),
    ("contiguous", "3072 1024 32 1", 30720, "c·1024"),
    ("channels_last", "3072 1 96 3", 30720, "channels_last"),
    ("permute(0, 2, 3, 1)", "3072 32 1 1024", 30720, "c·1024"),
    ("x[0] of channels_last", "3072 1 96 3", 30720, "strides 1, 96, 3 from 0"),
    ("x[0].unsqueeze(0)", "3072 1 96 3", 3072, "channels_last"),
    ("Chunk along channels", "64 16 4 1", 96, "n·64"),
    ("Permuted into channels_last", "768 1 48 3", 7680, "channels_last"),
    ("One channel: both at once", "16 16 4 1", 32, "c·1"),
    ("nChw16c", "512 256,1 64 16", 1024, "⌊c/16⌋·256|1·256"),
    ("Every second, forwards", "16 16 4 1", 16, "1, 3, 9, 11"),
    ("Rows backwards", "16 16 4 1", 16, "13, 15, 5, 7"),
    ("The same as an index", "16 16 4 1", 16, "13, 15, 5, 7"),
    ("CuTe: nested modes", "4,1 8,2", 16, "(w mod 2)·2"),
    ("CuTe: swizzle", "8 1", 64, "26 ^ 3"),
    ("TVM: NCHW4n4c", "192,4 96,1 48 16", 384, "(n mod 4)·4"),
    ("XLA: tiled", "16,4 8,1", 48, "padded to6 × 8"),
    ("oneDNN: OIhw2i8o4i", "256,4 256,32,1 128 64", 256, "1·32 + 1·1"),
    ("TensorRT: kCHW32", "576 288,1 96 32", 576, "padded to1 × 64 × 3 × 3"),
    ("cuDNN: NCHW_VECT_C", "72 36,1 12 4", 144, "(c mod 4)·1"),
    ("MegEngine: NCHW44 weights", "288,1 144,4 48 16", 576, "(o mod 4)·1"),
    ("MLIR: affine map", "16,4 8,1", 32, "⌊h/2⌋·16"),
    ("An index expression in C", "160 80,1 20 4", 160, "Read as C index"),
    ("Picture as NCHW", "36864 12288 128 1", 36864, "Sample picture"),
    ("Picture as NHWC", "36864 1 384 3", 36864, "Sample picture"),
    ("Picture as NCHW4", "49152 1 512 4", 49152, "Sample picture"),
    ("10¹² elements as NCHW", "1000000000 1000000 1000 1", 10**12, "2·1000 + 3·1"),
    ("10¹² elements as NHWC", "1000000000 1 1000000 1000", 10**12, "2·1000000"),
    ("10¹² elements as NCHW4", "1000000000 4000000,1 4000 4", 10**12, "2·4000"),
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
    expect(page.locator("lesson-note .see")).not_to_be_empty()
    expect(explorer.about("a")).to_have_text(re.compile(grouped(f"   {addresses} addresses$")))
    column = page.locator("layout-facts tbody tr td:nth-child(3)")
    expect(column).to_have_text([grouped(text.replace(",", ", ")) for text in strides.split(" ")])
    expect(page.locator("stride-explorer")).to_contain_text(
        re.compile(says if "|" in says else re.escape(grouped(says)))
    )
    assert [text for text in page.locator(".error").all_text_contents() if text.strip()] == []


def test_the_table_above_names_every_example(explorer: Explorer) -> None:
    names = explorer.page.locator("preset-list button").all_text_contents()
    assert names[1:] == [stated[0] for stated in STATED]
