"""The server's first picture against the page's modules: places, colours, texts, marks."""

import math
from dataclasses import asdict
from typing import Any

import pytest

from app.engine import Layout, parse_layout
from app.picture.cells import Painting
from app.picture.colours import DARK, LIGHT, palette
from app.picture.grids import Planes
from app.web.arranged import ArrangedGrid, fair_share, logical, memory, paint
from tests.engine.strategies import Seeded, scrambled
from tests.twins.node import ask_page, described, theme_of
from tests.twins.test_layout import FORMATS, small_layout

WINDOWS = [(968.0, 383.0), (380.0, 278.5), (700.0, 150.0)]
NARROW = 24
THEMES = {"light": LIGHT, "dark": DARK}

ASK = """async ({cases, themes, windows, shares}) => {
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { createLogicalGrid } = await import('/static/core/grid/logical.js');
  const { gapsOf } = await import('/static/core/grid/gaps.js');
  const { channelDim } = await import('/static/draw/colours.js');
  const { rowLengthOf } = await import('/static/core/grid/row-length.js');
  const { createViewport, fit, opening } = await import('/static/core/grid/viewport.js');
  const { fairShare } = await import('/static/core/grid/share.js');
  const { fromWord, inkOn, parseColour } = await import('/static/core/palette.js');
  const { createPainter } = await import('/static/draw/painter.js');
  const { logicalInsets } = await import('/static/draw/logical-edges.js');
  const { memoryInsets } = await import('/static/draw/memory-grid.js');
  const rgb = (css) => css === null ? null : [...parseColour(css)];
  const grids = cases.map(({ description, most }) => {
    const tensor = createTensor(description);
    const plain = { tensor, colour: 'auto', values: null, slice: null };
    const painters = themes.map((theme) => createPainter({ ...plain, theme }));
    const text = painters[0].textOf('auto', null);
    const sized = (size, insets) => windows.map(([width_css, height_css]) => {
      const whole = createViewport({ width_css, height_css, ...size, ...insets });
      const [all, opened] = [fit(whole).cell_css, opening(whole).cell_css];
      return { all, cut: opened > all };
    });
    const element = (coords) => ({
      text: text(coords),
      paints: painters.map((painter) => {
        const word = painter.wordOf(coords, 0);
        return [[...fromWord(word)], [...inkOn(fromWord(word))], rgb(painter.outline(word))];
      }),
    });
    const memory = [...Array(tensor.bufferElements).keys()].map((at) => {
      const { kind, coords } = tensor.ownerOf(at);
      return kind === 'element' || kind === 'shared' ? { kind, ...element(coords) } : { kind };
    });
    const logical = windows.map(([width_css, height_css]) => {
      const grid = createLogicalGrid(tensor, width_css / height_css);
      const insets = logicalInsets(tensor, true);
      const cells = [];
      const whole = { firstColumn: 0, endColumn: grid.columns, firstRow: 0, endRow: grid.rows };
      const padded = (column, row) => grid.paddedIn(whole).some((place) =>
        column >= place.column && column < place.column + grid.planeColumns
        && row >= place.row && row < place.row + grid.planeRows);
      for (let row = 0; row < grid.rows; row += 1) {
        for (let column = 0; column < grid.columns; column += 1) {
          const coords = grid.coordsAt(column, row);
          const several = coords && tensor.ownerOf(tensor.addressOf(coords)).count > 1;
          cells.push(coords ? { kind: several ? 'shared' : 'element', ...element(coords) }
            : padded(column, row) ? { kind: 'padding' } : null);
        }
      }
      const { columns, rows } = grid;
      const all = sized({ columns, rows }, insets);
      return { columns, insets: Object.values(insets), cells, sized: all };
    });
    const rows = [Infinity, most].map((each) => rowLengthOf(tensor, 'auto', 32, each));
    const insets = memoryInsets(tensor);
    const size = { columns: rows[0], rows: Math.ceil(tensor.bufferElements / rows[0]) };
    const gaps = rows.map((length) => gapsOf(tensor, channelDim(tensor), length));
    const places = { insets: Object.values(insets), sized: sized(size, insets) };
    return { rows, gaps, memory, logical, ...places };
  });
  const of = (cells) => (own) => own / cells;
  const share = ([height, upper, lower]) => fairShare(height, of(upper), of(lower), 80);
  return { grids, shares: shares.map(share) };
}"""


def _layouts() -> list[Layout]:
    choice = Seeded(20261123)
    made = [small_layout(choice) for _ in range(120)]
    made += [scrambled(choice, swizzled=False) for _ in range(20)]
    for name in FORMATS:
        made += [parse_layout(name, (2, 6, 3, 5)), parse_layout(name, (1, 1, 7, 1))]
    made += [parse_layout(text, shape) for text, shape in (("HWC", (8, 9, 3)), ("HW", (40, 7)))]
    return [m for m in made if 0 < m.elements <= 600 and m.buffer_elements <= 600]


def _expected(painting: Painting, cells: list[Any]) -> list[Any]:
    def one(cell: Any) -> Any:
        if cell.kind not in {"element", "shared"}:
            return {"kind": cell.kind} if cell.kind else None
        palettes = [palette(painting.scale, theme) for theme in THEMES.values()]
        listed = [
            [
                colour and list(bytes.fromhex(colour[1:]))
                for colour in paint(of, cell.entry).values()
            ]
            for of in palettes
        ]
        return {"kind": cell.kind, "text": cell.text, "paints": listed}

    return [one(cell) for cell in cells]


@pytest.fixture(scope="module")
def answers() -> tuple[list[Layout], Any]:
    layouts = _layouts()
    given = {
        "cases": [
            {"description": described(m, m.buffer_elements), "most": NARROW} for m in layouts
        ],
        "themes": [theme_of(theme, dark=name == "dark") for name, theme in THEMES.items()],
        "windows": WINDOWS,
        "shares": SHARES,
    }
    return layouts, ask_page(ASK, given)


SHARES = [(842, 10, 8), (842, 200, 3), (500, 4, 90), (842, 60, 55)]


def test_the_height_is_shared_as_the_page_shares_it(answers: tuple[list[Layout], Any]) -> None:
    own = [fair_share(high, (1 / up).__mul__, (1 / low).__mul__) for high, up, low in SHARES]
    assert own == answers[1]["shares"]


def test_the_server_draws_what_the_page_draws(answers: tuple[list[Layout], Any]) -> None:
    for layout, page in zip(answers[0], answers[1]["grids"], strict=True):
        painting = Painting(layout, layout.buffer_elements)
        both = below, _ = memory(painting), memory(painting, NARROW)
        assert [one.columns for one in both] == page["rows"], layout
        assert [asdict(one.gaps) for one in both] == [
            {way: tuple(map(_gap, gaps[way])) for way in ("columns", "rows")}
            for gaps in page["gaps"]
        ], layout
        after = [None] * (below.columns * below.rows - layout.buffer_elements)
        assert _expected(painting, below.cells()) == page["memory"] + after, layout
        _same_places(below, page, layout)
        for window, shown in zip(WINDOWS, page["logical"], strict=True):
            grid = logical(painting, window[0] / window[1])
            assert grid.columns == shown["columns"], layout
            assert _expected(painting, grid.cells()) == shown["cells"], layout
            _same_places(grid, shown, layout)


ASK_WRAPPED = """async ({descriptions, aspects}) => {
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { createLogicalGrid } = await import('/static/core/grid/logical.js');
  return descriptions.map((description) =>
    aspects.map((aspect) => createLogicalGrid(createTensor(description), aspect, false).columns));
}"""


def test_many_planes_are_wrapped_as_the_page_wraps_them() -> None:
    texts = ("OIhw4i16o4i", "OIhw16i16o", "OIhw8i8o", "NCHW", "nChw16c", "ABcd7a5b")
    shapes = ((64, 48, 3, 3), (36, 20, 2, 5), (101, 3, 1, 1), (21, 15, 2, 2))
    layouts = [parse_layout(text, shape) for text in texts for shape in shapes]
    aspects = [0.3, 1.4, 2.6, 4.3, 7.0]
    given = {
        "descriptions": [described(m, m.buffer_elements) for m in layouts],
        "aspects": aspects,
    }
    assert ask_page(ASK_WRAPPED, given) == [
        [Planes(layout, aspect, blocked=False).columns for aspect in aspects] for layout in layouts
    ]


def _gap(gap: dict[str, float]) -> dict[str, float]:
    return {name: gap[name] for name in ("cells", "share", "most_css")}


def _same_places(grid: ArrangedGrid, page: Any, layout: Layout) -> None:
    assert [grid.inset_left_css, grid.inset_top_css] == page["insets"], layout
    for window, sized in zip(WINDOWS, page["sized"], strict=True):
        fitting = grid.fitting_css(*window)
        if fitting >= 8:  # smaller cells are not drawn by the server
            assert math.isclose(fitting, sized["all"]), layout
            assert grid.is_cut(*window) == sized["cut"], layout
