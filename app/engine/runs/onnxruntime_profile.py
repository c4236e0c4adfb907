"""Reads ONNX Runtime's profile, and beside it the optimised model that the same session saved.

A profile names neither layouts nor attributes. Tensors are dense in row-major order, except those
of the blocked domain, whose block is the machine's: it is known only where channels were padded.
What a Transpose exchanges, which operators are blocked for certain, and whether one that takes any
layout stands between those, is in the model alone.

Source: onnxruntime/core/common/profiler.cc; profiles of 1.31 and 1.32.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ..model.dtypes import parse_dtype
from ..model.errors import LayoutError, phrase, refusal
from ..model.layout import INT64_MAX, MAX_RANK
from .events import Execution, Operand, OtherLines, Recorded, Skipped, SkippedLine, shown
from .onednn_log import MOST_MS

BLOCKED_DOMAIN: Final = "com.microsoft.nchwc"
_KERNEL: Final = "_kernel_time"
_REORDERS: Final = frozenset({"ReorderInput", "ReorderOutput", "Transpose"})
_BLOCKS: Final = (8, 16)
# Operators that ONNX Runtime leaves between blocked ones as they are; its NchwcTransformerImpl.
_PASSING: Final = frozenset({
    *("Add", "Sum", "Mul", "Concat", "Relu", "Sigmoid", "Tanh", "Gelu", "HardSigmoid"),
    "QuickGelu",
})  # fmt: skip  # a list
_MOST_KEPT: Final = 1_000_000  # events, after which ONNX Runtime drops them
_SHOWN: Final = 20
_LETTERS: Final = "abcdefghijkl"  # of dimensions, in oneDNN's tags
_TYPES: Final = {"float": "float32", "double": "float64"}


@dataclass(frozen=True, slots=True)
class ModelNode:
    """A node of the saved model: name, operator, domain, and the permutation of a Transpose.

    ``blocked``: whether it reads what a blocked operator made; None where that is not known.
    """

    name: str
    op: str
    domain: str = ""
    permutation: tuple[int, ...] | None = None
    blocked: bool | None = None


@dataclass(frozen=True, slots=True)
class _Call:
    """The facts of one event; equal calls have one kind."""

    name: str
    op: str
    provider: str
    inputs: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]


def is_profile(text: str) -> bool:
    """Whether the text is a list of events as ONNX Runtime writes them."""
    start = text[:4096].lstrip()
    return start.startswith("[") and ('"cat"' in start or not start[1:].strip(" \n]"))


def read_profile(text: str, nodes: Sequence[ModelNode] | None = None) -> Recorded:
    """The operators that ran, by their start. ``nodes``: of the saved model, in its order.

    Errors: LayoutError naming ``log``.
    """
    try:
        events = json.loads(text)
    except (ValueError, RecursionError):
        what = "an empty file" if not text.strip() else "text that is no JSON"
        raise refusal("log", what, "run.profile") from None
    if not isinstance(events, list):
        raise LayoutError("log", events, phrase("run.profile"))
    calls, skipped, others = [], [], defaultdict[str, list[float]](list)
    unread = 0
    for number, event in enumerate(events, 1):
        facts = _facts(event)
        if isinstance(facts, str):
            unread += 1
            if unread <= _SHOWN:
                skipped.append(SkippedLine(number, shown(json.dumps(event)), facts))
            continue
        category, name, start, ms = facts
        if category == "Node" and name.endswith(_KERNEL):
            calls.append((start, number, _call(event), ms))
        else:
            others[category if category != "Session" else shown(name)].append(ms)
    calls.sort(key=lambda each: each[:2])
    distinct = dict.fromkeys(call for _, _, call, _ in calls)
    joined = _joined(distinct, nodes or ())
    block = _block(distinct)
    places = {call: i for i, call in enumerate(distinct)}
    some = any(_is_blocked(call, joined.get(call.name)) for call in distinct)
    kinds = tuple(_kind(call, joined.get(call.name), block, some=some) for call in distinct)
    notes = []
    if nodes is not None and (lost := [c.name for c in distinct if c.name not in joined]):
        notes.append(f"{len(lost)} operators have no node in the model: {shown(', '.join(lost))}")
    if len(events) >= _MOST_KEPT:
        notes.append("ONNX Runtime keeps a million events: later ones may be missing.")
    if sum(ms for *_, ms in calls) > 1.01 * sum(others.get("model_run", ())) > 0:
        notes.append("Operators overlapped: the sum of their times exceeds that of the runs.")
    return Recorded(
        kinds,
        np.array([places[call] for _, _, call, _ in calls], np.int32),
        np.array([ms for *_, ms in calls], np.float64),
        others=tuple(OtherLines(k, len(v), sum(v)) for k, v in sorted(others.items())),
        skipped=Skipped(unread, tuple(skipped)),
        notes=tuple(notes),
    )


def _facts(event: object) -> tuple[str, str, float, float] | str:
    """Category, name, start and milliseconds of an event; or why it is none."""
    if not isinstance(event, dict):
        return "no event of a profile"
    category, name = event.get("cat"), event.get("name")
    if not isinstance(category, str) or not isinstance(name, str):
        return "an event without a name"
    start, us = (event.get(field) for field in ("ts", "dur"))
    if any(isinstance(n, bool) or not isinstance(n, int | float) for n in (start, us)):
        return "an event without a time"
    assert isinstance(start, int | float)
    assert isinstance(us, int | float)
    if not abs(start) <= INT64_MAX or abs(us) > INT64_MAX:
        return "a start that is no number, or a time beyond 2^63"
    return category[:40], name, float(start), us / 1000 if abs(us) < MOST_MS else math.nan


def _call(event: Mapping[str, Any]) -> _Call:
    args = event.get("args")
    said = args if isinstance(args, dict) else {}
    return _Call(
        event["name"].removesuffix(_KERNEL),
        str(said.get("op_name", "")),
        str(said.get("provider", "")),
        tuple(_typed_shapes(said.get("input_type_shape"))),
        tuple(_typed_shapes(said.get("output_type_shape"))),
    )


def _typed_shapes(listed: object) -> Iterable[tuple[str, tuple[int, ...]]]:
    for entry in listed if isinstance(listed, list) else ():
        for name, sizes in entry.items() if isinstance(entry, dict) else ():
            whole = isinstance(sizes, list) and len(sizes) <= MAX_RANK
            if whole and all(type(n) is int and 0 <= n <= INT64_MAX for n in sizes):
                yield str(name), tuple(sizes)


def _joined(calls: Iterable[_Call], nodes: Sequence[ModelNode]) -> dict[str, ModelNode]:
    """Nodes by the names of the profile: by a name that is unique, then the nameless ones of an
    operator by their order, where there are as many."""
    names = Counter(node.name for node in nodes)
    found = {node.name: node for node in nodes if node.name and names[node.name] == 1}
    left: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for call in calls:
        if call.name not in found:
            left[call.op][call.name] = None
    for op, unnamed in left.items():
        nameless = [node for node in nodes if node.op == op and not node.name]
        if len(nameless) == len(unnamed):
            found |= dict(zip(unnamed, nameless, strict=True))
    return found


def _is_blocked(call: _Call, node: ModelNode | None) -> bool:
    return node.domain == BLOCKED_DOMAIN if node else call.name.endswith("_nchwc")


def _block(calls: Iterable[_Call]) -> int | None:
    """The machine's block, where one of its sizes alone explains channels that were padded."""
    possible = set(_BLOCKS)
    for call in calls:
        if call.op not in {"ReorderInput", "ReorderOutput"} or not (call.inputs and call.outputs):
            continue
        plain, padded = call.inputs[0][1], call.outputs[0][1]
        if call.op == "ReorderOutput":
            plain, padded = padded, plain
        if len(plain) < 2 or len(padded) < 2 or plain[2:] != padded[2:]:
            continue  # channels last: the channels stand elsewhere
        possible &= {b for b in _BLOCKS if -(-plain[1] // b) * b == padded[1]}
    return possible.pop() if len(possible) == 1 else None


def _kind(call: _Call, node: ModelNode | None, block: int | None, *, some: bool) -> Execution:
    """The kind of a call. ``src`` and ``dst`` are its inputs and outputs in their order.

    ``some``: there are blocked operators in the run.
    """
    blocked = _is_blocked(call, node)
    # Whether it takes and gives blocked images as they come; None if it may.
    passes = some and call.op in _PASSING and (node.blocked if node else None)
    sides = {
        "src": (blocked and call.op != "ReorderInput") or call.op == "ReorderOutput" or passes,
        "dst": (blocked and call.op != "ReorderOutput") or call.op == "ReorderInput" or passes,
    }
    operands = [
        _operand(role, each, block, is_blocked=_fits_blocks(each[1], block) and sides[role])
        for role, listed in (("src", call.inputs), ("dst", call.outputs))
        for each in listed
    ]
    if blocked and call.op == "Conv" and len(call.inputs) > 1:
        operands[1] = replace(operands[1], layout=None)  # one of two formats of weights
    if call.op == "Transpose" and len(operands) == 2:
        operands[1] = _transposed(operands[0], operands[1], node)
    op, provider, name = map(shown, (call.op, call.provider, call.name))
    moves = call.op in _REORDERS
    return Execution(op, provider, operands=tuple(operands), problem=name, is_reorder=moves)


def _fits_blocks(shape: tuple[int, ...], block: int | None) -> bool:
    """Whether images can lie in blocks, whose channels are padded. A first convolution reads fewer
    channels than a block as they are (onnxruntime/core/optimizer/nchwc_transformer.cc)."""
    return len(shape) == 4 and shape[1] % (block or min(_BLOCKS)) == 0


@lru_cache(maxsize=1 << 12)
def _operand(
    role: str, typed: tuple[str, tuple[int, ...]], block: int | None, *, is_blocked: bool | None
) -> Operand:
    name, shape = typed
    try:
        element = parse_dtype(_TYPES.get(name, name))
    except LayoutError:
        return Operand(role, shape, shown(name))
    elements = math.prod(shape)
    named = is_blocked is False and 1 <= len(shape) <= 12
    layout = f"onednn:{_LETTERS[: len(shape)]}" if named else None
    if is_blocked and block:
        layout = f"NCHW{block}c"
    if elements > INT64_MAX:
        return Operand(role, shape, element.name)
    return Operand(role, shape, element.name, layout, element.size_bytes(elements))


def _transposed(source: Operand, target: Operand, node: ModelNode | None) -> Operand:
    """The target of a Transpose by the sizes of its source, so that the two differ in layout."""
    order = node.permutation if node else None
    if order is None or source.shape is None or sorted(order) != list(range(len(source.shape))):
        return Operand("dst", target.shape, target.dtype, None, target.bytes)
    letters = "".join(_LETTERS[d] for d in order)
    return Operand("dst", source.shape, source.dtype, f"onednn:{letters}", target.bytes)
