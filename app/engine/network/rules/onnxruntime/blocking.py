"""Level 3: which nodes run on blocked channels, NCHWc, and where tensors are reordered.

Source: onnxruntime/core/optimizer/nchwc_transformer.cc. The nodes are visited once in ORT's order.
A convolution or a pool starts a region; others only continue one, if all that they read is blocked.
Each operator has a transform: it changes the regions and returns None, or returns why the node
stays in NCHW; the name of its function there stands in the docstring.
"""

from collections.abc import Callable, Mapping

from .regions import RULE_BLOCKED, RULE_CONTINUES, BlockedConv, Regions
from .simplify import HARD_SWISH
from .working import OrtStep, Working

CHANNEL_ALIGNMENT = 4  # of ReorderInput: channel_alignment in nchwc_transformer.cc
_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)
_CLOSE = 1e-6
_LINEAR = frozenset({"asymmetric", "align_corners", "half_pixel"})
_FUSED_LATE = frozenset({"Relu", "Sigmoid", "Tanh"})


def conv(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformConv."""
    weight = regions.working.constants.get(step.input(1))
    if weight is None:
        return f"Its weight {step.input(1)} is not a constant."
    shape = regions.working.shapes.get(step.output)
    if len(weight.shape) != 4 or weight.dtype != "float32" or (shape and len(shape) != 4):
        return "Only convolutions of float32 with a batch and 2 spatial dimensions run blocked."
    made, read = weight.shape[:2]
    groups = step.attributes["groups"]
    refused = _misaligned(regions.block, made, read, groups)
    if refused:
        return refused
    bias = step.input(2)
    if bias and bias not in regions.working.constants:
        return f"Its bias {bias} is not a constant."
    if groups == 1 and read < regions.block:
        reason = f"It reads NCHW directly: {read} input channels are fewer than a block."
    else:
        reason = regions.read(step)
    regions.run(step, reason, made, BlockedConv(step, activated=step.activation is not None))
    return None


def _misaligned(block: int, made: int, read: int, groups: int) -> str:
    """Why these channels cannot be blocked; empty if they can. ``read``: of one group."""
    if groups == 1:
        if read >= block and read % CHANNEL_ALIGNMENT:
            return f"{read} input channels are no multiple of {CHANNEL_ALIGNMENT}."
        return ""
    if made % CHANNEL_ALIGNMENT:
        return f"{made} output channels are no multiple of {CHANNEL_ALIGNMENT}."
    if read == 1 and made == groups:
        return ""
    if read % block:
        return f"{read} input channels in each group are no multiple of {block}."
    made //= groups
    if made % block:
        return f"{made} output channels in each group are no multiple of {block}."
    return ""


def pool(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformPool."""
    name = step.input(0)
    shape = regions.working.shapes.get(name)
    if any(step.outputs[1:]):
        return "It makes the indices too, which the blocked kernel does not."
    if name in regions.tensors:
        channels = regions.tensors[name].channels
    elif shape is None:
        return "The shape of what it reads is not known."
    elif len(shape) != 4 or regions.working.dtypes[name] != "float32":
        return "Only pools of float32 with a batch and 2 spatial dimensions run blocked."
    else:
        channels = shape[1]
    if channels % regions.block:
        return f"{channels} channels are no multiple of {regions.block}."
    regions.run(step, regions.read(step), channels)
    return None


def multiply(regions: Regions, step: OrtStep) -> str | None:
    """Mul; by a constant for each channel it is a convolution. Source: TransformBinary."""
    gate = regions.products.get(step.index)
    if gate is not None:
        regions.take(*step.inputs)
        regions.fuse(step, gate, "computes HardSwish, of which it is the end")
        return None
    for name, other in (step.inputs, step.inputs[::-1]):
        constant = regions.working.constants.get(other)
        if constant is None or name not in regions.tensors:
            continue
        channels = regions.tensors[name].channels
        if constant.shape not in {(channels, 1, 1), (1, channels, 1, 1)}:
            return "The constant is not one number for each channel."
        regions.take(name)
        _as_depthwise(regions, step, channels)
        return None
    return _binary(regions, step)


def _as_depthwise(regions: Regions, step: OrtStep, channels: int) -> None:
    reason = f"It runs in {regions.format} as a depthwise convolution."
    regions.working.note(step, RULE_BLOCKED, reason)
    regions.make(step, channels, BlockedConv(step))


def _binary(regions: Regions, step: OrtStep) -> str | None:
    """Add, Sum and Mul. Source: TransformBinary."""
    working, adds = regions.working, step.op != "Mul"
    if not all(name in regions.tensors for name in step.inputs):
        return "Not all that it reads is blocked."
    operands = [regions.tensors[name] for name in step.inputs]
    channels = operands[0].channels
    if any(each.channels != channels for each in operands):
        return "Its operands have different numbers of channels."
    shapes = {working.shapes.get(name) for name in step.inputs}
    same = len(shapes) == 1 and (None not in shapes or len(set(step.inputs)) == 1)
    if not same and not adds:
        return "Its operands have different shapes."
    regions.take(*step.inputs)
    if adds and same and len(operands) == 2 and _add_to_conv(regions, step):
        return None
    _continues(regions, step, channels)
    return None


def _add_to_conv(regions: Regions, step: OrtStep) -> bool:
    for name in step.inputs:
        kernel = regions.tensors[name].kernel
        if kernel and not kernel.added and not kernel.activated and regions.uses[name] == 1:
            kernel.added = True
            regions.fuse(step, name, "adds the other operand")
            return True
    return False


def _continues(regions: Regions, step: OrtStep, channels: int) -> None:
    regions.working.note(step, RULE_CONTINUES, f"All that it reads is in {regions.format}.")
    regions.make(step, channels)


def concat(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformConcat."""
    if step.attributes["dim"] != 1:
        return "It does not join along the channels."
    if not all(name in regions.tensors for name in step.inputs):
        return "Not all that it reads is blocked."
    channels = [regions.tensors[name].channels for name in step.inputs]
    odd = next((n for n in channels if n % regions.block), None)
    if odd is not None:
        return f"One operand has {odd} channels, no multiple of {regions.block}."
    regions.take(*step.inputs)
    _continues(regions, step, sum(channels))
    return None


def activation(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformActivation."""
    name = step.input(0)
    if _hard_swish(regions, step):
        return None
    found = regions.tensors[name]
    regions.take(name)
    kernel = found.kernel
    fits = step.op in _FUSED_LATE and regions.uses[name] == 1
    if kernel is not None and fits and not kernel.activated:
        kernel.activated = True
        regions.fuse(step, name)
    else:
        _continues(regions, step, found.channels)
    return None


def _hard_swish(regions: Regions, step: OrtStep) -> bool:
    """x·HardSigmoid(x) that alone reads a convolution. Source: TryFuseNchwcHardSwish."""
    name, (product, _) = step.input(0), regions.working.only_reader(step) or (step, 0)
    kernel = regions.tensors[name].kernel
    if step.op != "HardSigmoid" or product.op != "Mul":
        return False
    fits = all(abs(step.attributes[k] - hard) < _CLOSE for k, hard in HARD_SWISH.items())
    alone = sorted(product.inputs) == sorted([name, step.output]) and regions.uses[name] == 2
    if not fits or not alone or kernel is None or kernel.activated:
        return False
    if product.output in regions.working.outputs:
        return False
    kernel.activated = True
    regions.take(name)
    regions.fuse(step, name, "computes HardSwish")
    regions.products[product.index] = step.output
    return True


def batch_norm(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformBatchNormalization."""
    if any(step.outputs[1:]) or step.attributes.get("training"):
        return "It is in training mode."
    if not all(name in regions.working.constants for name in step.inputs[1:5]):
        return "Its parameters are not constants."
    found = regions.tensors[step.input(0)]
    regions.take(step.input(0))
    _as_depthwise(regions, step, found.channels)
    return None


def transpose(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformTransposeToNhwc."""
    name = step.input(0)
    if step.attributes["dims"] != _TO_NHWC:
        return "Only a Transpose from NCHW to NHWC is a reorder."
    regions.take(name)
    regions.outputs.append(step.output)
    regions.free.add(step.output)
    called = regions.working.called(name)
    reason = f"The reorder of {called} out of {regions.format} writes NHWC."
    regions.working.note(step, "fused", reason)
    return None


def resize(regions: Regions, step: OrtStep) -> str | None:
    """Source: TransformResize."""
    refused = _resize_refused(regions.working, step)
    if refused:
        return refused
    regions.run(step, regions.read(step), regions.tensors[step.input(0)].channels)
    return None


def _resize_refused(working: Working, step: OrtStep) -> str:
    """Why a Resize has no blocked kernel; empty if it has one. Source: TransformResize."""
    mode = step.attributes.get("mode", "nearest")
    if mode not in {"nearest", "linear"}:
        return f"The blocked Resize has no mode {mode}."
    transform = step.attributes.get("coordinate_transformation_mode", "asymmetric")
    if mode == "nearest":
        if transform != "asymmetric":
            return "The blocked Resize in mode nearest needs asymmetric coordinates."
        if step.attributes.get("nearest_mode", "floor") != "floor":
            return "The blocked Resize in mode nearest rounds down only."
    elif transform not in _LINEAR:
        return f"The blocked Resize has no {transform} coordinates."
    scales = _scales(working, step)
    if scales is None:
        return "The blocked Resize needs whole scales from 1 on, which are constants."
    if scales[:2] != (1, 1):
        return "The blocked Resize scales height and width only."
    return ""


def _scales(working: Working, step: OrtStep) -> tuple[int, ...] | None:
    """The four scales, if they are whole numbers that are known."""
    scales, sizes = (1, 0) if step.op == "Upsample" else (2, 3)
    sized = bool(sizes and step.input(sizes))
    constant = working.constants.get(step.input(sizes if sized else scales))
    shape = working.shapes.get(step.input(0))
    if constant is None or constant.shape != (4,):
        return None
    values = None if constant.values is None else step.permuted(constant.values)
    if values is None:  # the shapes tell as much
        values, sized = working.shapes.get(step.output), True
    if sized and values and shape and min(shape) > 0:
        values = tuple(a / b for a, b in zip(values, shape, strict=True))
    elif sized or not values:
        return None
    whole = all(n > 0 and n == int(n) for n in values)
    return tuple(map(int, values)) if whole else None


Transform = Callable[[Regions, OrtStep], str | None]
STARTS: Mapping[str, Transform] = {"Conv": conv, "MaxPool": pool, "AveragePool": pool}
CONTINUES: Mapping[str, Transform] = {
    "Add": _binary,
    "Sum": _binary,
    "Mul": multiply,
    "Concat": concat,
    **dict.fromkeys(_FUSED_LATE | {"Gelu", "HardSigmoid", "QuickGelu"}, activation),
    "BatchNormalization": batch_norm,
    "Transpose": transpose,
    "Resize": resize,
    "Upsample": resize,
    "GlobalMaxPool": pool,
    "GlobalAveragePool": pool,
}


def block_channels(working: Working, block: int) -> Regions:
    """Visit all nodes, then find what still has to be reordered into NCHW."""
    regions = Regions(working, block)
    for step in working.order():
        _visit(regions, step)
    regions.outputs.extend(name for name, each in regions.tensors.items() if each.left > 0)
    return regions


def _visit(regions: Regions, step: OrtStep) -> None:
    to_nchw = step.op == "Transpose" and step.attributes["dims"] == _TO_NCHW
    if to_nchw and regions.working.only_reader(step):
        regions.from_nhwc = step  # Source: TrackTransposeFromNhwc
    before = {name: regions.tensors[name].left for name in step.inputs if name in regions.tensors}
    refused = _transform(regions, step, any_blocked=bool(before))
    plain = [name for name, left in before.items() if regions.tensors[name].left == left]
    if plain:
        regions.note_plain(step, plain)
    if refused is not None:
        called = ", ".join(map(regions.working.called, plain))
        are = "is" if len(plain) == 1 else "are"
        copied = f" {called} {are} reordered to NCHW." if plain else ""
        regions.working.note(step, "plain", refused + copied)


def _transform(regions: Regions, step: OrtStep, *, any_blocked: bool) -> str | None:
    """Run the node blocked; or why it is not."""
    if not step.output:
        return "Nothing reads its first result, which has no name."
    start, continued = STARTS.get(step.op), CONTINUES.get(step.op)
    if start is not None:
        return start(regions, step)
    if continued is None:
        return f"ONNX Runtime has no blocked kernel for {step.own or step.op}."
    made = regions.working.producers
    if any(name in made and name not in regions.free for name in step.inputs):
        return "Not all that it reads is blocked." if any_blocked else _nothing(step)
    if not any_blocked and continued is not pool:  # a global pool reorders an input of the network
        return _nothing(step)
    return continued(regions, step)


def _nothing(step: OrtStep) -> str:
    named = step.own or step.op
    return f"Nothing that it reads is blocked, and {named} starts no blocked region."
