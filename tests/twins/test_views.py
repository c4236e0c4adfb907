"""Views over a memory against the page's painters."""

from typing import Any

import numpy as np

from app.contract.steps import parse_steps, viewed
from app.engine import Layout, LayoutError
from app.engine.notation.slices import Pick, Slice
from app.picture.cells import CellText, Look, Painting
from app.picture.colours import LIGHT, palette
from tests.engine.strategies import Seeded
from tests.examples import fewer
from tests.twins.node import ask_page, described, theme_of
from tests.twins.test_layout import small_layout

VIEWS = fewer(150)
TEXTS: tuple[CellText, ...] = ("auto", "linear", "address", "coords")
# What the page paints of each case, by element and by address; for the pictures' test, too.
ASK = """async ({ cases, theme }) => {
  const { unitOf } = await import('/static/core/cost/units.js');
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { createPainters } = await import('/static/draw/view-painter.js');
  const { fromWord } = await import('/static/core/palette.js');
  return cases.map(({ stored, view, text, slice, coordinates, ...more }) => {
    const { colour, sizes, data } = { colour: 'auto', sizes: {}, data: null, ...more };
    const [memory, tensor] = [stored, view].map(createTensor);
    const values = data && { data, role: 'data' };
    const same = { theme, colour, unit: unitOf(colour, sizes), values, slice };
    const painters = createPainters({ ...same, memory, tensor });
    const { logical } = painters;
    const textOf = logical.textOf(text, values);
    const words = new Uint32Array(memory.bufferElements);
    painters.memory.paintAddresses(0, 1, words.length, words, 0, 0, false);
    return {
      cells: coordinates.map((at) => [
        [...fromWord(logical.wordOf(at, logical.isMember(at) ? 0 : logical.faded))], textOf(at),
      ]),
      memory: [...words].map((word) => [...fromWord(word)]),
    };
  });
}"""


def _view(choice: Seeded, layout: Layout) -> Layout | None:
    """A view of some of a layout's elements, None where it has none."""
    last = layout.rank - 1
    permuted = {"op": "permute", "dims": choice.order(range(layout.rank))}
    others: list[dict[str, Any]] = [
        {"op": "flip", "dim": last},
        {"op": "select", "dim": 0, "index": 0},
        {"op": "narrow", "dim": last, "start": 0, "length": 1},
        {"op": "index", "index": "..., ::2"},
        {"op": "unsqueeze", "dim": 1},
    ]
    try:
        return viewed(layout, parse_steps([permuted, choice.of(others)]))
    except LayoutError:
        return None


def _cases() -> list[tuple[Layout, Layout, Slice | None, CellText]]:
    choice = Seeded(20261201)
    found: list[tuple[Layout, Layout, Slice | None, CellText]] = []
    while len(found) < VIEWS:
        layout = small_layout(choice)
        if not layout.rank or not 0 < layout.elements <= 150 or layout.buffer_elements > 400:
            continue
        view = _view(choice, layout)
        if view is None or not view.elements:
            continue
        picks = tuple(Pick(d, 0, 2, -(-n // 2)) for d, n in enumerate(view.shape))
        taken = Slice(view, picks) if len(found) % 2 else None
        found.append((layout, view, taken, TEXTS[len(found) % len(TEXTS)]))
    return found


def test_views_are_painted_as_the_page_paints_them() -> None:
    cases = _cases()
    asked = [
        {
            "stored": described(layout, layout.buffer_elements),
            "view": described(view, view.buffer_elements),
            "text": text,
            "slice": taken and taken.picks,
            "coordinates": list(np.ndindex(*view.shape)),
        }
        for layout, view, taken, text in cases
    ]
    answers = ask_page(ASK, {"cases": asked, "theme": theme_of(LIGHT, dark=False)})
    for (layout, view, taken, text), page in zip(cases, answers, strict=True):
        shown = Painting(layout, layout.buffer_elements, Look(text=text, taken=taken), view)
        words = palette(shown.scale, LIGHT).fills.tolist()
        fills = np.array([list(word.to_bytes(3)) for word in words])
        cells = shown.at_coordinates(np.array([*np.ndindex(*view.shape)]))
        own = zip(fills[cells.entries].tolist(), shown.texts(cells), strict=True)
        assert [list(cell) for cell in own] == page["cells"], (layout, view)
        memory = shown.at_addresses(np.arange(layout.buffer_elements))
        drawn = fills[memory.entries].tolist()
        for at in np.flatnonzero(memory.stored).tolist():
            assert drawn[at] == page["memory"][at], (layout, view, at)
