"""RuleSet: how one real system carries layouts through a network."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...model.errors import Described, LayoutError, one_of
from ..attributes import Attribute, Signature, Value
from ..graph import Graph
from ..nodes import Node
from ..operators import OPERATORS
from ..operators.base import Family
from ..propagation import Propagation


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one system, one module each, every rule with its source.

    ``name``: as the API takes it. ``title``: for people, with the version. ``source``: where the
    rules were read. ``notation``: the dialect that its layouts are written in. ``carry(graph,
    options)`` applies them. ``options``: by name, as attributes. ``verified``: its answers have
    been held against the running system; if not, the source is all there is. ``note``: what else a
    person has to know of them.
    """

    name: str
    title: str
    source: str
    notation: str
    carry: Callable[[Graph, Mapping[str, Value]], Propagation]
    options: Mapping[str, Attribute] = field(default_factory=dict)
    verified: bool = True
    note: str = ""

    @property
    def label(self) -> str:
        """The name, marked if the rules are not verified."""
        return self.name if self.verified else f"{self.name} †"

    @property
    def remark(self) -> str:
        """What a person has to know of the rules, behind their title; mostly empty."""
        note = self.note if self.verified else f"† Not verified: only read in {self.source}"
        return note and f". {note}"

    def propagate(self, graph: Graph, options: Mapping[str, Value] | None = None) -> Propagation:
        """Carry the layouts of the inputs through ``graph``.

        Errors: LayoutError naming ``options.<name>``.
        """
        signature = Signature((), 0, variadic=False, attributes=self.options)
        try:
            read = signature.read(options or {})
        except LayoutError as error:
            raise error.under(error.field.replace("attributes", "options", 1)) from None
        return self.carry(graph, read)


def operators(names: str) -> frozenset[str]:
    """The operators of a text, by the catalogue's names, which are checked."""
    found = frozenset(names.split())
    unknown = found - {row.name for row in OPERATORS}
    assert not unknown, unknown
    return found


def families(*names: Family) -> frozenset[str]:
    """The operators of the catalogue's families of these names."""
    return frozenset(row.name for row in OPERATORS if row.family in names)


def axes_of(node: Node, rank: int) -> set[int]:
    """The dimensions that a node's attribute ``dim`` names, all where it is null."""
    given = node.attributes.get("dim")
    axes = range(rank) if given is None else [given] if isinstance(given, int) else given
    return {d % max(rank, 1) for d in axes}


def find_rules(name: str, among: Mapping[str, RuleSet]) -> RuleSet:
    """The rule set of that name. Errors: LayoutError naming ``rules``."""
    found = among.get(name)
    if found is None:
        raise LayoutError("rules", Described("a name that no rule set has"), one_of(among))
    return found
