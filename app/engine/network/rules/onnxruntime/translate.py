"""The network as ONNX Runtime reads it: ONNX's operators, and PyTorch's as they are exported.

Attributes keep the catalogue's names. An operator of PyTorch without a counterpart here, and one
that the catalogue does not have, is kept by name: ORT does not run it blocked.
"""

from collections.abc import Callable, Mapping

from ...attributes import Value
from ...graph import Graph
from ...nodes import Node
from ...operators import OPERATORS
from ..base import families, operators
from .simplify import HARD_SWISH
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


_Step = tuple[str, list[str], Mapping[str, Value]]  # operator, operands, attributes


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
        step: _Step | None = node.op, list(node.inputs), node.attributes
        if node.operator.kind == "opaque":
            step = None
        elif node.origin != "onnx":
            step = _EXPORTED.get(node.operator.name, _exported)(working, node)
        # What has no counterpart is kept; the colon keeps it apart from ONNX's names.
        kept = (f"{node.origin}:{node.op}", list(node.inputs), node.attributes)
        op, inputs, attributes = step or kept
        outputs = list(node.outputs)
        added = working.add(op, inputs, outputs, attributes, sources=[node.index], name=node.name)
        added.own = "" if step else node.op
    return working


def _exported(_working: Working, node: Node) -> _Step | None:
    op = _EXPORTED_AS.get(node.operator.name)
    if op is None or (op == "AveragePool" and node.attributes["divisor_override"] is not None):
        return None
    return op, list(node.inputs), node.attributes


def _constant(working: Working, node: Node, what: str, value: Value) -> str:
    """A number that stands in an operand's place, or a list of integers, as an initializer."""
    values = value if isinstance(value, tuple) else (value,)
    shape, dtype = ((len(values),), "int64") if values is value else ((), "float32")
    return working.new_constant(f"{node.name}.{what}", shape, dtype, values)


def _two(working: Working, node: Node) -> _Step | None:
    if node.attributes.get("rounding_mode"):
        return None
    inputs = []
    for role in node.signature.operands:
        value = node.attributes.get(role)
        constant = value is not None
        inputs.append(_constant(working, node, role, value) if constant else node.input(role))
    alpha = node.attributes.get("alpha", 1)
    if alpha != 1 and inputs[1]:  # x + alpha * y
        scaled = working.new_tensor(node.outputs[0], f"{node.name}.scaled", None)
        working.shapes[scaled] = working.shapes[inputs[1]]
        factors = [inputs[1], _constant(working, node, "alpha", alpha)]
        working.add("Mul", factors, [scaled], sources=[node.index])
        inputs[1] = scaled
    return _TWO[node.operator.name], inputs, {}


def _clip(working: Working, node: Node) -> _Step | None:
    given = node.attributes
    bounds = {"relu6": (0, 6), "hardtanh": (given.get("min_val"), given.get("max_val"))}
    values = bounds.get(node.operator.name, (given.get("min"), given.get("max")))
    inputs = [*node.inputs, "", ""][:3]
    for at, (name, value) in enumerate(zip(("min", "max"), values, strict=True), start=1):
        if value is not None:
            inputs[at] = _constant(working, node, name, value)
    return "Clip", inputs, {}


def _batch_norm(working: Working, node: Node) -> _Step | None:
    if node.attributes["training"]:
        return None
    found = working.shapes.get(node.inputs[0])
    channels = found[1:2] if found else ()
    roles = ("weight", "bias", "running_mean", "running_var")
    inputs = [
        node.input(role) or working.new_constant(f"{node.name}.{role}", channels) for role in roles
    ]
    return "BatchNormalization", [node.inputs[0], *inputs], {"eps": node.attributes["eps"]}


def _transpose(working: Working, node: Node) -> _Step | None:
    """permute, transpose, movedim and t, all by the permutation that the exporter writes."""
    source = working.shapes.get(node.inputs[0])
    if source is None:
        return None
    rank = len(source)
    if rank < 2:
        return "Identity", [node.inputs[0]], {}
    return "Transpose", [node.inputs[0]], {"dims": node.permutation(rank)}


def _resize(working: Working, node: Node) -> _Step | None:
    given = node.attributes
    mode = _MODES.get(given["mode"])
    shape = working.shapes.get(node.outputs[0])
    if mode is None or shape is None or given["antialias"]:
        return None
    transform = "align_corners" if given["align_corners"] else "half_pixel"
    attributes = {
        "mode": mode,
        "nearest_mode": "floor",
        "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else transform,
    }
    name = _constant(working, node, "sizes", shape)
    return "Resize", [node.inputs[0], "", "", name], attributes


def _adaptive(working: Working, node: Node) -> _Step | None:
    """Pooling to one element is global, to a divisor of the size a pool of windows."""
    source, made = working.shapes.get(node.inputs[0]), working.shapes.get(node.outputs[0])
    op = "MaxPool" if node.operator.name == "adaptive_max_pool" else "AveragePool"
    if source is None or made is None or len(node.outputs) > 1 or 0 in made[2:]:
        return None
    if all(n == 1 for n in made[2:]):
        return f"Global{op}", [node.inputs[0]], {}
    if any(a % b for a, b in zip(source[2:], made[2:], strict=True)):
        return None
    kernel = tuple(a // b for a, b in zip(source[2:], made[2:], strict=True))
    return op, [node.inputs[0]], {"kernel_size": kernel, "stride": kernel}


def _pad(working: Working, node: Node) -> _Step | None:
    """PyTorch's list begins with the last dimension, ONNX's has all starts, then all ends."""
    given, source = node.attributes, working.shapes.get(node.inputs[0])
    if given["mode"] != "constant" or source is None:
        return None
    pads = [0] * (2 * len(source))
    for k, n in enumerate(given["pad"]):
        pads[len(source) * (1 + k % 2) - 1 - k // 2] = n
    inputs = [node.inputs[0], _constant(working, node, "pads", tuple(pads))]
    if given["value"]:
        inputs.append(_constant(working, node, "value", given["value"]))
    return "Pad", inputs, {"mode": "constant"}


def _silu(working: Working, node: Node) -> _Step | None:
    """The exporter writes x times sigmoid of x."""
    gate = working.new_tensor(node.outputs[0], f"{node.name}.sigmoid", None)
    working.shapes[gate] = working.shapes.get(node.inputs[0])
    working.add("Sigmoid", [node.inputs[0]], [gate], sources=[node.index])
    return "Mul", [node.inputs[0], gate], {}


_EXPORTED: Mapping[str, Callable[[Working, Node], _Step | None]] = {
    **dict.fromkeys(_TWO, _two),
    **dict.fromkeys(_CLIPS, _clip),
    **dict.fromkeys(families("permutation"), _transpose),
    **dict.fromkeys(("adaptive_avg_pool", "adaptive_max_pool"), _adaptive),
    "batch_norm": _batch_norm,
    "hardsigmoid": lambda _, node: ("HardSigmoid", [node.inputs[0]], HARD_SWISH),
    "interpolate": _resize,
    "pad": _pad,
    "silu": _silu,
}
