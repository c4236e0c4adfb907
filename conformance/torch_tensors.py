"""Random strided tensors of PyTorch, and the same tensors as layouts."""

import random
from collections.abc import Sequence

import torch

from app.engine import parse_layout
from app.engine.model.layout import Layout

_SIZES = (0, 1, 1, 2, 3, 4, 6, 8)
_RANKS = (0, 1, 2, 3, 4, 4, 4, 5, 5, 6)


def random_strided(rng: random.Random, rank: int | None = None) -> tuple[list[int], list[int]]:
    """Sizes and strides: dense in some order, then perhaps some strides changed."""
    rank = rng.choice(_RANKS) if rank is None else rank
    shape = [rng.choice(_SIZES if rng.random() < 0.3 else _SIZES[1:]) for _ in range(rank)]
    return shape, random_strides(rng, shape)


def random_strides(rng: random.Random, shape: Sequence[int]) -> list[int]:
    """Strides for ``shape``, see ``random_strided``."""
    rank = len(shape)
    order = list(range(rank))
    kind = rng.random()
    if kind < 0.3 and rank >= 3:
        order = [0, *range(2, rank), 1]
    elif kind < 0.7:
        rng.shuffle(order)
    strides, step = [0] * rank, 1
    for d in reversed(order):
        strides[d] = step
        step *= max(shape[d], 1)
        if rng.random() < 0.05:
            step += rng.randint(1, 3)
    for d in range(rank):
        change = rng.random()
        if shape[d] == 1 and change < 0.4:
            strides[d] = rng.choice((0, 1, 2, 7, 64))
        elif change < 0.06:
            strides[d] = 0
        elif change < 0.08:
            strides[d] = rng.randint(1, 9)
    return strides


def tensor_of(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> torch.Tensor:
    """A tensor with exactly these strides; its storage is as large as they need."""
    reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if 0 not in shape else 0
    storage = torch.zeros(offset + reach + 1, dtype=torch.float32)
    return storage.as_strided(list(shape), list(strides), offset)


def layout_of(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Layout:
    return parse_layout({"strides": list(strides), "offset": offset}, shape)
