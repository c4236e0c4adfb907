"""Nibbles: packed low half first, and reordered as the slow path does, whatever a tile takes."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine import Layout, parse_layout, reorder
from app.engine.model.layout import packed_strides
from app.engine.reorder import execute, nibbles
from app.engine.reorder.ranges import Loop
from tests.engine.reorder.test_backends import BACKENDS, noise, pairs, slowly
from tests.examples import examples
from tests.packing import pack_nibbles, unpack_nibbles

CANARY = 0xC3


def formats(one: str, other: str, shape: tuple[int, ...]) -> tuple[Layout, Layout]:
    return parse_layout(one, shape), parse_layout(other, shape)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(500)
@given(
    pair=pairs(),
    seed=st.integers(0, 99),
    tile=st.sampled_from([1 << 6, 1 << 9, 1 << 18]),
    run=st.sampled_from([4, 64, 1024]),
    at=st.integers(0, 3),
    threads=st.sampled_from([1, 3]),
)
@example(formats("NCHW", "CHWN4", (5, 8, 9, 10)), 0, 1 << 9, 64, 0, 1)
@example(formats("NCHW", "NCHW4", (3, 7, 15, 15)), 1, 1 << 9, 64, 1, 1)
@example(formats("NCHW", "NCHW32", (2, 30, 9, 15)), 2, 1 << 9, 64, 1, 1)
@example(formats("NCHW4", "NCHW6", (2, 50, 5, 9)), 3, 1 << 9, 4, 0, 3)
@example(formats("NHWC", "NCHW", (3, 64, 3, 3)), 4, 1 << 18, 1024, 0, 1)
@example(formats("OIhw4i16o4i", "oihw", (32, 32, 3, 3)), 5, 1 << 9, 64, 3, 1)
def test_nibbles_equal_the_slow_path(
    backend: str, pair: tuple[Layout, Layout], seed: int, tile: int, run: int, at: int, threads: int
) -> None:
    source, target = pair
    memory, before = (noise(-(-x.buffer_elements // 2), at, seed + k) for k, x in enumerate(pair))
    memory.flags.writeable = bool(seed % 2)
    one_each = unpack_nibbles(before)
    found, spare = np.split(one_each, [target.buffer_elements])
    expected = slowly(unpack_nibbles(memory), source, target, found, 1)
    around = np.full(at + len(before) + 64, CANARY, np.uint8)
    written = around[at + 16 :][: len(before)]
    written[:] = before
    execute._program.cache_clear()
    with mock.patch.multiple(nibbles, _TILE=tile, _MOST=2 * tile, _RUN=run):
        reorder(memory, source, target, out=written, dtype="int4", threads=threads, backend=backend)
    execute._program.cache_clear()
    assert np.array_equal(written, pack_nibbles(np.concatenate([expected, spare])))
    written[:] = CANARY
    assert (around == CANARY).all()


@examples(1000)
@given(shape=st.lists(st.integers(1, 3000), min_size=1, max_size=4), data=st.data())
def test_a_tile_of_nibbles_fits_into_its_scratch_buffers(
    shape: list[int], data: st.DataObject
) -> None:
    sides = []
    for _ in range(2):
        order = data.draw(st.permutations(range(len(shape))))
        strides = packed_strides([shape[d] for d in order])
        sides.append([strides[order.index(d)] for d in range(len(shape))])
    fill = data.draw(st.sampled_from([0, 0, 1, 2]))
    loops = [
        Loop(n, s, t, fill if t == 1 and n < 1000 else 0)
        for n, s, t in zip(shape, *sides, strict=True)
        if n > 1
    ]
    steps = nibbles._tile_steps(loops)
    assert np.prod(steps, dtype=int) <= nibbles._MOST == len(nibbles._scratch.memory[0])
    for loop, step in zip(loops, steps, strict=True):
        assert 1 <= step <= loop.steps
        assert step == loop.steps or not loop.fill


@pytest.mark.parametrize("dtype", ["int4", "float4_e2m1fn"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_many_tiles_of_each_side_s_size(backend: str, dtype: str) -> None:
    source, target = formats("NCHW", "NHWC", (3, 67, 90, 61))
    numbers = noise(source.buffer_elements, 0, 1) % 16
    found = reorder(pack_nibbles(numbers), source, target, dtype=dtype, backend=backend)
    expected = numbers.reshape(3, 67, 90, 61).transpose(0, 2, 3, 1)
    assert np.array_equal(unpack_nibbles(found)[: numbers.size], expected.ravel())


def test_int4_reorders_in_packed_bytes() -> None:
    source, target = formats("HW", "WH", (3, 3))
    memory = np.array([0x21, 0x43, 0x65, 0x87, 0xF9], dtype=np.uint8)
    expected = [0x41, 0x27, 0x85, 0x63]
    out = np.full(6, 0xFF, dtype=np.uint8)
    reorder(memory, source, target, dtype="int4", out=out)
    # The tenth nibble belongs to no element: it is left as it was, and 0 in a fresh target.
    assert out.tolist() == [*expected, 0xF9, 0xFF]
    for _ in range(20):
        kept = [np.full(5 + 63, 0xAA, np.uint8) for _ in range(50)]
        del kept  # memory that is not zero, for the target
        assert reorder(memory, source, target, dtype="int4").tolist() == [*expected, 0x09]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_target_within_the_source_is_read_before_it_is_written(backend: str) -> None:
    source, target = formats("NCHW", "NHWC", (2, 7, 5, 5))
    memory = noise(400, 0, 1)
    expected = reorder(memory[:175].copy(), source, target, dtype="int4", backend="numpy")
    out = memory[33:][:175]
    reorder(memory[:175], source, target, out=out, dtype="int4", backend=backend)
    assert np.array_equal(out, expected)
