"""TVM Relax: the permutations that ConvertLayout inserts into random networks."""

import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tvm import relax

from app.engine.model.dtypes import DEFAULT
from app.engine.model.layout import Layout, packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource, propagate
from app.engine.network.rules.base import plain_name
from conformance.report import Comparison

_NETWORKS = 200
_WISH = {"relax.nn.conv2d": ["NHWC", "OHWI"]}


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with ConvertLayout."""
    warnings.simplefilter("ignore")  # TVM's own
    result = Comparison("tvm", "ConvertLayout of random networks: every permute_dims inserted")
    for _ in range(_NETWORKS):
        both = _random(rng)
        result.equal(both.ours(), both.theirs(), "; ".join(both.said))
    yield result


def not_compared() -> str:
    """What is not compared, and why."""
    return "tvm: ConvertLayout with packed layouts (NCHW4c), which the rules do not offer."


Permutation = tuple[tuple[int, ...], tuple[int, ...]]  # shape in memory, axes


@dataclass(slots=True)
class _Both:
    """One network twice: as a Relax function, and as the engine's graph."""

    builder: relax.BlockBuilder = field(default_factory=relax.BlockBuilder)
    inputs: dict[str, GraphTensor] = field(default_factory=dict)
    variables: list[relax.Var] = field(default_factory=list)
    nodes: list[NodeSource] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    live: dict[str, Any] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    module: Any = None

    def input(self, shape: Sequence[int]) -> str:
        """A new input."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = GraphTensor(Layout.strided(shape, packed_strides(shape)), DEFAULT)
        variable = relax.Var(name, relax.TensorType(tuple(shape), "float32"))
        self.variables.append(variable)
        self.live[name] = variable
        self.shapes[name] = tuple(shape)
        return name

    def add(self, op: str, read: Sequence[str], attributes: dict[str, Any], made: Any) -> str:
        """One node in both."""
        name = f"t{len(self.nodes)}"
        self.live[name] = self.builder.emit(made, name_hint=name)
        shape = tuple(int(n) for n in self.live[name].ty.shape)
        self.shapes[name] = shape
        self.nodes.append(NodeSource(op, list(read), [name], attributes, name))
        self.said.append(f"{name} = {op}({', '.join(read)}) {attributes} {list(shape)}")
        return name

    def ours(self) -> list[Permutation]:
        """The reorders, as permutations of what lies in memory."""
        graph = Graph.of(inputs=self.inputs, nodes=self.nodes, outputs=[self.nodes[-1].outputs[0]])
        found = []
        for move in propagate(graph, "tvm-relax").reorders:
            shape = self.shapes[move.tensor]
            plain = plain_name(len(shape))
            source = [plain.index(letter) for letter in move.source]
            target = [plain.index(letter) for letter in move.target]
            found.append((tuple(shape[d] for d in source), tuple(source.index(d) for d in target)))
        return sorted(each for each in found if _counts(*each))

    def theirs(self) -> list[Permutation]:
        """Every permute_dims after the pass; the networks have none before it."""
        turned = relax.transform.ConvertLayout(_WISH)(self.module)
        found: list[Permutation] = []

        def visit(expression: Any) -> None:
            if isinstance(expression, relax.Call) and "permute_dims" in str(expression.op):
                shape = tuple(int(n) for n in expression.args[0].ty.shape)
                found.append((shape, tuple(int(n) for n in expression.attrs.axes)))

        relax.analysis.post_order_visit(turned["main"], visit)
        return sorted(each for each in found if _counts(*each))


def _counts(shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    """Whether anything moves: sizes of 1 do not."""
    moved = [d for d in axes if shape[d] > 1]
    return moved != sorted(moved)


def _random(rng: random.Random) -> _Both:
    both = _Both()
    size = rng.choice((4, 8))
    start = both.input((2, rng.choice((3, 8)), size, size))
    spare = both.input((2, 8, size, size))
    weights = {(o, i): both.input((o, i, 3, 3)) for o in (3, 8) for i in (3, 8)}
    vectors = {n: both.input((n,)) for n in (1, size)}
    images = [start, spare]
    with both.builder.function("main", both.variables):
        with both.builder.dataflow():
            for _ in range(rng.randint(2, 9)):
                name = _step(rng, both, images, weights, vectors)
                if name and len(both.shapes[name]) == len("NCHW"):
                    images.append(name)
            result = both.builder.emit_output(both.live[both.nodes[-1].outputs[0]])
        both.builder.emit_func_output(result)
    both.module = both.builder.get()
    return both


def _step(
    rng: random.Random,
    both: _Both,
    images: Sequence[str],
    weights: dict[tuple[int, int], str],
    vectors: dict[int, str],
) -> str:
    name = rng.choice(images[-4:])
    shape, live = both.shapes[name], both.live[name]
    kind = rng.randrange(11)
    if kind < 3 and shape[1] in {3, 8}:
        out = rng.choice((3, 8))
        weight = weights[out, shape[1]]
        made = relax.op.nn.conv2d(live, both.live[weight], padding=1)
        return both.add("conv2d", [name, weight], {"padding": 1}, made)
    if kind == 4:
        return both.add("clamp", [name], {"min": 0}, relax.op.clip(live, 0, 6))
    if kind in {5, 6}:
        same = [other for other in images if both.shapes[other] == shape]
        other = rng.choice([*same, *(v for n, v in vectors.items() if n in {1, shape[3]})])
        pair = [name, other] if rng.random() < 0.5 else [other, name]
        made = relax.op.add(both.live[pair[0]], both.live[pair[1]])
        return both.add("add", pair, {}, made)
    if kind == 7:
        same = [other for other in images if both.shapes[other] == shape]
        pair = [name, rng.choice(same)]
        made = relax.op.concat([both.live[each] for each in pair], axis=1)
        return both.add("cat", pair, {"dim": 1}, made)
    if kind == 8:
        made = relax.op.nn.softmax(live, axis=1)
        return both.add("softmax", [name], {"dim": 1}, made)
    if kind == 9:
        axes = rng.choice(([1], [2, 3], [0], [1, 3]))
        keep = rng.random() < 0.5
        made = relax.op.mean(live, axis=axes, keepdims=keep)
        return both.add("mean", [name], {"dim": axes, "keepdim": keep}, made)
    rule: Callable[..., Any] = rng.choice((relax.op.nn.relu, relax.op.tanh))
    return both.add("relu" if rule is relax.op.nn.relu else "tanh", [name], {}, rule(live))
