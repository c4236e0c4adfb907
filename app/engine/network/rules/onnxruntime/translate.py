"""The network as ONNX Runtime reads it: ONNX's operators, and PyTorch's as they are exported.

Attributes keep the catalogue's names. An operator of PyTorch without a counterpart here, and one
that the catalogue does not have, is kept by name: ORT does not run it blocked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...attributes import Value
from ...graph import Graph
from ...nodes import Node
from ...operators import OPERATORS
from ..base import families, operators, permutation
from .activations import HARD_SWISH
from .working import Initializer, Working

_SAME_OPERANDS = operators(
    "conv conv_transpose max_pool cat avg_pool relu sigmoid tanh gelu leaky_relu elu celu selu "
    "hardswish softplus softsign exp log sqrt abs neg erf reciprocal floor ceil round softmax "
    "log_softmax mean sum amax amin prod argmax argmin identity dropout pixel_shuffle "
    "pixel_unshuffle split matmul reshape flatten prelu instance_norm layer_norm"
)
_ONNX = {row.name: row.onnx[0] for row in OPERATORS if row.onnx}
_EXPORTED_AS = {name: _ONNX[name] for name in _SAME_OPERANDS}
_EXPORTED_AS |= {"contiguous": "Identity", "clone": "Identity"}
_EXPORTED_AS |= {"chunk": "Split", "tensor_split": "Split"}
_TWO = {name: _ONNX[name] for name in ("add", "sub", "mul", "div", "pow")}
_TWO |= {"maximum": "Max", "minimum": "Min"}
_CLIPS = frozenset({"clamp", "clamp_min", "clamp_max", "relu6", "hardtanh"})
_MODES = {"nearest": "nearest", "bilinear": "linear", "linear": "linear", "trilinear": "linear"}


def read(graph: Graph) -> Working:
    """The graph that ORT's optimizers begin with."""
    working = Working(graph.outputs)
    for name in graph.types:
        found = graph.type(name)
        working.shapes[name] = None if found is None else found.shape
        working.dtypes[name] = "" if found is None else found.dtype.name
    for name, tensor in graph.constants.items():
        working.constants[name] = Initializer(tensor.layout.shape, tensor.dtype.name, tensor.values)
    for node in graph.nodes:
        if node.operator.kind == "opaque":
            _keep(working, node)
        elif node.dialect == "onnx":
            _add(working, node, node.op, list(node.inputs), node.attributes)
        else:
            _EXPORTED.get(node.operator.name, _exported)(working, node)
    return working


def _add(
    working: Working, node: Node, op: str, inputs: list[str], attributes: Mapping[str, Value]
) -> None:
    outputs = list(node.outputs)
    working.add(op, inputs, outputs, attributes, sources=[node.index], name=node.name)


def _keep(working: Working, node: Node) -> None:
    """An operator without a counterpart: the colon keeps it apart from ONNX's names."""
    _add(working, node, f"{node.dialect}:{node.op}", list(node.inputs), node.attributes)


def _exported(working: Working, node: Node) -> None:
    op = _EXPORTED_AS.get(node.operator.name)
    if op is None or (op == "AveragePool" and node.attributes["divisor_override"] is not None):
        _keep(working, node)
    else:
        _add(working, node, op, list(node.inputs), node.attributes)


def _scalar(working: Working, node: Node, value: Value, what: str) -> str:
    """A number that stands in an operand's place, as an initializer."""
    name = working.fresh(f"{node.name}.{what}")
    working.constants[name] = Initializer((), "float32", (value,))
    working.shapes[name], working.dtypes[name] = (), "float32"
    return name


def _two(working: Working, node: Node) -> None:
    if node.attributes.get("rounding_mode"):
        _keep(working, node)
        return
    inputs = []
    for at, role in enumerate(node.signature.operands):
        value = node.attributes.get(role)
        given = node.inputs[at] if at < len(node.inputs) else ""
        inputs.append(given if value is None else _scalar(working, node, value, role))
    alpha = node.attributes.get("alpha", 1)
    if alpha != 1 and inputs[1]:  # x + alpha * y
        scaled = working.new_tensor(node.outputs[0], f"{node.name}.scaled", None)
        working.shapes[scaled] = working.shapes[inputs[1]]
        factors = [inputs[1], _scalar(working, node, alpha, "alpha")]
        working.add("Mul", factors, [scaled], sources=[node.index])
        inputs[1] = scaled
    _add(working, node, _TWO[node.operator.name], inputs, {})


def _clip(working: Working, node: Node) -> None:
    given = node.attributes
    bounds = {"relu6": (0, 6), "hardtanh": (given.get("min_val"), given.get("max_val"))}
    least, most = bounds.get(node.operator.name, (given.get("min"), given.get("max")))
    inputs = list(node.inputs)
    for at, value in ((1, least), (2, most)):
        while len(inputs) <= at:
            inputs.append("")
        if value is not None:
            inputs[at] = _scalar(working, node, value, ("", "min", "max")[at])
    _add(working, node, "Clip", inputs, {})


def _batch_norm(working: Working, node: Node) -> None:
    if node.attributes["training"]:
        _keep(working, node)
        return
    found = working.shapes.get(node.inputs[0])
    channels = found[1:2] if found else ()
    roles = ("weight", "bias", "running_mean", "running_var")
    inputs = [
        node.input(role) or working.new_constant(f"{node.name}.{role}", channels) for role in roles
    ]
    attributes = {"eps": node.attributes["eps"]}
    _add(working, node, "BatchNormalization", [node.inputs[0], *inputs], attributes)


def _transpose(working: Working, node: Node) -> None:
    """permute, transpose, movedim and t, all by the permutation that the exporter writes."""
    source = working.shapes.get(node.inputs[0])
    if source is None:
        _keep(working, node)
        return
    rank = len(source)
    if rank < 2:
        _add(working, node, "Identity", [node.inputs[0]], {})
        return
    dims = permutation(node, rank)
    _add(working, node, "Transpose", [node.inputs[0]], {"dims": dims})


def _resize(working: Working, node: Node) -> None:
    given = node.attributes
    mode = _MODES.get(given["mode"])
    shape = working.shapes.get(node.outputs[0])
    if mode is None or shape is None or given["antialias"]:
        _keep(working, node)
        return
    transform = "align_corners" if given["align_corners"] else "half_pixel"
    attributes = {
        "mode": mode,
        "nearest_mode": "floor",
        "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else transform,
    }
    name = _integers(working, f"{node.name}.sizes", shape)
    _add(working, node, "Resize", [node.inputs[0], "", "", name], attributes)


def _adaptive(working: Working, node: Node) -> None:
    """Pooling to one element is global, to a divisor of the size a pool of windows."""
    source, made = working.shapes.get(node.inputs[0]), working.shapes.get(node.outputs[0])
    most = node.operator.name == "adaptive_max_pool"
    if source is None or made is None or len(node.outputs) > 1 or 0 in made[2:]:
        _keep(working, node)
    elif all(n == 1 for n in made[2:]):
        op = "GlobalMaxPool" if most else "GlobalAveragePool"
        _add(working, node, op, [node.inputs[0]], {})
    elif any(a % b for a, b in zip(source[2:], made[2:], strict=True)):
        _keep(working, node)
    else:
        op = "MaxPool" if most else "AveragePool"
        kernel = tuple(a // b for a, b in zip(source[2:], made[2:], strict=True))
        _add(working, node, op, [node.inputs[0]], {"kernel_size": kernel, "stride": kernel})


def _pad(working: Working, node: Node) -> None:
    """PyTorch's list begins with the last dimension, ONNX's has all starts, then all ends."""
    given, source = node.attributes, working.shapes.get(node.inputs[0])
    if given["mode"] != "constant" or source is None:
        _keep(working, node)
        return
    pads = [0] * (2 * len(source))
    for k, n in enumerate(given["pad"]):
        pads[len(source) * (1 + k % 2) - 1 - k // 2] = n
    inputs = [node.inputs[0], _integers(working, f"{node.name}.pads", tuple(pads))]
    if given["value"]:
        inputs.append(_scalar(working, node, given["value"], "value"))
    _add(working, node, "Pad", inputs, {"mode": "constant"})


def _integers(working: Working, name: str, values: tuple[int, ...]) -> str:
    """A list of integers as an initializer."""
    name, shape = working.fresh(name), (len(values),)
    working.constants[name] = Initializer(shape, "int64", values)
    working.shapes[name], working.dtypes[name] = shape, "int64"
    return name


def _silu(working: Working, node: Node) -> None:
    """The exporter writes x times sigmoid of x."""
    gate = working.new_tensor(node.outputs[0], f"{node.name}.sigmoid", None)
    working.shapes[gate] = working.shapes.get(node.inputs[0])
    source, index = node.inputs[0], node.index
    working.add("Sigmoid", [source], [gate], sources=[index])
    working.add("Mul", [source, gate], list(node.outputs), sources=[index], name=node.name)


_EXPORTED: Mapping[str, Callable[[Working, Node], None]] = {
    **dict.fromkeys(_TWO, _two),
    **dict.fromkeys(_CLIPS, _clip),
    **dict.fromkeys(families("permutation"), _transpose),
    **dict.fromkeys(("adaptive_avg_pool", "adaptive_max_pool"), _adaptive),
    "batch_norm": _batch_norm,
    "hardsigmoid": lambda to, node: _add(to, node, "HardSigmoid", [node.inputs[0]], HARD_SWISH),
    "interpolate": _resize,
    "pad": _pad,
    "silu": _silu,
}
