"""Where a reorder's kernels end: partial blocks, and the last bytes of the buffers."""

import subprocess
import sys
from itertools import pairwise, product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, parse_layout, plan, reorder
from app.engine.reorder import cpu, execute
from app.engine.reorder.kernels import kernel_parts, prepared, runners, tiles
from app.engine.reorder.moves import moves_of
from tests.engine.reorder.test_backends import ITEM_BYTES, noise, slowly
from tests.examples import examples, fewer


def partial_rows(source: Layout, target: Layout, size: int) -> list[int]:
    """Bytes kept of the units of a last block, for each pair of moves made in one pass."""
    moves = moves_of(plan(source, target).boxes, 8 * size)
    found = (runners.in_one_pass(*pair) for pair in pairwise(moves))
    return [one[1] for one in found if one]


@pytest.mark.parametrize("streamed_bytes", [0, 1 << 40])
@pytest.mark.parametrize("size", ITEM_BYTES)
def test_a_partial_last_block_is_a_row_like_the_others(streamed_bytes: int, size: int) -> None:
    dtype = np.dtype("c16" if size == 16 else f"u{size}")
    made_in_one_pass = 0
    for channels, (height, width), n in product(
        (5, 9, 13, 18, 30, 31), ((1, 1), (3, 5), (9, 70)), (1, 3)
    ):
        shape = (n, channels, height, width)
        source = parse_layout("NCHW4", shape)
        # In the last, N is next to C's block of 32: rows of images follow those of channels.
        above_c = [(1, None), (2, None), (3, None), (0, None), (1, 32)]
        targets = [parse_layout(f"NCHW{block}", shape) for block in (8, 16, 32)]
        for target in (*targets, Layout.packed(shape, "NCHW", above_c)):
            made_in_one_pass += len(partial_rows(source, target, size))
            memory = noise(source.buffer_elements * size, 0, channels)
            written = noise(target.buffer_elements * size, 0, n)
            expected = slowly(memory, source, target, written, size)
            execute._program.cache_clear()
            with mock.patch.object(cpu, "STREAMED_BYTES", streamed_bytes):
                out = written.view(dtype)
                reorder(memory.view(dtype), source, target, out=out, backend="numba")
            assert np.array_equal(written, expected), (shape, str(target))
    assert bool(made_in_one_pass) == (size <= 4)  # else a block of 4 is more than a unit


@examples(2000)
@given(
    size=st.sampled_from(ITEM_BYTES),
    count=st.integers(1, 5000),
    length=st.integers(1, 20000),
    gap=st.integers(0, 200),
)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_tile_fits_into_scratch_memory(
    *, streamed: bool, size: int, count: int, length: int, gap: int
) -> None:
    stride = (count + gap) * size
    tile = tiles.tile_of(count, length, stride, size, streamed=streamed)
    rows, row = tile.rows, tile.length
    assert rows + 64 <= kernel_parts.ROWS
    assert row * size <= min(kernel_parts.ROW_BYTES, len(prepared.ZEROS))
    for n in {rows, count % rows or rows}:
        # Columns that fill a line go past scratch memory, but for those that are streamed.
        if streamed or n * size < 64:
            assert n * row * size + 64 <= kernel_parts.TILE_BYTES


def blocks_of(channels: int) -> tuple[Layout, Layout]:
    """The target in one block of all channels."""
    shape, block = (1, channels, 1, 3), -(-channels // 32) * 32
    return parse_layout("NCHW4", shape), parse_layout(f"NCHW{block}", shape)


def test_which_last_blocks_are_made_in_one_pass() -> None:
    for n, kept in ((7, [2]), (1023, [2]), (1024, [])):
        source, target = blocks_of(4 * n + 2)
        assert partial_rows(source, target, 1) == kept
        assert partial_rows(source, parse_layout("NCHW", source.shape), 1) == []


def rows_of(count: int, length: int, pitch: int) -> tuple[Layout, Layout]:
    shape = (count, length)
    return Layout.strided(shape, (length, 1)), Layout.strided(shape, (1, pitch))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        *(blocks_of(4 * n + 2) for n in (1023, 1024, 5000)),
        *(rows_of(n, 12288, pitch) for n, pitch in ((50, 100), (63, 64))),
        *(rows_of(n, 6889, pitch) for n, pitch in ((1087, 1088), (2111, 2111))),
    ],
)
def test_blocks_of_thousands_of_channels_and_long_rows(source: Layout, target: Layout) -> None:
    memory, before = (noise(x.buffer_elements, 0, k) for k, x in enumerate((source, target)))
    expected = slowly(memory, source, target, before, 1)
    reorder(memory, source, target, out=before, threads=1, backend="numba")
    assert np.array_equal(before, expected)


@pytest.mark.parametrize("size", ITEM_BYTES)
@pytest.mark.parametrize("at", [0, 8, 16, 17])
def test_columns_of_several_loops_longer_than_a_tile_of_short_rows(size: int, at: int) -> None:
    # The target has no gaps, and its columns are whole lines: in cache, 8 bytes may be rotated.
    for n, (m, z) in product((4, 8, 16, 32, 128), ((56, 4), (33, 16), (1000, 3))):
        source = Layout.strided((n, m, z), (1, n, n * m))
        target = Layout.strided((n, m, z), (m * z, z, 1))
        memory = noise(source.buffer_elements * size, at, n)
        written = noise(target.buffer_elements * size, at, m)
        expected = slowly(memory, source, target, written, size)
        dtype = np.dtype("c16" if size == 16 else f"u{size}")
        out = written.view(dtype)
        reorder(memory.view(dtype), source, target, out=out, threads=1, backend="numba")
        assert np.array_equal(written, expected), (n, m, z)


GUARDED = """
import ctypes, math, mmap, random, sys
import numpy as np
from app.engine import parse_layout, reorder
from app.engine.reorder import cpu, execute
from app.engine.reorder.kernels import kernel_parts, prepared
page = mmap.PAGESIZE
libc = ctypes.CDLL(None, use_errno=True)
kept = []

def guarded(size, at_end, slack=0):
    "An array between two pages that nobody may touch, at the end or the beginning of its own."
    inner = -(-(size + slack) // page) * page
    memory = mmap.mmap(-1, inner + 2 * page)
    kept.append(memory)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for guard in (begin, begin + page + inner):
        assert not libc.mprotect(ctypes.c_void_p(guard), page, 0)
    first = page + (inner - size - slack if at_end else slack)
    return np.frombuffer(memory, np.uint8, size, first)

scratch = guarded(kernel_parts.SCRATCH_BYTES, True)
prepared.scratch.address = scratch.ctypes.data
always = list(kept)
draw = random.Random(int(sys.argv[1]))
names = ["NCHW", "NHWC", "NCHW4", "NCHW8", "NCHW32", "CHWN4", "CHWN", "NHCW"]
for _ in range(500):
    sizes = (1, 2, 3, 4, 5, 8, 9, 16, 17, 30, 33, 64, 70)
    shape = (0,) * 4
    while not 0 < np.prod(shape) <= 300_000:
        shape = tuple(draw.choice(s) for s in ((1, 2, 3, 20), sizes, sizes[:8], (*sizes, 3000)))
    source, target = (parse_layout(draw.choice(names), shape) for _ in range(2))
    size = draw.choice((0.5, 1, 2, 4, 8, 16))
    dtype = np.dtype({0.5: "u1", 16: "c16"}.get(size, f"u{size}"))
    element = "int4" if size < 1 else None
    at_end = draw.random() < 0.7
    came, went = (
        guarded(math.ceil(x.buffer_elements * size), at_end, draw.choice((0, 0, 1, 5))).view(dtype)
        for x in (source, target)
    )
    came.view(np.uint8)[:] = np.frombuffer(draw.randbytes(came.nbytes), np.uint8)
    cpu.STREAMED_BYTES = draw.choice((0, 1 << 40))
    execute._program.cache_clear()
    print(source, target, size, cpu.STREAMED_BYTES, file=sys.stderr, flush=True)
    reorder(came, source, target, out=went, dtype=element, backend="numba")
    expected = reorder(came, source, target, dtype=element, backend="numpy")
    assert np.array_equal(went.view(np.uint8), expected.view(np.uint8))
    came = went = None
    kept[:] = always
print("done")
"""


@pytest.mark.parametrize("seed", range(fewer(3)))
def test_no_kernel_touches_a_byte_beyond_the_buffers(seed: int) -> None:
    command = [sys.executable, "-c", GUARDED, str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    last = done.stderr.splitlines()[-1:]
    assert (done.returncode, done.stdout) == (0, "done\n"), last
