"""Networks as drawings, and the ways in which one node can be run: requests and answers as JSON."""

from typing import Annotated, TypedDict

from pydantic import Field

from ..engine.model.errors import Described, LayoutError, Phrase
from ..engine.network.arrangement.place import Arrangement, Copied, arrange
from ..engine.network.labels import dims_of
from ..engine.network.planner import Offer
from ..engine.network.planner.offers import OfferTable
from .fields import Strict, Text
from .networks import NetworkGraph
from .plans import way_json
from .shapes import Answer


class DrawnReorder(Strict):
    """A reorder to draw: a copy of a tensor, and the nodes that read the copy."""

    tensor: Text
    readers: list[Text] = Field(
        default_factory=list, description="Names of nodes; none where only the user reads it."
    )


class ArrangeRequest(Strict):
    """A network to draw."""

    graph: NetworkGraph
    reorders: list[DrawnReorder] = Field(default_factory=list)
    fold: bool = Field(default=False, description="Draw repeated blocks as one vertex.")
    unfolded: list[Text] = Field(
        default_factory=list,
        description="Names of first nodes of blocks that are drawn in full, each once.",
    )
    aspect: Annotated[float, Field(gt=0, le=100)] | None = Field(
        None, description="Wished width through height: a long network is broken into columns."
    )


class OffersRequest(Strict):
    """A node of a network."""

    graph: NetworkGraph
    node: Text = Field(description="Its name, or that of its first result.")


class OffersJson(TypedDict):
    """What /plan may choose for a node."""

    ways: list[Annotated[Answer, Offer]]


def answer_arrange(request: ArrangeRequest) -> Arrangement:
    """Lay a network out in layers: positions of its parts, and ways of its tensors between them."""
    copies = [Copied(each.tensor, tuple(each.readers)) for each in request.reorders]
    return arrange(
        request.graph.parse(),
        reorders=copies,
        fold=request.fold,
        unfolded=frozenset(request.unfolded),
        aspect=request.aspect,
    )


def answer_offers(request: OffersRequest) -> OffersJson:
    """The ways in which /plan may run a node, where the request gives no others."""
    graph = request.graph.parse()
    table = OfferTable(graph)
    for node in graph.nodes:
        offers = table.offers(node)
        if node.name == request.node:
            dims = dims_of(graph)
            return {"ways": [way_json(graph, dims, node, each) for each in offers]}
    expected = Phrase("node.name", "the name of a node")
    raise LayoutError("node", Described("a name that no node has"), expected)
