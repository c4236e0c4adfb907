"""PyTorch's views: reshape and the steps, also with arguments that both must refuse."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch

from app.engine.model.layout import Layout
from app.engine.model.views import NeedsCopy, reshape
from app.engine.notation.view_steps import (
    broadcast,
    chunk,
    narrow,
    permute,
    select,
    squeeze,
    transpose,
    unsqueeze,
)
from conformance.report import Comparison, Refused, asked
from conformance.torch_tensors import layout_of, random_strided, tensor_of

_RESHAPES, _STEPS = 8000, 12000


def compare(rng: random.Random) -> Iterator[Comparison]:
    """One comparison of Tensor.view, then one per step."""
    yield _reshapes(rng)
    yield from _steps(rng)


def _ours(question: Callable[[], Layout | NeedsCopy]) -> object:
    view = asked(question)
    if isinstance(view, NeedsCopy):
        return Refused(view.reason)
    return view if isinstance(view, Refused) else (view.shape, view.strides, view.offset)


def _live(question: Callable[[], torch.Tensor]) -> object:
    found = asked(question, refusal=(RuntimeError, IndexError, ValueError))
    if isinstance(found, Refused):
        return found
    return tuple(found.shape), found.stride(), found.storage_offset()


def _factors(rng: random.Random, shape: Sequence[int]) -> list[int]:
    """Other sizes with the same product, similar to the old ones."""
    sizes: list[int] = []
    for n in shape:
        parts = [n]
        for p in (2, 3):
            if rng.random() < 0.3 and n and n % p == 0:
                parts = [n // p, p] if rng.random() < 0.5 else [p, n // p]
        sizes += parts
    i = 0
    while i + 1 < len(sizes):
        if rng.random() < 0.4:
            sizes[i : i + 2] = [sizes[i] * sizes[i + 1]]
        else:
            i += 1
    while rng.random() < 0.3:
        sizes.insert(rng.randint(0, len(sizes)), 1)
    if rng.random() < 0.1:
        rng.shuffle(sizes)
    if sizes and rng.random() < 0.1:
        sizes[rng.randrange(len(sizes))] = -1
    return sizes


def _reshapes(rng: random.Random) -> Comparison:
    result = Comparison("pytorch", "Tensor.view: strides, or needs a copy")
    for _ in range(_RESHAPES):
        shape, strides = random_strided(rng)
        offset = rng.choice((0, 0, 5))
        sizes = _factors(rng, shape)
        x = tensor_of(shape, strides, offset)
        ours = _ours(partial(reshape, layout_of(shape, strides, offset), sizes))
        result.equal(ours, _live(partial(x.view, sizes)), shape, strides, "view", sizes)
    return result


def _steps(rng: random.Random) -> list[Comparison]:
    names = list(_STEP)
    results = {name: Comparison("pytorch", f"{name}: sizes, strides, offset") for name in names}
    for i in range(_STEPS):
        name = names[i % len(names)]
        shape, strides = random_strided(rng)
        offset = rng.choice((0, 0, 5))
        x, layout = tensor_of(shape, strides, offset), layout_of(shape, strides, offset)
        ours, live, said = _STEP[name](rng, x, layout)
        results[name].equal(_ours(ours), _live(live), shape, strides, said)
    return list(results.values())


_Question = tuple[Callable[[], Layout | NeedsCopy], Callable[[], torch.Tensor], str]


def _dim(rng: random.Random, rank: int) -> int:
    """A dimension, sometimes one that does not exist."""
    return rng.randint(-rank, rank - 1) if rank and rng.random() < 0.97 else rng.choice((rank, 9))


def _ask_permute(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    dims = rng.sample(range(x.dim()), x.dim())
    dims = [d - x.dim() if rng.random() < 0.2 else d for d in dims]
    return (lambda: permute(layout, dims)), (lambda: x.permute(dims)), f"permute {dims}"


def _ask_transpose(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    # PyTorch accepts dimension 0 for a tensor of rank 0.
    a, b = (_dim(rng, x.dim()) for _ in range(2))
    return (
        (lambda: transpose(layout, a, b)),
        (lambda: x.transpose(a, b)),
        f"transpose {a} {b}",
    )


def _ask_narrow(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    d = _dim(rng, x.dim())
    size = x.shape[d] if -x.dim() <= d < x.dim() else 3
    start, length = rng.randint(-size, size), rng.randint(0, size + 1)
    return (
        (lambda: narrow(layout, d, start, length)),
        (lambda: x.narrow(d, start, length)),
        f"narrow {d} {start} {length}",
    )


def _ask_select(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    d = _dim(rng, x.dim())
    index = rng.randint(-4, 4)
    return (lambda: select(layout, d, index)), (lambda: x.select(d, index)), f"select {d} {index}"


def _ask_chunk(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    d = _dim(rng, x.dim())
    chunks, index = rng.randint(0, 5), rng.randint(0, 4)
    return (
        (lambda: chunk(layout, d, chunks, index)),
        (lambda: x.chunk(chunks, d)[index]),
        f"chunk {d} {chunks} {index}",
    )


def _ask_unsqueeze(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    d = rng.randint(-x.dim() - 2, x.dim() + 1)
    return (lambda: unsqueeze(layout, d)), (lambda: x.unsqueeze(d)), f"unsqueeze {d}"


def _ask_squeeze(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    d = _dim(rng, x.dim())
    if rng.random() < 0.3:
        return (lambda: squeeze(layout, None)), x.squeeze, "squeeze"
    return (lambda: squeeze(layout, d)), (lambda: x.squeeze(d)), f"squeeze {d}"


def _ask_expand(rng: random.Random, x: torch.Tensor, layout: Layout) -> _Question:
    sizes = [
        rng.choice((-1, n, n, rng.choice((0, 2, 3)) if n == 1 or rng.random() < 0.1 else n))
        for n in x.shape
    ]
    sizes = [rng.choice((0, 1, 2, 3, 3)) for _ in range(rng.choice((0, 0, 1, 2)))] + sizes
    if x.dim() and rng.random() < 0.05:  # for rank 0 PyTorch gives a tensor of size -1
        sizes.insert(0, -1)
    return (lambda: broadcast(layout, sizes)), (lambda: x.expand(sizes)), f"expand {sizes}"


_STEP: dict[str, Callable[[random.Random, torch.Tensor, Layout], _Question]] = {
    "permute": _ask_permute,
    "transpose": _ask_transpose,
    "narrow": _ask_narrow,
    "select": _ask_select,
    "chunk": _ask_chunk,
    "unsqueeze": _ask_unsqueeze,
    "squeeze": _ask_squeeze,
    "expand": _ask_expand,
}
