"""What the server draws of a link before the scripts do."""

import struct
import zlib
from base64 import b64decode

import pytest

from app.web.first import FirstGrid, first_of

Colours = list[list[bytes]]


def pixels(grid: FirstGrid, theme: int = 0) -> Colours:
    """The rows of its picture, which has no filters."""
    file = b64decode(grid.pixels[theme].partition(",")[2])
    wide, high = struct.unpack(">II", file[16:24])
    at = file.index(b"IDAT")
    (size,) = struct.unpack(">I", file[at - 4 : at])
    rows = zlib.decompress(file[at + 4 : at + 4 + size])
    assert len(rows) == high * (1 + 3 * wide)
    lines = [rows[y * (1 + 3 * wide) + 1 :][: 3 * wide] for y in range(high)]
    return [[line[x : x + 3] for x in range(0, 3 * wide, 3)] for line in lines]


def test_many_cells_are_pixels_in_both_themes() -> None:
    first = first_of((("shape", "3,40,40"), ("layout", "HWC"), ("dims", "CHW")), example=False)
    logical, memory = first.logical[0], first.memory[0]
    assert (logical.cells, memory.cells) == ((), ())
    for theme in (0, 1):
        planes = pixels(logical, theme)
        flat = [colour for row in pixels(memory, theme) for colour in row]
        # Element (c, h, w) lies at 120 h + 3 w + c; plane c begins at column 42 c.
        for c, h, w in ((0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 39, 5), (2, 17, 39)):
            assert planes[h][42 * c + w] == flat[120 * h + 3 * w + c], (c, h, w)
        assert len({flat[0], flat[1], flat[2], planes[0][40]}) == 4
    assert pixels(logical, 0) != pixels(logical, 1)


@pytest.mark.parametrize(
    ("link", "texts"),
    [
        ({"steps": "permute(1, 0)"}, "AD BE CF"),
        ({"steps": "[:, ::2]"}, "AC DF"),
        ({"slice": "1"}, "ABC DEF"),
        ({}, "ABC DEF"),
    ],
)
def test_steps_show_their_view_and_a_slice_fades_the_rest(link: dict[str, str], texts: str) -> None:
    query = (("shape", "2,3"), ("layout", "HW"), *link.items())
    first = first_of(query, example=False)
    (grid, *_) = first.logical
    shown = [cell.text for cell in grid.cells]
    assert " ".join("".join(row) for row in _rows(shown, grid.columns)) == texts
    (memory, *_) = first.memory
    assert "".join(cell.text for cell in memory.cells) == "ABCDEF"
    assert first.sliced == ("slice" in link)
    faded = {cell.text for cell in grid.cells if cell.entry != _plain(cell.text)}
    assert faded == (set("ABC") if "slice" in link else set())


def _rows(texts: list[str], columns: int) -> list[list[str]]:
    return [texts[at : at + columns] for at in range(0, len(texts), columns)]


def _plain(text: str) -> int:
    """The place of an element's colour without a slice."""
    (grid, *_) = first_of((("shape", "2,3"), ("layout", "HW")), example=False).logical
    return next(cell.entry for cell in grid.cells if cell.text == text)


@pytest.mark.parametrize(
    "link", [{"steps": "permute(9)"}, {"slice": "zz"}, {"walk": "HW"}, {"shape": "4000,4000"}]
)
def test_a_wrong_or_other_link_has_no_picture(link: dict[str, str]) -> None:
    query = {"shape": "2,3", "layout": "HW", **link}
    first = first_of(tuple(query.items()), example=False)
    assert (first.logical, first.memory) == ((), ())
    assert first.described is not None


@pytest.mark.parametrize(("layout", "grids"), [("OIHW", 1), ("OIhw4i16o4i", 0)])
def test_what_opens_on_a_block_has_no_picture_of_the_whole(layout: str, grids: int) -> None:
    first = first_of((("shape", "64,48,3,3"), ("layout", layout)), example=False)
    assert first.described is not None
    assert len(first.memory) == grids
