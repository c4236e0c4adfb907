"""Numba intrinsics that transpose and interleave registers, made of LLVM's ``shuffle_vector``.

A tile is G x G units of 16/G bytes: G rows of 16 bytes are loaded, interleaved log2(G) times and
stored as G columns. Wider registers do the same in several lanes of 16 bytes side by side; if the
machine has none, LLVM splits them. Addresses and units are as in ``instructions.py``.

What plain Numba loops or NumPy take for the same rows, and how often these are as fast, stands in
docs/decisions/0037: transposes 3.0 times at 64 MB and 4.5 at 1 MB, interleaving 3.7 and 7.2,
separating 3.4 and 4.9, three rows or columns 1.7 to 10.
"""

from typing import Any

from llvmlite import ir

from .instructions import LINE, REGISTER, Builder, Value, emit_prefetch, intrinsic, load, store

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_KEPT_ADDRESSES = 32  # of rows, in registers; more are read again, which costs less than spilling


def _read(builder: Builder, table: Value, k: int) -> Value:
    """Return the int64 at index ``k`` of a table."""
    pointer = builder.inttoptr(table, _I64.as_pointer())
    return builder.load(builder.gep(pointer, [ir.Constant(_I64, k)]))


def _joined(builder: Builder, parts: list[Value]) -> Value:
    """Return one register made of several, side by side."""
    while len(parts) > 1:
        lanes = list(range(2 * parts[0].type.count))
        pairs = zip(parts[0::2], parts[1::2], strict=True)
        parts = [_shuffled(builder, x, y, lanes) for x, y in pairs]
    return parts[0]


def _shuffled(builder: Builder, x: Value, y: Value, lanes: list[int]) -> Value:
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(x, y, mask)


def _interleaved(builder: Builder, rows: list[Value], lane: int) -> list[Value]:
    """Return the units of 2^k rows, column by column, after k rounds of pairwise interleavings.

    Interleavings stay within ``lane`` units: a lane of 16 bytes, or the whole register.
    """
    count = rows[0].type.count
    low = [
        k
        for at in range(0, count, lane)
        for i in range(lane // 2)
        for k in (at + i, count + at + i)
    ]
    high = [k + lane // 2 for k in low]
    half = len(rows) // 2
    for _ in range(len(rows).bit_length() - 1):
        pairs = [(rows[i], rows[i + half]) for i in range(half)]
        rows = [_shuffled(builder, x, y, m) for x, y in pairs for m in (low, high)]
    return rows


def _separated(builder: Builder, rows: list[Value]) -> list[Value]:
    """Do the inverse of ``_interleaved``."""
    lanes = rows[0].type.count
    even = list(range(0, 2 * lanes, 2))
    odd = [lane + 1 for lane in even]
    for _ in range(len(rows).bit_length() - 1):
        pairs = list(zip(rows[0::2], rows[1::2], strict=True))
        rows = [_shuffled(builder, x, y, m) for m in (even, odd) for x, y in pairs]
    return rows


def _three(builder: Builder, rows: list[Value], *, apart: bool) -> list[Value]:
    """Interleave three rows, or separate them if ``apart``."""
    lanes = rows[0].type.count
    undefined = ir.Constant(rows[0].type, ir.Undefined)
    first = _shuffled(builder, rows[0], rows[1], list(range(2 * lanes)))
    last = _shuffled(builder, rows[2], undefined, list(range(2 * lanes)))
    taken = []
    for j in range(3):
        if apart:
            mask = [3 * i + j for i in range(lanes)]
        else:
            mask = [m % 3 * lanes + m // 3 for m in range(j * lanes, (j + 1) * lanes)]
        taken.append(_shuffled(builder, first, last, mask))
    return taken


def _by_lanes(builder: Builder, parts: list[Value], steps: int) -> list[Value]:
    """Return ``steps`` registers: number k has the lanes k of ``parts``, side by side."""
    if steps == 1:
        return [_joined(builder, parts)]
    kind = parts[0].type
    if len(parts) == steps:
        wide = ir.VectorType(ir.IntType(8 * REGISTER), steps)
        lanes = _interleaved(builder, [builder.bitcast(x, wide) for x in parts], steps)
        return [builder.bitcast(x, kind) for x in lanes]
    one, other = parts
    lane = kind.count // steps
    first = [list(range(k * lane, (k + 1) * lane)) for k in range(steps)]
    return [_shuffled(builder, one, other, [*m, *(kind.count + i for i in m)]) for m in first]


def _transposer(
    steps: int, *, fetching: bool = False, counted: bool = False, streamed: bool = False
) -> Any:
    @intrinsic
    def transpose_registers(
        builder: Builder,
        units: Any,
        rows: Value,
        base: Value,
        target: Value,
        stride: Value,
        more: Value,
    ) -> None:
        """Transpose lanes*G rows of ``steps`` registers: each step makes G columns.

        ``rows``: address of a table of the rows' distances from ``base``. Lane n of a column
        holds the G rows from n*G, so that no shuffle crosses lanes. Columns are ``stride`` bytes
        apart. ``fetching``: prefetch also the same lines of the source at ``more``. ``counted``:
        ``more`` is the number of columns to store; if ``streamed``, of those to leave out at the
        begin.
        """
        width, lanes = units.dtype.bitwidth // 8, units.count
        group = REGISTER // width
        # Lines of up to 16 rows are loaded whole; those of more would not fit in registers.
        loaded = steps if lanes > 1 and lanes * group <= 16 else 1
        begins, distances = [], []
        wide: list[list[Value]] = []
        for step in range(steps):
            if not step or lanes * group > _KEPT_ADDRESSES:
                distances = [_read(builder, rows, g) for g in range(lanes * group)]
                begins = [builder.add(base, distance) for distance in distances]
            if fetching:
                for distance in distances[step::steps]:
                    emit_prefetch(builder, builder.add(more, distance))
            if step % loaded == 0:
                wide = []
                at = ir.Constant(_I64, step * REGISTER)
                for g in range(group):
                    addresses = [builder.add(begin, at) for begin in begins[g::group]]
                    parts = [load(builder, x, width, loaded * REGISTER) for x in addresses]
                    wide.append(_by_lanes(builder, parts, loaded))
            columns = _interleaved(builder, [each[step % loaded] for each in wide], group)
            for j, column in enumerate(columns):
                if counted:
                    is_kept = "<=" if streamed else ">"
                    kept = builder.icmp_signed(is_kept, more, ir.Constant(_I64, j))
                    with builder.if_then(kept, likely=True):
                        store(builder, column, target, streamed=streamed)
                else:
                    store(builder, column, target, streamed=streamed)
                target = builder.add(target, stride)

    return transpose_registers


transpose_registers, transpose_line = _transposer(1), _transposer(4)
transpose_line_fetching = _transposer(4, fetching=True)
transpose_line_streamed = _transposer(4, fetching=True, streamed=True)
transpose_last_streamed = _transposer(1, counted=True, streamed=True)
transpose_few = _transposer(1, counted=True)


@intrinsic
def transpose_lines(
    builder: Builder,
    units: Any,
    rows: Value,
    base: Value,
    columns: Value,
    target: Value,
    ahead: Value,
) -> None:
    """Transpose 64 bytes of each of G rows: each column is one register of 16 bytes.

    ``rows``, ``columns``: addresses of tables: the rows' distances from ``base``, the columns' from
    ``target``. Columns are stored in their order. ``ahead``: distance from each row to what is
    prefetched. The lanes of a register are 4 groups of columns, so no shuffle crosses lanes.
    """
    width = units.dtype.bitwidth // 8
    group = REGISTER // width
    loaded = []
    for g in range(group):
        begin = builder.add(base, _read(builder, rows, g))
        emit_prefetch(builder, builder.add(begin, ahead))
        loaded.append(load(builder, begin, width, LINE))
    found = _interleaved(builder, loaded, group)
    for lane in range(0, 4 * group, group):
        for j, value in enumerate(found):
            column = _shuffled(builder, value, value, list(range(lane, lane + group)))
            store(builder, column, builder.add(target, _read(builder, columns, lane + j)))


def _interleaver(size: int, *, streamed: bool = False) -> Any:
    @intrinsic
    def interleave(builder: Builder, units: Any, rows: Value, base: Value, target: Value) -> None:
        """Interleave one register of each of k rows: unit by unit, k consecutive registers."""
        width, count = units.dtype.bitwidth // 8, units.count
        addresses = [builder.add(base, _read(builder, rows, g)) for g in range(count)]
        loaded = [load(builder, place, width, size) for place in addresses]
        if count == 3:
            found = _three(builder, loaded, apart=False)
        else:
            found = _interleaved(builder, loaded, size // width)
        for j, value in enumerate(found):
            place = builder.add(target, ir.Constant(_I64, j * size))
            store(builder, value, place, streamed=streamed)

    return interleave


def _separator(size: int, *, streamed: bool = False) -> Any:
    @intrinsic
    def separate(
        builder: Builder, units: Any, source: Value, target: Value, stride: Value, kept: Value
    ) -> None:
        """Separate k consecutive registers to one for each row; store the first ``kept``."""
        width, count = units.dtype.bitwidth // 8, units.count
        addresses = [builder.add(source, ir.Constant(_I64, j * size)) for j in range(count)]
        loaded = [load(builder, place, width, size) for place in addresses]
        three = count == 3
        rows = _three(builder, loaded, apart=True) if three else _separated(builder, loaded)
        for j, value in enumerate(rows):
            place = builder.add(target, builder.mul(stride, ir.Constant(_I64, j)))
            stored = builder.icmp_signed(">", kept, ir.Constant(_I64, j))
            with builder.if_then(stored, likely=True):
                store(builder, value, place, streamed=streamed)

    return separate


interleave_lines, interleave_little = _interleaver(64), _interleaver(16)
interleave_lines_streamed = _interleaver(64, streamed=True)
separate_lines, separate_little = _separator(64), _separator(16)
separate_lines_streamed = _separator(64, streamed=True)
