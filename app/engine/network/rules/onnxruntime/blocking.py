"""Level 3: which nodes run on blocked channels, NCHWc, and where tensors are reordered.

Source: onnxruntime/core/optimizer/nchwc_transformer.cc. The nodes are visited once in ORT's order.
A convolution or a pool starts a region; others only continue one, if all that they read is blocked.
"""

from __future__ import annotations

from .regions import Regions
from .transforms import CONTINUES, STARTS, pool
from .working import OrtStep, Working


def block_channels(working: Working, block: int) -> Regions:
    """Visit all nodes, then find what still has to be reordered into NCHW."""
    regions = Regions(working, block)
    for step in working.order():
        _visit(regions, step)
    regions.outputs.extend(name for name, each in regions.tensors.items() if each.left > 0)
    return regions


def _visit(regions: Regions, step: OrtStep) -> None:
    if step.op == "Transpose":
        regions.track(step)
    before = {name: regions.tensors[name].left for name in step.inputs if name in regions.tensors}
    refused = _transform(regions, step, any_blocked=bool(before))
    plain = [name for name, left in before.items() if regions.tensors[name].left == left]
    if plain:
        regions.note_plain(step, plain)
    if refused is not None:
        plain = [regions.working.called(name) for name in plain]
        if plain:
            refused += (
                f" {', '.join(plain)} {'is' if len(plain) == 1 else 'are'} reordered to NCHW."
            )
        regions.working.note(step, "plain", refused)


def _transform(regions: Regions, step: OrtStep, *, any_blocked: bool) -> str | None:
    """Run the node blocked; or why it is not."""
    if not step.output:
        return "Nothing reads its first result, which has no name."
    start, continued = STARTS.get(step.op), CONTINUES.get(step.op)
    if start is not None:
        return start(regions, step)
    if continued is None:
        return f"ONNX Runtime has no blocked kernel for {_named(step)}."
    made = regions.working.producers
    if any(name in made and name not in regions.free for name in step.inputs):
        return "Not all that it reads is blocked." if any_blocked else _nothing(step)
    if not any_blocked and continued is not pool:  # a global pool reorders an input of the network
        return _nothing(step)
    return continued(regions, step)


def _nothing(step: OrtStep) -> str:
    return f"Nothing that it reads is blocked, and {_named(step)} starts no blocked region."


def _named(step: OrtStep) -> str:
    return step.op.partition(":")[2] or step.op
