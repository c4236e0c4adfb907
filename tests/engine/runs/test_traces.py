"""Traces: copies, lost formats and findings, where they are silent, and the file of a trace."""

import json

import pytest

from app.engine.model.errors import LayoutError
from app.engine.network import propagate
from app.engine.network.planner import plan_layouts
from app.engine.runs.copies import copies_of, lost_of
from app.engine.runs.report import read_run, run_of_trace
from app.engine.runs.trace_network import columns_of, graph_of
from app.engine.runs.traces import TraceTensor, loaded, saved
from tests.engine.runs.logs import conv, plain_conv, reorder
from tests.engine.runs.traced import CONVOLUTION, LAST, PLAIN, SHAPE, Program, tensor, weights

LAST_WEIGHTS = tensor(9, LAST, (2, 32, 3, 3))
CONTIGUOUS = {"memory_format": "contiguous_format"}
NO_MOVE = reorder("abcd", "acdb", "2x5x1x1")
LAYER = plain_conv(32, 32)
EXPANDED = TraceTensor(SHAPE, (0, 0, 12, 1), 0, "float32", 1)
ONES = (2, 5, 1, 1)


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
    given = {"self": {"tensor": 0}}
    sizes = {"size": [2, 4, 8, 12, 12]}
    program = Program().add("view.default", [tensor(1, LAST)], groups, arguments=given | sizes)
    dims = {"dim0": 1, "dim1": 2}
    program.add("transpose.int", [groups], turned, arguments=given | dims)
    program.add("clone.default", [turned], copied, arguments=given | CONTIGUOUS)
    sizes = {"size": list(SHAPE)}
    program.add("view.default", [copied], tensor(2), arguments=given | sizes)
    return program.add("relu.default", [tensor(2)], tensor(3), arguments=given)


@pytest.mark.parametrize(
    ("program", "copies", "lost"),
    [
        pytest.param(shuffled(), ["aten.clone.default"], ["aten.clone.default"], id="shuffle"),
        pytest.param(
            Program().add("clone.default", [tensor(1)], tensor(2)), [], [], id="the same order"
        ),
        pytest.param(
            Program().add("_to_copy.default", [tensor(1)], tensor(2, LAST, dtype="float16")),
            [], [], id="another type",
        ),
        pytest.param(
            Program().add("_to_copy.default", [tensor(1)], tensor(2, LAST, device="cuda:0")),
            [], [], id="another device",
        ),
        pytest.param(
            Program().add("contiguous.default", [tensor(1, LAST)], tensor(2)),
            ["aten.contiguous.default"], ["aten.contiguous.default"], id="inference_mode",
        ),
        pytest.param(
            Program().add("copy_.default", [tensor(1), tensor(2, LAST)], tensor(1)),
            ["aten.copy_.default"], [], id="copy_",
        ),
        pytest.param(
            Program().add("reshape.default", [tensor(1, LAST)], tensor(2, (0, 1), (64, 144))),
            ["aten.reshape.default"], [], id="a reshape that copied",
        ),
        pytest.param(
            Program().add("reshape.default", [tensor(1)], tensor(1, (0, 1), (64, 144))),
            [], [], id="a reshape that did not",
        ),
        pytest.param(
            Program().add("clone.default", [EXPANDED], tensor(2)), [], [], id="repeated elements"
        ),
        pytest.param(
            Program().add("clone.default", [tensor(1, LAST, ONES)], tensor(2, PLAIN, ONES)),
            [], [], id="sizes of 1",
        ),
        pytest.param(
            Program().add("relu.default", [tensor(1, LAST)], tensor(2, LAST)), [], [], id="kept"
        ),
        pytest.param(
            Program().add("cumsum.default", [tensor(1, LAST)], tensor(2)),
            [], ["aten.cumsum.default"], id="an operator that loses it",
        ),
        pytest.param(
            Program().add("mean.dim", [tensor(1, LAST)], tensor(2, (0, 1), (2, 32))),
            [], [], id="another rank",
        ),
        pytest.param(
            Program().add("convolution.default", [tensor(1), LAST_WEIGHTS], tensor(2)),
            [], [], id="the weights are channels_last",
        ),
        pytest.param(
            convolved(Program(), 1, 2), ["aten.convolution.default"] * 3, [], id="inner reorders"
        ),
        pytest.param(
            Program().add("convolution.default", [tensor(1)], tensor(2), log=NO_MOVE),
            [], [], id="an inner reorder that moves nothing",
        ),
        pytest.param(
            Program().add(
                "to_dense.default", [TraceTensor(SHAPE, None, None, "float32", None)], tensor(2)
            ),
            [], [], id="mkldnn: no strides",
        ),
    ],
)  # fmt: skip  # a table
def test_copies_and_lost_formats(program: Program, copies: list[str], lost: list[str]) -> None:
    events = program.trace.events
    assert [each.op for each in copies_of(events)] == copies
    assert [each.op for each in lost_of(events)] == lost


def softmaxed(*, last: bool) -> Program:
    """An image of either order, whose places are flattened, weighed and spread again."""
    image = tensor(1, LAST) if last else tensor(1)
    strides = (4608, 1, 32) if last else (4608, 144, 1)
    flat = TraceTensor((2, 32, 144), strides, 0, "float32", 1)
    weighed = tensor(2, (0, 1, 2), (2, 32, 144))
    program = Program().add("view.default", [image], flat).add("_softmax.default", [flat], weighed)
    program.add("view.default", [weighed], tensor(2))
    return program.add("relu.default", [tensor(2)], tensor(3))


def conflicting(mark: str = "a") -> Program:
    """A convolution that writes channels_last, and one that reads blocks."""
    first = conv(32, 32, "acdb", mark=mark)
    second = reorder("acdb", "aBcd16b", "2x32x12x12") + conv(32, 32, mark=mark)
    program = Program().add(
        "convolution.default", [tensor(1, LAST), weights()], tensor(2, LAST), log=first
    )
    given = [tensor(2, LAST), weights(91)]
    return program.add("convolution.default", given, tensor(3, LAST), log=second)


def slow(other: str) -> Program:
    """A slow convolution, and one of the same types by ``other``."""
    program = Program().add(
        "convolution.default", [tensor(1), weights()], tensor(2),
        log=conv(32, 32, implementation="ref:any", ms="9"),
    )  # fmt: skip  # one event
    given = [tensor(5), weights(91)]
    return program.add(
        "convolution.default", given, tensor(6), log=conv(32, 48, implementation=other)
    )


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


@pytest.mark.parametrize(
    ("code", "program", "events"),
    [
        pytest.param("copy", shuffled(), [(2,)], id="shuffle"),
        pytest.param("format_lost", shuffled(), [], id="an explicit copy is a copy"),
        pytest.param("format_lost", softmaxed(last=True), [(1,)], id="flattened, and lost"),
        pytest.param("format_lost", softmaxed(last=False), [], id="flattened plain memory"),
        pytest.param(
            "format_lost",
            Program()
            .add("cumsum.default", [tensor(1, LAST)], tensor(2))
            .add("relu.default", [tensor(2)], tensor(3)),
            [(0,)], id="lost and read",
        ),
        pytest.param(
            "format_lost", Program().add("cumsum.default", [tensor(1, LAST)], tensor(2)),
            [], id="lost, and nobody minds",
        ),
        pytest.param(
            "round_trip", convolved(convolved(Program(), 1, 2), 2, 3), [(4, 6)], id="two layers"
        ),
        pytest.param("round_trip", with_relu(Program()), [], id="an operator between needs it"),
        pytest.param(
            "round_trip",
            convolved(convolved(Program(), 1, 2), 2, 3).add(
                "add.Tensor", [tensor(2), tensor(3)], tensor(4)
            ),
            [], id="a second reader",
        ),
        pytest.param(
            "round_trip", convolved(convolved(Program(), 1, 2), 1, 3), [], id="two branches"
        ),
        pytest.param(
            "round_trip",
            convolved(convolved(Program(), 1, 2), 2, 3).add(
                "convolution_backward.default", [tensor(2)], tensor(4), log=LAYER, backward=True
            ),
            [(4, 6)], id="the backward pass converts it too",
        ),
        pytest.param(
            "round_trip",
            convolved(convolved(Program(), 1, 2), 2, 3).add(
                "threshold_backward.default", [tensor(2)], tensor(4), backward=True
            ),
            [], id="the backward pass reads it as it is",
        ),
        pytest.param(
            "round_trip",
            Program()
            .add("clone.default", [tensor(1)], tensor(2, LAST))
            .add("clone.default", [tensor(2, LAST)], tensor(3)),
            [(0, 1)], id="by two clones",
        ),
        pytest.param(
            "round_trip",
            Program()
            .add("clone.default", [tensor(1)], tensor(2, LAST))
            .add("clone.default", [tensor(2, LAST)], tensor(3), backward=True),
            [], id="the gradient's way back",
        ),
        pytest.param(
            "weights_each_call",
            convolved(convolved(Program(), 1, 2), 5, 6), [(2, 7)], id="the same weights twice",
        ),
        pytest.param("weights_each_call", convolved(Program(), 1, 2), [], id="once"),
        pytest.param(
            "weights_each_call",
            convolved(convolved(Program(), 1, 2), 5, 6, version=1), [], id="weights were trained",
        ),
        pytest.param(
            "weights_each_call",
            Program()
            .add("convolution.default", [tensor(1), weights(90)], tensor(2), log=LAYER)
            .add("convolution.default", [tensor(2), weights(91)], tensor(3), log=LAYER),
            [], id="equal layers",
        ),
        pytest.param("format_conflict", conflicting(), [(3,)], id="two layouts"),
        pytest.param(
            "format_conflict", conflicting().add("relu.default", [tensor(2, LAST)], tensor(4)),
            [], id="two layouts, and another reader",
        ),
        pytest.param("format_conflict", conflicting(mark=""), [], id="the caller's layouts"),
        pytest.param(
            "format_conflict", convolved(convolved(Program(), 1, 2), 2, 3), [], id="a round trip"
        ),
        pytest.param(
            "format_conflict", with_relu(with_relu(Program())), [(1, 4, 7, 10, 12, 15, 18, 21)],
            id="each convolution converts what it reads and writes",
        ),
        pytest.param("slow_implementation", slow("jit:avx2"), [(1,)], id="a reference"),
        pytest.param("slow_implementation", slow("ref:any"), [], id="no other ran"),
        pytest.param("small_reorders", small("0.4"), [(*range(3, 26, 2),)], id="all but the first"),
        pytest.param("small_reorders", small("0.001"), [], id="the clock's step"),
    ],
)  # fmt: skip  # a table
def test_each_finding_and_where_it_is_silent(
    code: str, program: Program, events: list[tuple[int, ...]]
) -> None:
    run = run_of_trace(program.trace)
    found = [each for each in run.findings if each.code == code]
    assert [each.events for each in found] == events
    for each in found:
        assert each.certainty == "certain"
        assert "block.conv (model.py:42)" in each.text


def test_the_file_gives_the_same_trace() -> None:
    program = convolved(shuffled(), 3, 4)
    text = saved(program.trace)
    assert loaded(text) == program.trace
    run = read_run(text)
    assert run.kind == "stridescope-trace"
    assert run.totals == run_of_trace(program.trace).totals
    events = [run.recorded.event(i) for i in range(len(run.recorded.ids))]
    assert [(e.primitive, e.within) for e in events[5:]] == [
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
    ("written", "ops"),
    [
        pytest.param(tensor(3, LAST), ["relu", "add", "relu"], id="an image"),
        pytest.param(tensor(3, LAST, parameter=True), ["relu", "relu"], id="an optimiser's step"),
        pytest.param(tensor(3, (), (), dtype="int64"), ["relu", "relu"], id="a counter"),
        pytest.param(TraceTensor((2, 3), (6, 1), 0, "float32", 3), ["relu", "relu"], id="a window"),
    ],
)
def test_what_writes_in_place_is_its_functional_twin(written: TraceTensor, ops: list[str]) -> None:
    one, two = {"self": {"tensor": 0}}, {"self": {"tensor": 0}, "other": {"tensor": 1}}
    program = Program().add("relu.default", [tensor(1, LAST)], tensor(2, LAST), arguments=one)
    program.add("add_.Tensor", [written, tensor(2, LAST)], written, arguments=two)
    program.add("zero_.default", [tensor(2, LAST)], tensor(2, LAST), arguments=one)
    read = written if len(ops) == 3 else tensor(2, LAST)
    program.add("relu.default", [read], tensor(4, LAST), arguments=one)
    made = graph_of(program.trace)
    assert [node.op for node in made.graph.nodes] == ops
    assert made.graph.nodes[-1].inputs == made.graph.nodes[-2].outputs
    assert columns_of(program.trace, made).differences == ()


def test_what_was_written_through_another_view_is_an_input() -> None:
    given = {"self": {"tensor": 0}}
    flat = tensor(2, (0, 1, 2), (2, 32, 144))
    program = Program().add("relu.default", [tensor(1)], tensor(2), arguments=given)
    program.add("view.default", [tensor(2)], flat, arguments=given | {"size": [2, 32, 144]})
    program.add("relu_.default", [flat], flat, arguments=given)
    program.add("relu.default", [tensor(2)], tensor(3), arguments=given)
    program.add("relu.default", [flat], tensor(4, (0, 1, 2), flat.shape or ()), arguments=given)
    made = graph_of(program.trace)
    first, view, written, whole, part = made.graph.nodes
    assert view.inputs == first.outputs
    assert whole.inputs == ("x1",)  # and not what was there before the write
    assert part.inputs == written.outputs


def test_the_network_of_a_trace_has_the_traced_strides() -> None:
    given = {"self": {"tensor": 0}}
    program = shuffled().add("relu_.default", [tensor(3)], tensor(3), arguments=given)
    program.add("odd.default", [tensor(3)], tensor(4))
    convolved(program, 4, 5)
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
    wrong = Program().add("relu.default", [tensor(1, LAST)], tensor(2), arguments=given).trace
    (difference,) = columns_of(wrong, graph_of(wrong)).differences
    assert (difference.op, difference.traced[1], difference.by_rules[1]) == ("relu", 144, 1)


def test_the_sentence_of_the_columns_names_what_to_keep_and_where() -> None:
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
