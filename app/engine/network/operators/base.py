"""What a row of the operator catalogue says, and what a shape rule is given and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ...model.dtypes import DEFAULT, ElementType, parse_dtype
from ...model.errors import LayoutError, phrase, refusal
from ..attributes import Signature, Value, read_integers, signature

# compute: bound by arithmetic, so it may choose its layouts (oneDNN's word: compute-bound).
# memory: bound by memory, so it keeps the layout it is given. view: the result may share its
# operand's memory. copy: moves elements without computing. opaque: not in the catalogue.
Kind = Literal["compute", "memory", "view", "copy", "opaque"]
Origin = Literal["torch", "onnx"]
# unary, binary, pointwise: element by element, of one, two or any number of operands.
Family = Literal[
    "unary",
    "binary",
    "pointwise",
    "convolution",
    "pooling",
    "global pooling",
    "reduction",
    "resizing",
    "split",
    "permutation",
    "other",
]


@dataclass(frozen=True, slots=True)
class TensorType:
    """Shape and element type of a tensor of a graph."""

    shape: tuple[int, ...]
    dtype: ElementType

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)


@dataclass(frozen=True, slots=True)
class Unknown:
    """The shape of a tensor is not known; ``reason``: why, in one sentence."""

    reason: str


class ShapeNotKnownError(Exception):
    """Raised by a shape rule where the graph does not say enough; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Call:
    """One use of an operator: what its shape rule may ask.

    ``operands``: the types in the positions of the signature, None where one is left out.
    ``values``: of constant operands, as far as the graph gives them. ``outputs``: how many results
    the node names.
    """

    op: str
    origin: Origin
    signature: Signature
    attributes: Mapping[str, Value]
    operands: Sequence[TensorType | None]
    values: Callable[[int], tuple[int | float, ...] | None]
    outputs: int

    def operand(self, role: str) -> TensorType | None:
        """The type of the operand ``role``, None if it is left out."""
        at = self.signature.positions.get(role)
        return self.operands[at] if at is not None and at < len(self.operands) else None

    def need(self, role: str) -> TensorType:
        """The type of an operand. Errors: LayoutError naming it if it is left out."""
        found = self.operand(role)
        if found is None:
            raise refusal(self.where(role), "nothing", "operand.named", role=role)
        return found

    def where(self, name: str) -> str:
        """The field that gives ``name``: ``inputs[1]``, or ``attributes.axis`` as it is written."""
        at = self.signature.positions.get(name)
        if at is None or self.attributes.get(name) is not None:
            return f"attributes.{self.signature.own.get(name, name)}"
        return f"inputs[{at}]"

    def wrong(self, name: str, value: object, code: str, /, **params: Any) -> LayoutError:
        """The error of a value that ``name`` gives, as an attribute or as an operand."""
        return LayoutError(self.where(name), value, phrase(code, **params))

    def refusal(self, role: str, got: str, code: str, /, **params: Any) -> LayoutError:
        """The error of an operand, as ``refusal`` makes it."""
        return refusal(self.where(role), got, code, **params)

    def misfit(self, role: str, code: str, /, **params: Any) -> LayoutError:
        """The error of an operand of another shape."""
        return self.refusal(role, f"the shape {list(self.need(role).shape)}", code, **params)

    def misranked(self, role: str, code: str, /, **params: Any) -> LayoutError:
        """The error of an operand of another rank."""
        return self.refusal(role, f"a tensor of rank {self.need(role).rank}", code, **params)

    @property
    def first(self) -> TensorType:
        """The first operand that is given; a number of the default type where none is."""
        return next((each for each in self.operands if each), TensorType((), DEFAULT))

    def given(self) -> list[TensorType]:
        """All operands that are not left out, in order."""
        return [each for each in self.operands if each is not None]

    def integers(self, name: str) -> tuple[int, ...] | None:
        """Integers that are an attribute in one system and a constant operand in another.

        None if they are left out. Raises ShapeNotKnownError if the operand's values are not known.
        """
        values = self.numbers(name)
        return None if values is None else read_integers(self.where(name), values)

    def numbers(self, name: str) -> tuple[float, ...] | None:
        """As ``integers``, for numbers of any type."""
        value = self.attributes.get(name)
        if value is not None:
            return value if isinstance(value, tuple) else (value,)
        at = self.signature.positions.get(name)
        if at is None or self.operand(name) is None:
            return None
        values = self.values(at)
        if values is None:
            raise ShapeNotKnownError(
                f"The shape depends on the values of the operand {name}, which are not given."
            )
        return values


@dataclass(frozen=True, slots=True)
class StridedView:
    """Where a view lies in its operand's memory: (size, stride) of each dimension, and the offset.

    In elements.
    """

    dims: tuple[tuple[int, int], ...]
    offset: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes, without the strides."""
        return tuple(size for size, _ in self.dims)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    def within(self, d: int, start: int, *dims: tuple[int, int]) -> StridedView:
        """From element ``start`` of dimension ``d`` on, with other dimensions in its place."""
        offset = self.offset + start * self.dims[d][1]
        return StridedView((*self.dims[:d], *dims, *self.dims[d + 1 :]), offset)

    def ordered(self, order: Iterable[int]) -> StridedView:
        """These dimensions in this order."""
        return StridedView(tuple(self.dims[d] for d in order), self.offset)


Shaped = TensorType | tuple[TensorType, ...]
ShapeRule = Callable[[Call, TensorType], Shaped]
ViewRule = Callable[[Call, StridedView], StridedView | tuple[StridedView, ...]]
Views = Callable[[Call, StridedView], tuple[StridedView, ...]]


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the catalogue.

    ``name``: the catalogue's. ``kind``: what bounds it, or whether it is a view. ``shape``: the
    rule for shapes and element types of its results, which
    gets the first operand too. ``torch``, ``onnx``: its names and its
    signature there. ``onednn``: the primitive that computes it in oneDNN, None if there is none.
    ``family``: the operators that most systems treat alike. ``agnostic``: whether it runs in
    whatever layout it is given, and writes that one, if the result has the operand's rank.
    ``images``: whether the dimensions of its input are a batch, channels and space. ``viewed``: of
    a view that never needs a copy: where its results lie.
    """

    name: str
    kind: Kind
    shape: ShapeRule
    torch: tuple[str, ...] = ()
    torch_call: Signature | None = None
    onnx: tuple[str, ...] = ()
    onnx_call: Signature | None = None
    onednn: str | None = None
    family: Family = "other"
    agnostic: bool = False
    images: bool = False
    viewed: Views | None = None

    @property
    def pointwise(self) -> bool:
        """Whether each element of the result comes from one element of each operand."""
        return self.family in {"unary", "binary", "pointwise"}


def _row(
    kind: Kind,
    name: str,
    shape: ShapeRule,
    torch: str = "",
    onnx: str = "",
    *,
    onednn: str | None = None,
    family: Family = "other",
    agnostic: bool | None = None,
    images: bool | None = None,
    viewed: Views | None = None,
) -> Operator:
    """A row; ``torch``, ``onnx``: texts ``name name(signature)``.

    Operators that are bound by memory are agnostic where nothing else is said; convolutions and
    pooling are of images.
    """
    agnostic = kind == "memory" if agnostic is None else agnostic
    calls = (*_called(torch), *_called(onnx))
    images = family in {"convolution", "pooling", "global pooling"} if images is None else images
    return Operator(name, kind, shape, *calls, onednn, family, agnostic, images, viewed)


def _called(text: str) -> tuple[tuple[str, ...], Signature | None]:
    names, bracket, call = text.removesuffix(")").partition("(")
    return tuple(names.split()), signature(call) if bracket else None


compute = partial(_row, "compute")
memory = partial(_row, "memory")
view = partial(_row, "view")
copy = partial(_row, "copy")


def strided(
    name: str, rule: ViewRule, torch: str, onnx: str = "", *, family: Family = "other"
) -> Operator:
    """A row of a view. Its shape is that of the view of a tensor whose strides do not matter."""

    def views(call: Call, source: StridedView) -> tuple[StridedView, ...]:
        found = rule(call, source)
        return found if isinstance(found, tuple) else (found,)

    def shape(call: Call, source: TensorType) -> Shaped:
        found = views(call, StridedView(tuple((size, 0) for size in source.shape)))
        return tuple(TensorType(each.shape, source.dtype) for each in found)

    agnostic = family == "split"
    return view(name, shape, torch, onnx, family=family, agnostic=agnostic, viewed=views)


def same(_call: Call, source: TensorType) -> Shaped:
    """The rule of an operator whose result has the input's shape and type."""
    return source


def read_axis(value: int, rank: int, where: str) -> int:
    """A dimension as an index from 0; a negative one counts from the end. Rank 0 has 0 and -1."""
    most = max(rank, 1)
    if not -most <= value < most:
        raise LayoutError(where, value, phrase("dimension.range", low=-most, high=most - 1))
    return value % most


def read_axes(values: Sequence[int], rank: int, where: str) -> tuple[int, ...]:
    """Several dimensions, each once, as indices from 0 in the given order."""
    found = tuple(read_axis(d, rank, f"{where}[{i}]") for i, d in enumerate(values))
    if len(set(found)) != len(found):
        raise LayoutError(where, values, phrase("dims.once"))
    return found


def axis_of(call: Call, rank: int, name: str = "dim") -> int:
    """The attribute ``dim`` (ONNX: ``axis``) as an index from 0."""
    return read_axis(call.attributes[name], rank, call.where(name))


def dtype_named(call: Call, default: ElementType) -> ElementType:
    """The element type that the attribute ``dtype`` names, ``default`` if it is null."""
    value = call.attributes.get("dtype")
    return default if value is None else parse_dtype(value, field="attributes.dtype")


def broadcast_to(call: Call, source: TensorType, role: str) -> TensorType:
    """``source``, if the operand ``role`` broadcasts to its shape.

    Errors: LayoutError naming the operand.
    """
    shapes = [source.shape, call.need(role).shape]
    if broadcast_shapes(shapes, lambda _: call.where(role)) != source.shape:
        raise call.misfit(role, "shape.broadcasts_to", shape=list(source.shape))
    return source


def broadcast_shapes(
    shapes: Sequence[tuple[int, ...]], where: Callable[[int], str]
) -> tuple[int, ...]:
    """The common shape of operands by NumPy's rule. Errors: LayoutError naming ``where(i)``."""
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    rank = max(map(len, shapes))
    found = [1] * rank
    for i, shape in enumerate(shapes):
        for d, size in enumerate(shape, start=rank - len(shape)):
            if size == 1 or size == found[d]:
                continue
            if found[d] != 1:
                raise refusal(where(i), f"the shape {list(shape)}", "sizes.broadcast", shape=found)
            found[d] = size
    return tuple(found)
