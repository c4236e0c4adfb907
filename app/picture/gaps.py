"""Gaps of a memory: between pixels and between blocks, as ``static/core/grid/gaps.js`` has them."""

from dataclasses import dataclass
from typing import Final

from ..engine.model.layout import Layout
from .colours import channel_of

LEAST_GAPPED: Final = 14  # no gaps between smaller cells


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap after every ``cells`` of them: a ``share`` of a cell's side, at most ``most_css``."""

    cells: int
    share: float
    most_css: int

    def wide(self, side: float) -> float:
        """Its width between cells of that side, in CSS pixels."""
        return min(self.most_css, side * self.share)


@dataclass(frozen=True, slots=True)
class Gaps:
    """After columns, and below rows."""

    columns: tuple[Gap, ...] = ()
    rows: tuple[Gap, ...] = ()


NO_GAPS: Final = Gaps()


def gaps_of(layout: Layout, row_length: int) -> Gaps:
    """The gaps of a memory in rows of so many addresses; none where rows break pixels."""
    channel = channel_of(layout)
    loops = [
        (digit.stride, dim, digit.extent)
        for dim, digits in enumerate(layout.digits)
        for digit in digits[::-1]
        if digit.extent > 1 and digit.stride
    ]
    origin = layout.offset + sum((n - 1) * stride for stride, _, n in loops if stride < 0)
    loops = sorted(((abs(s), d, n) for s, d, n in loops), reverse=True, key=lambda loop: loop[0])
    if layout.swizzle or origin or channel < 0 or len(loops) < 2:
        return NO_GAPS
    stride, dim, pixel = loops[-1]
    if stride != 1 or dim != channel or row_length % pixel:
        return NO_GAPS
    columns = [Gap(pixel, 0.12, 6)] if pixel < row_length else []
    rows = []
    block = [each for each, of, _ in loops if of == channel and each > pixel][-1:]
    for each in block:
        if each % row_length == 0:
            rows.append(Gap(each // row_length, 0.27, 8))
        elif row_length % each == 0:
            columns.append(Gap(each, 0.16, 8))
    return Gaps(tuple(columns), tuple(rows))
