"""The GPU backend without a GPU: a stand-in for CuPy, and the kernel compiled by g++.

``cuda_on_host`` refuses what a card would punish. That NVRTC compiles the kernel too, and how
fast it is, is not tested here.
"""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, parse_layout, reorder
from app.engine.inverse.overlap import shares_addresses
from app.engine.model.arrays import gpu_namespace
from app.engine.reorder.cuda import device as gpu
from app.engine.reorder.execute import reordered
from tests.engine import fake_cupy
from tests.engine.fake_cupy import refuse
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
    caches = (gpu_namespace, gpu._kernel)
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
    around = np.zeros(memory.nbytes + 32, np.uint8)
    begin = -around.ctypes.data % 16 + skipped_bytes
    copied = around[begin : begin + memory.nbytes].view(memory.dtype)
    copied[...] = memory
    return copied


def device(values: npt.NDArray[Any]) -> Any:
    """On the device, with no copy."""
    return fake_cupy.on_device(values)


FORMATS = ["NCHW", "NHWC", "NWHC", "NCHW4", "NCHW6", "NCHW32", "CHWN", "CHWN4"]


def formats(one: str, other: str, shape: tuple[int, ...]) -> tuple[Layout, Layout]:
    return parse_layout(one, shape, "NCHW"), parse_layout(other, shape, "NCHW")


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Layout, Layout]:
    """Formats, layouts of any blocks, and layouts with flips, broadcasts, swizzles and gaps."""
    kind = draw(st.integers(0, 2))
    if kind == 0:
        sizes = draw(st.tuples(*(st.integers(1, most) for most in (5, 70, 12, 40))))
        return formats(draw(st.sampled_from(FORMATS)), draw(st.sampled_from(FORMATS)), sizes)
    if kind == 1:
        shape = draw(shapes(least=0, most=9))
        return draw(packed_layouts(shape)), draw(packed_layouts(shape))
    target = draw(any_layouts())
    source = draw(packed_layouts(target.shape))
    return (source, target) if shares_addresses(target) is False else (target, source)


@examples(600, suppress_health_check=SHARED)
@given(
    pair=pairs(),
    bits=st.sampled_from([NIBBLE, 8, 16, 24, 32, 64, 96, 128, 256]),
    skipped_bytes=st.sampled_from([(0, 0), (0, 0), (8, 8), (4, 0), (0, 2), (1, 3)]),
)
@example(formats("NCHW", "NHWC", (1, 300, 20, 16)), 8, (0, 0))
@example(formats("NHWC", "NCHW", (1, 33, 50, 120)), 16, (0, 0))
@example(formats("NCHW", "CHWN4", (40, 5, 10, 20)), 8, (0, 0))
@example(formats("NCHW", "NCHW32", (2, 50, 7, 9)), 32, (0, 0))
@example(formats("NCHW", "NHWC", (2, 33, 7, 9)), 128, (8, 0))
def test_the_device_does_what_numpy_does(
    cupy: Any, pair: tuple[Layout, Layout], bits: int, skipped_bytes: tuple[int, int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "_TABLE_ELEMENTS", 50)
        check(*pair, bits, skipped_bytes)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("pair", [(NCHW, NHWC), (NHWC, NCHW)])
def test_a_transposition_goes_through_tiles(cupy: Any, bits: int, pair: Any) -> None:
    check(pair[0], pair[1], bits, (0, 0))
    assert fake_cupy.launched == [("-std=c++14", f"-DUNIT_BYTES={bits // 8}")]
    check(pair[0], pair[1], bits, (0, 1))
    assert fake_cupy.launched[1:] == [("-std=c++14", "-DUNIT_BYTES=1")] * (bits == 8)


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


@pytest.mark.parametrize("text", ["NCHW", "(4000, 100, 12, 1)"])
def test_host_arrays_go_to_the_device_and_back(cupy: Any, text: str) -> None:
    target = parse_layout(text, SHAPE)
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
    found = reordered(device(values), NCHW, NHWC, backend="numpy")
    out: Any = found.buffer
    assert found.backend == "numpy"
    assert fake_cupy.launched == []
    assert isinstance(out, fake_cupy.ndarray)
    assert np.array_equal(out.get(), reorder(values, NCHW, NHWC, backend="numpy"))


@pytest.mark.parametrize("is_on_device", [False, True])
@pytest.mark.parametrize(
    "failure",
    [
        fake_cupy.CompileException("no such architecture"),
        RuntimeError("cudaErrorIllegalAddress"),
        ImportError("libnvrtc.so.12"),
        MemoryError("out of memory allocating 1 byte"),
        ValueError("maximum supported dimension"),
    ],
)
def test_the_cpu_does_what_the_gpu_cannot(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, failure: Exception, *, is_on_device: bool
) -> None:
    monkeypatch.setattr(fake_cupy, "RawKernel", refuse(failure))
    values = np.arange(NCHW.elements)
    buffer: Any = device(values) if is_on_device else values
    with pytest.warns(RuntimeWarning, match="the CPU reorders") as warned:
        found = reordered(buffer, NCHW, NHWC, backend="cupy")
    assert str(failure) in str(warned[0].message)
    assert warned[0].filename == __file__
    assert found.backend in {"numpy", "numba"}
    out: Any = found.buffer
    assert isinstance(out, fake_cupy.ndarray) is is_on_device
    host = out.get() if is_on_device else out
    assert np.array_equal(host, reorder(values, NCHW, NHWC, backend="numpy"))


def test_what_progress_raises_is_no_failure_of_the_gpu(cupy: Any) -> None:
    values = np.arange(NCHW.elements)
    with pytest.raises(RuntimeError, match="enough"):
        reorder(values, NCHW, NHWC, backend="cupy", progress=refuse(RuntimeError("enough")))


@pytest.mark.parametrize("is_installed", [False, True])
def test_no_device_is_no_backend(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, *, is_installed: bool
) -> None:
    if is_installed:
        monkeypatch.setattr(fake_cupy.cuda, "is_available", lambda: False)
    else:
        monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(LayoutError) as refused:
        reorder(np.arange(NCHW.elements), NCHW, NHWC, backend="cupy")
    assert refused.value.field == "backend"


@pytest.mark.parametrize("is_on_device", [False, True])
def test_buffers_lie_on_one_side(cupy: Any, *, is_on_device: bool) -> None:
    host = np.arange(NCHW.elements)
    buffers: list[Any] = [host, device(host.copy())]
    buffer, out = reversed(buffers) if is_on_device else buffers
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
