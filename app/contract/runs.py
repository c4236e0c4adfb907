"""Runs: a log, a profile or a saved trace, and what it says."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypedDict

from pydantic import Field

from ..engine.runs.chain import Chain, chain_of
from ..engine.runs.events import LoggedEvent, OtherLines, Skipped
from ..engine.runs.finding import Finding
from ..engine.runs.joins import Link, Period
from ..engine.runs.onnxruntime_profile import ModelNode
from ..engine.runs.report import Run, RunKind, Totals, read_run
from ..engine.runs.trace_network import Columns, columns_if_any
from .allowance import hold
from .fields import Strict, Text
from .shapes import Listed, told

MAX_EVENTS: Final = 100_000  # that are listed
# What a character of a log takes at most: its line, what is kept of it, and the answer's text.
_CHARACTER_BYTES: Final = 8


class ModelNodeJson(Strict):
    """A node of the optimised model that ONNX Runtime saved beside its profile."""

    name: Text = Field("", description="Its name; empty where it has none.")
    op: Text = Field(description="Its operator.", examples=["Transpose"])
    domain: Text = Field("", description="The operator's domain; empty for ONNX's own.")
    permutation: list[int] | None = Field(None, max_length=64, description="Of a Transpose.")
    blocked: bool | None = Field(
        None, description="Whether it reads what an operator of com.microsoft.nchwc made."
    )


class RunRequest(Strict):
    """The text that a program left, as it is: other lines between may stay."""

    log: Annotated[str, Field(json_schema_extra={"minLength": 1, "pattern": r"\S"})] = Field(
        description="Lines of oneDNN's verbose mode, or ONNX Runtime's profile.",
        examples=[
            "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 "
            "dst_f32::blocked:aBcd16b:f0,,,2x48x21x12,0.0068"
        ],
    )
    kind: RunKind | None = Field(None, description="What the text is; by default recognised.")
    nodes: list[ModelNodeJson] | None = Field(
        None, description="Of the saved model beside a profile, in its order."
    )


class RunJson(TypedDict):
    """What ran: events, their totals, and what is found in them.

    ``kind``: what the text was read as. ``versions`` and ``header``: what it says of the program.
    ``events``: the first 100,000; ``left_out``: how many more there are, which the totals and the
    findings contain. ``period``: what repeats at the end, None if nothing does. ``links``: who read
    what whom wrote, in the first 2,000 events of the last repetition. ``others``: lines that are
    understood and are no event. ``skipped``: lines that are not understood. ``notes``: what a
    reader of the numbers has to know. ``chain``: the links as a drawing, None where nothing is
    linked: at most 2,000 events of the last repetition. ``columns``: of a trace, bytes that were
    copied, that PyTorch's rules copy, and the least; None for a log, or where it is no network.
    """

    kind: RunKind
    versions: list[str]
    header: list[str]
    events: Sequence[LoggedEvent]
    left_out: int
    totals: Totals
    findings: list[Finding]
    period: Period | None
    links: list[Link]
    others: list[OtherLines]
    skipped: Skipped
    notes: list[str]
    chain: Chain | None
    columns: Columns | None


def answer_run(request: RunRequest) -> RunJson:
    """Events, totals and findings of oneDNN's verbose lines or of ONNX Runtime's profile."""
    hold(len(request.log) * _CHARACTER_BYTES)
    nodes = [
        ModelNode(n.name, n.op, n.domain, tuple(n.permutation or ()) or None, n.blocked)
        for n in request.nodes or ()
    ]
    known = None if request.nodes is None else nodes
    return run_json(read_run(request.log, request.kind, nodes=known))


def run_json(run: Run) -> RunJson:
    """A run as the API answers it."""
    recorded = run.recorded
    count = len(recorded.ids)
    listed = min(count, MAX_EVENTS)

    def made(start: int, stop: int) -> list[Any]:
        return [recorded.event(i) for i in range(start, stop)]

    return told(
        RunJson,
        run,
        events=Listed(listed, made),
        left_out=count - listed,
        chain=chain_of(run),
        columns=columns_if_any(run.trace),
    )
