"""What the pictures show against the page's painters: 300 random states, cell by cell."""

from collections.abc import Sequence
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pytest

from app.engine import offset_map, parse_layout
from app.engine.description.tensor import Tensor, parse_tensor
from app.engine.notation.slices import index_expression
from app.engine.notation.specs import Written
from app.picture.cells import UNITS, CellText, Look
from app.picture.colours import THEMES
from app.picture.composed import Picture, written
from tests.engine.strategies import Seeded
from tests.twins.node import ask_page, described, theme_of
from tests.twins.test_layout import FORMATS, small_layout
from tests.twins.test_views import ASK

STATES = 300
VALUES = (1, 0.5, 0.1252, 1 / 3, 12345.675, 1.25e-7, 4e22, 6.25e5, 99999.5, 0.000999949)
SIZES = ((32, 64, 4096), (8, 128, 256), (4, 10, 99), (64, 96, 8192))  # items, lines, pages
SVG = "{http://www.w3.org/2000/svg}"


def _states() -> list[tuple[Tensor, Look]]:
    choice = Seeded(20261125)
    layouts = [small_layout(choice) for _ in range(2 * STATES)]
    layouts += [parse_layout(name, (2, 6, 3, 4)) for name in FORMATS]
    found: list[tuple[Tensor, Look]] = []
    for at, layout in enumerate(layouts):
        if not 0 < layout.elements <= 200 or layout.buffer_elements > 600:
            continue
        dtype = parse_tensor((1,), "W").dtype
        tensor = Tensor(Written(layout), dtype, layout.buffer_elements, "", layout.shape)
        colours = ["auto", "linear", "value", *layout.dims, *UNITS]
        index = ", ".join(["::2", "::-1", "0", "1:", ":"][(at + d) % 5] for d in range(layout.rank))
        fits = all(n > 1 for n in layout.shape)
        taken = index_expression(layout, index) if at % 3 == 0 and fits else None
        texts = get_args(CellText)
        colour, sizes = colours[at % len(colours)], SIZES[at // 7 % len(SIZES)]
        data = [VALUES[at % len(VALUES)] * (n % 7 - 3) for n in range(layout.elements)]
        values = tuple(data) if at % 4 == 1 else None
        look = Look(colour, texts[at % len(texts)], taken, None, *sizes, values)
        found.append((tensor, look))
    return found[-STATES:]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_random_states_are_drawn_as_the_page_paints_them(name: str) -> None:
    states = _states()[name == "dark" :: 2]
    assert len(states) == STATES / 2
    asked = [
        {
            **dict.fromkeys(("stored", "view"), described(tensor.layout, tensor.buffer_elements)),
            "colour": look.colour,
            "text": look.text,
            "slice": look.taken and look.taken.picks,
            "sizes": {
                "itemsize_bits": look.item_bits,
                "line_bytes": look.line_bytes,
                "page_bytes": look.page_bytes,
            },
            "data": look.values,
            "coordinates": list(np.ndindex(*tensor.layout.shape)),
        }
        for tensor, look in states
    ]
    theme = theme_of(THEMES[name], dark=name == "dark")
    answers = ask_page(ASK, {"cases": asked, "theme": theme})
    compared = 0
    for (tensor, look), page in zip(states, answers, strict=True):
        drawn = ElementTree.fromstring(written(Picture(tensor, look=look, theme=name), "svg"))
        cells = {
            grid.get("data-view"): [g for g in grid.iter(f"{SVG}g") if g.get("data-address")]
            for grid in drawn.iter(f"{SVG}g")
            if grid.get("data-view")
        }
        addresses = offset_map(tensor.layout).ravel().tolist()
        shown = {cell.get("data-at"): cell for cell in cells["logical"]}
        every = [shown[",".join(map(str, at))] for at in np.ndindex(*tensor.layout.shape)]
        assert [int(cell.get("data-address", "")) for cell in every] == addresses
        painted, texts = zip(*page["cells"], strict=True)
        compared += _same(every, painted, (name, tensor.layout, look))
        compared += _same(cells["memory"], page["memory"], (name, tensor.layout, look))
        written_in = [cell.findtext(f"{SVG}text") for cell in every]
        assert written_in == list(texts) or set(written_in) == {None}
    assert compared > 15 * STATES


def _same(cells: list[ElementTree.Element], seen: Sequence[list[int]], state: object) -> int:
    """What is filled in the file has the same colour on the page; how many cells that are."""
    assert len(cells) == len(seen)
    filled = 0
    for cell, colour in zip(cells, seen, strict=True):
        path = cell.find(f"{SVG}path")
        if path is not None:
            assert path.get("stroke") == "#{:02x}{:02x}{:02x}".format(*colour), state
            filled += 1
    return filled
