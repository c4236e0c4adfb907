"""The offers that a caller gives, in place of the table's."""

from collections.abc import Sequence

from ...model.errors import Described, LayoutError, Phrase, shown_name
from ..deadline import look
from ..graph import Graph
from ..labels import layout_of, plain_name
from ..nodes import Node
from .offers import Choices, Offer


def given_offers(graph: Graph, choices: Choices) -> dict[int, list[Offer]]:
    """The offers that a caller gives for nodes, filled up to all operands and results, by index.

    ``choices``: by the name of a node or of an operator. Those for an operator are left out at the
    nodes whose tensors cannot have their layouts. Errors: LayoutError naming ``choices.<key>[i]``
    if no node can have that one, or ``choices`` for other names; OutOfTimeError where a deadline is
    kept.
    """
    found: dict[int, list[Offer]] = {}
    fitting: set[tuple[str, int]] = set()
    errors: dict[tuple[str, int], LayoutError] = {}
    known: set[str] = set()
    for node in graph.nodes:
        look()
        names = (node.name, node.op, node.operator.name)
        known.update(names)
        key = next((name for name in names if name in choices), None)
        if key is None:
            continue
        offers = found[node.index] = []
        where = f"choices.{shown_name(key)}"
        for at, offer in enumerate(choices[key]):
            try:
                offers.append(_filled(graph, node, offer))
                fitting.add((key, at))
            except LayoutError as error:
                errors[key, at] = error.within(f"{where}[{at}]")
        if not choices[key]:
            expected = Phrase("choices.least_one", "at least one choice")
            raise LayoutError(where, Described("an empty list"), expected)
        if not offers:
            raise errors[key, len(choices[key]) - 1]
    if not known.issuperset(choices):
        got = Described("a name that no node and no operator of the graph has")
        expected = Phrase("choices.named", "names of nodes or operators of the graph")
        raise LayoutError("choices", got, expected)
    for place, refusal in errors.items():
        if place not in fitting:
            raise refusal
    return found


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
