"""Calls that follow a call like them: they decide less, check the same, and keep no array."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from app.engine import Layout, LayoutError, offset_map, parse_layout, reorder
from app.engine.reorder import cpu, execute, program

SHAPE = (2, 6, 5, 3)
SOURCE, TARGET = parse_layout("NCHW", SHAPE), parse_layout("NCHW4", SHAPE)
BACKENDS = ("numpy", "numba", None)
DTYPES = (np.int8, np.float16, np.float32, np.complex128, "M8[D]", ml_dtypes.bfloat16, "V3", ">f4")
PAIRS = [
    ("NCHW", "NHWC", SHAPE),
    ("NCHW", "NCHW4", SHAPE),
    ("NCHW4", "NCHW", SHAPE),
    ("NCHW", "CHWN4", SHAPE),
    ("NHWC", "NCHW", (1, 64, 28, 28)),
    ("NHWC", "NCHW", (1, 60, 28, 28)),
    ("NCHW", "NCHW", SHAPE),
]


def given(dtype: Any, items: int, seed: int) -> Any:
    """Return random items, none of them 0."""
    size = np.dtype(dtype).itemsize
    raw = np.random.default_rng(seed).integers(1, 100, items * size, dtype=np.uint8)
    return raw.view(dtype)


def as_bytes(items: Any) -> Any:
    return np.ascontiguousarray(items).view(np.uint8).reshape(len(items), -1)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_later_calls_do_the_same_with_other_arrays(
    pair: tuple[str, str, tuple[int, ...]], backend: str | None
) -> None:
    source, target = parse_layout(pair[0], pair[2]), parse_layout(pair[1], pair[2])
    for dtype in DTYPES:
        for seed in range(3):
            buffer = given(dtype, source.buffer_elements + seed, seed)
            out = given(dtype, target.buffer_elements + seed, seed + 5)
            expected = as_bytes(out).copy()
            expected[: target.buffer_elements] = 0
            places = offset_map(target).ravel(), offset_map(source).ravel()
            expected[places[0]] = as_bytes(buffer)[places[1]]
            assert reorder(buffer, source, target, out=out, backend=backend) is out
            assert np.array_equal(as_bytes(out), expected)


def read_only(items: Any) -> Any:
    items.flags.writeable = False
    return items


REFUSED: list[tuple[str, Callable[[], Any], Callable[[], Any], str]] = [
    ("short source", lambda: given("f4", 179, 1), lambda: given("f4", 240, 2), "buffer"),
    ("short target", lambda: given("f4", 180, 1), lambda: given("f4", 239, 2), "out"),
    ("rank of source", lambda: given("f4", 180, 1)[None], lambda: given("f4", 240, 2), "buffer"),
    ("rank of target", lambda: given("f4", 180, 1), lambda: given("f4", 240, 2)[None], "out"),
    ("type of target", lambda: given("f4", 180, 1), lambda: given("i4", 240, 2), "out"),
    ("read-only", lambda: given("f4", 180, 1), lambda: read_only(given("f4", 240, 2)), "out"),
    ("gaps in target", lambda: given("f4", 180, 1), lambda: given("f4", 480, 2)[::2], "out"),
    ("flipped target", lambda: given("f4", 180, 1), lambda: given("f4", 240, 2)[::-1], "out"),
    ("a list", lambda: given("f4", 180, 1), lambda: [0.0] * 240, "out"),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("buffer", "out", "field"), [x[1:] for x in REFUSED], ids=[x[0] for x in REFUSED]
)
def test_later_calls_refuse_the_same(
    buffer: Callable[[], Any], out: Callable[[], Any], field: str, backend: str | None
) -> None:
    for _ in range(2):
        reorder(given("f4", 180, 1), SOURCE, TARGET, out=given("f4", 240, 2), backend=backend)
    with pytest.raises(LayoutError) as refused:
        reorder(buffer(), SOURCE, TARGET, out=out(), backend=backend)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "pair", [PAIRS[0], PAIRS[1], PAIRS[4]], ids=["a copy", "copies and zeros", "a copy in order"]
)
def test_a_later_call_with_numpy_checks_the_same(pair: tuple[str, str, tuple[int, ...]]) -> None:
    source, target = parse_layout(pair[0], pair[2]), parse_layout(pair[1], pair[2])
    items, written = source.buffer_elements, target.buffer_elements
    buffer, out = given("f4", items, 1), given("f4", written, 2)
    expected = reorder(buffer, source, target)

    def call(buffer: Any, out: Any) -> Any:
        return reorder(buffer, source, target, out=out, backend="numpy")

    for _ in range(2):
        call(buffer, out)
    again = execute._known[id(target)]()
    assert again is not None
    for short, whole, field in ((buffer[1:], out, "buffer"), (buffer, out[1:], "out")):
        assert not again(short, whole, source, target, None, None, "numpy")
        with pytest.raises(LayoutError) as refused:
            call(short, whole)
        assert refused.value.field == field
    gaps = np.repeat(buffer, 2)[::2]
    assert not again(gaps, out, source, target, None, None, "numpy")
    assert np.array_equal(call(gaps, given("f4", written, 3)), expected)
    assert again(buffer, out, source, target, None, None, "numpy")
    memory = np.zeros(items + written, np.float32)
    memory[3 : 3 + items] = buffer
    assert np.array_equal(call(memory[3 : 3 + items], memory[:written]), expected)


@pytest.mark.parametrize(
    ("numba", "settled"), [(SimpleNamespace(), None), (None, "numpy")], ids=["numba", "no numba"]
)
def test_numpy_is_settled_only_where_no_kernels_can_come(
    monkeypatch: pytest.MonkeyPatch, numba: object, settled: str | None
) -> None:
    monkeypatch.setattr(cpu, "KERNELS", SimpleNamespace(ready=lambda: None))
    monkeypatch.setattr(cpu, "find_spec", lambda _name: numba)
    cpu._numba_is_there.cache_clear()
    try:
        assert cpu.settled(None) == settled
        assert cpu.settled("numpy") == "numpy"
    finally:
        cpu._numba_is_there.cache_clear()


@pytest.mark.parametrize("backend", BACKENDS)
def test_later_calls_take_what_the_first_takes(backend: str | None) -> None:
    expected = reorder(given("f4", 180, 1), SOURCE, TARGET)
    whole = np.zeros(500, np.float32)
    unaligned = np.zeros(240 * 4 + 1, np.uint8)[1:].view(np.float32)
    buffers = {
        "with gaps": np.repeat(given("f4", 180, 1), 2)[::2],
        "flipped": given("f4", 180, 1)[::-1].copy()[::-1],
        "a subclass": given("f4", 180, 1).view(np.recarray),
        "overlapping": whole[100:280],
        "the same begin": whole[:180],
    }
    for name, buffer in buffers.items():
        for out in (whole[:240], unaligned):
            reorder(given("f4", 180, 2), SOURCE, TARGET, out=given("f4", 240, 2), backend=backend)
            buffer[:] = given("f4", 180, 1)
            reorder(buffer, SOURCE, TARGET, out=out, backend=backend)
            assert np.array_equal(out, expected), name


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "strides", [((2,), (1,)), ((1,), (2,)), ((1,), (1,)), ((3,), (2,))], ids=str
)
def test_a_single_row_may_overlap(
    strides: tuple[tuple[int], tuple[int]], backend: str | None
) -> None:
    source, target = (Layout.strided((30,), each) for each in strides)
    for begin in (0, 1, 5, 40):
        for _ in range(2):
            memory = given("i4", 200, 1)
            buffer, out = memory[40:140], memory[begin : begin + 100]
            expected = buffer[: source.buffer_elements : strides[0][0]].copy()
            reorder(buffer, source, target, out=out, backend=backend)
            assert np.array_equal(out[: target.buffer_elements : strides[1][0]], expected)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", [{"threads": 2}, {"threads": 1, "progress": int}], ids=str)
def test_pieces_may_overlap(
    monkeypatch: pytest.MonkeyPatch, options: Any, backend: str | None
) -> None:
    monkeypatch.setattr(program, "_BYTES_PER_THREAD", 1)
    monkeypatch.setattr(program, "_CREW_PART_BYTES", 1)
    monkeypatch.setattr(program, "_PIECE_BYTES", 256)
    source, target = parse_layout("NCHW", (8, 5, 4, 3)), parse_layout("NHWC", (8, 5, 4, 3))
    expected = reorder(given("f4", 480, 1), source, target)
    execute._program.cache_clear()
    for at, place in ((0, 30), (30, 0), (0, 240), (240, 0)):
        memory = np.zeros(800, np.float32)
        buffer, out = memory[at : at + 480], memory[place : place + 480]
        buffer[:] = given("f4", 480, 1)
        reorder(buffer, source, target, out=out, backend=backend, **options)
        assert np.array_equal(out, expected)
    execute._program.cache_clear()


@pytest.mark.parametrize("backend", BACKENDS)
def test_pieces_of_one_thread_may_overlap(
    monkeypatch: pytest.MonkeyPatch, backend: str | None
) -> None:
    # The padding is a move of its own, near the other: both are cut, to be in cache together.
    monkeypatch.setattr(program, "_SHARED_PIECE_BYTES", 256)
    source, target = parse_layout("NCHW8", (2, 16, 4, 4)), parse_layout("NCHW32", (2, 16, 4, 4))
    expected = reorder(given("f8", 512, 1), source, target)
    execute._program.cache_clear()
    for at, place in ((0, 30), (30, 0), (8, 512), (0, 504), (1024, 0)):
        memory = np.zeros(2048)
        buffer, out = memory[at : at + 512], memory[place : place + 1024]
        for _ in range(2):
            buffer[:] = given("f8", 512, 1)
            reorder(buffer, source, target, out=out, threads=1, backend=backend)
            assert np.array_equal(out, expected)
    execute._program.cache_clear()


def test_the_options_of_a_later_call_count() -> None:
    buffer, out = given("f4", 180, 1), given("f4", 240, 2)
    for backend in ("numpy", "numba"):
        for _ in range(2):
            reorder(buffer, SOURCE, TARGET, out=out, threads=1, backend=backend)
        written: list[int] = []
        reorder(
            buffer, SOURCE, TARGET, out=out, threads=1, backend=backend, progress=written.append
        )
        assert sum(written) == out.nbytes
        for options, field in (
            ({"threads": True}, "threads"),
            ({"threads": 0}, "threads"),
            ({"threads": 1, "backend": "none"}, "backend"),
            ({"threads": 1, "backend": backend, "dtype": "int8"}, "dtype"),
        ):
            with pytest.raises(LayoutError) as refused:
                reorder(buffer, SOURCE, TARGET, out=out, **options)
            assert refused.value.field == field


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_no_array_is_kept_and_a_forgotten_program_leaves_nothing(backend: str) -> None:
    source, target = parse_layout("NCHW", (1, 5, 4, 3)), parse_layout("NHWC", (1, 5, 4, 3))
    buffer, out = given("f4", 60, 1), given("f4", 60, 2)
    for _ in range(3):
        reorder(buffer, source, target, out=out, backend=backend)
    arrays = [weakref.ref(buffer), weakref.ref(out)]
    known = execute._known[id(target)]
    assert known() is not None
    del buffer, out
    gc.collect()
    assert [each() for each in arrays] == [None, None]
    execute._program.cache_clear()
    gc.collect()
    assert known() is None


def test_few_programs_are_known_by_identity() -> None:
    for n in range(1, 2 * execute._MOST_KNOWN):
        source, target = parse_layout("NCHW", (1, n, 1, 2)), parse_layout("NHWC", (1, n, 1, 2))
        buffer = given("i2", 2 * n, 1)
        for _ in range(2):
            reorder(buffer, source, target, out=np.empty_like(buffer), backend="numpy")
        assert len(execute._known) <= execute._MOST_KNOWN
