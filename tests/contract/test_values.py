"""Values between JSON and NumPy: what a type holds, rounded once, and what it refuses."""

from typing import Any

import numpy as np
import pytest

from app.contract.values import parse_values, values_json
from app.engine import LayoutError, parse_dtype


@pytest.mark.parametrize(
    ("dtype", "given", "answered"),
    [
        ("bool", [True, 0, 1, False], [True, False, True, False]),
        ("int4", [-8, 7], [-8, 7]),
        ("uint64", [2**64 - 1, 0], [2**64 - 1, 0]),
        ("float32", ["NaN", "Infinity", "-Infinity", 1], ["NaN", "Infinity", "-Infinity", 1.0]),
        ("float16", [1 + 2**-11, 1 + 3 * 2**-11], [1.0, 1 + 2**-9]),  # ties go to even
        # Just over a tie. By way of float32, to nearest, it would be the tie.
        ("bfloat16", [1 + 2**-8 + 2**-40], [1 + 2**-7]),
        ("float4_e2m1fn", [5, 7 - 2**-40], [4.0, 6.0]),
        ("complex64", ["1+2j", 0.1, "-0-0.1j", 7], ["1+2j", "0.1+0j", "-0-0.1j", "7+0j"]),
        ("complex128", ["0.1+1e300j", "nan-infj"], ["0.1+1e+300j", "nan-infj"]),
    ],
)
def test_values_there_and_back(dtype: str, given: list[Any], answered: list[Any]) -> None:
    element = parse_dtype(dtype)
    parsed = parse_values(given, element, len(given))
    assert parsed.dtype == element.numpy()
    assert values_json(parsed, element) == answered


@pytest.mark.parametrize(
    ("dtype", "given", "field", "expected"),
    [
        ("bool", [True, 2], "values[1]", "true or false"),
        ("uint4", [15, 16], "values[1]", "from 0 to 15"),
        ("float32", [1, 10**400], "values[1]", "float64's range"),
        ("float32", [0.0, 1e39], "values[1]", "in its range"),
        ("float8_e4m3fn", ["NaN", "Infinity"], "values[1]", "in its range"),
        ("float4_e2m1fn", [6, 7], "values[1]", "in its range"),
        ("float4_e2m1fn", ["NaN"], "values[0]", "in its range"),
        ("complex64", [1, "1+"], "values[1]", "a number, or text such as 1+2j"),
        ("complex128", [1, "1e999j"], "values[1]", "a number, or text such as 1+2j"),
        ("complex64", [1, "1e39j"], "values[1]", "in its range"),
        ("float32", [1.0], "values", "2 values"),
    ],
)
def test_what_a_type_cannot_hold_is_named(
    dtype: str, given: list[Any], field: str, expected: str
) -> None:
    with pytest.raises(LayoutError) as refused:
        parse_values(given, parse_dtype(dtype), 2 if field == "values" else len(given))
    assert refused.value.field == field
    assert expected in refused.value.expectation


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e5m2"])
def test_every_value_of_a_type_is_itself(dtype: str) -> None:
    element = parse_dtype(dtype)
    every = np.arange(1 << element.bits, dtype=f"u{element.bits // 8}").view(element.numpy())
    with np.errstate(invalid="ignore"):  # NaNs that signal
        every = every[~np.isnan(every)]  # of which there are many, and one text
    again = parse_values(values_json(every, element), element, len(every))
    assert again.tobytes() == every.tobytes()
