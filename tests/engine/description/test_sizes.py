"""Sizes by system: only for systems that can have the tensor, else the reason."""

import ml_dtypes
import numpy as np
import pytest

from app.engine import describe, parse_dtype, parse_layout
from app.engine.model.dtypes import ELEMENT_TYPES

SYSTEMS = "numpy", "pytorch", "cudnn", "directml", "onednn"


@pytest.mark.parametrize(
    ("shape", "text", "dtype", "sizes"),
    [
        ((2, 3), "(5, 1)", "int8", (8, 8, None, 8, 10)),
        ((2, 8, 3, 3), "NHWC", "float16", (288, 288, 288, 288, 288)),
        ((2, 8, 3, 3), "NCHW+7", "float16", (288, 288, 288, 288, 288)),  # without the offset
        ((3, 3), "HW", "int4", (9, None, None, 8, 5)),
        ((3, 3, 3), "CHW", "int4", (27, None, 14, 16, 14)),
        ((2, 8, 3, 3), "NCHW4", "float32", (None, None, None, None, 576)),
        ((2, 8, 3, 3), "NCHW4", "int8", (None, None, 144, None, 144)),
        ((2, 64, 3, 3), "NCHW32", "uint8", (None, None, None, None, 1152)),
        ((2, 64, 3, 3), "NCHW64", "float32", (4608,) * 5),  # the memory of NHWC
        ((8, 8), "Swizzle<2,0,3> o (8,8):(8,1)", "float32", (None,) * 5),
        ((1, 2, 3, 4), "(24, 12, 4, -1)+3", "float32", (96, None, None, None, None)),
        ((1, 2, 3, 4), "(24, 12, 4, 0)", "float32", (84, 84, 84, 84, 96)),
        ((1, 2, 3, 4), "(0, 1, 1, 1)", "float32", (28, 28, 28, 28, None)),
        ((1, 2, 3, 4), "NCHW", "complex64", (192, 192, 192, None, None)),
        ((1,) * 9, "contiguous_format", "float32", (4, 4, None, None, 4)),
        ((), "strides:()", "float32", (4, 4, None, 4, None)),
        ((2**61,), "W", "float32", (None,) * 5),
        ((0, 3, 2), "CHW", "float32", (0, 0, None, 0, 0)),
    ],
)
def test_systems_that_have_the_tensor_have_a_size(
    shape: tuple[int, ...], text: str, dtype: str, sizes: tuple[int | None, ...]
) -> None:
    text, _, offset = text.partition("NCHW+")
    layout = parse_layout(text or {"strides": [72, 9, 3, 1], "offset": int(offset)}, shape)
    found = describe(layout, parse_dtype(dtype)).buffer
    assert tuple(found.per_system.values()) == sizes
    assert tuple(found.per_system) == SYSTEMS
    assert found.reasons.keys() == {s for s, size in found.per_system.items() if size is None}
    assert all(reason.endswith(".") for reason in found.reasons.values())


@pytest.mark.parametrize("name", ELEMENT_TYPES)
def test_numpys_size_is_that_of_its_array(name: str) -> None:
    element = parse_dtype(name)
    size = describe(parse_layout("HW", (3, 3)), element).buffer.per_system["numpy"]
    assert size == np.zeros((3, 3), element.numpy()).nbytes
    assert size == 9 * np.dtype(getattr(ml_dtypes, name, name)).itemsize


def test_the_reason_is_that_of_the_notation() -> None:
    found = describe(parse_layout("NCHW4", (2, 6, 3, 3)), parse_dtype("int8"))
    for system in ("numpy", "pytorch", "cudnn", "directml"):
        assert found.buffer.reasons[system] == found.notations[system]["reason"]
