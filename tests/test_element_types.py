"""An element type is one row of ``app/engine/model/dtypes.py``: every surface finds it there.

float4_e2m1fn, the newest row, is followed through all of them and held against ml_dtypes.
"""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.engine import ElementType, LayoutError, parse_dtype, parse_layout, reorder
from app.engine.model.dtypes import AMBIGUOUS, ELEMENT_TYPES, find_dtype
from app.engine.network.operators.promotion import as_float, promote
from app.files import safetensors

FLOAT4 = parse_dtype("float4_e2m1fn")
CODES = np.arange(16, dtype=np.uint8)
VALUES = [float(value) for value in CODES.view(FLOAT4.numpy()).astype(np.float64)]


def names_of(element: ElementType) -> set[str]:
    """All names of a row but NumPy's short ones."""
    names = (element.name, element.onednn, element.xla, element.mlir, *element.aliases)
    return {name.lower() for name in names if name}


@pytest.mark.parametrize("element", ELEMENT_TYPES.values(), ids=lambda t: t.name)
def test_a_row_is_found_by_its_names_and_written_where_the_system_has_it(
    client: TestClient, element: ElementType
) -> None:
    for name in names_of(element):
        assert parse_dtype(f"torch.{name.upper()}") is element
        assert find_dtype(name) is (None if name in AMBIGUOUS else element)
    listed = client.get("/api/v1/formats").json()["dtypes"]
    (row,) = [t for t in listed if t["name"] == element.name]
    assert (row["bits"], row["kind"]) == (element.bits, element.kind)
    assert f'<option value="{element.name}"' in client.get("/").text
    assert np.dtype(element.numpy()).itemsize == max(element.bits, 8) // 8
    tensor = {"shape": [2, 6, 3, 4], "layout": "NCHW", "dtype": element.name}
    told = client.post("/api/v1/describe", json=tensor).json()
    assert told["buffer"]["bytes"] == 144 * element.bits // 8
    for system, name in (("xla", element.xla), ("mlir", element.mlir)):
        written = told["notations"][system]
        assert ("text" in written and name in written["text"]) if name else "reason" in written
    code = told["code"]["onednn"]
    assert (
        f"memory::data_type::{element.onednn}," in code["text"]
        if element.onednn
        else code["reason"]
    )
    assert (element.safetensors in safetensors.TYPES) == (element.safetensors is not None)


def test_a_name_that_two_systems_read_differently_is_refused_with_both_types() -> None:
    """Found by NumPy itself, and by a row's own names."""
    names = {name.lower() for t in ELEMENT_TYPES.values() for name in names_of(t)}
    read = {name: {t for t in ELEMENT_TYPES.values() if name in names_of(t)} for name in names}
    for name, types in read.items():
        with suppress(TypeError):
            types |= {t for t in ELEMENT_TYPES.values() if t.name == np.dtype(name).name}
    collisions = {name for name, types in read.items() if len(types) > 1}
    assert collisions == set(AMBIGUOUS)
    assert collisions == {"byte", "i1", "i4", "i8", "u4", "u8", "int", "uint", "float"}
    for name in collisions:
        assert set(AMBIGUOUS[name]) == read[name]
        with pytest.raises(LayoutError) as refused:
            parse_dtype(name)
        assert refused.value.suggestion == " or ".join(t.name for t in AMBIGUOUS[name])
        assert parse_dtype(f"np.{name}").name == np.dtype(name).name


AROUND = (
    "np.int8 int8, <i8 int64, |u1 uint8, dnnl_u8 uint8, memory::data_type::u8 uint8, s8 int8, "
    "torch.int int32, numpy.uint uint64, torch.float float32, CUDNN_DATA_FLOAT float32, "
    "kFLOAT float32, i64 int64, f16 float16"
)


@pytest.mark.parametrize(("text", "name"), [row.split() for row in AROUND.split(", ")])
def test_what_stands_around_a_name_decides(text: str, name: str) -> None:
    assert parse_dtype(text).name == name


@given(st.floats(-6.99, 6.99))
def test_values_round_to_nearest_even(client: TestClient, value: float) -> None:
    asked = {"source": {"shape": [1], "layout": "W", "dtype": FLOAT4.name}, "target": "W"}
    (told,) = client.post("/api/v1/reorder", json={**asked, "values": [value]}).json()["values"]
    numbers = sorted(set(VALUES))
    distance = min(abs(value - number) for number in numbers)
    nearest = [number for number in numbers if abs(value - number) == distance]
    assert told in nearest
    if len(nearest) == 2:  # a tie goes to the even mantissa, whose last bit is 0
        assert CODES[VALUES.index(abs(told))] % 2 == 0


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_numbers_go_through_every_surface(client: TestClient, name: str) -> None:
    element = parse_dtype(name)
    numbers = (np.arange(1, 7) + 0.1j).astype(element.numpy())
    layouts = parse_layout("HW", (2, 3)), parse_layout("WH", (2, 3))
    asked = {"source": {"shape": [2, 3], "layout": "HW", "dtype": name}, "target": "WH"}
    said = [f"{number}+0.1j" for number in range(1, 7)]
    told = client.post("/api/v1/reorder", json={**asked, "values": said}).json()["values"]
    assert told == [f"{number}+0.1j" for number in (1, 4, 2, 5, 3, 6)]
    moved = reorder(numbers, *layouts)
    assert moved.tolist() == numbers.reshape(2, 3).T.ravel().tolist()
    memref = f"memref<2x3x{element.mlir}>"
    assert parse_layout(memref, (2, 3), dtype=name) == parse_layout("HW", (2, 3))
    assert {t.onnx for t in (parse_dtype("torch.cfloat"), parse_dtype("complex"))} == {14, 15}


@pytest.mark.parametrize(
    "row",
    ["complex64 float64 complex128", "complex64 int64 complex64", "bool complex128 complex128"],
)
def test_complex_numbers_are_promoted_as_pytorch_does(row: str) -> None:
    a, b, both = map(parse_dtype, row.split())
    assert promote(a, b) is promote(b, a) is both
    assert as_float(both) is both


@pytest.mark.parametrize("element", ELEMENT_TYPES.values(), ids=lambda t: t.name)
def test_whole_numbers_are_exact_up_to_the_number_that_a_type_says(element: ElementType) -> None:
    most = element.exact_up_to
    if element.kind in {"float", "complex"}:
        assert int(np.array(most, element.numpy()).astype(np.complex128).real) == most
        assert np.array(float(most) + 1).astype(element.numpy()) == np.array(most, element.numpy())
    else:
        assert most == element.limits()[1]
