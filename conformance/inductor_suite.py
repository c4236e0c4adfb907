"""Inductor: whether layouts are optimised, and which nodes then prefer channels_last.

The graphs are built as torch.compile has them, of fake tensors on the CPU and on a GPU: nothing is
computed, and no GPU is needed.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import FakeTensorMode

from app.engine.model.dtypes import DEFAULT
from app.engine.model.layout import Layout, packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource
from app.engine.network.rules.pytorch_inductor import decide, preferring
from conformance.report import Comparison

_GRAPHS = 300
_CHANNELS = (1, 3, 8, 16, 24, 32, 64, 65, 96, 128, 192, 256, 512)
_aten = torch.ops.aten


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with inductor."""
    decided = Comparison("pytorch", "inductor: decide_layout_opt of random networks")
    preferred = Comparison("pytorch", "inductor: find_nodes_prefer_channels_last")
    for _ in range(_GRAPHS):
        device = "cpu" if rng.random() < 0.1 else "cuda"
        both = _random(rng, device)
        graph = both.graph()
        module = torch.fx.GraphModule({}, both.live)
        for inference in (True, False):
            ours = decide(graph, device=device, inference=inference).on
            theirs = GraphLowering.decide_layout_opt(module, is_inference=inference)
            decided.equal(ours, bool(theirs), f"{device}, inference {inference}: {both.words()}")
        live: Any = SimpleNamespace(module=module)
        found = {node.name for node in GraphLowering.find_nodes_prefer_channels_last(live)}
        theirs_named = found & {source.name for source in both.nodes}
        ours_named = {graph.nodes[index].name for index in preferring(graph)}
        preferred.equal(sorted(ours_named), sorted(map(str, theirs_named)), both.words())
    yield decided
    yield preferred


def not_compared() -> str:
    """What is not compared, and why."""
    return "inductor: the strides of compiled kernels, which need a compiler and a device each."


@dataclass(slots=True)
class _Both:
    """One network twice: as inductor sees it, and as the engine's graph."""

    device: str
    mode: FakeTensorMode = field(default_factory=lambda: FakeTensorMode(allow_non_fake_inputs=True))
    live: torch.fx.Graph = field(default_factory=torch.fx.Graph)
    inputs: dict[str, GraphTensor] = field(default_factory=dict)
    nodes: list[NodeSource] = field(default_factory=list)
    images: list[torch.fx.Node] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def input(self, shape: Sequence[int]) -> torch.fx.Node:
        """A new input."""
        made = self.live.placeholder(f"x{len(self.inputs)}")
        with self.mode:
            made.meta["val"] = torch.empty(tuple(shape), device=self.device)
        layout = Layout.strided(shape, packed_strides(shape))
        self.inputs[made.name] = GraphTensor(layout, DEFAULT)
        return made

    def call(
        self,
        target: Any,
        arguments: Sequence[Any],
        op: str,
        read: Sequence[torch.fx.Node],
        attributes: dict[str, Any] | None = None,
    ) -> torch.fx.Node:
        """One node in both, ``read`` being its operands."""
        made = self.live.call_function(target, tuple(arguments))
        values = [
            each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in arguments
        ]
        with self.mode:
            made.meta["val"] = target(*values)
        names = [each.name for each in read]
        self.nodes.append(NodeSource(op, names, [made.name], attributes or {}, made.name))
        self.said.append(f"{op} {[tuple(each.meta['val'].shape) for each in read]} {attributes}")
        return made

    def words(self) -> str:
        """The first nodes, for a message."""
        return "; ".join(self.said[:8])

    def graph(self) -> Graph:
        """The engine's graph."""
        return Graph.of(inputs=self.inputs, nodes=self.nodes)


def _random(rng: random.Random, device: str) -> _Both:
    both = _Both(device)
    size = rng.choice((8, 16, 32))
    both.images.append(both.input((1, rng.choice(_CHANNELS), size, size)))
    for _ in range(rng.randint(0, 6)):
        if rng.random() < 0.6:
            _convolution(rng, both)
        else:
            _between(rng, both)
    if rng.random() < 0.1:
        for _ in range(rng.choice((280, 300, 620))):
            _unary(both, both.images[-1])
    both.live.output(both.images[-1])
    return both


def _convolution(rng: random.Random, both: _Both) -> None:
    data = rng.choice(both.images[-3:])
    channels = int(data.meta["val"].shape[1])
    groups = 1
    if rng.random() < 0.3:
        groups = rng.choice([n for n in (2, 4, channels) if channels % n == 0] or [1])
    out = groups * max(1, rng.choice(_CHANNELS) // groups)
    kernel = rng.choice((1, 3))
    transposed = rng.random() < 0.15
    shape = (out, channels // groups, kernel, kernel)
    if transposed:
        shape = (channels, out // groups, kernel, kernel)
    weight = both.input(shape)
    padding = [kernel // 2] * 2
    arguments = (data, weight, None, [1, 1], padding, [1, 1], transposed, [0, 0], groups)
    op = "conv_transpose2d" if transposed else "conv2d"
    attributes = {"padding": kernel // 2, "groups": groups}
    made = both.call(_aten.convolution.default, arguments, op, (data, weight), attributes)
    both.images.append(made)


def _unary(both: _Both, data: torch.fx.Node) -> None:
    both.images.append(both.call(_aten.relu.default, (data,), "relu", (data,)))


def _between(rng: random.Random, both: _Both) -> None:
    data = rng.choice(both.images[-3:])
    kind = rng.random()
    if kind < 0.4:
        _unary(both, data)
    elif kind < 0.7:
        made = both.call(_aten.add.Tensor, (data, data), "add", (data, data))
        both.images.append(made)
    else:
        flat = both.call(_aten.squeeze.dim, (data, 0), "squeeze", (data,), {"dim": 0})
        turned = both.call(
            _aten.transpose.int, (flat, 1, 2), "transpose", (flat,), {"dim0": 1, "dim1": 2}
        )
        product = both.call(_aten.bmm.default, (flat, turned), "bmm", (flat, turned))
        back = both.call(_aten.unsqueeze.default, (product, 0), "unsqueeze", (product,), {"dim": 0})
        both.images.append(back)
