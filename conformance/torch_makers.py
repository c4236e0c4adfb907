"""Makers: each adds a random call of one operator to a network."""

import random
from typing import Any

import torch

from conformance import torch_layers as layers
from conformance.torch_networks import (
    Maker,
    Network,
    broadcastable,
    float_type,
    random_dim,
    second_operand,
    strided,
)

_UNARY = (
    "relu", "neg", "abs", "sign", "floor", "ceil", "round", "trunc", "frac", "square", "relu6",
    "hardtanh", "leaky_relu", "nan_to_num", "sigmoid", "tanh", "exp", "log", "sqrt", "reciprocal",
    "erf", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
    "rsqrt", "exp2", "expm1", "log2", "log10", "log1p", "erfc", "hardswish", "hardsigmoid", "silu",
    "gelu", "mish", "elu", "celu", "selu", "softplus", "hardshrink", "softshrink", "logit",
    "logical_not", "isnan", "isinf", "isfinite", "softsign", "tanhshrink", "logsigmoid", "deg2rad",
    "rad2deg", "zeros_like", "ones_like", "dropout", "clone", "contiguous", "bitwise_not", "ravel",
    "mT", "t",
)  # fmt: skip  # a list of words, read as one
_BINARY = (
    "add", "sub", "mul", "div", "eq", "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or",
    "logical_xor", "floor_divide", "remainder", "fmod", "pow", "maximum", "minimum", "fmax", "fmin",
    "atan2", "bitwise_and", "bitwise_or",
)  # fmt: skip  # a list of words, read as one
_NUMBERED = ("add", "sub", "mul", "div", "eq", "gt", "remainder", "fmod", "pow", "rsub")
_FORMATS = {4: ("channels_last", "contiguous_format"), 5: ("channels_last_3d", "contiguous_format")}


def _unary(op: str) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {})


def _binary(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        if rng.random() < 0.2:
            return net.add(op, [name, name], {})
        shape = x.shape if rng.random() < 0.5 else broadcastable(rng, x.shape)
        other = second_operand(rng, net, x, shape)
        names = [name, other] if rng.random() < 0.7 else [other, name]
        return net.add(op, names, {})

    return make


def _numbered(op: str) -> Maker:
    key = "exponent" if op == "pow" else "other"
    return lambda rng, net, name, x: net.add(op, [name], {key: rng.choice((2, 2.5))})


def _numbered_as(op: str, key: str) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {key: rng.choice((0, 1.5))})


def _clamp(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = rng.choice(({"min": -1.0, "max": 1.0}, {"min": 0}, {"max": 1}))
    if rng.random() < 0.3:
        low = second_operand(rng, net, x, broadcastable(rng, x.shape))
        return net.add("clamp", [name, low], {})
    return net.add("clamp", [name], given)


def _three(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        others = [
            second_operand(
                rng, net, x, x.shape if rng.random() < 0.5 else broadcastable(rng, x.shape)
            )
            for _ in range(2)
        ]
        names = [name, *others]
        if op == "where" and rng.random() < 0.5:
            rng.shuffle(names)
        if op == "where" and rng.random() < 0.2:
            return net.add(op, names[:2], {"other": 1.5})
        return net.add(op, names, {})

    return make


def _lerp(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("lerp", [name, second_operand(rng, net, x, x.shape)], {"weight": 0.5})


def _prelu(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    count = rng.choice((1, x.shape[1] if x.dim() > 1 else 1))
    return net.add("prelu", [name, net.named(torch.rand(count, dtype=float_type(x)))], {})


def _masked_fill(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    mask = net.named(strided(rng, broadcastable(rng, x.shape)) > 1)
    return net.add("masked_fill", [name, mask], {"value": 0.5})


def _along(op: str, key: str = "dim", **more: Any) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {key: random_dim(rng, x), **more})


def _reduction(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        dims = rng.sample(range(x.dim()), rng.randint(min(1, x.dim()), min(x.dim(), 3)))
        given: dict[str, Any] = {"dim": dims, "keepdim": rng.random() < 0.5}
        if rng.random() < 0.15 and op not in {"var", "std", "logsumexp"}:
            given = {}
        return net.add(op, [name], given)

    return make


def _arg(op: str) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {"dim": random_dim(rng, x), "keepdim": rng.random() < 0.5}
    )


def _join(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        d = random_dim(rng, x)
        if rng.random() < 0.5 and x.dim() > 1:
            d = 1
        names = [name]
        for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 2)):
            shape = list(x.shape)
            if op == "cat" and shape and rng.random() < 0.3:
                shape[d] = rng.choice((1, 2, 4))
            names.append(second_operand(rng, net, x, shape))
        if rng.random() < 0.2:
            rng.shuffle(names)
        return net.add(op, names, {"dim": d})

    return make


def _roll(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if rng.random() < 0.15:
        return net.add("roll", [name], {"shifts": 1})
    dims = rng.sample(range(x.dim()), min(x.dim(), rng.choice((1, 1, 2))))
    return net.add(
        "roll", [name], {"shifts": [rng.choice((0, 1, -1, 3)) for _ in dims], "dims": dims}
    )


def _view(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        shape = list(x.shape)
        if rng.random() < 0.5 and len(shape) > 1:
            i = rng.randrange(len(shape) - 1)
            shape[i : i + 2] = [shape[i] * shape[i + 1]]
        elif shape:
            i = rng.randrange(len(shape))
            parts = [n for n in (1, 2, 4) if shape[i] % n == 0]
            n = rng.choice(parts)
            shape[i : i + 1] = rng.choice(([n, shape[i] // n], [shape[i] // n, n]))
        if rng.random() < 0.15:
            shape = [shape[0] if shape else 1, -1]
        return net.add(op, [name], {"shape": shape})

    return make


def _permute(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    order = list(range(x.dim()))
    rng.shuffle(order)
    if x.dim() == 4 and rng.random() < 0.5:
        order = rng.choice(([0, 2, 3, 1], [0, 3, 1, 2]))
    return net.add("permute", [name], {"dims": order})


def _two_dims(op: str, a: str, b: str, **more: Any) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {a: random_dim(rng, x), b: random_dim(rng, x), **more}
    )


def _narrow(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    d = random_dim(rng, x)
    size = x.shape[d] if x.dim() else 0
    start = rng.randint(0, size)
    length = rng.randint(min(1, size - start), size - start)
    return net.add("narrow", [name], {"dim": d, "start": start, "length": length})


def _slice(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {"dim": random_dim(rng, x), "start": rng.randint(-3, 3), "end": rng.randint(0, 8)}
    return net.add("slice", [name], {**given, "step": rng.choice((1, 2, 3))})


def _expand(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    shape = [rng.choice((2, 3)) if n == 1 else rng.choice((n, -1)) for n in x.shape]
    return net.add("expand", [name], {"size": [*rng.choice(([], [1], [2], [2, 1])), *shape]})


def _flatten(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    first = rng.randint(0, max(x.dim() - 1, 0))
    last = rng.choice((-1, rng.randint(first, max(x.dim() - 1, 0))))
    return net.add("flatten", [name], {"start_dim": first, "end_dim": last})


def _to(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given: dict[str, Any] = {}
    if rng.random() < 0.5:
        given["dtype"] = rng.choice(("float64", "float32", "bfloat16"))
    if rng.random() < 0.6 and x.dim() in _FORMATS:
        given["memory_format"] = rng.choice(_FORMATS[x.dim()])
    if rng.random() < 0.1:
        given["copy"] = True
    return bool(given) and net.add("to", [name], given)


def _formatted(op: str) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {"memory_format": rng.choice(_FORMATS.get(x.dim(), ("contiguous_format",)))}
    )


def _shuffle(op: str, key: str, *values: int) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {key: rng.choice(values)})


def _movedim(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add(
        "movedim", [name], {"source": random_dim(rng, x), "destination": random_dim(rng, x)}
    )


def _diagonal(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {
        "offset": rng.choice((0, 1, -1)),
        "dim1": random_dim(rng, x),
        "dim2": random_dim(rng, x),
    }
    return net.add("diagonal", [name], given)


def _unfold(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {
        "dimension": random_dim(rng, x),
        "size": rng.choice((1, 2, 3)),
        "step": rng.choice((1, 2)),
    }
    return net.add("unfold_dim", [name], given)


def _as_other(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        shape = list(x.shape)
        if op == "expand_as":
            shape = [2, *(rng.choice((2, 3)) if n == 1 else n for n in shape)]
        elif op != "type_as":
            shape = [x.numel()]
        return net.add(op, [name, net.named(strided(rng, shape))], {})

    return make


def _full(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given: dict[str, Any] = {"fill_value": 1}
    if rng.random() < 0.5:
        given["dtype"] = rng.choice(("float64", "int64"))
    return net.add("full_like", [name], given)


def _flip(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("flip", [name], {"dims": rng.sample(range(x.dim()), min(x.dim(), 2))})


def _unflatten(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add(
        "unflatten", [name], {"dim": random_dim(rng, x), "sizes": rng.choice(([2, -1], [-1, 1]))}
    )


def _repeat(op: str, key: str) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {key: [rng.choice((1, 2)) for _ in range(x.dim() + rng.choice((0, 0, 1)))]}
    )


def _repeat_interleave(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("repeat_interleave", [name], {"repeats": 2, "dim": random_dim(rng, x)})


def _unsqueeze(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("unsqueeze", [name], {"dim": rng.randint(-x.dim() - 1, x.dim())})


def _squeeze(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    dims = rng.sample(range(x.dim()), min(x.dim(), 2))
    return net.add("squeeze", [name], rng.choice(({}, {"dim": random_dim(rng, x)}, {"dim": dims})))


MAKERS: tuple[Maker, ...] = (
    *map(_unary, _UNARY), *map(_binary, _BINARY), *map(_numbered, _NUMBERED), _clamp,
    *map(_three, ("where", "where", "addcmul")), _lerp, _prelu, _masked_fill, _along("glu"),
    _along("softmax"), _along("log_softmax"), _along("softmin"), _along("cumsum"),
    _along("cumprod"), _along("logcumsumexp"), _along("cummax"), _along("sort"),
    _along("argsort"), _along("topk", k=1), _along("normalize"), _along("unbind"),
    *map(_reduction, ("sum", "mean", "amax", "amin", "var", "std", "logsumexp", "any", "all")),
    *map(_arg, ("argmax", "argmin", "max", "min", "prod", "median")),
    *(layers.conv(f"conv{n}d", n) for n in (1, 2, 2, 2, 2, 3)),
    *(layers.conv(f"conv_transpose{n}d", n) for n in (1, 2, 2, 3)),
    *(layers.pool(f"{kind}_pool{n}d", n)
      for n in (1, 2, 3) for kind in ("max", "avg", "adaptive_avg", "adaptive_max", "lp")),
    *(layers.batch_norm,) * 4, layers.instance_norm, *(layers.group_norm,) * 2,
    layers.layer_norm("layer_norm"), layers.layer_norm("rms_norm"),
    _shuffle("local_response_norm", "size", 2, 3), *(layers.interpolate,) * 4,
    *(layers.pad,) * 4, *(_join("cat"),) * 6, *(_join("stack"),) * 3, _roll, _roll,
    *(_view("view"),) * 2, *(_view("reshape"),) * 3, *(_permute,) * 5,
    *(_two_dims("transpose", "dim0", "dim1"),) * 3, _narrow, _narrow, _slice, _slice, _expand,
    _expand, _flatten, _flatten, *(_to,) * 4,
    *map(_formatted, ("contiguous", "clone", "zeros_like")), layers.linear, layers.linear,
    layers.matmul, layers.matmul, layers.matmul, layers.addmm, layers.attention,
    layers.embedding, layers.gather, _shuffle("pixel_shuffle", "upscale_factor", 2),
    _shuffle("pixel_unshuffle", "downscale_factor", 2), _shuffle("channel_shuffle", "groups", 2),
    _shuffle("chunk", "chunks", 2, 3), _along("chunk", chunks=2),
    _along("split", split_size_or_sections=2), _along("tensor_split", indices_or_sections=2),
    _along("select", index=0), _movedim, _diagonal, _unfold, layers.cell, _flip, _flip,
    _unflatten, _repeat("repeat", "repeats"), _repeat("tile", "dims"), _repeat_interleave,
    _unsqueeze, _unsqueeze, _squeeze, _squeeze, _shuffle("tril", "diagonal", 0, 1),
    _shuffle("triu", "diagonal", 0, -1), layers.scatter, layers.scatter,
    *map(_as_other, ("expand_as", "view_as", "reshape_as", "type_as")), layers.columns,
    layers.one_hot, layers.take, layers.products, layers.grid_sample, layers.einsum,
    layers.bilinear, _full, *map(_unary, ("double", "half", "long")), _unary("msort"),
    _along("cummin"),
    *(_numbered_as(op, key) for op, key in ( ("clamp_min", "min"), ("clamp_max", "max"))),
    _two_dims("swapdims", "dim0", "dim1"), _three("addcdiv"), layers.antialiased,
)  # fmt: skip  # a list of words, read as one
