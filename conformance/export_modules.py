"""Random modules of PyTorch whose exports do arithmetic with shapes."""

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

Made = tuple[nn.Module, tuple[int, ...]]


class _Call(nn.Module):  # type: ignore[misc]  # torch has no types here
    """A module of layers and a function that uses them."""

    def __init__(self, call: Callable[..., Tensor], **layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleDict(layers)
        self._call = call

    def forward(self, x: Tensor) -> Tensor:
        """What the function returns."""
        return self._call(x, **dict(self.layers.items()))


def _flattened(rng: random.Random) -> Made:
    out, n = rng.choice((4, 8)), rng.choice((8, 12))

    def call(x: Tensor, conv: nn.Module, fc: nn.Module) -> Tensor:
        found = conv(x).relu()
        return fc(found.view(found.shape[0], -1))

    layers = {"conv": nn.Conv2d(3, out, 3, padding=1), "fc": nn.Linear(out * n * n, 10)}
    return _Call(call, **layers), (rng.randint(1, 3), 3, n, n)


def _shuffled(rng: random.Random) -> Made:
    groups = rng.choice((2, 4))

    def call(x: Tensor) -> Tensor:
        n, c, h, w = x.shape
        parts = x.view(n, groups, c // groups, h, w).transpose(1, 2).contiguous()
        return parts.view(n, -1, h, w)

    return _Call(call), (rng.randint(1, 3), 8, rng.randint(4, 9), rng.randint(4, 9))


def _resized(rng: random.Random) -> Made:
    mode = rng.choice(("nearest", "bilinear"))

    def call(x: Tensor, conv: nn.Module) -> Tensor:
        small = conv(x)
        return functional.interpolate(small, size=x.shape[-2:], mode=mode) * 2

    return _Call(call, conv=nn.Conv2d(3, 4, 3, 2, 1)), (
        2,
        3,
        rng.randint(7, 17),
        rng.randint(7, 17),
    )


def _attended(rng: random.Random) -> Made:
    heads, size = rng.choice((2, 4)), rng.choice((4, 8))
    width = heads * size

    def call(x: Tensor, qkv: nn.Module) -> Tensor:
        n, t, c = x.shape
        q, k, v = qkv(x).view(n, t, 3, heads, c // heads).permute(2, 0, 3, 1, 4).unbind(0)
        found = (q @ k.transpose(-1, -2)).softmax(-1) @ v
        return found.transpose(1, 2).reshape(n, t, c)

    return _Call(call, qkv=nn.Linear(width, 3 * width)), (2, rng.randint(3, 9), width)


def _padded(rng: random.Random) -> Made:
    to = rng.choice((4, 8))

    def call(x: Tensor) -> Tensor:
        h, w = x.shape[-2:]
        padded = functional.pad(x, (0, (to - w % to) % to, 0, (to - h % to) % to))
        return padded.flip(-1)[:, :, : h // 2, 1::2]

    return _Call(call), (2, 3, rng.randint(5, 17), rng.randint(5, 17))


def _windowed(rng: random.Random) -> Made:
    side = rng.choice((2, 4))

    def call(x: Tensor) -> Tensor:
        n, c, h, w = x.shape
        rows = x.permute(0, 2, 3, 1).view(n, h // side, side, w // side, side, c)
        return rows.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, side * side, c)

    return _Call(call), (rng.randint(1, 2), 3, 4 * rng.randint(1, 3), 4 * rng.randint(1, 3))


def _counted(rng: random.Random) -> Made:
    def call(x: Tensor) -> Tensor:
        counted = x + torch.arange(x.shape[-1])
        return counted + torch.zeros(x.shape[0], 1, 1, x.shape[-1]) + torch.ones_like(x)

    return _Call(call), (2, 3, rng.randint(2, 9), rng.randint(2, 9))


def _pooled(rng: random.Random) -> Made:
    out = rng.choice((4, 8))

    def call(x: Tensor, conv: nn.Module, norm: nn.Module) -> Tensor:
        return functional.adaptive_avg_pool2d(norm(conv(x)), 1).flatten(1)

    layers = {"conv": nn.Conv2d(3, out, 3), "norm": nn.BatchNorm2d(out)}
    return _Call(call, **layers), (2, 3, rng.randint(5, 12), rng.randint(5, 12))


_MAKERS = (
    _flattened,
    _shuffled,
    _resized,
    _attended,
    _padded,
    _windowed,
    _counted,
    _pooled,
)


def module(rng: random.Random) -> tuple[str, Any, Tensor]:
    """A module, what it is called, and an input of it."""
    maker = rng.choice(_MAKERS)
    made, shape = maker(rng)
    return f"{maker.__name__[1:]} {shape}", made.eval(), torch.randn(shape)
