"""Calls that follow a call like them: they decide less, check the same, and keep no array."""

import gc
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from app.engine import Layout, LayoutError, offset_map, parse_layout, reorder
from app.engine.reorder import execute, program

SHAPE = (2, 6, 5, 3)
SOURCE, TARGET = parse_layout("NCHW", SHAPE), parse_layout("NCHW4", SHAPE)
BACKENDS = ("numpy", "numba", None)
DTYPES = ("i1", "f2", ">f4", "c8", "c16", "M8[D]", ml_dtypes.bfloat16, "V3", "V8", "V16")
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


SHORT, LONG = given("f4", 180, 1), given("f4", 240, 2)
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "short source": (SHORT[:-1], LONG, "buffer"),
    "short target": (SHORT, LONG[:-1], "out"),
    "rank of source": (SHORT[None], LONG, "buffer"),
    "rank of target": (SHORT, LONG[None], "out"),
    "type of target": (SHORT, given("i4", 240, 2), "out"),
    "read-only": (SHORT, read_only(given("f4", 240, 2)), "out"),
    "gaps in target": (SHORT, given("f4", 480, 2)[::2], "out"),
    "flipped target": (SHORT, LONG[::-1], "out"),
    "a list": (SHORT, [0.0] * 240, "out"),
    "objects": (np.array([None] * 180, dtype=object), LONG, "buffer"),
    "items of nothing": (np.zeros(180, "V0"), LONG, "buffer"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("buffer", "out", "field"), REFUSED.values(), ids=REFUSED)
def test_first_and_later_calls_refuse_the_same(
    buffer: Any, out: Any, field: str, backend: str | None
) -> None:
    execute._program.cache_clear()
    for _ in range(3):
        with pytest.raises(LayoutError) as refused:
            reorder(buffer, SOURCE, TARGET, out=out, backend=backend)
        assert refused.value.field == field
        reorder(given("f4", 180, 1), SOURCE, TARGET, out=given("f4", 240, 2), backend=backend)


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
@pytest.mark.parametrize(
    ("names", "shape", "options"),
    [
        ("NCHW NHWC", (8, 5, 4, 3), {"threads": 2}),
        ("NCHW NHWC", (8, 5, 4, 3), {"threads": 1, "progress": int}),
        # The padding is a move of its own, near the other: both are cut, to be in cache together.
        ("NCHW8 NCHW32", (2, 16, 4, 4), {"threads": 1}),
    ],
)
def test_pieces_may_overlap(
    monkeypatch: pytest.MonkeyPatch,
    names: str,
    shape: tuple[int, ...],
    options: Any,
    backend: str | None,
) -> None:
    for limit, most in (("_BYTES_PER_THREAD", 1), ("_LEAST_PIECE_BYTES", 1), ("_PIECE_BYTES", 256)):
        monkeypatch.setattr(program, limit, most)
    monkeypatch.setattr(program, "_SHARED_PIECE_BYTES", 256)
    source, target = (parse_layout(name, shape) for name in names.split())
    values = given("f8", source.buffer_elements, 1)
    expected = reorder(values, source, target)
    execute._program.cache_clear()
    for at, place in ((0, 30), (30, 0), (8, 512), (0, 504), (1024, 0)):
        memory = np.zeros(2048)
        buffer, out = memory[at:][: len(values)], memory[place:][: len(expected)]
        for _ in range(2):
            buffer[:] = values
            reorder(buffer, source, target, out=out, backend=backend, **options)
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
            ({"dtype": "int4"}, "dtype"),
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
    known = execute._prepared[id(target)]
    assert known.program() is not None
    del buffer, out
    gc.collect()
    assert [each() for each in arrays] == [None, None]
    execute._program.cache_clear()
    gc.collect()
    assert known.program() is None


def test_few_programs_are_known_by_identity() -> None:
    for n in range(1, 2 * execute._MOST_PREPARED):
        source, target = parse_layout("NCHW", (1, n, 1, 2)), parse_layout("NHWC", (1, n, 1, 2))
        buffer = given("i2", 2 * n, 1)
        for _ in range(2):
            reorder(buffer, source, target, out=np.empty_like(buffer), backend="numpy")
        assert len(execute._prepared) <= execute._MOST_PREPARED
