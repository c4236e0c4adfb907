"""The page's steps of a reorder against the engine's.

The page asks for the plan once and decodes every step itself, so that scrubbing needs no server.
"""

from dataclasses import asdict
from typing import Any

import pytest

from app.contract.schedules import scheduled_plan
from app.engine import parse_layout, plan
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.reorder.schedule import Schedule, Step, schedule_of
from tests.engine.reorder.test_schedule import a_target
from tests.engine.strategies import Seeded, enumerate_addresses, packed
from tests.examples import fewer
from tests.twins.node import ask_page, described

Json = dict[str, Any]
RANDOM_PLANS = fewer(500)
LINE_BITS = 512
TYPES = {t.bits: t for t in ELEMENT_TYPES.values()}
LARGE = [
    ("NCHW", "NHWC", (1000, 1000, 1000, 1000)),
    ("NCHW", "NCHW4", (1000, 999, 100, 1000)),
    ("NCHW4", "NCHW6", (1000, 1000, 100, 1000)),
    ("NCHW", "NCHW", (1000, 1000, 1000, 1000)),
]

ASK = """async (cases) => {
  const { createSchedule, elementsBefore } = await import('/static/core/schedule/steps.js');
  const { createInverse } = await import('/static/core/schedule/inverse.js');
  const { LineCount, windowAt } = await import('/static/core/schedule/lines.js');
  const { createTensor } = await import('/static/core/layout/tensor.js');
  return cases.map(({ answer, numbers, source, target, whole }) => {
    const schedule = createSchedule(answer);
    const [a, b] = [createTensor(source), createTensor(target)];
    const inverse = createInverse(schedule, a, b);
    const steps = numbers.map((number) => schedule.stepAt(number));
    const each = (tensor, ask) => Array.from({ length: tensor.bufferElements }, (_, k) => ask(k));
    const sizes = { source: a.bufferElements, target: b.bufferElements };
    const lines = new LineCount(schedule, windowAt(schedule, 0), sizes);
    if (whole) lines.advance(Infinity);
    return {
      steps,
      before: numbers.map((number) => elementsBefore(schedule, number)),
      inverse: steps.map((step) => inverse?.writing(step.target_address) ?? null),
      writing: whole && inverse ? each(b, inverse.writing) : null,
      reading: whole && inverse && !a.shares ? each(a, inverse.reading) : null,
      lines: whole ? numbers.map((number) => lines.upTo(number)) : null,
    };
  });
}"""


def a_case(found: Schedule, numbers: list[int], *, whole: bool) -> Json:
    """What the browser is asked. ``whole``: about every address and line as well."""
    return {
        "answer": {"steps": found.steps, "plan": scheduled_plan(found, TYPES[found.item_bits])},
        "numbers": numbers,
        "source": described(found.planned.source, found.planned.source.buffer_elements),
        "target": described(found.planned.target, found.planned.target.buffer_elements),
        "whole": whole,
    }


def as_json(step: Step) -> Json:
    return asdict(step) | {"indices": list(step.indices)}


def elements_of(step: Step, bits: int) -> int:
    return step.units * step.unit_bits // bits


def writers(found: Schedule, steps: list[Step]) -> list[int]:
    """The step that writes each address of the target, -1 where none does."""
    by = [-1] * found.planned.target.buffer_elements
    for step in steps:
        for k in range(elements_of(step, found.item_bits)):
            by[step.target_address + k] = step.step
    return by


def readers(found: Schedule, steps: list[Step]) -> list[int]:
    """The same for the source, where each address is read once."""
    by = [-1] * found.planned.source.buffer_elements
    for step in steps:
        for k in range(elements_of(step, found.item_bits)):
            if step.source_address is not None:
                by[step.source_address + k] = step.step
    return by


def lines_of(address: int | None, elements: int, bits: int) -> set[int]:
    if address is None:
        return set()
    first, last = address * bits, (address + elements) * bits - 1
    return set(range(first // LINE_BITS, last // LINE_BITS + 1))


def counts(steps: list[Step], bits: int) -> list[Json]:
    """Lines and bytes up to each step, that step included."""
    read: set[int] = set()
    written: set[int] = set()
    copied = zeros = 0
    found = []
    for step in steps:
        elements = elements_of(step, bits)
        read |= lines_of(step.source_address, elements, bits)
        written |= lines_of(step.target_address, elements, bits)
        copied += 0 if step.fill else elements
        zeros += elements if step.fill else 0
        sides = {
            name: {"lines": len(lines), "wasted_bytes": len(lines) * 64 - copied * bits / 8}
            for name, lines in (("read", read), ("written", written))
        }
        found.append({"copied_bytes": copied * bits / 8, "zero_bytes": zeros * bits / 8, **sides})
    return found


def test_the_page_decodes_random_plans_as_the_engine_does() -> None:
    choice = Seeded(20261122)
    cases, schedules = [], []
    for _ in range(RANDOM_PLANS):
        target = a_target(choice)
        source = packed(choice, target.shape, dims=target.dims)
        found = schedule_of(plan(source, target), choice.of((4, 8, 16, 32, 64)))
        schedules.append(found)
        cases.append(a_case(found, list(range(found.steps)), whole=True))
    answers = ask_page(ASK, cases)
    inverted = 0
    for found, answer in zip(schedules, answers, strict=True):
        name = f"{found.planned} {found.item_bits}"
        steps = list(found.window(0, found.steps))
        assert answer["steps"] == [as_json(step) for step in steps], name
        done = [{"copied": 0, "zeros": 0}]
        for step in steps:
            kind, elements = "zeros" if step.fill else "copied", elements_of(step, found.item_bits)
            done.append(done[-1] | {kind: done[-1][kind] + elements})
        assert answer["before"] == done[:-1], name
        assert answer["lines"] == counts(steps, found.item_bits), name
        if answer["writing"] is not None:
            inverted += 1
            assert answer["inverse"] == [step.step for step in steps], name
            assert answer["writing"] == writers(found, steps), name
        if answer["reading"] is not None:
            assert answer["reading"] == readers(found, steps), name
    assert inverted == RANDOM_PLANS


@pytest.mark.parametrize(("source", "target", "shape"), LARGE)
def test_steps_of_large_plans_are_decoded_anywhere(
    source: str, target: str, shape: tuple[int, ...]
) -> None:
    choice = Seeded(7)
    found = schedule_of(plan(parse_layout(source, shape), parse_layout(target, shape)), 32)
    last = found.steps - 1
    numbers = sorted({0, last, *(choice.of(range(found.steps)) for _ in range(60))})
    [answer] = ask_page(ASK, [a_case(found, numbers, whole=False)])
    assert answer["steps"] == [as_json(found.step(number)) for number in numbers]
    assert answer["inverse"] == numbers


def test_addresses_of_the_enumeration_are_those_of_the_layouts() -> None:
    # The oracle of this file against plain enumeration.
    source, target = parse_layout("NCHW", (1, 6, 2, 2)), parse_layout("NCHW4", (1, 6, 2, 2))
    found = schedule_of(plan(source, target), 32)
    by = writers(found, list(found.window(0, found.steps)))
    assert {a for a, step in enumerate(by) if step >= 0} == set(
        enumerate_addresses(target, target.padded_shape)
    )
