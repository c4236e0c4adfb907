"""What an operator means in the opset of a file, and older forms of it in the newest one's.

Source: docs/Changelog.md of onnx/onnx.
"""

from typing import Any

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


def newest() -> int:
    """The newest opset that the installed library ``onnx`` knows."""
    from onnx.defs import onnx_opset_version

    return int(onnx_opset_version())


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
