"""PyTorch: predicates, memory formats, views and element-wise results, eager on the CPU."""

import random
from collections.abc import Iterator, Sequence

import torch

from app.engine import parse_layout
from app.engine.description.properties import properties
from app.engine.description.sizes import buffer_sizes
from app.engine.model.dtypes import DEFAULT
from app.engine.network.rules.pytorch_eager.memory import iterate
from app.engine.notation import notations
from conformance import torch_views
from conformance.report import Comparison, asked
from conformance.torch_tensors import layout_of, random_strided, random_strides, tensor_of

_PREDICATES, _FORMATS, _ELEMENTWISE = 8000, 1500, 12000


def compare(rng: random.Random) -> Iterator[Comparison]:
    """All comparisons with PyTorch."""
    yield _predicates(rng)
    yield _formats(rng)
    yield from torch_views.compare(rng)
    for count in (1, 2, 3):
        yield _elementwise(rng, count)


def not_compared() -> str:
    """What is not compared with PyTorch, and why."""
    return (
        "pytorch: negative strides and swizzles, which it does not have; flip, which copies there; "
        "blocked layouts, which its strides cannot express; overlapping element-wise "
        "outputs; expand(-1) of rank 0, which gives a tensor of size -1 in PyTorch."
    )


def _predicates(rng: random.Random) -> Comparison:
    result = Comparison(
        "pytorch", "dense, contiguous, channels_last(_3d); storage of empty_strided"
    )
    for _ in range(_PREDICATES):
        shape, strides = random_strided(rng)
        x = tensor_of(shape, strides)
        live = {
            "dense": torch.ops.aten.is_non_overlapping_and_dense(x),
            "contiguous": x.is_contiguous(),
            "channels_last": len(shape) == 4 and x.is_contiguous(memory_format=torch.channels_last),
            "channels_last_3d": len(shape) == 5
            and x.is_contiguous(memory_format=torch.channels_last_3d),
            "bytes": _storage_bytes(shape, strides),
        }
        layout = layout_of(shape, strides)
        found = properties(layout)
        ours = {name: getattr(found, name) for name in list(live)[:-1]}
        ours["bytes"] = buffer_sizes(layout, DEFAULT)[0]["pytorch"]
        result.equal(ours, live, shape, strides)
    return result


def _storage_bytes(shape: Sequence[int], strides: Sequence[int]) -> int:
    fresh = torch.empty_strided(list(shape), list(strides), dtype=torch.float32)
    return int(fresh.untyped_storage().nbytes())


def _formats(rng: random.Random) -> Comparison:
    result = Comparison("pytorch", "to(memory_format): strides; text of stride() read and written")
    names = {"contiguous_format": (0, 6), "channels_last": (4, 4), "channels_last_3d": (5, 5)}
    for _ in range(_FORMATS):
        name = rng.choice(list(names))
        rank = rng.randint(*names[name])
        shape, strides = random_strided(rng, rank)
        live = torch.empty(shape, memory_format=getattr(torch, name)).stride()
        ours = parse_layout(f"pytorch:{name}", shape).strides
        result.equal(ours, live, name, shape)
        x = tensor_of(shape, strides)
        text = str(tuple(x.stride())) if rank else "()"
        again = parse_layout(f"pytorch:{text}", shape)
        said = notations(again, DEFAULT)["pytorch"]
        result.equal((again.strides, said.get("text")), (x.stride(), text), shape, text)
    return result


def _elementwise(rng: random.Random, count: int) -> Comparison:
    what = ("neg", "add", "addcmul")[count - 1]
    result = Comparison("pytorch", f"{count} operand{'s' * (count > 1)}, {what}: result's strides")
    while result.cases < _ELEMENTWISE // 3:
        whole, _ = random_strided(rng)
        shapes = [_broadcastable(rng, whole) for _ in range(count)]
        operands = [(shape, random_strides(rng, shape)) for shape in shapes]
        if rng.random() < 0.2:
            operands = [operands[0]] * count
        tensors = [tensor_of(*operand) for operand in operands]
        live = asked(_apply, tensors, refusal=RuntimeError)
        ours = asked(_result, operands)
        result.equal(ours, live, *operands)
    return result


def _broadcastable(rng: random.Random, whole: Sequence[int]) -> list[int]:
    if rng.random() < 0.4:
        return list(whole)
    shape = [n if rng.random() < 0.7 else 1 for n in whole]
    if shape and rng.random() < 0.02:
        shape[-1] += 1
    return shape[rng.choice((0, 0, 0, rng.randint(0, len(shape)))) :]


def _apply(tensors: Sequence[torch.Tensor]) -> object:
    operation = (torch.neg, torch.add, torch.addcmul)[len(tensors) - 1]
    found = operation(*tensors)
    return tuple(found.shape), found.stride()


def _result(operands: Sequence[tuple[list[int], list[int]]]) -> object:
    found = iterate([layout_of(*operand) for operand in operands])
    return found.shape, found.strides
