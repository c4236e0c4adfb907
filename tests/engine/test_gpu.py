"""The GPU backend: on a stand-in for CuPy with the kernel compiled by g++, and on a card if any.

``cuda_on_host`` refuses what a card would punish. Only a card tests that NVRTC compiles the kernel
and that CuPy does what its stand-in does. How fast it is: ``benchmarks/gpu.py``.
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
from app.engine.reorder import execute
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
CARD = gpu_namespace()
DEVICES = [fake_cupy] if CARD is None else [fake_cupy, CARD]


@pytest.fixture(params=DEVICES, ids=lambda found: found.__name__)
def cupy(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The stand-in or CuPy where ``import cupy`` finds it."""
    monkeypatch.setitem(sys.modules, "cupy", request.param)
    caches = (gpu_namespace, gpu._kernel, execute._program)
    for cache in caches:
        cache.cache_clear()
    fake_cupy.launched.clear()
    yield request.param
    for cache in caches:
        cache.cache_clear()


only_the_stand_in = pytest.mark.parametrize("cupy", [fake_cupy], indirect=True)


def random_bytes(layout: Layout, bits: int, seed: int) -> npt.NDArray[Any]:
    """A buffer of items of ``bits``, packed where they are nibbles."""
    size = -(-layout.buffer_elements * bits // 8)
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8).view(KINDS[bits])


# CuPy has no type of 3 or 32 bytes; its stand-in moves them as NumPy does.
ON_A_CARD = {NIBBLE: "u1", 8: "u1", 16: "u2", 32: "u4", 64: "u8", 128: "c16"}
KINDS = ON_A_CARD | {24: "V3", 96: "V12", 256: "V32"}


def check(
    cupy: Any, source: Layout, target: Layout, bits: int, skipped_bytes: tuple[int, int]
) -> None:
    """The device's bytes are NumPy's, gaps and the bits beside the last nibble among them."""
    if cupy is not fake_cupy and bits not in ON_A_CARD:
        bits = 8
    dtype = "int4" if bits < 8 else None
    memory, expected = random_bytes(source, bits, 0), random_bytes(target, bits, 1)
    buffer = device(cupy, memory, skipped_bytes[0])
    out = device(cupy, expected, skipped_bytes[1])
    reorder(memory, source, target, out=expected, dtype=dtype, backend="numpy")
    found = reordered(buffer, source, target, out=out, dtype=dtype)
    assert id(found.buffer) == id(out)
    assert found.backend == "cupy"
    assert out.get().tobytes() == expected.tobytes()


def device(cupy: Any, values: npt.NDArray[Any], skipped_bytes: int = 0) -> Any:
    """A copy on the device that begins ``skipped_bytes`` after an address that 16 divides."""
    around = cupy.zeros(values.nbytes + 32, np.uint8)
    begin = -around.data.ptr % 16 + skipped_bytes
    found = around[begin : begin + values.nbytes].view(values.dtype)
    found.set(values)
    return found


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
@example(formats("CHWN4", "NCHW", (40, 8, 10, 20)), 8, (0, 0))
@example(formats("NCHW4", "NCHW", (2, 8, 40, 30)), 16, (0, 0))
def test_the_device_does_what_numpy_does(
    cupy: Any, pair: tuple[Layout, Layout], bits: int, skipped_bytes: tuple[int, int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "_TABLE_ELEMENTS", 50)
        check(cupy, *pair, bits, skipped_bytes)


@pytest.mark.parametrize(("bits", "units"), [(8, 2), (16, 2), (32, 1), (64, 1)])
@pytest.mark.parametrize("from_nchw", [True, False])
@only_the_stand_in
def test_a_transposition_goes_through_tiles(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, bits: int, units: int, *, from_nchw: bool
) -> None:
    """Units are read and written as words where 30 channels, not 63 pixels, are neighbours."""
    source, target = (NCHW, NHWC) if from_nchw else (NHWC, NCHW)
    words = f"-DREAD={1 if from_nchw else units}", f"-DWRITE={units if from_nchw else 1}"
    check(cupy, source, target, bits, (0, 0))
    assert fake_cupy.launched.pop()[2:] == (f"-DUNIT_BYTES={bits // 8}", *words)
    check(cupy, source, target, bits, (0, 1))
    single = ("-DUNIT_BYTES=1", "-DREAD=1", "-DWRITE=1")
    assert [options[2:] for options in fake_cupy.launched] == [single] * (bits == 8)
    fake_cupy.launched.clear()
    execute._program.cache_clear()
    monkeypatch.setattr(gpu, "_MOST", 1)  # as if a launch had no more blocks
    check(cupy, source, target, bits, (0, 0))
    assert fake_cupy.launched == []


def test_device_arrays_give_device_arrays_and_may_overlap(cupy: Any) -> None:
    values = np.arange(NCHW.elements)
    expected = reorder(values, NCHW, NHWC, backend="numpy")
    memory = device(cupy, values)
    out: Any = reorder(memory, NCHW, NHWC)
    assert isinstance(out, cupy.ndarray)
    reorder(memory, NCHW, NHWC, out=memory)
    assert np.array_equal(out.get(), expected)
    assert np.array_equal(memory.get(), expected)
    buffers: list[Any] = [values, memory, [1, 2, 3]]
    for buffer, other, field in ((0, 1, "out"), (1, 0, "out"), (2, 0, "buffer")):
        with pytest.raises(LayoutError) as refused:
            reorder(buffers[buffer], NCHW, NHWC, out=buffers[other], backend="cupy")
        assert refused.value.field == field


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
    found = reordered(device(cupy, values), NCHW, NHWC, backend="numpy")
    out: Any = found.buffer
    assert found.backend == "numpy"
    assert fake_cupy.launched == []
    assert isinstance(out, cupy.ndarray)
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
@only_the_stand_in
def test_the_cpu_does_what_the_gpu_cannot(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, failure: Exception, *, is_on_device: bool
) -> None:
    monkeypatch.setattr(fake_cupy, "RawKernel", refuse(failure))
    values = np.arange(NCHW.elements)
    buffer: Any = device(cupy, values) if is_on_device else values
    with pytest.warns(RuntimeWarning, match="the CPU reorders") as warned:
        out: Any = reorder(buffer, NCHW, NHWC, backend="cupy")
    assert str(failure) in str(warned[0].message)
    assert warned[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="the CPU reorders"):
        assert reordered(buffer, NCHW, NHWC, backend="cupy").backend in {"numpy", "numba"}
    assert isinstance(out, fake_cupy.ndarray) is is_on_device
    host = out.get() if is_on_device else out
    assert np.array_equal(host, reorder(values, NCHW, NHWC, backend="numpy"))


def test_what_progress_raises_is_no_failure_of_the_gpu(cupy: Any) -> None:
    values = np.arange(NCHW.elements)
    with pytest.raises(RuntimeError, match="enough"):
        reorder(values, NCHW, NHWC, backend="cupy", progress=refuse(RuntimeError("enough")))


@pytest.mark.parametrize("is_installed", [False, True])
@only_the_stand_in
def test_no_device_is_no_backend(
    cupy: Any, monkeypatch: pytest.MonkeyPatch, *, is_installed: bool
) -> None:
    if is_installed:
        monkeypatch.setattr(cupy.cuda, "is_available", lambda: False)
    else:
        monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(LayoutError) as refused:
        reorder(np.arange(NCHW.elements), NCHW, NHWC, backend="cupy")
    assert refused.value.field == "backend"


def test_nobody_imports_the_gpu_before_it_is_asked_for() -> None:
    code = (
        "import sys, numpy as np; from app.engine import parse_layout, reorder; "
        "a, b = parse_layout('HW', (2, 3)), parse_layout('WH', (2, 3)); "
        "reorder(np.arange(6), a, b); "
        "print([x for x in sys.modules if x == 'cupy' or x.endswith('cuda.device')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
