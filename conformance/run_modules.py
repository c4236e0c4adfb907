"""Random modules of PyTorch for traces, and a witness of what their operators really saw."""

import random
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from conformance.export_modules import module as exported_module


class _Softmaxed(nn.Module):  # type: ignore[misc]  # torch has no types here
    """Flatten, softmax, unflatten."""

    def forward(self, x: Tensor) -> Tensor:
        """An attention over the places of an image."""
        return x.flatten(2).softmax(-1).unflatten(2, x.shape[2:])


class _InPlace(nn.Module):  # type: ignore[misc]  # torch has no types here
    """Writes where it read, and takes parts of its operand."""

    def forward(self, x: Tensor) -> Tensor:
        """Half of the channels is doubled in place."""
        y = x.clone()
        y[:, ::2].mul_(2)
        return y.relu_()


def _layer(rng: random.Random, channels: int) -> tuple[nn.Module, int]:
    out = rng.choice((8, 16, 24))
    made: list[tuple[nn.Module, int]] = [
        (nn.Conv2d(channels, out, rng.choice((1, 3)), padding=1), out),
        (nn.Conv2d(channels, channels, 3, padding=1, groups=channels), channels),
        (nn.ConvTranspose2d(channels, out, 2, stride=2), out),
        (nn.GroupNorm(4, channels), channels),
        (nn.BatchNorm2d(channels), channels),
        (nn.AvgPool2d(2, ceil_mode=True), channels),
        (nn.MaxPool2d(2, ceil_mode=True), channels),
        (nn.Upsample(scale_factor=2.0), channels),
        (nn.ChannelShuffle(4), channels),
        (nn.SiLU(), channels),
        (_Softmaxed(), channels),
        (_InPlace(), channels),
    ]
    return rng.choice(made)


def module(rng: random.Random) -> tuple[str, nn.Module, Tensor]:
    """A module, what it is called, and an input of it; half are channels_last."""
    if rng.random() < 0.3:
        name, made, x = exported_module(rng)
        return name, made, x
    channels = rng.choice((8, 16))
    x = torch.randn(2, channels, rng.randint(5, 20), rng.randint(5, 20))
    layers = []
    for _ in range(rng.randint(1, 5)):
        layer, channels = _layer(rng, channels)
        layers.append(layer)
    net = nn.Sequential(*layers)
    if rng.random() < 0.5:
        net, x = (each.to(memory_format=torch.channels_last) for each in (net, x))
    return " ".join(type(each).__name__ for each in layers), net.eval(), x


@dataclass(frozen=True, slots=True)
class Seen:
    """The tensors of one operator as the witness saw them."""

    op: str
    inputs: tuple[tuple[Any, ...], ...]
    outputs: tuple[tuple[Any, ...], ...]


class Witness(TorchDispatchMode):  # type: ignore[misc]  # torch has no types here
    """Keeps every tensor alive, so that no address comes again, and asks the tensors themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Seen] = []
        self._kept: list[Tensor] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Ask before and after the operator."""
        del types
        inputs = self._ask((args, list((kwargs or {}).values())))
        result = func(*args, **(kwargs or {}))
        self.seen.append(Seen(str(func), inputs, self._ask(result)))
        return result

    def _ask(self, value: Any) -> tuple[tuple[Any, ...], ...]:
        if isinstance(value, Tensor):
            self._kept.append(value)
            storage = value.untyped_storage()
            dtype = str(value.dtype).removeprefix("torch.")
            facts = (tuple(value.shape), value.stride(), value.storage_offset(), dtype)
            return ((*facts, storage._cdata),)
        if isinstance(value, (list, tuple)):
            return tuple(fact for each in value for fact in self._ask(each))
        return ()
