"""Each comparison that makes no layout says the same as the one that makes it."""

from itertools import combinations, product

import numpy as np
import pytest

from app.engine import offset_map
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.model.layout import INT64_MAX, Digit, Layout, Swizzle
from app.engine.notation import DIALECTS
from app.engine.notation.formats import FORMATS
from app.engine.notation.orders import order_is_layout
from app.engine.notation.specs import Entries, Request, Spec, Written

FLOAT32 = ELEMENT_TYPES["float32"]
BY_SYSTEM = {dialect.system: dialect for dialect in DIALECTS}
TEXTS = (
    *sorted({f"{f.system}:{f.name}" for f in FORMATS}),
    *("c:n*36 + c*12 + h*4 + w", "c:n*8 + c/3*4 + c/4", "c:x*4 + w", "c:w ^ ((w & 2) >> 1)"),
    *("mlir:affine_map<(d0, d1) -> (d0 * 3 + d1)>", "mlir:affine_map<(d0, d1) -> (d1 - d0)>"),
    *("mlir:memref<2x3xf32, affine_map<(d0, d1) -> (d0 * 3 + d1)>>", "mlir:affine_map<() -> ()>"),
    *("mlir:affine_map<(d0, d1) -> (d0 floordiv 3 + d0 floordiv 2, d1)>", "xla:f32[2,3]{0,1}"),
    *("xla:{1,0:T(2,2)(3,1)}", "xla:{1,0:T(2,2,2)}", "xla:{1,0:T(4,1)(2,1)}"),
    *("xla:{1,0:T(4)(2,2)}", "numpy:F", "pytorch:channels_last", "pytorch:contiguous_format"),
    *("cudnn:NCHW_VECT_C4 {72, 9, 3, 1}", "directml:NHWC", "directml:NCHW4", "directml:HW"),
    *("directml:null", "cudnn:CUDNN_TENSOR_NHWC", "cudnn:NCHW_VECT_C32", "tvm:NCHW4n4c"),
    *("tvm:N4cCHW", "onednn:ABcd4a2b2a", "tensorrt:kCDHW32", "letters:NCHW1000000"),
)
SHAPES = (
    *((), (6,), (2, 3), (8, 16), (4, 1), (0, 3), (2, 8, 3, 3), (1, 4, 1, 1), (8, 8, 2, 5)),
    *((2, 3, 4, 0), (3, 5, 2, 2, 2), (1 << 20, 1 << 20, 1 << 20, 3)),
)


def spec_of(text: str) -> Spec:
    system, _, own = text.partition(":")
    return BY_SYSTEM[system].read(own)


def layouts() -> list[Layout]:
    """What the texts give for the shapes, each once, and some that no text gives."""
    found = {
        made.layout: None
        for text, shape in product(TEXTS, SHAPES)
        if isinstance(made := spec_of(text).attempt(Request(shape)), Written)
    }
    plain = Layout.strided((2, 3), (3, 1))
    swizzled = Layout((4,), "W", ((Digit(4, 1),),), 0, Swizzle(1, 0, 1))
    others = [Layout.strided((2, 3), (3, 1), 5), Layout.strided((2, 3), (-3, 1), 3), swizzled]
    return [*found, plain, *others, Layout((2,), "W", ((Digit(2, 0), Digit(2, 1)),))]


LAYOUTS = layouts()


@pytest.mark.parametrize("text", TEXTS)
def test_a_spec_compares_as_its_layout_does(text: str) -> None:
    spec = spec_of(text)
    for layout in LAYOUTS:
        made = spec.attempt(Request(layout.shape, layout.dims, FLOAT32))
        same = isinstance(made, Written) and made.layout.normal_form == layout.normal_form
        assert spec.is_layout(layout, FLOAT32) == same, (text, layout)
        for shape, dims in ((layout.shape, layout.dims), (layout.shape, None), ((1, 2, 3), None)):
            request = Request(shape, dims, FLOAT32)
            applied = spec.attempt(request)
            known = applied.layout.normal_form if isinstance(applied, Written) else None
            assert spec.memory(request) == known, request


def test_the_entries_that_fit_are_those_whose_spec_is_the_layout() -> None:
    specs = {text: spec_of(text) for text in TEXTS}
    fits = 0
    for layout in LAYOUTS:
        takes = {text: spec for text, spec in specs.items() if spec.takes(layout.dims)}
        expected = [text for text, spec in takes.items() if spec.is_layout(layout, FLOAT32)]
        found = Entries.of(specs.items(), layout.dims).fitting(layout, FLOAT32)
        assert list(found) == expected, layout
        fits += len(expected)
    assert fits > len(LAYOUTS)


def test_the_normal_form_is_equal_where_sizes_addresses_and_buffers_are() -> None:
    small = [layout for layout in LAYOUTS if layout.elements < 1 << 10]
    for one, other in combinations(small, 2):
        if one.shape != other.shape or one.padded_shape != other.padded_shape:
            assert one.normal_form != other.normal_form
        elif one.elements:
            same = one.buffer_elements == other.buffer_elements and one.offset == other.offset
            same = same and np.array_equal(offset_map(one), offset_map(other))
            assert (one.normal_form == other.normal_form) == same, (one, other)


def test_an_order_beyond_int64_is_no_layout() -> None:
    layout = Layout.strided((INT64_MAX, 1), (1, 1))
    assert order_is_layout(((1, None), (0, None)), layout)
    assert not order_is_layout(((1, None), (0, None), (0, 2)), layout)
