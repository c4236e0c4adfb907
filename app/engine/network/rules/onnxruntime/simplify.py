"""Rewriting rules of level 1: nodes that do nothing, and what a convolution takes over.

ORT visits the nodes once, and tries the rules of each operator in this order. Source:
onnxruntime/core/optimizer/rule_based_graph_transformer.cc and GenerateRewriteRules in
graph_transformer_utils.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .working import Alias, Initializer, OrtStep, Working

Rewrite = Callable[[Working, OrtStep], bool]


def drop_identity(working: Working, step: OrtStep) -> bool:
    """Identity and Dropout are removed. Sources: identity_elimination.cc, dropout_elimination.cc.

    Dropout goes even in training mode, if nobody reads its mask. One that makes an output of the
    network is removed only if it is the only reader of a node that makes no output: that node then
    makes the output.
    """
    old, new = step.input(0), step.output
    if any(working.uses(name) for name in step.outputs[1:]):
        return False
    reason = f"It does nothing: {working.called(old)} is used in its place."
    if new not in working.outputs:
        working.replace(new, old)
        working.drop(step, "removed", reason, {new: Alias(old)})
        return True
    producer = working.producers.get(old)
    if step.op == "Dropout" or producer is None or working.edges(new) or working.uses(old) != 1:
        return False
    working.drop(step, "removed", reason, {old: Alias(new)})
    working.set_outputs(producer, [new if name == old else name for name in producer.outputs])
    working.renamed[new] = old
    return True


def _into(working: Working, step: OrtStep, other: OrtStep, reason: str) -> None:
    """Let ``other``, which alone reads a step, read what that one reads, and compute it."""
    working.not_stored(step.output, other.output)
    source = step.input(0)
    working.drop(step, "fused", reason, fused=other.name)
    working.set_input(other, 0, source)


def relu_into_clip(working: Working, step: OrtStep) -> bool:
    """Relu before Clip: the lower bound is 0. Source: relu_clip_fusion.cc."""
    clip, at = working.only_reader(step) or (step, 0)
    least = clip.input(1)
    if clip.op != "Clip" or at != 0 or (least and least not in working.constants):
        return False
    reason = f"The Clip {clip.name} computes it too, with a minimum of 0."
    _into(working, step, clip, reason)
    return True


def pad_into_window(working: Working, step: OrtStep) -> bool:
    """Zeros around height and width join the padding of the one window that reads them.

    Source: pad_fusion.cc. It does so for AveragePool too, whether or not that counts the padding.
    """
    window, at = working.only_reader(step) or (step, 0)
    pads = working.constants.get(step.input(1))
    value = working.constants.get(step.input(2))
    if pads is None or pads.values is None or step.input(3):
        return False
    if step.attributes.get("mode", "constant") != "constant":
        return False
    if step.input(2) and (value is None or value.values is None or any(value.values)):
        return False
    explicit = window.attributes.get("auto_pad", "NOTSET") == "NOTSET"
    if window.op not in {"Conv", "MaxPool", "AveragePool"} or at != 0 or not explicit:
        return False
    half = len(pads.values) // 2
    outer = (*pads.values[:2], *pads.values[half : half + 2])
    if any(outer) or min(pads.values, default=0) < 0 or any(window.outputs[1:]):
        return False
    _into(working, step, window, f"It becomes padding of the node {window.name}.")
    before = window.attributes.get("padding_fused", ())
    window.attributes["padding_fused"] = (*before, pads.values)
    return True


def drop_cast(working: Working, step: OrtStep) -> bool:
    """Cast to the type that the tensor has. Source: cast_elimination.cc."""
    old, new = (working.dtypes.get(name, "") for name in (step.input(0), step.output))
    return old == new != "" and step.output not in working.outputs and drop_identity(working, step)


def _static(working: Working, conv: OrtStep) -> Initializer | None:
    """The weight, if it and the bias are constants."""
    bias = conv.input(2)
    if bias and bias not in working.constants:
        return None
    return working.constants.get(conv.input(1))


def _taken(working: Working, conv: OrtStep, reader: OrtStep, weight: Initializer) -> None:
    """The convolution computes its reader: its weight and bias are new constants."""
    kept = conv.output
    working.fuse(conv, reader)
    while len(conv.inputs) < 3:
        conv.inputs.append("")
    working.set_input(conv, 1, working.new_constant(conv.input(1), weight.shape, weight.dtype))
    bias = working.new_constant(f"{kept}_bias", weight.shape[:1], weight.dtype)
    working.set_input(conv, 2, bias)


def _by_channel(shape: tuple[int, ...], weight: Initializer) -> bool:
    """Whether a constant is one number for each output channel: [M,1,1] or [1,M,1,1]."""
    rank, channels = len(weight.shape), weight.shape[0]
    if len(shape) == rank and shape[0] == 1:
        shape = shape[1:]
    return len(shape) == rank - 1 and shape[0] == channels and all(n == 1 for n in shape[1:])


def _takes_constant(working: Working, conv: OrtStep, op: str, *, numbers: bool) -> bool:
    """Compute the only reader if it is ``op`` with a constant for each channel, or a number."""
    weight, found = _static(working, conv), working.only_reader(conv)
    if weight is None or found is None or len(weight.shape) < 4:
        return False
    reader, at = found
    other = working.constants.get(reader.input(1))
    if reader.op != op or at != 0 or other is None or other.dtype != weight.dtype:
        return False
    if not ((numbers and other.shape == ()) or _by_channel(other.shape, weight)):
        return False
    _taken(working, conv, reader, weight)
    return True


def conv_add(working: Working, conv: OrtStep) -> bool:
    """A constant for each channel is added: it joins the bias. Source: conv_add_fusion.cc."""
    return _takes_constant(working, conv, "Add", numbers=False)


def conv_mul(working: Working, conv: OrtStep) -> bool:
    """A multiplication by a constant joins the weight. Source: conv_mul_fusion.cc."""
    return _takes_constant(working, conv, "Mul", numbers=True)


def conv_batch_norm(working: Working, conv: OrtStep) -> bool:
    """Batch normalisation joins weight and bias. Source: conv_bn_fusion.cc."""
    weight, found = _static(working, conv), working.only_reader(conv)
    if weight is None or found is None:
        return False
    norm, at = found
    if norm.op != "BatchNormalization" or at != 0 or len(norm.outputs) > 1:
        return False
    if not all(name in working.constants for name in norm.inputs[1:5]):
        return False
    _taken(working, conv, norm, weight)
    return True


_RULES: Mapping[str, tuple[Rewrite, ...]] = {
    "Identity": (drop_identity,),
    "Dropout": (drop_identity,),
    "Relu": (relu_into_clip,),
    "Cast": (drop_cast,),
    "Pad": (pad_into_window,),
    "Conv": (conv_add, conv_mul, conv_batch_norm),
}


def rewrite(working: Working) -> bool:
    """Apply the rules to each node once, in ORT's order."""
    changed = False
    for step in working.order():
        for rule in _RULES.get(step.op, ()) if working.alive(step) else ():
            if rule(working, step):
                changed = True
                if not working.alive(step):
                    break
    return changed
