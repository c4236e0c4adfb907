"""The tensors on blocked channels, what is reordered while ORT blocks a graph, and casts."""

from dataclasses import dataclass, replace

from ....model.dtypes import ELEMENT_TYPES
from .working import OrtStep, Working

RULE_BLOCKED, RULE_CONTINUES = "blocked", "continues"


@dataclass(slots=True)
class BlockedConv:
    """A blocked convolution, to see what can still be fused into it."""

    step: OrtStep
    added: bool = False
    activated: bool = False


@dataclass(slots=True)
class Blocked:
    """A tensor on blocked channels. ``left``: its uses that are still in NCHW."""

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
        self.from_nhwc: OrtStep | None = None

    def take(self, *names: str) -> None:
        """Read tensors on blocked channels in place of NCHW, once."""
        for name in names:
            self.tensors[name].left -= 1

    def read(self, step: OrtStep) -> str:
        """Read the first operand on blocked channels: as it is, or reordered. Says which."""
        name = step.input(0)
        called = self.working.called(name)
        if name in self.tensors:
            self.take(name)
            return f"{called} is blocked already."
        found = self.inputs.get(name)
        if found is not None:
            found.steps.append(step)
            return f"{called} has been reordered for an earlier node."
        source, reordered = self.from_nhwc, name
        if source is not None and source.output == name:
            reordered = source.input(0)
            called = self.working.called(reordered)
            reason = f"The reorder of {called} reads NHWC, so nothing is moved before."
            self.working.note(source, "fused", reason)
            self.from_nhwc = None
        self.inputs[name] = ReorderInput(reordered, [step])
        return f"{called} is reordered to {self.format} before it."

    def make(self, step: OrtStep, channels: int, kernel: BlockedConv | None = None) -> None:
        """The step's result is on blocked channels."""
        self.free.add(step.output)
        self.tensors[step.output] = Blocked(self.uses[step.output], channels, kernel)

    def fuse(self, step: OrtStep, name: str, what: str = "computes it too") -> None:
        """The convolution that made the tensor ``name`` computes this step too."""
        found = self.tensors[name]
        conv = found.kernel.step.name if found.kernel else ""
        self.working.note(step, "fused", f"The convolution {conv} {what}.", conv)
        self.working.not_stored(name, step.output)
        self.make(step, found.channels, found.kernel)

    def run(
        self, step: OrtStep, reason: str, channels: int, kernel: BlockedConv | None = None
    ) -> None:
        """A kernel of com.microsoft.nchwc computes a step."""
        self.working.note(step, RULE_BLOCKED, f"It runs in {self.format}. {reason}")
        self.make(step, channels, kernel)

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
            # A Transpose from NHWC that a reorder does too is one of its readers.
            if each.tensor == old and (step in each.steps or step.output == read):
                self.inputs[read] = replace(each, tensor=new)

    def note_plain(self, step: OrtStep, tensors: list[str]) -> None:
        """Say that a step reads tensors in NCHW that are on blocked channels."""
        self._plain[step.index] = tensors
        if step.sources:
            self.lost[step.sources[0]] = self.format


# Binary digits of the integers that a type has all of, without the sign.
_DIGITS = {
    **{name: ELEMENT_TYPES[name].bits for name in ("uint8", "uint16", "uint32", "uint64")},
    **{name: ELEMENT_TYPES[name].bits - 1 for name in ("int8", "int16", "int32", "int64")},
    "bool": 1,
    "bfloat16": 8,
    "float16": 11,
    "float32": 24,
    "float64": 53,
}


def remove_casts(regions: Regions) -> None:
    """Let what reads a Cast back to the first type read the tensor before both.

    If then only Casts read the first one, they read the tensor before it, and it is removed too.
    It is the last of ORT's transformers, after everything else. Source:
    RemoveDuplicateCastTransformer in onnxruntime/core/optimizer/insert_cast_transformer.cc.
    """
    working = regions.working
    for step in working.order():
        if step.op != "Cast" or not working.alive(step):
            continue
        source, made = step.input(0), step.output
        if not _loses_nothing(working.dtypes.get(source, ""), working.dtypes.get(made, "")):
            continue
        casts = [each for each in working.readers(made) if each.op == "Cast"]
        for each in casts:
            _take_back(regions, each, source)
        left = list(working.readers(made))
        if not casts or made in working.outputs or any(each.op != "Cast" for each in left):
            continue
        for each in left:
            regions.read_plainly(each, made, source)
        called = working.called(source)
        working.absent[made] = "It has no memory: the Casts that read it are of the tensor before."
        working.drop(step, "removed", f"Only Casts read it, and they read {called}.")


def _take_back(regions: Regions, step: OrtStep, source: str) -> None:
    working, made = regions.working, step.output
    if working.dtypes.get(made) != working.dtypes[source] or made in working.outputs:
        return
    for each in list(working.readers(made)):
        regions.read_plainly(each, made, source)
    called = working.called(source)
    reason = f"It undoes a Cast that loses nothing: {called} is used in its place."
    working.drop(step, "removed", reason, {made: (source, None)})


def _loses_nothing(source: str, target: str) -> bool:
    """Whether every value of a type is one of another, of those that ORT's Cast knows."""
    if source == target or not {source, target} <= _DIGITS.keys():
        return False
    one, other = ELEMENT_TYPES[source], ELEMENT_TYPES[target]
    if one.kind == "float":
        return other.kind == "float" and other.bits > one.bits
    return (one.kind, other.kind) != ("int", "uint") and _DIGITS[source] <= _DIGITS[target]
