"""Pooling and resizing in eager PyTorch, most of it in the format that the input suggests."""

from __future__ import annotations

from ....model.layout import Layout
from ....model.views import steps
from . import memory
from .calls import Eager, EagerResult, Outcome, copied_to, rule, suggests
from .memory import iterate


def _spatial(call: Eager) -> int:
    digit = next((c for c in reversed(call.op) if c.isdigit()), "")
    return int(digit) if digit and call.node.dialect == "torch" else call.input.rank - 2


def _written(call: Eager, wanted: str, *, made: Layout | None = None) -> Outcome:
    reason = suggests(wanted)
    if wanted == memory.CONTIGUOUS and memory.suggested(call.input) != wanted:
        reason = "This kernel knows contiguous memory only."
    found = memory.fresh(call.shape, wanted) if made is None else made
    rank_fits = call.input.rank == memory.RANKS.get(wanted, call.input.rank)
    copies = copied_to(call, 0, memory.contiguous(call.input, wanted)) if rank_fits else ()
    return Outcome(tuple(EagerResult(found) for _ in call.types), reason, copies)


@rule("max_unpool", "pooling", "global pooling")
def _pool(call: Eager) -> Outcome:
    """Pooling over one, two or three dimensions.

    One dimension runs as two, with a height of 1. A pooling to one element per channel is a mean.
    Source: ATen/native/DilatedMaxPool2d.cpp, AveragePool2d.cpp, AdaptiveAveragePooling.cpp,
    Pooling.cpp.
    """
    spatial = _spatial(call)
    name = call.node.operator.name
    if name == "interpolate":
        name = "adaptive_avg_pool"  # what the mode "area" calls
    if name in {"adaptive_avg_pool", "global_avg_pool"} and set(call.shape[-spatial:]) <= {1}:
        return _mean(call, spatial)
    if spatial == 1:
        return _one_dimension(call)
    if spatial == 3 and name not in {"max_pool", "global_max_pool"}:
        return _written(call, memory.CONTIGUOUS)
    if spatial == 3 and call.input.rank == 4:
        return _unbatched(call)
    return _written(call, memory.suggested(call.input))


def _unbatched(call: Eager) -> Outcome:
    """max_pool3d without a batch: channels_last_3d if it is dense so, and not contiguous."""
    batched = steps.unsqueeze(call.input, 0)
    plain = memory.has_format(call.input, memory.CONTIGUOUS)
    last = not plain and memory.has_format(batched, memory.CHANNELS_LAST_3D)
    wanted = memory.CHANNELS_LAST_3D if last else memory.CONTIGUOUS
    found = steps.squeeze(memory.fresh((1, *call.shape), wanted), 0)
    return _written(call, memory.CONTIGUOUS, made=found)


@rule("lp_pool global_lp_pool")
def _lp_pool(call: Eager) -> Outcome:
    """sign(y) · relu(|y|), times and to the power of a number, for y the average of x^p.

    Source: torch/nn/functional.py (lp_pool2d).
    """
    powers = iterate([call.input])
    flat = _spatial(call) == 1
    if flat:
        powers = steps.unsqueeze(powers, -2)
    shape = (*call.shape[:-1], 1, call.shape[-1]) if flat else call.shape
    wanted = memory.CONTIGUOUS if _spatial(call) == 3 else memory.suggested(powers)
    average = memory.fresh(shape, wanted)
    if flat:
        average = steps.squeeze(average, -2)
    signed = iterate([iterate([average]), iterate([iterate([average])])])
    found = iterate([iterate([signed], scalars=1)])
    return _written(call, memory.suggested(call.input), made=found)


def _mean(call: Eager, spatial: int) -> Outcome:
    layout = call.input
    if spatial == 1:
        layout = steps.unsqueeze(layout, -2)
    wanted = memory.suggested(layout)
    if wanted == memory.CHANNELS_LAST and spatial == 3:
        wanted = memory.CONTIGUOUS
    shape = (*layout.shape[: layout.rank - max(spatial, 2)], *(1,) * max(spatial, 2))
    if wanted == memory.CONTIGUOUS:
        found = memory.fresh(shape)
    else:
        channels = layout.shape[1]
        found = Layout.strided(shape, (channels, 1, *(channels,) * (len(shape) - 2)))
    if spatial == 1:
        found = steps.squeeze(found, -2)
    return _written(call, wanted, made=found)


def _one_dimension(call: Eager) -> Outcome:
    if call.node.operator.name == "max_pool":
        return _written(call, memory.CONTIGUOUS)
    layout = steps.unsqueeze(call.input, -2)
    shape = (*call.shape[:-1], 1, call.shape[-1])
    found = steps.squeeze(memory.fresh(shape, memory.suggested(layout)), -2)
    return _written(call, memory.CONTIGUOUS, made=found)


@rule("", "resizing")
def _interpolate(call: Eager) -> Outcome:
    """Two and three dimensions keep the format, one does not. Source: ATen/native/UpSample*.cpp."""
    if call.attributes.get("mode") == "area":
        return _pool(call)
    if call.input.rank == 3:
        return _written(call, memory.CONTIGUOUS)
    return _written(call, memory.suggested(call.input))


@rule("grid_sample")
def _grid_sample(call: Eager) -> Outcome:
    """A new contiguous tensor. Source: ATen/native/GridSampler.cpp."""
    return _written(call, memory.CONTIGUOUS)
