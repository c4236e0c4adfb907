"""The colours of elements: ``static/core/palette.js`` and ``static/draw/colours.js``, in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ..engine.model.digits import Digit
from ..engine.model.layout import Int64Array, Layout

Rgb = tuple[int, int, int]

CATEGORIES: Final = 8
SHADES: Final = 256
_OKABE_ITO: Final = ("0072b2", "e69f00", "009e73", "cc79a7", "56b4e9", "d55e00", "f0e442")
_VIRIDIS: Final = (
    *("440154", "48186a", "472d7b", "424086", "3b528b", "33638d", "2c728e", "26828e", "21918c"),
    *("1fa088", "28ae80", "3fbc73", "5ec962", "84d44b", "addc30", "d8e219", "fde725"),
)
_LIGHTEST, _PALER, _DARKEST = 0.22, 0.06, 0.08
_LEAST_CONTRAST: Final = 3
_TOP_SHADE: Final = SHADES - 1e-3
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of ``static/css/1-tokens.css`` that a fill is seen beside."""

    background: str
    text: str
    grey: str  # the eighth category


LIGHT: Final = Theme("ffffff", "15171a", "444444")
DARK: Final = Theme("0e1012", "eceeef", "dddddd")


@dataclass(frozen=True, slots=True)
class Paint:
    """One colour of the palette under one theme; ``outline``: if the cell needs one."""

    fill: Rgb
    ink: Rgb
    outline: Rgb | None


@dataclass(frozen=True, slots=True)
class Scheme:
    """How coordinates become a place in the palette; ``hue``, ``light``: a weight per dimension."""

    viridis: bool
    hue: tuple[int, ...]
    light: tuple[float, ...]

    def entry(self, coordinate: tuple[int, ...]) -> int:
        """The place of an element: its category times ``SHADES`` and its shade."""
        hue = sum(w * i for w, i in zip(self.hue, coordinate, strict=True))
        light = sum(w * i for w, i in zip(self.light, coordinate, strict=True))
        return hue % CATEGORIES * SHADES + int(light)

    def paint(self, entry: int, theme: Theme) -> Paint:
        """The colours of a place."""
        row, shade = divmod(entry, SHADES)
        fill = _along(self._stops(row, theme), shade / (SHADES - 1))
        # The page rounds before it looks for an outline.
        rounded: Rgb = tuple((part & 0xF0) | 8 for part in fill)  # type: ignore[assignment]
        edge = _outline(rounded, parse(theme.background), parse(theme.text))
        return Paint(fill, _ink(fill), None if edge == rounded else edge)

    def _stops(self, row: int, theme: Theme) -> tuple[Rgb, ...]:
        if self.viridis:
            return tuple(map(parse, _VIRIDIS))
        colour = parse(_OKABE_ITO[row] if row < len(_OKABE_ITO) else theme.grey)
        # No ink changes inside a category.
        if _ink(colour) == _WHITE:
            return (_mix(colour, _WHITE, _PALER), _mix(colour, _BLACK, _DARKEST))
        return (_mix(colour, _WHITE, _LIGHTEST), colour)


def scheme_of(layout: Layout) -> Scheme:
    """The colours that the page chooses by itself: by channel, darker along the plane."""
    shape, rank = layout.shape, layout.rank
    channel = channel_of(layout)
    weights = _row_major(shape)
    if channel < 0:
        least = max(1, layout.elements)
        light = tuple(weight * _TOP_SHADE / least for weight in weights)
        return Scheme(viridis=True, hue=(0,) * rank, light=light)
    skipped = 1 if rank >= 4 else 0
    last = channel == rank - 1
    inside = [d >= skipped and d != channel if last else d > channel for d in range(rank)]
    plane = [extent if within else 1 for extent, within in zip(shape, inside, strict=True)]
    places = max(1, math.prod(plane))
    light = tuple(
        weight * _TOP_SHADE / places if within else 0
        for weight, within in zip(_row_major(plane), inside, strict=True)
    )
    return Scheme(viridis=False, hue=tuple(int(d == channel) for d in range(rank)), light=light)


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


def parse(colour: str) -> Rgb:
    """Red, green and blue of six hexadecimal digits."""
    return (int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16))


def _ink(fill: Rgb) -> Rgb:
    return _BLACK if _contrast(fill, _BLACK) >= _contrast(fill, _WHITE) else _WHITE


def _mix(start: Rgb, end: Rgb, share: float) -> Rgb:
    red, green, blue = (
        math.floor(a + (b - a) * share + 0.5) for a, b in zip(start, end, strict=True)
    )
    return (red, green, blue)


def _along(stops: tuple[Rgb, ...], share: float) -> Rgb:
    place = min(share, 1) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    return _mix(stops[first], stops[first + 1], place - first)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: Rgb, other: Rgb) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _outline(fill: Rgb, back: Rgb, text: Rgb) -> Rgb:
    for step in range(20):
        colour = _mix(fill, text, step * 0.05)
        if _contrast(colour, back) >= _LEAST_CONTRAST:
            return colour
    return text


def _row_major(shape: tuple[int, ...] | list[int]) -> list[int]:
    return [math.prod(shape[d + 1 :]) for d in range(len(shape))]


def first_owners(addresses: Int64Array) -> tuple[Int64Array, Int64Array]:
    """For each element: the first one at its address, and the place among all first ones."""
    _, first, inverse = np.unique(addresses.ravel(), return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return first[inverse], place[inverse]
