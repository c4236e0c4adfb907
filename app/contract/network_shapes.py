"""The answers about networks, as models for the documentation."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class PlacedTensor(BaseModel):
    """One tensor of a network; everything is null, with a reason, if its shape is not known."""

    shape: list[int] | None
    dtype: str | None
    layout: str | None = Field(
        description="A text that reads back with this shape, in the system's notation if it can."
    )
    strides: list[int] | None = Field(description="In elements; null for a blocked layout.")
    offset: int | None
    view: bool = Field(description="Whether it shares an operand's memory.")
    of: str | None = Field(None, description="That operand.")
    reason: str | None = Field(None, description="Why the shape is not known.")
    fused: str | None = Field(
        None, description="The tensor that its kernel goes on to: it is never in memory itself."
    )


class NetworkReorder(BaseModel):
    """One copy of a tensor into another layout."""

    tensor: str
    source: str = Field(description="The layout in the rule set's words.")
    target: str
    before: str | None = Field(None, description="The node that needs the copy first.")
    after: str | None = Field(None, description="The node that made the tensor.")
    readers: list[str] = Field(
        description="All nodes that read the copy; none where only the network's user does."
    )
    bytes: int = Field(description="Read and written, padding included.")


class NodeReport(BaseModel):
    """What happens at one node, and why."""

    name: str
    op: str
    rule: str
    reason: str
    lost: str | None = Field(None, description="The format that the node gave up.")
    fused: str | None = Field(None, description="The node whose kernel computes this one too.")


class Propagation(BaseModel):
    """Every tensor by name, the reorders, and the nodes in order."""

    rules: str
    verified: bool = Field(description="Whether they were held against the running system.")
    source: str = Field(description="Where the rules were read.")
    tensors: dict[str, PlacedTensor]
    reorders: list[NetworkReorder]
    nodes: list[NodeReport]
    bytes: int = Field(description="What all reorders read and write.")


class ChosenWay(BaseModel):
    """How one node is run: a layout per operand and per result, null for any."""

    inputs: list[str | None]
    outputs: list[str | None]
    cost: float = Field(description="Of the node itself, without reorders.")


class PlannedReorder(NetworkReorder):
    """One copy of a tensor, which serves all its readers."""

    before: str | None = Field(description="The first node that reads the copy.")
    after: str | None = Field(description="The node that made the tensor; null for an input.")


class Baseline(BaseModel):
    """What another way to choose would pay."""

    name: str
    cost: float
    reorders: int


class LeftOutBaseline(BaseModel):
    """A baseline that is not there."""

    name: str
    reason: str = Field(description="One sentence: no time was left, or it does not fit.")


class LayoutPlan(BaseModel):
    """The layouts of a network at the least cost."""

    tensors: dict[str, list[str]] = Field(
        description="The layouts that each tensor is held in, the one it is produced in first."
    )
    nodes: dict[str, ChosenWay]
    reorders: list[PlannedReorder]
    cost: float = Field(description="Bytes of all reorders, and the nodes' own costs.")
    bound: float = Field(description="No assignment costs less.")
    optimal: bool = Field(description="Whether the cost equals the bound.")
    baselines: list[Baseline]
    left_out: list[LeftOutBaseline]


class ExampleSummary(BaseModel):
    """A network to start from."""

    name: str
    title: str
    shows: str = Field(description="What it shows, in one sentence.")
    nodes: int
    tensors: int = Field(description="Without the constants.")
    constants: int


class Examples(BaseModel):
    """The networks to start from."""

    networks: list[ExampleSummary]


class ExampleNetwork(ExampleSummary):
    """A network to start from, with its graph as /propagate and /plan take it."""

    graph: dict[str, Any]


class UnknownOperator(BaseModel):
    """An operator of a file that the catalogue does not have."""

    node: str
    op: str = Field(description="With its domain: com.microsoft:BiasGelu.")
    reason: str = Field(description="What becomes of it.")


class Decision(BaseModel):
    """A reorder that ONNX Runtime wrote into a file that it saved after optimisation."""

    node: str
    tensor: str
    source: str
    target: str


class FileGraph(BaseModel):
    """The network of an .onnx file."""

    graph: dict[str, Any] = Field(description="As /propagate and /plan take it.")
    unknown: list[UnknownOperator]
    assumed: dict[str, int] = Field(
        description="Sizes that the file leaves open, by its names for them, as they were taken."
    )
    decisions: list[Decision]
