"""Pictures and arrays: decoded in the browser, shown as they lie in memory."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from tests.browser.explorer import Explorer

pytestmark = pytest.mark.browser


def png(pixels: NDArray[np.uint8], *, claimed: tuple[int, int] | None = None) -> bytes:
    """A PNG of (H, W, 3) pixels; ``claimed`` (width, height) stands in its header instead."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", *(claimed or (width, height)), 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def npy(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def drop(page: Page, name: str, content: bytes) -> None:
    """Drop a file onto the page as the browser would."""
    page.evaluate(
        """([name, content]) => {
            const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], name));
            for (const type of ['dragover', 'drop']) {
                const event = new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true});
                document.body.dispatchEvent(event);
            }
        }""",
        [name, base64.b64encode(content).decode()],
    )


def halves() -> NDArray[np.uint8]:
    """24 x 32 pixels: the left half red, the right half blue, no green at all."""
    pixels = np.zeros((24, 32, 3), np.uint8)
    pixels[:, :16, 0] = 250
    pixels[:, 16:, 2] = 250
    return pixels


def test_a_dropped_png_shows_its_planes_as_nchw(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3&layout=HW")
    drop(page, "halves.png", png(halves()))
    expect(explorer.field("shape")).to_have_value("1,3,24,32")
    expect(explorer.field("layout")).to_have_value("NCHW")
    expect(explorer.field("dtype")).to_have_value("uint8")
    expect(explorer.about("a")).to_contain_text("2\u202f304 addresses")
    expect(page.locator("value-source .loaded")).to_contain_text("halves.png, 32 × 24")
    explorer.fit("a")

    def brightness(plane: int, column: int) -> int:
        address = plane * 24 * 32 + 12 * 32 + column
        return sum(explorer.pixel("a", explorer.memory_cell("a", address)))

    assert brightness(0, 4) > brightness(0, 28) + 150, "the red plane is bright on the left"
    assert brightness(2, 28) > brightness(2, 4) + 150, "the blue plane is bright on the right"
    assert abs(brightness(1, 4) - brightness(1, 28)) < 30, "the green plane is dark throughout"
    red, green, blue = explorer.pixel("a", explorer.memory_cell("a", 12 * 32 + 4))
    assert red > max(green, blue) + 50, "the planes carry their own colour"


@pytest.mark.parametrize(
    ("layout", "address"),
    [("NCHW", 2 * 768 + 5 * 32 + 20), ("NHWC", 5 * 96 + 60 + 2), ("NCHW4", 5 * 128 + 80 + 2)],
)
def test_the_values_of_a_picture_follow_the_layout(page: Page, layout: str, address: int) -> None:
    explorer = Explorer(page).open(f"?shape=1,3,4,4&layout={layout}")
    drop(page, "halves.png", png(halves()))
    expect(explorer.field("shape")).to_have_value("1,3,24,32")
    expect(explorer.field("layout")).to_have_value(layout)
    expect(explorer.about("logical")).to_contain_text("24 × 32")
    explorer.fit("a")
    explorer.hover("a", explorer.memory_cell("a", address))
    explorer.expect_lit("0,2,5,20", address)
    expect(explorer.sum).to_contain_text("value 250")


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_shows_its_values_in_the_order_of_its_file(page: Page, order: str) -> None:
    explorer = Explorer(page).open()
    array = np.asarray(np.arange(12, dtype=">i2").reshape(3, 4) * 7 - 30)
    drop(page, "a.npy", npy(np.asarray(array, order="F" if order == "F" else "C")))
    expect(explorer.field("shape")).to_have_value("3,4")
    expect(explorer.field("layout")).to_have_value("HW" if order == "C" else "1,3")
    expect(explorer.field("dtype")).to_have_value("int16")
    expect(explorer.about("a")).to_contain_text("12 addresses")
    explorer.settle()
    explorer.hover("a", explorer.memory_cell("a", 5))
    coords = (1, 1) if order == "C" else (2, 1)
    explorer.expect_lit(f"{coords[0]},{coords[1]}", 5)
    expect(explorer.sum).to_contain_text(f"value {array[coords]}")


def test_the_file_button_does_the_same(page: Page) -> None:
    explorer = Explorer(page).open()
    content = npy(np.linspace(0, 1, 6).reshape(1, 2, 3))
    page.locator("value-source input").set_input_files(
        {"name": "b.npy", "mimeType": "application/octet-stream", "buffer": content}
    )
    expect(explorer.field("shape")).to_have_value("1,2,3")
    expect(explorer.field("dtype")).to_have_value("float64")
    expect(explorer.field("layout")).to_have_value("CHW")


def test_the_sample_picture_is_in_the_address(page: Page) -> None:
    explorer = Explorer(page).open()
    page.get_by_role("button", name="Sample picture").click()
    expect(explorer.about("logical")).to_contain_text("96 × 128")
    page.reload()
    expect(page.locator("value-source .loaded")).to_contain_text("Sample picture")
    page.go_back()
    expect(page.locator("value-source .loaded")).to_be_empty()


BAD = (
    ("notes.txt", b"hello", "neither a picture"),
    ("short.npy", b"\x93NUMPY\x01\x00", "npy"),
    ("pickle.npy", npy(np.array([1, 2], np.float64)).replace(b"'<f8'", b"'|O' "), "pickle"),
    ("bomb.png", png(halves(), claimed=(60_000, 60_000)), "60000 × 60000 pixels"),
    ("broken.png", png(halves())[:60], "neither a picture"),
    ("empty.png", b"", "neither a picture"),
)


@pytest.mark.parametrize(("name", "content", "says"), BAD, ids=[bad[0] for bad in BAD])
def test_a_bad_file_is_refused_in_words(page: Page, name: str, content: bytes, says: str) -> None:
    explorer = Explorer(page).open()
    drop(page, name, content)
    expect(page.locator("value-source .error")).to_contain_text(says)
    expect(explorer.field("shape")).to_have_value("1,6,4,5")
    explorer.expect_lit("0,2,1,2", 30)
