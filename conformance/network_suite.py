"""Networks: eager PyTorch run node by node, beside the rule set ``pytorch-eager``."""

import random
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from app.engine.model.dtypes import parse_dtype
from app.engine.model.errors import LayoutError
from app.engine.model.layout import Layout
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation, propagate
from conformance.report import Comparison
from conformance.torch_makers import MAKERS
from conformance.torch_networks import Network, Step, random_network

_NETWORKS, _NODES = 2000, 10


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons of networks."""
    warnings.simplefilter("ignore")  # PyTorch's own, for example for an empty reduction
    # With the package opt_einsum installed, PyTorch contracts operands in another order.
    torch.backends.opt_einsum.enabled = False
    torch.manual_seed(rng.randrange(1 << 30))
    networks = Comparison("pytorch", f"networks of {_NODES} nodes: every tensor's strides, views")
    operators: dict[str, int] = {}
    with torch.no_grad():
        for _ in range(_NETWORKS):
            network = random_network(rng, MAKERS, _NODES)
            for step in network.steps:
                operators[step.op] = operators.get(step.op, 0) + 1
            networks.equal(*first_difference(network))
    yield networks
    seen = Comparison("pytorch", f"{len(operators)} operators occur in these networks")
    seen.equal(True, min(operators.values()) > 0)  # noqa: FBT003  # what is found
    yield seen


def not_compared() -> str:
    """What is not compared, and why."""
    return (
        "pytorch networks: training, random operators, devices other than the CPU; convolutions "
        "without elements."
    )


def first_difference(network: Network) -> tuple[object, object, str]:
    """The first result on which engine and PyTorch differ, with its node; equal if none does."""
    try:
        found = carried(network)
    except LayoutError as error:
        last = network.steps[-1]
        for i, step in enumerate(network.steps):
            if f"nodes[{i}]" in error.field:
                last = step
        return str(error), "accepted", _said(network, last)
    for step in network.steps:
        for name in step.outputs:
            ours, live = _ours(found, name), _live(network, step, name)
            if ours != live:
                return ours, live, _said(network, step)
    return None, None, ""


def carried(network: Network) -> Propagation:
    """What the engine says about a network."""
    inputs = {name: _tensor(each) for name, each in network.inputs.items()}
    nodes = [NodeSource(s.op, s.inputs, s.outputs, s.attributes) for s in network.steps]
    return propagate(Graph.of(inputs=inputs, nodes=nodes), "pytorch-eager")


def _tensor(tensor: torch.Tensor) -> GraphTensor:
    layout = Layout.strided(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
    return GraphTensor(layout, parse_dtype(str(tensor.dtype)))


def _ours(found: Propagation, name: str) -> Any:
    placed = found.tensors[name]
    if placed.layout is None or placed.dtype is None:
        return placed.reason
    offset = placed.layout.offset if placed.view else 0
    layout = placed.layout
    return layout.shape, layout.strides, offset, placed.dtype.name, placed.view


def _live(network: Network, step: Step, name: str) -> Any:
    tensor = network.tensors[name]
    operands = [network.tensors[each] for each in step.inputs if each]
    own = tensor.untyped_storage()._cdata  # identity of the storage
    view = any(own == each.untyped_storage()._cdata for each in operands)
    dtype = str(tensor.dtype).removeprefix("torch.")
    offset = tensor.storage_offset() if view else 0
    return tuple(tensor.shape), tensor.stride(), offset, dtype, view


def _said(network: Network, step: Step) -> str:
    operands = [network.tensors[name] for name in step.inputs if name]
    words = [f"{tuple(each.shape)} {each.stride()} {each.dtype}" for each in operands]
    return f"{step.op} {step.attributes} on " + "; ".join(words)
