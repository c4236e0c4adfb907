"""The steps of a schedule, carried out in plain Python, write what a reorder writes."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine import Layout, LayoutError, parse_layout, plan, reorder
from app.engine.inverse.overlap import shares_addresses
from app.engine.model.digits import Digit, Swizzle
from app.engine.reorder.schedule import Schedule, schedule, schedule_of
from tests.cost import assert_costs_like
from tests.engine.strategies import Choice, Nest, Seeded, nested, packed, scrambled, swizzle
from tests.packing import pack_nibbles, unpack_nibbles

UNTOUCHED = 13
ITEMS = {4: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
SPREAD = Nest(first=(1, 1, 2), gaps=(0, 0, 1, 2), signs=(1, -1), offsets=range(3), padded=True)


def carried_out(found: Schedule, memory: list[int], size: int) -> list[int]:
    """The target after all steps, element by element; no address is written twice."""
    out = [UNTOUCHED] * size
    written: set[int] = set()
    for number, step in enumerate(found.window(0, found.steps)):
        assert step.step == number
        per_unit, rest = divmod(step.unit_bits, found.item_bits)
        assert rest == 0
        for k in range(step.units * per_unit):
            address = step.target_address + k
            assert address not in written
            written.add(address)
            assert step.fill is (step.source_address is None)
            source = step.source_address
            out[address] = 0 if source is None else memory[source + k]
    return out


def reordered(memory: list[int], source: Layout, target: Layout, bits: int) -> list[int]:
    """The same by the engine."""
    items = np.array(memory, ITEMS[bits])
    out = np.full(target.buffer_elements, UNTOUCHED, ITEMS[bits])
    if bits > 4:
        return [int(x) for x in reorder(items, source, target, out=out, backend="numpy")]
    out = pack_nibbles(out)
    reorder(pack_nibbles(items), source, target, dtype="int4", out=out, backend="numpy")
    return [int(x) for x in unpack_nibbles(out)[: target.buffer_elements]]


def assert_writes_the_same(source: Layout, target: Layout, bits: int) -> Schedule:
    size = source.buffer_elements
    memory = [(7 * k + 1) % (16 if bits == 4 else 251) for k in range(size)]
    found = schedule_of(plan(source, target), bits)
    target = found.planned.target
    expected = reordered(memory, source, target, bits)
    assert carried_out(found, memory, target.buffer_elements) == expected
    return found


def a_target(choice: Choice) -> Layout:
    """Any layout whose elements have addresses of their own, often padded."""
    kind = choice.of(("blocks", "blocks", "blocks", "nested", "scrambled", "swizzled"))
    if kind in {"blocks", "swizzled"}:
        shape = tuple(choice.of(range(1, 8)) for _ in range(choice.of(range(5))))
        layout = packed(choice, shape)
        return layout if kind == "blocks" else replace(layout, swizzle=swizzle(choice))
    if kind == "nested":
        sizes = [[choice.of((1, 2, 3, 4)) for _ in range(choice.of((1, 2)))] for _ in range(3)]
        return nested(choice, sizes, SPREAD)
    while shares_addresses(layout := scrambled(choice)) is not False:
        pass
    return layout


@pytest.mark.parametrize("bits", ITEMS)
def test_all_steps_write_what_a_reorder_writes_each_address_once(bits: int) -> None:
    choice = Seeded(bits)
    kernels: set[str] = set()
    padded = 0
    for _ in range(110):
        target = a_target(choice)
        source = packed(choice, target.shape, dims=target.dims)
        found = assert_writes_the_same(source, target, bits)
        kernels |= {move.kernel for move in found.moves}
        padded += any(step.fill for step in found.window(0, found.steps))
    assert kernels == {"runs", "transpose", "elements", "zeros", "table"}
    assert padded > 20


@pytest.mark.parametrize("bits", [4, 32])
def test_a_source_may_be_any_layout(bits: int) -> None:
    choice = Seeded(bits)
    for _ in range(25):
        source = scrambled(choice)
        target = packed(choice, source.shape, dims=source.dims)
        assert_writes_the_same(source, target, bits)


def test_padding_that_meets_elements_is_listed() -> None:
    # Elements at 0, 1, 3 and 4, 5, 7; padding at 3 + 1, which is an element's address, and at 8.
    target = Layout((3, 2), "HW", ((Digit(2, 3), Digit(2, 1)), (Digit(2, 4),)))
    found = assert_writes_the_same(parse_layout("HW", (3, 2)), target, 32)
    assert found.moves[0].addresses == (8,)
    assert found.written_bits == (1 + 6) * 32
    with pytest.raises(LayoutError) as refused:
        schedule(parse_layout("HW", (3, 2)), target, most_listed=4)
    assert refused.value.field == "target"


def test_an_empty_tensor_and_a_scalar() -> None:
    empty = schedule(parse_layout("HW", (0, 3)), parse_layout("WH", (0, 3)))
    assert (empty.steps, list(empty.window(0, 5))) == (0, [])
    found = assert_writes_the_same(Layout((), "", ()), Layout((), "", ()), 32)
    assert (found.steps, found.written_bits) == (1, 32)


def test_padding_under_a_swizzle_is_written_once() -> None:
    target = replace(parse_layout("NCHW4", (1, 6, 2, 2)), swizzle=Swizzle(2, 0, 2))
    found = assert_writes_the_same(parse_layout("NCHW", (1, 6, 2, 2)), target, 32)
    assert [move.kernel for move in found.moves] == ["table", "table"]
    assert found.moves[0].source is None


PAIRS = "NCHW NCHW4 float32; NCHW4 NCHW6 int8; NCHW NHWC int4; NCHW4 NCHW32 int4; NCHW NCHW bool"


@pytest.mark.parametrize("pair", PAIRS.split("; "))
def test_any_window_is_a_part_of_all_steps(pair: str) -> None:
    *names, dtype = pair.split()
    source, target = (parse_layout(name, (2, 6, 3, 3)) for name in names)
    found = schedule(source, target, dtype=dtype)
    every = list(found.window(0, found.steps))
    assert [found.step(k) for k in range(found.steps)] == every
    for first in (0, 1, found.steps // 2, found.steps - 1, found.steps):
        assert list(found.window(first, 7)) == every[first : first + 7]
    assert list(found.window(0, 0)) == []


def test_runs_and_their_fill_are_one_step_each() -> None:
    shape = (1, 6, 2, 2)
    found = schedule(parse_layout("NCHW4", shape), parse_layout("NCHW8", shape), dtype="int8")
    steps = list(found.window(0, found.steps))
    assert [(x.source_address, x.target_address, x.units, x.unit_bits) for x in steps[3:6]] == [
        (12, 24, 1, 32),
        (16, 4, 1, 16),
        (None, 6, 1, 16),
    ]


def test_the_plan_of_10_to_the_12_elements_is_asked_anywhere() -> None:
    shape = (1000, 1000, 1000, 1000)
    source, target = parse_layout("NCHW", shape), parse_layout("NHWC", shape)
    found = schedule(source, target)
    assert found.steps == 10**12
    step = found.step(123_456_789_012)
    n, h, w, c = 123, 456, 789, 12
    assert step.source_address == ((n * 1000 + c) * 1000 + h) * 1000 + w
    assert step.target_address == 123_456_789_012
    tables = schedule(parse_layout("NCHW4", shape), parse_layout("NCHW6", shape))
    last = tables.step(tables.steps - 1)
    assert last.move == len(tables.moves) - 1
    small = schedule(parse_layout("NCHW4", (2, 6, 2, 2)), parse_layout("NCHW6", (2, 6, 2, 2)))
    assert_costs_like(
        lambda: list(small.window(0, 48)), lambda: list(tables.window(tables.steps // 2, 200))
    )


def test_windows_that_there_are_not_are_refused() -> None:
    found = schedule(parse_layout("HW", (2, 3)), parse_layout("WH", (2, 3)))
    for first, count, field in ((7, 1, "first"), (-1, 1, "first"), (0, -1, "count")):
        with pytest.raises(LayoutError) as refused:
            found.window(first, count)
        assert refused.value.field == field
    with pytest.raises(LayoutError) as refused:
        found.step(6)
    assert refused.value.field == "step"
