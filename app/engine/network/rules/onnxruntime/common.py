"""Constants of equal value, and equal nodes, are computed once.

Sources: onnxruntime/core/optimizer/constant_sharing.cc, constant_folding.cc and
common_subexpression_elimination.cc.
"""

from __future__ import annotations

from .working import Alias, Initializer, Working

_SHARED_ELEMENTS = 8  # TENSOR_ELEM_COUNT_THRESHOLD
_SHARED_TYPES = frozenset({"float16", "float32", "float64", "int32", "int64"})
_NEVER_EQUAL = frozenset(
    {"RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike", "Multinomial"}
)
# Folded away from constants: not these, nor operators that are not known.
_NOT_FOLDED = _NEVER_EQUAL | {"QuantizeLinear", "DequantizeLinear", "Dropout"}


def share_constants(working: Working) -> bool:
    """Small constants of one type, shape and value become one. Source: constant_sharing.cc."""
    first: dict[tuple[object, ...], str] = {}
    changed = False
    for name, constant in working.constants.items():
        values = constant.values
        if values is None or len(values) > _SHARED_ELEMENTS or constant.dtype not in _SHARED_TYPES:
            continue
        kept = first.setdefault((constant.dtype, constant.shape, values), name)
        if kept != name and working.edges(name):
            working.replace(name, kept)
            changed = True
    return changed


def fold_constants(working: Working) -> bool:
    """A node whose operands are all constants is computed once. Source: constant_folding.cc."""
    changed = False
    for step in working.order():
        shapes = [working.shapes.get(name) for name in (*step.inputs, *step.outputs) if name]
        operands = [name for name in step.inputs if name]
        known = all(name in working.constants for name in operands) and bool(operands)
        known = known or (step.op in {"Shape", "Size"} and shapes[0] is not None)
        if not known or None in shapes or ":" in step.op or step.op in _NOT_FOLDED:
            continue
        if any(name in working.outputs for name in step.outputs):
            continue
        for name in step.outputs:
            shape = working.shapes.get(name) or ()
            working.constants[name] = Initializer(shape, working.dtypes.get(name, ""))
        working.drop(step, "removed", "Its operands are constants: it is computed once.")
        changed = True
    return changed


def merge_equal(working: Working) -> bool:
    """Nodes of the same operator, attributes and operands become one.

    The first in ORT's order is kept, and gives the tensor its name. A node that makes an output of
    the network is kept too. Source: common_subexpression_elimination.cc.
    """
    numbers: dict[object, int] = {}  # equal values have equal numbers
    number_of: dict[str, int] = {}
    kept: dict[int, str] = {}
    order = working.order()
    for step in order:
        operands = tuple(
            number_of.get(name) or numbers.setdefault(name, len(numbers) + 1)
            for name in step.inputs
        )
        alone = step.index if ":" in step.op or step.op in _NEVER_EQUAL else None
        attributes = repr(sorted(step.attributes.items()))
        for k, name in enumerate(step.outputs):
            key = (step.op, operands, attributes, len(step.outputs), k, alone)
            number_of[name] = number = numbers.setdefault(key, len(numbers) + 1)
            kept.setdefault(number, name)
    changed = False
    for step in order:
        replaced: dict[str, str] = {}
        for name in step.outputs:
            first = kept[number_of[name]]
            if name and first != name and name not in working.outputs:
                working.replace(name, first)
                replaced[name] = first
        if not replaced or any(map(working.uses, step.outputs)):
            continue
        named = ", ".join(map(working.called, replaced.values()))
        aliases = {name: Alias(first) for name, first in replaced.items()}
        reason = f"It is merged with an equal node, which makes {named}."
        working.drop(step, "merged", reason, aliases)
        changed = True
    return changed
