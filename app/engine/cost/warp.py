"""What one access of a warp costs on a GPU: sectors of global memory, passes of shared memory.

Sources: NVIDIA's Best Practices Guide (sectors of 32 bytes) and the usual model of banks: a request
of up to 4 bytes a lane is one phase, of 8 bytes two halves of the warp, of 16 bytes four quarters;
each phase takes as many passes as the bank with the most different words has words. The same word
is read once for all lanes.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..model.dtypes import ElementType
from ..model.errors import LayoutError, phrase
from ..model.layout import INT64_MAX, Int64Array, Layout

MOST_LANES = 1024
MOST_LANE_BYTES = 16
_COUNTED_BYTES = 1 << 20  # of a tensor whose warps are all counted

Space = Literal["global", "shared"]


@dataclass(frozen=True, slots=True)
class Warp:
    """How a warp accesses a tensor.

    Lane i has position i of a count over the dimensions ``along``, innermost first, starting at
    coordinate ``at``; the other indices are those of ``at``. Each lane accesses ``vector``
    elements, contiguous in memory. The dimension whose neighbours are neighbours in memory is
    counted in vectors.
    """

    along: tuple[int, ...]
    at: tuple[int, ...]
    lanes: int = 32
    vector: int = 1
    space: Space = "global"
    sector_bytes: int = 32
    banks: int = 32
    bank_bytes: int = 4


@dataclass(frozen=True, slots=True)
class Phase:
    """Lanes that are served together: ``words`` different words, at most ``passes`` in one bank."""

    first_lane: int
    lanes: int
    words: int
    passes: int


@dataclass(frozen=True, slots=True)
class Phases:
    """Per warp and phase: different words, passes, and passes without conflicts."""

    lanes: tuple[tuple[int, int], ...]  # the first lane of each phase, and how many
    words: Int64Array
    passes: Int64Array
    ideal: Int64Array


class WarpCounter:
    """Counts the accesses of warps; addresses are in elements, -1 for inactive lanes."""

    def __init__(self, layout: Layout, dtype: ElementType, warp: Warp) -> None:
        self.layout = layout
        self.dtype = dtype
        self.warp = warp
        self.lane_bytes = dtype.size_bytes(warp.vector)
        if self.lane_bytes > MOST_LANE_BYTES:
            most = MOST_LANE_BYTES * 8 // dtype.bits
            raise LayoutError("warp.vector", warp.vector, phrase("warp.vector", most=most))
        # The dimension whose neighbours are neighbours in memory: of those along, if one is.
        dims = (*warp.along, *range(layout.rank)) if warp.vector > 1 else ()
        inner = ((d, layout.reachable_digits(d)[-1:]) for d in dims)
        self.vector_dim = next((d for d, g in inner if g and g[0].stride == 1), None)

    def step(self, d: int) -> int:
        """Indices of dimension ``d`` from one position to the next."""
        return self.warp.vector if d == self.vector_dim else 1

    def coordinates(self) -> tuple[Int64Array, npt.NDArray[np.bool_]]:
        """The first coordinate of each lane, (lanes, rank), and whether the lane is active."""
        found = np.tile(np.array(self.warp.at, dtype=np.int64), (self.warp.lanes, 1))
        start, place, radices = 0, 1, []
        for d in self.warp.along:
            step = self.step(d)
            first = self.warp.at[d] % step
            radix = max(-(-(self.layout.shape[d] - first) // step), 0)
            start += self.warp.at[d] // step * place
            place *= radix
            radices.append((d, step, first, radix))
        rest = np.arange(self.warp.lanes) + min(start, INT64_MAX - MOST_LANES)
        active = rest < place
        for d, step, first, radix in radices:
            rest, digit = np.divmod(rest, max(radix, 1))
            found[:, d] = digit * step + first
        return found, active

    def addresses(
        self, coordinates: Int64Array, active: npt.NDArray[np.bool_] | None = None
    ) -> Int64Array:
        """Addresses of coordinates, -1 for those of inactive lanes or outside the shape."""
        layout = self.layout
        if 0 in layout.shape:
            return np.full(len(coordinates), -1, dtype=np.int64)
        found = np.full(len(coordinates), layout.offset, dtype=np.int64)
        inside = np.ones(len(coordinates), dtype=np.bool_) if active is None else active
        for d, size in enumerate(layout.shape):
            index = coordinates[:, d]
            inside = inside & (index >= 0) & (index < size)
            found += layout.dim_offsets(d, index)
        if layout.swizzle:
            found = layout.swizzle(found)
        return np.where(inside, found, -1)

    def aligned(self, addresses: Int64Array) -> bool:
        """Whether every lane starts at a multiple of its size."""
        return not bool((addresses[addresses >= 0] % self.warp.vector).any())

    def contiguous(self, coordinates: Int64Array, addresses: Int64Array) -> bool:
        """Whether the elements of each lane are neighbours of the tensor along ``vector_dim``."""
        if self.warp.vector == 1:
            return True
        if self.vector_dim is None:
            return False
        active = addresses >= 0
        for further in range(1, self.warp.vector):
            next_to = coordinates[active]
            next_to[:, self.vector_dim] += further
            found = self.addresses(next_to)
            if (found[found >= 0] != (addresses[active] + further)[found >= 0]).any():
                return False
        return True

    def _spread(self, addresses: Int64Array, unit_bytes: int) -> Int64Array:
        """Units of bytes that each lane touches: one more axis, -1 for inactive lanes."""
        bits = self.dtype.bits
        first = addresses * bits // 8 // unit_bytes
        last = ((addresses + self.warp.vector) * bits - 1) // 8 // unit_bytes
        more = np.arange((self.lane_bytes + unit_bytes - 1) // unit_bytes + 1)
        touched = np.minimum(first[..., None] + more, last[..., None])
        return np.where(addresses[..., None] < 0, -1, touched)

    def sectors(self, addresses: Int64Array) -> Int64Array:
        """Sectors of each warp and the least that hold as many bytes: (2, warps)."""
        size = self.warp.sector_bytes
        touched = _distinct(self._spread(addresses, size)).sum(axis=1)
        used = _distinct(self._spread(addresses, 1)).sum(axis=1)
        return np.array([touched, -(-used // size)])

    def phases(self, addresses: Int64Array) -> Phases:
        """The phases of each warp; ``addresses``: (warps, lanes)."""
        warps, lanes = addresses.shape
        count = 1 if self.lane_bytes <= 4 else 2 if self.lane_bytes <= 8 else 4
        each = -(-lanes // count)
        split = [(at, min(each, lanes - at)) for at in range(0, lanes, each)]
        padded = np.full((warps, len(split) * each), -1, dtype=np.int64)
        padded[:, :lanes] = addresses
        words = self._spread(padded.reshape(-1, each), self.warp.bank_bytes)
        words = words.reshape(len(words), -1)
        words.sort(axis=1)
        new = _first_of_equal(words)
        group = np.broadcast_to(np.arange(len(words))[:, None], words.shape)[new]
        banks = self.warp.banks
        in_bank = np.bincount(group * banks + words[new] % banks, minlength=len(words) * banks)
        shape = (warps, len(split))
        different = new.sum(axis=1).reshape(shape)
        passes = in_bank.reshape(-1, banks).max(axis=1).reshape(shape)
        return Phases(tuple(split), different, passes, -(-different // banks))

    def rows(self) -> Int64Array | None:
        """Addresses of all warps that cover the tensor, (warps, lanes); None if too many."""
        layout, lanes = self.layout, self.warp.lanes
        if 0 in layout.shape or layout.elements * max(self.lane_bytes, 1) > _COUNTED_BYTES:
            return None
        tables = [layout.table(d)[:: self.step(d)] for d in range(layout.rank)]
        along = np.zeros(1, dtype=np.int64)
        for d in self.warp.along:  # innermost first
            along = np.add.outer(tables[d], along).ravel()
        others = np.full(1, layout.offset, dtype=np.int64)
        for d in range(layout.rank):
            if d not in self.warp.along:
                others = np.add.outer(others, tables[d]).ravel()
        warps = -(-len(along) // lanes)
        padded = np.full(warps * lanes, -1, dtype=np.int64)
        padded[: len(along)] = 0
        active = np.tile(padded.reshape(warps, lanes), (len(others), 1)) == 0
        padded[: len(along)] = along
        found = np.add.outer(others, padded).reshape(-1, lanes)
        return np.where(active, layout.swizzle(found) if layout.swizzle else found, -1)


def _distinct(touched: Int64Array) -> npt.NDArray[np.bool_]:
    """One mark for each different value from 0 on of a warp: (warps, values)."""
    values = touched.reshape(len(touched), -1)
    values.sort(axis=1)
    return _first_of_equal(values)


def _first_of_equal(values: Int64Array) -> npt.NDArray[np.bool_]:
    """The first of equal neighbours in each sorted row, values below 0 left out."""
    new = values >= 0
    new[:, 1:] &= values[:, 1:] != values[:, :-1]
    return new


@dataclass(frozen=True, slots=True)
class WarpLane:
    """The first element of a lane; all None for an inactive lane, one beyond the tensor.

    ``address``: in elements. ``byte``: the whole byte where it starts.
    """

    coordinate: tuple[int, ...] | None
    address: int | None
    byte: int | None


@dataclass(frozen=True, slots=True)
class AllWarps:
    """All ``warps`` that together access each element of the tensor once, and what they cost.

    The other fields are sums over these warps.
    """

    warps: int
    sectors: int | None
    ideal_sectors: int | None
    passes: int | None
    ideal_passes: int | None
    conflicts: int | None


@dataclass(frozen=True, slots=True)
class WarpCost:
    """What one access of one warp costs, counted and not measured.

    ``sectors``: None for shared memory. ``ideal_sectors``: the least that hold as many bytes.
    ``passes``: None for global memory. ``ideal_passes``: those without conflicts. ``lane_bytes``:
    bytes of a lane: up to 4 one phase, up to 8 two, up to 16 four. ``vector_dim``: the dimension of
    the vectors' elements. ``aligned``: each lane starts at a multiple of its size, as the hardware
    demands. ``contiguous``: the elements of each vector are neighbours in the tensor too. ``all``:
    the same counts of all warps over the tensor, None where it has too many elements.
    """

    lanes: tuple[WarpLane, ...]
    sectors: int | None
    ideal_sectors: int | None
    passes: int | None
    ideal_passes: int | None
    conflicts: int | None
    phases: tuple[Phase, ...]
    lane_bytes: int
    vector_dim: str | None
    aligned: bool
    contiguous: bool
    all: AllWarps | None


def warp_cost(layout: Layout, dtype: ElementType, warp: Warp) -> WarpCost:
    """Count one access of a warp, and of all warps that cover the tensor. Memory starts at byte 0.
    Errors: LayoutError naming warp.vector."""
    count = WarpCounter(layout, dtype, warp)
    coordinates, active = count.coordinates()
    addresses = count.addresses(coordinates, active)
    lanes = []
    for where, at in zip(coordinates.tolist(), addresses.tolist(), strict=True):
        here = WarpLane(tuple(where), at, dtype.byte_offset(at))
        lanes.append(here if at >= 0 else WarpLane(None, None, None))
    one = _counted(count, addresses[None, :])
    phases: tuple[Phase, ...] = ()
    if warp.space == "shared":
        found = count.phases(addresses[None, :])
        each = zip(found.lanes, found.words[0].tolist(), found.passes[0].tolist(), strict=True)
        phases = tuple(Phase(*lanes, words, passes) for lanes, words, passes in each)
    return WarpCost(
        tuple(lanes),
        one.sectors,
        one.ideal_sectors,
        one.passes,
        one.ideal_passes,
        one.conflicts,
        phases,
        count.lane_bytes,
        None if count.vector_dim is None else layout.dims[count.vector_dim],
        count.aligned(addresses),
        count.contiguous(coordinates, addresses),
        None if (rows := count.rows()) is None else _counted(count, rows),
    )


def _counted(count: WarpCounter, rows: Int64Array) -> AllWarps:
    """What warps cost whose lanes have the addresses ``rows``, (warps, lanes)."""
    if count.warp.space == "shared":
        phases = count.phases(rows)
        passes, ideal = int(phases.passes.sum()), int(phases.ideal.sum())
        return AllWarps(len(rows), None, None, passes, ideal, passes - ideal)
    sectors, least = map(int, count.sectors(rows).sum(axis=1))
    return AllWarps(len(rows), sectors, least, None, None, None)
