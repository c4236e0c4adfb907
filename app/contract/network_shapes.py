"""The answers about networks, documented as those of ``shapes``."""

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from ..engine.network import NodeReport
from ..engine.network.labels import Kind, LayoutLabel
from ..engine.network.planner import Advice, Baseline, LeftOut, Offer
from ..files.onnx.nchwc import Decision
from .shapes import Answer


class PlacedTensorJson(TypedDict):
    """One tensor of a network; what is not known of it is None, with a reason.

    ``layout``: a text that reads back with this shape, in the system's notation if it can.
    ``kind``: plain is row-major, last has dimension 1 innermost, blocked has dimensions in blocks,
    other is all else; absent is never in memory, unknown is not known. ``short``: a name of the
    layout for a drawing. ``strides``: in elements; None for a blocked layout. ``view``: whether it
    shares the memory of another. ``of``: that tensor. ``reason``: why it is not known,
    or not as it was given. ``fused``: the tensor that its kernel goes on to: it is never in memory
    itself.
    """

    shape: tuple[int, ...] | None
    dtype: str | None
    layout: str | None
    kind: Kind
    short: str
    strides: tuple[int, ...] | None
    offset: int | None
    view: bool
    of: NotRequired[str | None]
    reason: NotRequired[str | None]
    fused: NotRequired[str | None]


class NetworkReorderJson(TypedDict):
    """One copy of a tensor into another layout.

    ``source``, ``target``: the layouts in the rule set's words. ``source_layout``,
    ``target_layout``: as a text that reads back, for a drawing; None if the shape is not known.
    ``before``: the node that needs the copy first. ``after``: the node that made the tensor.
    ``readers``: all nodes that read the copy; none where only the network's user does.
    ``prepared``: it happens once, before the first run: the tensor is a constant. ``bytes``:
    read (the addresses of elements, each once) and written (the target's buffer with padding).
    """

    tensor: str
    source: str
    target: str
    source_layout: LayoutLabel | None
    target_layout: LayoutLabel | None
    before: NotRequired[str | None]
    after: NotRequired[str | None]
    readers: tuple[str, ...]
    prepared: bool
    bytes: int


class PlannedReorderJson(TypedDict):
    """One copy of a tensor, which serves all its readers.

    ``before``: the first node that reads the copy. ``after``: the node that made the tensor; None
    for an input.
    """

    before: NotRequired[str | None]
    after: NotRequired[str | None]


class NodeReportJson(TypedDict):
    """What happens at one node, and why.

    ``lost``: the format that the node gave up. ``node_cost``: what it reads and writes itself to
    change layouts at each run, a part of what all nodes do; left out where that is nothing.
    """

    lost: NotRequired[str | None]
    fused: NotRequired[str | None]
    node_cost: NotRequired[float]


class PropagationJson(TypedDict):
    """Every tensor by name, the reorders, and the nodes in order.

    ``verified``: whether the rules were held against the running system. ``source``: where they
    were read. ``cost``: all that is read and written at each run: ``bytes`` by the reorders of
    activations, ``node_cost`` by the nodes themselves, by the plan's table (None where that was not
    counted), and ``prepared_bytes`` where ``weights_each_call``. ``prepared_bytes``: what is read
    and written once, before the first run, to bring constants into other layouts.
    ``weights_each_call``: this system copies them again at each run, unless they come as wanted.
    ``advice``: how to avoid reorders, the kinds of most bytes first.
    """

    rules: str
    verified: bool
    source: str
    tensors: dict[str, PlacedTensorJson]
    reorders: list[NetworkReorderJson]
    nodes: list[Annotated[Answer, NodeReportJson, NodeReport]]
    bytes: int
    node_cost: float | None
    cost: float
    prepared_bytes: int
    weights_each_call: bool
    advice: list[Advice]


class LayoutPlanJson(TypedDict):
    """The layouts of a network at the least cost.

    ``tensors``: the layouts that each tensor is held in, the one it is produced in first.
    ``layouts``: that one, for a drawing. ``cost``: what the reorders of activations read and write
    at each run, and ``node_cost``, the nodes' own costs. ``prepared_bytes``: what is read and
    written once, before the first run, for weights. ``outputs``: the layout in which each result is
    given back, None for any. ``bound``: no assignment costs less. ``optimal``: whether the cost
    equals the bound.
    """

    tensors: dict[str, list[str]]
    layouts: dict[str, LayoutLabel]
    nodes: dict[str, Offer]
    reorders: list[Annotated[Answer, PlannedReorderJson, NetworkReorderJson]]
    cost: float
    node_cost: float
    prepared_bytes: int
    outputs: dict[str, str | None]
    bound: float
    optimal: bool
    baselines: list[Baseline]
    left_out: list[LeftOut]


class ExampleSummaryJson(TypedDict):
    """A network to start from.

    ``shows``: what it shows, in one sentence. ``shows_under``: the rule sets under which that is
    true, ``plan`` for a plan; empty where it does not depend on them. ``tensors``: without the
    constants.
    """

    name: str
    title: str
    shows: str
    shows_under: Sequence[str]
    nodes: int
    tensors: int
    constants: int


class ExamplesJson(TypedDict):
    """The networks to start from."""

    networks: list[ExampleSummaryJson]


class ExampleNetworkJson(TypedDict):
    """A network to start from, with its graph as /propagate and /plan take it."""

    graph: dict[str, Any]


ExampleNetwork = Annotated[Answer, ExampleNetworkJson, ExampleSummaryJson]


class UnknownOperatorJson(TypedDict):
    """An operator of a file that the catalogue does not have.

    ``op``: with its domain: com.microsoft:BiasGelu. ``reason``: what becomes of it.
    """

    node: str
    op: str
    reason: str


class FileGraphJson(TypedDict):
    """The network of an .onnx file.

    ``graph``: as /propagate and /plan take it. ``assumed``: sizes that the file leaves open, by its
    names for them, as they were taken.
    """

    graph: dict[str, Any]
    unknown: list[UnknownOperatorJson]
    assumed: dict[str, int]
    decisions: list[Decision]
