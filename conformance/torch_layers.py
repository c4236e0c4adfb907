"""Makers of layers: convolution, pooling, normalisation, products, look-ups."""

import random
from typing import Any

import torch

from conformance.torch_networks import (
    Maker,
    Network,
    float_type,
    random_dim,
    second_operand,
    strided,
)


def conv(op: str, spatial: int) -> Maker:
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
            names.append(net.named(torch.rand(out, dtype=float_type(x))))
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


def pool(op: str, spatial: int) -> Maker:
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


def batch_norm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() < 2 or not x.dtype.is_floating_point:
        return False
    channels = x.shape[1]
    count = rng.choice((2, 4))
    names = [net.named(torch.rand(channels, dtype=float_type(x)) + 0.5) for _ in range(count)]
    return net.add("batch_norm", [name, *names], {})


def instance_norm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("instance_norm", [name], {})


def group_norm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    return net.add("group_norm", [name], {"num_groups": rng.choice((1, 2, 4))})


def layer_norm(op: str) -> Maker:
    return lambda rng, net, name, x: net.add(
        op, [name], {"normalized_shape": list(x.shape[-rng.randint(1, 2) :])}
    )


def interpolate(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    modes = {
        3: ("nearest", "linear"),
        4: ("nearest", "bilinear", "bicubic", "area", "nearest-exact"),
        5: ("nearest", "trilinear", "area"),
    }
    if x.dim() not in modes:
        return False
    given: dict[str, Any] = {"mode": rng.choice(modes[x.dim()])}
    if rng.random() < 0.7:
        given["scale_factor"] = rng.choice((2.0, 1.5, 0.5))
    else:
        given["size"] = rng.choice((1, 3, 5))
    return net.add("interpolate", [name], given)


def antialiased(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() != 4:
        return False
    given = {"mode": rng.choice(("bilinear", "bicubic")), "size": 3, "antialias": True}
    return net.add("interpolate", [name], given)


def pad(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    mode = rng.choice(("constant", "constant", "reflect", "replicate", "circular"))
    count = rng.randint(1, max(x.dim(), 1))
    if mode != "constant":
        count = max(x.dim() - 2, 1)
    low = -1 if mode == "constant" else 0
    return net.add(
        "pad", [name], {"pad": [rng.randint(low, 1) for _ in range(2 * count)], "mode": mode}
    )


def linear(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if not x.dim():
        return False
    weight = net.named(strided(rng, [rng.choice((1, 3, 8)), x.shape[-1]], x.dtype))
    names = [name, weight]
    if rng.random() < 0.5:
        names.append(net.named(torch.rand(net.tensors[weight].shape[0], dtype=float_type(x))))
    return net.add("linear", names, {})


def matmul(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
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


def addmm(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() != 2:
        return False
    other = net.named(strided(rng, [x.shape[1], 3], x.dtype))
    return net.add(
        "addmm", [net.named(strided(rng, rng.choice(([3], [1, 3])), x.dtype)), name, other], {}
    )


def attention(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() not in {3, 4}:
        return False
    others = [second_operand(rng, net, x, x.shape) for _ in range(2)]
    return net.add("scaled_dot_product_attention", [name, *others], {})


def embedding(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros(rng.choice(((), (3,), (2, 3), (1, 4, 2))), dtype=torch.int64))
    if x.dim() == 2:
        return net.add("embedding", [index, name], {})
    return net.add(
        "index_select",
        [name, net.named(torch.zeros(2, dtype=torch.int64))],
        {"dim": random_dim(rng, x)},
    )


def gather(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros([min(n, 2) for n in x.shape], dtype=torch.int64))
    return net.add("gather", [name, index], {"dim": random_dim(rng, x)})


def cell(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
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


def scatter(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros([min(n, 2) for n in x.shape], dtype=torch.int64))
    op = rng.choice(("scatter", "scatter_add", "index_add", "index_copy", "index_fill"))
    d = random_dim(rng, x)
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


def columns(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    given = {"kernel_size": rng.choice((1, 2, 3)), "padding": rng.choice((0, 1))}
    return net.add("unfold", [name], given)


def one_hot(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(strided(rng, x.shape, torch.int64))
    return net.add("one_hot", [index], {"num_classes": 8})


def take(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    index = net.named(torch.zeros([rng.choice((1, n)) for n in x.shape], dtype=torch.int64))
    return net.add("take_along_dim", [name, index], {"dim": random_dim(rng, x)} if x.dim() else {})


def products(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() == 3:
        other = net.named(strided(rng, [x.shape[0], x.shape[2], 3], x.dtype))
        return net.add("baddbmm", [net.named(strided(rng, [3], x.dtype)), name, other], {})
    if x.dim() not in {1, 2}:
        return False
    other = net.named(strided(rng, [x.shape[-1]], x.dtype))
    return net.add("mv" if x.dim() == 2 else "dot", [name, other], {})


def grid_sample(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if x.dim() not in {4, 5}:
        return False
    shape = [x.shape[0], *([3] * (x.dim() - 2)), x.dim() - 2]
    grid = net.named(strided(rng, shape, x.dtype))
    return net.add("grid_sample", [name, grid], {"align_corners": False})


def einsum(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    """A random equation: letters twice in a term, sizes of 1, and what only one operand has."""
    if not 0 < x.dim() <= 4:
        return False
    first = "".join(rng.choices("abcdZ", k=x.dim())) if rng.random() < 0.1 else "abcd"[: x.dim()]
    sizes: dict[str, int] = {"e": 3, "f": 2, "Z": 2}
    for letter, n in zip(first, x.shape, strict=True):
        if sizes.setdefault(letter, n) != n:
            return False
    most = min(3, len(sizes))
    terms = [first] + [
        "".join(rng.sample(sorted(sizes), k=rng.randint(1, most))) for _ in range(rng.randint(0, 2))
    ]
    others = [
        net.named(strided(rng, [sizes[c] if rng.random() < 0.9 else 1 for c in term], x.dtype))
        for term in terms[1:]
    ]
    used = sorted(set("".join(terms)))
    right = "".join(rng.sample(used, k=rng.randint(0, len(used))))
    return net.add("einsum", [name, *others], {"equation": ",".join(terms) + "->" + right})


def bilinear(rng: random.Random, net: Network, name: str, x: torch.Tensor) -> bool:
    if not x.dim():
        return False
    other = net.named(strided(rng, [*x.shape[:-1], 3], x.dtype))
    weight = net.named(strided(rng, [2, x.shape[-1], 3], x.dtype))
    return net.add("bilinear", [name, other, weight], {})
