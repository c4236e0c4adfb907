"""What the calls of a pasted text make: a tensor's layout, type and name, after its views."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ...model.errors import LayoutError, Phrase
from ...model.facts.properties import is_contiguous, is_dense
from ...model.layout import Layout, packed_strides
from ...model.views.reshape import NeedsCopy
from ..dialects.pytorch import MemoryFormat, suggests
from ..dialects.strides import write_numbers
from ..specs import Request
from ..view_steps import OPS
from .calls import MAX_CALL, SIZED, START, Source, SourceOp, dotted, end_of, steps_of, unrolled
from .found import Item

_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,60})\s*=\s*$", re.ASCII)
_CASTS: Final = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
_MOST_CALLS: Final = 1000  # a call takes half a millisecond; later ones are not read
_KEPT: Final = {"detach", "requires_grad_", "pin_memory", "cuda", "cpu"}


def find_calls(text: str) -> Iterator[Item]:
    """The tensors that the first calls make. One that cannot be read has an error."""
    at = 0
    for _ in range(_MOST_CALLS):
        found = START.search(text, at)
        if found is None:
            return
        start, opened = found.start(), found.end() - 1
        at = min(len(text), opened + MAX_CALL)  # of a bracket that is not closed, nothing is read
        try:
            at = end_of(text, opened)
            made, ops = unrolled(Source(text, start, text[start:at]))
            if made is not None:
                yield _item(made, ops, _ASSIGNED.search(text, max(0, start - 80), start))
        except LayoutError as error:
            yield Item(start, error=error, spans=((start, at),))


@dataclass(slots=True)
class _Tensor:
    """A tensor while its views are taken. ``copied``: why the first copy is one."""

    layout: Layout
    dtype: str | None
    numpy: bool
    copied: str | None = None

    def apply(self, op: SourceOp) -> None:
        """Take one operation. Errors: LayoutError with its position."""
        if op.name in {"to", "type", "astype", "clone", "copy", *_CASTS, *_KEPT}:
            self._convert(op)
            return
        if op.name == "as_strided":
            self.layout, _ = _strided(op, self.layout.offset)
            return
        if op.name == "flip" and not self.numpy:
            dims = [step["dim"] for step in steps_of(op, numpy=False)]
            rank = max(self.layout.rank, 1)
            if len({d % rank for d in dims}) < len(dims) or not all(
                -rank <= d < rank for d in dims
            ):
                said = "distinct dimensions from {low} to {high}"
                raise op.refuse(Phrase("paste.distinct", said, low=-rank, high=rank - 1))
            self._keep("flip copies in PyTorch, which has no negative strides.", op)
            return
        if op.name == "t" and self.layout.rank > 2:
            raise op.refuse(Phrase("paste.matrix", "at most two dimensions for t()"))
        if op.name == "mT" and self.numpy and self.layout.rank < 2:
            raise op.refuse(Phrase("view.matrix", "at least two dimensions"))
        for step in steps_of(op, numpy=self.numpy):
            self._take(op, step)

    def _taken(self, op: SourceOp, step: dict[str, Any], layout: Layout) -> Layout | NeedsCopy:
        """The layout after a step. Errors: LayoutError with the operation's position."""
        try:
            return OPS[step["op"]](layout, **{k: v for k, v in step.items() if k != "op"})
        except LayoutError as error:
            raise op.source.refuse(op.node, error.expectation) from None

    def _take(self, op: SourceOp, step: dict[str, Any]) -> None:
        found = self._taken(op, step, self.layout)
        if isinstance(found, NeedsCopy):
            if op.name == "view":
                said = "reshape: a view is not possible. {why}"
                raise op.refuse(Phrase("paste.view", said, why=found.reason))
            self.copied = self.copied or found.reason
            wanted = step.get("memory_format", "contiguous_format")
            again = self._taken(op, step, fresh(self.layout.shape, wanted))
            assert isinstance(again, Layout)  # dense memory has these views
            found = again
        elif self.numpy and (
            op.name == "flatten" or (op.name == "ravel" and not self._is_contiguous())
        ):
            self.copied = self.copied or f"NumPy's {op.name} copies."
            found = fresh(found.shape)
        if not self.numpy and any(s < 0 for s in found.strides or ()):
            raise op.refuse(Phrase("paste.steps", "steps from 1: PyTorch has no negative strides"))
        self.layout = found

    def _is_contiguous(self) -> bool:
        return is_contiguous(self.layout.shape, self.layout.strides or ())

    def _convert(self, op: SourceOp) -> None:
        """Another element type, memory format or copy; devices change nothing here."""
        op.only("dtype", "memory_format", "order")
        wanted = op.keywords.get("memory_format")
        name = "preserve_format" if wanted is None else op.memory_format(wanted)
        dtype: str | None = _CASTS.get(op.name) or self.dtype
        types = [n for n in op.positional if not isinstance(n, ast.Constant) or self.numpy]
        for node in [*types, *([op.keywords["dtype"]] if "dtype" in op.keywords else [])]:
            dtype = op.dtype(node)
        if op.name == "copy" and "order" not in op.keywords:
            name = "contiguous_format"
        if name != "preserve_format":
            if op.name in {"clone", "copy"} or not suggests(self.layout, name):
                self.copied = self.copied or f"{op.name} writes {name}."
                self.layout = self._formatted(op, name)
        elif op.name in {"clone", "copy", "astype"} or dtype != self.dtype:
            self._keep(f"{op.name} copies.", op)
        self.dtype = dtype

    def _formatted(self, op: SourceOp, name: str) -> Layout:
        try:
            return fresh(self.layout.shape, name)
        except LayoutError as error:
            raise op.source.refuse(op.node, error.expectation) from None

    def _keep(self, why: str, op: SourceOp) -> None:
        """A copy in the same order of dimensions."""
        shape, strides = self.layout.shape, self.layout.strides or ()
        if self.numpy:  # from the longest stride, whatever its sign; equal ones as they stand
            order = sorted(range(len(shape)), key=lambda d: -abs(strides[d]))
            packed = packed_strides([shape[d] for d in order])
            strides = tuple(packed[order.index(d)] for d in range(len(shape)))
        elif not is_dense(shape, strides):
            said = "a dense tensor, or contiguous() before it: the copy's order is not read"
            raise op.refuse(Phrase("paste.dense", said))
        self.copied = self.copied or why
        self.layout = Layout.strided(shape, strides)


def fresh(shape: Sequence[int], memory_format: str = "contiguous_format") -> Layout:
    """A new tensor's layout."""
    return MemoryFormat(memory_format).apply(Request(tuple(shape))).layout


def _item(made: SourceOp, ops: Sequence[SourceOp], assigned: re.Match[str] | None) -> Item:
    source = made.source
    kind = made.name.rpartition(".")[2].lstrip("_")
    numpy = made.name.startswith(("np.", "numpy."))
    named = None if assigned is None else assigned["name"]
    begin = source.start if assigned is None else assigned.start()
    try:
        layout, dtype = _sized(made, kind, numpy=numpy) if kind in SIZED else _strided(made)
        if kind not in SIZED:
            first = made.positional[0] if made.positional else None
            named = named or (dotted(first) if first is not None else "") or None
    except LayoutError as error:
        if error.position is not None:
            raise
        raise source.refuse(made.node, error.expectation) from None
    tensor = _Tensor(layout, dtype, numpy)
    for op in ops:
        tensor.apply(op)
    assert tensor.layout.strides is not None  # as all views of strided memory that are taken here
    return Item(
        source.start,
        tensor.layout.shape,
        tensor.dtype,
        write_numbers(tensor.layout.strides, tensor.layout.offset),
        named,
        copied=tensor.copied,
        system="numpy" if numpy else "pytorch",
        spans=((begin, source.start + len(source.source)),),
    )


def _sized(made: SourceOp, kind: str, *, numpy: bool) -> tuple[Layout, str | None]:
    """``zeros((2, 3))`` and the like: dense memory of a size."""
    made.only("dtype", "memory_format", "order", "size", "shape", "fill_value", "layout", "out")
    nodes = list(made.positional)
    default = "float64" if numpy else "float32"
    random = ".random." in made.name
    if kind == "arange":
        ends = made.listed(nodes)
        first, last, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
        if not step:
            raise made.refuse(Phrase("integer.not_zero", "an integer other than 0"))
        shape: tuple[int, ...] = (max(0, -((first - last) // step)),)
        default = "int64"
    else:
        sized = made.keywords.get("size", made.keywords.get("shape"))
        if kind == "randint":
            nodes, default = nodes[-1:] if len(nodes) > 1 else nodes, "int64"
        elif kind == "full":
            fill = nodes.pop(1) if len(nodes) > 1 else made.keywords.get("fill_value")
            value = fill.value if isinstance(fill, ast.Constant) else 0.5
            default = {bool: "bool", int: "int64"}.get(type(value), default)
        if numpy and not random and len(nodes) > 1:
            made = replace(made, keywords={**made.keywords, "dtype": nodes.pop(1)})
        shape = made.listed([sized] if sized is not None else nodes)
    named = made.keywords.get("dtype")
    dtype = default if named is None else made.dtype(named)
    order = made.keywords.get("order")
    if isinstance(order, ast.Constant) and order.value == "F":
        return Layout.strided(shape, packed_strides(shape[::-1])[::-1]), dtype
    wanted = made.keywords.get("memory_format")
    return fresh(
        shape, "contiguous_format" if wanted is None else made.memory_format(wanted)
    ), dtype


def _strided(made: SourceOp, offset: int = 0) -> tuple[Layout, str | None]:
    """``empty_strided(size, stride, dtype)``, ``as_strided(x, size, stride, offset)``, …"""
    nodes = list(made.positional)
    lists: list[ast.expr] = [n for n in nodes if isinstance(n, ast.Tuple | ast.List)]
    for name in ("size", "stride"):
        lists += [made.keywords[name]] if name in made.keywords else []
    if len(lists) != 2:
        raise made.refuse(Phrase("paste.size_stride", "sizes and strides in brackets"))
    shape, strides = (made.listed([one]) for one in lists)
    if len(shape) != len(strides):
        raise made.source.refuse(
            lists[1], Phrase("strides.per_size", "{n} strides, one per size", n=len(shape))
        )
    behind = nodes[nodes.index(lists[1]) + 1 :] if lists[1] in nodes else []
    kind = made.name.rpartition(".")[2].lstrip("_")
    dtype = made.dtype(made.keywords["dtype"]) if "dtype" in made.keywords else None
    if kind in {"as_strided", "reinterpret_tensor"}:
        behind += [
            made.keywords[n] for n in ("storage_offset", "offset_increment") if n in made.keywords
        ]
        offset = made.integer(behind[0]) if behind else offset
    elif kind.startswith(("empty", "rand")):
        types = [node for node in behind if not isinstance(node, ast.Constant)]
        dtype = made.dtype(types[0]) if types else dtype or "float32"
    return Layout.strided(shape, strides, offset), dtype
