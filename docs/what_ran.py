"""Five programs with a costly layout each, what a trace finds, and the same after the advice.

Run it where PyTorch is: PYTHONPATH=. .venv-conformance/bin/python docs/what_ran.py
`make conformance` runs it, and fails where a finding lacks its line or the advice saves nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

import app as stridescope  # the name of the installed package

_ROUNDS = 15


class HandShuffle(nn.Module):
    """A channel shuffle by view, transpose, contiguous, view: it leaves channels_last."""

    def forward(self, x: Tensor) -> Tensor:
        """The channels of four groups take turns."""
        n, c, h, w = x.shape
        return x.view(n, 4, c // 4, h, w).transpose(1, 2).contiguous().view(n, c, h, w)


class FlatAttention(nn.Module):
    """A softmax over all places: flattened in logical order, which copies channels_last."""

    def forward(self, x: Tensor) -> Tensor:
        """Each channel's places are weighed."""
        return x.flatten(2).softmax(-1).view(x.shape) * x


class PlaceAttention(nn.Module):
    """The same, flattened in the order that the memory of channels_last has."""

    def forward(self, x: Tensor) -> Tensor:
        """Each channel's places are weighed."""
        n, c, h, w = x.shape
        found = x.permute(0, 2, 3, 1).reshape(n, h * w, c).softmax(1)
        return found.view(n, h, w, c).permute(0, 3, 1, 2) * x


class Heads(nn.Module):
    """Splits heads and joins them again. ``fused``: by the attention that keeps the order."""

    def __init__(self, *, fused: bool) -> None:
        super().__init__()
        self.qkv, self.fused = nn.Linear(256, 768), fused

    def forward(self, x: Tensor) -> Tensor:
        """Attention of eight heads."""
        n, t, _ = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, 8, 32).permute(2, 0, 3, 1, 4).unbind(0)
        if self.fused:
            found = functional.scaled_dot_product_attention(q, k, v)
        else:
            found = (q.contiguous() @ k.contiguous().transpose(-1, -2) / 32**0.5).softmax(-1)
            found = found @ v.contiguous()
        return found.transpose(1, 2).reshape(n, t, 256)


def _images(*layers: nn.Module) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(32, 64, 3, padding=1), *layers, nn.Conv2d(64, 32, 1))


def _depthwise() -> nn.Sequential:
    layers = [nn.Conv2d(64, 64, 3, padding=1, groups=64) for _ in range(3)]
    return _images(*layers)


@dataclass(frozen=True)
class Program:
    """A network before and after the advice; ``code``: of the finding that names it."""

    title: str
    code: str
    before: Callable[[], nn.Module]
    after: Callable[[], nn.Module]
    shape: tuple[int, ...] = (4, 32, 56, 56)
    last: tuple[bool, bool] = (True, True)
    training: bool = False


PROGRAMS = (
    Program(
        "channel shuffle, by hand and by nn.ChannelShuffle",
        "copy",
        lambda: _images(HandShuffle()),
        lambda: _images(nn.ChannelShuffle(4)),
    ),
    Program(
        "softmax over places, flattened by the names or by the memory",
        "format_lost",
        lambda: _images(FlatAttention()),
        lambda: _images(PlaceAttention()),
    ),
    Program(
        "depthwise block, in plain memory and in channels_last",
        "round_trip",
        _depthwise,
        _depthwise,
        last=(False, True),
    ),
    Program(
        "head split, copied and fused",
        "copy",
        lambda: Heads(fused=False),
        lambda: Heads(fused=True),
        shape=(8, 128, 256),
    ),
    Program(
        "training step of a depthwise block, in plain memory and in channels_last",
        "round_trip",
        _depthwise,
        _depthwise,
        last=(False, True),
        training=True,
    ),
)


def _ready(make: Callable[[], nn.Module], program: Program, *, last: bool) -> Callable[[], None]:
    torch.manual_seed(0)
    net, x = make(), torch.randn(program.shape)
    if last and x.dim() == 4:
        net, x = (each.to(memory_format=torch.channels_last) for each in (net, x))

    def step() -> None:
        if program.training:
            net.zero_grad()
            net(x).square().mean().backward()
        else:
            with torch.no_grad():
                net(x)

    step()
    return step


def _traced(step: Callable[[], None]) -> stridescope.TracedRun:
    with stridescope.trace(time=True) as run:
        step()
    return run


def _bytes(run: stridescope.TracedRun) -> int:
    """Bytes of copies that were seen, and of those inside kernels, which only the rules know."""
    return run.totals.reorder_bytes + run.columns.by_rules


def _ms(step: Callable[[], None]) -> float:
    """Processor time without a trace. A busy machine only adds to it: the least of some counts."""
    began = time.process_time()
    step()
    return 1000 * (time.process_time() - began)


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main() -> int:
    """Print each finding, then bytes and processor time before and after; the failures."""
    failures = 0
    torch.set_num_threads(1)  # threads that wait for others take processor time
    for program in PROGRAMS:
        say(f"\n{program.title}")
        steps = [
            _ready(make, program, last=last)
            for make, last in zip((program.before, program.after), program.last, strict=True)
        ]
        runs = [_traced(step) for step in steps]
        # Interleaved, so that a busy machine is as busy for both.
        rounds = [[_ms(step) for step in steps] for _ in range(_ROUNDS)]
        found = [each for each in runs[0].findings if each.code == program.code]
        named = [each for each in found if "what_ran.py:" in each.text]
        for each in named:
            say(f"  {each.code} ({each.certainty}): {each.text}")
        say(f"  {runs[0].columns.text}")
        before, after = (
            (_bytes(run), min(times))
            for run, times in zip(runs, zip(*rounds, strict=True), strict=True)
        )
        say(f"  {'':8}{'copied, hidden':>18}{'ms':>10}")
        for name, (size, ms) in (("before", before), ("after", after)):
            say(f"  {name:8}{size:>18,}{ms:>10.2f}")
        if not named or after[0] >= before[0] or after[1] >= before[1]:
            failures += 1
            say("  The finding is missing, or the advice saved nothing.")
    return failures


if __name__ == "__main__":
    raise SystemExit(main())
