"""Parses what ``wire`` leaves of a model, with the library ``onnx``, and inlines its functions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

from ...engine.model.errors import LayoutError, phrase, refusal
from .wire import MOST_NODES, slim

if TYPE_CHECKING:
    import onnx


_STANDARD = ("", "ai.onnx")
_Key = tuple[str, str, str]
OLDEST = 7  # before it, operands broadcast by an attribute
NEWEST_READ = 28  # what changes in an operator after this opset is not known here
# Attributes of older opsets that are operands now, and the positions of these.
_NOW_OPERANDS = {
    "Clip": {"min": 1, "max": 2},
    "Dropout": {"ratio": 1},
    "Pad": {"pads": 1, "value": 2},
    "Slice": {"starts": 1, "ends": 2, "axes": 3},
    "Split": {"split": 1},
    "Squeeze": {"axes": 1},
    "TopK": {"k": 1},
    "Unsqueeze": {"axes": 1},
    "Upsample": {"scales": 1},
}
_SOFTMAX = {"Softmax", "LogSoftmax", "Hardmax"}


class MissingLibraryError(Exception):
    """A library is not installed; the one argument, a phrase, says how to install it."""


def parse(data: memoryview) -> onnx.ModelProto:
    """The model without weights, its functions inlined.

    Errors: LayoutError naming ``body`` or a part of the file; MissingLibraryError.
    """
    if not data:
        raise refusal("body", "an empty file", "onnx.model")
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ImportError:
        raise MissingLibraryError(phrase("library.onnx")) from None
    try:
        model = onnx.ModelProto.FromString(slim(data))
    except DecodeError:
        raise refusal("body", "a file of another kind", "onnx.model") from None
    if not model.HasField("graph") or not model.opset_import:
        missing = "graph" if model.opset_import else "opset_import"
        raise refusal("body", f"a file without a {missing}", "onnx.model")
    for i, each in enumerate(model.opset_import):
        if each.domain in _STANDARD and not OLDEST <= each.version <= newest():
            expected = phrase("onnx.opset", low=OLDEST, high=newest())
            raise LayoutError(f"opset_import[{i}].version", each.version, expected)
    return _inlined(model) if model.functions else model


def opset_of(model: onnx.ModelProto) -> int:
    """The version of ONNX's own operators; the newest where only other domains are imported."""
    own = [each.version for each in model.opset_import if each.domain in _STANDARD]
    return max(own, default=newest())


def domain_of(node: onnx.NodeProto) -> str:
    """The domain of a node's operator; empty for ONNX's own."""
    return "" if node.domain in _STANDARD else node.domain


def _inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without functions. They are counted before, as they may grow exponentially."""
    import onnx.inliner

    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    if len(functions) < len(model.functions):
        raise refusal("functions", "a function that is given twice", "once.each")
    if _size(model.graph.node, _sizes(functions)) > MOST_NODES:
        raise refusal("functions", "functions of more nodes in all", "most", most=MOST_NODES)
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # the library raises whatever its C++ raises
        raise refusal("functions", "functions that do not fit their calls", "onnx.model") from error


def _sizes(functions: dict[_Key, Any]) -> dict[_Key, int]:
    """The nodes of each function and of all that it calls. Errors: LayoutError for recursion."""
    called = {key: {k for k in _calls(f.node) if k in functions} for key, f in functions.items()}
    sizes: dict[_Key, int] = {}
    try:
        for key in TopologicalSorter(called).static_order():
            sizes[key] = _size(functions[key].node, sizes)
    except CycleError as error:
        inner, outer = (list(functions).index(key) for key in error.args[1][:2])
        got = f"a call of functions[{inner}], which calls this one"
        raise refusal(f"functions[{outer}].node", got, "onnx.recursion") from None
    return sizes


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterable[onnx.NodeProto]:
    """Nodes, and those of graphs in their attributes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _all_nodes(graph.node)


def _calls(nodes: Iterable[onnx.NodeProto]) -> Iterable[_Key]:
    return ((n.domain, n.op_type, n.overload) for n in _all_nodes(nodes))


def _size(nodes: Iterable[onnx.NodeProto], sizes: dict[_Key, int]) -> int:
    return sum(sizes.get(key, 1) for key in _calls(nodes))


def newest() -> int:
    """The newest opset that the installed library ``onnx`` knows."""
    from onnx.defs import onnx_opset_version

    return int(onnx_opset_version())


@cache
def strange(op: str, opset: int) -> str:
    """Why ONNX's operator ``op`` has no known meaning in ``opset``; empty where it has one."""
    from onnx.defs import SchemaError, get_schema

    try:
        since = get_schema(op, opset, "").since_version
    except SchemaError:
        return f"Opset {opset} has no operator {op}."
    if since > NEWEST_READ:
        return f"{op} changed in opset {since}; it is known here up to opset {NEWEST_READ}."
    return ""


def moved_operands(
    op: str, inputs: list[str], attributes: dict[str, Any]
) -> list[tuple[str, int, Any]]:
    """The attributes of an older opset that are operands now: name, position and value of each.

    What is no number, or no list of them, stays an attribute.
    """
    found = []
    for name, at in _NOW_OPERANDS.get(op, {}).items():
        value = attributes.get(name)
        numbers = value if isinstance(value, list) else [value]
        if all(isinstance(each, (int, float)) for each in numbers) and not any(inputs[at : at + 1]):
            found.append((name, at, value))
    return found


def renewed(op: str, opset: int, inputs: list[str], attributes: dict[str, Any]) -> list[str]:
    """The operands as the newest opset has them; ``attributes`` get a default that has changed."""
    if op == "Resize" and opset == 10 and len(inputs) == 2:
        return [inputs[0], "", inputs[1]]  # a region of interest came between
    if op in _SOFTMAX and opset < 13:
        attributes.setdefault("axis", 1)
    return inputs
