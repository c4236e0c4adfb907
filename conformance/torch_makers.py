"""One maker for each operator of the catalogue: it adds a random call to a network."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch

from conformance.torch_networks import Maker, Network, strided

_UNARY = (
    "relu", "neg", "abs", "sign", "floor", "ceil", "round", "trunc", "frac", "square", "relu6",
    "hardtanh", "leaky_relu", "nan_to_num", "sigmoid", "tanh", "exp", "log", "sqrt", "reciprocal",
    "erf", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
    "rsqrt", "exp2", "expm1", "log2", "log10", "log1p", "erfc", "hardswish", "hardsigmoid", "silu",
    "gelu", "mish", "elu", "celu", "selu", "softplus", "hardshrink", "softshrink", "logit",
    "logical_not", "isnan", "isinf", "isfinite", "softsign", "tanhshrink", "logsigmoid", "deg2rad",
    "rad2deg", "zeros_like", "ones_like", "dropout", "clone", "contiguous", "bitwise_not", "ravel",
    "mT", "t",
)  # fmt: skip
_BINARY = (
    "add", "sub", "mul", "div", "eq", "ne", "gt", "ge", "lt", "le", "logical_and", "logical_or",
    "logical_xor", "floor_divide", "remainder", "fmod", "pow", "maximum", "minimum", "fmax", "fmin",
    "atan2", "bitwise_and", "bitwise_or",
)  # fmt: skip
_NUMBERED = ("add", "sub", "mul", "div", "eq", "gt", "remainder", "fmod", "pow", "rsub")
_FORMATS = {4: ("channels_last", "contiguous_format"), 5: ("channels_last_3d", "contiguous_format")}


def _unary(op: str) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {})


def _second(rng: random.Random, net: Network, x: torch.Tensor, shape: Sequence[int]) -> str:
    """A tensor of that shape: one that is there, or a new one."""
    same = [n for n, each in net.tensors.items() if tuple(each.shape) == tuple(shape)]
    if same and rng.random() < 0.4:
        return rng.choice(same)
    dtype = x.dtype if rng.random() < 0.8 else None
    return net.named(strided(rng, shape, dtype))


def _broadcastable(rng: random.Random, shape: Sequence[int]) -> list[int]:
    found = [n if rng.random() < 0.7 else 1 for n in shape]
    return found[rng.choice((0, 0, 0, rng.randint(0, len(found)))) :]


def _binary(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        if rng.random() < 0.2:
            return net.add(op, [name, name], {})
        shape = x.shape if rng.random() < 0.5 else _broadcastable(rng, x.shape)
        other = _second(rng, net, x, shape)
        names = [name, other] if rng.random() < 0.7 else [other, name]
        return net.add(op, names, {})

    return make


def _numbered(op: str) -> Maker:
    key = "exponent" if op == "pow" else "other"
    return lambda rng, net, name, x: net.add(op, [name], {key: rng.choice((2, 2.5))})


def _numbered_as(op: str, key: str) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {key: rng.choice((0, 1.5))})


def _antialiased(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() != 4:
        return False
    given = {"mode": rng.choice(("bilinear", "bicubic")), "size": 3, "antialias": True}
    return net.add("interpolate", [name], given)


def _clamp(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = rng.choice(({"min": -1.0, "max": 1.0}, {"min": 0}, {"max": 1}))
    if rng.random() < 0.3:
        low = _second(rng, net, x, _broadcastable(rng, x.shape))
        return net.add("clamp", [name, low], {})
    return net.add("clamp", [name], given)


def _three(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        others = [
            _second(rng, net, x, x.shape if rng.random() < 0.5 else _broadcastable(rng, x.shape))
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
    return net.add("lerp", [name, _second(rng, net, x, x.shape)], {"weight": 0.5})


def _prelu(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    count = rng.choice((1, x.shape[1] if x.dim() > 1 else 1))
    return net.add("prelu", [name, net.named(torch.rand(count, dtype=_float(x)))], {})


def _float(x: torch.Tensor) -> torch.dtype:
    return x.dtype if x.dtype.is_floating_point else torch.float32


def _masked_fill(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    mask = net.named(strided(rng, _broadcastable(rng, x.shape)) > 1)
    return net.add("masked_fill", [name, mask], {"value": 0.5})


def _dim(rng: random.Random, x: torch.Tensor) -> int:
    return rng.randint(-x.dim(), max(x.dim() - 1, 0)) if x.dim() else 0


def _along(op: str, key: str = "dim", **more: Any) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {key: _dim(rng, x), **more})


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
        op, [name], {"dim": _dim(rng, x), "keepdim": rng.random() < 0.5}
    )


def _conv(op: str, spatial: int) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        if x.dim() not in {spatial + 1, spatial + 2} or not x.numel():
            return False
        into = x.shape[-spatial - 1]
        groups = rng.choice([g for g in (1, 1, 1, 2, 4, into) if g and into % g == 0] or [1])
        out = groups * rng.choice((1, 2, 4))
        kernel = [rng.choice((1, 1, 3, 5))] * spatial
        transposed = "transpose" in op
        shape = [into, out // groups] if transposed else [out, into // groups]
        weight = net.named(strided(rng, [*shape, *kernel], x.dtype))
        names = [name, weight]
        if rng.random() < 0.3:
            names.append(net.named(torch.rand(out, dtype=_float(x))))
        given: dict[str, Any] = {"padding": rng.choice((0, 1, 2)), "groups": groups}
        if rng.random() < 0.4:
            given["stride"] = rng.choice((1, 2))
        if rng.random() < 0.3:
            given["dilation"] = 2
        if transposed and rng.random() < 0.2:
            given["output_padding"] = 1
        if not transposed and rng.random() < 0.1:
            given = {"padding": "same", "groups": groups}
        return net.add(op, names, given)

    return make


def _pool(op: str, spatial: int) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        if x.dim() not in {spatial + 1, spatial + 2}:
            return False
        if op.startswith("adaptive"):
            return net.add(op, [name], {"output_size": rng.choice((1, 1, 2, 3))})
        given: dict[str, Any] = {"kernel_size": rng.choice((1, 2, 3))}
        if rng.random() < 0.6:
            given["stride"] = rng.choice((1, 2))
        if not op.startswith("lp"):
            given["padding"] = rng.choice((0, 0, given["kernel_size"] // 2))
        else:
            given["norm_type"] = 2
        if rng.random() < 0.2:
            given["ceil_mode"] = True
        return net.add(op, [name], given)

    return make


def _batch_norm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() < 2:
        return False
    channels = x.shape[1]
    count = rng.choice((2, 4))
    names = [net.named(torch.rand(channels, dtype=_float(x)) + 0.5) for _ in range(count)]
    return net.add("batch_norm", [name, *names], {})


def _instance_norm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("instance_norm", [name], {})


def _group_norm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("group_norm", [name], {"num_groups": rng.choice((1, 2, 4))})


def _layer_norm(op: str) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {"normalized_shape": list(x.shape[-rng.randint(1, 2) :])}
    )


def _interpolate(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    modes = {3: ("nearest", "linear"), 4: ("nearest", "bilinear", "bicubic", "area", "nearest-exact"),
             5: ("nearest", "trilinear", "area")}  # fmt: skip
    if x.dim() not in modes:
        return False
    given: dict[str, Any] = {"mode": rng.choice(modes[x.dim()])}
    if rng.random() < 0.7:
        given["scale_factor"] = rng.choice((2.0, 1.5, 0.5))
    else:
        given["size"] = rng.choice((1, 3, 5))
    return net.add("interpolate", [name], given)


def _pad(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    mode = rng.choice(("constant", "constant", "reflect", "replicate", "circular"))
    count = rng.randint(1, max(x.dim(), 1))
    if mode != "constant":
        count = max(x.dim() - 2, 1)
    low = -1 if mode == "constant" else 0
    return net.add(
        "pad", [name], {"pad": [rng.randint(low, 1) for _ in range(2 * count)], "mode": mode}
    )


def _join(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        d = _dim(rng, x)
        if rng.random() < 0.5 and x.dim() > 1:
            d = 1
        names = [name]
        for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 2)):
            shape = list(x.shape)
            if op == "cat" and shape and rng.random() < 0.3:
                shape[d] = rng.choice((1, 2, 4))
            names.append(_second(rng, net, x, shape))
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
    return lambda rng, net, name, x: net.add(op, [name], {a: _dim(rng, x), b: _dim(rng, x), **more})


def _narrow(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    d = _dim(rng, x)
    size = x.shape[d] if x.dim() else 0
    start = rng.randint(0, size)
    length = rng.randint(min(1, size - start), size - start)
    return net.add("narrow", [name], {"dim": d, "start": start, "length": length})


def _slice(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {"dim": _dim(rng, x), "start": rng.randint(-3, 3), "end": rng.randint(0, 8)}
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


def _linear(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if not x.dim():
        return False
    weight = net.named(strided(rng, [rng.choice((1, 3, 8)), x.shape[-1]], x.dtype))
    names = [name, weight]
    if rng.random() < 0.5:
        names.append(net.named(torch.rand(net.tensors[weight].shape[0], dtype=_float(x))))
    return net.add("linear", names, {})


def _matmul(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if not x.dim():
        return False
    kind = rng.random()
    shape = [x.shape[-1], rng.choice((1, 3, 4))]
    if kind < 0.2:
        shape = shape[:1]
    elif kind < 0.6:
        shape = [*(n if rng.random() < 0.7 else 1 for n in x.shape[:-2]), *shape]
    other = net.named(strided(rng, shape, x.dtype))
    op = {2: "mm", 3: "bmm"}.get(x.dim(), "matmul") if rng.random() < 0.2 else "matmul"
    if rng.random() < 0.3 and x.dim() > 1:
        left = [rng.choice((1, 3)), x.shape[-2]]
        return net.add("matmul", [net.named(strided(rng, left, x.dtype)), name], {})
    return net.add(op, [name, other], {})


def _addmm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() != 2:
        return False
    other = net.named(strided(rng, [x.shape[1], 3], x.dtype))
    return net.add(
        "addmm", [net.named(strided(rng, rng.choice(([3], [1, 3])), x.dtype)), name, other], {}
    )


def _attention(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() not in {3, 4}:
        return False
    others = [_second(rng, net, x, x.shape) for _ in range(2)]
    return net.add("scaled_dot_product_attention", [name, *others], {})


def _embedding(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros(rng.choice(((), (3,), (2, 3), (1, 4, 2))), dtype=torch.int64))
    if x.dim() == 2:
        return net.add("embedding", [index, name], {})
    return net.add("index_select", [name, net.named(torch.zeros(2, dtype=torch.int64))],
                   {"dim": _dim(rng, x)})  # fmt: skip


def _gather(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros([min(n, 2) for n in x.shape], dtype=torch.int64))
    return net.add("gather", [name, index], {"dim": _dim(rng, x)})


def _shuffle(op: str, key: str, *values: int) -> Maker:
    return lambda rng, net, name, x: net.add(op, [name], {key: rng.choice(values)})


def _movedim(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("movedim", [name], {"source": _dim(rng, x), "destination": _dim(rng, x)})


def _diagonal(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {"offset": rng.choice((0, 1, -1)), "dim1": _dim(rng, x), "dim2": _dim(rng, x)}
    return net.add("diagonal", [name], given)


def _unfold(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {"dimension": _dim(rng, x), "size": rng.choice((1, 2, 3)), "step": rng.choice((1, 2))}
    return net.add("unfold_dim", [name], given)


def _cell(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() != 2:
        return False
    hidden = rng.choice((1, 3))
    op = rng.choice(("lstm_cell", "gru_cell", "rnn_tanh_cell"))
    gates = {"l": 4, "g": 3, "r": 1}[op[0]]
    state = [
        net.named(strided(rng, [x.shape[0], hidden], x.dtype)) for _ in range(1 + (gates == 4))
    ]
    weights = [net.named(strided(rng, [gates * hidden, n], x.dtype)) for n in (x.shape[1], hidden)]
    return net.add(op, [name, *state, *weights], {})


def _scatter(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros([min(n, 2) for n in x.shape], dtype=torch.int64))
    op = rng.choice(("scatter", "scatter_add", "index_add", "index_copy", "index_fill"))
    d = _dim(rng, x)
    if not x.dim():
        return False
    if op.startswith("scatter"):
        source = net.named(strided(rng, net.tensors[index].shape, x.dtype))
        return net.add(op, [name, index, source], {"dim": d})
    rows = net.named(torch.arange(min(x.shape[d], 1)))
    if op == "index_fill":
        return net.add(op, [name, rows], {"dim": d, "value": 0.5})
    shape = list(x.shape)
    shape[d] = min(x.shape[d], 1)
    return net.add(op, [name, rows, net.named(strided(rng, shape, x.dtype))], {"dim": d})


def _as_other(op: str) -> Maker:
    def make(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
        shape = list(x.shape)
        if op == "expand_as":
            shape = [2, *(rng.choice((2, 3)) if n == 1 else n for n in shape)]
        elif op != "type_as":
            shape = [x.numel()]
        return net.add(op, [name, net.named(strided(rng, shape))], {})

    return make


def _columns(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {"kernel_size": rng.choice((1, 2, 3)), "padding": rng.choice((0, 1))}
    return net.add("unfold", [name], given)


def _one_hot(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(strided(rng, x.shape, torch.int64))
    return net.add("one_hot", [index], {"num_classes": 8})


def _take(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros([rng.choice((1, n)) for n in x.shape], dtype=torch.int64))
    return net.add("take_along_dim", [name, index], {"dim": _dim(rng, x)} if x.dim() else {})


def _products(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() == 3:
        other = net.named(strided(rng, [x.shape[0], x.shape[2], 3], x.dtype))
        return net.add("baddbmm", [net.named(strided(rng, [3], x.dtype)), name, other], {})
    if x.dim() not in {1, 2}:
        return False
    other = net.named(strided(rng, [x.shape[-1]], x.dtype))
    return net.add("mv" if x.dim() == 2 else "dot", [name, other], {})


def _grid_sample(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() not in {4, 5}:
        return False
    shape = [x.shape[0], *([3] * (x.dim() - 2)), x.dim() - 2]
    grid = net.named(strided(rng, shape, x.dtype))
    return net.add("grid_sample", [name, grid], {"align_corners": False})


def _einsum(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() != 4:
        return False
    equation = rng.choice(("abcd,aecd->abe", "abcd,abde->abce", "abcd->adbc", "abcd,abcd->ac",
                           "abcd->ab", "abcd,ed->abce", "abcd,efd->aefc"))  # fmt: skip
    sizes = dict(zip("abcd", x.shape, strict=True)) | {"e": 3, "f": 2}
    terms = equation.split("->")[0].split(",")[1:]
    others = [net.named(strided(rng, [sizes[c] for c in term], x.dtype)) for term in terms]
    return net.add("einsum", [name, *others], {"equation": equation})


def _bilinear(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if not x.dim():
        return False
    other = net.named(strided(rng, [*x.shape[:-1], 3], x.dtype))
    weight = net.named(strided(rng, [2, x.shape[-1], 3], x.dtype))
    return net.add("bilinear", [name, other, weight], {})


def _full(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given: dict[str, Any] = {"fill_value": 1}
    if rng.random() < 0.5:
        given["dtype"] = rng.choice(("float64", "int64"))
    return net.add("full_like", [name], given)


def _flip(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("flip", [name], {"dims": rng.sample(range(x.dim()), min(x.dim(), 2))})


def _unflatten(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add(
        "unflatten", [name], {"dim": _dim(rng, x), "sizes": rng.choice(([2, -1], [-1, 1]))}
    )


def _repeat(op: str, key: str) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {key: [rng.choice((1, 2)) for _ in range(x.dim() + rng.choice((0, 0, 1)))]}
    )


def _repeat_interleave(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("repeat_interleave", [name], {"repeats": 2, "dim": _dim(rng, x)})


def _unsqueeze(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("unsqueeze", [name], {"dim": rng.randint(-x.dim() - 1, x.dim())})


def _squeeze(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    dims = rng.sample(range(x.dim()), min(x.dim(), 2))
    return net.add("squeeze", [name], rng.choice(({}, {"dim": _dim(rng, x)}, {"dim": dims})))


MAKERS: tuple[Maker, ...] = (
    *map(_unary, _UNARY), *map(_binary, _BINARY), *map(_numbered, _NUMBERED),
    _clamp, *map(_three, ("where", "where", "addcmul")), _lerp, _prelu, _masked_fill,
    _along("glu"), _along("softmax"), _along("log_softmax"), _along("softmin"), _along("cumsum"),
    _along("cumprod"), _along("logcumsumexp"), _along("cummax"), _along("sort"), _along("argsort"),
    _along("topk", k=1), _along("normalize"), _along("unbind"),
    *map(_reduction, ("sum", "mean", "amax", "amin", "var", "std", "logsumexp", "any", "all")),
    *map(_arg, ("argmax", "argmin", "max", "min", "prod", "median")),
    *(_conv(f"conv{n}d", n) for n in (1, 2, 2, 2, 2, 3)),
    *(_conv(f"conv_transpose{n}d", n) for n in (1, 2, 2, 3)),
    *(_pool(f"{kind}_pool{n}d", n) for n in (1, 2, 3)
      for kind in ("max", "avg", "adaptive_avg", "adaptive_max", "lp")),
    *(_batch_norm,) * 4, _instance_norm, *(_group_norm,) * 2, _layer_norm("layer_norm"),
    _layer_norm("rms_norm"), _shuffle("local_response_norm", "size", 2, 3),
    *(_interpolate,) * 4, *(_pad,) * 4, *(_join("cat"),) * 6, *(_join("stack"),) * 3, _roll, _roll,
    *(_view("view"),) * 2, *(_view("reshape"),) * 3, *(_permute,) * 5,
    *(_two_dims("transpose", "dim0", "dim1"),) * 3, _narrow, _narrow, _slice, _slice, _expand,
    _expand, _flatten, _flatten, *(_to,) * 4, *map(_formatted, ("contiguous", "clone", "zeros_like")),
    _linear, _linear, _matmul, _matmul, _matmul, _addmm, _attention, _embedding, _gather,
    _shuffle("pixel_shuffle", "upscale_factor", 2), _shuffle("pixel_unshuffle", "downscale_factor", 2),
    _shuffle("channel_shuffle", "groups", 2), _shuffle("chunk", "chunks", 2, 3),
    _along("chunk", chunks=2), _along("split", split_size_or_sections=2),
    _along("tensor_split", indices_or_sections=2), _along("select", index=0), _movedim, _diagonal,
    _unfold, _cell, _flip, _flip, _unflatten, _repeat("repeat", "repeats"), _repeat("tile", "dims"),
    _repeat_interleave, _unsqueeze, _unsqueeze, _squeeze, _squeeze,
    _shuffle("tril", "diagonal", 0, 1), _shuffle("triu", "diagonal", 0, -1), _scatter, _scatter,
    *map(_as_other, ("expand_as", "view_as", "reshape_as", "type_as")), _columns, _one_hot, _take,
    _products, _grid_sample, _einsum, _bilinear, _full, *map(_unary, ("double", "half", "long")),
    _unary("msort"), _along("cummin"), *(_numbered_as(op, key) for op, key in (
        ("clamp_min", "min"), ("clamp_max", "max"))), _two_dims("swapdims", "dim0", "dim1"),
    _three("addcdiv"), _antialiased,
)  # fmt: skip
