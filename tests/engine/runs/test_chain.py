"""The drawing of a run: its events once each, joined as its links say, and when there is none."""

import pytest

from app.engine.runs.chain import Chain, chain_of
from app.engine.runs.joins import Link
from app.engine.runs.report import Run, read_run, run_of_trace
from app.engine.runs.traces import TraceTensor
from tests.engine.runs.logs import HEADER, line, plain_conv, reorder
from tests.engine.runs.traced import LAST, SHAPE, Program, tensor

ROWS = range(2, 1052)


def made(run: Run) -> Chain:
    found = chain_of(run)
    assert found
    return found


def drawn(run: Run) -> list[tuple[int, int, str, str]]:
    """Of each edge the events that it joins, and the kind and name of its layout."""
    drawing = made(run).drawing
    vertices, edges = drawing.vertices, drawing.edges
    return [
        (vertices[edge.source].first, vertices[edge.target].first, label.kind, label.short)
        for edge, label in zip(edges, made(run).labels, strict=True)
    ]


def test_a_log_s_events_are_joined_as_its_links_are() -> None:
    run = read_run(HEADER + plain_conv(48, 32) + plain_conv(32, 48), None, nodes=None)
    assert [(a, b) for a, b, *_ in drawn(run)] == [(e.source, e.target) for e in run.links]
    assert drawn(run)[0] == (0, 2, "blocked", "aBcd16b")
    assert (2, 3, "blocked", "aBcd16b") in drawn(run)
    assert (3, 4, "plain", "abcd") in drawn(run)
    found = made(run).drawing.vertices
    assert [each.first for each in found] == list(range(len(run.recorded.ids)))
    kinds = {each.first: each.kind for each in found}
    assert (kinds[1], kinds[2]) == ("reorder", "node")
    layers = {each.first: each.layer for each in found}
    assert all(layers[a] < layers[b] for a, b, *_ in drawn(run))


def test_a_long_run_is_drawn_by_its_last_repetition_and_cut_with_a_word() -> None:
    once = plain_conv(16, 32)
    run = read_run(HEADER + once * 5, None, nodes=None)
    first = len(run.recorded.ids) * 4 // 5
    assert min(each.first for each in made(run).drawing.vertices) == first
    many = "".join(reorder("ab", "ba", f"{n}x3") + reorder("ba", "ab", f"{n}x3") for n in ROWS)
    cut = read_run(many, None, nodes=None)
    assert len(made(cut).drawing.vertices) == 2000
    assert made(cut).left_out == 100


def test_of_a_run_with_too_many_long_ways_less_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    early = "".join(reorder("ab", "ba", f"{n}x3") for n in range(10, 110))
    between = (reorder("ab", "ba", "5x3") + reorder("ba", "ab", "5x3")) * 500
    late = "".join(
        line(
            "concat",
            "src:f32::blocked:ba::f0 src:f32::blocked:ab::f0 dst:f32::blocked:ab::f0",
            f"{n}x3:5x3",
            auxiliary="axis:0",
        )
        for n in range(10, 110)
    )
    run = read_run(early + between + late, None, nodes=None)
    assert len(run.links) > 1000
    assert made(run).left_out == 1100  # of the first 200 events the early ones are not read yet
    monkeypatch.setattr("app.engine.runs.chain._FEWER", 2000)
    assert chain_of(run) is None


def test_a_trace_joins_operators_by_their_storages() -> None:
    program = Program().add("relu.default", [tensor(1, LAST)], tensor(2, LAST))
    program.add("convolution.default", [tensor(2, LAST)], tensor(3), log=plain_conv(32, 32))
    program.add("clone.default", [tensor(3)], tensor(4, LAST))
    program.add("add_.Tensor", [tensor(2, LAST), tensor(4, LAST)], tensor(2, LAST))
    program.add("mul.Tensor", [TraceTensor(SHAPE, None, None, "qint8", 2)], tensor(5, LAST))
    alone = reorder("ab", "ba", "2x3")  # what nothing joins is not drawn
    assert chain_of(read_run(alone, None, nodes=None)) is None
    assert made(read_run(alone + plain_conv(48, 32), None, nodes=None)).left_out == 1
    run = run_of_trace(program.trace)
    below = len(program.trace.events[1].inner)
    places = [0, 1, 2 + below, 3 + below, 4 + below]
    relu, conv, clone, add, mul = places
    ways = [(relu, conv, 0), (conv, clone, 0), (relu, add, 0), (clone, add, 1), (add, mul, 0)]
    assert run.links == tuple(Link(*each, 1) for each in ways)
    others = {(a, b): ("last", "NHWC") for a, b, _ in ways} | {(conv, clone): ("plain", "NCHW")}
    others[add, mul] = ("unknown", "not known")
    assert {(a, b): (kind, short) for a, b, kind, short in drawn(run)} == others
    assert [each.first for each in made(run).drawing.vertices] == places


def test_a_long_tag_is_whole_beside_its_edge() -> None:
    tag = "ABcdef8b16a2b4b"
    sides = reorder("abcdef", tag, "2x32x2x2x3x3") + reorder(tag, "abcdef", "2x32x2x2x3x3")
    assert drawn(read_run(sides)) == [(0, 1, "blocked", tag)]
