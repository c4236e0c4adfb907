"""What the page marks as taken by a slice, against NumPy and the definition of DML_SLICE1.

The page asks the API and draws what it answers, so this holds the whole way: the typed text, the
request, the answer's picks, the painter. The grips read the text themselves, and agree.
"""

import math
import random
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CASES = 120
SEED = 20261122
LETTERS = ["", "W", "HW", "CHW", "NCHW"]

ASK_BROWSER = """async (cases) => {
  const { Session } = await import('/static/state/session.js');
  const { parseState } = await import('/static/state/permalink.js');
  const { painterOf } = await import('/static/elements/shared/painters.js');
  const { picksOf, readCuts, writeCuts } = await import('/static/core/slice/cuts.js');
  const { defaultTheme } = await import('/static/core/palette.js');
  const bits = new Map([['float32', 32]]);
  const answers = [];
  for (const { shape, layout, slice } of cases) {
    const query = new URLSearchParams({ shape: shape.join(','), layout, slice });
    const session = new Session(parseState(query), defaultTheme(false), bits);
    session.ask();
    const { signal } = new AbortController();
    await new Promise((done) => {
      const { problems } = session;
      const complete = () => session.answers.a && session.sliced;
      const refused = () => problems.a.length + problems.slice.length > 0;
      session.on(['answer', 'slice', 'problem'], () => (complete() || refused()) && done(), signal);
    });
    const tensor = session.answers.a?.tensor;
    const read = tensor && readCuts(slice, tensor.shape);
    const painter = painterOf(session, 'a');
    const indices = Array.from({ length: tensor?.elements ?? 0 }, (_, at) => tensor.coordsOf(at));
    answers.push({
      problems: [...session.problems.a, ...session.problems.slice],
      picks: session.sliced?.picks,
      read: read && picksOf(read),
      again: read && readCuts(writeCuts(read, tensor.shape), tensor.shape),
      taken: indices.map((coords) => painter.isMember(coords)),
    });
  }
  return answers;
}"""


def random_index(rng: random.Random, shape: tuple[int, ...]) -> tuple[str, Any]:
    """A NumPy index as text and as the object that NumPy takes."""
    texts: list[str] = []
    items: list[Any] = []
    named = rng.randint(0, len(shape))
    ellipsis_at = rng.randint(0, named) if rng.random() < 0.4 else None
    for place in range(named + 1):
        if rng.random() < 0.2:
            texts.append(rng.choice(["None", "np.newaxis", " newaxis"]))
            items.append(None)
        if place == ellipsis_at:
            texts.append(rng.choice(["...", "Ellipsis"]))
            items.append(Ellipsis)
        if place == named:
            break
        behind = ellipsis_at is not None and place >= ellipsis_at
        extent = shape[len(shape) - named + place] if behind else shape[place]
        if rng.random() < 0.3:
            index = rng.randrange(-extent, extent)
            texts.append(str(index))
            items.append(index)
            continue
        start, stop = (rng.choice([None, rng.randint(-extent - 2, extent + 2)]) for _ in range(2))
        step = rng.choice([None, None, 1, 2, 3, -1, -2])
        written = ["" if bound is None else str(bound) for bound in (start, stop)]
        texts.append(":".join([*written, *([] if step is None else [str(step)])]))
        items.append(slice(start, stop, step))
    text = ", ".join(texts)
    return (f"[{text}]" if rng.random() < 0.3 else text) or "...", tuple(items)


def random_window(rng: random.Random, shape: tuple[int, ...]) -> tuple[str, Any]:
    """A window as text and as the index that takes the same elements."""
    offsets = [rng.randrange(n) for n in shape]
    sizes = [rng.randint(1, n - offset) for n, offset in zip(shape, offsets, strict=True)]
    strides = [rng.choice([1, 2, 3, -1, -2]) for _ in shape]
    counts = [1 + (size - 1) // abs(step) for size, step in zip(sizes, strides, strict=True)]
    lists = [offsets, sizes, strides]
    if rng.random() < 0.4:
        counts = [rng.randint(1, count) for count in counts]
        lists.append(counts)
    taken = [
        [offset + (size - 1 if step < 0 else 0) + step * i for i in range(count)]
        for offset, size, step, count in zip(offsets, sizes, strides, counts, strict=True)
    ]
    return "; ".join(",".join(map(str, values)) for values in lists), np.ix_(*taken)


def _taking(picks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of one index the step does not matter, of none the start does not either."""
    ones = [pick if pick["count"] > 1 else {**pick, "step": 1} for pick in picks]
    return [pick if pick["count"] else {**pick, "start": 0} for pick in ones]


def test_the_page_marks_what_the_slice_takes(page: Page) -> None:
    rng = random.Random(SEED)  # noqa: S311  # a reproducible draw, not a secret
    cases: list[dict[str, Any]] = []
    expected: list[list[bool]] = []
    for number in range(CASES):
        shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(1, 4)))
        draw = random_window if number % 3 == 0 else random_index
        text, index = draw(rng, shape)
        cases.append({"shape": shape, "layout": LETTERS[len(shape)], "slice": text})
        mask = np.zeros(shape, dtype=bool)
        mask[index] = True
        expected.append(mask.ravel().tolist())

    page.goto("/")
    answers = page.evaluate(ASK_BROWSER, cases)

    for case, answer, wanted in zip(cases, answers, expected, strict=True):
        assert answer["problems"] == [], case
        assert answer["taken"] == wanted, case
        # Until the API answers, the page shows what it reads itself.
        assert _taking(answer["read"]) == _taking(answer["picks"]), case
        assert answer["again"] is not None, case
    partly = [
        0 < sum(mask) < math.prod(case["shape"]) for case, mask in zip(cases, expected, strict=True)
    ]
    assert sum(partly) > CASES / 2
