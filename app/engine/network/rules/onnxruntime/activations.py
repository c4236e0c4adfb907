"""Activations: HardSwish written out, a convolution with its activation, x times sigmoid of x."""

from __future__ import annotations

from .working import OrtStep, Working

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
        sigmoid, source = start, start.input(0)
        gone = [start]
        if start.op == "Mul":
            scaled = _scaled(working, start)
            found = working.only_reader(start)
            if scaled is None or found is None:
                continue
            source, sigmoid = scaled, found[0]
            gone.append(sigmoid)
        if sigmoid.op != "Sigmoid":
            continue
        found = working.only_reader(sigmoid)
        if found is None or found[0].op != "Mul" or found[0].input(1 - found[1]) != source:
            continue
        _replace(working, [*gone, found[0]], source)
        changed = True
    return changed


def _scaled(working: Working, step: OrtStep) -> str | None:
    """The other operand of a multiplication by a constant number."""
    for at, name in enumerate(step.inputs):
        constant = working.constants.get(name)
        if constant is not None and constant.shape in {(), (1,)}:
            return step.input(1 - at)
    return None


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
