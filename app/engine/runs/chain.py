"""The chain of a run as a drawing: who read what whom wrote, in layers from top to bottom."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ..model.dtypes import parse_dtype
from ..model.errors import LayoutError
from ..model.layout import default_dims
from ..network.arrangement.place import Arrangement, Vertex, VertexKind, placed
from ..network.labels import UNKNOWN, LayoutLabel, label_of
from ..notation import parse_layout
from .events import Operand
from .report import MOST_LINKED, Run

_FEWER: Final = 200  # events, where those that have links are too many to be drawn
_ASPECT: Final = 2.5  # width through height
_ONEDNN: Final = "onednn:"
_MOST_SHORT: Final = 24  # characters beside an edge
_WEIGHTS: Final = ("wei", "diff_wei", "bia", "diff_bia")  # their second dimension is no channel


@dataclass(frozen=True, slots=True)
class Chain:
    """Events of the last repetition of a log, or of a trace, as a drawing.

    ``drawing``: the ``first`` of each vertex is the index of its event; the ``tensor`` of an edge
    is the number of its link. ``labels``: of the edges, in their order. ``left_out``: how many
    events of the repetition are not drawn: later ones, and those that nothing joins.
    """

    drawing: Arrangement
    labels: tuple[LayoutLabel, ...]
    left_out: int


def chain_of(run: Run) -> Chain | None:
    """The events of a run, without those inside others; None where nothing is joined."""
    for most in (MOST_LINKED, _FEWER):
        try:
            return _drawn(run, most)
        except LayoutError:  # too many long ways for one drawing
            continue
    return None


def _drawn(run: Run, most: int) -> Chain | None:
    recorded, links, within = run.recorded, run.links, run.recorded.within
    repeats = run.period if within is None else None  # a trace's links are of its beginning
    first = len(recorded.ids) - repeats.events if repeats else 0
    events = [i for i in range(first, len(recorded.ids)) if within is None or within[i] < 0]
    first_ones = set(events[:most])
    shown = [
        (i, e) for i, e in enumerate(links) if e.source in first_ones and e.target in first_ones
    ]
    joined = sorted({at for _, each in shown for at in (each.source, each.target)})
    drawn = {event: at for at, event in enumerate(joined)}
    if not shown:
        return None
    vertices = []
    for event in drawn:
        kind = recorded.kinds[recorded.ids[event]]
        shape: VertexKind = "reorder" if kind.is_reorder else "node"
        vertices.append(Vertex(shape, kind.primitive, event, 0.0, 0.0, 0))
    edges = [(str(i), drawn[each.source], drawn[each.target]) for i, each in shown]
    drawing = placed(vertices, edges, _ASPECT)
    labels = tuple(
        _label(recorded.kinds[recorded.ids[each.target]].operands[each.operand])
        for _, each in shown
    )
    return Chain(drawing, labels, len(events) - len(drawn))


@lru_cache(maxsize=1 << 10)
def _label(operand: Operand) -> LayoutLabel:
    text = operand.layout or ""
    try:
        dtype = parse_dtype(operand.dtype or "")
        layout = parse_layout(text, operand.shape or (), dtype=dtype)
    except LayoutError:
        return UNKNOWN
    dims = "" if operand.role.startswith(_WEIGHTS) else default_dims(layout.rank)
    label = label_of(layout, dtype, "letters", "", dims)
    if not text.startswith(_ONEDNN):
        return label
    tag = text.removeprefix(_ONEDNN)
    return replace(label, short=tag if len(tag) <= _MOST_SHORT else f"{tag[: _MOST_SHORT - 1]}…")
