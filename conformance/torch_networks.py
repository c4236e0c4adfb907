"""Random networks that PyTorch runs node by node, on tensors of all formats."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from conformance.torch_calls import run

_SHAPES = (
    (2, 8, 6, 6), (1, 8, 5, 7), (2, 1, 6, 6), (3, 4, 1, 1), (2, 16, 8, 8), (1, 1, 4, 4),
    (2, 3, 1, 5), (2, 8, 1, 6), (1, 4, 8, 1), (2, 6, 4), (1, 8, 5), (8, 8, 3), (4, 1, 6),
    (2, 4, 3, 4, 5), (1, 8, 2, 4, 4), (2, 1, 4, 4, 4), (2, 4, 1, 6, 2), (4, 6), (1, 8), (5,),
    (), (2, 0, 4, 4), (2, 2, 4, 4, 2, 2),
)  # fmt: skip  # a list of words, read as one
_DTYPES = (torch.float32,) * 12 + (torch.float64, torch.float64, torch.bfloat16, torch.int64)


@dataclass(frozen=True, slots=True)
class Step:
    """One node: ``inputs`` and ``outputs`` are names."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]


@dataclass(slots=True)
class Network:
    """A network as PyTorch ran it, with every tensor."""

    inputs: dict[str, torch.Tensor] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def named(self, tensor: torch.Tensor) -> str:
        """A new input."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.tensors[name] = tensor
        return name

    def add(self, op: str, inputs: Sequence[str], attributes: dict[str, Any]) -> bool:
        """Run one node; False, and no node, if PyTorch refuses it."""
        operands = [self.tensors[name] for name in inputs]
        try:
            found = run(op, operands, attributes)
        except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
            return False
        results = found if isinstance(found, (tuple, list)) else (found,)
        if not results or len(results) > 16 or any(each.numel() > 1 << 16 for each in results):
            return False
        start = len(self.tensors) - len(self.inputs)
        outputs = tuple(f"t{start + i}" for i in range(len(results)))
        self.tensors.update(zip(outputs, results, strict=True))
        self.steps.append(Step(op, tuple(inputs), outputs, attributes))
        return True


def strided(rng: random.Random, shape: Sequence[int], dtype: torch.dtype | None = None) -> Any:
    """A tensor of that shape in one of the formats that networks meet."""
    rank = len(shape)
    kind = rng.random()
    order = list(range(rank))
    if rank in {4, 5} and kind < 0.35:
        order = [0, *range(2, rank), 1]
    elif kind < 0.55:
        rng.shuffle(order)
    gaps = kind > 0.85
    strides, step, reach = [0] * rank, 1, 0
    for d in reversed(order):
        strides[d] = step
        step *= max(shape[d], 1)
        if gaps and rng.random() < 0.3:
            step *= 2
        if gaps and rng.random() < 0.1:
            strides[d] = 0
    for d in range(rank):
        if shape[d] == 1 and rng.random() < 0.15:
            strides[d] = rng.choice((1, 2, 7, 64))
        reach += max(shape[d] - 1, 0) * strides[d]
    offset = rng.choice((0, 0, 0, 3))
    chosen = rng.choice(_DTYPES) if dtype is None else dtype
    storage = torch.rand(reach + offset + 1).mul(4).to(chosen)
    return storage.as_strided(list(shape), strides, offset)


Maker = Callable[[random.Random, Network, str, torch.Tensor], bool]


def random_network(rng: random.Random, makers: Sequence[Maker], length: int) -> Network:
    """A network of about ``length`` nodes, each on a tensor that is there or on a new input."""
    network = Network()
    for _ in range(rng.randint(1, 2)):
        network.named(strided(rng, rng.choice(_SHAPES)))
    tries = 0
    while len(network.steps) < length and tries < 12 * length:
        tries += 1
        names = list(network.tensors)
        if rng.random() < 0.12:
            name = network.named(strided(rng, rng.choice(_SHAPES)))
        else:
            name = rng.choice(names[-8:])
        rng.choice(makers)(rng, network, name, network.tensors[name])
    return network


def second_operand(rng: random.Random, net: Network, x: torch.Tensor, shape: Sequence[int]) -> str:
    """A tensor of that shape: one that is there, or a new one."""
    same = [n for n, each in net.tensors.items() if tuple(each.shape) == tuple(shape)]
    if same and rng.random() < 0.4:
        return rng.choice(same)
    dtype = x.dtype if rng.random() < 0.8 else None
    return net.named(strided(rng, shape, dtype))


def broadcastable(rng: random.Random, shape: Sequence[int]) -> list[int]:
    """A shape that broadcasts with ``shape``."""
    found = [n if rng.random() < 0.7 else 1 for n in shape]
    return found[rng.choice((0, 0, 0, rng.randint(0, len(found)))) :]


def random_dim(rng: random.Random, x: torch.Tensor) -> int:
    """A dimension, perhaps counted from the end."""
    return rng.randint(-x.dim(), max(x.dim() - 1, 0)) if x.dim() else 0


def float_type(x: torch.Tensor) -> torch.dtype:
    """The tensor's type if it is a float, else float32."""
    return x.dtype if x.dtype.is_floating_point else torch.float32
