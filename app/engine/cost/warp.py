"""What one access of a warp costs on a GPU: sectors of global memory, passes of shared memory.

Sources: NVIDIA's Best Practices Guide (sectors of 32 bytes) and the usual model of banks: a request
of up to 4 bytes a lane is one phase, of 8 bytes two halves of the warp, of 16 bytes four quarters;
each phase takes as many passes as the bank with the most different words has words. The same word
is read once for all lanes.
"""

from dataclasses import dataclass

from ..model.dtypes import ElementType
from ..model.layout import Int64Array, Layout
from .lanes import Phase, Warp, WarpCounter


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
    shared = warp.space == "shared"
    return WarpCost(
        tuple(lanes),
        one.sectors,
        one.ideal_sectors,
        one.passes,
        one.ideal_passes,
        one.conflicts,
        count.phases(addresses[None, :]).of_first() if shared else (),
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
