"""Each example has one thing to try, and the cells that its sentences name can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.explorer import Explorer, one_page

pytestmark = pytest.mark.browser

FIELDS = ("shape", "layout", "dtype", "slice")
# As the page draws: the font in a cell, and the least that is drawn without fading.
CHARACTER_PER_FONT = 0.62
TEXT_PER_CELL = 0.86
LEAST_FONT_CSS = 7.4
LEAST_INK = 0.004
VACANT = "x"


@dataclass(frozen=True, slots=True)
class Named:
    """Labels that a sentence names, by the first address of each run of neighbours.

    ``x`` stands for an address without an element. ``says`` is one more text of the page.
    """

    runs: dict[int, str] = field(default_factory=dict)
    says: str = ""
    drawn: Literal["text", "texture"] = "text"


@dataclass(frozen=True, slots=True)
class Taught:
    """What an example names before its trial and after it, and the facts afterwards."""

    name: str
    before: Named
    after: Named
    strides: str
    addresses: int


def texture(says: str = "") -> Named:
    """A sentence about what a memory looks like from afar: no cell is named."""
    return Named(says=says, drawn="texture")


TAUGHT = [
    Taught(
        "Six channels in blocks of four",
        Named({0: "000 020 040 060", 80: "080 100 x x"}),
        Named({0: "000 020 040 060 080 100 001"}),
        "120 1 30 6",
        120,
    ),
    Taught(
        "Row major 2 × 3",
        Named({0: "A B C D E F"}),
        Named({0: "A D B E C F"}),
        "1 2",
        6,
    ),
    Taught(
        "Column major 2 × 3",
        Named({0: "A D B E C F"}),
        Named({0: "A D B E C F"}),
        "1 2",
        6,
    ),
    Taught(
        "DHW 2 × 2 × 3",
        Named({7: "H"}, "1·6 [+] 0·3 [+] 1·1"),
        Named({0: "A G", 3: "H"}, "1·1 [+] 0·6 [+] 1·2"),
        "1 6 2",
        12,
    ),
    Taught(
        "Broadcast rows",
        Named({0: "A B C"}, "shared by 2"),
        Named({0: "A B C D E F"}),
        "3 1",
        6,
    ),
    Taught(
        "Broadcast channels",
        Named({0: "A B C D E F"}, "shared by 3"),
        Named({0: "A B C D E F"}, "shared by 4"),
        "6 0 3 1",
        6,
    ),
    Taught(
        "Padded rows",
        Named({0: "A B C x x D E F x x"}),
        Named({0: "A B C x D E F x x x"}),
        "4 1",
        10,
    ),
    Taught("Packed NCHW 1,1,3,5", Named(), Named(), "15 15 5 1", 15),
    Taught("Packed NHWC 1,1,3,5", Named(), Named(), "15 1 5 1", 15),
    Taught("NHWC beside NCHW", Named(), Named({0: "00 01 02"}), "30 15 5 1", 30),
    Taught("int32 2 × 5", Named({7: "7"}, "byte 28"), Named({7: "7"}, "byte 56"), "5 1", 10),
    Taught(
        "Row major 3 × 3",
        Named({0: "0 1 2 3 4 5 6 7 8"}),
        Named({0: "0 3 6 1 4 7 2 5 8"}),
        "1 3",
        9,
    ),
    Taught(
        "Figure: NCHW",
        Named({0: "0000 0001 0002", 9: "0009", 27: "0027"}),
        Named({0: "0000 0009 0018 0027", 64: "0001"}),
        "576 1 192 64",
        1152,
    ),
    Taught(
        "Figure: NHWC",
        Named({0: "0000 0009 0018", 64: "0001"}),
        Named({0: "0000", 8: "0008 0009"}),
        "576 9 3 1",
        1152,
    ),
    Taught(
        "Figure: NCHW4",
        Named({0: "0000 0009 0018 0027 0001 0010"}),
        Named({0: "0000 0009 0018", 7: "0063 0001"}),
        "576 72,1 24 8",
        1152,
    ),
    Taught(
        "Figure: NCHW32",
        Named({0: "0000", 31: "0279 0001"}),
        Named({0: "0000", 15: "0135 0001", 31: "0136"}),
        "576 144,1 48 16",
        1152,
    ),
    Taught(
        "Figure: NCHW64",
        Named({64: "0001"}, "upper half"),
        Named({32: "0001"}),
        "576 288,1 96 32",
        1152,
    ),
    Taught(
        "Figure: CHWN4",
        Named({0: "0000 0009 0018 0027 0576", 8: "0001"}),
        Named({0: "0000", 4: "0576"}, "1·4"),
        "4 72,1 24 8",
        1152,
    ),
    Taught(
        "Matrix with LDA 6",
        Named({0: "A B C D x x E"}),
        Named({0: "A B C D E F G H I J K L"}),
        "4 1",
        12,
    ),
    Taught(
        "Transposed, LDA 5",
        Named({0: "A E I x x B"}),
        Named({0: "A E I B F J C G K D H L"}),
        "1 3",
        12,
    ),
    Taught("Submemory", Named({7: "x A B C x"}), Named({13: "x A B C x"}), "6 1", 24),
    Taught("contiguous", texture(), texture(), "3072 1 96 3", 30720),
    Taught("channels_last", texture(), texture("B"), "3072 1 96 3", 30720),
    Taught("permute(0, 2, 3, 1)", texture(), texture(), "3072 96 3 1", 30720),
    Taught(
        "x[0] of channels_last",
        texture("strides 1, 96, 3 from 0"),
        texture("strides 1, 96, 3 from 9\u202f216"),
        "3072 1 96 3",
        30720,
    ),
    Taught("x[0].unsqueeze(0)", texture(), texture("channels_last[^_]*yes"), "7 1 96 3", 3072),
    Taught(
        "Chunk along channels",
        Named({31: "31 x", 63: "x 32"}, "contiguous[^_]*no"),
        Named({31: "031 032", 63: "063 064"}, "contiguous[^_]*yes"),
        "64 16 4 1",
        128,
    ),
    Taught(
        "Permuted into channels_last",
        texture("channels_last[^_]*yes"),
        texture("channels_last[^_]*no"),
        "768 256 16 1",
        7680,
    ),
    Taught(
        "One channel: both at once",
        Named(says="contiguous[^_]*yes\\s*channels_last[^_]*yes"),
        Named(says="contiguous[^_]*yes\\s*channels_last[^_]*no"),
        "32 16 4 1",
        64,
    ),
    Taught(
        "nChw16c",
        Named({0: "0000", 15: "0240 0001", 31: "0241"}),
        Named({0: "0000", 8: "0001", 24: "0003", 128: "0128"}),
        "512 128,1 32 8",
        1024,
    ),
    Taught(
        "Every second, forwards",
        Named({1: "2", 3: "4", 9: "10", 11: "12"}, "1, 3, 9, 11"),
        Named({0: "1", 2: "3", 8: "9", 10: "11"}, "0, 2, 8, 10"),
        "16 16 4 1",
        16,
    ),
    Taught(
        "Rows backwards",
        Named({13: "14", 15: "16", 5: "6", 7: "8"}, "13, 15, 5, 7"),
        Named({15: "16", 13: "14", 7: "8", 5: "6"}, "15, 13, 7, 5"),
        "16 16 4 1",
        16,
    ),
    Taught(
        "The same as an index",
        Named({13: "14", 15: "16", 5: "6", 7: "8"}, "13, 15, 5, 7"),
        Named({1: "2", 3: "4", 9: "10", 11: "12"}, "1, 3, 9, 11"),
        "16 16 4 1",
        16,
    ),
    Taught(
        "CuTe: nested modes",
        Named({0: "0 1 2 3 4 5"}),
        Named({0: "0 1 2 3"}),
        "1 4",
        16,
    ),
    Taught(
        "CuTe: swizzle",
        Named({0: "00", 9: "08", 18: "16"}),
        Named({0: "00", 8: "08", 16: "16"}),
        "8 1",
        64,
    ),
    Taught(
        "TVM: NCHW4n4c",
        Named({0: "000 006 012 018 048"}),
        Named({0: "000 006 012 018 001", 48: "048"}),
        "48 24,1 12 4",
        384,
    ),
    Taught(
        "XLA: tiled",
        Named({0: "00 01 02 03 07", 15: "x"}),
        Named({0: "00", 6: "06 07", 34: "34"}),
        "7 1",
        35,
    ),
    Taught(
        "oneDNN: OIhw2i8o4i",
        Named({0: "000 004 008 012 032", 32: "016"}),
        Named({0: "000 004 008 012 016 020 024 028 032"}),
        "8 1 128 64",
        256,
    ),
    Taught(
        "TensorRT: kCHW32",
        Named({0: "000", 31: "279", 288: "288", 295: "351 x"}),
        Named({0: "000 009 018 027 001"}),
        "360 36,1 12 4",
        360,
    ),
    Taught(
        "cuDNN: NCHW_VECT_C",
        Named({0: "000 009 018 027 001"}),
        Named({0: "000 009 018 027 001"}),
        "72 36,1 12 4",
        144,
    ),
    Taught(
        "MegEngine: NCHW44 weights",
        Named({0: "000 072 144 216 009"}),
        Named({0: "000 009 018 027 072"}),
        "288,4 144,1 48 16",
        576,
    ),
    Taught(
        "MLIR: affine map", Named({0: "00 01 02 03 08"}), Named({0: "00 08 16 24 01"}), "1 4", 32
    ),
    Taught(
        "An index expression in C",
        Named({0: "000 020 040 060"}),
        Named({0: "000 001", 20: "020"}),
        "120 20 5 1",
        120,
    ),
    Taught("Picture as NCHW", texture(), texture(), "36864 1 384 3", 36864),
    Taught("Picture as NHWC", texture(), texture(), "49152 1 512 4", 49152),
    Taught("Picture as NCHW4", texture(), texture(), "36864 12288 128 1", 36864),
    Taught(
        "10¹² elements as NCHW",
        texture("2\u202f003"),
        texture("2\u202f003\u202f000"),
        "1000000000 1 1000000 1000",
        10**12,
    ),
    Taught(
        "10¹² elements as NHWC",
        texture(),
        texture("1\u202f024\u202f000\u202f000\u202f000"),
        "1024000000 32000000,1 32000 32",
        1024 * 10**9,
    ),
    Taught(
        "10¹² elements as NCHW4",
        texture(),
        texture("500\u202f000\u202f000\u202f000"),
        "1000000000 4000000,1 4000 4",
        10**12,
    ),
]
PICTURE = "A picture as planes, stripes and combs"


@pytest.fixture(scope="module")
def explorer(browser: Browser, live_server: str) -> Iterator[Explorer]:
    """One page for all trials, at the size for which the examples are made."""
    with one_page(browser, live_server) as opened:
        yield opened


@pytest.fixture(scope="module")
def presets(explorer: Explorer) -> dict[str, dict[str, Any]]:
    """The examples as the page knows them, by name."""
    found = explorer.page.evaluate(
        """async () => (await import('/static/state/presets.js')).PRESET_GROUPS
            .flatMap(({presets}) => presets)"""
    )
    return {preset["name"]: preset for preset in found}


def test_the_table_names_every_example(presets: dict[str, dict[str, Any]]) -> None:
    assert set(presets) == {taught.name for taught in TAUGHT} | {PICTURE}


@pytest.mark.parametrize("taught", TAUGHT, ids=[taught.name for taught in TAUGHT])
def test_a_trial_shows_what_its_sentences_say(
    explorer: Explorer,
    presets: dict[str, dict[str, Any]],
    live_server: str,
    taught: Taught,
) -> None:
    page, preset = explorer.page, presets[taught.name]
    button = page.locator("preset-list").get_by_text(taught.name, exact=True)
    button.evaluate("button => button.closest('details').open = true")
    button.click()
    see = page.locator("lesson-note .see")
    expect(see).to_have_text(preset["see"])
    expect_named(explorer, taught.before, preset, live_server)
    try_it(explorer, preset)
    expect(see).to_have_text(preset["trial"]["see"])
    grouped = f"{taught.addresses:,}".replace(",", "\u202f")
    expect(explorer.about("a")).to_contain_text(f" {grouped} addresses")
    column = page.locator("layout-facts tbody tr td:nth-child(3)")
    expect(column).to_have_text([text.replace(",", ", ") for text in taught.strides.split(" ")])
    expect_named(explorer, taught.after, preset, live_server)


def try_it(explorer: Explorer, preset: dict[str, Any]) -> None:
    """Do what the example says, as a user does it."""
    for key, value in preset["trial"]["done"].items():
        if key == "at":
            address = address_of(explorer, value)
            explorer.click("a", explorer.memory_cell("a", address))
            continue
        assert key in (*FIELDS, "b")
        field = explorer.field("layout", "b") if key == "b" else explorer.field(key)
        field.select_text()
        field.press_sequentially(value)


def address_of(explorer: Explorer, coords: list[int]) -> int:
    """The address at which the server says that these coordinates are."""
    answer = explorer.page.request.post(
        "/api/v1/offsets", data={"tensor": tensor_of(explorer), "coordinates": [coords]}
    )
    return int(answer.json()["offsets"][0])


def tensor_of(explorer: Explorer) -> dict[str, Any]:
    """The tensor that the fields describe."""
    given = {name: explorer.field(name).input_value() for name in ("layout", "dtype")}
    shape = [int(size) for size in explorer.field("shape").input_value().split(",")]
    layout: Any = given["layout"]
    if re.fullmatch(r"[\d,]+(\+\d+)?", layout):
        strides, _, offset = layout.partition("+")
        layout = {"strides": [int(each) for each in strides.split(",")], "offset": int(offset or 0)}
    elements = explorer.field("elements").input_value()
    return {
        "shape": shape,
        "layout": layout,
        "dtype": given["dtype"],
        **({"elements": int(elements)} if elements else {}),
    }


def expect_named(
    explorer: Explorer, named: Named, preset: dict[str, Any], live_server: str
) -> None:
    """The cells that are named hold what the engine says, can be seen and can be read."""
    page = explorer.page
    if named.says:
        page.wait_for_function(
            """says => new RegExp(says).test(['main', 'aside', 'slice-result']
                .map(name => document.querySelector(name).textContent).join(' '))""",
            arg=named.says,
        )
    if named.drawn == "texture":
        explorer.settle()
        return
    cells = {
        start + place: label
        for start, run in named.runs.items()
        for place, label in enumerate(run.split(" "))
    }
    if cells:
        tensor = tensor_of(explorer)
        answer = httpx2.post(
            f"{live_server}/api/v1/coordinates", json={"tensor": tensor, "offsets": list(cells)}
        )
        cell_css = float(explorer.canvas("logical").get_attribute("data-cell_css") or 0)
        longest = max(len(label) for label in cells.values())
        assert font_css(cell_css, longest) >= LEAST_FONT_CSS
        labels = [label_of(owner, tensor["shape"], preset) for owner in answer.json()["owners"]]
        assert labels == list(cells.values())
    lit = explorer.sum.get_attribute("data-address")
    for address, label in cells.items() or ([(int(lit), "0")] if lit else []):
        expect_readable(explorer, address, label)
    explorer.settle()


def font_css(cell_css: float, characters: int) -> float:
    """The size of a text of so many characters that fits into a cell."""
    return cell_css * TEXT_PER_CELL / (characters * CHARACTER_PER_FONT)


def label_of(owner: dict[str, Any], shape: list[int], preset: dict[str, Any]) -> str:
    """The text that an owner has on the screen: what is stored there."""
    if owner["kind"] not in {"element", "shared"}:
        return VACANT
    if preset.get("text") == "address":
        return str(owner["offset"])
    linear, elements = 0, 1
    for index, size in zip(owner["coordinates"][0], shape, strict=True):
        linear, elements = linear * size + index, elements * size
    if preset.get("sample") == "count":
        return str(linear + 1)
    if elements <= 26 and preset.get("text") != "linear":
        return chr(ord("A") + linear)
    return str(linear).zfill(len(str(elements - 1)))


def expect_readable(explorer: Explorer, address: int, label: str) -> None:
    """The cell lies inside the window of the memory and shows a text of this length."""
    canvas = explorer.canvas("a")
    expect(canvas).to_have_attribute("data-columns", re.compile(r"\d"))
    explorer.page.wait_for_function(
        """([selector, address, label, perFont, perCell, least, leastInk]) => {
            const canvas = document.querySelector(selector);
            const {cell_css, left_cells, top_cells, inset_css, columns} = canvas.dataset;
            const [insetLeft, insetTop] = inset_css.split(',').map(Number);
            const cell = Number(cell_css);
            const x = insetLeft + (address % columns - left_cells) * cell;
            const y = insetTop + (Math.floor(address / columns) - top_cells) * cell;
            const inside = x >= insetLeft - 1 && y >= insetTop - 1
                && x + cell <= canvas.clientWidth + 2 && y + cell <= canvas.clientHeight + 2;
            if (!inside) return false;
            if (label === 'x') return true;
            if (cell * perCell / (label.length * perFont) < least) return false;
            const ratio = canvas.width / canvas.clientWidth;
            const side = Math.floor(cell * 0.8 * ratio);
            const {data} = canvas.getContext('2d').getImageData(
                Math.round((x + cell * 0.1) * ratio), Math.round((y + cell * 0.1) * ratio),
                side, side);
            const words = new Map();
            for (let at = 0; at < data.length; at += 4) {
                const key = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
                words.set(key, (words.get(key) ?? 0) + 1);
            }
            const most = Math.max(...words.values());
            return 1 - most / (data.length / 4) >= leastInk;
        }""",
        arg=[
            "memory-view[side=a] canvas",
            address,
            label,
            CHARACTER_PER_FONT,
            TEXT_PER_CELL,
            LEAST_FONT_CSS,
            LEAST_INK,
        ],
        timeout=6000,
    )
