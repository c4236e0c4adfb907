"""The index arithmetic of ``kernels.cu`` in NumPy: what each launch reads and writes.

Refuses what a card would punish: unaligned words, shared memory overrun, an address written by
two threads, a thread too few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.reorders.cuda.arguments import BLOCK_THREADS, UNITS_PER_THREAD

Bytes = npt.NDArray[np.uint8]
Int64 = npt.NDArray[np.int64]
_WORD_BYTES = 4


def launch(
    name: str, blocks: int, threads: int, shared_bytes: int, given: tuple[Bytes, Bytes, Any]
) -> None:
    """Do to the second of ``given`` what the kernel ``name`` would."""
    source, target, arguments = given
    assert threads == BLOCK_THREADS
    assert arguments.shape == (1,)
    kernel, _, parameters = name[:-1].partition("<")
    size, *more = parameters.split(", ")
    if kernel == "turn_tiles":
        _turn_tiles(int(size), blocks, shared_bytes, source, target, arguments[0])
    elif kernel == "copy_units":
        _copy_units(int(size), blocks, source, target, arguments[0], gather=more == ["true"])
    else:
        _copy_nibbles(blocks, source, target, arguments[0], gather=size == "true")


def quotient(n: Int64, by: Any) -> Int64:
    """As the kernels divide."""
    if by["divisor"] == 1:
        return n
    return (n * int(by["multiplier"]) >> 32) >> int(by["shift"])


def _digit(rest: Int64, by: Any) -> tuple[Int64, Int64]:
    above = quotient(rest, by)
    return above, rest - above * int(by["divisor"])


def _within(loops: Any, rest: Int64) -> tuple[Int64, Int64, npt.NDArray[np.bool_]]:
    source, target, real = np.zeros_like(rest), np.zeros_like(rest), np.ones(rest.shape, bool)
    for loop in loops:
        rest, i = _digit(rest, loop["steps"])
        source += i * loop["source_stride"]
        target += i * loop["target_stride"]
        real &= i < loop["extent"]
    return source, target, real


def _places(p: Any, units: Int64, *, gather: bool) -> tuple[Int64, Int64, npt.NDArray[np.bool_]]:
    loops = p["loop"][: p["loops"]]
    if not gather:
        source, target, real = _within(loops, units)
        return source + p["source"], target + p["target"], real & bool(p["reads"])
    rest, part = _digit(units, p["parts"])
    sums = {side: np.full_like(units, p[side]) for side in ("source", "target")}
    k = 0
    while k < len(loops):
        rest, i = _digit(rest, loops[k]["steps"])
        terms = int(loops[k]["extent"])
        for term in loops[k + 1 : k + 1 + terms]:
            for side in sums:
                sums[side] += quotient(i, term["steps"]) * term[f"{side}_stride"]
        k += 1 + terms
    for side, plain in sums.items():
        mask, shift = int(p[f"{side}_swizzle"]["mask"]), int(p[f"{side}_swizzle"]["shift"])
        moved = plain & mask
        swizzled = plain ^ (moved >> shift if shift >= 0 else moved << -shift)
        sums[side] = swizzled * int(p["parts"]["divisor"]) + part
    return sums["source"], sums["target"], np.full(units.shape, bool(p["reads"]))


def _every_unit(p: Any, blocks: int, per_block: int) -> Int64:
    units = int(p["units"])
    assert (blocks - 1) * per_block < units <= blocks * per_block
    return np.arange(units, dtype=np.int64)


def _as_units(memory: Bytes, size: int) -> npt.NDArray[Any]:
    assert memory.ctypes.data % size == 0
    return memory[: len(memory) // size * size].view(f"V{size}")


def _copy_units(
    size: int, blocks: int, source: Bytes, target: Bytes, p: Any, *, gather: bool
) -> None:
    units = _every_unit(p, blocks, BLOCK_THREADS * UNITS_PER_THREAD)
    begin, end, real = _places(p, units, gather=gather)
    assert not p["reads"] or len(np.unique(end)) == len(end)
    assert min(begin[real].min(initial=0), end.min(initial=0)) >= 0
    values = np.zeros(len(units), f"V{size}")
    values[real] = _as_units(source, size)[begin[real]]
    _as_units(target, size)[end] = values


def _copy_nibbles(blocks: int, source: Bytes, target: Bytes, p: Any, *, gather: bool) -> None:
    begin, end, real = _places(p, _every_unit(p, blocks, BLOCK_THREADS), gather=gather)
    half = int(p["half"])
    mine = end & 1 == half
    begin, end, real = begin[mine], end[mine], real[mine]
    # Each byte has one thread, but for padding that a table reaches twice.
    assert not p["reads"] or len(np.unique(end)) == len(end)
    nibbles = np.zeros(len(end), np.uint8)
    nibbles[real] = source[begin[real] >> 1] >> (begin[real] & 1) * 4 & 15
    kept = target[end >> 1] & (15 if half else 240)
    target[end >> 1] = kept | nibbles << 4 * half


def _turn_tiles(
    size: int, blocks: int, shared_bytes: int, source: Bytes, target: Bytes, p: Any
) -> None:
    word = max(_WORD_BYTES // size, 1)
    row_loops, more = np.split(p["loop"], [p["row_loops"]])
    column_loops, more = np.split(more, [p["column_loops"]])
    listed = 0 if p["source_is_run"] else int(p["rows"]["divisor"])
    listed += 0 if p["target_is_run"] else int(p["columns"]["divisor"])
    assert p["tables"] + 8 * listed == shared_bytes <= 48 << 10
    assert p["pitch"] // word % 2 == 1  # no two words of a column in one bank
    memory, written = _as_units(source, size), []
    for block in range(blocks):
        rest, i = _digit(np.array([block]), p["row_tiles"])
        row = int(i[0]) * int(p["rows"]["divisor"])
        rest, i = _digit(rest, p["column_tiles"])
        column = int(i[0]) * int(p["columns"]["divisor"])
        rows = min(int(p["rows"]["divisor"]), int(p["row_count"]) - row)
        columns = min(int(p["columns"]["divisor"]), int(p["column_count"]) - column)
        begin, end, _ = (int(x[0]) for x in _within(more[: p["outer_loops"]], rest))
        tile = np.zeros(int(p["tables"]) // size, f"V{size}")

        def slots(line: Int64, at: Int64) -> Int64:
            found: Int64 = (at % word * int(p["slots"]) + at // word) * int(p["pitch"]) + line
            return found

        run = bool(p["source_is_run"])
        count = word if p["wide_reads"] else 1
        line, unit, first = _line_units(p["read_words"], count, rows, columns, run=run)
        starts, _, real = _within(row_loops, row + np.arange(rows))
        shift = row * columns if run else column
        at = begin + int(p["source"]) + shift + unit + (0 if run else starts[line])
        if run:
            line, unit = _digit(unit, p["columns"])
            # ``line`` and ``unit`` are a row and a column from here on.
        taken = real[line] if not run else np.ones(line.shape, bool)
        if p["wide_reads"]:
            assert not ((at[first & taken] * size + source.ctypes.data) % (word * size)).any()
        where = slots(line, unit)
        assert len(np.unique(where)) == rows * columns
        tile[where[taken]] = memory[at[taken]]
        tile[where[~taken]] = np.zeros((), tile.dtype)

        run = bool(p["target_is_run"])
        count = word if p["wide_writes"] else 1
        line, unit, first = _line_units(p["write_words"], count, columns, rows, run=run)
        _, ends, _ = _within(column_loops, column + np.arange(columns))
        shift = column * rows if run else row
        at = end + int(p["target"]) + shift + unit + (0 if run else ends[line])
        if run:
            line, unit = _digit(unit, p["rows"])
        if p["wide_writes"]:
            assert not ((at[first] * size + target.ctypes.data) % (word * size)).any()
        _as_units(target, size)[at] = tile[slots(unit, line)]
        written.append(at)
    everything = np.concatenate(written)
    assert len(np.unique(everything)) == len(everything)


def _line_units(
    words: Any, count: int, lines: int, length: int, *, run: bool
) -> tuple[Int64, Int64, npt.NDArray[np.bool_]]:
    """Line and unit of all that threads move of a tile; which units a whole word begins with."""
    if run:
        lines, length = 1, lines * length
    line, unit = _digit(np.arange(lines * int(words["divisor"])), words)
    unit *= count
    units = (unit[:, None] + np.arange(count)).ravel()
    first = np.repeat(unit + count <= length, count) & (units % count == 0)
    here = units < length
    return np.repeat(line, count)[here], units[here], first[here]
