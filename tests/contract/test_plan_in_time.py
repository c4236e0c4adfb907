"""/plan keeps its time limit as a whole: by a clock that is handed in, and by processor time."""

import time
from typing import Any

import pytest

from app.contract.networks import NetworkGraph
from app.contract.plans import PlanRequest, answer_plan
from app.engine import LayoutError
from app.engine.network import RULE_SETS
from tests.cost import processor_s

Json = dict[str, Any]


class Ticks:
    """A clock on which a millisecond passes whenever somebody looks at it."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks / 1000


def chain(length: int) -> Json:
    """Convolutions, each before two element-wise operators."""
    nodes = []
    for i in range(length):
        read = f"t{i - 1}" if i else "x"
        conv = {"op": "conv2d", "inputs": [read, "w"], "attributes": {"padding": 1}}
        node = {"op": "relu", "inputs": [read]} if i % 3 else conv
        nodes.append({**node, "outputs": [f"t{i}"]})
    x = {"shape": [1, 32, 8, 8], "layout": "NCHW"}
    return {"inputs": {"x": x}, "constants": {"w": {"shape": [32, 32, 3, 3]}}, "nodes": nodes}


def joined(blocks: int) -> Json:
    """Blocks whose convolutions read all results before them: eliminations leave a core."""
    graph, before, channels = chain(1), ["t0"], 32
    for i in range(blocks):
        graph["constants"][f"w{i}"] = {"shape": [32, channels, 1, 1]}
        graph["nodes"] += [
            {"op": "cat", "inputs": before, "outputs": [f"j{i}"], "attributes": {"dim": 1}},
            {"op": "conv2d", "inputs": [f"j{i}", f"w{i}"], "outputs": [f"k{i}"]},
        ]
        before, channels = [*before, f"k{i}"], channels + 32
    return graph


def answered(graph: Json, limit_s: float, clock: Any) -> Json | None:
    """The answer; None where the time was over before there was one."""
    request = PlanRequest.model_validate({"graph": graph, "time_limit_s": limit_s})
    try:
        return answer_plan(request, 600, clock)
    except LayoutError as error:
        said = error.field, f"seconds for {len(graph['nodes'])} nodes" in str(error)
        if said != ("time_limit_s", True):
            raise
        return None


@pytest.mark.parametrize("graph", [chain(60), joined(12)])
def test_no_stage_goes_on_after_the_limit(graph: Json) -> None:
    whole = Ticks()
    full = answered(graph, 5, whole)
    assert full is not None
    assert full["optimal"]
    assert not full["left_out"]
    count = len(full["baselines"])
    seen = set()
    for share in range(1, 20):
        clock = Ticks()
        limit_s = whole() * share / 20
        answer = answered(graph, limit_s, clock)
        # Those who come after only see that it is over, which takes a look each.
        assert clock.looks / 1000 < limit_s + 0.040
        if answer is None:
            seen.add("refused")
            continue
        assert answer["bound"] <= full["cost"] <= answer["cost"]
        assert len(answer["baselines"]) + len(answer["left_out"]) == count
        seen |= {each["reason"] for each in answer["left_out"]}
        seen.add("proven" if answer["optimal"] else "not proven")
    assert seen >= {"refused", "No time was left for it.", "not proven", "proven"}
    assert "Its time was over before it came to an end." in seen


def test_a_network_of_10000_nodes_is_answered_in_its_time() -> None:
    graph = chain(10_000)
    read = NetworkGraph.model_validate(graph)
    # On a quiet machine reading takes 0.1 s; a busy one is slower at all of it alike.
    limit_s = 8 * processor_s(read.parse)
    began_s = time.thread_time()
    answer = answered(graph, limit_s, time.thread_time)
    assert time.thread_time() - began_s < 2 * limit_s  # with the request, and the answer
    assert answer is not None
    assert answer["cost"] >= answer["bound"]
    names = [each["name"] for each in (*answer["baselines"], *answer["left_out"])]
    assert {*RULE_SETS, "all NCHW", "all NHWC", "greedy", "beam of 1024"} == set(names)


def test_a_baseline_that_does_not_know_the_layouts_says_so() -> None:
    graph = chain(3)
    graph["inputs"]["x"]["layout"] = "NCHW16"
    answer = answered(graph, 120, time.monotonic)
    assert answer is not None
    reasons = {each["name"]: each["reason"] for each in answer["left_out"]}
    assert "strides from 0, as PyTorch's tensors have" in reasons["pytorch-eager"]
