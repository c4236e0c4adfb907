"""Advice: the kinds of reorders, and changes whose savings hold when it is counted again."""

import re
from dataclasses import replace
from functools import cache, partial

import pytest

from app.contract.networks import propagated
from app.engine import parse_layout
from app.engine.network import RULE_SETS, Graph, GraphTensor, Propagation, propagate
from app.engine.network.deadline import Deadline
from app.engine.network.examples import EXAMPLES
from app.engine.network.planner import Advice, advise, graph_problem
from tests.engine.network.graphs import chain, node, tensor

_SHAPE = (1, 32, 8, 8)
_COPY = 2 * 32 * 8 * 8 * 4
_W = tensor((32, 32, 3, 3))


@cache
def _found(example: str, rules: str) -> Propagation:
    return propagate(EXAMPLES[example].graph, rules)


def _advice(graph: Graph, rules: str, deadline: Deadline | None = None) -> tuple[Advice, ...]:
    found = propagate(graph, rules)
    return advise(graph, found, lambda changed: propagate(changed, rules), deadline=deadline)


def _net(text: str, **more: GraphTensor) -> Graph:
    constants = {"w": _W, **more}
    return Graph.of(inputs={"x": tensor(_SHAPE)}, constants=constants, nodes=chain(text))


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_reorder_is_of_one_kind(example: str, rules: str) -> None:
    found, graph = _found(example, rules), EXAMPLES[example].graph
    deadline = Deadline.after(60)
    advice = advise(graph, found, lambda changed: propagate(changed, rules), deadline=deadline)
    assert sum(each.count for each in advice) == len(found.reorders)
    assert sum(each.bytes for each in advice) == sum(each.bytes for each in found.reorders)
    assert [each.bytes for each in advice] == sorted((x.bytes for x in advice), reverse=True)
    assert {name for each in advice for name in each.edges} == {x.tensor for x in found.reorders}
    names = {each.name for each in graph.nodes}
    for each in advice:
        assert each.text.endswith(".")
        if each.change is None:
            assert (each.saved_bytes, each.cost_bytes) == (0, 0)
        else:
            assert each.saved_bytes > each.cost_bytes
            assert each.change.keeps in each.text
            assert set(each.change.nodes) <= names


@pytest.mark.parametrize(
    ("text", "rules", "kind", "keeps"),
    [
        # An operator without a rule cuts a channels-last chain: it could have kept it.
        (
            "conv2d(x w) a; neg(a) b; hardswish(b) c; conv2d(c w) y",
            "tvm-relax",
            "NHWC NCHW",
            "c keeps NHWC.",
        ),
        # Whoever makes the input may write another layout; who reads the result may take it.
        ("conv2d(x w) y", "openvino-cpu", "abcd acdb", "Hand x over in acdb."),
        (
            "conv2d(x w) y padding=1",
            "openvino-cpu",
            "acdb abcd",
            "Take y in acdb, without the copy at the end.",
        ),
        (
            "conv2d(x u) a; view(x) y shape=[1,2048]",
            "pytorch-eager",
            "contiguous channels_last",
            "No change of layouts that was tried saves",
        ),
        ("conv2d(x w) y; nonzero(w) z", "openvino-cpu", "abcd acdb", "Hand x over in acdb."),
        # A view is made dense by a convolution: no layout avoids that.
        (
            "to(x) l memory_format=channels_last; chunk(l) c d chunks=2 dim=1; conv2d(c v) y",
            "pytorch-eager",
            "strided channels_last",
            "No change of layouts that was tried saves",
        ),
    ],
)
def test_what_would_have_to_change(text: str, rules: str, kind: str, keeps: str) -> None:
    graph = _net(text, v=tensor((32, 16, 3, 3)), u=tensor((32, 32, 3, 3), (288, 1, 96, 32)))
    advice = {f"{each.source} {each.target}": each for each in _advice(graph, rules)}
    found = advice[kind]
    assert keeps in found.text
    assert (found.change is None) == ("No change" in keeps)
    if rules == "openvino-cpu":
        assert (found.saved_bytes, found.cost_bytes) == (_COPY, 0)


def test_an_input_that_is_handed_over_otherwise_saves_what_is_said() -> None:
    graph = EXAMPLES["unet"].graph
    for rules in ("openvino-cpu", "tvm-relax", "pytorch-inductor"):
        found = propagate(graph, rules)
        into = next(each for each in found.reorders if each.tensor == "x")
        assert into.layouts is not None
        said = next(each for each in _advice(graph, rules) if "x" in each.edges)
        assert said.change is not None
        handed = {
            name: replace(side[name], layout=each.layouts[1])
            for each in found.reorders
            for side in (graph.inputs, graph.constants)
            if (name := each.tensor) in side and name in said.edges and each.layouts
        }
        after = propagate(
            replace(
                graph,
                inputs={**graph.inputs, "x": handed["x"]},
                constants={k: handed.get(k, v) for k, v in graph.constants.items()},
            ),
            rules,
        )
        assert found.bytes - after.bytes == said.saved_bytes - said.cost_bytes


def test_without_time_the_kinds_are_still_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = EXAMPLES["residual-block"].graph
    over = Deadline.after(-1)
    for each in _advice(graph, "onednn", over):
        assert each.change is None
        assert "No time was left" in each.text
        assert each.bytes == _found("residual-block", "onednn").bytes // 2
    monkeypatch.setattr(graph_problem, "_LIMIT_S", -1)
    found = propagate(plain := _net("conv2d(x w) y"), "pytorch-eager")
    again = partial(propagate, rules="pytorch-eager")
    assert [each.change for each in advise(plain, found, again, inside=_COPY)] == [None]
    monkeypatch.setattr(graph_problem, "MOST_LAYOUTS", 1)
    for each in _advice(graph, "onednn"):
        assert "No change was looked for: choices: got" in each.text


def test_advice_is_a_part_of_the_answer() -> None:
    given = {"x": tensor(_SHAPE, dtype="float32")}
    graph = Graph.of(inputs=given, constants={"w": _W}, nodes=[node("conv2d", "x w")])
    answer = propagated(graph, "openvino-cpu", {})
    assert answer["advice"][0] == {
        "source": "abcd",
        "target": "acdb",
        "count": 1,
        "bytes": _COPY,
        "edges": ("x",),
        "change": {"nodes": (), "layout": "acdb", "keeps": "Hand x over in acdb."},
        "cost_bytes": 0,
        "saved_bytes": _COPY,
        "inside": False,
        "text": "abcd to acdb: 1 of this kind, 16.4 kB. Hand x over in acdb. This saves 16.4 kB.",
    }
    (inside,) = propagated(graph, "pytorch-eager", {})["advice"]
    assert (inside["inside"], inside["source"], inside["target"]) == (True, "", "")


@pytest.mark.parametrize("count", [1, 5, 10, 11, 30])
def test_advice_names_what_it_speaks_of(count: int) -> None:
    """Inputs that are handed over: all names, or the first and the last of many."""
    names = [f"weight{i}" for i in range(count)]
    nodes = [node("conv2d", f"x {name}", f"y{i}") for i, name in enumerate(names)]
    weights = dict.fromkeys(names, _W)
    graph = Graph.of(
        inputs={"x": tensor(_SHAPE, (2048, 1, 256, 32))}, constants=weights, nodes=nodes
    )
    (said,) = [
        each["text"]
        for each in propagated(graph, "pytorch-eager", {})["advice"]
        if "Hand" in each["text"]
    ]
    shown = [name for name in names if re.search(rf"\b{name}\b", said)]
    assert shown == (names if count <= 10 else [*names[:9], names[-1]])
    assert (f"{count - 10} more up to" in said) == (count > 10)


@pytest.mark.parametrize("example", ["unet-skip", "resnet-50"])
def test_what_nodes_move_inside_goes_with_other_inputs(example: str) -> None:
    """Eager PyTorch reorders inside each convolution of plain memory: channels_last saves it."""
    graph, rules = EXAMPLES[example].graph, "pytorch-eager"
    before = propagated(graph, rules, {})
    found = [each for each in before["advice"] if each["inside"]]
    assert [(each["bytes"], each["change"]["layout"]) for each in found] == [
        (before["node_cost"], "NHWC")
    ]
    assert found[0]["edges"] == tuple(graph.inputs)
    handed = {**graph.inputs, **{n: t for n, t in graph.constants.items() if t.layout.rank == 4}}
    last = {name: parse_layout("NHWC", each.layout.shape) for name, each in handed.items()}
    after = propagated(graph.handing(last), rules, {})
    assert found[0]["saved_bytes"] == before["cost"] - after["cost"] > 0
