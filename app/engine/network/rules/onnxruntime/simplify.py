"""Nodes that do nothing, what a convolution takes over, constants, equal nodes, activations.

ORT visits the nodes once for the rewriting rules of level 1, and tries those of each operator in
this order; level 2 fuses activations.
Source: onnxruntime/core/optimizer/rule_based_graph_transformer.cc, GenerateRewriteRules in
graph_transformer_utils.cc; constant_sharing.cc, constant_folding.cc and
common_subexpression_elimination.cc.
"""

from collections.abc import Callable, Mapping
from functools import partial

from .working import Initializer, OrtStep, Working

_SHARED_ELEMENTS = 8  # TENSOR_ELEM_COUNT_THRESHOLD
_SHARED_TYPES = frozenset({"float16", "float32", "float64", "int32", "int64"})
_NEVER_EQUAL = frozenset(
    {"RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike", "Multinomial"}
)
# Folded away from constants: not these, nor operators that are not known.
_NOT_FOLDED = _NEVER_EQUAL | {"QuantizeLinear", "DequantizeLinear", "Dropout"}
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
        working.drop(step, "removed", reason, {new: (old, None)})
        return True
    producer = working.producers.get(old)
    if step.op == "Dropout" or producer is None or working.edges(new) or working.uses(old) != 1:
        return False
    working.drop(step, "removed", reason, {old: (new, None)})
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

    Source: pad_fusion.cc. An AveragePool with padding of its own that it does not count keeps the
    Pad, as seen with 1.31.1: the mean would count zeros that it leaves out.
    """
    window, at = working.only_reader(step) or (step, 0)
    pads, value = (working.constants.get(step.input(i)) for i in (1, 2))
    if pads is None or pads.values is None or step.input(3):
        return False
    if step.input(2) and (value is None or value.values is None or any(value.values)):
        return False
    constant = step.attributes.get("mode", "constant") == "constant"
    explicit = window.attributes.get("auto_pad", "NOTSET") == "NOTSET"
    if window.op not in {"Conv", "MaxPool", "AveragePool"} or at or not (constant and explicit):
        return False
    own = window.attributes.get("padding") or 0
    padded = own if isinstance(own, int) else any(own)
    if window.op == "AveragePool" and padded and not window.attributes.get("count_include_pad"):
        return False
    widths, half = step.permuted(pads.values), len(pads.values) // 2
    outer = (*widths[:2], *widths[half : half + 2])
    if any(outer) or min(widths, default=0) < 0 or any(window.outputs[1:]):
        return False
    _into(working, step, window, f"It becomes padding of the node {window.name}.")
    before = window.attributes.get("padding_fused", ())
    window.attributes["padding_fused"] = (*before, widths)
    return True


def drop_cast(working: Working, step: OrtStep) -> bool:
    """Cast to the type that the tensor has. Source: cast_elimination.cc."""
    old, new = (working.dtypes.get(name, "") for name in (step.input(0), step.output))
    return old == new != "" and step.output not in working.outputs and drop_identity(working, step)


def _static(working: Working, conv: OrtStep) -> Initializer | None:
    """The weight, if it and the bias are constants."""
    known = not conv.input(2) or conv.input(2) in working.constants
    return working.constants.get(conv.input(1)) if known else None


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
    wanted = (weight.shape[0], *(1,) * (len(weight.shape) - 2))
    return shape in {wanted, (1, *wanted)}


def _takes_constant(working: Working, conv: OrtStep, *, op: str, numbers: bool) -> bool:
    """Compute the only reader if it is ``op`` with a constant for each channel, or a number.

    An Add joins the bias, a Mul the weight. Sources: conv_add_fusion.cc, conv_mul_fusion.cc.
    """
    weight, (reader, at) = _static(working, conv), working.only_reader(conv) or (conv, 0)
    if weight is None or len(weight.shape) < 4:
        return False
    other = working.constants.get(reader.input(1))
    if reader.op != op or at != 0 or other is None or other.dtype != weight.dtype:
        return False
    if not ((numbers and other.shape == ()) or _by_channel(other.shape, weight)):
        return False
    _taken(working, conv, reader, weight)
    return True


def conv_batch_norm(working: Working, conv: OrtStep) -> bool:
    """Batch normalisation joins weight and bias. Source: conv_bn_fusion.cc."""
    weight, (norm, at) = _static(working, conv), working.only_reader(conv) or (conv, 0)
    if weight is None or norm.op != "BatchNormalization" or at != 0 or len(norm.outputs) > 1:
        return False
    if not all(name in working.constants for name in norm.inputs[1:5]):
        return False
    _taken(working, conv, norm, weight)
    return True


_RULES: Mapping[str, tuple[Rewrite, ...]] = {
    **dict.fromkeys(("Identity", "Dropout"), (drop_identity,)),
    "Relu": (relu_into_clip,),
    "Cast": (drop_cast,),
    "Pad": (pad_into_window,),
    "Conv": (
        partial(_takes_constant, op="Add", numbers=False),
        partial(_takes_constant, op="Mul", numbers=True),
        conv_batch_norm,
    ),
}


def rewrite(working: Working) -> bool:
    """Apply the rules to each node once, in ORT's order."""
    changed = False
    for step in working.order():
        for rule in _RULES.get(step.op, ()):
            if working.alive(step) and rule(working, step):
                changed = True
    return changed


def share_constants(working: Working) -> bool:
    """Small constants of one type, shape and value become one. Source: constant_sharing.cc."""
    first: dict[tuple[object, ...], str] = {}
    changed = False
    for name, constant in working.constants.items():
        values = constant.values
        if values is None or len(values) > _SHARED_ELEMENTS or constant.dtype not in _SHARED_TYPES:
            continue
        kept = first.setdefault((constant.dtype, constant.shape, values), name)
        if kept != name and working.edges(name):
            working.replace(name, kept)
            changed = True
    return changed


def fold_constants(working: Working) -> bool:
    """A node whose operands are all constants is computed once. Source: constant_folding.cc."""
    changed = False
    for step in working.order():
        shapes = [working.shapes.get(name) for name in (*step.inputs, *step.outputs) if name]
        operands = [name for name in step.inputs if name]
        known = all(name in working.constants for name in operands) and bool(operands)
        known = known or (step.op in {"Shape", "Size"} and shapes[0] is not None)
        if not known or None in shapes or step.own or step.op in _NOT_FOLDED:
            continue
        if any(name in working.outputs for name in step.outputs):
            continue
        for name in step.outputs:
            shape = working.shapes.get(name) or ()
            working.constants[name] = Initializer(shape, working.dtypes.get(name, ""))
        working.drop(step, "removed", "Its operands are constants: it is computed once.")
        changed = True
    return changed


def merge_equal(working: Working) -> bool:
    """Nodes of the same operator, attributes and operands become one.

    The first in ORT's order is kept, and gives the tensor its name. A node that makes an output of
    the network is kept too. Source: common_subexpression_elimination.cc.
    """
    numbers: dict[object, int] = {}  # equal values have equal numbers
    number_of: dict[str, int] = {}
    kept: dict[int, str] = {}
    order = working.order()
    for step in order:
        operands = tuple(
            number_of.get(name) or numbers.setdefault(name, len(numbers) + 1)
            for name in step.inputs
        )
        alone = step.index if step.own or step.op in _NEVER_EQUAL else None
        attributes = repr(sorted(step.attributes.items()))
        for k, name in enumerate(step.outputs):
            key = (step.op, operands, attributes, len(step.outputs), k, alone)
            number_of[name] = number = numbers.setdefault(key, len(numbers) + 1)
            kept.setdefault(number, name)
    changed = False
    for step in order:
        replaced: dict[str, str] = {}
        for name in step.outputs:
            first = kept[number_of[name]]
            if name and first != name and name not in working.outputs:
                working.replace(name, first)
                replaced[name] = first
        if not replaced or any(map(working.uses, step.outputs)):
            continue
        named = ", ".join(map(working.called, replaced.values()))
        aliases = {name: (first, None) for name, first in replaced.items()}
        reason = f"It is merged with an equal node, which makes {named}."
        working.drop(step, "merged", reason, aliases)
        changed = True
    return changed


HARD_SWISH = {"alpha": 1 / 6, "beta": 0.5}  # HardSigmoid's attributes
_ACTIVATIONS = frozenset({"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"})


def write_out_hard_swish(working: Working) -> None:
    """HardSwish has no kernel on the CPU: ORT puts in the function's body, x·HardSigmoid(x).

    It does so when it assigns the nodes, between levels 1 and 2. Source: onnx/defs/nn/defs.cc.
    """
    for step in working.order():
        if step.op != "HardSwish":
            continue
        source, outputs, sources = step.input(0), step.outputs, step.sources
        shape = working.shapes.get(source)
        gate = working.new_tensor(outputs[0], f"{outputs[0]}_gate", shape)
        working.remove(step)
        working.add("HardSigmoid", [source], [gate], HARD_SWISH, sources=list(sources))
        working.add("Mul", [source, gate], outputs, sources=sources, name=step.name)


def conv_activation(working: Working) -> bool:
    """A convolution and the activation that alone reads it become one node, which is new.

    Source: onnxruntime/core/optimizer/conv_activation_fusion.cc.
    """
    changed = False
    for conv in working.order():
        if conv.op != "Conv" or conv.activation:
            continue
        step, at = working.only_reader(conv) or (conv, 0)
        if step.op not in _ACTIVATIONS or at != 0:
            continue
        if step.op == "Clip" and not all(n in working.constants for n in step.inputs[1:] if n):
            continue
        inputs = list(conv.inputs)
        working.fuse(conv, step)
        outputs = conv.outputs
        working.remove(conv)
        fused = working.add(
            "Conv", inputs, outputs, conv.attributes, sources=conv.sources, name=conv.name
        )
        fused.activation = step.op
        changed = True
    return changed


def quick_gelu(working: Working) -> bool:
    """x·sigmoid(x), or x·sigmoid(a·x), becomes QuickGelu, which has no blocked kernel.

    Source: onnxruntime/core/optimizer/quick_gelu_fusion.cc.
    """
    changed = False
    for start in working.order():
        if not working.alive(start):
            continue
        steps, source = [start], start.input(0)
        if start.op == "Mul":
            source = _scaled(working, start)
            steps += [found[0]] if (found := working.only_reader(start)) else []
        if steps[-1].op != "Sigmoid" or (found := working.only_reader(steps[-1])) is None:
            continue
        product, at = found
        if source and product.op == "Mul" and product.input(1 - at) == source:
            _replace(working, [*steps, product], source)
            changed = True
    return changed


def _scaled(working: Working, step: OrtStep) -> str:
    """The other operand of a multiplication by a constant number; empty if it is none."""
    for at, name in enumerate(step.inputs):
        constant = working.constants.get(name)
        if constant is not None and constant.shape in {(), (1,)}:
            return step.input(1 - at)
    return ""


def _replace(working: Working, steps: list[OrtStep], source: str) -> None:
    last = steps[-1]
    outputs, name, made = last.outputs, last.name, list(last.sources)
    reason = f"One QuickGelu computes it, and makes {outputs[0]}."
    for step in steps[:-1]:
        working.note(step, "fused", reason, name)
        working.not_stored(step.output, outputs[0])
        made += [each for each in step.sources if each not in made]
    for step in steps:
        working.remove(step)
    working.add("QuickGelu", [source], outputs, sources=made, name=name)
