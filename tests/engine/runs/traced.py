"""Traces for tests, made by hand as PyTorch 2.13 records them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.engine.runs.traces import Trace, TraceEvent, TraceTensor, with_inner

SHAPE = (2, 32, 12, 12)
CONVOLUTION: dict[str, Any] = {
    "input": {"tensor": 0},
    "weight": {"tensor": 1},
    "stride": [1, 1],
    "padding": [1, 1],
    "dilation": [1, 1],
    "groups": 1,
}
LAST, PLAIN = (0, 2, 3, 1), (0, 1, 2, 3)


def tensor(
    storage: int, order: Sequence[int] = PLAIN, shape: Sequence[int] = SHAPE, **more: Any
) -> TraceTensor:
    """A dense tensor; ``order``: dimensions in memory, outermost first."""
    strides = [math.prod(shape[d] for d in order[at + 1 :]) for at in range(len(order))]
    by_dim = tuple(strides[order.index(d)] for d in range(len(shape)))
    return TraceTensor(tuple(shape), by_dim, 0, more.pop("dtype", "float32"), storage, **more)


def weights(storage: int = 90, version: int = 0) -> TraceTensor:
    return tensor(storage, shape=(32, 32, 3, 3), parameter=True, version=version)


@dataclass
class Program:
    """Events in their order, with oneDNN's lines of those that have some."""

    events: list[TraceEvent] = field(default_factory=list)
    logs: dict[int, str] = field(default_factory=dict)

    def add(
        self, op: str, inputs: Sequence[TraceTensor], *outputs: TraceTensor, **more: Any
    ) -> Program:
        """Add an event; ``more``: log, backward, module, arguments."""
        index = len(self.events)
        if log := more.pop("log", ""):
            self.logs[index] = log
        module = more.pop("module", "block.conv")
        made = TraceEvent(
            index, f"aten.{op}", module, "model.py:42", tuple(inputs), outputs, **more
        )
        self.events.append(made)
        return self

    @property
    def trace(self) -> Trace:
        return Trace(tuple(with_inner(iter(self.events), self.logs)), logs=self.logs)
