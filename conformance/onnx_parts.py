"""Networks of ONNX operators that take parts of tensors, copy elements elsewhere or normalise."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.onnx_networks import OnnxNetwork, tensor_of

_OFTEN = ("Parts", "Halves", "Slice", "Pad")
_READERS = ("Relu", "HardSigmoid", "Tanh", "MaxPool", "ReduceMean", "Softmax", "Conv", "Concat")
_SIZES = {3: (8, 12), 4: (4, 8, 12), 5: (2, 4)}


class PartsNetwork(OnnxNetwork):
    """A random network with these operators beside those of ``OnnxNetwork``."""

    also = (
        *_OFTEN * 4, "Tile", "Expand", "Depth", "TopK", "InstanceNormalization", "OneGroup",
        "LayerNormalization", "MeanVarianceNormalization", "LpNormalization", "LRN", "LogSoftmax",
    )  # fmt: skip  # a list of words, read as one

    def _grow(self, op: str, name: str) -> None:
        if op in _MAKERS:
            _MAKERS[op](self, name)
        else:
            super()._grow(op, name)

    def _integers(self, *values: int) -> str:
        return self._constant([len(values)], values, "int64")

    def _axis(self, name: str) -> int:
        axis: int = self.rng.choice((1, *range(1, len(self.shapes[name]))))
        return axis

    def _sized(self, name: str, axis: int, size: int) -> list[int]:
        shape = self.shapes[name]
        return [*shape[:axis], size, *shape[axis + 1 :]]

    def _cut(self, name: str, axis: int) -> int:
        size = self.shapes[name][axis]
        return self.rng.choice([each for each in (1, 4, 8, 16, size // 2) if each < size])

    def _parts_of(self, name: str) -> None:
        axis = self._axis(name)
        size = self.shapes[name][axis]
        if size > 1:
            cut = self._cut(name, axis)
            made = [self._sized(name, axis, each) for each in (cut, size - cut)]
            self._emit("Split", [name, self._integers(cut, size - cut)], *made, axis=axis)

    def _halves(self, name: str) -> None:
        axis = self._axis(name)
        size = self.shapes[name][axis]
        if size > 1:
            cut = self._cut(name, axis)
            for start, end in ((0, cut), (cut, size)):
                self._slice(name, axis, range(start, end))

    def _sliced(self, name: str) -> None:
        rng, axis = self.rng, self._axis(name)
        size = self.shapes[name][axis]
        start = rng.choice((0, 0, 1, 8, 16)) % size
        end = rng.choice((size, max(start + 1, size - 1), start + 1))
        taken = range(start, end, rng.choice((1, 1, 1, 2)))
        if len(taken) < size:
            self._slice(name, axis, taken)

    def _slice(self, name: str, axis: int, taken: range) -> None:
        given = [self._integers(k) for k in (taken.start, taken.stop, axis, taken.step)]
        self._emit("Slice", [name, *given], self._sized(name, axis, len(taken)))

    def _pad(self, name: str) -> None:
        rng, shape = self.rng, self.shapes[name]
        if max(shape[2:]) > 32:
            return
        before = [0, rng.choice((0, 0, 0, 8, 16)), *rng.choices((0, 1), k=len(shape) - 2)]
        after = [0, rng.choice((0, 0, 0, 8)), *rng.choices((0, 1), k=len(shape) - 2)]
        if not any(before + after):
            return
        narrow = any(max(a, b) >= size for a, b, size in zip(before, after, shape, strict=True))
        mode = "constant" if narrow else rng.choice(("constant", "constant", "reflect", "edge"))
        made = [sum(each) for each in zip(before, shape, after, strict=True)]
        self._emit("Pad", [name, self._integers(*before, *after)], made, mode=mode)

    def _tile(self, name: str) -> None:
        shape = self.shapes[name]
        if 1 < shape[1] <= 64 and 1 < max(shape[2:]) <= 16:
            times = [1] * len(shape)
            for axis in {self._axis(name), self._axis(name)}:
                times[axis] = 2
            made = [a * b for a, b in zip(shape, times, strict=True)]
            self._emit("Tile", [name, self._integers(*times)], made)

    def _expand(self, name: str) -> None:
        shape = self.shapes[name]
        if len(shape) > 3 and set(shape[2:]) == {1}:
            made = [*shape[:2], *(4 for _ in shape[2:])]
            self._emit("Expand", [name, self._integers(*made)], made)

    def _depth(self, name: str) -> None:
        n, c, *space = self.shapes[name]
        if len(space) == 2 and c <= 32 and not any(size % 2 for size in space):
            self._emit("SpaceToDepth", [name], [n, 4 * c, *(k // 2 for k in space)], blocksize=2)
        elif len(space) == 2 and c % 4 == 0 and max(space) <= 32:
            made = [n, c // 4, *(2 * k for k in space)]
            self._emit("DepthToSpace", [name], made, blocksize=2, mode="CRD")

    def _topk(self, name: str) -> None:
        axis, indices = self._axis(name), f"{name}_indices{len(self.nodes)}"
        if self.shapes[name][axis] == 1:
            return
        self._emit("TopK", [name, self._integers(2)], self._sized(name, axis, 2), axis=axis)
        self.nodes[-1]["outputs"].append(indices)  # of another type, so read by a Cast
        read: dict[str, Any] = {"op": "Cast", "outputs": [f"{indices}_read"]}
        self.nodes.append({**read, "inputs": [indices], "attributes": {"to": 1}})

    def _norm(self, op: str, name: str, weights: Sequence[list[int]] = (), **given: Any) -> None:
        operands = [self._constant(shape) for shape in weights]
        self._emit(op, [name, *operands], self.shapes[name], **given)

    def _by_channel(self, name: str) -> None:
        channels = [self.shapes[name][1]]
        self._norm("InstanceNormalization", name, [channels] * 2)

    def _groups(self, name: str) -> None:
        # More groups crash OpenVINO 2026.4.1 where some element-wise operators read the same. With
        # more images than one, the number of threads decides.
        if self.shapes[name][0] == 1:
            weights = [[self.shapes[name][1]]] * 2
            self._norm("GroupNormalization", name, weights, num_groups=1)

    def _layer(self, name: str) -> None:
        axis = self._axis(name)
        self._norm("LayerNormalization", name, [self.shapes[name][axis:]] * 2, axis=axis)

    def _mean_variance(self, name: str) -> None:
        space = [*range(2, len(self.shapes[name]))]
        axes = self.rng.choice((space, [1, *space], [0, *space]))
        self._norm("MeanVarianceNormalization", name, axes=axes)

    def _lp(self, name: str) -> None:
        self._norm("LpNormalization", name, axis=self._axis(name), p=self.rng.choice((1, 2)))

    def _lrn(self, name: str) -> None:
        self._norm("LRN", name, size=self.rng.choice((3, 5, 5)))

    def _log_softmax(self, name: str) -> None:
        self._norm("LogSoftmax", name, axis=self._axis(name))


class PartsChain(PartsNetwork):
    """One of these operators of three to five dimensions, what makes its operand, and readers."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        rank = rng.choice((3, 4, 5))
        sizes = [rng.choice((*_SIZES[rank], 1)) for _ in range(rank - 2)]
        shape = [rng.choice((1, 1, 2)), rng.choice((3, 8, 16, 20, 24, 32, 48)), *sizes]
        self.shapes = {"x": shape}
        self.inputs = {"x": tensor_of(shape)}
        self.constants, self.nodes, self.returned = {}, [], set()
        maker = rng.choice(("", "Conv", "Conv", "MaxPool"))
        if maker:
            self._read(maker, "x")
        made = [list(self.shapes)[-1]]
        op = rng.choice((*self.also, "GroupNormalization"))
        if op == "GroupNormalization":
            channels = self.shapes[made[0]][1]
            groups = rng.choice([k for k in (2, 3, 4) if channels % k == 0] or [1])
            self._norm(op, made[0], [[channels]] * 2, num_groups=groups)
        else:
            self._grow(op, made[0])
        made = [name for name in self.shapes if name not in ("x", *made)] or made
        for name in made:
            for reader in rng.sample(_READERS, rng.choice((0, 1, 1, 2))):
                self._read(reader, name)
        if not self.nodes:
            self._read("Relu", "x")

    def _read(self, op: str, name: str) -> None:
        n, c, *space = shape = self.shapes[name]
        ones = [1] * len(space)
        if op == "Conv":
            weight = self._constant([16, c, *ones])
            self._emit(op, [name, weight], [n, 16, *space], kernel_shape=ones)
        elif op == "MaxPool":
            self._emit(op, [name], shape, kernel_shape=ones)
        elif op == "ReduceMean":
            axes = self._integers(*range(2, len(shape)))
            self._emit(op, [name, axes], [n, c, *ones], keepdims=1)
        elif op == "Concat":
            self._emit(op, [name, name], [n, 2 * c, *space], axis=1)
        else:
            self._emit(op, [name], shape, **({"axis": 1} if op == "Softmax" else {}))


_MAKERS: Mapping[str, Callable[[PartsNetwork, str], None]] = {
    "Parts": PartsNetwork._parts_of,
    "Halves": PartsNetwork._halves,
    "Slice": PartsNetwork._sliced,
    "Pad": PartsNetwork._pad,
    "Tile": PartsNetwork._tile,
    "Expand": PartsNetwork._expand,
    "Depth": PartsNetwork._depth,
    "TopK": PartsNetwork._topk,
    "InstanceNormalization": PartsNetwork._by_channel,
    "OneGroup": PartsNetwork._groups,
    "LayerNormalization": PartsNetwork._layer,
    "MeanVarianceNormalization": PartsNetwork._mean_variance,
    "LpNormalization": PartsNetwork._lp,
    "LRN": PartsNetwork._lrn,
    "LogSoftmax": PartsNetwork._log_softmax,
}
