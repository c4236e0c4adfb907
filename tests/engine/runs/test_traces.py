"""Traces: copies, lost formats and findings, where they are silent, and the file of a trace."""

import json
from typing import Any

import pytest

from app.engine.model.errors import LayoutError
from app.engine.network import propagate
from app.engine.network.planner import plan_layouts
from app.engine.runs.copies import copies_of, lost_of
from app.engine.runs.report import read_run, run_of_trace
from app.engine.runs.trace_network import columns_if_any, columns_of, graph_of
from app.engine.runs.traces import TraceTensor, loaded, saved
from tests.engine.runs.logs import conv, plain_conv, reorder
from tests.engine.runs.traced import CONVOLUTION, LAST, PLAIN, SHAPE, Program, tensor, weights

LAST_WEIGHTS = tensor(9, LAST, (2, 32, 3, 3))
CONTIGUOUS = {"memory_format": "contiguous_format"}
NO_MOVE = reorder("abcd", "acdb", "2x5x1x1")
LAYER = plain_conv(32, 32)
EXPANDED = TraceTensor(SHAPE, (0, 0, 12, 1), 0, "float32", 1)
ONES = (2, 5, 1, 1)
GIVEN = {"self": {"tensor": 0}}


def convolved(program: Program, source: int, target: int, *, version: int = 0) -> Program:
    """A convolution of plain memory with the reorders that oneDNN makes around it."""
    given = [tensor(source), weights(version=version)]
    said = {"log": LAYER, "arguments": CONVOLUTION}
    return program.add("convolution.default", given, tensor(target), **said)


def shuffled() -> Program:
    """The shuffle written by hand: view, transpose, contiguous, view."""
    groups = tensor(1, (0, 3, 4, 1, 2), (2, 4, 8, 12, 12))
    turned = TraceTensor((2, 8, 4, 12, 12), (4608, 1, 8, 384, 32), 0, "float32", 1)
    copied = tensor(2, (0, 1, 2, 3, 4), (2, 8, 4, 12, 12))
    sizes = {"size": [2, 4, 8, 12, 12]}
    program = Program().add("view.default", [tensor(1, LAST)], groups, arguments=GIVEN | sizes)
    dims = {"dim0": 1, "dim1": 2}
    program.add("transpose.int", [groups], turned, arguments=GIVEN | dims)
    program.add("clone.default", [turned], copied, arguments=GIVEN | CONTIGUOUS)
    sizes = {"size": list(SHAPE)}
    program.add("view.default", [copied], tensor(2), arguments=GIVEN | sizes)
    return program.add("relu.default", [tensor(2)], tensor(3), arguments=GIVEN)


def one(op: str, source: TraceTensor, target: TraceTensor, **more: Any) -> Program:
    return Program().add(f"{op}.default", [source], target, **more)


LOST = TraceTensor(SHAPE, None, None, "float32", None)
FLAT = tensor(2, (0, 1), (64, 144))
# What a program copies, and where it loses channels_last.
COPIES: dict[str, tuple[Program, list[str], list[str]]] = {
    "shuffle": (shuffled(), ["clone"], ["clone"]),
    "the same order": (one("clone", tensor(1), tensor(2)), [], []),
    "another type": (one("_to_copy", tensor(1), tensor(2, LAST, dtype="float16")), [], []),
    "another device": (one("_to_copy", tensor(1), tensor(2, LAST, device="cuda:0")), [], []),
    "inference": (one("contiguous", tensor(1, LAST), tensor(2)), ["contiguous"], ["contiguous"]),
    "copy_": (
        Program().add("copy_.default", [tensor(1), tensor(2, LAST)], tensor(1)),
        ["copy_"],
        [],
    ),
    "a reshape that copied": (one("reshape", tensor(1, LAST), FLAT), ["reshape"], []),
    "one that did not": (one("reshape", tensor(1), tensor(1, (0, 1), (64, 144))), [], []),
    "repeated elements": (one("clone", EXPANDED, tensor(2)), [], []),
    "sizes of 1": (one("clone", tensor(1, LAST, ONES), tensor(2, PLAIN, ONES)), [], []),
    "kept": (one("relu", tensor(1, LAST), tensor(2, LAST)), [], []),
    "an operator that loses it": (one("cumsum", tensor(1, LAST), tensor(2)), [], ["cumsum"]),
    "another rank": (one("mean", tensor(1, LAST), tensor(2, (0, 1), (2, 32))), [], []),
    "the weights are channels_last": (
        Program().add("convolution.default", [tensor(1), LAST_WEIGHTS], tensor(2)),
        [],
        [],
    ),
    "inner reorders": (convolved(Program(), 1, 2), ["convolution"] * 3, []),
    "one that moves nothing": (one("convolution", tensor(1), tensor(2), log=NO_MOVE), [], []),
    "mkldnn: no strides": (one("to_dense", LOST, tensor(2)), [], []),
}


@pytest.mark.parametrize(("program", "copies", "lost"), COPIES.values(), ids=COPIES)
def test_copies_and_lost_formats(program: Program, copies: list[str], lost: list[str]) -> None:
    events = program.trace.events
    named = [(f"aten.{op}.default", "block.conv") for op in copies]
    assert [(each.op, each.module) for each in copies_of(events)] == named
    assert [each.op for each in lost_of(events)] == [f"aten.{op}.default" for op in lost]


def softmaxed(*, last: bool) -> Program:
    """An image of either order, whose places are flattened, weighed and spread again."""
    image = tensor(1, LAST) if last else tensor(1)
    strides = (4608, 1, 32) if last else (4608, 144, 1)
    flat = TraceTensor((2, 32, 144), strides, 0, "float32", 1)
    weighed = tensor(2, (0, 1, 2), (2, 32, 144))
    program = Program().add("view.default", [image], flat).add("_softmax.default", [flat], weighed)
    program.add("view.default", [weighed], tensor(2))
    return program.add("relu.default", [tensor(2)], tensor(3))


def conflicting(mark: str = "a", read: str = "f32", between: str = "acdb") -> Program:
    """A convolution that writes channels_last, handed over as ``between``, and one of blocks."""
    first = conv(32, 32, "acdb", mark=mark)
    first += reorder("acdb", between, "2x32x12x12") if between != "acdb" else ""
    second = conv(32, 32, mark=mark).replace("src:f32", f"src:{read}")
    second = reorder(between, "aBcd16b", "2x32x12x12", types=f"f32 {read}") + second
    program = one("convolution", tensor(1, LAST), tensor(2, LAST), log=first)
    return program.add("convolution.default", [tensor(2, LAST)], tensor(3, LAST), log=second)


def slow(other: str) -> Program:
    """A slow convolution, and one of the same types by ``other``."""
    reference = conv(32, 32, implementation="ref:any", ms="9")
    second = conv(32, 48, implementation=other)
    program = one("convolution", tensor(1), tensor(2), log=reference)
    return program.add("convolution.default", [tensor(5)], tensor(6), log=second)


def small(ms: str) -> Program:
    """Equal operators, each with a reorder of few bytes."""
    program = Program()
    for at in range(13):
        log = reorder("abcd", "acdb", "2x4x4x4", ms)
        program.add("convolution.default", [tensor(2 * at)], tensor(2 * at + 1), log=log)
    return program


def with_relu(program: Program) -> Program:
    convolved(program, 1, 2).add("relu.default", [tensor(2)], tensor(3))
    return convolved(program, 3, 4)


def two_layers(second: int = 2, *, version: int = 0) -> Program:
    """Convolutions one after the other, or beside."""
    return convolved(convolved(Program(), 1, 2), second, second + 1, version=version)


def back(op: str, **more: Any) -> Program:
    """Layers, and what reads the tensor between them on the way back."""
    return two_layers().add(op, [tensor(2)], tensor(4), backward=True, **more)


def to_last_and_back(order: tuple[int, ...] = PLAIN, **more: Any) -> Program:
    to_last = one("clone", tensor(1), tensor(2, LAST))
    return to_last.add("clone.default", [tensor(2, LAST)], tensor(3, order), **more)


def equal_layers() -> Program:
    program = Program()
    for at in (1, 2):
        given = [tensor(at), weights(90 + at)]
        program.add("convolution.default", given, tensor(at + 1), log=LAYER)
    return program


LOSES = one("cumsum", tensor(1, LAST), tensor(2)).add("relu.default", [tensor(2)], tensor(3))
FOUND: dict[str, list[tuple[Program, tuple[int, ...]]]] = {
    "copy": [(shuffled(), (2,))],
    "format_lost": [(softmaxed(last=True), (1,)), (LOSES, (0,))],
    "round_trip": [
        (two_layers(), (4, 6)),
        (back("convolution_backward.default", log=LAYER), (4, 6)),
        (to_last_and_back(), (0, 1)),
    ],
    "weights_each_call": [(two_layers(5), (2, 7))],
    "format_conflict": [
        (conflicting(), (3,)),
        (conflicting(between="abcd"), (2, 4)),
        # Each convolution converts what it reads and writes.
        (with_relu(with_relu(Program())), (1, 4, 7, 10, 12, 15, 18, 21)),
    ],
    "slow_implementation": [(slow("jit:avx2"), (1,))],
    "small_reorders": [(small("0.4"), (*range(3, 26, 2),))],
}
SILENT: dict[str, list[Program]] = {
    # An explicit copy is a copy; flattened plain memory; lost, and nobody minds.
    "format_lost": [
        shuffled(),
        softmaxed(last=False),
        one("cumsum", tensor(1, LAST), tensor(2)),
    ],
    "round_trip": [
        # An operator between needs it; a second reader; two branches; the gradient's; elsewhere.
        with_relu(Program()),
        two_layers().add("add.Tensor", [tensor(2), tensor(3)], tensor(4)),
        convolved(convolved(Program(), 1, 2), 1, 3),
        back("threshold_backward.default"),
        to_last_and_back(backward=True),
        to_last_and_back(order=(0, 3, 2, 1)),
    ],
    # Once; weights that were trained; equal layers.
    "weights_each_call": [convolved(Program(), 1, 2), two_layers(5, version=1), equal_layers()],
    # Another reader; the caller's layouts; a round trip.
    "format_conflict": [
        conflicting().add("relu.default", [tensor(2, LAST)], tensor(4)),
        conflicting(mark=""),
        conflicting(read="bf16"),
        two_layers(),
    ],
    "slow_implementation": [slow("ref:any")],  # no other ran
    "small_reorders": [small("0.001")],  # the clock's step
}


@pytest.mark.parametrize("code", FOUND)
def test_each_finding_and_where_it_is_silent(code: str) -> None:
    for program, events in FOUND[code]:
        (found,) = (x for x in run_of_trace(program.trace).findings if x.code == code)
        assert (found.events, found.certainty) == (events, "certain")
        assert "block.conv (model.py:42)" in found.text
    for at, program in enumerate(SILENT.get(code, [])):
        assert code not in {each.code for each in run_of_trace(program.trace).findings}, at


def test_the_file_gives_the_same_trace() -> None:
    program = convolved(shuffled(), 3, 4).add("to_dense.default", [LOST], tensor(5))
    text = saved(program.trace)
    assert loaded(text) == program.trace
    assert loaded(text).log == LAYER
    run = read_run(text)
    assert run.kind == "stridescope-trace"
    assert run.totals == run_of_trace(program.trace).totals
    events = [run.recorded.event(i) for i in range(len(run.recorded.ids))]
    assert [(e.primitive, e.within) for e in events[5:-1]] == [
        ("aten.convolution.default", None),
        *((name, 5) for name in ("reorder", "reorder", "convolution", "reorder")),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 9}, {"events": 5}, {"events": [{}]}, {"versions": [1]}, {"notes": None},
        {"index": 3}, {"op": 7}, {"ms": "nan"}, {"ms": float("inf")}, {"arguments": []},
        {"inputs": [[1]]}, {"inputs": [[[2], [1, 1], 0, "float32", 1, False, False, 0, "cpu", ""]]},
        {"inputs": [[[2], [-5], 0, "float32", 1, False, False, 0, "cpu", ""]]},
        {"inputs": [[[2**70], [1], 0, "float32", 1, False, False, 0, "cpu", ""]]},
        {"log": 5},
    ],
)  # fmt: skip  # a table
def test_a_file_that_was_changed_is_refused(change: dict[str, object]) -> None:
    said = json.loads(saved(Program().add("relu.default", [tensor(1)], tensor(2)).trace))
    place = said if change.keys() <= said.keys() else said["events"][0]
    place.update(change)
    with pytest.raises(LayoutError):
        loaded(json.dumps(said))


@pytest.mark.parametrize(
    ("written", "functional"),
    [
        (tensor(3, LAST), True),
        (tensor(3, LAST, parameter=True), False),  # an optimiser's step
        (tensor(3, (), (), dtype="int64"), False),  # a counter
        (TraceTensor((2, 3), (6, 1), 0, "float32", 3), False),  # a window
    ],
)
def test_what_writes_in_place_is_its_functional_twin(
    written: TraceTensor, *, functional: bool
) -> None:
    both = {**GIVEN, "other": {"tensor": 1}}
    program = Program().add("relu.default", [tensor(1, LAST)], tensor(2, LAST), arguments=GIVEN)
    program.add("add_.Tensor", [written, tensor(2, LAST)], written, arguments=both)
    program.add("zero_.default", [tensor(2, LAST)], tensor(2, LAST), arguments=GIVEN)
    read = written if functional else tensor(2, LAST)
    program.add("relu.default", [read], tensor(4, LAST), arguments=GIVEN)
    made = graph_of(program.trace)
    assert [node.op for node in made.graph.nodes] == ["relu", *["add"] * functional, "relu"]
    assert made.graph.nodes[-1].inputs == made.graph.nodes[-2].outputs
    assert columns_of(program.trace, made).differences == ()


def test_what_was_written_through_another_view_is_an_input() -> None:
    flat = tensor(2, (0, 1, 2), (2, 32, 144))
    program = Program().add("relu.default", [tensor(1)], tensor(2), arguments=GIVEN)
    program.add("view.default", [tensor(2)], flat, arguments=GIVEN | {"size": [2, 32, 144]})
    program.add("relu_.default", [flat], flat, arguments=GIVEN)
    program.add("relu.default", [tensor(2)], tensor(3), arguments=GIVEN)
    program.add("relu.default", [flat], tensor(4, (0, 1, 2), flat.shape or ()), arguments=GIVEN)
    made = graph_of(program.trace)
    first, view, written, whole, part = made.graph.nodes
    assert view.inputs == first.outputs
    assert whole.inputs == ("x1",)  # and not what was there before the write
    assert part.inputs == written.outputs


def test_the_network_of_a_trace_has_the_traced_strides() -> None:
    program = shuffled().add("relu_.default", [tensor(3)], tensor(3), arguments=GIVEN)
    program.add("odd.default", [tensor(3), LOST], tensor(4))
    program.add("relu.default", [tensor(3)], tensor(7), arguments={"odd": {"tensor": 0}})
    convolved(program, 4, 5).add("relu.default", [tensor(5)], tensor(6), backward=True)
    made = graph_of(program.trace)
    assert [node.op for node in made.graph.nodes] == [
        *("view", "transpose", "clone", "view", "relu", "relu", "conv2d"),
    ]
    assert made.graph.nodes[5].inputs == made.graph.nodes[4].outputs
    assert list(made.graph.constants) == ["w0"]
    found = propagate(made.graph, "pytorch-eager")
    assert found.tensors["t4.0"].layout is not None
    assert made.graph.inputs["x1"].layout.strides == tensor(4).strides  # of what is not known
    columns = columns_of(program.trace, made)
    plan = plan_layouts(made.graph, outputs=dict.fromkeys(made.graph.outputs))
    assert plan.optimal
    assert plan.cost > columns.by_rules  # what nodes move inside is in the plan alone
    assert (columns.compared, columns.least, columns.proven) == (7, found.bytes, False)
    assert columns.measured == sum(each.bytes for each in copies_of(program.trace.events))
    wrong = Program().add("relu.default", [tensor(1, LAST)], tensor(2), arguments=GIVEN).trace
    (difference,) = columns_of(wrong, graph_of(wrong)).differences
    assert (difference.op, difference.traced[1], difference.by_rules[1]) == ("relu", 144, 1)


def test_the_sentence_says_what_to_keep_and_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """channels_last where it was given up or oneDNN converts plain images; else the copies."""
    assert columns_of(shuffled().trace).text.endswith(
        ": keep channels_last through block.conv (model.py:42)."
    )
    plain = Program()
    for at in range(1, 4):
        convolved(plain, at, at + 1)
    found = columns_of(plain.trace)
    assert found.text.endswith(": keep channels_last through block.conv (model.py:42).")
    assert f"by PyTorch's rules 0 bytes would be copied; the least is {found.least} bytes" in (
        found.text
    )
    heads = Program().add("clone.default", [tensor(1, (0, 2, 1, 3))], tensor(2), module="")
    assert columns_of(heads.trace).text.endswith(". Most is copied by model.py:42.")
    assert columns_of(Program().trace).text.endswith("the least is 0 bytes.")
    monkeypatch.setattr("app.engine.runs.trace_network._PLAN_S", 0)
    assert columns_of(shuffled().trace).least is None
    beyond = TraceTensor((2**62, 4), (0, 0), 0, "float32", 1)
    assert columns_if_any(one("relu", beyond, beyond).trace) is None
