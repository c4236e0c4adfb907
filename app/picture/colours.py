"""Colours of elements, and values as colours and texts.

As ``static/core/palette.js``, ``static/draw/colours.js`` and ``cell-text.js``, in Python.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ..engine.model.digits import Digit
from ..engine.model.layout import Int64Array, Layout

Scale = Literal["categories", "flat", "viridis"]
Values = tuple[int | float, ...]

CATEGORIES: Final = 8
SHADES: Final = 256
FADED: Final = CATEGORIES * SHADES  # from there on: the same again, outside a slice
MIDDLE: Final = SHADES // 2
_OKABE_ITO: Final = ("0072b2", "e69f00", "009e73", "cc79a7", "56b4e9", "d55e00", "f0e442")
_VIRIDIS: Final = (
    *("440154", "48186a", "472d7b", "424086", "3b528b", "33638d", "2c728e", "26828e", "21918c"),
    *("1fa088", "28ae80", "3fbc73", "5ec962", "84d44b", "addc30", "d8e219", "fde725"),
)
_LIGHTEST, _PALER, _DARKEST, _FADE = 0.22, 0.06, 0.08, 0.84
_LEAST_CONTRAST: Final = 3
_THREE_DIGITS: Final = Context(prec=3, rounding=ROUND_HALF_UP)
_TWO_DIGITS: Final = Context(prec=2, rounding=ROUND_HALF_UP)
VACANT: Final = {"hatch": 0.16, "cross": 0.35}  # of the hatch's colour
_TOP_SHADE: Final = SHADES - 1e-3
_MOST_FLAT_EXTENT: Final = 8
_WORD: Final = np.array((65536, 256, 1))
_WHITE, _BLACK = np.array((255, 255, 255)), np.array((0, 0, 0))


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of ``static/css/1-tokens.css`` that are seen beside a fill."""

    background: str
    text: str
    grey: str  # the eighth category
    muted: str
    line: str
    hatch: str
    select: str


LIGHT: Final = Theme("ffffff", "15171a", "444444", "54585d", "dfdfd9", "81858b", "15171a")
DARK: Final = Theme("0e1012", "eceeef", "dddddd", "a5abb1", "2a2f34", "6d747c", "ffffff")
PRINT: Final = Theme("ffffff", "000000", "444444", "333333", "999999", "666666", "000000")
THEMES: Final = {"light": LIGHT, "dark": DARK, "print": PRINT}


@dataclass(frozen=True, slots=True)
class Palette:
    """Every colour of a scale under a theme, by its place: words 0xrrggbb, (2·FADED,) each.

    ``outlines``: -1 where a cell needs none.
    """

    fills: Int64Array
    inks: Int64Array
    outlines: Int64Array


@dataclass(frozen=True, slots=True)
class Scheme:
    """How coordinates become a place in the palette; ``light``: a weight per dimension.

    ``dim``: whose index decides the category, or the shade; -1 for none. ``ends``: what the ends of
    a scale from low to high stand for, None for one of categories.
    """

    scale: Scale
    dim: int
    light: tuple[float, ...]
    ends: tuple[int, int] | None = None

    def entries(self, coordinates: Int64Array) -> Int64Array:
        """The places of elements: (n, rank) to (n,), category times ``SHADES`` plus shade."""
        light = np.zeros(len(coordinates))
        for d, weight in enumerate(self.light):
            if weight:
                light += weight * coordinates[:, d]
        shade = light.astype(np.int64)
        if self.ends is not None:
            return shade
        return coordinates[:, self.dim] % CATEGORIES * SHADES + shade


def scheme_of(layout: Layout, colour: str = "auto", like: Layout | None = None) -> Scheme:
    """How the page colours elements.

    ``colour``: ``auto``, by channel, darker along the plane; ``linear``, by place in row-major
    order; or the name of a dimension. ``like``: whose channels count, where A and B are compared.
    """
    shape, rank = layout.shape, layout.rank
    if colour in layout.dims:
        named = layout.dims.index(colour)
        size = shape[named]
        if size <= _MOST_FLAT_EXTENT:
            return Scheme("flat", named, (0,) * rank)
        light = tuple((d == named) * _TOP_SHADE / size for d in range(rank))
        return Scheme("viridis", named, light, (0, size - 1))
    channel = channel_of(like if like is not None and like.rank == rank else layout)
    if colour == "linear" or channel < 0:
        return Scheme("viridis", -1, _weights(shape), (0, max(0, layout.elements - 1)))
    skipped = 1 if rank >= 4 else 0
    last = channel == rank - 1
    inside = [d >= skipped and d != channel if last else d > channel for d in range(rank)]
    plane = [extent if within else 1 for extent, within in zip(shape, inside, strict=True)]
    light = tuple(w * within for w, within in zip(_weights(plane), inside, strict=True))
    return Scheme("categories", channel, light)


def _weights(shape: Sequence[int]) -> tuple[float, ...]:
    """Of each dimension, so that the last element in row-major order has the top shade."""
    elements = max(1, math.prod(shape))
    return tuple(math.prod(shape[d + 1 :]) * _TOP_SHADE / elements for d in range(len(shape)))


def channel_of(layout: Layout) -> int:
    """The dimension that decides the category: the blocked one, else C, else the second; or -1."""
    shape, rank, dims = layout.shape, layout.rank, layout.dims
    large = [d for d in range(rank) if shape[d] > 1]
    if len(large) < 2:
        return -1
    tiled = _is_blocked(layout.digits[-1])
    outer = [d for d in large if d < (rank - 2 if tiled else max(2, rank - 2))]
    blocked = [d for d in (large if rank == 2 else outer) if _is_blocked(layout.digits[d])]
    if rank == 2:
        return blocked[0] if len(blocked) == 1 else 0
    if blocked:
        return blocked[-1]
    alphabet = all(name.lower() == chr(97 + d) for d, name in enumerate(dims))
    named = -1 if alphabet else next((d for d in range(rank) if dims[d].upper() == "C"), -1)
    if named >= 0 and shape[named] > 1:
        return named
    if shape[1] > 1:
        return 1
    return large[0] if len(large) == 2 else large[-3]


def _is_blocked(digits: tuple[Digit, ...]) -> bool:
    large = [g for g in digits if g.extent > 1]
    return any(a.stride != b.stride * b.extent for a, b in pairwise(large))


def hexadecimal(word: int) -> str:
    """A colour as ``#rrggbb``."""
    return f"#{word:06x}"


def vacant_colour(theme: Theme, mark: str) -> int:
    """The colour below the mark of padding, ``hatch``, or of what is not decided, ``cross``."""
    return int(_mix(_rgb(theme.background), _rgb(theme.hatch), VACANT[mark]) @ _WORD)


def mean(images: Sequence[Int64Array]) -> Int64Array:
    """The mean colours of images of one shape, each part rounded down."""
    found = np.zeros_like(images[0])
    for shift in (16, 8, 0):
        found |= sum(image >> shift & 0xFF for image in images) // len(images) << shift
    return found


@lru_cache(maxsize=16)
def palette(scale: Scale, theme: Theme) -> Palette:
    """The colours of a scale under a theme."""
    back, text = _rgb(theme.background), _rgb(theme.text)
    shares = np.arange(SHADES) / (SHADES - 1)
    rows = [_along(_stops(scale, row, theme), shares) for row in range(CATEGORIES)]
    bright = np.concatenate(rows)
    fills = np.concatenate([bright, _mix(bright, back, _FADE)])
    dark = _contrast(fills, _BLACK) >= _contrast(fills, _WHITE)
    inks = np.where(dark[:, None], _BLACK, _WHITE)
    rounded = (fills & 0xF0) | 8  # as the page does before it looks for an outline
    # The nearest colour on the way to the text's that stands out from the ground.
    outlines = np.broadcast_to(text, rounded.shape)
    for step in range(19, -1, -1):
        colours = _mix(rounded, text, step * 0.05)
        stands = _contrast(colours, back) >= _LEAST_CONTRAST
        outlines = np.where(stands[:, None], colours, outlines)
    needless = (outlines == rounded).all(axis=1) | (np.arange(len(fills)) >= FADED)
    return Palette(fills @ _WORD, inks @ _WORD, np.where(needless, -1, outlines @ _WORD))


def _stops(scale: Scale, row: int, theme: Theme) -> Int64Array:
    if scale == "viridis":
        return np.array(list(map(_rgb, _VIRIDIS)))
    colour = _rgb((*_OKABE_ITO, theme.grey)[row])
    if scale == "flat":
        return np.array([colour, colour])
    # No ink changes inside a category.
    if _contrast(colour, _WHITE) > _contrast(colour, _BLACK):
        return np.array([_mix(colour, _WHITE, _PALER), _mix(colour, _BLACK, _DARKEST)])
    return np.array([_mix(colour, _WHITE, _LIGHTEST), colour])


def _rgb(colour: str) -> Int64Array:
    """Red, green and blue of six hexadecimal digits."""
    return np.array([int(colour[at : at + 2], 16) for at in (0, 2, 4)])


def _mix(start: Int64Array, end: Int64Array, share: float | npt.NDArray[np.float64]) -> Int64Array:
    return np.floor(start + (end - start) * share + 0.5).astype(np.int64)


def _along(stops: Int64Array, shares: npt.NDArray[np.float64]) -> Int64Array:
    place = np.minimum(shares, 1) * (len(stops) - 1)
    first = np.minimum(place.astype(np.int64), len(stops) - 2)
    return _mix(stops[first], stops[first + 1], (place - first)[:, None])


def _luminance(colours: Int64Array) -> npt.NDArray[np.float64]:
    share = colours / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear[..., 0] + 0.7152 * linear[..., 1] + 0.0722 * linear[..., 2]


def _contrast(ones: Int64Array, other: Int64Array) -> npt.NDArray[np.float64]:
    one, two = _luminance(ones), _luminance(other)
    return (np.maximum(one, two) + 0.05) / (np.minimum(one, two) + 0.05)


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
