"""Boxes of a tensor: counts by arithmetic equal counts by hand."""

import math
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from app.files.zarr.boxes import Boxes, Sizes, amplification, between, grown, touched

sizes = st.integers(1, 9)
RANKS = st.integers(1, 3)


@st.composite
def covered(draw: st.DrawFn) -> tuple[Boxes, Sizes]:
    """Boxes over a shape that may have a 0, and chunks."""
    rank = draw(RANKS)
    shape = tuple(draw(st.integers(0, 30)) for _ in range(rank))
    size, grain = (tuple(draw(sizes) for _ in range(rank)) for _ in range(2))
    return Boxes(shape, size), grain


@given(covered())
def test_boxes_cover_each_element_once(case: tuple[Boxes, Sizes]) -> None:
    boxes, _ = case
    seen = [
        coordinate
        for number in range(len(boxes))
        for coordinate in product(*(range(s.start, s.stop) for s in boxes.box(number)))
    ]
    assert sorted(seen) == list(product(*map(range, boxes.shape)))


@given(covered())
def test_chunks_read_are_counted_as_by_hand(case: tuple[Boxes, Sizes]) -> None:
    boxes, grain = case
    read = [
        chunk
        for number in range(len(boxes))
        for chunk in product(
            *(
                range(s.start // g, -(-s.stop // g))
                for s, g in zip(boxes.box(number), grain, strict=True)
            )
        )
    ]
    there = math.prod(-(-n // g) for n, g in zip(boxes.shape, grain, strict=True))
    assert touched(boxes, grain) == (len(read), there)
    if there:
        assert len(set(read)) == there


@given(covered(), st.integers(1, 4000))
def test_grown_boxes_fit_and_read_no_more(case: tuple[Boxes, Sizes], most: int) -> None:
    boxes, grain = case
    step = boxes.size
    size = grown(
        boxes.shape,
        step,
        grain,
        lambda way: math.prod(way) <= most,
        least_boxes=2,
        enough=lambda way: math.prod(way) >= 50,
    )
    assert all(n % s == 0 for n, s in zip(size, step, strict=True))
    assert size == step or math.prod(size) <= most
    assert amplification(Boxes(boxes.shape, size), grain) <= amplification(boxes, grain)
    if most >= math.prod(n + s for n, s in zip(boxes.shape, step, strict=True)) * 8:
        assert amplification(Boxes(boxes.shape, size), grain) == 1, "a box as large as the tensor"


def test_rows_to_columns_need_a_chunk_between() -> None:
    shape, row, column = (4096, 4096), (1, 4096), (4096, 1)

    def fits(way: Sizes) -> bool:
        return math.prod(way) <= 1 << 18

    direct = grown(shape, column, row, fits, least_boxes=1, enough=lambda _: True)
    assert amplification(Boxes(shape, direct), row) >= 64
    first, chunk, second = between(shape, row, column, fits)
    assert fits(first)
    assert fits(second)
    assert amplification(Boxes(shape, first), row) == 1
    assert amplification(Boxes(shape, second), chunk) == 1
    assert all(n % c == 0 for n, c in zip(first, chunk, strict=True)), "one writer for each chunk"
    assert chunk == (64, 64)
