"""The page's layout arithmetic against the engine's.

The engine is the one truth; the page decodes addresses itself so that a frame needs no server.
"""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.engine import Layout, offsets_of, owners_of, parse_layout
from app.engine.inverse.owners import KINDS
from tests.engine.strategies import Choice, Nest, Seeded, nested, scrambled, swizzle
from tests.examples import fewer
from tests.twins.node import ask_page, described

RANDOM_LAYOUTS = fewer(700)
SWIZZLED_LARGEST = 1 << 16  # elements: the engine finds a swizzle's buffer by counting
FORMATS = ["NCHW", "NHWC", "CHWN", "WHCN", "NCHW4", "NCHW8", "NCHW32", "CHWN4", "CHWN8"]
TRIED = fewer(40)
SEED = 20240607
SMALL = Nest(
    gaps=(0, 0, 0, 1, 2),
    multiples=(0, 1, 1, 1, 1, 1, 1),
    signs=(1, 1, 1, 1, 1, -1),
    offsets=range(4),
    padded=True,
)

ASK = """async (cases) => {
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { explainAddress } = await import('/static/core/layout/explain.js');
  const { loopWalk } = await import('/static/core/walk/walk.js');
  return cases.map(({ description, coordinates, addresses, order, steps }) => {
    const tensor = createTensor(description);
    const walk = loopWalk(tensor, order);
    return {
      visits: steps.map((step) => walk.at(step).address),
      addresses: coordinates.map((coords) => tensor.addressOf(coords)),
      owners: addresses.map((address) => tensor.ownerOf(address)),
      sums: coordinates.slice(0, 4).map((coords) => explainAddress(tensor, coords).numbers),
    };
  });
}"""


def small_layout(choice: Choice) -> Layout:
    """Digits in any order, padded, repeated, flipped and spread, or scrambled: they overlap."""
    if choice.of((1, 0, 0)):
        return scrambled(choice, swizzled=False)
    rank = choice.of(range(5))
    extents = [[choice.of(range(1, 5)) for _ in range(choice.of(range(1, 4)))] for _ in range(rank)]
    return nested(choice, extents, SMALL)


def large_layout(choice: Choice) -> Layout:
    """A named format of up to 10^13 elements, or wide strides with and without a nest."""
    if choice.of((1, 1, 0)):
        shape = tuple(choice.of((1, 2, 3, 7, 64, 100, 1000, 1500)) for _ in range(4))
        return parse_layout(choice.of(FORMATS), shape)
    shape = tuple(choice.of((1, 3, 50, 1000)) for _ in range(choice.of(range(1, 5))))
    # No stride twice: the engine would end its search where a million elements share an address.
    wide = choice.order((0, 1, 1000, 50_000, 10**6, 10**9))[: len(shape)]
    strides = [stride + choice.of((0, 1)) for stride in wide]
    return Layout.strided(shape, strides, choice.of(range(100)))


def swizzled_layout(choice: Choice) -> Layout:
    """A small layout, or a larger one, under a swizzle of either direction."""
    layout = small_layout(choice)
    if choice.of((1, 0, 0)):
        layout = large_layout(choice)
        while math.prod(layout.padded_shape) > SWIZZLED_LARGEST:
            layout = large_layout(choice)
    return replace(layout, swizzle=swizzle(choice, bits=4, base=5, shift=9))


def asked_of(choice: Choice, layout: Layout, spare: int) -> tuple[list[list[int]], list[int]]:
    """Coordinates and addresses to ask about: all of a small tensor, samples of a large one."""
    limit = layout.buffer_elements + spare
    coordinates = [
        [choice.of(range(n)) for n in layout.shape] for _ in range(TRIED if layout.elements else 0)
    ]
    if limit <= 4 * TRIED:
        return coordinates, list(range(-2, limit + 2))
    met = offsets_of(layout, coordinates).tolist() if coordinates else []
    near = [address + choice.of(range(-3, 4)) for address in met]
    return coordinates, [*met, *near, *(choice.of(range(limit)) for _ in range(TRIED)), -1, limit]


def as_engine_says(
    layout: Layout, coordinates: list[list[int]], addresses: list[int], buffer_elements: int
) -> dict[str, Any]:
    """The answer that the page has to give."""
    owners = owners_of(layout, addresses, buffer_elements=buffer_elements)
    first = [
        owners.coordinates[start].tolist() if start < end else None
        for start, end in zip(owners.starts[:-1], owners.starts[1:], strict=True)
    ]
    return {
        "addresses": offsets_of(layout, coordinates).tolist() if coordinates else [],
        "owners": [
            {"kind": KINDS[kind], "coords": coords, "count": count}
            for kind, coords, count in zip(
                owners.kinds.tolist(), first, owners.counts.tolist(), strict=True
            )
        ],
    }


def steps_of(choice: Choice, layout: Layout) -> tuple[list[int], list[int], list[int]]:
    """A random order of the loops, some of its steps, and the addresses that they meet."""
    order = choice.order(tuple(range(len(layout.shape))))
    steps = [choice.of(range(layout.elements)) for _ in range(8 if layout.elements else 0)]
    loops = [layout.shape[dim] for dim in order]
    coordinates = []
    for step in steps:
        indices = [0] * len(order)
        for dim, index in zip(order, np.unravel_index(step, loops), strict=True):
            indices[dim] = int(index)
        coordinates.append(indices)
    return list(order), steps, offsets_of(layout, coordinates).tolist() if steps else []


def results_of(numbers: str) -> set[int]:
    """What each side of the written sum comes to: products, a sum and, swizzled, an XOR."""
    for sign, meaning in (("·", "*"), ("−", "-")):
        numbers = numbers.replace(sign, meaning)
    assert re.fullmatch(r"[-+*^&<>()=\s\dbx]+", numbers), numbers
    return {eval(side) for side in numbers.split(" = ")}  # noqa: S307  # digits and signs alone


@pytest.mark.parametrize(
    ("make", "count"),
    [(small_layout, RANDOM_LAYOUTS), (large_layout, 300), (swizzled_layout, RANDOM_LAYOUTS)],
)
def test_the_page_decodes_as_the_engine_does(make: Callable[[Choice], Layout], count: int) -> None:
    choice = Seeded(SEED)
    layouts = [make(choice) for _ in range(count)]
    cases, expected = [], []
    for layout in layouts:
        spare = choice.of((0, 0, 5))
        buffer_elements = layout.buffer_elements + spare
        coordinates, addresses = asked_of(choice, layout, spare)
        order, steps, visits = steps_of(choice, layout)
        cases.append(
            {
                "description": described(layout, buffer_elements),
                "coordinates": coordinates,
                "addresses": addresses,
                "order": order,
                "steps": steps,
            }
        )
        truth = as_engine_says(layout, coordinates, addresses, buffer_elements)
        expected.append({**truth, "visits": visits})

    answers = ask_page(ASK, cases)

    met = set()
    for layout, case, answer, wanted in zip(layouts, cases, answers, expected, strict=True):
        assert answer["addresses"] == wanted["addresses"], layout
        assert answer["visits"] == wanted["visits"], f"{case['order']} of {layout}"
        for said, address in zip(answer["sums"], wanted["addresses"], strict=False):
            assert results_of(said) == {address}, f"{said} of {layout}"
        for address, got, want in zip(
            case["addresses"], answer["owners"], wanted["owners"], strict=True
        ):
            assert got == want, f"address {address} of {layout}"
            met.add(want["kind"])
    assert met == {"element", "shared", "padding", "gap", "outside"}
