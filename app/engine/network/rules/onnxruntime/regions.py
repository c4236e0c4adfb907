"""The tensors on blocked channels, and what is reordered: the state while ORT blocks a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .working import OrtStep, Working

_TO_NCHW = (0, 3, 1, 2)
RULE_BLOCKED, RULE_CONTINUES = "blocked", "continues"


@dataclass(slots=True)
class BlockedConv:
    """A blocked convolution, to see what can still be fused into it."""

    step: OrtStep
    added: bool = False
    activated: bool = False


@dataclass(slots=True)
class Blocked:
    """A tensor on blocked channels. ``uses``: at first; ``left``: those still in NCHW."""

    uses: int
    left: int
    channels: int
    kernel: BlockedConv | None = None


@dataclass(frozen=True, slots=True)
class ReorderInput:
    """A tensor that is reordered into blocks, for a step and all later ones."""

    tensor: str
    steps: list[OrtStep]


class Regions:
    """What the transformer has decided. ``block``: channels in a block, 8 or 16.

    ``tensors``: those on blocked channels. ``inputs``: what is reordered into blocks, by the tensor
    that the steps read. ``outputs``: what is reordered into NCHW. ``free``: tensors whose readers
    ORT has cut from the step that makes them. ``products``: by step, the HardSigmoid of which it
    is the HardSwish. ``lost``: by the network's nodes, the blocked format that the node gives up.
    """

    def __init__(self, working: Working, block: int) -> None:
        self.working = working
        self.block = block
        self.format = f"NCHW{block}c"
        self.tensors: dict[str, Blocked] = {}
        self.inputs: dict[str, ReorderInput] = {}
        self.outputs: list[str] = []
        self.free: set[str] = set()
        self.products: dict[int, str] = {}
        self.lost: dict[int, str] = {}
        self.uses = {name: working.uses(name) for name in working.producers}
        self._plain: dict[int, list[str]] = {}
        self._from_nhwc: OrtStep | None = None

    def take(self, *names: str) -> bool:
        """Read tensors on blocked channels in place of NCHW, once; False if one is not blocked."""
        found = [self.tensors.get(name) for name in names]
        for each in found:
            if each is not None:
                each.left -= 1
        return None not in found

    def read(self, step: OrtStep) -> str:
        """Read the first operand on blocked channels: as it is, or reordered. Says which."""
        name = step.input(0)
        called = self.working.called(name)
        if self.take(name):
            return f"{called} is blocked already."
        found = self.inputs.get(name)
        if found is not None:
            found.steps.append(step)
            return f"{called} has been reordered for an earlier node."
        source, reordered = self._from_nhwc, name
        if source is not None and source.output == name:
            reordered = source.input(0)
            called = self.working.called(reordered)
            reason = f"The reorder of {called} reads NHWC, so nothing is moved before."
            self.working.note(source, "fused", reason)
            self._from_nhwc = None
        self.inputs[name] = ReorderInput(reordered, [step])
        return f"{called} is reordered to {self.format} before it."

    def make(self, step: OrtStep, channels: int, kernel: BlockedConv | None = None) -> None:
        """The step's result is on blocked channels."""
        uses = self.uses[step.output]
        self.free.add(step.output)
        self.tensors[step.output] = Blocked(uses, uses, channels, kernel)

    def fuse(self, step: OrtStep, name: str, what: str = "computes it too") -> None:
        """The convolution that made the tensor ``name`` computes this step too."""
        found = self.tensors[name]
        conv = found.kernel.step.name if found.kernel else ""
        reason = f"The convolution {conv} {what}."
        self.working.note(step, "fused", reason, conv)
        self.working.not_stored(name, step.output)
        self.make(step, found.channels, found.kernel)

    def blocked(self, step: OrtStep, reason: str) -> None:
        """Note a kernel of com.microsoft.nchwc."""
        self.working.note(step, RULE_BLOCKED, reason)

    def read_plain(self, step: OrtStep) -> list[str]:
        """The tensors on blocked channels that a step reads in NCHW."""
        return self._plain.get(step.index, [])

    def read_plainly(self, step: OrtStep, old: str, new: str) -> None:
        """Let a step read another tensor, of the same values, in the place of one in NCHW."""
        for at, name in enumerate(step.inputs):
            if name == old:
                self.working.set_input(step, at, new)
        if new in self.tensors:
            self._plain[step.index] = [*self.read_plain(step), new]
        for read, each in self.inputs.items():
            if each.tensor == old and step in each.steps:
                self.inputs[read] = replace(each, tensor=new)

    def track(self, step: OrtStep) -> None:
        """Remember a Transpose from NHWC that one node reads. Source: TrackTransposeFromNhwc."""
        if step.attributes["dims"] == _TO_NCHW and self.working.only_reader(step):
            self._from_nhwc = step

    def note_plain(self, step: OrtStep, tensors: list[str]) -> None:
        """Say that a step reads tensors in NCHW that are on blocked channels."""
        self._plain[step.index] = tensors
        if step.sources:
            self.lost[step.sources[0]] = self.format
