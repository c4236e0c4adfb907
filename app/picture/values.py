"""Values of elements as colours and texts: ``static/draw/colours.js`` and ``cell-text.js``."""

import math
from decimal import ROUND_HALF_UP, Context
from typing import Final

import numpy as np

from ..engine.model.layout import Int64Array
from .colours import SHADES

Values = tuple[int | float, ...]
_THREE_DIGITS: Final = Context(prec=3, rounding=ROUND_HALF_UP)
_TWO_DIGITS: Final = Context(prec=2, rounding=ROUND_HALF_UP)


def shades_of(values: Values) -> tuple[Int64Array, tuple[float, float]]:
    """Shades from the least finite value to the greatest, and these two; 0 and 0 for none."""
    data = np.array(values, np.float64)
    finite = data[np.isfinite(data)]
    ends = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    scale = (SHADES - 1) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.0
    with np.errstate(invalid="ignore"):
        shades = np.nan_to_num(np.floor((data - ends[0]) * scale + 0.5), nan=0)
    return np.clip(shades, 0, SHADES - 1).astype(np.int64), ends


def short_number(value: float) -> str:
    """A value in at most eight characters or so; integers as they are."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' * (value < 0)}Infinity"
    if value == int(value):
        return str(int(value)) if abs(value) < 1e21 else repr(value)
    if 1e-3 <= abs(value) < 1e5:
        return f"{float(_THREE_DIGITS.create_decimal(value)):g}"
    digits, _, exponent = f"{_TWO_DIGITS.create_decimal(value):.1e}".partition("e")
    return f"{digits}e{int(exponent):+d}"
