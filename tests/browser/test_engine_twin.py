"""The browser's layout arithmetic against the engine's, in a real browser.

The engine is the one truth; the page decodes addresses itself so that a frame needs no server.
"""

import math
import random
import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from playwright.sync_api import Page

from app.engine import Digit, Layout, offsets_of, owners_of, parse_layout
from app.engine.address import KINDS
from app.engine.layout import Swizzle

RANDOM_LAYOUTS = 700
SWIZZLED_LARGEST = 1 << 16  # elements: the engine finds a swizzle's buffer by counting
FORMATS = ["NCHW", "NHWC", "CHWN", "WHCN", "NCHW4", "NCHW8", "NCHW32", "CHWN4", "CHWN8"]
TRIED = 40
SEED = 20240607

ASK_BROWSER = """async (cases) => {
  const { createTensor } = await import('/static/core/layout/tensor.js');
  const { explainAddress } = await import('/static/core/layout/explain.js');
  return cases.map(({ description, coordinates, addresses }) => {
    const tensor = createTensor(description);
    return {
      addresses: coordinates.map((coords) => tensor.addressOf(coords)),
      owners: addresses.map((address) => tensor.ownerOf(address)),
      sums: coordinates.slice(0, 4).map((coords) => explainAddress(tensor, coords).numbers),
    };
  });
}"""


def small_layout(rng: random.Random) -> Layout:
    """Digits in any order, padded, broadcast, flipped, spread, or scrambled until they overlap."""
    rank = rng.randrange(5)
    radices = [[rng.randint(1, 4) for _ in range(rng.randint(1, 3))] for _ in range(rank)]
    shape = [math.prod(extents) for extents in radices]
    shape = [rng.randint(1, n) if rng.random() < 0.3 else n for n in shape]
    slots = [(d, k) for d in range(rank) for k in range(len(radices[d]))]
    rng.shuffle(slots)
    scrambled = rng.random() < 0.3
    strides: dict[tuple[int, int], int] = {}
    reach = 1
    for d, k in slots:
        stride = rng.randrange(9) if scrambled else reach + rng.choice([0, 0, 0, 1, 2])
        if rng.random() < 0.12:
            stride = 0
        reach = max(reach, stride * radices[d][k])
        strides[d, k] = -stride if rng.random() < 0.15 else stride
    digits = tuple(
        tuple(Digit(extent, strides[d, k]) for k, extent in enumerate(radices[d]))
        for d in range(rank)
    )
    below = sum(g.reach for dim in digits for g in dim if g.stride < 0)
    return Layout(tuple(shape), "abcde"[:rank], digits, rng.randrange(4) - below)


def large_layout(rng: random.Random) -> Layout:
    """A named format of up to 10^13 elements, or wide strides with and without a nest."""
    if rng.random() < 0.7:
        shape = tuple(rng.choice([1, 2, 3, 7, 64, 100, 1000, 1500]) for _ in range(4))
        return parse_layout(rng.choice(FORMATS), shape)
    shape = tuple(rng.choice([1, 3, 50, 1000]) for _ in range(rng.randint(1, 4)))
    strides = [rng.choice([0, 1, 1000, 50_000, 10**6, 10**9]) + rng.randrange(2) for _ in shape]
    return Layout.strided(shape, strides, rng.randrange(100))


def swizzled_layout(rng: random.Random) -> Layout:
    """A small layout, or a larger one, under a swizzle of either direction."""
    bits = rng.randrange(5)
    base = rng.randrange(6)
    shift = rng.choice([-1, 1]) * (bits + rng.randrange(6))
    layout = small_layout(rng)
    if rng.random() < 0.3:
        layout = large_layout(rng)
        while math.prod(layout.padded_shape) > SWIZZLED_LARGEST:
            layout = large_layout(rng)
    return replace(layout, swizzle=Swizzle(bits, base, shift))


def asked_of(rng: random.Random, layout: Layout, spare: int) -> tuple[list[list[int]], list[int]]:
    """Coordinates and addresses to ask about: all of a small tensor, samples of a large one."""
    limit = layout.buffer_elements + spare
    coordinates = [
        [rng.randrange(n) for n in layout.shape] for _ in range(TRIED if layout.elements else 0)
    ]
    if limit <= 4 * TRIED:
        return coordinates, list(range(-2, limit + 2))
    met = offsets_of(layout, coordinates).tolist() if coordinates else []
    near = [address + rng.randint(-3, 3) for address in met]
    return coordinates, [*met, *near, *(rng.randrange(limit) for _ in range(TRIED)), -1, limit]


def as_engine_says(
    layout: Layout, coordinates: list[list[int]], addresses: list[int], buffer_elements: int
) -> dict[str, Any]:
    """The answer that the browser has to give."""
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
def test_browser_decodes_as_the_engine_does(page: Page, make: Any, count: int) -> None:
    rng = random.Random(SEED)  # noqa: S311  # a reproducible draw, not a secret
    layouts = [make(rng) for _ in range(count)]
    cases, expected = [], []
    for layout in layouts:
        spare = rng.choice([0, 0, 5])
        buffer_elements = layout.buffer_elements + spare
        coordinates, addresses = asked_of(rng, layout, spare)
        cases.append(
            {
                "description": {
                    "shape": layout.shape,
                    "dims": layout.dims,
                    "digits": [[asdict(digit) for digit in dim] for dim in layout.digits],
                    "offset": layout.offset,
                    "swizzle": None if layout.swizzle is None else asdict(layout.swizzle),
                    "padded_shape": layout.padded_shape,
                    "buffer": {"elements": buffer_elements},
                },
                "coordinates": coordinates,
                "addresses": addresses,
            }
        )
        expected.append(as_engine_says(layout, coordinates, addresses, buffer_elements))

    page.goto("/")
    answers = page.evaluate(ASK_BROWSER, cases)

    met = set()
    for layout, case, answer, wanted in zip(layouts, cases, answers, expected, strict=True):
        assert answer["addresses"] == wanted["addresses"], layout
        for said, address in zip(answer["sums"], wanted["addresses"], strict=False):
            assert results_of(said) == {address}, f"{said} of {layout}"
        for address, got, want in zip(
            case["addresses"], answer["owners"], wanted["owners"], strict=True
        ):
            assert got == want, f"address {address} of {layout}"
            met.add(want["kind"])
    assert met == {"element", "shared", "padding", "gap", "outside"}
