"""The graph while ONNX Runtime's optimizers change it: steps, who makes and who reads a tensor.

Source: onnxruntime/core/graph/graph.cc and graph_utils.cc. The index of a step matters, because the
order in which ORT visits the nodes depends on it: a new node gets the next index.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from ...attributes import Value
from ...deadline import look

Perm = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Initializer:
    """An initializer; ``values`` in row-major order where they are known, else None."""

    shape: tuple[int, ...]
    dtype: str
    values: tuple[int | float, ...] | None = None


@dataclass(slots=True, eq=False)
class OrtStep:
    """A node of ONNX Runtime's graph.

    ``op``: ONNX's name. ``attributes``: by the catalogue's names. ``sources``: the network's nodes
    that it computes, by index, the one that it came from first; empty for a node of ORT's own.
    ``activation``: what ORT has fused behind a convolution. ``own``: the network's name of an
    operator that ONNX does not have.
    """

    index: int
    op: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Value]
    name: str = ""
    sources: list[int] = field(default_factory=list)
    activation: str | None = None
    own: str = ""

    @property
    def output(self) -> str:
        """The first result."""
        return self.outputs[0]

    def input(self, at: int) -> str:
        """The operand at a position; empty if it is left out."""
        return self.inputs[at] if at < len(self.inputs) else ""

    def permuted(self, values: Sequence[int | float]) -> tuple[int | float, ...]:
        """Values of a constant operand, by dimension, as Transposes that passed it leave them."""
        for perm in self.attributes.get("permuted", ()):
            rows = [values[i : i + len(perm)] for i in range(0, len(values), len(perm))]
            values = [row[perm.index(d)] for row in rows for d in range(len(perm))]
        return tuple(values)


@dataclass(frozen=True, slots=True)
class Note:
    """What became of a node of the network: the rule's name, the reason.

    ``fused``: the node whose kernel computes it too.
    """

    rule: str
    reason: str
    fused: str | None = None


# Where the values of a tensor are that is not stored under its own name: another tensor, and the
# permutation that makes this one of it, None for the same tensor.
Alias = tuple[str, Perm | None]
_index = attrgetter("index")


class Working:
    """ORT's graph. ``shapes``, ``dtypes``: of each tensor, None and empty if they are not known.

    ``notes``: by the network's nodes. ``aliases``, ``absent``: tensors that no step makes any more:
    where their values are, or why there are none. ``fused``: those of ``absent`` that only one
    kernel has, with the tensor it goes on to. ``own``: for ORT's own tensors, the network's tensor
    with these values. ``renamed``: results of a dropped Identity, with its operand.
    """

    def __init__(self, outputs: tuple[str, ...]) -> None:
        self.steps: dict[int, OrtStep] = {}
        self.producers: dict[str, OrtStep] = {}
        self.constants: dict[str, Initializer] = {}
        self.shapes: dict[str, tuple[int, ...] | None] = {}
        self.dtypes: dict[str, str] = {}
        self.outputs = dict.fromkeys(outputs)
        self.notes: dict[int, Note] = {}
        self.aliases: dict[str, Alias] = {}
        self.absent: dict[str, str] = {}
        self.fused: dict[str, str] = {}
        self.own: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self._readers: dict[str, dict[int, int]] = {}
        self._edges: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._next = 0

    def add(
        self,
        op: str,
        inputs: list[str],
        outputs: list[str],
        attributes: Mapping[str, Value] | None = None,
        *,
        sources: list[int] | None = None,
        name: str = "",
    ) -> OrtStep:
        """A new step, with the next index."""
        look()
        step = OrtStep(self._next, op, [], [], dict(attributes or {}), name, sources or [])
        self._next += 1
        self.steps[step.index] = step
        for at, tensor in enumerate(inputs):
            step.inputs.append("")
            self.set_input(step, at, tensor)
        self.set_outputs(step, outputs)
        return step

    def set_input(self, step: OrtStep, at: int, tensor: str) -> None:
        """Let a step read another tensor at a position."""
        old = step.inputs[at]
        if old:
            self._edges[old] -= 1
            counts = self._readers[old]
            counts[step.index] -= 1
            if not counts[step.index]:
                del counts[step.index]
        step.inputs[at] = tensor
        if tensor:
            self._edges[tensor] = self.edges(tensor) + 1
            counts = self._readers.setdefault(tensor, {})
            counts[step.index] = counts.get(step.index, 0) + 1

    def set_outputs(self, step: OrtStep, outputs: list[str]) -> None:
        """Let a step make other tensors."""
        for tensor in step.outputs:
            if self.producers.get(tensor) is step:
                del self.producers[tensor]
        step.outputs = outputs
        for tensor in outputs:
            if tensor:
                self.producers[tensor] = step

    def remove(self, step: OrtStep) -> None:
        """Take a step out of the graph."""
        for at in range(len(step.inputs)):
            self.set_input(step, at, "")
        self.set_outputs(step, [])
        del self.steps[step.index]

    def drop(
        self,
        step: OrtStep,
        rule: str,
        reason: str,
        aliases: Mapping[str, Alias] | None = None,
        fused: str | None = None,
    ) -> None:
        """Take a step out, say why, and where the values of its results are now."""
        self.note(step, rule, reason, fused)
        self.aliases.update(aliases or {})
        self.remove(step)

    def replace(self, old: str, new: str) -> None:
        """Let all readers of a tensor read another one."""
        for step in list(self.readers(old)):
            for at, tensor in enumerate(step.inputs):
                if tensor == old:
                    self.set_input(step, at, new)

    def fuse(self, step: OrtStep, follower: OrtStep) -> None:
        """Let ``step`` compute its only reader too: it makes that one's result, not its own."""
        outputs = follower.outputs
        self.not_stored(step.output, outputs[0])
        reason = f"The convolution {step.name} computes it too."
        self.note(follower, "fused", reason, step.name)
        step.sources.extend(follower.sources)
        self.remove(follower)
        self.set_outputs(step, outputs)

    def not_stored(self, tensor: str, result: str) -> None:
        """Say that a tensor has no memory: one kernel goes on to ``result``."""
        result = self.called(result)
        self.fused[tensor] = result
        self.absent[tensor] = f"It has no memory of its own: one kernel goes on to {result}."

    def new_constant(
        self,
        like: str,
        shape: tuple[int, ...],
        dtype: str = "float32",
        values: tuple[int | float, ...] | None = None,
    ) -> str:
        """A new initializer, with a name of its own."""
        name = self.fresh(f"{like}_new")
        self.constants[name] = Initializer(shape, dtype, values)
        self.shapes[name], self.dtypes[name] = shape, dtype
        return name

    def new_tensor(self, like: str, name: str, shape: tuple[int, ...] | None) -> str:
        """A tensor of ORT's own: the network's tensor ``like`` in another shape."""
        name = self.fresh(name)
        self.own[name] = self.own.get(like, like)
        self.shapes[name], self.dtypes[name] = shape, self.dtypes.get(like, "")
        return name

    def same_constant(self, name: str, other: str) -> bool:
        """Whether ``name`` is a constant; then ``other`` is one as well, of its own shape."""
        constant = self.constants.get(name)
        if constant is None:
            return False
        values = constant.values if math.prod(constant.shape) == 1 else None
        self.constants[other] = Initializer(self.shapes[other] or (), constant.dtype, values)
        return True

    def fresh(self, name: str) -> str:
        """The name, or a numbered one, that no tensor has."""
        found = name
        while found in self.shapes:
            self._numbers[name] = self._numbers.get(name, 0) + 1
            found = f"{name}_{self._numbers[name]}"
        return found

    def note(self, step: OrtStep, rule: str, reason: str, fused: str | None = None) -> None:
        """Say what became of the node that a step came from."""
        if step.sources:
            self.notes[step.sources[0]] = Note(rule, reason, fused)

    def called(self, tensor: str) -> str:
        """The network's name for a tensor."""
        return self.own.get(tensor, tensor)

    def readers(self, tensor: str) -> Iterator[OrtStep]:
        """The steps that read a tensor, once each, first the one that began first."""
        return (self.steps[index] for index in self._readers.get(tensor, ()))

    def edges(self, tensor: str) -> int:
        """How many operands the tensor is."""
        return self._edges.get(tensor, 0)

    def uses(self, tensor: str) -> int:
        """As ``edges``, and one more if it is an output of the network."""
        return self.edges(tensor) + (tensor in self.outputs)

    def only_reader(self, step: OrtStep) -> tuple[OrtStep, int] | None:
        """The reader of a step's result and the position, if there is one use and no other."""
        if len(step.outputs) != 1 or self.uses(step.output) != 1 or step.output in self.outputs:
            return None
        reader = next(self.readers(step.output))
        return reader, reader.inputs.index(step.output)

    def alive(self, step: OrtStep) -> bool:
        """Whether a step is still in the graph."""
        return self.steps.get(step.index) is step

    def order(self) -> list[OrtStep]:
        """The steps as ORT visits them.

        From the leaves backwards, depth first; among the producers of a step, the one with the
        largest index first. Source: GraphViewer and Graph::ReverseDFSFrom in core/graph/graph.cc.
        """
        look()
        leaves = [s for s in self.steps.values() if not any(map(self._readers.get, s.outputs))]
        stack = [(step, False) for step in leaves]
        seen: set[int] = set()
        found: list[OrtStep] = []
        while stack:
            step, left = stack.pop()
            if left:
                found.append(step)
            elif step.index not in seen:
                seen.add(step.index)
                stack.append((step, True))
                makers = map(self.producers.get, step.inputs)
                made = [each for each in makers if each and each.index not in seen]
                if len(made) > 1:
                    made.sort(key=_index)
                stack += [(each, False) for each in made]
        return found
