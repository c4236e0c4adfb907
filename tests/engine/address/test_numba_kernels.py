"""Large batches: compiled kernels and NumPy in chunks, one like the other and like the formula."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import (
    Digit,
    Layout,
    LayoutError,
    coordinates_of,
    offset_map,
    offsets_of,
    owners_of,
    parse_layout,
)
from app.engine.address import batches, division, numba_kernels
from app.engine.address.decoder import ELEMENT
from app.engine.digits import places
from app.engine.kernels import Kernels
from app.engine.layout import Int64Array
from tests.engine.strategies import small_layouts
from tests.examples import examples

ROWS = 1100  # three blocks of a kernel, the last one short
SERVICES = [("numpy", 1), ("numba", 1), ("numba", 2)]
LAYOUTS = small_layouts(least=1)


@contextmanager
def served_by(backend: str, threads: int) -> Iterator[list[str]]:
    """Let ``backend`` serve every batch on ``threads``; the list says which kernels ran."""
    ran: list[str] = []
    kernels = mock.MagicMock(wraps=numba_kernels)
    for name in ("RANKS", "DIVIDENDS", "BLOCK"):
        setattr(kernels, name, getattr(numba_kernels, name))

    def ready(_rows: int) -> object:
        return kernels if backend == "numba" else None

    with (
        mock.patch.object(batches, "_ready", ready),
        mock.patch.object(batches, "CHUNK_ROWS", 512),
        mock.patch.object(batches, "_ROWS_PER_THREAD", ROWS // 2 if threads > 1 else ROWS),
        mock.patch.object(batches, "cores", return_value=threads),
    ):
        yield ran
    ran += [name for name in ("encode", "decode") if getattr(kernels, name).called]


def field_of(call: Callable[..., object], *arguments: object) -> str | None:
    try:
        call(*arguments)
    except LayoutError as error:
        return error.field
    return None


def many_elements(layout: Layout, seed: int) -> Int64Array:
    coordinates = np.argwhere(np.ones(layout.shape, dtype=bool))
    chosen: Int64Array = coordinates[
        np.random.default_rng(seed).integers(0, len(coordinates), ROWS)
    ]
    return chosen


@examples(300)
@given(LAYOUTS, st.integers(0, 99), st.integers(0, ROWS - 1), st.data())
def test_offsets_are_those_of_the_map(
    layout: Layout, seed: int, at: int, data: st.DataObject
) -> None:
    coordinates = many_elements(layout, seed)
    expected = np.broadcast_to(offset_map(layout)[tuple(coordinates.T)], ROWS)
    wrong, d = coordinates.copy(), 0
    if layout.rank:
        d = data.draw(st.integers(0, layout.rank - 1))
        wrong[at, d] = data.draw(
            st.sampled_from([-1, layout.shape[d], 2**63 - 1, -(2**63), -(2**62)])
        )
    for backend, threads in SERVICES:
        with served_by(backend, threads) as ran:
            assert np.array_equal(offsets_of(layout, coordinates), expected)
            if layout.rank:
                assert field_of(offsets_of, layout, wrong) == f"coordinates[{at}][{d}]"
        assert ("encode" in ran) == (backend == "numba" and layout.rank > 0)


@examples(300)
@given(LAYOUTS, st.integers(0, 99), st.integers(0, ROWS - 1), st.data())
def test_coordinates_are_those_of_the_element(
    layout: Layout, seed: int, at: int, data: st.DataObject
) -> None:
    owned = owners_of(layout, np.arange(layout.buffer_elements))
    sole = np.flatnonzero(owned.kinds == ELEMENT)
    if not len(sole):
        return
    asked = np.random.default_rng(seed).choice(sole, ROWS)
    others = (
        sorted({-(2**63), -1, layout.buffer_elements, 2**63 - 1})
        + np.flatnonzero(owned.kinds != ELEMENT).tolist()
    )
    wrong = asked.copy()
    wrong[at] = data.draw(st.sampled_from(others))
    expected = owned.coordinates[owned.starts[asked]]
    for backend, threads in SERVICES:
        with served_by(backend, threads):
            found = coordinates_of(layout, asked)
            assert np.array_equal(found, expected)
            owners = owners_of(layout, asked)
            assert np.array_equal(owners.coordinates, expected)
            assert owners.kinds.tolist() == [ELEMENT] * ROWS
            assert owners.counts.tolist() == [1] * ROWS
            assert owners.starts.tolist() == list(range(ROWS + 1))
            assert field_of(coordinates_of, layout, wrong) == f"offsets[{at}]"


@pytest.mark.parametrize(
    ("layout", "compiled"),
    [
        (parse_layout("NCHW", (30, 30, 30, 30)), True),
        (parse_layout("NCHW4", (3, 30, 7, 5)), True),
        (parse_layout("OIhw4i16o4i", (30, 33, 3, 3)), True),
        (Layout.strided((7, 5, 3), (-15, 3, 1), 90), True),
        (Layout.strided((3037000499, 3037000499), (3037000499, 1)), True),
        (Layout.strided((5, 7), (100, 3)), True),
        (Layout.strided((5, 7, 9), (384001, 6000, 100)), True),
        (Layout.strided((5, 7), (10, 1)), True),
        (Layout((2**31 - 1,), "W", ((Digit(2**30, 2), Digit(2, 1)),)), True),
        (Layout.strided((2**30, 2), (2, 1)), True),
        (Layout.strided((2**10 - 1, 2**21), (2**21, 1)), True),
        (Layout.strided((2, 3, 5**8, 457), (3 * 5**8 * 457, 1, 3 * 457, 3)), True),
        (Layout.strided((2**16, 2**15 + 1), (2**15 + 1, 1)), True),
        (Layout.strided((2**50,), (1,)), True),
        (Layout.strided((2**50 + 1,), (1,)), False),
        (Layout.strided((3, 2**50 + 1), (2**60, 1)), False),
        (Layout.strided((2, 2**62 - 1), (-(2**62), 1), 2**62), False),
        (Layout.strided((2**6,) * 9, [2 ** (6 * k) for k in range(8, -1, -1)]), False),
        (Layout.strided((2**7,) * 8, [2 ** (7 * k) for k in range(7, -1, -1)]), True),
        (parse_layout("NCHW32", (2**14 - 1, 2**16 - 33, 2**15 - 1, 2**17 + 1)), True),
    ],
    ids=[
        "plain",
        "blocked",
        "three digits",
        "flipped",
        "wide",
        "gaps",
        "no multiples",
        "rows apart",
        "2^31",
        "pairs",
        "long rows",
        "odd",
        "beyond 2^31",
        "2^50",
        "beyond 2^50 in one",
        "beyond 2^50 in the last of two",
        "flipped, beyond 2^50",
        "nine dimensions",
        "eight dimensions",
        "blocked, near 2^63",
    ],
)
def test_the_kernels_serve_what_they_can(layout: Layout, *, compiled: bool) -> None:
    rng = np.random.default_rng(5)
    coordinates = np.stack([rng.integers(0, n, ROWS) for n in layout.shape], axis=1)
    coordinates[-1] = np.array(layout.shape) - 1
    for backend, threads in SERVICES:
        with served_by(backend, threads) as ran:
            offsets = offsets_of(layout, coordinates)
            assert np.array_equal(coordinates_of(layout, offsets), coordinates)
        assert ("decode" in ran) == (compiled and backend == "numba")


def test_a_gap_that_looks_like_a_coordinate_is_refused() -> None:
    """Address 10 is digit 5 of the four that are 2 apart, and 5 is a coordinate of its size 8."""
    layout = Layout((8, 2), "HW", ((Digit(2, 1), Digit(4, 2)), (Digit(2, 16),)))
    for backend, threads in SERVICES:
        with served_by(backend, threads) as ran:
            assert field_of(coordinates_of, layout, [0, 3, 10]) == "offsets[2]"
        assert ("decode" in ran) == (backend == "numba")


@pytest.mark.parametrize(
    ("rows", "asked", "loaded"),
    [(1 << 11, False, False), (1 << 12, True, False), (1 << 20, True, True)],
    ids=["few", "enough for kernels that are there", "enough to wait for them"],
)
def test_a_batch_asks_for_kernels_by_its_rows(
    monkeypatch: pytest.MonkeyPatch, rows: int, *, asked: bool, loaded: bool
) -> None:
    module = mock.MagicMock(RANKS=())  # they serve no rank, so NumPy answers
    kernels = mock.MagicMock(wraps=Kernels(lambda: module))
    monkeypatch.setattr(batches, "KERNELS", kernels)
    assert offsets_of(Layout.strided((1,), (1,), 3), np.zeros((rows, 1), np.int64)).tolist() == (
        [3] * rows
    )
    assert kernels.ready.called == asked
    assert (kernels.ready() is module) == loaded


@st.composite
def wide_layouts(draw: st.DrawFn) -> Layout:
    """Nested strides of any size up to 2^63, in any order: with gaps, padding, blocks and flips."""
    rank = draw(st.integers(1, 8))
    sizes = st.integers(2, 9) | st.integers(2, 2 ** draw(st.sampled_from([6, 20, 52])))
    where = draw(st.permutations([*range(rank), *draw(st.lists(st.integers(0, rank - 1)))]))
    digits: list[list[Digit]] = [[] for _ in range(rank)]
    stride, reach, flipped = draw(st.integers(1, 3)), 0, 0
    for d in where:
        extent = draw(sizes)
        if stride * extent + reach >= 2**62 or math.prod(g.extent for g in digits[d]) > 2**55:
            extent = 1
        sign = draw(st.sampled_from([1, 1, 1, -1]))
        digits[d].insert(draw(st.integers(0, len(digits[d]))), Digit(extent, sign * stride))
        reach += stride * (extent - 1)
        flipped += stride * (extent - 1) if sign < 0 else 0
        whole = stride * extent
        stride = draw(st.sampled_from([whole, whole, whole, 2 * whole, reach + 1, whole + 5]))
    shape = [math.prod(g.extent for g in gs) for gs in digits]
    shape = [max(n - draw(st.sampled_from([0, 0, 1, n // 3])), 1) for n in shape]
    try:
        return Layout(tuple(shape), "abcdefgh"[:rank], tuple(map(tuple, digits)), flipped)
    except LayoutError:  # with padding, there may be more elements than int64 counts
        return Layout.strided((3, 2**40, 2**20), (2**60, 2**20, 1))


def in_python(layout: Layout, address: int) -> list[int] | None:
    """Return the coordinate of the element at an address, by Python's integers."""
    rest, coordinate = address - layout.bounds[0], [0] * layout.rank
    terms = [(abs(g.stride), d, p, g) for d, gs in enumerate(layout.digits) for p, g in places(gs)]
    for stride, d, place, g in sorted(terms, key=lambda term: (-term[0], -term[3].extent)):
        if g.extent > 1:
            digit, rest = divmod(rest, stride)
            if not 0 <= digit < g.extent:
                return None
            coordinate[d] += place * (g.extent - 1 - digit if g.stride < 0 else digit)
    is_inside = all(c < n for c, n in zip(coordinate, layout.shape, strict=True))
    return coordinate if rest == 0 and is_inside else None


@examples(500)
@given(wide_layouts(), st.integers(0, 99), st.integers(0, ROWS - 1), st.data())
def test_wide_strides_divide_exactly(
    layout: Layout, seed: int, at: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, ROWS) for n in layout.shape]
    expected = np.stack(columns, axis=1)
    expected[-1], expected[0] = np.array(layout.shape) - 1, 0
    asked = offsets_of(layout, expected)
    wrong = asked.copy()
    moved = int(asked[at]) + data.draw(st.sampled_from([-1, 1, 7, -(2**33), 2**55]))
    wrong[at] = min(max(moved, -(2**63)), 2**63 - 1)
    owner = in_python(layout, int(wrong[at]))
    for backend, threads in SERVICES:
        with served_by(backend, threads):
            assert np.array_equal(coordinates_of(layout, asked), expected)
            if owner is None:
                assert field_of(coordinates_of, layout, wrong) == f"offsets[{at}]"
            else:
                assert coordinates_of(layout, wrong)[at].tolist() == owner


@examples(500)
@given(st.integers(1, 2**50 - 1), st.data())
def test_the_division_in_floating_point_is_exact(divisor: int, data: st.DataObject) -> None:
    last = division.EXACT - 1
    near = st.integers(0, last // divisor).map(lambda q: min(q * divisor + divisor - 1, last))
    asked = [0, last, last // divisor * divisor, data.draw(near), data.draw(st.integers(0, last))]
    for x in (*asked, max(asked[2] - 1, 0)):
        assert math.floor(x * division.reciprocal(divisor)) == x // divisor


@examples(500)
@given(st.integers(1, 2**63 - 1), st.data())
def test_the_share_is_one_too_low_at_most(divisor: int, data: st.DataObject) -> None:
    last = min(division.EXACT * divisor, 2**63) - 1
    near = st.integers(0, last // divisor).map(lambda q: min(q * divisor + divisor - 1, last))
    asked = [0, last, last // divisor * divisor, data.draw(near), data.draw(st.integers(0, last))]
    for x in (*asked, max(asked[2] - 1, 0)):
        assert math.floor(x * division.share(divisor)) in {x // divisor, x // divisor - 1}


@examples(500)
@given(st.integers(1, 2**31), st.integers(1, 2**31), st.data())
def test_the_magic_division_is_exact(divisor: int, dividends: int, data: st.DataObject) -> None:
    multiplier, shift = numba_kernels.magic(divisor, dividends)
    last = dividends - 1
    assert multiplier < 2**32
    near = st.integers(0, last // divisor).map(lambda q: min(q * divisor + divisor - 1, last))
    for x in (last, last // divisor * divisor, data.draw(near), data.draw(st.integers(0, last))):
        assert (x * multiplier) >> shift == x // divisor


def test_importing_the_engine_brings_no_optional_package() -> None:
    later = ("numba", "llvmlite", "cupy", "ml_dtypes")
    script = f"import sys, app.engine; print(*[m for m in {later} if m in sys.modules])"
    said = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout
    assert said.split() == []
