"""Plans: a network's layouts, the ways to run one node, a drawing; requests, answers as JSON."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Self, TypedDict

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from ..engine.model.errors import LayoutError, phrase, refusal, shown_name
from ..engine.network import RULE_SETS, Graph, Node, propagate
from ..engine.network.arrangement.place import Arrangement, Copied, arrange
from ..engine.network.deadline import Clock, Deadline, OutOfTimeError
from ..engine.network.labels import DEFAULT_BLOCK, dims_of, spelled
from ..engine.network.planner import LIMIT_S, Follow, Offer, plan_layouts
from ..engine.network.planner.offers import OfferTable
from ..engine.network.rules import find_rules
from .fields import Strict, Text
from .network_shapes import LayoutPlanJson
from .networks import NetworkGraph, RulesName, RulesOptions, reorder_json, whole_number
from .shapes import Answer, told

MOST_SECONDS = LIMIT_S
_MOST_WAYS = 32  # to run one node
_MOST_WAYS_IN_ALL = 1 << 17


class WayJson(Strict):
    """One way to run a node: the layouts that it reads and writes, and what it costs by itself."""

    inputs: list[Text | None] = Field(description="A layout per operand; null for any.")
    outputs: list[Text | None] = Field(description="A layout per result; null for row-major.")
    cost: Annotated[float, Field(ge=0, le=2**53)] = 0

    def offer(self) -> Offer:
        """The engine's value."""
        return Offer(tuple(self.inputs), tuple(self.outputs), whole_number(self.cost))


class MachineRequest(Strict):
    """A network, and the system with whose options it is planned."""

    graph: NetworkGraph
    rules: RulesName | None = Field(
        None,
        description="With options that name a machine, as isa: its blocks are offered, in place of "
        "those of AVX-512; and the rule set is compared under them.",
    )
    options: RulesOptions = Field(default_factory=dict)

    @property
    def under(self) -> Mapping[str, Mapping[str, Any]]:
        """The options by the name of their rule set. Errors: LayoutError without a name."""
        if self.rules is None and self.options:
            raise refusal("rules", "no rules beside options", "rules.of_options")
        return {} if self.rules is None else {self.rules: self.options}


class PlanRequest(MachineRequest):
    """A network, and where the usual ones are not meant, the ways in which its nodes can run."""

    choices: dict[Text, list[WayJson]] = Field(
        default_factory=dict,
        description="By the name of a node or of an operator, in place of the usual ones.",
    )
    outputs: dict[Text, Text | None] = Field(
        default_factory=dict,
        description="The layout in which a result of the network is given back, null for any; "
        "row-major for those that are not named.",
    )
    time_limit_s: float | None = Field(
        None,
        description="Seconds for the whole answer, 5 by default.",
        json_schema_extra={"exclusiveMinimum": 0, "maximum": MOST_SECONDS},
    )
    _began_s: float = PrivateAttr(default_factory=time.monotonic)

    @model_validator(mode="wrap")
    @classmethod
    def _timed(cls, value: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        """The time that reading takes counts."""
        began_s = time.monotonic()
        found = read(value)
        found._began_s = began_s
        return found

    def deadline(self, limit_s: float, clock: Clock | None) -> Deadline:
        """The end of the time, from when the request began to be read; or from now on ``clock``."""
        return Deadline.after(limit_s, clock) if clock else Deadline(self._began_s + limit_s)


def answer_plan(
    request: PlanRequest, most_seconds: float = MOST_SECONDS, clock: Clock | None = None
) -> Annotated[Answer, LayoutPlanJson]:
    """The layouts of a network at the least cost, its proof, and what others would pay."""
    limit_s = most_seconds if request.time_limit_s is None else request.time_limit_s
    if not 0 < limit_s <= most_seconds:
        expected = phrase("seconds.most", most=most_seconds)
        raise LayoutError("time_limit_s", request.time_limit_s, expected)
    choices = {key: [way.offer() for way in ways] for key, ways in request.choices.items()}
    deadline = request.deadline(limit_s, clock)
    try:
        with deadline.kept():
            graph = request.graph.parse()
        _check_count(graph, choices)
        return planned(graph, choices, request.outputs, deadline, request.under)
    except OutOfTimeError:
        count = len(request.graph.nodes)
        got = f"{limit_s:g} seconds for {count} nodes, which were over before any plan"
        raise refusal("time_limit_s", got, "seconds.more", most=most_seconds) from None


def planned(
    graph: Graph,
    choices: Mapping[str, Sequence[Offer]],
    outputs: Mapping[str, str | None] | None = None,
    deadline: Deadline | None = None,
    under: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Annotated[Answer, LayoutPlanJson]:
    """The plan of a graph, as JSON; ``under``: options by the name of their rule set.

    Errors: LayoutError naming a field; OutOfTimeError.
    """
    found = plan_layouts(
        graph,
        choices=choices,
        outputs=outputs,
        followed=followed(graph, under),
        block=_block(under),
        deadline=deadline,
    )
    dims = dims_of(graph)
    answer = told(
        LayoutPlanJson,
        found,
        tensors={
            name: spelled(graph, dims, [name] * len(texts), texts)
            for name, texts in found.tensors.items()
        },
        layouts={name: asdict(each) for name, each in found.labels.items()},
        nodes={x.name: way_json(graph, dims, x, found.nodes[x.name]) for x in graph.nodes},
        reorders=[reorder_json(graph, dims, each) for each in found.reorders],
        outputs=dict(found.outputs),
        **_costs(found, "cost", "node_cost", "bound"),
        baselines=[asdict(each) | _costs(each, "cost", "node_cost") for each in found.baselines],
        left_out=[asdict(each) for each in found.left_out],
    )
    return dict(answer)


def _costs(of: object, *names: str) -> Answer:
    return {name: whole_number(getattr(of, name)) for name in names}


def way_json(graph: Graph, dims: Mapping[str, str], node: Node, offer: Offer) -> Answer:
    """A way to run a node; ``dims``: the letters of each tensor's dimensions."""
    return {
        "inputs": spelled(graph, dims, node.inputs, offer.inputs),
        "outputs": spelled(graph, dims, node.outputs, offer.outputs),
        "cost": whole_number(offer.cost),
    }


def _block(under: Mapping[str, Mapping[str, Any]]) -> int:
    """Channels of 32 bits that a machine blocks, by the options of a rule set."""
    blocks = (find_rules(name).block_under(options) for name, options in under.items())
    return next(blocks, DEFAULT_BLOCK)


def followed(
    graph: Graph, under: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Follow]:
    """What every rule set makes of the network, when it is called; ``under``: options by name."""
    return {name: partial(propagate, graph, name, under.get(name)) for name in RULE_SETS}


def _check_count(graph: Graph, choices: dict[str, list[Offer]]) -> None:
    for key, offers in choices.items():
        if len(offers) > _MOST_WAYS:
            got = f"{len(offers)} ways"
            raise refusal(f"choices.{shown_name(key)}", got, "most", most=_MOST_WAYS)
    total = sum(
        len(choices.get(key, ()))
        for node in graph.nodes
        for key in {node.name, node.op, node.operator.name}
    )
    if total > _MOST_WAYS_IN_ALL:
        got = f"{total} ways for all nodes together"
        raise refusal("choices", got, "most", most=_MOST_WAYS_IN_ALL)


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


class OffersRequest(MachineRequest):
    """A node of a network."""

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
    table = OfferTable(graph, _block(request.under))
    for node in graph.nodes:
        offers = table.offers(node)
        if node.name == request.node:
            dims = dims_of(graph)
            return {"ways": [way_json(graph, dims, node, each) for each in offers]}
    raise refusal("node", "a name that no node has", "node.name")
