"""What the pictures show against the page's canvases: 300 random states, cell by cell."""

import json
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page

from app.contract.shapes import plain
from app.engine import parse_layout
from app.engine.description.tensor import Tensor, parse_tensor
from app.engine.notation.slices import index_expression
from app.engine.notation.specs import Written
from app.picture.cells import UNITS, CellText, Look
from app.picture.colours import THEMES
from app.picture.composed import Picture, written
from tests.engine.strategies import Seeded
from tests.twins.node import described
from tests.twins.test_layout import FORMATS, small_layout

STATES = 300
VALUES = (1, 0.5, 0.1252, 1 / 3, 12345.675, 1.25e-7, 4e22, 6.25e5, 99999.5, 0.000999949)
SIZES = ((32, 64, 4096), (8, 128, 256), (4, 10, 99), (64, 96, 8192))  # items, lines, pages
SVG = "{http://www.w3.org/2000/svg}"
ASK = """async (given) => {
  const { states, theme } = JSON.parse(given);
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { createLogicalGrid } = await import('/static/core/grid/logical.js');
  const { cellOfAddress, memoryExtent } = await import('/static/core/grid/memory.js');
  const { createViewport, fit, rectOf } = await import('/static/core/grid/viewport.js');
  const { unitOf } = await import('/static/core/cost/units.js');
  const { logicalInsets } = await import('/static/draw/logical-edges.js');
  const { drawLogical } = await import('/static/draw/logical-grid.js');
  const { drawMemory, memoryInsets } = await import('/static/draw/memory-grid.js');
  const { createPainters } = await import('/static/draw/view-painter.js');
  const scene = { selected: null, hovered: null, pixelRatio: 1 };
  // The colour of each cell near its lower right corner, where neither text nor marks are.
  const colours = (size, insets, cells, draw) => {
    const canvas = document.createElement('canvas');
    canvas.width = insets.label_left_css + 28 * size.columns + 16;
    canvas.height = insets.label_top_css + 28 * size.rows + 16;
    const sides = { width_css: canvas.width, height_css: canvas.height };
    const viewport = fit(createViewport({ ...sides, ...size, ...insets }));
    const context = canvas.getContext('2d', { willReadFrequently: true });
    draw(context, viewport);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return cells.map((cell) => {
      const { x_css, y_css } = rectOf(viewport, cell);
      const [x, y] = [x_css, y_css].map((edge) => Math.floor(edge + viewport.cell_css - 6));
      return [...data.subarray(4 * (y * canvas.width + x)).subarray(0, 3)];
    });
  };
  return JSON.stringify(states.map(({ description, sizes, data, coordinates, ...look }) => {
    const { colour, text, slice } = look;
    const tensor = createTensor(description);
    const values = data && { data, role: 'data' };
    const unit = unitOf(colour, sizes);
    const same = { tensor, memory: tensor, like: tensor };
    const painters = createPainters({ ...same, theme, colour, unit, values, slice });
    const grid = createLogicalGrid(tensor, 2.6);
    const shared = { ...scene, text, values };
    const textOf = painters.logical.textOf(text, values);
    const { itemsize_bits } = sizes;
    const rows = { rowLength_elems: 20, itemsize_bits, cursor: null, other: null };
    const places = [...Array(tensor.bufferElements).keys()].map((at) => cellOfAddress(at, 20));
    const drawPlanes = (context, viewport) =>
      drawLogical(context, { ...shared, painter: painters.logical, grid, viewport });
    const drawRows = (context, viewport) =>
      drawMemory(context, { ...shared, ...rows, painter: painters.memory, viewport });
    const cells = coordinates.map(grid.cellOf);
    const size = { columns: grid.columns, rows: grid.rows };
    return {
      logical: colours(size, logicalInsets(tensor, true), cells, drawPlanes),
      memory: colours(memoryExtent(tensor, 20), memoryInsets(tensor), places, drawRows),
      texts: coordinates.map((at) => textOf(at)),
      addresses: coordinates.map((at) => tensor.addressOf(at)),
    };
  }));
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


@pytest.mark.parametrize("name", ["light", "dark"])
def test_random_states_are_drawn_as_on_the_canvas(page: Page, name: str) -> None:
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
            "coordinates": list(np.ndindex(*tensor.layout.shape)),
        }
        for tensor, look in states
    ]
    theme = THEMES[name]
    names = {"background": theme.background, "text": theme.text, "hatch": theme.hatch}
    words: dict[str, Any] = {name: f"#{colour}" for name, colour in names.items()}
    words |= {"dark": name == "dark", "forced": False, "font": "monospace"}
    page.goto("/embed")
    given = json.dumps({"states": asked, "theme": words}, default=plain)
    answers = json.loads(page.evaluate(ASK, given))
    compared = 0
    for (tensor, look), canvas in zip(states, answers, strict=True):
        drawn = ElementTree.fromstring(written(Picture(tensor, look=look, theme=name), "svg"))
        cells = {
            grid.get("data-view"): [g for g in grid.iter(f"{SVG}g") if g.get("data-address")]
            for grid in drawn.iter(f"{SVG}g")
            if grid.get("data-view")
        }
        shown = {cell.get("data-at"): cell for cell in cells["logical"]}
        every = [shown[",".join(map(str, at))] for at in np.ndindex(*tensor.layout.shape)]
        assert [int(cell.get("data-address", "")) for cell in every] == canvas["addresses"]
        compared += _same(every, canvas["logical"], (name, tensor.layout, look))
        compared += _same(cells["memory"], canvas["memory"], (name, tensor.layout, look))
        written_in = [cell.findtext(f"{SVG}text") for cell in every]
        assert written_in == canvas["texts"] or set(written_in) == {None}
    assert compared > 10_000


def _same(cells: list[ElementTree.Element], seen: list[list[int]], state: object) -> int:
    """What is filled in the file has the same colour on the canvas; how many cells that are."""
    assert len(cells) == len(seen)
    filled = 0
    for cell, colour in zip(cells, seen, strict=True):
        path = cell.find(f"{SVG}path")
        if path is not None:
            assert path.get("stroke") == "#{:02x}{:02x}{:02x}".format(*colour), state
            filled += 1
    return filled
