"""Cuts moves into pieces that can run one after the other or in parallel."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .moves import Move
from .ranges import Loop

_ALIGNED_UNITS = 64  # runs are cut at multiples of this, so no two pieces share a line of memory


def cut(moves: Sequence[Move], most_bytes: int) -> Iterator[tuple[Move, ...]]:
    """Yield pieces that write about ``most_bytes`` each and together do the same as ``moves``.

    Moves with the same outermost loop of several steps are cut together, because they may write the
    same lines.
    """
    size = sum(move.units * move.unit_bits for move in moves) // 8
    count = -(-size // max(most_bytes, 1))
    if count <= 1:
        if moves:
            yield tuple(moves)
        return
    places = [_cuttable(moves[0])] if len(moves) == 1 else [_outermost(move) for move in moves]
    kinds = {_in_bits(move, k) for move, k in zip(moves, places, strict=True)}
    if len(moves) > 1 and (len(kinds) > 1 or None in kinds):
        for move in moves:
            yield from cut((move,), most_bytes)
        return
    k = places[0]
    if k is None:
        yield tuple(moves)
        return
    loop = moves[0].loops[k]
    grain = _ALIGNED_UNITS if 1 in {loop.source_stride, loop.target_stride} else 1
    step = -(-loop.extent // (count * grain)) * grain
    for begin in range(0, loop.extent, step):
        extent = min(step, loop.extent - begin)
        cuts = [(move, k) for move, k in zip(moves, places, strict=True) if k is not None]
        part = tuple(_narrowed(move, k, begin, extent) for move, k in cuts)
        yield from cut(part, most_bytes) if extent == 1 else [part]


def _in_bits(move: Move, k: int | None) -> tuple[int, int] | None:
    """Return extent and target stride (bits) of loop ``k``."""
    return (
        None if k is None else (move.loops[k].extent, move.loops[k].target_stride * move.unit_bits)
    )


def _outermost(move: Move) -> int | None:
    """Return the outermost loop of several steps, None if it cannot be cut."""
    k = next((k for k, loop in enumerate(move.loops) if loop.steps > 1), None)
    return k if k is not None and _may_cut(move.loops[k]) else None


def _may_cut(loop: Loop) -> bool:
    return loop.extent > 1 and not loop.fill and loop.target_stride != 1


def _cuttable(move: Move) -> int | None:
    found = [k for k, loop in enumerate(move.loops) if _may_cut(loop)]
    if found:
        return found[0]
    # The move may be a single run.
    only = move.loops[0] if len(move.loops) == 1 else None
    return 0 if only and not only.fill and only.extent > _ALIGNED_UNITS else None


def _narrowed(move: Move, k: int, begin: int, extent: int) -> Move:
    loop = move.loops[k]
    source = None if move.source is None else move.source + begin * loop.source_stride
    target = move.target + begin * loop.target_stride
    # A loop of one step is kept, because the kernel may turn its rows.
    narrowed = replace(loop, extent=extent)
    loops = (*move.loops[:k], narrowed, *move.loops[k + 1 :])
    return replace(move, source=source, target=target, loops=loops)
