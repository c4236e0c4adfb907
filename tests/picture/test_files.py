"""The files of pictures: what each format holds, whatever the tensor, the look and the words."""

import math
import struct
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

from app.engine.description.tensor import Tensor, parse_tensor
from app.engine.inverse.owners import KINDS, owners_of
from app.engine.model.address import offset_map
from app.engine.notation.slices import index_expression
from app.picture.cells import UNITS, Look
from app.picture.colours import LIGHT, hexadecimal, vacant_colour
from app.picture.composed import FORMATS, VIEWS, Picture, composed, written
from app.picture.frame import MOST_CELLS, MOST_WRITTEN
from app.picture.scene import Bars, Grid, Marks, Raster
from tests.engine.strategies import Seeded
from tests.twins.test_layout import small_layout

SVG = "{http://www.w3.org/2000/svg}"
TENSORS = [
    ((1, 6, 4, 5), "NCHW4"),
    ((2, 3), "(5, 1)"),
    ((3, 5), "(0, 1)"),
    ((), "()"),
    ((0, 3), "HW"),
    ((64, 64), "HW"),
    ((8, 64, 224, 224), "NCHW32"),
    ((1 << 31, 1 << 31), "HW"),
    ((500, 500), "(1, 1)"),
]


def picture(shape: tuple[int, ...], layout: str, **more: object) -> Picture:
    return Picture(parse_tensor(shape, layout), **more)  # type: ignore[arg-type]  # a test's own


def parsed(asked: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(written(asked, "svg"))


def groups(drawn: ElementTree.Element, view: str) -> list[ElementTree.Element]:
    """The cells of a grid, in the order of drawing."""
    [grid] = [g for g in drawn.iter(f"{SVG}g") if g.get("data-view") == view]
    return [g for g in grid.iter(f"{SVG}g") if g.get("data-address") is not None]


@pytest.mark.parametrize(("shape", "layout"), TENSORS)
@pytest.mark.parametrize("form", FORMATS)
def test_every_tensor_has_every_file(shape: tuple[int, ...], layout: str, form: str) -> None:
    data = written(picture(shape, layout), form)
    if form == "svg":
        drawn = parsed(picture(shape, layout))
        assert {element.tag.removeprefix(SVG) for element in drawn.iter()} <= {
            *("svg", "title", "desc", "style", "rect", "g", "path", "text", "image"),
        }
        assert not any(name.startswith("on") for e in drawn.iter() for name in e.attrib)
    elif form == "png":
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
    elif form == "tex":
        text = data.decode("ascii")
        assert text.startswith("\\RequirePackage{fix-cm}\n\\documentclass")
        assert text.endswith("\\end{document}\n")
        assert text.count("{") == text.count("}")
    else:
        assert data.decode().splitlines()[0].startswith(layout)


def test_the_memory_of_random_layouts_is_what_owners_says() -> None:
    choice, checked = Seeded(20261124), 0
    for _ in range(100):
        layout = small_layout(choice)
        tensor = parse_tensor(layout.shape, {"strides": [1] * layout.rank})
        tensor = Tensor(
            type(tensor.written)(layout), tensor.dtype, layout.buffer_elements, "", layout.shape
        )
        drawn = parsed(Picture(tensor))
        found = owners_of(layout, np.arange(layout.buffer_elements))
        cells = groups(drawn, "memory")
        if not cells:
            continue
        assert [cell.get("data-kind") for cell in cells] == [KINDS[k] for k in found.kinds]
        assert [cell.get("data-address") for cell in cells] == list(map(str, range(len(cells))))
        for at, cell in enumerate(cells):
            listed = found.coordinates[found.starts[at] : found.starts[at + 1]].tolist()
            expected = ",".join(map(str, listed[0])) if listed else None
            assert cell.get("data-at") == expected
        if shown := {
            cell.get("data-at"): int(cell.get("data-address", ""))
            for cell in groups(drawn, "logical")
        }:
            every = [",".join(map(str, at)) for at in np.ndindex(*layout.shape)]
            assert [shown[at] for at in every] == offset_map(layout).ravel().tolist()
            checked += 1
    assert checked > 60


LOOKS = [("linear", "letter"), ("c", "linear"), ("C", "address"), *product(UNITS, ["coords"])]


@pytest.mark.parametrize(("colour", "text"), [("auto", "auto"), *LOOKS])
def test_every_look_is_drawn(colour: str, text: str) -> None:
    tensor = parse_tensor((2, 3, 4, 5), "NCHW4")
    look = Look(colour, text, index_expression(tensor.layout, "0, ::2"))  # type: ignore[arg-type]  # parametrised words
    for theme in ("light", "dark", "print"):
        other = parse_tensor((2, 3, 4, 5), "NHWC")
        asked = Picture(tensor, look=look, theme=theme, chosen=(1, 2, 3, 4), other=other)
        drawn = parsed(asked)
        words = [text.text for text in drawn.iter(f"{SVG}text")]
        assert {"outside the slice", "chosen", "same in A and B"} <= set(words)
        assert "NCHW4 · 2 × 3 × 4 × 5 · float32, beside NHWC" in words
        assert ("another begins" in words) == (colour in UNITS)


def test_padding_outside_a_slice_is_drawn() -> None:
    tensor = parse_tensor((1, 8, 9, 300), "onednn:aBCD8b8c64d")
    look = Look(taken=index_expression(tensor.layout, "..., ::2, :5"))
    assert parsed(Picture(tensor, "memory", look, row=100)).findall(f".//{SVG}image")


def test_planes_that_padding_takes_are_drawn_as_on_the_page() -> None:
    hatch = hexadecimal(vacant_colour(LIGHT, "hatch"))
    for shape, label in (((1, 6, 4, 5), "c 6, padding"), ((1, 6, 12, 20), "c 7, padding")):
        asked = picture(shape, "NCHW4", view="logical")
        drawn = parsed(asked)
        assert len(groups(drawn, "logical")) == math.prod(shape)
        assert label in [text.text for text in drawn.iter(f"{SVG}text")]
        [grid] = [part for part in composed(asked).parts if isinstance(part, Grid)]
        [marks] = [m for m in grid.above if isinstance(m, Marks) and m.shape == "hatch"]
        assert len(marks.places) == 2 * shape[2] * shape[3]
        fills = [m for m in grid.below if isinstance(m, Marks) and m.colour == hatch]
        assert [len(m.places) for m in fills] == ([40] if grid.font > 6 else [])
    # Of very many cells padding is a colour; the third of four planes is the last with elements.
    asked = picture((1, 3, 96, 128), "NCHW4", view="logical")
    [grid] = [part for part in composed(asked).parts if isinstance(part, Grid)]
    [raster] = [part for part in grid.below if isinstance(part, Raster)]
    assert f"#{raster.pixels[5, -5]:06x}" == hatch


def test_each_line_of_planes_has_its_coordinates_at_one_distance() -> None:
    words = [*parsed(picture((2, 6, 3, 3), "NCHW4", view="logical")).iter(f"{SVG}text")]
    planes = [word for word in words if word.text in {"n 0 c 0", "n 0 c 4", "n 1 c 0", "n 1 c 4"}]
    ticks = sorted({float(word.get("y", "0")) for word in words if word.text == "w 0"})
    tops = sorted(float(word.get("y", "0")) for word in planes)
    assert len(ticks) == len(tops) == 4
    assert len({round(tick - top, 3) for tick, top in zip(ticks, tops, strict=True)}) == 1


@pytest.mark.parametrize(
    ("shape", "layout", "named"),
    [
        ((1, 64, 56, 56), "NCHW16c", ["c 16", "c 32", "c 48"]),
        ((64, 48, 3, 3), "OIhw4i16o4i", [f"o {at}" for at in range(0, 64, 4)]),
        ((10, 3, 32, 32), "NCHW", ["n 0", "n 3", "n 6", "n 9"]),
    ],
)
def test_each_line_of_planes_is_named_at_its_left(
    shape: tuple[int, ...], layout: str, named: list[str]
) -> None:
    texts = [text.text or "" for text in parsed(picture(shape, layout)).iter(f"{SVG}text")]
    assert [text for text in texts if text in named] == named


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (picture((1, 8, 2, 2), "NCHW"), "by c, darker"),
        (picture((1, 9, 2, 2), "NCHW"), "by c, again after 8, "),
        (picture((16, 64, 3, 3), "NCHW4", caption="Weights."), "Weights."),
        (
            picture((64, 64, 3, 3), "NCHW4", caption="Weights."),
            "Weights. Too many cells to draw each: a pixel stands for several.",
        ),
    ],
)
def test_what_is_said_beside_the_grids(asked: Picture, said: str) -> None:
    words = " ".join(text.text or "" for text in parsed(asked).iter(f"{SVG}text"))
    assert words.endswith(said) if asked.caption else said in words


def test_a_file_has_the_grids_and_the_rows_that_are_asked_for() -> None:
    lines = {}
    for view in VIEWS:
        asked = picture((2, 4), "WH", view=view, row=3)
        lines[view] = written(asked, "txt").decode().splitlines()[2:]
        found = [g.get("data-view") for g in parsed(asked).iter(f"{SVG}g") if g.get("data-view")]
        assert found == (["logical", "memory"] if view == "both" else [view])
    assert lines["logical"] == ["0 1 2 3", "4 5 6 7", ""]
    assert lines["memory"] == ["memory, 3 in a row", "0  0 4 1", "3  5 2 6", "6  3 7"]
    assert lines["both"] == lines["logical"] + lines["memory"]


@pytest.mark.parametrize(
    ("shape", "layout", "view"),
    [
        ((2, 10, 5, 10), "NHWC", "both"),
        ((1, 8, 11, 11), "NCHW8", "both"),
        ((2, 8, 5, 25), "NHWC", "memory"),
        ((2, 8, 5, 25), "NCHW", "logical"),
    ],
)
def test_two_thousand_cells_fit_into_200_kb(shape: tuple[int, ...], layout: str, view: str) -> None:
    assert len(written(picture(shape, layout, view=view), "svg")) < 200_000


def test_more_cells_have_fewer_signs_never_a_refusal() -> None:
    written_too, drawn_alone, most = MOST_WRITTEN, MOST_WRITTEN + 40, MOST_CELLS // 40 * 40
    for cells, expected in (
        (written_too, (written_too, written_too)),
        (drawn_alone, (drawn_alone, 0)),
        (most, (most, 0)),
        (most + 40, (0, 0)),
    ):
        drawn = groups(parsed(picture((cells // 40, 40), "HW", view="memory")), "memory")
        texts = sum(len(cell.findall(f"{SVG}text")) for cell in drawn)
        assert (len(drawn), texts) == expected


@pytest.mark.parametrize("scale", [0.5, 2])
def test_a_png_has_the_size_of_its_scale(scale: float) -> None:
    asked = picture((2, 3), "HW")
    drawn = parsed(asked)
    size = struct.unpack(">II", written(asked, "png", scale)[16:24])
    wished = [float(drawn.get(name, "")) * scale for name in ("width", "height")]
    assert all(abs(a - b) <= 1 for a, b in zip(size, wished, strict=True))


@pytest.mark.parametrize(
    "part",
    [
        "</title><script>alert(1)</script>",
        "]]><svg onload=alert(1)>",
        "<!--",
        "&lt;b&gt;&amp;",
        '" onload="alert(1)',
        "' onclick='alert(1)",
        "<![CDATA[<script>]]>",
        "<?xml version='1.0'?>",
        "\\input{/etc/passwd}\\write18{id}",
        "$\\catcode`\\%=0$",
        "}\\end{document}{",
        "#%^&~_{}",
        "\0\x08\x1f\ud800\u202e",
        "a" * 5000,
        "line\nbreak",
    ],
)
def test_hostile_words_stay_words(part: str) -> None:
    words = f"{part}y{part[::-1]}"
    asked = picture((2, 3), "HW", title=words, caption=words)
    usual = picture((2, 3), "HW", title="a", caption="a")
    drawn, plain = (parsed(one) for one in (asked, usual))
    kinds = {element.tag for element in plain.iter()}
    assert {element.tag for element in drawn.iter()} <= kinds
    assert {name for e in drawn.iter() for name in e.attrib} <= {
        name for e in plain.iter() for name in e.attrib
    }
    text = written(asked, "tex").decode("ascii")
    commands = ("\\input", "\\write", "\\catcode", "\\end{document}")
    assert [text.count(one) for one in commands] == [0, 0, 0, 1]
    assert "\n%" not in text.replace("\n% logical\n", "").replace("\n% memory\n", "")
    written(asked, "png")
    written(asked, "txt")


@pytest.mark.parametrize(
    ("shape", "layout", "bars"),
    [
        ((1, 6, 4, 5), "NCHW4", 5),  # between five pixels of a row, and below a block
        ((1, 6, 4, 5), "NHWC", 4),
        ((1, 6, 4, 5), "NCHW", 0),
        ((8, 8), "Sw<3,0,3> o 0 o (8,8):(8,1)", 0),
    ],
)
def test_pixels_and_blocks_of_a_memory_stand_apart(
    shape: tuple[int, ...], layout: str, bars: int
) -> None:
    asked = picture(shape, layout)
    grids = [part for part in composed(asked).parts if isinstance(part, Grid)]
    found = [
        [bar for part in grid.above if isinstance(part, Bars) for bar in part.boxes]
        for grid in grids
    ]
    assert [len(each) for each in found] == [0, bars]
    boxes = [f"h{wide:g}v{high:g}h{-wide:g}z" for _, _, wide, high in found[1]]
    assert all(box in written(asked, "svg").decode() for box in boxes)
    assert all(min(wide, high) <= 8 for _, _, wide, high in found[1])
