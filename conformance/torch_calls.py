"""The calls of PyTorch that the catalogue's names and attributes stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

_METHODS = frozenset(
    (
        "view", "reshape", "expand", "repeat", "contiguous", "to", "double", "float", "half", "bfloat16",
        "expand_as", "view_as", "reshape_as", "type_as", "mT", "index_fill", "masked_fill", "scatter",
    )
)  # fmt: skip
_LISTS = frozenset(("cat", "concat", "stack"))


def run(op: str, operands: Sequence[torch.Tensor | None], attributes: dict[str, Any]) -> Any:
    """The results of a node: one tensor, or several."""
    given = {name: _value(name, value) for name, value in attributes.items()}
    if op in _LISTS:
        return getattr(torch, op)(list(operands), **given)
    if op == "einsum":
        return torch.einsum(given["equation"], *operands)
    first = operands[0]
    assert first is not None
    if op == "where":
        condition = first if first.dtype in {torch.bool, torch.uint8} else first > 0
        rest = list(operands[1:]) + [given[name] for name in ("input", "other") if name in given]
        return torch.where(condition, *rest)
    if op == "dropout":
        return functional.dropout(first, training=False)
    if op == "slice":
        return torch.ops.aten.slice(first, **given)
    if op == "unfold_dim":
        return first.unfold(**given)
    if op == "embedding":
        return functional.embedding(first, operands[1])
    if op == "lstm_cell":
        return torch.lstm_cell(first, tuple(operands[1:3]), *operands[3:])
    if op in {"scatter", "scatter_add", "index_add", "index_copy", "index_fill"}:
        return getattr(first, op)(
            given["dim"], *operands[1:], *[given[k] for k in ("value",) if k in given]
        )
    if op == "take_along_dim":
        return torch.take_along_dim(first, operands[1], **given)
    if op == "unfold":
        return functional.unfold(first, **given)
    if op in {"double", "half", "long"}:
        return getattr(first, op)()
    if op == "mT":
        return first.mT
    if op in {"view", "reshape"}:
        return getattr(first, op)(given["shape"])
    if op == "expand":
        return first.expand(given["size"])
    if op == "repeat":
        return first.repeat(given["repeats"])
    if op in {"batch_norm", "instance_norm"}:
        return getattr(functional, op)(*operands, **given)
    if op == "group_norm":
        return functional.group_norm(first, given["num_groups"], *operands[1:])
    if op in {"layer_norm", "rms_norm"}:
        return getattr(functional, op)(first, given["normalized_shape"], *operands[1:])
    if op == "index_select":
        return torch.index_select(first, given["dim"], operands[1])
    if op == "gather":
        return torch.gather(first, given["dim"], operands[1])
    if op in _METHODS:
        return getattr(first, op)(*operands[1:], **given)
    home = functional if hasattr(functional, op) and not hasattr(torch, op) else torch
    if op in _PREFERRED:
        home = functional
    return getattr(home, op)(*operands, **given)


_PREFERRED = frozenset(
    (
        "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
        "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "adaptive_avg_pool1d",
        "adaptive_max_pool1d", "softmax", "log_softmax", "prelu", "celu", "selu", "relu",
        "threshold", "hardshrink", "logsigmoid",
    )
)  # fmt: skip


def _value(name: str, value: Any) -> Any:
    if name in {"dtype", "memory_format"} and isinstance(value, str):
        return getattr(torch, value)
    return value
