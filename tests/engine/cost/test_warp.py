"""Warps: sectors and bank passes as brute force counts them, and figures that are known."""

import itertools
import math

import pytest

from app.engine import LayoutError, parse_layout
from app.engine.cost.suggest import suggest
from app.engine.cost.warp import AllWarps, Space, Warp, WarpCost, warp_cost
from app.engine.model.dtypes import ElementType, parse_dtype
from app.engine.model.layout import Layout, Swizzle
from tests.engine.cost import brute_force
from tests.engine.strategies import Seeded, address, packed, scrambled
from tests.examples import fewer

FLOAT32, FLOAT16 = parse_dtype("float32"), parse_dtype("float16")
M_MAJOR = "(128,8):(1,128)"


def _all(layout: Layout, along: int, space: Space, dtype: ElementType = FLOAT32) -> AllWarps:
    found = warp_cost(layout, dtype, Warp((along,), (0,) * layout.rank, space=space)).all
    assert found is not None
    return found


def _tile(rows: int, columns: int, pitch: int | None = None) -> Layout:
    return Layout.strided((rows, columns), (pitch or columns, 1))


def test_random_warps_equal_brute_force() -> None:
    for seed in range(fewer(1500)):
        choice = Seeded(seed)
        shape = tuple(choice.of((1, 2, 3, 4, 8, 16, 33)) for _ in range(choice.of((1, 2, 3))))
        layout = choice.of((packed(choice, shape), scrambled(choice)))
        dtype = parse_dtype(choice.of(("float32", "int8", "int4", "float64", "float16")))
        vector = choice.of([v for v in (1, 1, 2, 3, 4, 8) if v * dtype.bits <= 128])
        dims = choice.order(range(layout.rank))
        warp = Warp(
            tuple(dims[: choice.of(range(layout.rank + 1))]),
            tuple(choice.of(range(n)) for n in layout.shape),
            lanes=choice.of((32, 32, 64, 5)),
            vector=vector,
            space=choice.of(("global", "shared")),
            banks=choice.of((32, 32, 7)),
            bank_bytes=choice.of((4, 4, 8)),
        )
        found = warp_cost(layout, dtype, warp)
        where = brute_force.lane_coordinates(layout, warp.along, warp.at, warp.lanes, vector)
        assert [lane.coordinate for lane in found.lanes] == where, (seed, layout, warp)
        at = [None if c is None else address(layout, c) for c in where]
        assert [lane.address for lane in found.lanes] == at
        assert [lane.byte for lane in found.lanes] == [
            None if a is None else a * dtype.bits // 8 for a in at
        ]
        if warp.space == "global":
            wanted = brute_force.sectors(at, dtype.bits, vector, 32)
            assert (found.sectors, found.ideal_sectors) == wanted
            assert found.passes is found.ideal_passes is found.conflicts is None
        else:
            phases = brute_force.passes(at, dtype.bits, vector, warp.banks, warp.bank_bytes)
            total, ideal = (sum(each) for each in zip(*phases, strict=True))
            counted = found.passes, found.ideal_passes, found.conflicts
            assert counted == (total, ideal, total - ideal)
            assert [phase.passes for phase in found.phases] == [each for each, _ in phases]
            assert found.sectors is found.ideal_sectors is None


def test_all_warps_are_the_sum_of_single_warps() -> None:
    for seed in range(fewer(15)):
        choice = Seeded(seed)
        layout = packed(choice, (choice.of((3, 8, 40)), choice.of((2, 33)), choice.of((1, 4))))
        along = tuple(choice.order(range(3))[: choice.of((1, 2, 3))])
        space: Space = choice.of(("global", "shared"))
        counted = warp_cost(layout, FLOAT16, Warp(along, (0, 0, 0), space=space)).all
        assert counted is not None
        others = [d for d in range(3) if d not in along]
        warps: list[WarpCost] = []
        for fixed in itertools.product(*(range(layout.shape[d]) for d in others)):
            for first in range(0, math.prod(layout.shape[d] for d in along), 32):
                at, rest = [0, 0, 0], first
                for d in along:
                    rest, at[d] = divmod(rest, layout.shape[d])
                for d, index in zip(others, fixed, strict=True):
                    at[d] = index
                warps.append(warp_cost(layout, FLOAT16, Warp(along, tuple(at), space=space)))
        assert counted.warps == len(warps)
        if space == "global":
            assert counted.sectors == sum(each.sectors or 0 for each in warps)
            assert counted.ideal_sectors == sum(each.ideal_sectors or 0 for each in warps)
        else:
            assert counted.passes == sum(each.passes or 0 for each in warps)
            assert counted.conflicts == sum(each.conflicts or 0 for each in warps)


def test_figures_that_are_known_of_transpositions_and_strides() -> None:
    source = _tile(64, 64)
    assert _all(source, 1, "global").sectors == _all(source, 0, "global").ideal_sectors == 512
    assert _all(source, 0, "global").sectors == 4096
    # Rows in, columns out: research on transpositions through shared memory.
    plain, padded = _tile(32, 32), _tile(32, 32, 33)
    assert (_all(plain, 1, "shared").passes, _all(plain, 0, "shared").passes) == (32, 1024)
    assert (_all(padded, 1, "shared").passes, _all(padded, 0, "shared").passes) == (32, 32)
    for stride in (0, 1, 2, 12, 32, 48):
        found = warp_cost(
            Layout.strided((32,), (stride,)), FLOAT32, Warp((0,), (0,), space="shared")
        )
        assert found.passes == (math.gcd(stride, 32) if stride else 1)


def test_lanes_beyond_the_tensor_are_inactive() -> None:
    found = warp_cost(_tile(2, 20), FLOAT32, Warp((1,), (1, 0)))
    assert found.lanes[19].coordinate == (1, 19)
    assert found.lanes[20].coordinate is None
    assert found.lanes[20].address is found.lanes[20].byte is None
    empty = warp_cost(Layout.strided((0, 4), (4, 1)), FLOAT32, Warp((1,), (0, 0)))
    assert (empty.sectors, empty.ideal_sectors, empty.all) == (0, 0, None)
    scalar = warp_cost(Layout.strided((), ()), FLOAT32, Warp((), (), space="shared"))
    assert (scalar.passes, [lane.address for lane in scalar.lanes[:2]]) == (1, [0, None])
    with pytest.raises(LayoutError, match="at most 4"):
        warp_cost(_tile(4, 64), FLOAT32, Warp((1,), (0, 0), vector=8))


def test_vectors_across_a_swizzle_are_told() -> None:
    whole = parse_layout("cute:Swizzle<3,2,3> o (8,32):(32,1)", (8, 32))
    torn = parse_layout("cute:Swizzle<3,0,3> o (8,32):(32,1)", (8, 32))
    warp = Warp((1,), (1, 0), vector=4, space="shared")
    assert warp_cost(whole, FLOAT32, warp).contiguous
    assert not warp_cost(torn, FLOAT32, warp).contiguous
    assert not warp_cost(_tile(4, 8, 9), FLOAT32, Warp((1, 0), (0, 0), vector=4)).aligned


def test_ldmatrix_of_an_m_major_tile_needs_the_swizzle_of_cutlass_3172() -> None:
    # Eight rows of 16 bytes are one phase: ldmatrix.x4.trans reads four matrices of 8 x 8.
    ldmatrix = Warp((1, 0), (0, 0), vector=8, space="shared")
    plain = parse_layout(f"cute:{M_MAJOR}", (128, 8))
    assert (warp_cost(plain, FLOAT16, ldmatrix).passes) == 32
    swizzled = parse_layout(f"cute:Swizzle<3,3,4> o {M_MAJOR}", (128, 8))
    assert warp_cost(swizzled, FLOAT16, ldmatrix).passes == 4
    half = parse_layout(f"cute:Swizzle<3,3,3> o {M_MAJOR}", (128, 8))
    assert warp_cost(half, FLOAT16, ldmatrix).passes == 8
    found = suggest(plain, FLOAT16, ldmatrix)
    assert [each.layout.swizzle for each in found.swizzles] == [Swizzle(3, 3, 4)]
    assert found.padding is not None
    assert (found.padding.layout.strides, found.padding.padding) == ((1, 136), 8)


@pytest.mark.parametrize(
    ("shape", "strides", "padded"),
    [
        ((32, 32), (32, 1), (33, 1)),
        ((32, 16), (16, 1), (17, 1)),
        ((2, 32, 32), (1040, 32, 1), None),  # no multiple of the rows around them
        ((64,), (32,), None),  # one row alone
    ],
)
def test_paddings(
    shape: tuple[int, ...], strides: tuple[int, ...], padded: tuple[int, ...] | None
) -> None:
    layout = Layout.strided(shape, strides)
    along = max(len(shape) - 2, 0)
    found = suggest(layout, FLOAT32, Warp((along,), (0,) * len(shape), space="shared"))
    assert found.accesses[0].conflicts
    if shape == (32, 32):
        assert [each.layout.swizzle for each in found.swizzles] == [Swizzle(5, 0, 5)]
    assert (found.padding and found.padding.layout.strides) == padded


def test_what_is_suggested_has_no_conflicts() -> None:
    for seed in range(fewer(40)):
        choice = Seeded(seed)
        rows, columns = choice.of((16, 32, 64)), choice.of((16, 32, 48, 64))
        dtype = parse_dtype(choice.of(("float32", "float16", "int8")))
        vector = choice.of((1, 2, 4))
        layout = Layout.strided((rows, columns), choice.of(((columns, 1), (1, rows))))
        warp = Warp(choice.of(((0,), (1,), (1, 0))), (0, 0), vector=vector, space="shared")
        before = warp_cost(layout, dtype, warp).all
        assert before is not None
        found = suggest(layout, dtype, warp)
        fixes = [*found.swizzles, *([found.padding] if found.padding else [])]
        assert bool(fixes) <= bool(before.conflicts)
        for fix in fixes:
            after = warp_cost(fix.layout, dtype, warp)
            assert after.all is not None
            assert after.all.conflicts == after.conflicts == 0
            assert after.contiguous >= warp_cost(layout, dtype, warp).contiguous


def test_suggestions_are_for_tiles_of_shared_memory() -> None:
    with pytest.raises(LayoutError, match="global memory"):
        suggest(_tile(32, 32), FLOAT32, Warp((0,), (0, 0)))
    with pytest.raises(LayoutError, match="at most 262144"):
        suggest(_tile(1000, 1000), FLOAT32, Warp((0,), (0, 0), space="shared"))
    nothing = suggest(_tile(32, 33), FLOAT32, Warp((0,), (0, 0), space="shared"))
    assert (nothing.padding, nothing.swizzles) == (None, ())
    empty = suggest(_tile(0, 33), FLOAT32, Warp((0,), (0, 0), space="shared"))
    assert empty.accesses == ()
