"""oneDNN 3.2 through ctypes: the formats that a convolution chooses when it is created with any."""

import ctypes
import random
from collections.abc import Iterator, Sequence

from app.engine.network.rules.onednn import ConvProblem, choose
from conformance.onednn_library import Descriptor, call, dims, library
from conformance.report import Comparison

_CONVOLUTIONS = 600
_ANY, _CPU, _INFERENCE, _DIRECT = 1, 1, 96, 1
_SOURCE, _WEIGHT, _TARGET = 129, 131, 133
_AVX512, _AVX2 = 0x20, 0x4  # bits of dnnl_cpu_isa_t
_TAGS = {"plain": "abcd", "last": "acdb", "4c": "aBcd4b", "8c": "aBcd8b", "16c": "aBcd16b"}
_LETTERS = (str.maketrans("Ohwio", "Acdba"), str.maketrans("gOhwio", "aBdecb"))
_FEW = {"avx512": 32, "avx2": 24, "sse41": 0}  # of more, oneDNN weighs cache and threads
_CHANNELS = (1, 2, 3, 4, 5, 8, 12, 16, 20, 24, 32, 48, 64)


def compare_choices(rng: random.Random) -> Iterator[Comparison]:
    """Random float32 convolutions on the instruction set of this machine."""
    bits = library().dnnl_get_effective_cpu_isa()
    isa = "avx512" if bits & _AVX512 else "avx2" if bits & _AVX2 else "sse41"
    result = Comparison("onednn", f"formats chosen with any by convolutions ({isa})")
    for _ in range(_CONVOLUTIONS):
        groups = rng.choice((1, 1, 1, 2, 4, 8, 32))
        into, out = max(2 if groups == 1 else 1, rng.choice(_CHANNELS)), rng.choice(_CHANNELS[1:])
        if groups > 1 and rng.random() < 0.5:
            out = into
        kernel, stride, size = rng.choice((1, 3)), rng.choice((1, 1, 2)), rng.choice((8, 14, 28))
        problem = ConvProblem(4, into, out, groups, pointwise=kernel == 1, int8=False)
        chosen = choose(problem, isa, "brgemm", {})
        shape = (rng.choice((1, 2)), groups * into, size, size)
        ours: tuple[str, ...] = (_TAGS[chosen.source], _TAGS[chosen.result])
        if chosen.source == "last" and chosen.weight and out <= _FEW[isa]:
            ours += (chosen.weight.translate(_LETTERS[groups > 1]),)
        said = (
            f"{shape}, {groups * out} channels, kernel {kernel}, stride {stride}, groups {groups}"
        )
        result.equal(ours, _live(shape, groups * out, kernel, stride, groups, ours), said)
    yield result


def _live(
    shape: Sequence[int], out: int, kernel: int, stride: int, groups: int, expected: Sequence[str]
) -> Sequence[str]:
    """The expected tags if oneDNN's formats equal them, else how its own lie."""
    engine, primitive = ctypes.c_void_p(), ctypes.c_void_p()
    call("dnnl_engine_create", ctypes.byref(engine), _CPU, ctypes.c_size_t(0))
    pad = kernel // 2
    size = (shape[2] + 2 * pad - kernel) // stride + 1
    target = (shape[0], out, size, size)
    weights: tuple[int, ...] = (out // groups, shape[1] // groups, kernel, kernel)
    weights = weights if groups == 1 else (groups, *weights)
    source, weight, result = (
        Descriptor.of_tag(each, _ANY, "float32") for each in (shape, weights, target)
    )
    two = [dims((n, n)) for n in (stride, 0, pad, pad)]
    call(
        "dnnl_convolution_forward_primitive_desc_create",
        ctypes.byref(primitive),
        engine,
        _INFERENCE,
        _DIRECT,
        source.handle,
        weight.handle,
        None,
        result.handle,
        *two,
        None,
    )
    found = []
    asked = ((_SOURCE, shape), (_TARGET, target), (_WEIGHT, weights))
    for (query, sizes), tag in zip(
        asked, expected, strict=False
    ):  # weights are not always expected
        live = ctypes.c_void_p(library().dnnl_primitive_desc_query_md(primitive, query, 0))
        wanted = Descriptor.of_tag(sizes, tag, "float32")
        same = bool(library().dnnl_memory_desc_equal(live, wanted.handle))
        found.append(tag if same else "another format")
    library().dnnl_primitive_desc_destroy(primitive)
    library().dnnl_engine_destroy(engine)
    return tuple(found)
