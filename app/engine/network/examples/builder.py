"""Builder: writes a network operator by operator, as the JSON of the contract and as a Graph.

Weights are constants without values: only their sizes matter for layouts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...model.dtypes import parse_dtype
from ...model.layout import Layout, packed_strides
from ...notation import parse_layout
from ..graph import Graph
from ..nodes import GraphTensor, NodeSource

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Of:
    """A tensor of the network that is being written: its name and its channels (dimension 1)."""

    name: str
    channels: int


class Builder:
    """The state while a network is written. Each method adds a node and returns its result."""

    def __init__(self) -> None:
        self._inputs: dict[str, Json] = {}
        self._constants: dict[str, Json] = {}
        self._nodes: list[Json] = []
        self._names: dict[str, int] = {}

    def input(
        self, name: str, shape: Sequence[int], *, layout: str | None = None, dtype: str = "float32"
    ) -> Of:
        """An input of the network; row-major unless ``layout`` says more."""
        source = {"strides": list(packed_strides(shape))} if layout is None else layout
        self._inputs[name] = {"shape": list(shape), "layout": source, "dtype": dtype}
        return Of(name, shape[1] if len(shape) > 1 else 1)

    def constant(
        self,
        name: str,
        shape: Sequence[int],
        *,
        dtype: str = "float32",
        values: Sequence[int | float] | None = None,
    ) -> str:
        """A weight, or a short list of numbers; returns its name."""
        made: Json = {"shape": list(shape), "dtype": dtype}
        if values is not None:
            made["values"] = list(values)
        self._constants[name] = made
        return name

    def fresh(self, stem: str) -> str:
        """A name that nobody has: ``conv1``, ``conv2``, …"""
        self._names[stem] = self._names.get(stem, 0) + 1
        return f"{stem}{self._names[stem]}"

    def node(
        self,
        op: str,
        inputs: Sequence[Of | str],
        *,
        channels: int | None = None,
        name: str | None = None,
        **attributes: Any,
    ) -> Of:
        """An operator with one result, which has the name of the node."""
        return self.nodes(op, inputs, [channels], name=name, **attributes)[0]

    def nodes(
        self,
        op: str,
        inputs: Sequence[Of | str],
        channels: Sequence[int | None],
        *,
        name: str | None = None,
        **attributes: Any,
    ) -> list[Of]:
        """An operator with a result for each of ``channels``; None: those of the first operand."""
        name = name or self.fresh(op.rstrip("123d_").lower())
        outputs = [name] if len(channels) == 1 else [f"{name}.{i}" for i in range(len(channels))]
        self._nodes.append(
            {
                "name": name,
                "op": op,
                "inputs": [each.name if isinstance(each, Of) else each for each in inputs],
                "outputs": outputs,
                "attributes": attributes,
            }
        )
        first = inputs[0]
        same = first.channels if isinstance(first, Of) else 1
        pairs = zip(outputs, channels, strict=True)
        return [Of(each, same if count is None else count) for each, count in pairs]

    def conv(
        self,
        x: Of,
        out: int,
        kernel: int,
        *,
        stride: int = 1,
        groups: int = 1,
        bias: bool = False,
        name: str | None = None,
    ) -> Of:
        """A convolution that keeps the size for stride 1."""
        name = name or self.fresh("conv")
        weight = self.constant(f"{name}.weight", (out, x.channels // groups, kernel, kernel))
        more = [self.constant(f"{name}.bias", (out,))] if bias else []
        attributes = {"stride": stride, "padding": kernel // 2, "groups": groups}
        kept = {key: value for key, value in attributes.items() if value != int(key != "padding")}
        return self.node("conv2d", [x, weight, *more], channels=out, name=name, **kept)

    def norm(self, x: Of) -> Of:
        """Batch normalisation with stored statistics."""
        name = self.fresh("norm")
        parts = ("mean", "var", "weight", "bias")
        held = [self.constant(f"{name}.{part}", (x.channels,)) for part in parts]
        return self.node("batch_norm", [x, *held], name=name)

    def relu(self, x: Of) -> Of:
        """The activation max(x, 0)."""
        return self.node("relu", [x])

    def conv_norm_relu(self, x: Of, out: int, kernel: int, *, stride: int = 1) -> Of:
        """A convolution, its normalisation, its activation."""
        return self.relu(self.norm(self.conv(x, out, kernel, stride=stride)))

    def add(self, x: Of, y: Of) -> Of:
        """The sum of two tensors of one shape."""
        return self.node("add", [x, y])

    def cat(self, parts: Sequence[Of], *, op: str = "cat", along: str = "dim") -> Of:
        """Joined along the channels."""
        total = sum(part.channels for part in parts)
        attributes: Json = {along: 1}
        return self.node(op, parts, channels=total, **attributes)

    def linear(self, x: Of, into: int, out: int, *, name: str | None = None) -> Of:
        """A matrix product with a weight and a bias over the last dimension."""
        name = name or self.fresh("linear")
        weight = self.constant(f"{name}.weight", (out, into))
        bias = self.constant(f"{name}.bias", (out,))
        return self.node("linear", [x, weight, bias], name=name)

    def classifier(self, x: Of, classes: int) -> Of:
        """Mean over the image, flattened, one matrix product."""
        mean = self.node("adaptive_avg_pool2d", [x], output_size=1)
        flat = self.node("flatten", [mean], start_dim=1)
        return self.linear(flat, x.channels, classes)

    def json(self) -> Json:
        """The network as the contract's JSON."""
        made: Json = {"inputs": self._inputs, "constants": self._constants, "nodes": self._nodes}
        return made if self._constants else {k: v for k, v in made.items() if k != "constants"}

    def graph(self) -> Graph:
        """The network, checked."""
        return Graph.of(
            inputs={name: _tensor(each) for name, each in self._inputs.items()},
            constants={name: _tensor(each) for name, each in self._constants.items()},
            nodes=[
                NodeSource(
                    each["op"], each["inputs"], each["outputs"], each["attributes"], each["name"]
                )
                for each in self._nodes
            ],
        )


def _tensor(given: Json) -> GraphTensor:
    shape, source = given["shape"], given.get("layout")
    if isinstance(source, str):
        layout = parse_layout(source, shape)
    else:
        layout = Layout.strided(shape, packed_strides(shape))
    values = given.get("values")
    dtype = parse_dtype(given["dtype"])
    dims = layout.dims if isinstance(source, str) else ""  # the examples name layouts by letters
    return GraphTensor(layout, dtype, None if values is None else tuple(values), dims)
