"""Graphs from the JSON of the golden files, and short ones for tests."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.engine import Layout, parse_dtype, parse_layout
from app.engine.model.layout import packed_strides
from app.engine.network import Graph, GraphTensor, NodeSource, Propagation


def tensor(
    shape: Sequence[int],
    strides: Sequence[int] | None = None,
    *,
    offset: int = 0,
    dtype: str = "float32",
    values: Sequence[int | float] | None = None,
) -> GraphTensor:
    """A tensor of those strides, by default row-major ones."""
    strides = packed_strides(shape) if strides is None else strides
    layout = Layout.strided(shape, strides, offset)
    return GraphTensor(layout, parse_dtype(dtype), None if values is None else tuple(values))


def node(
    op: str, inputs: str, outputs: str = "y", /, name: str | None = None, **attributes: Any
) -> NodeSource:
    """A node; names of tensors are separated by blanks, ``-`` is an operand left out."""
    read = ["" if each == "-" else each for each in inputs.split()]
    return NodeSource(op, read, outputs.split(), attributes, name)


def chain(text: str) -> list[NodeSource]:
    """Nodes as ``Conv(x w) a pads=[1,1,1,1]; Relu(a) r``; attributes are JSON, or words."""
    found = []
    for line in text.split("; "):
        called, _, rest = line.partition(") ")
        op, _, inputs = called.partition("(")
        words = [word.partition("=") for word in rest.split()]
        outputs = " ".join(word for word, given, _ in words if not given)
        attributes = {name: _value(value) for name, given, value in words if given}
        found.append(node(op, inputs, outputs, **attributes))
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def moves(found: Propagation) -> list[tuple[str, str, str, str | None]]:
    """The reorders: tensor, from where to where, and the node that needs the copy first."""
    return [(each.tensor, each.source, each.target, each.before) for each in found.reorders]


def copied(found: Propagation) -> str:
    """The reorders, short: ``x>NHWC y>NCHW``."""
    return " ".join(f"{each.tensor}>{each.target}" for each in found.reorders)


def graph_of(row: Mapping[str, Any]) -> Graph:
    """The graph of a golden row."""
    return Graph.of(
        inputs={name: _read(each) for name, each in row["inputs"].items()},
        constants={name: _read(each) for name, each in row.get("constants", {}).items()},
        nodes=[
            NodeSource(each["op"], each["inputs"], each["outputs"], each["attributes"])
            for each in row["nodes"]
        ],
        outputs=row.get("outputs"),
    )


def _read(given: Mapping[str, Any]) -> GraphTensor:
    shape, source = given["shape"], given.get("layout")
    found = tensor(shape, dtype=given["dtype"], values=given.get("values"))
    if isinstance(source, str):
        return GraphTensor(parse_layout(source, shape), found.dtype, found.values)
    if source is not None:
        return tensor(shape, source["strides"], offset=source["offset"], dtype=given["dtype"])
    return found
