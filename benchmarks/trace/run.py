"""What ``stridescope.trace`` costs an operator, beside an empty dispatch mode, in one run.

Run it where PyTorch is: .venv-conformance/bin/python -m benchmarks.trace.run. Rounds are
interleaved; the table has medians of processor time. The goal is 15 us more than the plain
operator.
"""

import contextlib
import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

import app as stridescope  # the name of the installed package

_ROUNDS, _CALLS = 15, 1000


class _Empty(TorchDispatchMode):  # type: ignore[misc]  # torch has no types here
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        return func(*args, **(kwargs or {}))


class _Adds(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.inner = _Adds(depth - 1) if depth else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Many operators in the innermost module."""
        if self.inner is not None:
            return self.inner(x)
        for _ in range(_CALLS):
            torch.add(x, x)
        return x


_MODES: dict[str, Callable[[], Any]] = {
    "plain": contextlib.nullcontext,
    "empty dispatch mode": _Empty,
    "trace(onednn=False)": lambda: stridescope.trace(onednn=False),
    "trace()": stridescope.trace,
    "trace(time=True)": lambda: stridescope.trace(time=True),
}


def main() -> None:
    """Print microseconds of an addition of four elements, in a module and in four nested ones."""
    x = torch.ones(4)
    torch.set_num_threads(1)
    print(f"{'us an operator':24}{'one module':>12}{'four':>10}")
    rows: dict[str, list[list[float]]] = {name: [[], []] for name in _MODES}
    nets = (_Adds(0), _Adds(3))
    gc.disable()
    with torch.no_grad():
        for _ in range(_ROUNDS):
            for name, mode in _MODES.items():
                for column, net in enumerate(nets):
                    with mode():
                        began = time.thread_time()
                        net(x)
                        spent = time.thread_time() - began
                    rows[name][column].append(spent * 1e6 / _CALLS)
            gc.collect()
    for name, columns in rows.items():
        first, second = map(statistics.median, columns)
        print(f"{name:24}{first:12.2f}{second:10.2f}")


if __name__ == "__main__":
    main()
