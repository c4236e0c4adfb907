"""The page's steps of a reorder against the engine's.

The page asks for the plan once and decodes every step itself, so that scrubbing needs no server.
"""

from dataclasses import asdict
from typing import Any

from app.contract.schedules import scheduled_plan
from app.engine import parse_layout, plan
from app.engine.model.dtypes import ELEMENT_TYPES
from app.engine.reorder.schedule import Schedule, Step, schedule_of
from tests.engine.reorder.test_schedule import a_target
from tests.engine.strategies import Seeded, packed
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


def by_address(found: Schedule, steps: list[Step], side: str) -> list[int]:
    """The step that reads or writes each address of a side, -1 where none does."""
    by = [-1] * getattr(found.planned, side).buffer_elements
    for step in steps:
        if (address := getattr(step, f"{side}_address")) is not None:
            elements = elements_of(step, found.item_bits)
            by[address : address + elements] = [step.step] * elements
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
            assert answer["writing"] == by_address(found, steps, "target"), name
        if answer["reading"] is not None:
            assert answer["reading"] == by_address(found, steps, "source"), name
    assert inverted == RANDOM_PLANS


def test_steps_of_large_plans_are_decoded_anywhere() -> None:
    choice = Seeded(7)
    cases, expected = [], []
    for source, target, shape in LARGE:
        found = schedule_of(plan(parse_layout(source, shape), parse_layout(target, shape)), 32)
        some = (choice.of(range(found.steps)) for _ in range(60))
        numbers = sorted({0, found.steps - 1, *some})
        cases.append(a_case(found, numbers, whole=False))
        expected.append((numbers, [as_json(found.step(number)) for number in numbers]))
    answers = ask_page(ASK, cases)
    assert [(each["inverse"], each["steps"]) for each in answers] == expected
