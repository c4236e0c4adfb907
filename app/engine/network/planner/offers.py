"""The ways in which each operator may be run: the layouts that it reads and writes, and a cost.

The table is used where a caller gives no other (``given_offers``). Compute-bound operators run in
channels-last or blocked memory, memory-bound ones in whatever layout they are given, all others in
plain memory. A transpose is a view, which costs nothing, or a copy.
Source of the rule: oneDNN's developer guide, "Memory format propagation"; blocks of 16 channels
are those of AVX-512 (nChw16c), 8 of AVX2, 4 and 32 of 8-bit types of dp4a and tensor cores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product, zip_longest

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, refusal, shown_name
from ...model.layout import Layout
from ...model.views import NeedsCopy, reshape
from ...reorder.plan import moved_bytes
from ..deadline import look
from ..graph import Graph
from ..labels import ABSTRACT, DEFAULT_BLOCK, SPACE, block_of, layout_of, plain_name
from ..nodes import Node
from ..operators.base import TensorType
from .problem import Offer

FEW_CHANNELS = 16
_BLOCKS = {8: (4, 32), 4: (64,)}
_REGROUPING = {"reshape", "flatten", "unflatten", "squeeze", "unsqueeze"}
# So many further orders are looked at, of one tensor and of all: a plan has a limit of its own.
_MOST_ORDERS = 6
_MOST_IN_ALL = 30
# Orders of dimensions in memory that a batched matrix product reads as they are: one of the last
# two dimensions is innermost.
_MATRICES = {
    1: ((0,),),
    2: ((0, 1), (1, 0)),
    3: ((0, 1, 2), (0, 2, 1)),
    4: ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3), (0, 3, 1, 2)),
}


Choices = Mapping[str, Sequence[Offer]]


def layout_names(kind: TensorType, block: int) -> tuple[str, ...]:
    """The layouts that a tensor may have, the plain one first; ``block``: channels of 32 bits."""
    space = SPACE.get(kind.rank)
    if space is None or 0 in kind.shape:
        return (plain_name(kind.rank),)
    blocks = _BLOCKS.get(kind.dtype.bits, (block,))
    return (f"NC{space}", f"N{space}C", *(f"NC{space}{block}" for block in blocks))


def name_of(layout: Layout, kind: TensorType, block: int) -> str | None:
    """Which of ``layout_names``, or which order of dimensions, is this memory; None if none is."""
    names = (text for text in layout_names(kind, block) if is_same(layout, text))
    return next(names, None) or (None if 0 in kind.shape else _order_of(layout))


def is_same(layout: Layout, text: str) -> bool:
    """Whether the layout of that text is this memory. Errors: LayoutError, as ``parse_layout``."""
    return layout_of(text, layout.shape).normal_form == layout.normal_form


def bytes_of(name: str, kind: TensorType) -> int:
    """Bytes of a tensor in that layout, padding included."""
    return kind.dtype.size_bytes(layout_of(name, kind.shape).span_elements)


class OfferTable:
    """The default offers of a graph's nodes, which are asked for in their order.

    Beside the layouts of ``layout_names``, a tensor may be held in the orders of dimensions that
    the nodes before it can write: a view of channels-last memory may have another order.
    ``block``: channels of 32 bits that the machine blocks.
    """

    def __init__(self, graph: Graph, block: int = DEFAULT_BLOCK) -> None:
        self._graph, self._block = graph, block
        self._orders: dict[str, tuple[str, ...]] = {}
        self._all: set[str] = set()

    def offers(self, node: Node, given: Sequence[Offer] | None = None) -> Sequence[Offer]:
        """Those of a node, at least one. ``given``: the caller's, which take their place."""
        found = self._table(node) if given is None else given
        for at, name in enumerate(node.outputs):
            texts = dict.fromkeys(each.outputs[at] or "" for each in found)
            fresh = [text for text in texts if text.isalpha()][:_MOST_ORDERS]
            if name and len(self._all.union(fresh)) <= _MOST_IN_ALL:
                self._all.update(fresh)
                self._orders[name] = tuple(fresh)
        return found

    def _held(self, name: str) -> tuple[str, ...]:
        tensor = self._graph.tensor(name)
        if tensor is None:
            return self._orders.get(name, ())
        text = name_of(tensor.layout, tensor.type, self._block)
        return (text,) if text and text.isalpha() else ()

    def _table(self, node: Node) -> tuple[Offer, ...]:
        graph, operator, block = self._graph, node.operator, self._block
        data = graph.type(next(filter(None, node.inputs), ""))
        if data is None or any(graph.type(name) is None for name in node.outputs if name):
            return (_uniform(graph, node, None),)
        if operator.family == "convolution":
            return _convolution(graph, node, data, block)
        if operator.name == "matmul":
            return _matmul(graph, node)
        held = [text for name in node.inputs for text in self._held(name)]
        fitting = (text for text in held if len(text) == data.rank)
        names = list(dict.fromkeys([*_kept_names(graph, node, data, block), *fitting]))
        orders = [text for text in names if text.isalpha()]
        if operator.family == "permutation" and 1 < data.rank <= len(ABSTRACT):
            return _transpose(node, data, orders)
        if operator.name in _REGROUPING and 0 not in data.shape:
            return _regrouped(graph, node, data, orders, block)
        ranks = {graph.rank(result) for result in node.outputs if result}
        if operator.agnostic and ranks == {data.rank}:
            return tuple(_uniform(graph, node, each) for each in names)
        return (_uniform(graph, node, None),)


def _kept_names(graph: Graph, node: Node, data: TensorType, block: int) -> list[str]:
    """The layouts that a node may keep: blocked ones only if no block is cut or joined inside."""
    names, split = layout_names(data, block), node.operator.family == "split"
    cut = split or node.operator.name == "cat"
    along = node.attributes.get("dim")
    if not (cut and isinstance(along, int) and along % max(1, data.rank) == 1):
        return list(names)
    parts = node.outputs if split else node.inputs
    types = [graph.type(part) for part in parts if part]
    sizes = [each.shape[1] for each in types if each is not None and each.rank > 1]
    return [each for each in names if not any(n % block_of(each) for n in sizes)]


def _uniform(graph: Graph, node: Node, name: str | None) -> Offer:
    """Everything in the layout ``name`` that has its rank; the rest in any, or in plain memory."""
    rank = -1 if name is None else len(name.rstrip("0123456789"))
    outputs = (name if graph.rank(x) == rank else _plain_of(graph, x) for x in node.outputs)
    if name is None:
        return Offer(tuple(_plain_of(graph, x) for x in node.inputs), tuple(outputs))
    moving = (x not in graph.constants and graph.rank(x) == rank for x in node.inputs)
    return Offer(tuple(name if moves else None for moves in moving), tuple(outputs))


def _plain_of(graph: Graph, tensor: str) -> str | None:
    kind = graph.type(tensor)
    return None if kind is None else plain_name(kind.rank)


def _convolution(graph: Graph, node: Node, data: TensorType, block: int) -> tuple[Offer, ...]:
    result = graph.type(node.outputs[0])
    if result is None or data.rank not in SPACE:
        return (_uniform(graph, node, None),)
    rest = (None,) * (len(node.inputs) - 1)
    plain, *others = layout_names(data, block)
    offers = [Offer((each, *rest), (each,)) for each in others]
    if _reads_few(graph, node, data):
        offers = [Offer((each if each == others[0] else plain, *rest), (each,)) for each in others]
    # In plain memory the library reorders inside: what is read and written comes twice.
    inside = 2 * (bytes_of(plain, data) + bytes_of(plain, result))
    return (*offers, Offer((plain, *rest), (plain,), inside))


def _reads_few(graph: Graph, node: Node, data: TensorType) -> bool:
    """Whether a convolution reads so few channels that its kernel takes them from plain memory.

    It writes blocks then: oneDNN's and ONNX Runtime's first convolutions of a network do.
    Source: oneDNN's jit_avx512_common_conv_kernel.cpp (is_1stconv); NchwcTransformerImpl
    (TransformConv) of onnxruntime/core/optimizer/nchwc_transformer.cc.
    """
    weight = graph.type(node.input("weight"))
    pointwise = weight is not None and all(size == 1 for size in weight.shape[2:])
    dense = node.attributes.get("groups", 1) == 1 and node.operator.name != "conv_transpose"
    return data.shape[1] < FEW_CHANNELS and dense and not pointwise


def _transpose(node: Node, data: TensorType, orders: Sequence[str]) -> tuple[Offer, ...]:
    """A view, whose memory has the same order and other names of dimensions; or a copy."""
    plain, order = plain_name(data.rank), node.permutation(data.rank)
    moved = str.maketrans(plain, "".join(plain[order.index(d)] for d in range(data.rank)))
    views = (Offer((text,), (text.translate(moved),)) for text in orders)
    return (*views, Offer((plain,), (plain,), 2 * bytes_of(plain, data)))


def _regrouped(
    graph: Graph, node: Node, data: TensorType, orders: Sequence[str], block: int
) -> tuple[Offer, ...]:
    """A view in every order whose dimensions can be regrouped where they lie."""
    usual = _uniform(graph, node, None)
    result = graph.type(node.outputs[0])
    assert result is not None
    wanted = (_viewed(text, result.shape, data.shape) for text in layout_names(result, block))
    found = [usual]
    for text in dict.fromkeys(filter(None, (*orders, *wanted))):
        order = _viewed(text, data.shape, result.shape)
        if order is not None and (order,) != usual.outputs:
            found.append(replace(usual, inputs=(text, *usual.inputs[1:]), outputs=(order,)))
    return tuple(found)


def _viewed(text: str, shape: tuple[int, ...], sizes: tuple[int, ...]) -> str | None:
    """The order of dimensions of a layout of ``shape`` seen in other sizes; None where it is cut.

    Blocked layouts have none.
    """
    found = reshape(layout_of(text, shape), sizes)
    return None if isinstance(found, NeedsCopy) else _order_of(found)


def _order_of(layout: Layout) -> str | None:
    """The letters of a dense layout from the outermost dimension to the innermost one."""
    plain, strides = plain_name(layout.rank), layout.strides
    if strides is None or not 0 < layout.rank <= len(ABSTRACT):
        return None
    order = sorted(range(layout.rank), key=lambda d: -strides[d])
    text = "".join(plain[d] for d in order)
    return text if is_same(layout, text) else None


def _matmul(graph: Graph, node: Node) -> tuple[Offer, ...]:
    """Operands in the orders that a batched matrix product reads, the result row-major."""
    sides: list[list[str | None]] = []
    for operand in node.inputs:
        kind = graph.type(operand) if operand not in graph.constants else None
        if kind is None:
            sides.append([None])
            continue
        plain = plain_name(kind.rank)
        orders = _MATRICES.get(kind.rank, [range(len(plain))])
        sides.append(["".join(plain[d] for d in order) for order in orders])
    outputs = tuple(_plain_of(graph, result) for result in node.outputs)
    return tuple(Offer(inputs, outputs) for inputs in product(*sides))


def copy_bytes(source: Layout, target: Layout, dtype: ElementType) -> int:
    """Bytes that a copy reads and writes; 0 where nothing has to move."""
    if 0 in source.shape or source.normal_form == target.normal_form:
        return 0
    return moved_bytes(source, target, dtype)


def given_offers(graph: Graph, choices: Choices) -> dict[int, list[Offer]]:
    """The offers that a caller gives for nodes, filled up to all operands and results, by index.

    ``choices``: by the name of a node or of an operator. Those for an operator are left out at the
    nodes whose tensors cannot have their layouts. Errors: LayoutError naming ``choices.<key>[i]``
    if no node can have that one, or ``choices`` for other names; OutOfTimeError where a deadline is
    kept.
    """
    found: dict[int, list[Offer]] = {}
    fitting: set[tuple[str, int]] = set()
    errors: dict[tuple[str, int], LayoutError] = {}
    known: set[str] = set()
    for node in graph.nodes:
        look()
        names = (node.name, node.op, node.operator.name)
        known.update(names)
        key = next((name for name in names if name in choices), None)
        if key is None:
            continue
        offers = found[node.index] = []
        where = f"choices.{shown_name(key)}"
        for at, offer in enumerate(choices[key]):
            try:
                reads = _filled(graph, "inputs", offer.inputs, node.inputs)
                writes = _filled(graph, "outputs", offer.outputs, node.outputs)
                offers.append(Offer(reads, writes, offer.cost))
                fitting.add((key, at))
            except LayoutError as error:
                errors[key, at] = error.within(f"{where}[{at}]")
        if not choices[key]:
            raise refusal(where, "an empty list", "choices.least_one")
        if not offers:
            raise errors[key, len(choices[key]) - 1]
    if not known.issuperset(choices):
        got = "a name that no node and no operator of the graph has"
        raise refusal("choices", got, "choices.named")
    for place, wrong in errors.items():
        if place not in fitting:
            raise wrong
    return found


def _filled(
    graph: Graph, side: str, given: Sequence[str | None], names: Sequence[str]
) -> tuple[str | None, ...]:
    if len(given) > len(names):
        raise refusal(side, f"{len(given)} layouts", "choices.per_tensor", n=len(names))
    texts: list[str | None] = []
    for at, (tensor, text) in enumerate(zip_longest(names, given)):
        kind = graph.type(tensor)
        if kind and text is not None:
            try:
                layout_of(text, kind.shape)
            except LayoutError as error:
                raise error.under(f"{side}[{at}]") from None
        plain = plain_name(kind.rank) if kind and side == "outputs" else None
        texts.append(text if kind and text is not None else plain)
    return tuple(texts)
