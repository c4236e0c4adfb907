"""What the calls of a pasted text make: a tensor's layout, type and name, after its views."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from string import ascii_letters
from typing import Any, Final

from ...model.dtypes import ELEMENT_TYPES, parse_dtype
from ...model.errors import LayoutError, phrase
from ...model.facts import CONTIGUOUS, has_format, is_dense
from ...model.layout import Layout, packed_digits, packed_strides
from ...model.views import NeedsCopy
from ..dialect import per_size
from ..dialects.pytorch import MemoryFormat, suggests
from ..dialects.strides import write_numbers
from ..specs import Request
from ..view_steps import OPS
from .calls import EINOPS, METHODS, MODULES, steps_of
from .found import Base, Item
from .source import MAX_CALL, MAX_VIEWS, SIZED, START, Source, SourceOp, dotted, end_of, unrolled

_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,60})\s*=\s*$", re.ASCII)
_FUNCTION: Final = (
    r"(?<![\w.])(?:(?:torch|np|numpy)\.[A-Za-z_]\w{0,60}|(?:einops\.)?rearrange)\(\s{0,9}"
)
# A call, a function of one, a name that gets another value, as x, y = …, or one of which something
# is taken.
_FOUND = re.compile(
    rf"(?P<call>{START.pattern}|{_FUNCTION}(?=(?:{_FUNCTION}){{0,9}}{START.pattern}))"
    r"|(?<![\w.])(?P<bound>(?:for|as|del)\s+)?"
    r"(?P<name>[A-Za-z_]\w{0,60}+)\s*+(?:(?P<gone>(?:,[\w\s,*.]{0,80})?=(?!=)"
    r"|\.\s*(?:(?:t|transpose|swapaxes|swapdims|squeeze|unsqueeze|as_strided|resize|resize_as|set)_"
    r"|resize)\s*\(|\.\s*(?:shape|strides|data|dtype)\s*=(?!=))|[.\[]|(?<=rearrange)\("
    r"|(?(bound)))",
    re.ASCII,
)
_BEGINS = re.compile(r"(?:^|[\n;])\s*(?:>>>\s*|In ?\[\d+\]:\s*)?$", re.ASCII)
_ENDS = re.compile(r"[ \t]*(?:#[^\n]*)?(?:[\r\n;]|$)")
_WORDS = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# Methods that convert, each with the name of its type.
_CASTS: Final = {
    **{name: f"torch.{name}" for name in ("float", "double", "half", "bfloat16", "int", "long")},
    **{name: f"torch.{name}" for name in ("short", "char", "bool", "cfloat", "cdouble")},
    "byte": "uint8",
}
_MOST_CALLS: Final = 1000  # a call takes half a millisecond; later ones are not read
_KEPT: Final = {"detach", "requires_grad_", "pin_memory", "cuda", "cpu"}
_SHARING: Final = {"from_numpy", "as_tensor", "asarray"}
_CONVERTS: Final = {"to", "type", "astype", "clone", "copy", *_CASTS, *_KEPT}
# What is asked of a tensor at the end of a call, which is no view.
_ASKED: Final = {"shape", "strides", "stride", "size", "dtype", "is_contiguous", "storage_offset"}
_READ: Final = {"[", "as_strided", "rearrange", *METHODS, *_CONVERTS}


def find_calls(text: str) -> Iterator[Item]:
    """The tensors that the first calls make, and the views of those with a name."""
    named: dict[str, _Tensor] = {}
    earlier: dict[str, _Tensor] = {}  # what the names of the last assignment were before it
    at, left = 0, _MOST_CALLS
    while left and (found := _FOUND.search(text, at)) is not None:
        start, at, name = found.start(), found.end(), found["name"]
        if found["gone"] or found["bound"]:
            words = _WORDS.findall(found[0])
            earlier = {word: named.pop(word) for word in words if word in named}
            continue
        assigned = _ASSIGNED.search(text, max(0, start - 80), start)
        known = {**earlier, **named} if assigned else named
        begins = name is None or assigned or _BEGINS.search(text, max(0, start - 80), start)
        if name is not None and not (begins and name in {*known, *MODULES}):
            continue
        left -= 1
        end = min(len(text), at + MAX_CALL)  # of a bracket that is not closed, nothing is read
        try:
            end = end_of(text, text.rfind("(", start, at) if name is None else at - 1)
            whole = _ENDS.match(text, end)
            begun = _begun(*unrolled(Source(text, start, text[start:end]), known), known)
            if begun is None or not (whole or name is None):
                continue
            tensor, ops = begun
            views = list(takewhile(lambda op: op.name not in _ASKED, ops))
            for op in views:
                tensor.apply(op)
        except LayoutError as error:
            if name is None or name in known:
                yield Item(start, error=error, spans=((start, end),))
                at = end
            continue
        at = end
        if assigned and whole and len(views) == len(ops):
            tensor.name, start = assigned["name"], assigned.start()
            named[tensor.name] = tensor
        yield tensor.item(found.start(), (start, end))


@dataclass(slots=True)
class _Tensor:
    """A tensor while its views are taken. ``storage``: the elements of its memory, None if the text
    does not say them. ``copied``: why the first copy is one. ``base``: the tensor that ``steps``
    lead from."""

    layout: Layout
    dtype: str | None
    numpy: bool
    storage: int | None
    base: Layout
    name: str | None = None
    copied: str | None = None
    steps: tuple[dict[str, Any], ...] = ()

    def item(self, at: int, span: tuple[int, int]) -> Item:
        """The tensor as the text at ``span`` names it."""
        return Item(
            at,
            self.layout.shape,
            self.dtype,
            _written(self.layout),
            self.name,
            copied=self.copied,
            base=Base(self.base.shape, _written(self.base), self.steps)
            if 0 < len(self.steps) <= MAX_VIEWS
            else None,
            system="numpy" if self.numpy else "pytorch",
            spans=(span,),
        )

    def apply(self, op: SourceOp) -> None:
        """Take one operation. Errors: LayoutError with its position."""
        if op.name in _CONVERTS:
            self._convert(op)
            return
        if op.name == "as_strided":
            self._rebase(_strided(op, self)[0])
            return
        if op.name == "flip" and not self.numpy:
            dims = [step["dim"] for step in steps_of(op, numpy=False)]
            rank = max(self.layout.rank, 1)
            if len({d % rank for d in dims}) < len(dims) or not all(
                -rank <= d < rank for d in dims
            ):
                raise op.refuse(phrase("paste.distinct", low=-rank, high=rank - 1))
            self._keep("flip copies in PyTorch, which has no negative strides.", op)
            return
        if op.name == "t" and self.layout.rank > 2:
            raise op.refuse(phrase("paste.matrix"))
        if op.name == "mT" and self.numpy and self.layout.rank < 2:
            raise op.refuse(phrase("view.matrix"))
        for step in steps_of(op, numpy=self.numpy, shape=self.layout.shape):
            self._take(op, step)

    def _taken(self, op: SourceOp, step: dict[str, Any], layout: Layout) -> Layout | NeedsCopy:
        """The layout after a step. Errors: LayoutError with the operation's position."""
        letters = ascii_letters[: layout.rank]  # the text gives the dimensions no meaning
        options = {k: v for k, v in step.items() if k != "op"}
        if step["op"] == "index":
            options["keep_start"] = not self.numpy
        try:
            found = OPS[step["op"]](replace(layout, dims=letters), **options)
        except LayoutError as error:
            raise op.source.refuse(op.node, error.expectation) from None
        if isinstance(found, NeedsCopy) and found.dim is not None:
            return NeedsCopy(f"Dimensions {', '.join(letters)}: {found.reason}")
        return found

    def _take(self, op: SourceOp, step: dict[str, Any]) -> None:
        found = self._taken(op, step, self.layout)
        if isinstance(found, NeedsCopy):
            if op.name == "view":
                raise op.refuse(phrase("paste.view", why=found.reason))
            wanted = step.get("memory_format", CONTIGUOUS)
            self._copy(fresh(self.layout.shape, wanted), found.reason)
            again = self._taken(op, step, self.layout)
            assert isinstance(again, Layout)  # dense memory has these views
            found = again
        elif self.numpy and (
            op.name == "flatten"
            or (op.name == "ravel" and not has_format(self.layout.shape, self.layout.strides or ()))
        ):
            found = self._copy(fresh(found.shape), f"NumPy's {op.name} copies.")
        if not self.numpy and any(s < 0 for s in found.strides or ()):
            raise op.refuse(phrase("paste.steps"))
        self.layout, self.steps = found, (*self.steps, step)
        if found.elements == self.base.elements and _same(
            OPS["reshape"](self.base, found.shape), found
        ):
            self._rebase(found)  # only the sizes differ

    def _rebase(self, layout: Layout) -> None:
        self.layout, self.base, self.steps = layout, layout, ()

    def _convert(self, op: SourceOp) -> None:
        """Another element type, memory format or copy; devices change nothing here."""
        op.only("dtype", "memory_format", "order")
        wanted = op.keywords.get("memory_format")
        name = "preserve_format" if wanted is None else op.memory_format(wanted)
        dtype = parse_dtype(_CASTS[op.name]).name if op.name in _CASTS else self.dtype
        types = [n for n in op.positional if not isinstance(n, ast.Constant) or self.numpy]
        for node in [*types, *([op.keywords["dtype"]] if "dtype" in op.keywords else [])]:
            dtype = op.dtype(node)
        if op.name == "copy" and "order" not in op.keywords:
            name = CONTIGUOUS
        if name != "preserve_format":
            if op.name in {"clone", "copy"} or not suggests(self.layout, name):
                self._copy(self._formatted(op, name), f"{op.name} writes {name}.")
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
            strides = tuple(g.stride for (g,) in packed_digits(shape, [(d, None) for d in order]))
        elif not is_dense(shape, strides):
            raise op.refuse(phrase("paste.dense"))
        self._copy(Layout.strided(shape, strides), why)

    def _copy(self, layout: Layout, why: str) -> Layout:
        self.copied = self.copied or why
        if self.base.elements != layout.elements or not _same(self.layout, layout):
            self._rebase(layout)
        self.layout, self.storage = layout, _least_storage(layout)
        return layout


def fresh(shape: Sequence[int], memory_format: str = CONTIGUOUS) -> Layout:
    return MemoryFormat(memory_format).apply(Request(tuple(shape))).layout


def _written(layout: Layout) -> str:
    assert layout.strides is not None  # as all views of strided memory that are taken here
    return write_numbers(layout.strides, layout.offset)


def _same(a: Layout | NeedsCopy, b: Layout) -> bool:
    """Whether all addresses are the same, for layouts of the same sizes."""
    return isinstance(a, Layout) and (a.strides, a.offset) == (b.strides, b.offset)


def _least_storage(layout: Layout) -> int:
    """Elements from the storage's first one to the tensor's last one; strides from 0."""
    if layout.elements == 0:
        return 0
    steps = zip(layout.shape, layout.strides or (), strict=True)
    return layout.offset + 1 + sum((n - 1) * s for n, s in steps)


def _begun(
    root: SourceOp | str, ops: Sequence[SourceOp], known: Mapping[str, _Tensor]
) -> tuple[_Tensor, Sequence[SourceOp]] | None:
    """The tensor that a call begins with, and what is done with it; None if it is no tensor that
    is known, or if something else than views is done with it."""
    if isinstance(root, str):
        if root in MODULES and ops and ops[0].positional:  # torch.permute(x, …)
            function, (operand, *others) = ops[0], ops[0].positional
            made, taken = unrolled(function.source, known, operand)
            later = ops[1:]
            if function.name not in _SHARING or others:
                later = [replace(function, positional=others), *later]
            begun = _begun(made, taken, known)
            if begun is None or (isinstance(made, str) and any(o.name not in _READ for o in later)):
                return None
            tensor, before = begun
            for op in before:
                tensor.apply(op)
            if root not in EINOPS:
                tensor.numpy = root != "torch"
            return tensor, later
        if root not in known or not all(op.name in _READ for op in ops):
            return None
        return replace(known[root], name=None, copied=None), ops
    kind = root.name.rpartition(".")[2]
    numpy = root.name.startswith(("np.", "numpy."))
    first = dotted(root.positional[0]) if root.positional else ""
    base = known.get(first)
    try:
        if kind in SIZED:
            layout, dtype = _sized(root, kind, numpy=numpy)
            return _Tensor(layout, dtype, numpy, _least_storage(layout), layout), ops
        layout, dtype = _strided(root, base)
    except LayoutError as error:
        if error.position is not None:
            raise
        raise root.refuse(error.expectation) from None
    storage = base.storage if base else None
    if "empty" in kind:
        storage = _least_storage(layout)
    return _Tensor(layout, dtype, numpy, storage, layout, first or None), ops


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
            raise made.refuse(phrase("integer.not_zero"))
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
    return fresh(shape, CONTIGUOUS if wanted is None else made.memory_format(wanted)), dtype


def _strided(made: SourceOp, base: _Tensor | None) -> tuple[Layout, str | None]:
    """``empty_strided(size, stride, dtype)``, ``as_strided(x, size, stride, offset)``, … of
    ``base``, None if the text does not say what it is."""
    nodes = list(made.positional)
    lists: list[ast.expr] = [n for n in nodes if isinstance(n, ast.Tuple | ast.List)]
    lists += [
        made.keywords[n] for n in ("size", "shape", "stride", "strides") if n in made.keywords
    ]
    if len(lists) != 2:
        raise made.refuse(phrase("paste.size_stride"))
    shape, strides = (made.listed([one]) for one in lists)
    if len(shape) != len(strides):
        raise made.source.refuse(lists[1], per_size(shape))
    behind = nodes[nodes.index(lists[1]) + 1 :] if lists[1] in nodes else []
    kind = made.name.rpartition(".")[2].lstrip("_")
    dtype = made.dtype(made.keywords["dtype"]) if "dtype" in made.keywords else None
    if made.name.startswith(("np.", "numpy.")):
        item = base and base.dtype and ELEMENT_TYPES[base.dtype].bits // 8
        if base is None or not item or any(s % item for s in strides):
            raise made.source.refuse(lists[1], phrase("paste.bytes"))
        strides = tuple(s // item for s in strides)
        return Layout.strided(shape, strides, base.layout.offset), base.dtype
    offset = 0
    if kind in {"as_strided", "reinterpret_tensor"}:
        offset = base.layout.offset if base else 0
        dtype = dtype or (base.dtype if base else None)
        behind += [
            made.keywords[n] for n in ("storage_offset", "offset_increment") if n in made.keywords
        ]
        offset = made.integer(behind[0]) if behind else offset
    elif kind.startswith(("empty", "rand")):
        types = [node for node in behind if not isinstance(node, ast.Constant)]
        dtype = made.dtype(types[0]) if types else dtype or "float32"
    if min((offset, *strides)) < 0:
        raise made.refuse(phrase("paste.from_zero"))
    layout = Layout.strided(shape, strides, offset)
    most = base.storage if base and kind == "as_strided" else None
    if most is not None and (needed := _least_storage(layout)) > most:
        raise made.refuse(phrase("paste.storage", most=most, needed=needed))
    return layout, dtype
