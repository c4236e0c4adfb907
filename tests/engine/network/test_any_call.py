"""Every operator with operands of any rank: a result, or an error that says why."""

import json
import random
from typing import Any

from app.engine import LayoutError
from app.engine.network import Graph, GraphTensor, NodeSource, propagate
from app.engine.network.attributes import Signature
from app.engine.network.operators import OPERATORS
from app.engine.network.operators.base import Operator
from tests.engine.network.graphs import tensor

_SHAPES = ((), (3,), (0,), (2, 3), (1, 1), (2, 4, 6), (2, 8, 6, 6), (2, 0, 4, 4), (1, 4, 2, 3, 5))
_VALUES: list[Any] = json.loads(
    '[0, 1, 2, -1, 7, -9, 2.5, true, null, "x", "same", "SAME_UPPER", "float32", "area",'
    '"constant", "abc,cd->d", [1], [2, 2], [0, 1], [-1, 2, 3, 0], [], [[1]],'
    "[1000000000, 1000000000], 4611686018427387904]"
)


def random_call(
    rng: random.Random, row: Operator, name: str, signature: Signature
) -> tuple[dict[str, GraphTensor], dict[str, GraphTensor], NodeSource]:
    count = rng.randint(signature.least, len(signature.operands) + signature.variadic)
    inputs: dict[str, GraphTensor] = {}
    constants: dict[str, GraphTensor] = {}
    shape = rng.choice(_SHAPES)
    names = []
    for i in range(count):
        operand = f"x{i}"
        if rng.random() < 0.2:
            values = [rng.choice((-1, 0, 1, 2, 3)) for _ in range(rng.randint(0, 4))]
            constants[operand] = tensor((len(values),), dtype="int64", values=values)
        else:
            chosen = shape if rng.random() < 0.6 else rng.choice(_SHAPES)
            inputs[operand] = tensor(chosen, dtype=rng.choice(("float32", "int64", "bool")))
        names.append("" if i and rng.random() < 0.05 else operand)
    attributes = {
        key: rng.choice(_VALUES)
        for key, attribute in signature.attributes.items()
        if attribute.required or rng.random() < 0.3
    }
    outputs = [f"y{i}" for i in range(rng.choice((1, 1, 1, 2, 3)))]
    return inputs, constants, NodeSource(name, names, outputs, attributes)


def test_any_call_gives_a_result_or_an_error_that_names_its_field() -> None:
    rng = random.Random(10)  # noqa: S311  # random cases, no secrets
    accepted: set[str] = set()
    unnamed: list[object] = []
    for row in OPERATORS:
        calls = [(name, row.torch_call) for name in row.torch]
        calls += [(name, row.onnx_call) for name in row.onnx]
        for name, signature in calls * 40:
            assert signature is not None
            inputs, constants, node = random_call(rng, row, name, signature)
            try:
                graph = Graph.of(inputs=inputs, constants=constants, nodes=[node])
                found = propagate(graph, "pytorch-eager")
            except LayoutError as error:
                unnamed += [] if error.field.startswith("nodes[0].") else [(node, str(error))]
                continue
            accepted.add(row.name)
            for result in node.outputs:
                kind, placed = graph.type(result), found.tensors[result]
                assert (kind is None) == (placed.layout is None), node
                if kind is not None and placed.layout is not None:
                    assert placed.layout.shape == kind.shape, node
    assert not unnamed
    assert len(accepted) > 0.85 * len(OPERATORS)
