"""RuleSet: how one real system carries layouts through a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...model.errors import Described, LayoutError
from ..attributes import Attribute, Value
from ..graph import Graph
from ..operators.signatures import Signature
from ..propagation import Propagation


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one system, one module each, every rule with its source.

    ``name``: as the API takes it. ``title``: for people, with the version. ``source``: where the
    rules were read. ``carry(graph, options)`` applies them. ``options``: by name, as attributes.
    """

    name: str
    title: str
    source: str
    carry: Callable[[Graph, Mapping[str, Value]], Propagation]
    options: Mapping[str, Attribute] = field(default_factory=dict)

    def propagate(self, graph: Graph, options: Mapping[str, Value] | None = None) -> Propagation:
        """Carry the layouts of the inputs through ``graph``.

        Errors: LayoutError naming ``options.<name>``.
        """
        return self.carry(graph, self._read(options or {}))

    def _read(self, given: Mapping[str, Value]) -> dict[str, Value]:
        try:
            return Signature((), 0, variadic=False, attributes=self.options).read(given)
        except LayoutError as error:
            raise error.under(error.field.replace("attributes", "options", 1)) from None


def find_rules(name: str, among: Mapping[str, RuleSet]) -> RuleSet:
    """The rule set of that name. Errors: LayoutError naming ``rules``."""
    found = among.get(name)
    if found is None:
        known = ", ".join(among)
        raise LayoutError("rules", Described("a name that no rule set has"), f"one of {known}")
    return found
