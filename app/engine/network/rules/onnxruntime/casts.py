"""Casts that lose nothing, taken out after everything else: the last of ORT's transformers.

Source: RemoveDuplicateCastTransformer in onnxruntime/core/optimizer/insert_cast_transformer.cc.
"""

from __future__ import annotations

from ....model.dtypes import ELEMENT_TYPES
from .regions import Regions
from .working import Alias, OrtStep

# Binary digits of the integers that a type has all of, without the sign.
_DIGITS = {
    **{name: ELEMENT_TYPES[name].bits for name in ("uint8", "uint16", "uint32", "uint64")},
    **{name: ELEMENT_TYPES[name].bits - 1 for name in ("int8", "int16", "int32", "int64")},
    "bool": 1,
    "bfloat16": 8,
    "float16": 11,
    "float32": 24,
    "float64": 53,
}


def remove_casts(regions: Regions) -> None:
    """Let what reads a Cast back to the first type read the tensor before both.

    If then only Casts read the first one, they read the tensor before it, and it is removed too.
    """
    working = regions.working
    for step in working.order():
        if step.op != "Cast" or not working.alive(step):
            continue
        source, made = step.input(0), step.output
        if not _loses_nothing(working.dtypes.get(source, ""), working.dtypes.get(made, "")):
            continue
        casts = [each for each in working.readers(made) if each.op == "Cast"]
        for each in casts:
            _take_back(regions, each, source)
        if not casts or made in working.outputs:
            continue
        left = list(working.readers(made))
        if any(each.op != "Cast" for each in left):
            continue
        for each in left:
            regions.read_plainly(each, made, source)
        called = working.called(source)
        working.absent[made] = "It has no memory: the Casts that read it are of the tensor before."
        working.drop(step, "removed", f"Only Casts read it, and they read {called}.")


def _take_back(regions: Regions, step: OrtStep, source: str) -> None:
    working, made = regions.working, step.output
    if working.dtypes.get(made) != working.dtypes[source] or made in working.outputs:
        return
    for each in list(working.readers(made)):
        regions.read_plainly(each, made, source)
    called = working.called(source)
    reason = f"It undoes a Cast that loses nothing: {called} is used in its place."
    working.drop(step, "removed", reason, {made: Alias(source)})


def _loses_nothing(source: str, target: str) -> bool:
    """Whether every value of a type is one of another, of those that ORT's Cast knows."""
    if source == target or not {source, target} <= _DIGITS.keys():
        return False
    one, other = ELEMENT_TYPES[source], ELEMENT_TYPES[target]
    if one.kind == "float":
        return other.kind == "float" and other.bits > one.bits
    if one.kind == "int" and other.kind == "uint":
        return False
    return _DIGITS[source] <= _DIGITS[target]
