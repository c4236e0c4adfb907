"""Short rows: which moves have a tile of several loops on both sides, and what the tile is."""

import pytest

from app.engine import parse_layout, plan
from app.engine.reorder.kernels import short
from app.engine.reorder.moves import moves_of


def tile(
    source: str, target: str, shape: tuple[int, ...], bits: int, *, streamed: bool = True
) -> short.Short | None:
    planned = plan(parse_layout(source, shape), parse_layout(target, shape))
    (move,) = moves_of(planned.boxes, bits)
    return short.tile_of(move, streamed=streamed)


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize(("source", "target"), [("OIHW", "HWIO"), ("OIhw4i16o4i", "oihw")])
def test_3x3_kernels_have_tiles_of_several_loops(source: str, target: str, bits: int) -> None:
    """Output channels; 9 taps and some input channels, or what a block begins with."""
    in_cache = (source, bits) == ("OIHW", 32)  # outside it, 9 taps of float32 are not short
    found = tile(source, target, (256, 256, 3, 3), bits, streamed=not in_cache)
    assert found is not None
    assert len(found.rows) == 1
    assert len(found.columns) > 1
    assert found.run * bits // 8 >= 144  # of 36 taps in a row, at least


@pytest.mark.parametrize(
    ("source", "target", "shape", "bits"),
    [
        ("NHWC", "NCHW", (8, 64, 56, 56), 32),  # long rows and columns
        ("NCHW", "CHWN4", (64, 64, 56, 56), 32),  # columns that lines are made of
        ("HWIO", "OIHW", (256, 256, 3, 3), 8),  # long rows of the source
        ("OHWI", "OIHW", (256, 256, 3, 3), 8),
        ("OIHW", "HWIO", (256, 256, 3, 3), 64),  # wide units
        ("OIHW", "HWIO", (256, 256, 3, 3), 32),  # 9 taps of float32
        ("NCHW", "NHWC8", (2, 7, 3, 3), 8),  # a fill
    ],
)
def test_others_are_transposed_without_such_tiles(
    source: str, target: str, shape: tuple[int, ...], bits: int
) -> None:
    assert tile(source, target, shape, bits) is None
