"""What a rule of eager PyTorch is given, and what it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....model.layout import Layout
from ....model.views import NeedsCopy
from ...nodes import Node
from ...operators.base import Call, Family, TensorType
from ..base import families, operators
from . import memory


@dataclass(frozen=True, slots=True)
class EagerOperand(TensorType):
    """A tensor that a node reads, and its layout."""

    layout: Layout


@dataclass(frozen=True, slots=True)
class EagerResult:
    """A result's layout; ``of``: position of the operand whose memory it shares, None if new."""

    layout: Layout
    of: int | None = None


# A copy of an operand, by position, that the node makes before it computes.
EagerCopy = tuple[int, Layout]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule says: the results, one sentence why, and the operands that are copied first.

    ``moves``: results that are copied after they are made, by position: from where to where.
    """

    results: tuple[EagerResult, ...]
    reason: str
    copies: tuple[EagerCopy, ...] = ()
    moves: tuple[tuple[int, Layout, Layout], ...] = ()


@dataclass(frozen=True, slots=True)
class Eager(Call):
    """One node with the layouts of its operands. ``types``: of its results."""

    operands: Sequence[EagerOperand | None]
    node: Node
    types: Sequence[TensorType]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the first result."""
        return self.types[0].shape

    def get(self, role: str) -> Layout | None:
        """Layout of the operand ``role``, None if it is left out."""
        found = self.operand(role)
        return found.layout if isinstance(found, EagerOperand) else None

    def layout(self, role: str) -> Layout:
        """Layout of the operand ``role``, which the catalogue has checked to be there."""
        found = self.get(role)
        assert found is not None
        return found

    @property
    def input(self) -> Layout:
        """Layout of the first operand."""
        first = self.operands[0]
        assert first is not None
        return first.layout

    @property
    def converted(self) -> Layout:
        """The first operand in the result's element type: divided integers become floats first."""
        return memory.converted(self.input, self.first.dtype, self.types[0].dtype)

    @property
    def layouts(self) -> list[Layout]:
        """Layouts of all operands that are not left out."""
        return [each.layout for each in self.operands if each is not None]


Rule = Callable[[Eager], Outcome]


RULES: dict[str, Rule] = {}
"""By the catalogue's names of operators."""


def rule(names: str, *family: Family, source: str = "") -> Callable[[Rule], Rule]:
    """Register a rule for operators, and for those of families that have no rule of their own.

    ``source``: of a rule without a docstring of its own.
    """

    def register(function: Rule) -> Rule:
        function.__doc__ = function.__doc__ or f"Source: {source}."
        for name in families(*family):
            RULES.setdefault(name, function)
        RULES.update(dict.fromkeys(operators(names), function))
        return function

    return register


def new(layout: Layout, reason: str, copies: Sequence[EagerCopy] = ()) -> Outcome:
    """One new tensor."""
    return Outcome((EagerResult(layout),), reason, tuple(copies))


def view(layout: Layout, reason: str, of: int = 0) -> Outcome:
    """One view of an operand."""
    return Outcome((EagerResult(layout, of),), reason)


def viewed(found: Layout | NeedsCopy) -> Layout:
    """The layout of a step of a view that cannot need a copy here."""
    assert not isinstance(found, NeedsCopy)
    return found


def copied_to(call: Eager, position: int, target: Layout) -> tuple[EagerCopy, ...]:
    """The copy of an operand into ``target``, none if it lies so already."""
    operand = call.operands[position]
    if operand is None or memory.strides_of(operand.layout) == memory.strides_of(target):
        return ()
    return ((position, target),)


def suggests(memory_format: str) -> str:
    """The reason of a kernel that writes in the format that its input suggests."""
    name = memory_format.removesuffix("_format")
    return f"The order of the input's strides says {name}, so the result is {name}."
