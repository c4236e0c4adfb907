"""What a walk and a warp cost, visited access by access: plain, slow, and without the engine."""

import itertools
import math
import statistics
from collections.abc import Iterator, Sequence

from app.engine.model.layout import Layout
from tests.engine.strategies import Coordinate, address

Order = Sequence[tuple[int, int | None]]


def visits(layout: Layout, order: Order) -> Iterator[Coordinate]:
    """Coordinates in the order of nested loops; (d, x) loops over a block of x of dimension d."""
    steps = []
    for at, (d, block) in enumerate(order):
        inside = [x for e, x in order[at + 1 :] if e == d and x]
        if block is None:
            inside = [x for e, x in order if e == d and x]
            steps.append((d, math.prod(inside), -(-layout.shape[d] // math.prod(inside))))
        else:
            steps.append((d, math.prod(inside), block))
    for digits in itertools.product(*(range(n) for _, _, n in steps)):
        found = [0] * layout.rank
        for (d, place, _), digit in zip(steps, digits, strict=True):
            found[d] += place * digit
        if all(i < n for i, n in zip(found, layout.shape, strict=True)):
            yield tuple(found)


def lines_of(addresses: Sequence[int], bits: int, line_bytes: int) -> list[int]:
    """The lines that each access touches, one after the other."""
    found: list[int] = []
    for at in addresses:
        first, last = at * bits // 8 // line_bytes, ((at + 1) * bits - 1) // 8 // line_bytes
        found += range(first, last + 1)
    return found


def changes(lines: Sequence[int]) -> int:
    """The first access, and each that is in another line than the one before."""
    return sum(1 for i, line in enumerate(lines) if i == 0 or line != lines[i - 1])


def misses(lines: Sequence[int], entries: int, ways: int) -> int:
    """The misses of a cache whose sets keep the most recently used lines."""
    sets: dict[int, list[int]] = {}
    missed = 0
    for line in lines:
        held = sets.setdefault(line % (entries // ways), [])
        if line in held:
            held.remove(line)
        else:
            missed += 1
        held.append(line)
        del held[:-ways]
    return missed


def cost(
    layout: Layout,
    bits: int,
    order: Order,
    line_bytes: int,
    page_bytes: int,
    cache: tuple[int, int] | None,
) -> dict[str, object]:
    """The answer of /cost to a walk."""
    at = [address(layout, c) for c in visits(layout, order)]
    lines, pages = lines_of(at, bits, line_bytes), lines_of(at, bits, page_bytes)
    fetched = misses(lines, *cache) if cache else changes(lines)
    jumps = [abs(b - a) for a, b in itertools.pairwise(at)]
    return {
        "accesses": len(at),
        "lines": {
            "distinct": len(set(lines)),
            "fetched": fetched,
            "useful_bytes": -(-len(set(at)) * bits // 8),
            "fetched_bytes": fetched * line_bytes,
        },
        "pages": {"distinct": len(set(pages)), "fetched": changes(pages)},
        "jumps": {
            "smallest": min(jumps, default=None),
            "median": statistics.median(jumps) if jumps else None,
            "largest": max(jumps, default=None),
        },
    }


def lane_coordinates(
    layout: Layout, along: Sequence[int], at: Coordinate, lanes: int, vector: int
) -> list[Coordinate | None]:
    """Where each lane starts: a count over ``along``, innermost first, from ``at``."""
    whole = next(
        (d for d in (*along, *range(layout.rank)) if vector > 1 and _steps_by_one(layout, d)), None
    )
    places = []
    for d in reversed(along):
        step = vector if d == whole else 1
        places.append([(d, i) for i in range(layout.shape[d]) if i % step == at[d] % step])
    every = [dict(each) for each in itertools.product(*places)]
    first = every.index({d: at[d] for d in along})
    found: list[Coordinate | None] = []
    for lane in range(lanes):
        if first + lane < len(every):
            here = every[first + lane]
            found.append(tuple(here.get(d, at[d]) for d in range(layout.rank)))
        else:
            found.append(None)
    return found


def _steps_by_one(layout: Layout, d: int) -> bool:
    """Whether the first two indices of dimension d are neighbours in memory, before a swizzle."""
    if layout.shape[d] < 2:
        return False
    inner = next(g for g in reversed(layout.digits[d]) if g.extent > 1)
    return inner.stride == 1


def sectors(at: Sequence[int | None], bits: int, vector: int, sector_bytes: int) -> tuple[int, int]:
    """Different sectors, and the least that hold as many bytes."""
    used = {byte for a in at if a is not None for byte in _bytes(a, bits, vector)}
    return len({byte // sector_bytes for byte in used}), -(-len(used) // sector_bytes)


def passes(
    at: Sequence[int | None], bits: int, vector: int, banks: int, bank_bytes: int
) -> list[tuple[int, int]]:
    """(passes, ideal passes) of each phase."""
    lane_bytes = -(-vector * bits // 8)
    each = -(-len(at) // (1 if lane_bytes <= 4 else 2 if lane_bytes <= 8 else 4))
    found = []
    for first in range(0, len(at), each):
        words = {
            byte // bank_bytes
            for a in at[first : first + each]
            if a is not None
            for byte in _bytes(a, bits, vector)
        }
        in_bank = [sum(word % banks == bank for word in words) for bank in range(banks)]
        found.append((max(in_bank), -(-len(words) // banks)))
    return found


def _bytes(address: int, bits: int, vector: int) -> range:
    return range(address * bits // 8, ((address + vector) * bits - 1) // 8 + 1)
