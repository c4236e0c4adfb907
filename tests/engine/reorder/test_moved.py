"""What a copy reads and writes: the addresses of elements, each once, and the target's buffer."""

import random

import pytest

from app.engine import Layout, offset_map, parse_dtype, parse_layout
from app.engine.reorder import plan
from app.engine.reorder.plan import moved_bytes, read_bytes


def _strided(rng: random.Random) -> Layout:
    shape = [rng.choice((0, 1, 2, 3, 5)) for _ in range(rng.randint(0, 4))]
    return Layout.strided(shape, [rng.choice((0, 0, 1, 2, 3, 7, -4)) for _ in shape], 400)


def _blocked(rng: random.Random) -> Layout:
    text = rng.choice(("NCHW4", "NHWC", "NCHW16", "onednn:nChw8c", "tvm:NCHW4n3c", "onednn:aBcd2b"))
    return parse_layout(text, [rng.choice((1, 2, 3, 5, 9)) for _ in range(4)])


@pytest.mark.parametrize("seed", range(60))
def test_each_address_counts_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)  # noqa: S311  # a test's own cases
    layout = rng.choice((_strided, _blocked))(rng)
    distinct = len(set(offset_map(layout).ravel().tolist()))
    for name, bits in (("float32", 32), ("int8", 8), ("int4", 4)):
        assert read_bytes(layout, parse_dtype(name)) == -(-distinct * bits // 8)
    # Where too many addresses overlap to be listed, the span is a bound.
    monkeypatch.setattr(plan, "_ENUMERATED", 0)
    plan._distinct.cache_clear()
    assert distinct <= read_bytes(layout, parse_dtype("int8")) <= max(distinct, layout.elements)
    plan._distinct.cache_clear()


MANY = (1 << 24, 8)


@pytest.mark.parametrize(
    ("source", "target", "dtype", "expected"),
    [
        # A chunk of a channels_last tensor has gaps; the target is padded.
        (Layout.strided((1, 3, 2, 2), (32, 1, 16, 8)), "NCHW4", "float32", 48 + 64),
        (Layout.strided((1, 3, 2, 2), (32, 1, 16, 8)), "NCHW", "int4", 6 + 6),
        (Layout.strided((3, 3), (3, 1)), Layout.strided((3, 3), (1, 3)), "int4", 5 + 5),
        # A broadcast dimension is one address.
        (Layout.strided((1000, 4), (0, 1)), Layout.strided((1000, 4), (4, 1)), "int8", 4 + 4000),
        # Windows that overlap, too many to list: all addresses from the first to the last.
        (Layout.strided(MANY, (2, 1)), Layout.strided(MANY, (8, 1)), "int8", (5 << 25) + 6),
    ],
)
def test_source_and_target(source: Layout, target: Layout | str, dtype: str, expected: int) -> None:
    goal = parse_layout(target, source.shape) if isinstance(target, str) else target
    assert moved_bytes(source, goal, parse_dtype(dtype)) == expected
