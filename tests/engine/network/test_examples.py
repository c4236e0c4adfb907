"""The example networks: sizes of the papers, and JSON that says the same as the graph."""

from collections import Counter

import pytest

from app.contract.networks import NetworkGraph
from app.engine import LayoutError
from app.engine.description.properties import properties
from app.engine.network import RULE_SETS
from app.engine.network.examples import EXAMPLES, find_example

# Convolutions, transposed ones included, and matrix products with weights.
COUNTS = {
    "resnet-50": {"conv": 53, "batch_norm": 53, "add": 16, "linear": 1},
    "mobilenet-v3-large": {"conv": 62, "batch_norm": 46, "mul": 8, "linear": 2},
    "densenet-121": {"conv": 120, "cat": 58, "avg_pool": 3, "linear": 1},
    "unet": {"conv": 19, "conv_transpose": 4, "cat": 4, "max_pool": 4},
    "bert-base": {"permute": 48, "linear": 72, "matmul": 24, "layer_norm": 24},
    "bert-layer": {"permute": 4, "linear": 6, "matmul": 2, "layer_norm": 2},
}
PARAMETERS = {  # torchvision's and the paper's, all learned weights
    "resnet-50": 25_557_032,
    "mobilenet-v3-large": 5_483_032,
    "densenet-121": 7_978_856,
    "bert-base": 85_054_464,
}


@pytest.mark.parametrize("name", COUNTS)
def test_operators_and_parameters_are_those_of_the_paper(name: str) -> None:
    graph = EXAMPLES[name].graph
    found = Counter(node.operator.name for node in graph.nodes)
    assert {each: found[each] for each in COUNTS[name]} == COUNTS[name]
    learned = [x for key, x in graph.constants.items() if not key.endswith((".mean", ".var"))]
    elements = sum(each.layout.elements for each in learned)
    assert elements == PARAMETERS.get(name, elements)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_shape_is_known_and_the_json_is_the_graph(name: str) -> None:
    example = EXAMPLES[name]
    assert all(example.graph.type(tensor) is not None for tensor in example.graph.types)
    assert len(example.graph.outputs) == 1
    parsed = NetworkGraph.model_validate(example.json).parse()
    assert parsed.types == example.graph.types
    assert [node.name for node in parsed.nodes] == [node.name for node in example.graph.nodes]
    assert {k: v.layout for k, v in parsed.inputs.items()} == {
        k: v.layout for k, v in example.graph.inputs.items()
    }


def test_an_unknown_example_is_named_with_the_nearest() -> None:
    with pytest.raises(LayoutError, match="name: ") as caught:
        find_example("resnet50")
    assert caught.value.suggestion == "resnet-50"


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("name", ["conv-norm-relu", "inception-block", "resnet-50"])
def test_what_an_example_shows_is_true_under_its_rules(name: str, rules: str) -> None:
    example = find_example(name)
    graph = example.graph
    found = RULE_SETS[rules].propagate(graph, {})
    written = [found.tensors[text].layout for node in graph.nodes for text in node.outputs]
    last = [each is not None and properties(each).channels_last for each in written]
    dense = [each is None or each.strides is None or properties(each).dense for each in written]
    moved = any(not each.prepared for each in found.reorders)
    holds = {
        "conv-norm-relu": not moved and all(last),
        "inception-block": not dense[0] and last[-1],
        "resnet-50": not moved and written[0] is not None and written[0].strides is None,
    }[name]
    assert (rules in example.shows_under) == holds
