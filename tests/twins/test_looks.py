"""What the pictures show against the page's painters: 300 random states, cell by cell."""

from __future__ import annotations

from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np

from app.engine import parse_layout
from app.engine.description.tensor import Tensor, parse_tensor
from app.engine.notation.index import index_expression
from app.engine.notation.specs import Written
from app.picture.cells import UNITS, CellText, Look, Painting, every_coordinate
from app.picture.colours import LIGHT, palette
from app.picture.composed import Picture
from app.picture.files import written
from tests.engine.strategies import Seeded
from tests.examples import fewer
from tests.twins.node import ask_page, described
from tests.twins.test_layout import FORMATS, small_layout

STATES = fewer(300)
VALUES = (1, 0.5, 0.1252, 1 / 3, 12345.675, 1.25e-7, 4e22, 6.25e5, 99999.5, 0.000999949)
SIZES = ((32, 64, 4096), (8, 128, 256), (4, 10, 99), (64, 96, 8192))  # items, lines, pages
SVG = "{http://www.w3.org/2000/svg}"
ASK = """async ({states, theme}) => {
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { createPainter } = await import('/static/draw/painter.js');
  const { createUnitPainter } = await import('/static/draw/cost/unit-painter.js');
  const { unitOf } = await import('/static/core/cost/units.js');
  const { fromWord } = await import('/static/core/palette.js');
  return states.map(({ description, colour, text, slice, sizes, data, coordinates }) => {
    const tensor = createTensor(description);
    const values = data && { data, role: 'data' };
    const plain = createPainter({ tensor, theme, colour, values, slice });
    const unit = unitOf(colour, sizes);
    const painter = unit ? createUnitPainter(plain, unit) : plain;
    const textOf = painter.textOf(text, values);
    return coordinates.map((at) => [
      [...fromWord(painter.wordOf(at, painter.isMember(at) ? 0 : painter.faded))], textOf(at),
      tensor.addressOf(at),
    ]);
  });
}"""


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


def test_random_states_are_drawn_as_the_page_draws_them() -> None:
    states = _states()
    assert len(states) == STATES
    asked = [
        {
            "description": described(tensor.layout, tensor.buffer_elements),
            "colour": look.colour,
            "text": look.text,
            "slice": look.taken
            and [
                {"start": pick.start, "step": pick.step, "count": pick.count}
                for pick in look.taken.picks
            ],
            "sizes": {
                "itemsize_bits": look.item_bits,
                "line_bytes": look.line_bytes,
                "page_bytes": look.page_bytes,
            },
            "data": look.values,
            "coordinates": every_coordinate(tensor.layout.shape).tolist(),
        }
        for tensor, look in states
    ]
    names = {"background": LIGHT.background, "text": LIGHT.text, "hatch": LIGHT.hatch}
    theme: dict[str, Any] = {name: f"#{colour}" for name, colour in names.items()}
    answers = ask_page(ASK, {"states": asked, "theme": theme | {"dark": False, "forced": False}})
    for (tensor, look), page in zip(states, answers, strict=True):
        painting = Painting(tensor.layout, tensor.buffer_elements, look)
        cells = painting.at_coordinates(every_coordinate(tensor.layout.shape))
        words = palette(painting.scale, LIGHT).fills[cells.entries].tolist()
        fills = [list(word.to_bytes(3)) for word in words]
        own = zip(fills, painting.texts(cells), cells.addresses.tolist(), strict=True)
        assert [list(cell) for cell in own] == page, (tensor.layout, look)
        _same_in_the_file(tensor, look, page)


def _same_in_the_file(tensor: Tensor, look: Look, page: list[Any]) -> None:
    drawn = ElementTree.fromstring(written(Picture(tensor, "logical", look), "svg"))
    shown = {g.get("data-at"): g for g in drawn.iter(f"{SVG}g") if g.get("data-address")}
    for at, (fill, text, address) in zip(np.ndindex(*tensor.layout.shape), page, strict=True):
        cell = shown[",".join(map(str, at))]
        assert cell.get("data-address") == str(address)
        path, words = cell.find(f"{SVG}path"), cell.find(f"{SVG}text")
        if path is not None:
            assert path.get("stroke") == "#{:02x}{:02x}{:02x}".format(*fill)
        if words is not None:
            assert words.text == text
