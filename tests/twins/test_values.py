"""The digits of a value on the page: as NumPy prints it, the fewest that its type reads back."""

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.model.dtypes import ELEMENT_TYPES, ElementType
from tests.twins.node import ask_page

FLOATS = [t for t in ELEMENT_TYPES.values() if t.kind == "float"]
ASK = """async (tensors) => {
  const { valueText } = await import('/static/words/numbers.js');
  return tensors.map(({ data, dtype, parts }) =>
    data.map((_, at) => valueText({ data, parts, dtype, role: 'data' }, at)));
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


def test_a_value_has_the_fewest_digits_that_are_it() -> None:
    every = [some_of(element) for element in FLOATS]
    asked = [
        {"data": values.astype(np.float64).tolist(), "dtype": element.name}
        for element, values in zip(FLOATS, every, strict=True)
    ]
    for element, values, texts in zip(FLOATS, every, ask_page(ASK, asked), strict=True):
        make = element.numpy().type
        for value, shown in zip(values, texts, strict=True):
            assert make(float(shown)) == value, element.name
            if element.extended:  # ml_dtypes prints six digits
                tried = (f"{float(value):.{digits}e}" for digits in range(9))
                least = next(text for text in tried if make(float(text)) == value)
                assert digits_of(shown) <= digits_of(least), element.name
            else:
                assert float(shown) == float(str(value)), element.name


def test_values_are_shown_as_numpy_prints_them() -> None:
    values = [0.104900114, 1e-5, 3e16, -0.25, 5, -0.0, 623573888, 16777216]
    texts = "0.104900114 1e-05 3e+16 -0.25 5 -0 6.235739e+08 16777216"
    asked = [{"data": np.array(values, np.float32).astype(float).tolist(), "dtype": "float32"}]
    expected = [texts.split()]
    for name in ("complex64", "complex128"):
        several = np.array([0.1 + 2j, -3 - 0.104900114j, 1e-5 + 1e20j, -0.0 - 0.0j], name)
        parts: Any = [several.real.astype(float).tolist(), several.imag.astype(float).tolist()]
        asked.append({"data": np.abs(several).tolist(), "dtype": name, "parts": parts})
        expected.append([str(value).strip("()") for value in several])
    assert ask_page(ASK, asked) == expected
