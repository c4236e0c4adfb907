"""What the page reads in the text of a slice against the engine, whose slices are NumPy's."""

import json
import math
from typing import Any

from app.contract.shapes import plain
from app.engine import Layout, index_expression, window
from app.engine.notation.slices import Slice
from tests.engine.strategies import Seeded
from tests.twins.node import ask_page

CASES = 400
ASK = """async (cases) => {
  const { picksOf, readCuts, writeCuts } = await import('/static/core/slice/cuts.js');
  return cases.map(({ shape, text }) => {
    const read = readCuts(text, shape);
    const again = read && readCuts(writeCuts(read, shape), shape);
    return [read && picksOf(read), again && picksOf(again)];
  });
}"""


def _index(choice: Seeded, layout: Layout) -> tuple[str, Slice]:
    """An index of NumPy."""
    items = []
    for n in layout.shape[: choice.of(range(layout.rank + 1))]:
        bounds = [choice.of(["", *map(str, range(-n - 2, n + 3))]) for _ in range(2)]
        step = choice.of(["", ":", ":1", ":2", ":3", ":-1", ":-2"])
        index = str(choice.of(range(-n, n)))
        items.append(choice.of([index, ":".join(bounds) + step, ":".join(bounds) + step]))
    for some in (["...", "Ellipsis"], ["None", "np.newaxis", "newaxis"]):
        if choice.of([True, False]):
            items.insert(choice.of(range(len(items) + 1)), choice.of(some))
    text = ", ".join(items) or "..."
    return choice.of([text, f"[{text}]"]), index_expression(layout, text)


def _window(choice: Seeded, layout: Layout) -> tuple[str, Slice]:
    """A window: offsets, sizes, strides and perhaps how many it gives."""
    offsets = [choice.of(range(n)) for n in layout.shape]
    sizes = [choice.of(range(1, n - at + 1)) for n, at in zip(layout.shape, offsets, strict=True)]
    strides = [choice.of([1, 2, 3, -1, -2]) for _ in offsets]
    room = [1 + (size - 1) // abs(step) for size, step in zip(sizes, strides, strict=True)]
    lists = [offsets, sizes, strides, [choice.of(range(1, most + 1)) for most in room]]
    lists = lists[: choice.of([3, 4])]
    return "; ".join(",".join(map(str, each)) for each in lists), window(layout, *lists)


def _taking(picks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of one index the step does not matter, of none the start does not either."""
    ones = [pick if pick["count"] > 1 else {**pick, "step": 1} for pick in picks]
    return [pick if pick["count"] else {**pick, "start": 0} for pick in ones]


def test_the_page_reads_what_the_engine_takes() -> None:
    choice = Seeded(20261122)
    asked, expected, partly = [], [], 0
    for number in range(CASES):
        shape = tuple(choice.of(range(1, 6)) for _ in range(choice.of(range(1, 5))))
        layout = Layout.strided(shape, [math.prod(shape[d + 1 :]) for d in range(len(shape))])
        text, taken = (_window if number % 3 == 0 else _index)(choice, layout)
        asked.append({"shape": shape, "text": text})
        expected.append(_taking(json.loads(json.dumps(taken.picks, default=plain))))
        partly += 0 < math.prod(taken.shape) < layout.elements
    for case, (read, again), picks in zip(asked, ask_page(ASK, asked), expected, strict=True):
        assert read is not None, case
        assert _taking(read) == picks, case
        assert again is not None, case
    assert partly > CASES / 3
