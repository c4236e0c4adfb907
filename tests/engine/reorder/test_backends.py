"""Every backend against the slow path, bit for bit: shapes, layouts, types, alignments, threads."""

import time
from dataclasses import replace
from importlib import import_module
from itertools import product
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, offset_map, parse_layout, plan, reorder
from app.engine.inverse.overlap import shares_addresses
from app.engine.model.layout import packed_strides
from app.engine.reorder import cpu, execute, program
from app.engine.reorder.execute import reordered
from app.engine.reorder.kernels.loading import Kernels
from app.engine.reorder.moves import moves_of
from app.engine.reorder.numpy import gather
from app.engine.reorder.program import cut
from tests.engine.strategies import (
    REGISTER_BLOCKS,
    Choice,
    Drawn,
    Nest,
    any_layouts,
    nested,
    packed,
)
from tests.examples import examples
from tests.packing import pack_nibbles, unpack_nibbles
from tests.places import golden_rows

BACKENDS = ("numpy", "numba")
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30, 33, 64, 70)
ITEM_BYTES = (1, 2, 4, 8, 16)
MOST_ELEMENTS = 1 << 13
MOST_PADDED = 1 << 16
Bytes = npt.NDArray[np.uint8]


@st.composite
def long_shapes(draw: st.DrawFn) -> tuple[int, ...]:
    """Sizes around those of registers, tiles and their tails."""
    shape: list[int] = []
    for _ in range(draw(st.integers(1, 5))):
        left = MOST_ELEMENTS // int(np.prod(shape, dtype=int))
        shape.append(draw(st.sampled_from([n for n in SIZES if n <= left])))
    return tuple(shape)


STRIDED = Nest(first=(1, 1, 1, 1, 2), gaps=(0, 0, 0, 1, 16), signs=(1, 1, 1, -1), offsets=(0, 0, 1))


def layout_of(choice: Choice, shape: tuple[int, ...]) -> Layout:
    """Blocked, or strided with gaps and flips, at any offset."""
    if choice.of((0, 1)):
        found = packed(choice, shape, blocks=REGISTER_BLOCKS)
        return found if found.buffer_elements <= MOST_PADDED else packed(choice, shape, blocks=(1,))
    return nested(choice, [[n] for n in shape], STRIDED)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Layout, Layout]:
    """A source, now and then with a repeated dimension, and a target."""
    shape = draw(long_shapes())
    source, target = (layout_of(Drawn(draw), shape) for _ in range(2))
    if draw(st.integers(0, 9)) == 0:
        strides = source.strides
        if strides is not None and source.bounds[0] >= 0 and min(strides) >= 0:
            d = draw(st.integers(0, len(shape) - 1))
            repeated = tuple(0 if k == d else s for k, s in enumerate(strides))
            source = Layout.strided(shape, repeated, source.offset)
    return source, target


def noise(size_bytes: int, at: int, seed: int) -> Bytes:
    """Bytes that begin ``at`` bytes after an aligned address."""
    return np.random.default_rng(seed).integers(0, 256, at + size_bytes, np.uint8)[at:]


def slowly(memory: Bytes, source: Layout, target: Layout, out: Bytes, size: int) -> Bytes:
    """The reorder through the offset maps."""
    found, given_items = out.copy().view(f"V{size}"), memory.view(f"V{size}")
    padded = offset_map(replace(target, shape=target.padded_shape))
    found[padded.ravel()] = np.zeros((), found.dtype)
    found[offset_map(target).ravel()] = given_items[offset_map(source).ravel()]
    return found.view(np.uint8)


@pytest.mark.parametrize("streamed_bytes", [0, 1 << 40])
@examples(2500)
@given(data=st.data())
def test_every_kernel_equals_the_slow_path(streamed_bytes: int, data: st.DataObject) -> None:
    source, target = data.draw(pairs())
    size = data.draw(st.sampled_from(ITEM_BYTES))
    unaligned = data.draw(st.sampled_from([0, 0, 1, 8]))
    threads = data.draw(st.sampled_from([1, 1, 1, 2, 3]))
    seed = data.draw(st.integers(0, 99))
    dtype = np.dtype("c16" if size == 16 else f"u{size}")
    memory = noise(source.buffer_elements * size, unaligned, seed)
    before = noise(target.buffer_elements * size, unaligned, seed + 1)
    expected = slowly(memory, source, target, before, size)
    execute._program.cache_clear()
    with (
        mock.patch.object(cpu, "STREAMED_BYTES", streamed_bytes),
        mock.patch.object(program, "_BYTES_PER_THREAD", 64 if threads > 1 else 1 << 30),
        mock.patch.object(program, "_LEAST_PIECE_BYTES", 64),
    ):
        for backend in BACKENDS:
            written = np.concatenate([np.zeros(unaligned, np.uint8), before])[unaligned:]
            given_items, out = memory.view(dtype), written.view(dtype)
            reorder(given_items, source, target, out=out, threads=threads, backend=backend)
            assert np.array_equal(written, expected), backend


@pytest.mark.parametrize("streamed_bytes", [0, 1 << 40])
@pytest.mark.parametrize("size", ITEM_BYTES)
def test_rows_of_padding_lie_in_every_tile(streamed_bytes: int, size: int) -> None:
    dtype = np.dtype("c16" if size == 16 else f"u{size}")
    for block, real in product((4, 16, 32, 64, 128), (1, 3, 15, 31, 100)):
        shape = (2, min(real, block - 1), 3, 7)
        source, target = parse_layout("NCHW", shape), parse_layout(f"NCHW{block}", shape)
        memory = noise(source.buffer_elements * size, 0, block)
        written = noise(target.buffer_elements * size, 0, real)
        expected = slowly(memory, source, target, written, size)
        execute._program.cache_clear()
        with mock.patch.object(cpu, "STREAMED_BYTES", streamed_bytes):
            reorder(memory.view(dtype), source, target, out=written.view(dtype), backend="numba")
        assert np.array_equal(written, expected), (block, shape)


@examples(300)
@given(any_layouts(), st.sampled_from([0, 1]), st.sampled_from([4, 16]))
def test_tables_equal_the_slow_path(target: Layout, swapped: int, bits: int) -> None:
    source = Layout.strided(target.shape, packed_strides(target.shape))
    if swapped or shares_addresses(target):
        source, target = target, source
    memory, before = (
        np.random.default_rng(1).integers(0, 16, x.buffer_elements, np.uint8)
        for x in (source, target)
    )
    if bits == 4:
        expected = slowly(memory, source, target, before, 1)
        written = pack_nibbles(before)
        with mock.patch.object(gather, "_ELEMENTS", 5):
            reorder(pack_nibbles(memory), source, target, out=written, dtype="int4")
        assert np.array_equal(unpack_nibbles(written)[: len(before)], expected)
    else:
        wide, out = memory.astype(np.uint16), before.astype(np.uint16)
        expected = slowly(wide.view(np.uint8), source, target, out.view(np.uint8), 2)
        with mock.patch.object(gather, "_ELEMENTS", 5):
            reorder(wide, source, target, out=out)
        assert np.array_equal(out.view(np.uint8), expected)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["<f4", "<i2"])
def test_golden_reorders_there_and_back(backend: str, dtype: str) -> None:
    for row in golden_rows("onednn_reorders"):
        shape = tuple(row["shape"])
        source, target = (parse_layout(f"onednn:{row[k]}", shape) for k in ("source", "target"))
        numbers = np.arange(1, source.elements + 1).astype(dtype).reshape(shape)
        memory = np.zeros(source.buffer_elements, dtype)
        memory[offset_map(source)] = numbers
        there = reorder(memory, source, target, backend=backend)
        assert there[: len(row["head"])].tolist() == row["head"], row
        back = reorder(there, target, source, backend=backend)
        assert np.array_equal(back, memory), row


def test_plans_join_neighbours_and_padding_and_say_where_no_copy_is_needed() -> None:
    shape = (2, 64, 5, 5)
    planned = plan(parse_layout("NCHW4", shape), parse_layout("NCHW32", shape))
    (move,) = moves_of(planned.boxes, 8)
    assert (move.kernel, move.unit_bits) == ("transpose", 32)
    loops = [(x.extent, x.source_stride, x.target_stride) for x in move.loops]
    assert loops == [(4, 200, 200), (25, 1, 8), (8, 25, 1)]
    # Padding that ends a run is its fill.
    shape = (2, 30, 5, 5)
    (move,) = moves_of(plan(parse_layout("NCHW", shape), parse_layout("NCHW32", shape)).boxes, 8)
    assert (move.loops[-1].extent, move.loops[-1].fill) == (30, 2)
    same = plan(parse_layout("NCHW", (2, 1, 5, 5)), parse_layout("NHWC", (2, 1, 5, 5)))
    assert not same.copy_needed
    assert "no copy needed" in str(same)
    assert planned.copy_needed


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_progress_adds_up_to_the_target(backend: str, threads: int) -> None:
    shape = (64, 30, 64, 65)
    source, target = parse_layout("NCHW", shape), parse_layout("NCHW4", shape)
    memory = np.arange(source.elements, dtype=np.float32)
    heard: list[int] = []
    done = reordered(
        memory, source, target, threads=threads, backend=backend, progress=heard.append
    )
    assert done.backend == backend
    assert sum(heard) == target.buffer_elements * 4
    assert len(heard) > (3 if threads == 1 else 0)  # only the caller's own pieces end in a report
    assert np.array_equal(done.buffer, reorder(memory, source, target, threads=1, backend="numpy"))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("gathered", [False, True])
def test_what_progress_raises_ends_the_reorder_on_all_threads(
    threads: int, *, gathered: bool
) -> None:
    shape = (1, 58560, 16, 5) if gathered else (64, 30, 64, 65)
    # Too many parts for boxes, until blocks of 61 and 64 meet again.
    names = ("NCHW61", "NCHW64") if gathered else ("NCHW", "NHWC")
    source, target = (parse_layout(name, shape) for name in names)
    assert (plan(source, target).kernel == "gather") is gathered
    memory = np.ones(source.buffer_elements, np.float32)
    out = np.zeros(target.buffer_elements, np.float32)
    heard: list[int] = []
    reorder(memory, source, target, threads=threads, progress=heard.append)
    assert sum(heard) in {source.elements * 4, target.buffer_elements * 4}
    assert len(heard) > 1 or threads > 1

    def stop(_written: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reorder(memory, source, target, out=out, threads=threads, progress=stop)
    then = out.sum()
    assert then > 0
    assert threads > 1 or then < target.elements
    time.sleep(0.02)
    assert out.sum() == then


def test_a_backend_that_cannot_be_loaded_is_refused_by_name() -> None:
    source, target = parse_layout("HW", (2, 3)), parse_layout("WH", (2, 3))
    broken = Kernels(lambda: import_module("app.engine.no_such_module"))
    with (
        mock.patch.object(cpu, "KERNELS", broken),
        pytest.warns(RuntimeWarning, match="NumPy replaces it"),
        pytest.raises(LayoutError) as refused,
    ):
        reorder(np.zeros(6), source, target, backend="numba")
    assert refused.value.field == "backend"


@examples(1200)
@given(data=st.data())
def test_pieces_need_no_order(data: st.DataObject) -> None:
    # Threads finish them in any order: a kernel may store beyond its run only what is its own.
    source, target = data.draw(pairs())
    size = data.draw(st.sampled_from(ITEM_BYTES))
    dtype = np.dtype("c16" if size == 16 else f"u{size}")
    memory = noise(source.buffer_elements * size, 0, 1)
    before = noise(target.buffer_elements * size, 0, 2)
    moves = moves_of(plan(source, target).boxes, 8 * size)
    pieces = list(cut(moves, data.draw(st.sampled_from([64, 500, 4096]))))
    streamed = data.draw(st.booleans())
    assert cpu.KERNELS.load()
    given_items, written = memory.view(dtype), before.copy().view(dtype)
    addresses = cpu.memory_of("numba")(given_items, written)
    for piece in data.draw(st.permutations(pieces)) if len(pieces) < 10 else pieces[::-1]:
        for go in cpu.runners(piece, "numba", streamed=streamed):
            go(*addresses)
    expected = slowly(memory, source, target, before, size)
    assert np.array_equal(written.view(np.uint8), expected)
