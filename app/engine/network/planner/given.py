"""The offers that a caller gives, in place of the table's."""

from collections.abc import Sequence

from ...model.errors import Described, LayoutError, Phrase, shown_name
from ..graph import Graph
from ..labels import plain_name
from ..nodes import Node
from .offers import Choices, Offer, layout_of


class GivenOffers:
    """The offers that a caller gives, by the name of a node or of an operator.

    Those for an operator are left out at the nodes whose tensors cannot have their layouts;
    ``check`` refuses those that no node can have.
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._fitting: set[tuple[str, int]] = set()
        self._errors: dict[tuple[str, int], LayoutError] = {}

    def offers(self, graph: Graph, node: Node) -> list[Offer] | None:
        """Those for a node, filled up to all operands and results; None if there are none.

        Errors: LayoutError naming ``choices.<key>[i]``.
        """
        names = (node.name, node.op, node.operator.name)
        key = next((name for name in names if name in self._choices), None)
        if key is None:
            return None
        found: list[Offer] = []
        last: LayoutError | None = None
        for at, offer in enumerate(self._choices[key]):
            try:
                found.append(_filled(graph, node, offer))
                self._fitting.add((key, at))
            except LayoutError as error:
                last = error.within(f"choices.{shown_name(key)}[{at}]")
                self._errors[key, at] = last
        if not found:
            raise last or LayoutError(
                f"choices.{shown_name(key)}",
                Described("an empty list"),
                Phrase("choices.least_one", "at least one choice"),
            )
        return found

    def check(self, graph: Graph) -> None:
        """Errors: LayoutError naming a choice that fits no node, or ``choices`` for other names."""
        known = {key for node in graph.nodes for key in (node.name, node.op, node.operator.name)}
        if not known.issuperset(self._choices):
            got = Described("a name that no node and no operator of the graph has")
            expected = Phrase("choices.named", "names of nodes or operators of the graph")
            raise LayoutError("choices", got, expected)
        for place, error in self._errors.items():
            if place not in self._fitting:
                raise error


def _filled(graph: Graph, node: Node, offer: Offer) -> Offer:
    return Offer(
        _filled_side(graph, "inputs", offer.inputs, node.inputs),
        _filled_side(graph, "outputs", offer.outputs, node.outputs),
        offer.cost,
    )


def _filled_side(
    graph: Graph, side: str, given: Sequence[str | None], names: Sequence[str]
) -> tuple[str | None, ...]:
    if len(given) > len(names):
        got = Described(f"{len(given)} layouts")
        expected = Phrase("choices.per_tensor", "at most {n}, one per tensor", n=len(names))
        raise LayoutError(side, got, expected)
    texts: list[str | None] = []
    for at, tensor in enumerate(names):
        text = given[at] if at < len(given) else None
        kind = graph.type(tensor)
        if text is not None and kind is not None:
            try:
                layout_of(text, kind.shape)
            except LayoutError as error:
                raise error.under(f"{side}[{at}]") from None
        elif side == "outputs" and kind is not None:
            text = plain_name(kind.rank)
        texts.append(text if kind is not None else None)
    return tuple(texts)
