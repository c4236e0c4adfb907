"""Short rows: which moves have a tile of several loops on both sides, and what the tile is."""

from __future__ import annotations

import numpy as np
import pytest

from app.engine import parse_layout, plan, reorder
from app.engine.reorder import cpu, moves_of
from app.engine.reorder.kernels import short


def tile(
    source: str, target: str, shape: tuple[int, ...], bits: int, *, streamed: bool = True
) -> short.Short | None:
    planned = plan(parse_layout(source, shape), parse_layout(target, shape))
    (move,) = moves_of(planned.boxes, bits)
    return short.tile_of(move, streamed=streamed)


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize(
    ("source", "target", "rows", "columns"),
    [
        ("HWIO", "OIHW", 2, 1),  # 9 taps and some input channels; output channels
        ("OIHW", "HWIO", 1, 2),  # output channels; 9 taps and some input channels
        ("OHWI", "OIHW", 1, 1),  # 9 taps; input channels
        ("OIhw4i16o4i", "oihw", 1, 2),  # 9 taps; what a block begins with
    ],
)
def test_3x3_kernels_turn_tiles_of_several_loops(
    source: str, target: str, rows: int, columns: int, bits: int
) -> None:
    in_cache = (source, bits) == ("OIHW", 32)  # outside it, 9 taps of float32 are turned as before
    found = tile(source, target, (256, 256, 3, 3), bits, streamed=not in_cache)
    assert found is not None
    assert (len(found.rows), len(found.columns) > 1) == (rows, columns > 1)
    assert found.run * bits // 8 >= 144  # of 36 taps in a row, at least


@pytest.mark.parametrize(
    ("source", "target", "shape", "bits"),
    [
        ("NHWC", "NCHW", (8, 64, 56, 56), 32),  # long rows and columns
        ("NCHW", "CHWN4", (64, 64, 56, 56), 32),  # columns that lines are made of
        ("HWIO", "OIHW", (8, 8, 3, 3), 8),  # rows under a line
        ("HWIO", "OIHW", (256, 256, 3, 3), 64),  # wide units
        ("OIHW", "HWIO", (256, 256, 3, 3), 32),  # 9 taps of float32
        *[("HWIO", "OIHW", (32, 64, 3, 3), bits) for bits in (8, 16, 32)],  # runs of few taps
        ("NCHW", "NHWC8", (2, 7, 3, 3), 8),  # a fill
    ],
)
def test_others_are_turned_as_before(
    source: str, target: str, shape: tuple[int, ...], bits: int
) -> None:
    assert tile(source, target, shape, bits) is None


@pytest.mark.parametrize("shape", [(1856, 1024, 3, 3), (3712, 512, 3, 3)])
def test_taps_of_float32_are_short_if_their_rows_crowd_the_second_cache(
    shape: tuple[int, ...],
) -> None:
    """Rows at multiples of 4096 or 2048 bytes: fewer lines fit than there are rows."""
    assert tile("OIHW", "HWIO", shape, 32) is not None
    assert tile("OIHW", "HWIO", (shape[0], shape[1] + 8, 3, 3), 32) is None


def test_bytes_in_cache_have_small_tiles_without_inner_loops() -> None:
    """What is stored at once has no run in scratch memory that would be worth a longer tile."""
    found = [tile("CHWN4", "NCHW", (320, 64, 7, 7), 8, streamed=far) for far in (False, True)]
    in_cache, outside = found
    assert in_cache is not None
    assert outside is not None
    assert ([x.steps for x in in_cache.columns], in_cache.inner) == ([4, 32], ())
    assert ([x.steps for x in outside.columns], len(outside.inner)) == ([4, 64], 1)


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        *[(("CHWN4", "NCHW"), (70, 24, side, side)) for side in (6, 7, 8)],
        (("OIhw4i16o4i", "oihw"), (32, 40, 3, 3)),  # 9 bytes are a column; a run has few of them
        (("OHWI", "OIHW"), (20, 150, 3, 3)),  # the same, of long runs
    ],
)
@pytest.mark.parametrize("streamed", [0, 1 << 40])
def test_short_columns_of_bytes_are_equal(
    names: tuple[str, str], shape: tuple[int, ...], streamed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = (parse_layout(name, shape) for name in names)
    monkeypatch.setattr(cpu, "STREAMED_BYTES", streamed)
    memory = np.random.default_rng(1).integers(0, 256, source.buffer_elements, dtype=np.uint8)
    expected = reorder(memory, source, target, backend="numpy")
    assert np.array_equal(reorder(memory, source, target, backend="numba"), expected)


def test_rows_of_bytes_in_cache_are_turned_as_before_but_for_short_source_runs() -> None:
    shape = (256, 256, 3, 3)
    assert tile("HWIO", "OIHW", shape, 8, streamed=False) is None
    assert tile("HWIO", "OIHW", shape, 16, streamed=False) is not None
    assert tile("OIHW", "HWIO", shape, 8, streamed=False) is not None


def test_tiles_that_one_step_fills_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 taps of one input channel are a tile's column: there is no second one to share."""
    source, target = (parse_layout(name, (256, 8, 20, 20)) for name in ("HWIO", "OIHW"))
    found = tile("HWIO", "OIHW", (256, 8, 20, 20), 8)
    assert found is not None
    assert (found.run, short._strip(found, 1, streamed=True)) == (400, None)
    monkeypatch.setattr(cpu, "STREAMED_BYTES", 0)
    memory = np.random.default_rng(1).integers(0, 256, source.elements, dtype=np.uint8)
    expected = reorder(memory, source, target, backend="numpy")
    assert np.array_equal(reorder(memory, source, target, backend="numba"), expected)
