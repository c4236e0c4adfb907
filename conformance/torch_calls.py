"""The calls of PyTorch that the catalogue's names and attributes stand for."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

_METHODS = frozenset(
    (
        "view",
        "reshape",
        "contiguous",
        "to",
        "double",
        "half",
        "long",
        "expand_as",
        "view_as",
        "reshape_as",
        "type_as",
    )
)
_INDEXED = ("scatter", "scatter_add", "index_add", "index_copy", "index_fill")
Tensors = Sequence[torch.Tensor]
Given = dict[str, Any]
# Calls whose arguments are not the operands and then the attributes by name.
_SPECIAL: dict[str, Callable[[Tensors, Given], Any]] = {
    "einsum": lambda x, given: torch.einsum(given["equation"], *x),
    "where": lambda x, given: torch.where(_condition(x[0]), *x[1:], *given.values()),
    "dropout": lambda x, _: functional.dropout(x[0], training=False),
    "slice": lambda x, given: torch.ops.aten.slice(x[0], **given),
    "unfold_dim": lambda x, given: x[0].unfold(**given),
    "embedding": lambda x, _: functional.embedding(x[0], x[1]),
    "lstm_cell": lambda x, _: torch.lstm_cell(x[0], tuple(x[1:3]), *x[3:]),
    "unfold": lambda x, given: functional.unfold(x[0], **given),
    "mT": lambda x, _: x[0].mT,
    "expand": lambda x, given: x[0].expand(given["size"]),
    "repeat": lambda x, given: x[0].repeat(given["repeats"]),
    "group_norm": lambda x, given: functional.group_norm(x[0], given["num_groups"], *x[1:]),
    "layer_norm": lambda x, given: functional.layer_norm(x[0], given["normalized_shape"]),
    "rms_norm": lambda x, given: functional.rms_norm(x[0], given["normalized_shape"]),
    "index_select": lambda x, given: torch.index_select(x[0], given["dim"], x[1]),
    "gather": lambda x, given: torch.gather(x[0], given["dim"], x[1]),
    "cat": lambda x, given: torch.cat(list(x), **given),
    "stack": lambda x, given: torch.stack(list(x), **given),
    **{
        op: lambda x, given, op=op: getattr(x[0], op)(*given.values(), *x[1:])  # type: ignore[misc]  # a default
        for op in _INDEXED[:-1]
    },
    "index_fill": lambda x, given: x[0].index_fill(given["dim"], x[1], given["value"]),
    "view": lambda x, given: x[0].view(given["shape"]),
    "reshape": lambda x, given: x[0].reshape(given["shape"]),
}


def run(op: str, operands: Tensors, attributes: Given) -> Any:
    """The results of a node: one tensor, or several."""
    given = {name: _value(name, value) for name, value in attributes.items()}
    if op in _SPECIAL:
        return _SPECIAL[op](operands, given)
    if op in _METHODS:
        return getattr(operands[0], op)(*operands[1:], **given)
    home = torch if hasattr(torch, op) and op not in _PREFERRED else functional
    return getattr(home, op)(*operands, **given)


def _condition(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.dtype in {torch.bool, torch.uint8} else tensor > 0


_PREFERRED = frozenset(
    (
        "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
        "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "adaptive_avg_pool1d",
        "adaptive_max_pool1d", "softmax", "log_softmax", "prelu", "celu", "selu", "relu",
        "threshold", "hardshrink", "logsigmoid", "batch_norm", "instance_norm",
    )
)  # fmt: skip  # a list of words, read as one


def _value(name: str, value: Any) -> Any:
    if name in {"dtype", "memory_format"} and isinstance(value, str):
        return getattr(torch, value)
    return value
