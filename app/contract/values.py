"""Converts element values between JSON and NumPy.

int4 is one JSON integer per element. Floats are rounded to nearest even by NumPy and
ml_dtypes; a finite number that becomes infinite is refused. NaN, Infinity and -Infinity are
strings in requests and in answers, and so are complex numbers: 1+2j, with the digits that NumPy
prints; a request may also give a number. bool is true or false; a request may also give 0 or 1.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.model.dtypes import ElementType
from ..engine.model.errors import LayoutError, integer_range, phrase, refusal

_NON_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_NUMBERS = {int, float, str}
_BEYOND_FLOAT64 = 2**1024 - 2**970  # the least integer that rounds to infinity


def parse_values(values: Sequence[Any], dtype: ElementType, expected: int) -> npt.NDArray[Any]:
    """Return an array of shape (len(values),) and type ``dtype.numpy()``, not packed.

    Errors: LayoutError naming ``values``, with the index of the first wrong value.
    """
    if len(values) != expected:
        raise LayoutError("values", values, phrase("values.buffer", n=expected))
    parse = {"float": _parse_float, "complex": _parse_complex}.get(dtype.kind, _parse_whole)
    return parse(values, dtype)


def _parse_whole(values: Sequence[Any], dtype: ElementType) -> npt.NDArray[Any]:
    least, greatest = dtype.limits()
    allowed = {int, bool} if dtype.kind == "bool" else {int}
    if not set(map(type, values)) <= allowed or (
        values and not least <= min(values) <= max(values) <= greatest
    ):
        at = next(
            i for i, v in enumerate(values) if type(v) not in allowed or not least <= v <= greatest
        )
        flag = phrase("boolean")
        what = flag if dtype.kind == "bool" else integer_range(least, greatest)
        raise LayoutError(f"values[{at}]", values[at], what)
    holder = np.uint64 if greatest > np.iinfo(np.int64).max else np.int64
    return np.array(values, dtype=holder).astype(dtype.numpy())


def _parse_float(values: Sequence[Any], dtype: ElementType) -> npt.NDArray[Any]:
    if not set(map(type, values)) <= {int, float}:
        odd = ((i, v) for i, v in enumerate(values) if type(v) not in {int, float})
        at = next((i for i, v in odd if not (isinstance(v, str) and v in _NON_FINITE)), None)
        if at is not None:
            raise LayoutError(f"values[{at}]", values[at], phrase("number.or_named"))
    named = [_NON_FINITE[v] if isinstance(v, str) else v for v in values]
    try:
        wide = np.array(named, dtype=np.float64)
    except OverflowError:
        at = next(
            i for i, v in enumerate(named) if isinstance(v, int) and abs(v) >= _BEYOND_FLOAT64
        )
        raise LayoutError(f"values[{at}]", values[at], phrase("number.float64")) from None
    with np.errstate(over="ignore"):
        narrow = (_to_odd(wide) if dtype.bits < 32 else wide).astype(dtype.numpy())
    lost = np.isfinite(wide) & ~np.isfinite(narrow)
    if "infinity" not in dtype.non_finite:
        lost |= np.isinf(wide)
    if "nan" not in dtype.non_finite:
        # ml_dtypes converts a number that is too large to the greatest one, and NaN to zero.
        lost |= np.isnan(wide) | (np.abs(wide) >= dtype.overflows_from())
    _check_held(lost, dtype)
    return narrow


def _parse_complex(values: Sequence[Any], dtype: ElementType) -> npt.NDArray[Any]:
    found = np.zeros(len(values), np.complex128)
    for at, value in enumerate(values):
        try:
            if type(value) not in _NUMBERS:
                raise TypeError
            found[at] = complex(_NON_FINITE.get(value, value))
            if np.isinf(found[at]) and "inf" not in str(value).lower():
                raise OverflowError  # of text, as 1e999
        except (TypeError, ValueError, OverflowError):
            raise LayoutError(f"values[{at}]", value, phrase("number.complex")) from None
    with np.errstate(over="ignore"):
        narrow = found.astype(dtype.numpy())
    _check_held(np.isfinite(found) & ~np.isfinite(narrow), dtype)
    return narrow


def _check_held(lost: npt.NDArray[np.bool_], dtype: ElementType) -> None:
    """Raise for the first value that ``lost`` marks."""
    if lost.any():
        at = int(lost.argmax())
        raise refusal(f"values[{at}]", f"a number that {dtype.name} cannot hold", "number.fits")


def _to_odd(wide: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return float32 rounded to odd, which makes a later rounding to at most 22 bits correct.

    ml_dtypes converts through float32. Rounding to nearest there would lose on which side of a
    tie a value is. Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums".
    """
    near = wide.astype(np.float32)
    back = near.astype(np.float64)
    toward_zero = np.where(np.abs(back) > np.abs(wide), np.nextafter(near, np.float32(0)), near)
    inexact = np.isfinite(wide) & (back != wide)
    bits = toward_zero.astype(np.float32).view(np.uint32)
    return np.where(inexact, bits | np.uint32(1), near.view(np.uint32)).view(np.float32)


def values_json(values: npt.NDArray[Any], dtype: ElementType) -> list[Any]:
    """Return the JSON values of a one-dimensional array; complex and non-finite ones are text."""
    if dtype.kind == "complex":
        return [str(value).strip("()") for value in values]
    if dtype.kind != "float":
        holder = np.uint64 if dtype.name == "uint64" else np.int64
        plain: list[Any] = (values if dtype.kind == "bool" else values.astype(holder)).tolist()
        return plain
    wide = values.astype(np.float64)
    listed: list[Any] = wide.tolist()
    for at in np.flatnonzero(~np.isfinite(wide)).tolist():
        value = listed[at]
        listed[at] = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124  # only NaN differs from itself
    return listed
