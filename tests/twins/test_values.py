"""The digits of a value on the page: as NumPy prints it, the fewest that its type reads back."""

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app.engine.model.dtypes import ELEMENT_TYPES, ElementType
from tests.twins.node import ask_page

FLOATS = [t for t in ELEMENT_TYPES.values() if t.kind == "float"]
ASK = """async ({ data, dtype, parts }) => {
  const { valueText } = await import('/static/words/numbers.js');
  return data.map((_, at) => valueText({ data, parts, dtype, role: 'data' }, at));
}"""


def some_of(element: ElementType) -> npt.NDArray[Any]:
    """Values of a type: of every exponent and sign, powers of two, and 0.104900114."""
    if element.bits <= 8:
        found = np.arange(1 << element.bits, dtype=np.uint8).view(element.numpy())
    else:
        random = np.random.default_rng(5)
        codes = random.integers(0, 1 << element.bits, 3000, np.uint64, endpoint=False)
        held = codes.astype(f"u{element.bits // 8}").view(element.numpy())
        with np.errstate(invalid="ignore"):  # ml_dtypes' and float16's signalling NaN
            held = held[np.isfinite(held)].astype(np.float64)
        powers = 2.0 ** np.arange(-24, 24)
        with np.errstate(over="ignore"):
            found = np.concatenate([held, powers, [0.1, 0.104900114, 1e-5, 1e16]])
            found = found.astype(element.numpy())
    kept: npt.NDArray[Any] = found[np.isfinite(found)]
    return kept


def digits_of(text: str) -> int:
    return len(re.sub(r"e.*|[-.]", "", text).strip("0"))


@pytest.mark.parametrize("element", FLOATS, ids=lambda t: t.name)
def test_a_value_has_the_fewest_digits_that_are_it(element: ElementType) -> None:
    values, make = some_of(element), element.numpy().type
    asked = {"data": values.astype(np.float64).tolist(), "dtype": element.name}
    for value, shown in zip(values, ask_page(ASK, asked), strict=True):
        assert make(float(shown)) == value
        if element.extended:  # ml_dtypes prints six digits
            tried = (f"{float(value):.{digits}e}" for digits in range(9))
            assert digits_of(shown) <= digits_of(next(x for x in tried if make(float(x)) == value))
        else:
            assert float(shown) == float(str(value))


def test_values_are_shown_as_numpy_prints_them() -> None:
    values = [0.104900114, 1e-5, 3e16, -0.25, 5, -0.0, 623573888, 16777216]
    shown = "0.104900114 1e-05 3e+16 -0.25 5 -0 6.235739e+8 16777216"
    asked = {"data": np.array(values, np.float32).astype(np.float64).tolist(), "dtype": "float32"}
    assert ask_page(ASK, asked) == shown.replace("e+8", "e+08").split()


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_a_complex_value_is_written_as_numpy_does(name: str) -> None:
    values = np.array([0.1 + 2j, -3 - 0.104900114j, 1e-5 + 1e20j, -0.0 - 0.0j], name)
    parts = [values.real.astype(float).tolist(), values.imag.astype(float).tolist()]
    asked = {"data": np.abs(values).tolist(), "dtype": name, "parts": parts}
    assert ask_page(ASK, asked) == [str(value).strip("()") for value in values]
