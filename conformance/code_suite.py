"""Generated code: NumPy's and PyTorch's is run, oneDNN's is compiled for each version and run."""

import importlib
import math
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from app.engine import LayoutError, offset_map, parse_dtype, parse_layout
from app.engine import reorder as engine_reorder
from app.engine.inverse.overlap import shares_addresses
from app.engine.model.dtypes import ELEMENT_TYPES, ElementType
from app.engine.model.layout import Layout
from app.engine.notation.code.arrays import numpy_code, pytorch_code
from app.engine.notation.code.onednn import onednn_c, onednn_code, onednn_descriptor
from app.engine.notation.dialect import CannotSayError
from app.engine.notation.dialects.onednn import TAG_SINCE
from app.engine.notation.formats import FORMATS
from conformance.code_library import VERSIONS, Sample, compiled, ran
from conformance.onednn_library import header_tags
from conformance.onednn_suite import free_tag
from conformance.report import Comparison

FLOAT32 = parse_dtype("float32")
_SHAPES = {
    1: (7,),
    2: (6, 10),
    3: (2, 6, 5),
    4: (2, 20, 3, 4),
    5: (2, 6, 3, 4, 5),
    6: (2, 3, 4, 3, 2, 3),
}
_RANDOM = 60
_MOST_ELEMENTS = 1 << 15
_OTHERS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("aBcd64b", (2, 70, 3, 3)),
    ("BA2b2a", (5, 6)),
    ("onednn:ABcd4a16b4a", (20, 40, 3, 3)),
    ("(5, 1)", (2, 3)),
    ("(5, 1)+1", (2, 3)),
    ("(0, 1)", (2, 3)),
    ("(1, 4)", (3, 4)),
    ("(40, 10, 1)+7", (2, 3, 5)),
    ("(3,)", (4,)),
    ("(1,)", (1,)),
    ("HW", (0, 3)),
    ("CHWN4", (2, 6, 3, 3)),
    ("(-5, -1)+9", (2, 3)),
    ("Swizzle<2,0,2> o (8,8):(8,1)", (8, 8)),
    ("()", ()),
)
_LANGUAGES: dict[str, Callable[[Layout, ElementType], str]] = {
    "C++": onednn_code,
    "C 3": onednn_c,
    "C 2": onednn_descriptor,
}
_TAKES = {"C++": ("2.6", "3.2", "3.13"), "C 3": ("3.2", "3.13"), "C 2": ("2.6",)}


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons of generated code."""
    layouts = list(_layouts(rng))
    yield _python("numpy", numpy_code, "buffer", layouts)
    yield _python("pytorch", pytorch_code, "storage", layouts)
    yield _tags()
    yield from _onednn(layouts)


def not_compared() -> str:
    """What is not compared, and why."""
    return (
        "code: oneDNN 3.13 is compiled, not run, because its library needs a runtime of SYCL; a "
        "descriptor with strides of 0 is made, but no reorder writes to it."
    )


def _layouts(rng: random.Random) -> Iterator[Layout]:
    """The catalogue, what is rare, random tags and random strides."""
    for f in FORMATS:
        yield _named(f"{f.system}:{f.name}", f.rank)
    for text, sizes in _OTHERS:
        yield parse_layout(text, sizes)
    tags = [*rng.sample(list(TAG_SINCE), _RANDOM), *(free_tag(rng) for _ in range(_RANDOM))]
    for tag in tags:
        rank = len(set(re.sub(r"[0-9]", "", tag.lower())))
        shape = tuple(rng.choice((1, 2, 3, 5)) for _ in range(rank))
        layout = parse_layout(f"onednn:{tag}", shape)
        if layout.buffer_elements <= _MOST_ELEMENTS:
            yield layout
    for _ in range(_RANDOM):
        shape = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 4)))
        strides, step = [0] * len(shape), 1
        for d in rng.sample(range(len(shape)), len(shape)):
            strides[d] = step * rng.choice((1, 1, 2))
            step = strides[d] * shape[d] + rng.choice((0, 0, 1))
        yield parse_layout({"strides": strides, "offset": rng.choice((0, 0, 3))}, shape)


def _named(text: str, rank: int) -> Layout:
    """A named format of the first sizes that it takes: some need multiples, or sizes of 1."""
    shapes = (
        _SHAPES[rank],
        (64, 64, *_SHAPES[rank][2:]),
        (8, 1, 1, *_SHAPES[rank][3:]),
        (2, 3, *_SHAPES[rank][2:]),
        (16, *_SHAPES[rank][1:]),
        (1, 8, *_SHAPES[rank][2:]),
    )
    for shape in shapes:
        try:
            return parse_layout(text, shape[:rank])
        except LayoutError:
            continue
    raise AssertionError(f"no shape for {text}")


def _python(
    module: str, write: Callable[..., str], store: str, layouts: list[Layout]
) -> Comparison:
    """Run the code for every layout, and for every type that the library has."""
    importlib.import_module("torch" if module == "pytorch" else module)
    result = Comparison("code", f"{module}: run; x stored at the layout's addresses, y equal to x")
    types = list(ELEMENT_TYPES.values())
    for i, layout in enumerate(layouts):
        for dtype in {FLOAT32, types[i % len(types)]}:
            try:
                code = write(layout, dtype)
            except CannotSayError:
                continue
            said = _run(code, layout, store)
            result.equal("as it should be", said, layout, dtype.name, "\n" + code)
    return result


def _run(code: str, layout: Layout, store: str) -> str:
    """What the code does: store x as the layout says, or its error."""
    names: dict[str, Any] = {}
    try:
        exec(compile(code, "generated", "exec"), names)  # noqa: S102  # the code under test
    except Exception as error:  # whatever the sample raises is a mismatch
        return f"{type(error).__name__}: {error}"
    x, y = (_plain(names[name]) for name in "xy")
    if x.shape != layout.shape or y.shape != layout.shape:
        return f"shapes {x.shape} and {y.shape}"
    if "x is not stored" in code:
        shares = shares_addresses(layout) is not False or layout.shape != layout.padded_shape
        return _said(shares)
    if store not in names:  # PyTorch's memory formats: y itself
        strides = names["y"].stride()
        same = parse_layout({"strides": list(strides)}, layout.shape)
        here = np.array_equal(offset_map(same), offset_map(layout))
        return _said(_same(x, y) and here)
    stored = _plain(names[store]).ravel()[offset_map(layout)]
    return _said(_same(x, y) and _same(stored, x))


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=True)  # float8_e4m3fn makes NaN of 480


def _said(right: bool) -> str:  # noqa: FBT001  # the only argument
    return "as it should be" if right else "wrong addresses or values"


def _plain(array: Any) -> Any:
    """A NumPy array of float64 or complex128 from an array or a tensor of any type."""
    if hasattr(array, "double"):
        return (array.cdouble() if array.is_complex() else array.double()).numpy()
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _tags() -> Comparison:
    result = Comparison("code", "oneDNN's headers of 3 versions: the tags that they list")
    for version, (folder, _) in VERSIONS.items():
        listed, _ = header_tags(folder)
        for tag in TAG_SINCE.keys() | set(listed):
            ours = tag in TAG_SINCE and _numbers(TAG_SINCE[tag]) <= _numbers(version)
            result.equal(ours, tag in listed, tag, version)
    return result


def _onednn(layouts: list[Layout]) -> Iterator[Comparison]:
    types = list(ELEMENT_TYPES.values())
    for language, write in _LANGUAGES.items():
        plain = [(x, FLOAT32) for x in layouts]
        every = [(x, types[i % len(types)]) for i, x in enumerate(layouts)]
        for version in _TAKES[language]:
            yield _one_version(version, language, write, [*plain, *every])


def _one_version(
    version: str,
    language: str,
    write: Callable[[Layout, ElementType], str],
    asked: list[tuple[Layout, ElementType]],
) -> Comparison:
    """Compile every sample that says it works with this version; run those of float32."""
    _, runs = VERSIONS[version]
    result = Comparison("code", f"oneDNN {version}, {language}: compiled{', run' if runs else ''}")
    samples, expected, cases = [], [], []
    for layout, dtype in asked:
        try:
            code = write(layout, dtype)
        except CannotSayError:
            continue
        if _numbers(_since(code)) > _numbers(version):
            continue
        fills = dtype is FLOAT32 and runs and layout.elements > 0 and _distinct(layout)
        moved = re.search(r"buffer\)? \+ ([0-9]+)\)", code)
        elements = layout.buffer_elements if fills else None
        offset = int(moved[1]) if moved else 0
        samples.append(Sample(code, layout.shape, elements, offset))
        expected.append(_filled(layout) if fills else None)
        cases.append((layout, dtype.name, "\n" + code))
    if not runs:
        error = compiled(version, language, samples)
        for case in cases:
            result.equal("", error, *case)
        return result
    for said, wanted, case in zip(ran(version, language, samples), expected, cases, strict=True):
        size = re.search(r"get_size\((?:md)?\) == ([0-9]+)", str(case[-1]))
        result.equal(int(size[1]) if size else said.size_bytes, said.size_bytes, *case)
        result.equal(wanted, said.buffer, *case)
    return result


def _since(code: str) -> str:
    found = re.search(r"// oneDNN ([0-9.]+) or newer", code)
    return found[1] if found else "2.0"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _distinct(layout: Layout) -> bool:
    return shares_addresses(layout) is False


def _filled(layout: Layout) -> tuple[float, ...]:
    """The buffer after a reorder of 1, 2, 3… from plain memory; zero in padding and gaps."""
    shape = layout.shape
    strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    plain = parse_layout({"strides": strides}, shape, layout.dims)
    values = np.arange(1, layout.elements + 1, dtype=np.float32)
    return tuple(engine_reorder(values, plain, layout).tolist())
