"""How a transpose moves units in registers: which loops are rows and columns, and what is done.

The compiled backend chooses its kernel by it, and a schedule says it of each move, so that what is
shown is what runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .ranges import Loop

MOST_ROWS: Final = 1024
REGISTER_BITS: Final = 128
INTERLEAVED: Final = (2, 3, 4, 8, 16)
_UNITS: Final = (2, 4, 8, 16)  # units in a register


@dataclass(frozen=True, slots=True)
class Registers:
    """What a transpose does with its units, of which a register of 16 bytes holds several.

    ``way``: ``transpose`` makes columns of rows, ``interleave`` one run of a few rows, ``separate``
    a few rows of one run. ``along``: index of the loop that is contiguous in the source. ``chain``:
    indices of the loops that together are contiguous in the target, innermost first. ``rows``:
    their steps, the rows of the transpose.
    """

    way: Literal["transpose", "interleave", "separate"]
    along: int
    chain: tuple[int, ...]
    rows: int


def registers_of(loops: Sequence[Loop], unit_bits: int, *, partial: bool = False) -> Registers:
    """Return how a transpose with these loops moves its units, of at least 8 bits.

    ``partial``: whether its last row is a partial one; then only the innermost loop is in rows.
    """
    every = range(len(loops))
    contiguous = (k for k in every if loops[k].source_stride == 1)
    along = max(contiguous, key=lambda k: loops[k].extent)
    chain: list[int] = []
    count = 1
    while count < MOST_ROWS and not (partial and chain):
        others = (k for k in every if k != along and k not in chain)
        found = next((k for k in others if loops[k].target_stride == count), None)
        if found is None:
            break
        chain.append(found)
        count *= loops[found].steps
    rows, inner, lanes = loops[along], loops[chain[0]], REGISTER_BITS // unit_bits
    apart = inner.source_stride
    way: Literal["transpose", "interleave", "separate"] = "transpose"
    if not partial and rows.extent <= apart <= lanes and apart in INTERLEAVED and not inner.fill:
        way = "separate"
    elif not partial and count in INTERLEAVED and count <= lanes and rows.target_stride == count:
        way = "interleave"
    return Registers(way, along, tuple(chain), count)


def shown(loops: Sequence[Loop], unit_bits: int) -> Registers | None:
    """Return the same for a schedule; None for units of 16 bytes and of half a byte."""
    return registers_of(loops, unit_bits) if REGISTER_BITS // unit_bits in _UNITS else None
