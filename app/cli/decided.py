"""What a rule set or a plan decides about a network, as it is drawn: kinds of layout, names.

The kinds are those of the page (static/core/network/kinds.js).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.network import Graph

Json = dict[str, Any]

_PLAIN_NAMES = ("()", "C", "NC", "NCW", "NCHW", "NCDHW")
_LAST_NAMES = ("()", "C", "NC", "NWC", "NHWC", "NDHWC")
_LAST_TAGS = {"acb", "acdb", "acdeb"}
_PYTORCH = {"contiguous": "plain", "channels_last": "last", "channels_last_3d": "last"}


@dataclass(frozen=True, slots=True)
class Lying:
    """How a tensor lies, for a drawing: its kind of layout, and a short name."""

    kind: str
    short: str


@dataclass(frozen=True, slots=True)
class Decided:
    """What is drawn of a network: each tensor, the reorders, the formats that nodes give up.

    ``said``: the sentence below the title. ``reorders``: rows of the API's answer.
    """

    said: str
    tensors: Mapping[str, Lying]
    reorders: Sequence[Json]
    lost: Mapping[str, str]


def of_rules(graph: Graph, found: Json, title: str) -> Decided:
    """What a rule set answered, from the API's JSON."""
    tensors = {}
    for name, placed in found["tensors"].items():
        shape = placed["shape"]
        if "no memory of its own" in placed.get("reason", ""):
            tensors[name] = Lying("absent", "fused")
        else:
            tensors[name] = lying(placed["layout"], shape, placed["strides"])
    lost = {each["name"]: each["lost"] for each in found["nodes"] if "lost" in each}
    said = f"{title}: {_moved(found['reorders'])}"
    if lost:
        said += f" A format is lost at {len(lost)} node{'s' * (len(lost) != 1)}."
    return Decided(said, tensors, _drawable(graph, found["reorders"]), lost)


def of_plan(graph: Graph, found: Json) -> Decided:
    """What a plan chose, from the API's JSON."""
    tensors = {}
    for name, texts in found["tensors"].items():
        kind = graph.type(name)
        tensors[name] = lying(texts[0] if texts else None, None if kind is None else kind.shape)
    proof = "proven least" if found["optimal"] else f"at least {bytes_text(found['bound'])}"
    said = f"The plan at the least cost: {bytes_text(found['cost'])} ({proof}). "
    said += _moved(found["reorders"])
    return Decided(said, tensors, _drawable(graph, found["reorders"]), {})


def _drawable(graph: Graph, reorders: Sequence[Json]) -> list[Json]:
    """The reorders, with the readers that are nodes which read the tensor by its own name."""
    nodes = {node.name: node for node in graph.nodes}
    return [
        {
            **each,
            "readers": [name for name in each["readers"] if each["tensor"] in nodes[name].inputs],
        }
        for each in reorders
    ]


def _moved(reorders: Sequence[Json]) -> str:
    if not reorders:
        return "No reorders."
    total = bytes_text(sum(each["bytes"] for each in reorders))
    return f"{len(reorders)} reorder{'s' * (len(reorders) != 1)}, {total} read and written."


def lying(
    text: str | None, shape: Sequence[int] | None, strides: Sequence[int] | None = None
) -> Lying:
    """The kind of a layout's text, in the words of a rule set or of the API."""
    if text is None or shape is None:
        return Lying("unknown", "not known")
    kind, rank = _kind(text, shape, strides), len(shape)
    if kind == "other":
        return Lying(kind, text if re.fullmatch("[A-Za-z]{1,8}", text) else "strided")
    if kind == "blocked":
        return Lying(kind, re.sub(r"^\w+:|(?<=\d)c$", "", text)[:10])
    names, word = (_LAST_NAMES, "channels last") if kind == "last" else (_PLAIN_NAMES, "row-major")
    return Lying(kind, names[rank] if rank < len(names) else word)


def _kind(text: str, shape: Sequence[int], strides: Sequence[int] | None) -> str:
    if text in _LAST_TAGS:
        return "last"
    if re.fullmatch("n[cdhw]+", text):
        text = text.upper()
    if text in _PYTORCH:
        return _PYTORCH[text]
    if text in _LAST_NAMES[3:]:
        return "last"
    if text in _PLAIN_NAMES or re.fullmatch("C?D?H?W|a?b?c?d?e?f?g?h?", text):
        return "plain"
    if re.fullmatch("[A-Za-z]+", text):
        found = _by_strides(shape, strides)
        return found or ("last" if re.fullmatch("N[DHW]+C", text) else "other")
    if re.match(r"(\w+:)?[A-Za-z]+\d+[a-z]?", text):
        return "blocked"
    return _by_strides(shape, strides) or "other"


def _by_strides(shape: Sequence[int], strides: Sequence[int] | None) -> str | None:
    if strides is None:
        return None
    dims = list(range(len(shape)))
    if _follows(shape, strides, dims):
        return "plain"
    last = [*dims[:1], *dims[2:], *dims[1:2]]
    return "last" if len(shape) > 2 and _follows(shape, strides, last) else "other"


def _follows(shape: Sequence[int], strides: Sequence[int], order: Sequence[int]) -> bool:
    """Whether the strides are those of packed memory in this order; sizes of 1 say nothing."""
    step = 1
    for d in reversed(order):
        if shape[d] == 1:
            continue
        if strides[d] != step:
            return False
        step *= shape[d]
    return True


def bytes_text(size_bytes: float) -> str:
    """Bytes in three digits: ``1.61 MB``. A kB has 1,000 bytes."""
    value, units = float(size_bytes), ["bytes", "kB", "MB", "GB", "TB", "PB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        units.pop(0)
    if units[0] == "bytes":
        return "1 byte" if size_bytes == 1 else f"{round(size_bytes)} bytes"
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {units[0]}"
