"""Pictures and arrays: decoded in the browser, shown as they lie in memory."""

import base64
import io
import json
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, grouped
from tests.browser.pages import Axe, drop


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


def halves() -> NDArray[np.uint8]:
    """24 x 32 pixels: the left half red, the right half blue, no green at all."""
    pixels = np.zeros((24, 32, 3), np.uint8)
    pixels[:, :16, 0] = 250
    pixels[:, 16:, 2] = 250
    return pixels


def test_a_dropped_png_shows_its_planes_and_its_values_follow_the_layout(page: Page) -> None:
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
    for layout, address in (("NHWC", 5 * 96 + 60 + 2), ("NCHW4", 5 * 128 + 80 + 2)):
        explorer.field("layout").fill(layout)
        expect(explorer.about("a")).to_contain_text(f"{layout} ")
        explorer.fit("a")
        explorer.hover("a", explorer.memory_cell("a", address))
        explorer.expect_lit("0,2,5,20", address)
        expect(explorer.sum).to_contain_text("value 250")


def test_an_array_shows_its_values_in_the_order_of_its_file(page: Page) -> None:
    explorer = Explorer(page).open()
    array = np.asarray(np.arange(12, dtype=">i2").reshape(3, 4) * 7 - 30)
    for file, layout, said, coords in (
        (npy(array), "HW", "HW", (1, 1)),
        (npy(np.asfortranarray(array)), "1,3", "(1, 3)", (2, 1)),
    ):
        drop(page, f"{layout}.npy", file)
        expect(page.locator("value-source .loaded")).to_contain_text(f"{layout}.npy")
        expect(explorer.field("shape")).to_have_value("3,4")
        expect(explorer.field("layout")).to_have_value(layout)
        expect(explorer.field("dtype")).to_have_value("int16")
        expect(explorer.about("a")).to_contain_text(f"{said}   12 addresses")
        explorer.settle()
        explorer.hover("a", explorer.memory_cell("a", 5))
        explorer.expect_lit(f"{coords[0]},{coords[1]}", 5)
        expect(explorer.sum).to_contain_text(f"value {array[coords]}")
    # Complex values have both parts, and colours by their absolute value.
    phases = np.array([[3 + 4j, 1.5 - 2j, 0.1j]], "c8")
    drop(page, "phases.npy", npy(np.asfortranarray(phases.repeat(2, axis=0))))
    expect(explorer.field("dtype")).to_have_value("complex64")
    expect(page.locator("grid-legend")).to_contain_text("by absolute value, 0.1 to 5")
    explorer.settle()
    explorer.hover("a", explorer.memory_cell("a", 3))
    expect(explorer.sum).to_contain_text("value 1.5-2j")


def test_the_sample_picture_keeps_a_layout_of_its_letters_and_is_in_the_address(page: Page) -> None:
    explorer = Explorer(page).open()
    loaded = page.locator("value-source .loaded")
    for given, layout, beside in (
        ("NHWC&b-layout=letters:NCHW4", "NHWC", "letters:NCHW4"),
        ("nhwc&b-layout=80,20,5,1", "NCHW", ""),
        ("GOHW&b-layout=NHWC", "NCHW", "NHWC"),
    ):
        explorer.show(f"?shape=2,4,4,5&layout={given}")
        expect(loaded).to_be_empty()
        explorer.press(page.get_by_role("button", name="Sample picture", include_hidden=True))
        expect(explorer.about("logical")).to_contain_text("96 × 128")
        expect(explorer.field("layout")).to_have_value(layout)
        expect(explorer.field("layout", "b")).to_have_value(beside)
    page.reload()
    expect(loaded).to_contain_text("Sample picture")
    page.go_back()
    expect(loaded).to_be_empty()


# No two neighbours are told the same: each message takes the place of another.
BAD = (
    ("notes.txt", b"hello", "perhaps the log of a run: open it on the page Runs"),
    ("pickle.npy", npy(np.array([1, 2], np.float64)).replace(b"'<f8'", b"'|O' "), "pickle"),
    ("bomb.png", png(halves(), claimed=(60_000, 60_000)), "60000 × 60000 pixels"),
    ("broken.png", png(halves())[:60], "neither a picture"),
    ("huge.safetensors", b"\xff" * 8, "at most 100000000 are read"),
    ("cut.safetensors", b"\x09" + bytes(7) + b'{"a":', "ends inside its header"),
    ("empty.safetensors", b"\x02" + bytes(7) + b"{}", "contains no tensors"),
)


def test_a_bad_file_is_refused_in_words(page: Page) -> None:
    explorer, error = Explorer(page).open(BLOCKED), page.locator("value-source .error")
    for name, content, says in BAD:
        drop(page, name, content)
        expect(error).to_contain_text(says)
        expect(explorer.field("shape")).to_have_value("1,6,4,5")
        explorer.expect_lit("0,2,1,2", 30)


def test_an_array_of_pixels_is_a_picture_whatever_the_order_of_its_channels(page: Page) -> None:
    explorer = Explorer(page).open()
    drop(page, "cat.npy", npy(halves()))
    expect(explorer.field("shape")).to_have_value("24,32,3")
    expect(explorer.field("layout")).to_have_value("HWC")
    expect(explorer.about("logical")).to_contain_text("H W C   24 × 32 × 3")
    loaded = page.locator("value-source .loaded")
    expect(loaded).to_contain_text("cat.npy, uint8, as a picture")
    explorer.fit("logical")
    # Three planes of 24 x 32 with a gap of a cell, as the tensor's own coordinates say.
    explorer.hover("logical", explorer.middle("logical", 20, 5))
    explorer.expect_lit("5,20,0", (5 * 32 + 20) * 3)
    left = explorer.pixel("logical", explorer.middle("logical", 4, 13))
    right = explorer.pixel("logical", explorer.middle("logical", 28, 13))
    assert left[0] > sum(right) + 50, "the red plane is red on the left"
    explorer.canvas("logical").press("ArrowDown")
    loaded.get_by_role("button", name="Show as numbers").click()
    expect(explorer.field("layout")).to_have_value("CHW")
    expect(loaded.get_by_role("button", name="Show as a picture")).to_be_focused()
    page.keyboard.press("Enter")
    expect(explorer.field("layout")).to_have_value("HWC")
    for array, shape, layout in (
        (np.zeros((3, 24, 32), np.uint8), "3,24,32", "CHW"),
        (np.zeros((24, 32, 4), np.uint8), "24,32,4", "HWC"),
        (np.zeros((24, 32, 3), np.uint8, order="F"), "24,32,3", "1,24,768"),
    ):
        drop(page, f"{shape}.npy", npy(array))
        expect(explorer.field("shape")).to_have_value(shape)
        expect(explorer.field("layout")).to_have_value(layout)
        expect(loaded).to_contain_text(f"{shape}.npy, uint8, as a picture")


def test_a_lost_file_says_so_after_a_reload_and_in_a_link_also_on_a_phone(
    page: Page, axe: Axe
) -> None:
    explorer = Explorer(page).open()
    drop(page, "cat.png", png(halves()))
    loaded = page.locator("value-source .loaded")
    expect(loaded).to_contain_text("Showing cat.png")
    explorer.field("shape").fill("1,3,24,16")
    expect(loaded).to_contain_text("cat.png, 32 × 24 is not shown: it has 1 × 3 × 24 × 32 values.")
    loaded.get_by_role("button", name="Close").click()
    expect(loaded).to_be_empty()
    page.go_back()
    explorer.field("shape").fill("1,3,24,32")
    expect(loaded).to_have_text("Showing cat.png, 32 × 24")
    explorer.press(page.get_by_role("button", name="Sample picture", include_hidden=True))
    expect(loaded).to_contain_text("Showing Sample picture")
    page.go_back()
    expect(loaded).to_contain_text("Showing cat.png")
    page.reload()
    expect(loaded).to_contain_text(
        "cat.png is not kept over a reload, and no link contains it: open it again."
    )
    assert axe(page, ".inputs") == []
    with page.expect_file_chooser() as chooser:
        loaded.get_by_role("button", name="Open it again").click()
    chooser.value.set_files({"name": "cat.png", "mimeType": "image/png", "buffer": png(halves())})
    expect(loaded).to_contain_text("Showing cat.png")
    page.set_viewport_size(PHONE)
    explorer.open("?shape=2,3&layout=HW&sample=file:cat.npy")
    expect(loaded.get_by_role("button", name="Open it again")).to_be_visible()
    expect(loaded).to_contain_text("cat.npy is not kept over a reload")


def test_a_large_picture_opens_as_a_whole(page: Page) -> None:
    explorer = Explorer(page).open()
    pixels = np.repeat(np.repeat(halves(), 64, axis=0), 64, axis=1)
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        explorer.show("?shape=2,3&layout=HW")
        drop(page, "large.png", png(pixels))
        expect(explorer.about("logical")).to_contain_text(grouped("1536 × 2048"))
        expect(page.locator("value-source .loaded")).to_contain_text("large.png")
        explorer.settle()
        data = explorer.canvas("logical").evaluate("c => ({...c.dataset, width: c.clientWidth})")
        assert float(data["cell_css"]) * float(data["columns"]) <= data["width"]
        assert float(data["cell_css"]) * 2048 >= 60, "a plane is large enough to recognise"
        left = explorer.pixel("logical", explorer.middle("logical", 250, 750))
        right = explorer.pixel("logical", explorer.middle("logical", 1750, 750))
        assert left[0] > right[0] + 100


def safetensors(tensors: dict[str, tuple[str, list[int], bytes]]) -> bytes:
    """A file of (type, shape, bytes) by name."""
    entries, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        offsets = [len(body), len(body) + len(data)]
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        body += data
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text + body


WEIGHTS = safetensors({
    "layer.0.weight": ("BF16", [2, 3], np.arange(6, dtype="<f4").view("<u2")[1::2].tobytes()),
    "layer.0.bias": ("F32", [3], np.linspace(0, 1, 3, dtype="<f4").tobytes()),
    "scale": ("F8_E8M0", [1], bytes(1)),
    **{f"more.{n}": ("I8", [n], bytes(range(n))) for n in range(12)},
})  # fmt: skip  # a table: a tensor a row


def test_a_tensor_of_a_safetensors_file_is_chosen_from_a_list(page: Page, axe: Axe) -> None:
    explorer = Explorer(page).open()
    drop(page, "model.safetensors", WEIGHTS)
    shelf = page.locator("value-source .tensors")
    expect(shelf).to_contain_text("model.safetensors contains 15 tensors.")
    expect(shelf).to_contain_text("scale 1 F8_E8M0: the type is not supported")
    assert axe(page, ".inputs") == []
    shelf.get_by_label("Part of the name").fill("layer")
    expect(shelf.locator("li")).to_have_count(2)
    weight = shelf.get_by_role("button", name="layer.0.weight")
    expect(weight).to_have_text("layer.0.weight 2 × 3 bfloat16")
    weight.focus()
    page.keyboard.press("Enter")
    expect(explorer.field("shape")).to_have_value("2,3")
    expect(explorer.field("dtype")).to_have_value("bfloat16")
    expect(weight).to_be_focused()
    expect(weight).to_have_attribute("aria-pressed", "true")
    expect(page.locator("value-source .loaded")).to_contain_text(
        "Showing model.safetensors: layer.0.weight, bfloat16"
    )
    explorer.settle()
    explorer.hover("a", explorer.memory_cell("a", 5))
    expect(explorer.sum).to_contain_text("value 5")
    shelf.get_by_role("button", name="layer.0.bias").click()
    expect(explorer.field("shape")).to_have_value("3")
    # The lines above the list keep their place from here on.
    expect(page.locator("value-source .loaded")).to_contain_text(
        "Showing model.safetensors: layer.0.bias"
    )
    explorer.settle()
    shelf.get_by_role("button", name="Close the list").click()
    expect(shelf).to_be_hidden()


def test_only_the_chosen_tensor_is_read_of_a_safetensors_file(page: Page) -> None:
    Explorer(page).open()
    read = page.evaluate(
        """async ([content]) => {
            const from = '/static/elements/shared/files/open-file.js';
            const { openFile, openTensor } = await import(from);
            const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
            const file = new File([bytes], 'x.safetensors');
            const slices = [];
            const slice = file.slice.bind(file);
            file.slice = (begin, end) => { slices.push([begin, end]); return slice(begin, end); };
            file.arrayBuffer = () => { throw new Error('the whole file is read'); };
            const { tensors } = await openFile(file);
            await openTensor(file, tensors[1]);
            return { slices, tensor: [tensors[1].begin, tensors[1].end] };
        }""",
        [base64.b64encode(WEIGHTS).decode()],
    )
    header = 8 + int.from_bytes(WEIGHTS[:8], "little")
    assert read["slices"] == [[0, 8], [0, header], read["tensor"]]


@pytest.mark.parametrize(
    ("path", "name", "page_of_it"),
    [("/", "net.onnx", "/network"), ("/reorder", "a.npy", "/")],
)
def test_a_file_on_the_wrong_page_is_offered_the_right_one(
    page: Page, path: str, name: str, page_of_it: str
) -> None:
    page.goto(path)
    drop(page, name, b"any")
    error = page.locator("[role=alert]", has_text=name)
    expect(error.locator("a")).to_have_attribute("href", page_of_it)
    expect(error).to_be_in_viewport()
