"""How a transpose moves units in registers, as its kernels and a schedule have it."""

import pytest

from app.engine import parse_layout, schedule
from app.engine.reorder.moves import registers_of
from app.engine.reorder.ranges import Loop

# The same loops as in tests/js/core/schedule/registers.test.js, whose registers are drawn.
CASES = [
    ([(40, 1, 24), (24, 100, 1)], 8, ("transpose", 0, (1,), 24)),  # 16 rows of bytes
    ([(3, 64, 100), (9, 1, 6), (6, 9, 1)], 32, ("transpose", 1, (2,), 6)),  # 4 rows of floats
    ([(9, 1, 8), (8, 9, 1)], 64, ("transpose", 0, (1,), 8)),  # 2 rows of doubles
    ([(9, 1, 4), (4, 9, 1)], 32, ("interleave", 0, (1,), 4)),  # four rows interleaved
    ([(50, 1, 4), (4, 50, 1)], 8, ("interleave", 0, (1,), 4)),  # rows of bytes interleaved
    ([(9, 1, 3), (3, 9, 1)], 32, ("interleave", 0, (1,), 3)),  # three rows interleaved
    ([(9, 1, 4), (2, 9, 1, 2)], 32, ("interleave", 0, (1,), 4)),  # two and two of zeros
    ([(3, 1, 50), (50, 3, 1)], 8, ("separate", 0, (1,), 50)),  # three separated
    ([(4, 1, 9), (9, 4, 1)], 32, ("separate", 0, (1,), 9)),  # four separated
    ([(5, 1, 6), (2, 30, 3), (3, 10, 1)], 32, ("transpose", 0, (2, 1), 6)),  # rows of two loops
]


@pytest.mark.parametrize(("loops", "unit_bits", "expected"), CASES)
def test_the_loops_say_how_units_are_turned(
    loops: list[tuple[int, ...]], unit_bits: int, expected: tuple[object, ...]
) -> None:
    found = registers_of([Loop(*loop) for loop in loops], unit_bits)
    assert (found.way, found.along, found.chain, found.rows) == expected


def test_a_partial_row_is_turned_with_the_innermost_loop_alone() -> None:
    loops = [Loop(5, 1, 6), Loop(2, 30, 3), Loop(3, 10, 1)]
    found = registers_of(loops, 32, partial=True)
    assert (found.way, found.chain, found.rows) == ("transpose", (2,), 3)


@pytest.mark.parametrize(
    ("dtype", "way"), [("int4", None), ("complex128", None), ("float32", "interleave")]
)
def test_a_schedule_says_it_of_units_of_1_to_8_bytes(dtype: str, way: str | None) -> None:
    layouts = (parse_layout(name, (2, 3, 5, 5)) for name in ("NCHW", "NHWC"))
    moves = schedule(*layouts, dtype=dtype).moves
    ways = [(move.kernel, move.registers and move.registers.way) for move in moves]
    assert ways == [("transpose", way)]
