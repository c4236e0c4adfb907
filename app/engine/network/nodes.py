"""What a network is made of: the tensors that it is given, and nodes, as written and as checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model.dtypes import DEFAULT, ElementType
from ..model.errors import refusal
from ..model.layout import Layout
from .attributes import Signature, Value
from .operators.base import Call, Operator, Origin, TensorType


@dataclass(frozen=True, slots=True)
class GraphTensor:
    """An input or a constant of a graph.

    ``values``: of a constant, in row-major order of the logical tensor, where they are known. Only
    those that give shapes are used: axes, sizes, pads, scales. ``dims``: the letters of its
    dimensions, where whoever gives it says them.
    """

    layout: Layout
    dtype: ElementType
    values: tuple[int | float, ...] | None = None
    dims: str = ""

    @property
    def type(self) -> TensorType:
        """Shape and element type."""
        return TensorType(self.layout.shape, self.dtype)

    @property
    def json(self) -> dict[str, Any]:
        """The tensor as a caller of the API would write it."""
        made: dict[str, Any] = {
            "shape": list(self.layout.shape),
            "layout": {"strides": list(self.layout.strides or ())},
            "dtype": self.dtype.name,
        }
        return made if self.values is None else {**made, "values": list(self.values)}


@dataclass(frozen=True, slots=True)
class NodeSource:
    """A node as it is written: see ``Graph.of``. ``attributes`` by the system's own names."""

    op: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Value] = field(default_factory=dict)
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of a graph, checked.

    ``op``: as written. ``operator``: its row of the catalogue. ``origin``: whose name and
    attributes these are. ``inputs``: names of tensors, empty where an operand is left out.
    ``attributes``: all of them, under the catalogue's names, defaults included. ``given``: as
    written.
    """

    index: int
    name: str
    op: str
    operator: Operator
    origin: Origin
    signature: Signature
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Value]
    given: Mapping[str, Value]

    def input(self, role: str) -> str:
        """Name of the tensor that is the operand ``role``; empty if it is left out."""
        at = self.signature.positions.get(role)
        return self.inputs[at] if at is not None and at < len(self.inputs) else ""

    def permutation(self, rank: int) -> tuple[int, ...]:
        """The operand's dimensions in the order of the result, for the family of permutations."""
        # What the rule makes of the sizes 0, 1, 2, … is the order.
        numbered = TensorType(tuple(range(rank)), DEFAULT)
        given = (self.op, self.origin, self.signature, self.attributes)
        shaped = self.operator.shape(Call(*given, [numbered], lambda _: None, 1), numbered)
        assert isinstance(shaped, tuple)
        return shaped[0].shape


def node_names(sources: Iterable[NodeSource]) -> list[str]:
    """Each node's own name; for those without one, that of its first result."""
    sources = list(sources)
    taken: set[str] = set()
    for i, source in enumerate(sources):
        if source.name in taken:
            raise refusal(f"nodes[{i}].name", "a name that another node has", "name.unique")
        taken |= {source.name} if source.name else set()
    found: list[str] = []
    for i, source in enumerate(sources):
        name = source.name or next((each for each in source.outputs if each), source.op)
        if not source.name and name in taken:
            name = f"{name}#{i}"
            while name in taken:
                name += "'"
        taken.add(name)
        found.append(name)
    return found
