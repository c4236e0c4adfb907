"""Random networks of ONNX operators, as graphs of the API."""

import random
from collections.abc import Sequence
from typing import Any

_CHANNELS = (1, 3, 4, 8, 12, 16, 20, 32, 48, 64)
_OPERATORS = (
    *("Conv",) * 7, "Add", "Add", "Concat", "Concat", "Relu", "Relu", "Mul", "MulChannels",
    "AveragePool", "MaxPool", "Tanh", "GlobalAveragePool", "HardSigmoid", "Softmax", "ReduceMean",
    "Clip", "LeakyRelu", "Gelu", "Resize", "Sigmoid", "BatchNormalization", "DepthToSpace",
    "Transpose",
)  # fmt: skip  # a list of words, read as one
_MORE = (
    "Sum", "AddChannels", "Identity", "Elu", "TransposeFromNhwc", "ConvDilated", "ConvInput",
    "ResizeSizes", "GlobalMaxPool", "MulNumber", "Sub", "ClipMost", "Div", "Max", "Swish",
    "HardSwish", "Split", "Slice", "Squeezed", "Dropout", "PRelu", "Exp", "Pair",
    "ReduceSum", "LogSoftmax", "TransposeAny", "ConvTranspose", "Add3", "ScaledSwish",
    "Pad", "Cast", "CastBack", "OwnHardSwish", "Low",
)  # fmt: skip  # a list of words, read as one
_TURNED = (
    *("Transpose", "TransposeFromNhwc", "TransposeAny", "Relu", "Tanh", "Exp") * 2, "Conv",
    "Softmax", "ReduceMean", "Squeezed",
)  # fmt: skip  # a list of words, read as one
_PERMUTATIONS = ([0, 1, 3, 2], [0, 2, 3, 1])
_MOST_CHANNELS = 160


class OnnxNetwork:
    """A network that grows by one operator at a time.

    ``more``: with the operators that change the graph in other ways, and several outputs.
    ``turned``: a convolution, a Transpose, and more of these beside operators that let them pass;
    some results are read and returned.
    ``also``: more operators, which a subclass makes.
    """

    also: tuple[str, ...] = ()

    def __init__(self, rng: random.Random, *, more: bool = False, turned: bool = False) -> None:
        self.rng = rng
        size, channels = rng.choice((8, 12, 16)), rng.choice(_CHANNELS)
        self.shapes: dict[str, list[int]] = {"x": [1, channels, size, size]}
        self.inputs: dict[str, Any] = {"x": tensor_of(self.shapes["x"])}
        self.constants: dict[str, Any] = {}
        self.nodes: list[dict[str, Any]] = []
        operators = _TURNED if turned else _OPERATORS + _MORE if more else _OPERATORS + self.also
        if turned:
            self._grow("Conv", "x")
            self._grow("Transpose", list(self.shapes)[-1])
        for _ in range(rng.randint(2, 6 if turned else 14)):
            names = list(self.shapes)
            name = rng.choice(names[-4:] if rng.random() < 0.6 else names)
            if len(self.shapes[name]) == 4:
                self._grow(rng.choice(operators), name)
        if not self.nodes:  # no operator that was drawn fits: ONNX Runtime opens no empty network
            self._grow("Relu", "x")
        made = [name for node in self.nodes for name in node["outputs"]]
        self.returned = {name for name in made if turned and rng.random() < 0.1}

    @property
    def graph(self) -> dict[str, Any]:
        """The network as the API takes it; results that no node reads are outputs."""
        read = {name for node in self.nodes for name in node["inputs"]}
        made = [name for node in self.nodes for name in node["outputs"]]
        outputs = [name for name in made if name not in read or name in self.returned]
        return {
            "inputs": self.inputs,
            "constants": self.constants,
            "nodes": self.nodes,
            "outputs": outputs,
        }

    def _constant(
        self, shape: list[int], values: Sequence[float] | None = None, dtype: str = "float32"
    ) -> str:
        name = f"w{len(self.constants) + len(self.inputs) - 1}"
        self.constants[name] = tensor_of(shape, dtype)
        if values is not None:
            self.constants[name]["values"] = list(values)
        return name

    def _emit(self, op: str, inputs: list[str], *shapes: list[int], **attributes: Any) -> str:
        first = len(self.shapes) - 1
        outputs = [f"t{first + i}" for i in range(len(shapes))]
        self.nodes.append(
            {"op": op, "inputs": inputs, "outputs": outputs, "attributes": attributes}
        )
        self.shapes.update(zip(outputs, shapes, strict=True))
        return outputs[0]

    def _same(self, shape: list[int]) -> str:
        return self.rng.choice([name for name, each in self.shapes.items() if each == shape])

    def _grow(self, op: str, name: str) -> None:
        if op.startswith("Conv"):
            self._conv(op, name)
        elif op.startswith("Resize"):
            self._resize(op, name)
        elif op.startswith("Transpose"):
            self._transpose(op, name)
        elif op in {"Add", "Mul", "Sum", "Sub", "Div", "Max"}:
            shape = self.shapes[name]
            operands = [name, self._same(shape)]
            self.rng.shuffle(operands)
            self._emit(op, operands, shape)
        elif op == "CastBack":
            self._cast_back(name)
        elif op in _PLAIN:
            self._emit(op, [name], self.shapes[name], **_PLAIN[op])
        elif op in {"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"}:
            self._pool(op, name)
        elif op in {"Split", "Slice", "Squeezed", "DepthToSpace", "Concat", "Pair"}:
            self._parts(op, name)
        elif op in {"ReduceMean", "ReduceSum"}:
            self._reduce(op, name)
        else:
            self._with_constants(op, name)

    def _conv(self, op: str, name: str) -> None:
        rng = self.rng
        n, c, h, w = self.shapes[name]
        kernel, stride = rng.choice((1, 3, 3, 5)), rng.choice((1, 1, 1, 1, 2))
        made, groups = rng.choice((4, 8, 12, 16, 16, 20, 32, 32, 48, 6)), 1
        if op == "ConvTranspose":
            weight = self._constant([c, made, 2, 2])
            shape = [n, made, 2 * h, 2 * w]
            if h <= 32:
                self._emit(op, [name, weight], shape, kernel_shape=[2, 2], strides=[2, 2])
            return
        if rng.random() < 0.25:
            groups = rng.choice([d for d in (1, 2, 3, 4, 16, 32, c) if c % d == 0])
            made = rng.choice((groups, groups * (16 if groups < 5 else 1), groups * 4))
        dilation = 2 if op == "ConvDilated" else 1
        pad = (kernel - 1) // 2 * dilation
        sizes = [(n + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1 for n in (h, w)]
        if made > 128 or min(sizes) < 1:
            return
        weight = self._constant([made, c // groups, kernel, kernel])
        if op == "ConvInput":
            self.inputs[weight] = self.constants.pop(weight)
        operands = [name, weight]
        if rng.random() < 0.6:
            operands.append(self._constant([made]))
        self._emit(
            "Conv",
            operands,
            [n, made, *sizes],
            kernel_shape=[kernel, kernel],
            group=groups,
            strides=[stride, stride],
            pads=[pad] * 4,
            dilations=[dilation, dilation],
        )

    def _pool(self, op: str, name: str) -> None:
        n, c, h, w = self.shapes[name]
        if op.startswith("Global"):
            self._emit(op, [name], [n, c, 1, 1])
        elif op == "AveragePool":
            shape = self.shapes[name]
            self._emit(op, [name], shape, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)
        elif h > 1 and w > 1:
            stride, ceil = self.rng.choice((1, 2)), self.rng.choice((0, 1))
            sizes = [(n - 2 + ceil * (stride - 1)) // stride + 1 for n in (h, w)]
            self._emit(
                op,
                [name],
                [n, c, *sizes],
                kernel_shape=[2, 2],
                strides=[stride] * 2,
                ceil_mode=ceil,
            )

    def _resize(self, op: str, name: str) -> None:
        n, c, h, w = shape = self.shapes[name]
        if h > 32 or w > 32:
            return
        made = [n, c, 2 * h, 2 * w]
        mode = self.rng.choice(("nearest", "nearest", "linear"))
        transform = self.rng.choice(("asymmetric", "half_pixel", "align_corners"))
        if mode == "nearest" and self.rng.random() < 0.8:
            transform = "asymmetric"
        sizes = self._constant([4], made, "int64") if op == "ResizeSizes" else ""
        scales = [b / a for a, b in zip(shape, made, strict=True)]
        operands = [name, "", "" if sizes else self._constant([4], scales)]
        self._emit(
            "Resize",
            operands + [sizes] * bool(sizes),
            made,
            mode=mode,
            nearest_mode="floor",
            coordinate_transformation_mode=transform,
        )

    def _transpose(self, op: str, name: str) -> None:
        perm = list(self.rng.choice(_PERMUTATIONS))
        if op == "TransposeFromNhwc":
            perm = [0, 3, 1, 2]
        elif op == "TransposeAny":
            perm = self.rng.sample(range(4), 4)
        self._emit("Transpose", [name], [self.shapes[name][d] for d in perm], perm=perm)

    def _parts(self, op: str, name: str) -> None:
        rng = self.rng
        n, c, h, w = shape = self.shapes[name]
        if op == "Concat":
            like = [k for k, s in self.shapes.items() if s[:1] + s[2:] == [n, h, w] and len(s) == 4]
            operands = [name, *(rng.choice(like) for _ in range(rng.randint(1, 2)))]
            rng.shuffle(operands)
            channels = sum(self.shapes[each][1] for each in operands)
            if channels <= _MOST_CHANNELS:
                self._emit(op, operands, [n, channels, h, w], axis=1)
        elif op == "DepthToSpace" and c % 4 == 0 and h <= 32:
            self._emit(op, [name], [n, c // 4, 2 * h, 2 * w], blocksize=2)
        elif op == "Split" and c % 2 == 0:
            half = [n, c // 2, h, w]
            self._emit(op, [name], half, half, axis=1, num_outputs=2)
        elif op == "Slice" and h > 1:
            ends = [self._constant([1], [k], "int64") for k in (0, h - 1, 2)]
            self._emit(op, [name, *ends], [n, c, h - 1, w])
        elif op == "Squeezed" and n == 1:
            axes = self._constant([1], [0], "int64")
            flat = self._emit("Squeeze", [name, axes], shape[1:])
            self._emit("Unsqueeze", [flat, axes], shape)
        elif op == "Pair":  # the same node twice
            for _ in range(2):
                self._emit(rng.choice(("Relu", "Tanh")), [name], shape)

    def _reduce(self, op: str, name: str) -> None:
        n, c = self.shapes[name][:2]
        keep = self.rng.choice((1, 1, 0))
        axes = self._constant([2], [2, 3], "int64")
        self._emit(op, [name, axes], [n, c, 1, 1] if keep else [n, c], keepdims=keep)

    def _cast_back(self, name: str) -> None:
        other = f"{name}_cast{len(self.nodes)}"  # of another type, and for this reader alone
        to = {"to": self.rng.choice((11, 11, 10, 7))}  # float64, float16, int64
        self.nodes.append({"op": "Cast", "inputs": [name], "outputs": [other], "attributes": to})
        self._emit("Cast", [other], self.shapes[name], to=1)

    def _with_constants(self, op: str, name: str) -> None:
        rng = self.rng
        shape = self.shapes[name]
        c, w = shape[1], shape[3]
        by_channel = self._constant(rng.choice(([c, 1, 1], [1, c, 1, 1])))
        if op == "MulChannels":
            self._emit("Mul", [name, by_channel], shape)
        elif op == "AddChannels":
            self._emit("Add", [name, by_channel], shape)
        elif op == "PRelu":
            self._emit(op, [name, by_channel], shape)
        elif op == "MulNumber":
            self._emit("Mul", [name, self._constant(rng.choice(([], [1], [w])))], shape)
        elif op in {"Clip", "ClipMost"}:
            least = "" if op == "ClipMost" else self._constant([])
            self._emit("Clip", [name, least, self._constant([])], shape)
        elif op in {"Swish", "ScaledSwish", "OwnHardSwish"}:
            inner = name
            if op == "ScaledSwish":
                inner = self._emit("Mul", [name, self._constant([])], shape)
            own = op == "OwnHardSwish"
            attributes = {"alpha": 1 / 6, "beta": 0.5} if own else {}
            gate = self._emit("HardSigmoid" if own else "Sigmoid", [inner], shape, **attributes)
            self._emit("Mul", [gate, name], shape)
        elif op == "Cast":
            self._emit(op, [name], shape, to=1)
        elif op == "Pad" and max(shape) <= 32:
            before, after = [0, 0, *rng.choices((0, 1), k=2)], [0, rng.choice((0, 0, 0, 2)), 0, 1]
            pads = self._constant([8], [*before, *after], "int64")
            made = [a + b + c for a, b, c in zip(shape, before, after, strict=True)]
            value = (
                [self._constant([], [rng.choice((0.0, 0.0, 1.0))])] if rng.random() < 0.5 else []
            )
            self._emit(op, [name, pads, *value], made)
        elif op == "Low":
            low = f"v{len(self.inputs)}"
            self.inputs[low] = tensor_of(shape[rng.choice((1, 2, 3)) :])
            self._emit(rng.choice(("Add", "Mul", "Sub")), rng.sample([name, low], 2), shape)
        elif op == "Add3":
            self._emit("Sum", [name, self._same(shape), self._same(shape)], shape)
        elif op == "BatchNormalization":
            values = [1 + 0.1 * i for i in range(c)]
            parameters = [self._constant([c], values) for _ in range(4)]
            self._emit(op, [name, *parameters], shape)


_PLAIN: dict[str, dict[str, Any]] = {
    "Relu": {},
    "Tanh": {},
    "Sigmoid": {},
    "HardSigmoid": {},
    "Gelu": {},
    "Identity": {},
    "Elu": {},
    "HardSwish": {},
    "Exp": {},
    "Dropout": {},
    "LeakyRelu": {"alpha": 0.1},
    "Softmax": {"axis": 1},
    "LogSoftmax": {"axis": -1},
}


def tensor_of(shape: list[int], dtype: str = "float32") -> dict[str, Any]:
    """A tensor as the API takes it."""
    return {"shape": shape, "dtype": dtype}
