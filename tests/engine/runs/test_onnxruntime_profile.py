"""Profiles of ONNX Runtime: what they say, and what only the saved model says."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.engine.model.errors import LayoutError
from app.engine.runs.onnxruntime_profile import BLOCKED_DOMAIN, ModelNode
from app.engine.runs.report import read_run

SIZES = [2, 16, 20, 20]
LAST = (0, 2, 3, 1)
CONV, PLAIN_CONV = ModelNode("c_nchwc", "Conv", BLOCKED_DOMAIN), ModelNode("c_nchwc", "Conv")
TURNED = ModelNode("t", "Transpose", "", LAST)


def node(
    name: str, op: str, inputs: list[list[int]], output: list[int], start: int, us: int = 40
) -> dict[str, Any]:
    args = {
        "op_name": op,
        "provider": "CPUExecutionProvider",
        "node_index": "7",
        "input_type_shape": [{"float": shape} for shape in inputs],
        "output_type_shape": [{"float": output}],
    }
    name = f"{name}_kernel_time"
    return {"cat": "Node", "pid": 1, "tid": 1, "dur": us, "ts": start, "name": name, "args": args}


def network(channels: int, at: int = 0) -> list[dict[str, Any]]:
    """A blocked convolution with ``channels`` results, padded to 32, then a Transpose."""
    plain, padded = [2, channels, 20, 20], [2, 32, 20, 20]
    return [
        node("t", "Transpose", [plain], [2, 20, 20, channels], at + 900),
        node("ReorderInput", "ReorderInput", [SIZES], SIZES, at),
        node("c_nchwc", "Conv", [SIZES, [32, 16, 3, 3], [32]], padded, at + 100, 400),
        node("ReorderOutput", "ReorderOutput", [padded], plain, at + 600),
        {"cat": "Session", "dur": 1000, "ts": at, "name": "model_run", "args": {}},
    ]


def layouts(run: Any) -> list[list[str | None]]:
    recorded = run.recorded
    return [[o.layout for o in recorded.event(i).operands] for i in range(len(recorded.ids))]


@pytest.mark.parametrize(("channels", "blocked"), [(20, "NCHW16c"), (32, None)])
def test_the_block_is_known_where_channels_are_padded(channels: int, blocked: str | None) -> None:
    run = read_run(json.dumps(network(channels) + network(channels, at=2000)))
    assert layouts(run)[:4] == [
        ["onednn:abcd", blocked],
        [blocked, None, "onednn:a", blocked],
        [blocked, "onednn:abcd"],
        ["onednn:abcd", None],  # no model: the order of the Transpose is not known
    ]
    assert (run.totals.events, run.totals.ms, run.totals.reorders) == (8, 1.04, 6)
    assert run.period is not None
    assert (run.period.events, run.period.times) == (4, 2)
    assert [(o.kind, o.lines, o.ms) for o in run.others] == [("model_run", 2, 2.0)]
    events = network(channels)
    events[-1]["dur"] = 100
    events.append(node("last", "ReorderInput", [[2, 20, 20, 16]], SIZES, 5000))  # of channels last
    more = read_run(json.dumps(events))
    assert "overlapped" in " ".join(more.notes)
    assert layouts(more)[:4] == layouts(run)[:4]


@pytest.mark.parametrize(
    ("nodes", "others", "read"),
    [
        ([ModelNode("add", "Add", blocked=True)], 1, "NCHW16c"),
        ([ModelNode("add", "Add", blocked=False)], 1, "onednn:abcd"),
        (None, 1, None),
        (None, 0, "onednn:abcd"),  # no blocked operator ran
    ],
)
def test_what_runs_between_blocked_operators_has_their_layout(
    nodes: list[ModelNode] | None, others: int, read: str | None
) -> None:
    add = node("add", "Add", [SIZES, SIZES], SIZES, 0)
    text = json.dumps([add, *network(20, at=2000)[: 4 * others]])
    assert layouts(read_run(text, nodes=nodes))[0] == [read] * 3


@pytest.mark.parametrize(("channels", "read"), [(3, "onednn:abcd"), (16, "NCHW16c")])
def test_a_first_convolution_of_few_channels_reads_them_plain(channels: int, read: str) -> None:
    first = node("c_nchwc", "Conv", [[2, channels, 20, 20], [32, channels, 3, 3]], SIZES, 0)
    known = layouts(read_run(json.dumps([first, *network(20, at=2000)])))
    assert known[0][0] == read
    alone = layouts(read_run(json.dumps([first])))
    assert alone[0] == [None if channels == 16 else read, None, None]


@pytest.mark.parametrize(
    ("nodes", "transposed", "blocked", "notes"),
    [
        ([CONV, TURNED], "onednn:acdb", "NCHW16c", 1),
        # Nameless nodes are joined where there are as many; a name that is there twice is not.
        ([replace(TURNED, name=""), PLAIN_CONV], "onednn:acdb", "onednn:abcd", 1),
        ([ModelNode("t", "Transpose", "", (0, 1))] * 2, None, "NCHW16c", 1),
    ],
)
def test_the_model_says_what_the_profile_does_not(
    nodes: list[ModelNode], transposed: str | None, blocked: str, notes: int
) -> None:
    run = read_run(json.dumps(network(20)), nodes=nodes)
    assert layouts(run)[3][1] == transposed
    assert layouts(run)[1][0] == blocked
    assert len(run.notes) == notes


@pytest.mark.parametrize("text", ["", "  ", "[1,", '{"cat": 1}', "[" * 5000, "1" * 5000])
def test_what_is_no_profile_is_refused(text: str) -> None:
    with pytest.raises(LayoutError) as refused:
        read_run(text, "onnxruntime-profile")
    assert refused.value.field == "log"


def test_odd_events_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.engine.runs.onnxruntime_profile._MOST_KEPT", 22)
    odd: list[Any] = [1, None, {}, {"cat": "Node", "name": "x"}, {"cat": 1, "name": "x"}]
    add = node("n", "Add", [[-1]], [2], 0)
    odd += [add | {"dur": value} for value in ("9", None, True, 10**30)]
    odd = [*odd, add | {"ts": float("nan")}, add | {"dur": 10**20}] * 2
    add["args"]["input_type_shape"] = [{"float": s} for s in ([10**30], [-1], [2**62, 4])]
    add["args"]["output_type_shape"] = [{"odd\a": [2]}]
    run = read_run(json.dumps([*odd, add]))
    assert (run.totals.events, run.totals.ms, run.skipped.lines) == (1, 0.04, len(odd))
    assert len(run.skipped.first) == 20
    source, target = run.recorded.event(0).operands
    assert (source.shape, source.dtype, source.layout) == ((2**62, 4), "float32", None)
    assert (target.dtype, target.layout) == ("odd\ufffd", None)
    assert "later ones may be missing" in run.notes[0]
