"""ATen's calls in the catalogue's words: what torch.export and a trace give as a node.

Source: aten/src/ATen/native/native_functions.yaml, the names and arguments of the schemas.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .nodes import NodeSource
from .operators import find_operator

# Names in ATen's schemas, where they are not those of torch and torch.nn.functional.
_OPERATORS = {
    "split_with_sizes": "split",
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "linalg_vector_norm": "norm",
    "upsample_nearest2d": "interpolate",
    "upsample_bilinear2d": "interpolate",
    "_to_copy": "to",
    "alias": "identity",
    "lift_fresh_copy": "clone",
    "slice_copy": "slice",
    "native_batch_norm": "batch_norm",
    "_native_batch_norm_legit": "batch_norm",
    "_native_batch_norm_legit_no_training": "batch_norm",
    "native_group_norm": "group_norm",
    "native_layer_norm": "layer_norm",
    "max_pool1d_with_indices": "max_pool1d",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "_adaptive_avg_pool2d": "adaptive_avg_pool2d",
    "_adaptive_avg_pool3d": "adaptive_avg_pool3d",
}
_FIRST_RESULT = frozenset(
    {"batch_norm", "group_norm", "layer_norm", "max_pool1d", "max_pool2d", "max_pool3d"}
)
_ARGUMENTS = {
    "self": "input",
    "size": "shape",
    "split_size": "split_size_or_sections",
    "split_sizes": "split_size_or_sections",
    "output_size": "size",
    "scale_factors": "scale_factor",
    "train": "training",
    "indices": "input",
    "group": "num_groups",
}


def node_of(
    aten: str,
    given: Mapping[str, Any],
    outputs: Sequence[str],
    label: str,
    tensor_name: Callable[[Any], str | None],
) -> NodeSource | None:
    """The node in the catalogue's words; None if the catalogue does not have it.

    ``aten``: the operator without its overload. ``given``: arguments by the schema's names.
    ``tensor_name``: the name of an argument that is a tensor, None for any other. Where the
    catalogue has the first result alone, the node has that one.
    """
    op, arguments = _called(aten, given)
    operator, origin, signature = find_operator(op)
    if operator.kind == "opaque" or origin != "torch":
        return None
    operands: dict[str, list[str]] = {}
    attributes: dict[str, Any] = {}
    for name, value in arguments.items():
        role = name
        if name not in signature.operands and name not in signature.attributes:
            role = _ARGUMENTS.get(name, name)
        if role in {"input", "tensors"} and role not in signature.operands:
            role = signature.operands[0]
        parts = value if isinstance(value, (list, tuple)) else [value]
        tensors = [found for each in parts if (found := tensor_name(each)) is not None]
        if tensors:
            operands.setdefault(role, []).extend(tensors)
        elif value is not None and role in signature.attributes:
            attributes[role] = _plain(value)
    if not operands.keys() <= set(signature.operands):
        return None
    if op == "interpolate":
        attributes["mode"] = "nearest" if "nearest" in aten else "bilinear"
    inputs = [name for role in signature.operands for name in operands.get(role, [""])]
    while inputs and not inputs[-1]:
        inputs.pop()
    listed = outputs[:1] if op in _FIRST_RESULT and op != aten else outputs
    return NodeSource(op, inputs, list(listed), attributes, label)


def _called(aten: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The operator's name in torch.nn.functional, and its arguments without those of ATen alone."""
    op = _OPERATORS.get(aten, aten)
    if op == "convolution":
        spatial = len(given.get("stride") or ())
        transposed = bool(given.get("transposed"))
        kept = {k: v for k, v in given.items() if transposed or k != "output_padding"}
        return f"conv_transpose{spatial}d" if transposed else f"conv{spatial}d", kept
    return op, dict(given)


def _plain(value: Any) -> Any:
    """Numbers, text and lists of them; other values, such as element types, as text."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if isinstance(value, (bool, int, float, str)) else str(value).rpartition(".")[2]
