"""Level 3: which nodes run on blocked channels, NCHWc, and where tensors are reordered.

Source: onnxruntime/core/optimizer/nchwc_transformer.cc. The nodes are visited once in ORT's order.
A convolution or a pool starts a region; others only continue one, if all that they read is blocked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .resizing import resize_refused
from .working import Note, Step, Working

CHANNEL_ALIGNMENT = 4  # of ReorderInput: channel_alignment in nchwc_transformer.cc
_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)
_FUSED_LATE = frozenset({"Relu", "Sigmoid", "Tanh"})
RULE_BLOCKED, RULE_CONTINUES = "blocked", "continues"


@dataclass(slots=True)
class Kernel:
    """A blocked convolution, to see what can still be fused into it."""

    step: Step
    added: bool = False
    activated: bool = False


@dataclass(slots=True)
class Blocked:
    """A tensor on blocked channels. ``uses``: at first; ``left``: those still in NCHW."""

    uses: int
    left: int
    channels: int
    kernel: Kernel | None = None


@dataclass(frozen=True, slots=True)
class ReorderInput:
    """A tensor that is reordered into blocks, for a step and all later ones."""

    tensor: str
    step: Step


class Blocking:
    """What the transformer decides. ``block``: channels in a block, 8 or 16.

    ``tensors``: those on blocked channels. ``inputs``: what is reordered into blocks, by the tensor
    that the steps read. ``outputs``: what is reordered into NCHW. ``lost``: by the network's nodes,
    the blocked format that the node gives up.
    """

    def __init__(self, working: Working, block: int) -> None:
        self.working = working
        self.block = block
        self.format = f"NCHW{block}c"
        self.tensors: dict[str, Blocked] = {}
        self.inputs: dict[str, ReorderInput] = {}
        self.outputs: list[str] = []
        self.lost: dict[int, str] = {}
        self._plain: dict[int, list[str]] = {}
        self._from_nhwc: Step | None = None
        self._uses = {name: working.uses(name) for name in working.producers}

    def run(self) -> None:
        """Visit all nodes, then find what still has to be reordered into NCHW."""
        for step in self.working.order():
            self._visit(step)
        self.outputs.extend(name for name, each in self.tensors.items() if each.left > 0)

    def _visit(self, step: Step) -> None:
        if step.op == "Transpose":
            self._track(step)
        start = _STARTS.get(step.op)
        continued = _CONTINUES.get(step.op)
        before = {name: self.tensors[name].left for name in step.inputs if name in self.tensors}
        if start is not None:
            refused = start(self, step)
        elif continued is None:
            refused = f"ONNX Runtime has no blocked kernel for {_named(step)}."
        elif any(n in self.working.producers and n not in self.tensors for n in step.inputs):
            refused = "Not all that it reads is blocked." if before else self._nothing(step)
        elif not before and continued is not Blocking.pool:
            refused = self._nothing(step)
        else:
            refused = continued(self, step)
        self._say(step, refused, before)

    def _nothing(self, step: Step) -> str:
        return f"Nothing that it reads is blocked, and {_named(step)} starts no blocked region."

    def _say(self, step: Step, refused: str | None, before: Mapping[str, int]) -> None:
        """Note a node that is not blocked, and the tensors that it reads back in NCHW."""
        plain = [name for name, left in before.items() if self.tensors[name].left == left]
        if plain:
            self._plain[step.index] = plain
        if plain and step.sources:
            self.lost[step.sources[0]] = self.format
        if refused is None:
            return
        reason = refused
        if plain:
            reason += f" {', '.join(plain)} {'is' if len(plain) == 1 else 'are'} reordered to NCHW."
        self.working.note(step, Note("plain", reason))

    # What the transforms share

    def take(self, name: str) -> bool:
        """Read a tensor on blocked channels in place of NCHW, once; False if it is not blocked."""
        found = self.tensors.get(name)
        if found is not None:
            found.left -= 1
        return found is not None

    def read(self, step: Step) -> str:
        """Read the first operand on blocked channels: as it is, or reordered. Says which."""
        name = step.input(0)
        if self.take(name):
            return f"{name} is blocked already."
        found = self.inputs.get(name)
        if found is not None:
            return f"{name} has been reordered for an earlier node."
        source, reordered = self._from_nhwc, name
        if source is not None and source.output == name:
            reordered = source.input(0)
            reason = f"The reorder of {reordered} reads NHWC, so nothing is moved before."
            self.working.note(source, Note("fused", reason))
            self._from_nhwc = None
        self.inputs[name] = ReorderInput(reordered, step)
        return f"{reordered} is reordered to {self.format} before it."

    def make(self, step: Step, channels: int, kernel: Kernel | None = None) -> None:
        """The step's result is on blocked channels."""
        uses = self._uses[step.output]
        self.tensors[step.output] = Blocked(uses, uses, channels, kernel)

    def fuse(self, step: Step, name: str, reason: str) -> None:
        """The convolution that made the tensor ``name`` computes this step too."""
        found = self.tensors[name]
        self.working.note(step, Note("fused", reason))
        self.working.not_stored(name, step.output)
        self.make(step, found.channels, found.kernel)

    def blocked(self, step: Step, reason: str) -> None:
        """Note a kernel of com.microsoft.nchwc."""
        self.working.note(step, Note(RULE_BLOCKED, reason))

    def read_plain(self, step: Step) -> list[str]:
        """The tensors on blocked channels that a step reads in NCHW."""
        return self._plain.get(step.index, [])

    def _track(self, step: Step) -> None:
        """Remember a Transpose from NHWC that one node reads. Source: TrackTransposeFromNhwc."""
        if step.attributes["dims"] == _TO_NCHW and self.working.only_reader(step):
            self._from_nhwc = step

    # Regions start

    def conv(self, step: Step) -> str | None:
        """Source: TransformConv."""
        weight = self.working.constant(step.input(1))
        if weight is None:
            return f"Its weight {step.input(1)} is not a constant."
        if len(weight.shape) != 4 or weight.dtype != "float32":
            return "Only convolutions of float32 with 2 spatial dimensions run blocked."
        made, read = weight.shape[:2]
        groups = step.attributes["groups"]
        refused = self._aligned(made, read, groups)
        if refused:
            return refused
        bias = step.input(2)
        if bias and bias not in self.working.constants:
            return f"Its bias {bias} is not a constant."
        if groups == 1 and read < self.block:
            reason = f"It reads NCHW directly: {read} input channels are fewer than a block."
        else:
            reason = self.read(step)
        self.blocked(step, f"It runs in {self.format}. {reason}")
        self.make(step, made, Kernel(step, activated=step.activation is not None))
        return None

    def _aligned(self, made: int, read: int, groups: int) -> str:
        """Why these channels cannot be blocked; empty if they can. ``read``: of one group."""
        if groups == 1:
            if read >= self.block and read % CHANNEL_ALIGNMENT:
                return f"{read} input channels are no multiple of {CHANNEL_ALIGNMENT}."
            return ""
        if made % CHANNEL_ALIGNMENT:
            return f"{made} output channels are no multiple of {CHANNEL_ALIGNMENT}."
        if read == 1 and made == groups:
            return ""
        if read % self.block:
            return f"{read} input channels in each group are no multiple of {self.block}."
        made //= groups
        if made % self.block:
            return f"{made} output channels in each group are no multiple of {self.block}."
        return ""

    def pool(self, step: Step) -> str | None:
        """Source: TransformPool."""
        name = step.input(0)
        shape = self.working.shapes.get(name)
        if any(step.outputs[1:]):
            return "It makes the indices too, which the blocked kernel does not."
        if shape is None or len(shape) != 4 or self.working.dtypes.get(name) != "float32":
            return "Only pools of float32 with 2 spatial dimensions run blocked."
        if shape[1] % self.block:
            return f"{shape[1]} channels are no multiple of {self.block}."
        self.blocked(step, f"It runs in {self.format}. {self.read(step)}")
        self.make(step, shape[1])
        return None

    # Regions continue

    def add(self, step: Step) -> str | None:
        """Add and Sum. Source: TransformBinary."""
        return self._binary(step, adds=True)

    def multiply(self, step: Step) -> str | None:
        """Mul; by a constant for each channel it is a convolution. Source: TransformBinary."""
        for name, other in (step.inputs, step.inputs[::-1]):
            constant = self.working.constant(other)
            if constant is None or name not in self.tensors:
                continue
            channels = self.tensors[name].channels
            wide = (1,) * (4 - len(constant.shape)) + constant.shape
            if wide != (1, channels, 1, 1):
                return "The constant is not one number for each channel."
            self.take(name)
            self._as_depthwise(step, channels)
            return None
        return self._binary(step, adds=False)

    def _as_depthwise(self, step: Step, channels: int) -> None:
        reason = f"It runs in {self.format} as a depthwise convolution."
        self.blocked(step, reason)
        self.make(step, channels, Kernel(step))

    def _binary(self, step: Step, *, adds: bool) -> str | None:
        working = self.working
        if not all(name in self.tensors for name in step.inputs):
            return "Not all that it reads is blocked."
        operands = [self.tensors[name] for name in step.inputs]
        channels = operands[0].channels
        if any(each.channels != channels for each in operands):
            return "Its operands have different numbers of channels."
        shapes = {working.shapes.get(name) for name in step.inputs}
        same = len(shapes) == 1 and (None not in shapes or len(set(step.inputs)) == 1)
        if not same and not adds:
            return "Its operands have different shapes."
        for name in step.inputs:
            self.take(name)
        if adds and same and len(operands) == 2 and self._add_to_conv(step):
            return None
        self._continues(step, channels)
        return None

    def _add_to_conv(self, step: Step) -> bool:
        for name in step.inputs:
            kernel = self.tensors[name].kernel
            free = kernel is not None and not kernel.added and not kernel.activated
            if kernel is not None and free and self.tensors[name].uses == 1:
                kernel.added = True
                self.fuse(step, name, f"The convolution that makes {name} adds it to its result.")
                return True
        return False

    def _continues(self, step: Step, channels: int) -> None:
        self.working.note(step, Note(RULE_CONTINUES, f"All that it reads is in {self.format}."))
        self.make(step, channels)

    def concat(self, step: Step) -> str | None:
        """Source: TransformConcat."""
        if step.attributes["dim"] != 1:
            return "It does not join along the channels."
        if not all(name in self.tensors for name in step.inputs):
            return "Not all that it reads is blocked."
        channels = [self.tensors[name].channels for name in step.inputs]
        odd = next((n for n in channels if n % self.block), None)
        if odd is not None:
            return f"One operand has {odd} channels, no multiple of {self.block}."
        for name in step.inputs:
            self.take(name)
        self._continues(step, sum(channels))
        return None

    def activation(self, step: Step) -> str | None:
        """Source: TransformActivation."""
        name = step.input(0)
        found = self.tensors[name]
        self.take(name)
        kernel = found.kernel
        fits = step.op in _FUSED_LATE and found.uses == 1
        if kernel is not None and fits and not kernel.activated:
            kernel.activated = True
            self.fuse(step, name, f"The convolution that makes {name} computes it too.")
        else:
            self._continues(step, found.channels)
        return None

    def batch_norm(self, step: Step) -> str | None:
        """Source: TransformBatchNormalization."""
        if any(step.outputs[1:]) or step.attributes.get("training"):
            return "It is in training mode."
        if not all(name in self.working.constants for name in step.inputs[1:5]):
            return "Its parameters are not constants."
        found = self.tensors[step.input(0)]
        self.take(step.input(0))
        self._as_depthwise(step, found.channels)
        return None

    def transpose(self, step: Step) -> str | None:
        """Source: TransformTransposeToNhwc."""
        name = step.input(0)
        if step.attributes["dims"] != _TO_NHWC:
            return "Only a Transpose from NCHW to NHWC is a reorder."
        self.take(name)
        self.outputs.append(step.output)
        self.working.note(
            step, Note("fused", f"The reorder of {name} out of {self.format} writes NHWC.")
        )
        return None

    def resize(self, step: Step) -> str | None:
        """Source: TransformResize."""
        name = step.input(0)
        refused = resize_refused(self.working, step)
        if refused:
            return refused
        found = self.tensors[name]
        self.take(name)
        self.blocked(step, f"It runs in {self.format}. {name} is blocked already.")
        self.make(step, found.channels)
        return None


def _named(step: Step) -> str:
    return step.op.partition(":")[2] or step.op


_Transform = Callable[[Blocking, Step], str | None]
_STARTS: Mapping[str, _Transform] = {
    "Conv": Blocking.conv,
    "MaxPool": Blocking.pool,
    "AveragePool": Blocking.pool,
}
_CONTINUES: Mapping[str, _Transform] = {
    "Add": Blocking.add,
    "Sum": Blocking.add,
    "Mul": Blocking.multiply,
    "Concat": Blocking.concat,
    **dict.fromkeys(("Relu", "Sigmoid", "Tanh", "Gelu", "HardSigmoid"), Blocking.activation),
    "BatchNormalization": Blocking.batch_norm,
    "Transpose": Blocking.transpose,
    "Resize": Blocking.resize,
    "Upsample": Blocking.resize,
    "GlobalMaxPool": Blocking.pool,
    "GlobalAveragePool": Blocking.pool,
}
