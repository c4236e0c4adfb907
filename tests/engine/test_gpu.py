"""The GPU backend without a GPU: its kernels compiled by g++, launched by a stand-in for CuPy.

``cuda_on_host`` refuses what a card would punish. That NVRTC compiles the kernels too, and how
fast they are, is not tested here.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, parse_layout, reorder
from app.engine.model.address import shares_addresses
from app.engine.model.arrays import gpu_namespace
from app.engine.reorder import reordered
from app.engine.reorder.cuda import device as gpu
from app.engine.reorder.cuda.arguments import (
    COPY,
    INDICES,
    MOST_LOOPS,
    TooLargeError,
    arguments,
    divisor,
    step,
)
from app.engine.reorder.cuda.launches import launches_of
from app.engine.reorder.moves import Move
from app.engine.reorder.plan import plan
from app.engine.reorder.ranges import Loop
from tests.engine import cuda_on_host, fake_cupy
from tests.engine.strategies import any_layouts, packed_layouts, shapes
from tests.examples import examples

SHAPE = (2, 30, 7, 9)
NCHW, NHWC = parse_layout("NCHW", SHAPE), parse_layout("NHWC", SHAPE, "NCHW")
SHARED = [HealthCheck.function_scoped_fixture]
NIBBLE = 4


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The stand-in where ``import cupy`` finds it."""
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy)
    caches = (gpu_namespace, gpu._kernel, gpu._module)
    for cache in caches:
        cache.cache_clear()
    fake_cupy.launched.clear()
    yield fake_cupy
    for cache in caches:
        cache.cache_clear()


def random_bytes(layout: Layout, bits: int, seed: int) -> npt.NDArray[Any]:
    """A buffer of items of ``bits``, packed where they are nibbles."""
    size = -(-layout.buffer_elements * bits // 8)
    kind = f"V{bits // 8}" if bits >= 8 else "u1"
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8).view(kind)


def check(source: Layout, target: Layout, bits: int, skipped_bytes: tuple[int, int]) -> None:
    """The device's bytes are NumPy's, gaps and the bits beside the last nibble among them."""
    dtype = "int4" if bits < 8 else None
    memory, expected = random_bytes(source, bits, 0), random_bytes(target, bits, 1)
    buffer = device(after(memory, skipped_bytes[0]))
    out = device(after(expected, skipped_bytes[1]))
    reorder(memory, source, target, out=expected, dtype=dtype, backend="numpy")
    found = reordered(buffer, source, target, out=out, dtype=dtype)
    assert id(found.buffer) == id(out)
    assert found.backend == "cupy"
    assert out.get().tobytes() == expected.tobytes()


def after(memory: npt.NDArray[Any], skipped_bytes: int) -> npt.NDArray[Any]:
    """A copy that begins ``skipped_bytes`` after an address that 16 divides."""
    room = np.zeros(memory.nbytes + 32, np.uint8)
    begin = -room.ctypes.data % 16 + skipped_bytes
    copied = room[begin : begin + memory.nbytes].view(memory.dtype)
    copied[...] = memory
    return copied


def device(values: npt.NDArray[Any]) -> Any:
    """On the device, with no copy."""
    return fake_cupy.ndarray(values)


item_bits = st.sampled_from([NIBBLE, 8, 16, 24, 32, 64, 96, 128, 256])
skips = st.sampled_from([(0, 0), (0, 0), (8, 8), (4, 0), (0, 2), (1, 3)])


@examples(300, suppress_health_check=SHARED)
@given(st.data())
def test_every_launch_does_what_numpy_does(cupy: Any, data: st.DataObject) -> None:
    shape = data.draw(shapes(least=0, most=9))
    source, target = data.draw(packed_layouts(shape)), data.draw(packed_layouts(shape))
    check(source, target, data.draw(item_bits), data.draw(skips))


@settings(max_examples=200, suppress_health_check=SHARED)
@given(st.data())
def test_flips_broadcasts_swizzles_and_gaps(cupy: Any, data: st.DataObject) -> None:
    target = data.draw(any_layouts())
    source = data.draw(packed_layouts(target.shape))
    if shares_addresses(target) is not False:
        source, target = target, source
    check(source, target, data.draw(item_bits), data.draw(skips))


FORMATS = ["NCHW", "NHWC", "NWHC", "NCHW4", "NCHW6", "NCHW32", "CHWN", "CHWN4"]


@settings(max_examples=150, suppress_health_check=SHARED)
@given(
    st.sampled_from(FORMATS), st.sampled_from(FORMATS),
    st.tuples(st.integers(1, 5), st.integers(1, 70), st.integers(1, 12), st.integers(1, 40)),
    st.sampled_from([8, 16, 32, 128]), skips,
)  # fmt: skip
@example("NCHW", "NHWC", (1, 300, 20, 16), 8, (0, 0))
@example("NHWC", "NCHW", (1, 3, 50, 120), 16, (0, 0))
@example("NCHW4", "NCHW", (1, 3, 90, 90), 8, (0, 0))
@example("NCHW", "CHWN4", (40, 5, 10, 20), 8, (0, 0))
def test_tiles(
    cupy: Any,
    one: str,
    other: str,
    shape: tuple[int, ...],
    bits: int,
    skipped_bytes: tuple[int, int],
) -> None:
    source, target = parse_layout(one, shape, "NCHW"), parse_layout(other, shape, "NCHW")
    check(source, target, bits, skipped_bytes)


@pytest.mark.parametrize("bits", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("pair", [(NCHW, NHWC), (NHWC, NCHW)])
def test_a_transposition_goes_through_tiles(cupy: Any, bits: int, pair: Any) -> None:
    check(pair[0], pair[1], bits, (0, 0))
    assert fake_cupy.launched == [f"turn_tiles<{bits // 8}>"]


def test_tiles_of_small_units_move_words_of_whole_lines() -> None:
    shape = (4, 256, 28, 28)
    source, target = parse_layout("NCHW", shape), parse_layout("NHWC", shape, "NCHW")
    for bits in (8, 16, 32, 64, 128):
        planned = plan(source, target)
        move = Move("transpose", bits, 0, 0, planned.boxes[0].loops)
        (launch,) = launches_of(planned, [move], bits, 16)
        tile = launch.arguments[0]
        assert tile["wide_reads"]
        assert tile["wide_writes"]
        assert min(tile["rows"]["divisor"], tile["columns"]["divisor"]) * bits // 8 >= 112
        assert launch.shared_bytes < 48 << 10


def test_one_thread_for_each_of_very_many_units() -> None:
    planned = plan(NCHW, NCHW)
    units = 1 << 33
    move = Move("zeros", 8, None, 0, (Loop(1 << 13, 0, 1 << 20), Loop(1 << 20, 0, 1)))
    launches = list(launches_of(planned, [move], 8, 16))
    assert sum(int(x.arguments["units"][0]) for x in launches) == units
    begins = sorted(int(x.arguments["target"][0]) for x in launches)
    assert begins == [k * (units // len(begins)) for k in range(len(begins))]


QUOTIENTS = """
template <int>
__global__ void quotients(const unsigned char* from, unsigned char* to, const Copy copy) {
    reinterpret_cast<Index*>(to)[threadIdx.x] =
        quotient(reinterpret_cast<const Index*>(from)[threadIdx.x], copy.parts);
}
"""


@examples(1000)
@given(st.integers(1, INDICES - 1), st.integers(0, INDICES - 1))
@example(INDICES - 1, INDICES - 1)
@example(1, INDICES - 1)
@example(7, INDICES - 1)
def test_division_by_multiplication(by: int, n: int) -> None:
    made = arguments(COPY, [], parts=by)
    # The kernels have 32 bits for the multiplier and 64 for the product.
    assert tuple(made["parts"][0].tolist()) == divisor(by)
    numbers = [n, n // by * by, max(n // by * by - 1, 0)]
    source, target = np.array(numbers, np.uint32), np.zeros(3, np.uint32)
    code = (resources.files("app.engine.reorder.cuda") / "kernels.cu").read_text("utf-8")
    module = cuda_on_host.compiled(code + QUOTIENTS, ("-std=c++14",), ("quotients<0>",))
    module.launch("quotients<0>", (1, 3), source, target, made)
    assert target.tolist() == [x // by for x in numbers]


def test_steps_beyond_the_kernels_are_refused() -> None:
    with pytest.raises(TooLargeError):
        divisor(INDICES)
    one = step(Loop(2, 1, 1))
    assert arguments(COPY, [one] * MOST_LOOPS)["loop"]["extent"].sum() == 2 * MOST_LOOPS
    with pytest.raises(TooLargeError):
        arguments(COPY, [one] * (MOST_LOOPS + 1))
    assert divisor(INDICES - 1)[0] == INDICES - 1


def test_a_device_array_gives_a_device_array(cupy: Any) -> None:
    values = np.arange(NCHW.elements, dtype=np.float32)
    out: Any = reorder(device(values), NCHW, NHWC)
    assert isinstance(out, fake_cupy.ndarray)
    assert out.get().tobytes() == reorder(values, NCHW, NHWC, backend="numpy").tobytes()


def test_overlapping_device_arrays_are_copied_first(cupy: Any) -> None:
    memory = device(np.arange(NCHW.elements))
    reorder(memory, NCHW, NHWC, out=memory)
    expected = reorder(np.arange(NCHW.elements), NCHW, NHWC, backend="numpy")
    assert np.array_equal(memory.get(), expected)


@pytest.mark.parametrize("staged_bytes", [64, 1000, 1 << 20])
@pytest.mark.parametrize("gaps", [False, True])
def test_host_arrays_go_through_pinned_memory(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, staged_bytes: int, *, gaps: bool
) -> None:
    monkeypatch.setattr(gpu, "_STAGED_BYTES", staged_bytes)
    target = parse_layout("NCHW", SHAPE)
    if gaps:
        target = parse_layout("(4000, 100, 12, 1)", SHAPE)
    values = np.arange(NCHW.elements, dtype=np.int16)
    out = np.full(target.buffer_elements, -9, np.int16)
    expected = reorder(values, NHWC, target, out=out.copy(), backend="numpy")
    written: list[int] = []
    found = reordered(values, NHWC, target, out=out, backend="cupy", progress=written.append)
    assert found.backend == "cupy"
    assert np.array_equal(out, expected)
    assert written == [out.nbytes]


def test_none_takes_the_gpu_for_device_arrays_alone(cupy: Any) -> None:
    values = np.arange(NCHW.elements)
    assert reordered(values, NCHW, NHWC).backend != "cupy"
    assert fake_cupy.launched == []
    found = reordered(device(values), NCHW, NHWC, backend="numpy")
    out: Any = found.buffer
    assert found.backend == "numpy"
    assert fake_cupy.launched == []
    assert isinstance(out, fake_cupy.ndarray)
    assert np.array_equal(out.get(), reorder(values, NCHW, NHWC, backend="numpy"))


def refuse(failure: Exception) -> Any:
    def raises(*_: Any, **__: Any) -> Any:
        raise failure

    return raises


@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize(
    "failure",
    [
        fake_cupy.CompileException("no such architecture"),
        RuntimeError("cudaErrorIllegalAddress"),
        ImportError("libnvrtc.so.12"),
        MemoryError("out of memory allocating 1 byte"),
    ],
)
def test_the_cpu_does_what_the_gpu_cannot(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, failure: Exception, *, on_device: bool
) -> None:
    monkeypatch.setattr(fake_cupy, "RawModule", refuse(failure))
    values = np.arange(NCHW.elements)
    buffer: Any = device(values) if on_device else values
    with pytest.warns(RuntimeWarning, match="the CPU reorders") as warned:
        found = reordered(buffer, NCHW, NHWC, backend="cupy")
    assert str(failure) in str(warned[0].message)
    assert warned[0].filename == __file__
    assert found.backend in {"numpy", "numba"}
    out: Any = found.buffer
    assert isinstance(out, fake_cupy.ndarray) is on_device
    host = out.get() if on_device else out
    assert np.array_equal(host, reorder(values, NCHW, NHWC, backend="numpy"))


def test_what_progress_raises_is_no_failure_of_the_gpu(cupy: Any) -> None:
    values = np.arange(NCHW.elements)
    with pytest.raises(RuntimeError, match="enough"):
        reorder(values, NCHW, NHWC, backend="cupy", progress=refuse(RuntimeError("enough")))


def test_no_device_is_no_backend(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_cupy.cuda, "is_available", lambda: False)
    with pytest.raises(LayoutError) as refused:
        reorder(np.arange(NCHW.elements), NCHW, NHWC, backend="cupy")
    assert refused.value.field == "backend"


def test_without_cupy_it_is_no_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    gpu_namespace.cache_clear()
    with pytest.raises(LayoutError) as refused:
        reorder(np.arange(NCHW.elements), NCHW, NHWC, backend="cupy")
    gpu_namespace.cache_clear()
    assert refused.value.field == "backend"


@pytest.mark.parametrize("on_device", [False, True])
def test_buffers_lie_on_one_side(cupy: Any, *, on_device: bool) -> None:
    host = np.arange(NCHW.elements)
    buffers: list[Any] = [host, device(host.copy())]
    buffer, out = reversed(buffers) if on_device else buffers
    with pytest.raises(LayoutError) as refused:
        reorder(buffer, NCHW, NHWC, out=out, backend="cupy")
    assert refused.value.field == "out"


def test_a_list_is_no_buffer() -> None:
    numbers: Any = [1, 2, 3]
    with pytest.raises(LayoutError) as refused:
        reorder(numbers, NCHW, NHWC)
    assert refused.value.field == "buffer"


def test_nobody_imports_the_gpu_before_it_is_asked_for() -> None:
    code = (
        "import sys, numpy as np; from app.engine import parse_layout, reorder; "
        "a, b = parse_layout('HW', (2, 3)), parse_layout('WH', (2, 3)); "
        "reorder(np.arange(6), a, b); "
        "print([x for x in sys.modules if x == 'cupy' or x.endswith('cuda.device')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
