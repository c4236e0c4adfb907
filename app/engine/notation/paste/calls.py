"""Calls of PyTorch, NumPy and inductor that make a tensor, and the views that are taken of it.

    call  = maker "(" … ")" views
    views = {"." method ["(" … ")"] | "[" index "]"}

A pattern of einops is read as the steps of a view:

    pattern = side "->" side
    side    = {name | "1" | "..." | "(" {name | "1" | "..."} ")"}

Python's parser reads a call; nothing is evaluated. Source: the references of torch.Tensor and
numpy.ndarray; torch/_inductor/codegen/wrapper.py for empty_strided_cuda and reinterpret_tensor;
einops/einops.py, rearrange and ParsedExpression.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any, Final, get_type_hints

from ...model.errors import LayoutError, one_of, phrase
from ..dialect import skip_blanks
from ..slices import index_items
from ..view_steps import OPS
from .source import MAX_CALL, Source, SourceOp, unrolled

# An einops pattern alone, perhaps with sizes.
_PATTERN = re.compile(
    r"(?P<quote>['\"])?[\s(]*\w[\w\s().]*->[\w\s().]+(?(quote)(?P=quote)(?:\s*,\s*\w+\s*=\s*\d+)*)",
    re.ASCII,
)
_BARE = re.compile(r"(?:[A-Za-z_]\w{0,60})?\s*[.\[]|[A-Za-z_]\w{0,60}\s*(?:\(|$)", re.ASCII)

_RENAMED: Final = {"dimension": "dim", "axis": "dim", "newshape": "shape"}
# Methods by PyTorch's names, and the step that each is.
METHODS: Final[Mapping[str, str]] = {
    **{name: name for name in ("permute", "transpose", "reshape", "flatten", "narrow", "select")},
    **{name: name for name in ("unsqueeze", "squeeze", "unfold", "flip", "contiguous", "T", "mT")},
    **dict.fromkeys(("swapaxes", "swapdims"), "transpose"),
    **dict.fromkeys(("expand", "broadcast_to"), "broadcast"),
    "view": "reshape",
    "ravel": "flatten",
    "t": "T",
}
_NO_CALL: Final = {"T", "mT"}
EINOPS: Final = frozenset({"einops", "rearrange"})  # what a call of rearrange begins with
MODULES: Final = EINOPS | {
    "torch",
    "np",
    "numpy",
    "jnp",
    "tf",
}  # whose functions take the tensor first
# Steps that only a link of the explorer writes: a chunk is one with the index behind it.
_STEPS: Final[Mapping[str, str]] = {**METHODS, "chunk": "chunk", "submemory": "submemory"}
_TAKEN: Final = {"[", "rearrange", *_STEPS}
_PART = re.compile(r"\s*(?:(?P<group>\((?P<inner>[\w\s.]*)\))|(?P<dots>\.\.\.)|(?P<name>\w+))\s*")
_NAME = re.compile(r"1|\.\.\.|[A-Za-z_]\w*")
_DOTS = "..."
_Axes = list[tuple[str, ...]]  # the names of each dimension, outermost first


def read_views(text: str) -> tuple[dict[str, Any], ...]:
    """The steps of views without a tensor, as ``x.T[..., 1]``; empty if the text is none."""
    begin = len(text) - len(text.lstrip())
    source = text.strip()
    if pattern := _PATTERN.fullmatch(source):
        front = "rearrange(x," if pattern["quote"] else "rearrange(x,'"
        source = front + source + ("" if pattern["quote"] else "'") + ")"
    elif source[:1] in {".", "["}:
        front, source = "x", f"x{source}"
    else:
        front = ""
    if len(text) > MAX_CALL or not _BARE.match(source):
        return ()
    where = Source(text, begin - len(front), source)
    try:
        tree = where.parsed()
    except LayoutError:
        return ()
    if isinstance(tree, ast.Name) and tree.id in METHODS:
        return ({"op": METHODS[tree.id]},)
    root, ops = unrolled(where)
    numpy = False
    while isinstance(root, str) and root in MODULES and ops and ops[0].name in _TAKEN:
        if not ops[0].positional:
            break
        numpy |= root not in {"torch", *EINOPS}  # torch.permute(x, …)
        function, (operand, *others) = ops[0], ops[0].positional
        root, before = unrolled(where, node=operand)
        ops = [*before, replace(function, positional=others), *ops[1:]]
    if isinstance(root, SourceOp) or not any(op.name in _TAKEN for op in ops):
        return ()
    return tuple(step for op in _chunked(ops) for step in steps_of(op, numpy=numpy))


def _chunked(ops: Sequence[SourceOp]) -> Iterator[SourceOp]:
    """``chunk(2, dim=1)[0]`` as one operation, ``dim`` 0 where it is left out."""
    left = iter(ops)
    for op in left:
        if op.name != "chunk":
            yield op
            continue
        index = next(left, op)
        if index.name != "[":
            raise op.refuse(phrase("paste.chunk"))
        given = dict(zip(("chunks", "dim"), op.positional, strict=False)) | dict(op.keywords)
        first = ast.copy_location(ast.Constant(0), op.node)
        yield replace(op, positional=(), keywords={"dim": first, **given, "index": index.node})


def steps_of(
    op: SourceOp, *, numpy: bool, shape: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """The steps of an operation, as /view takes them. ``shape``: the sizes before it, if known."""
    if op.name == "rearrange":
        yield from _rearranged(op, shape)
        return
    if op.name == "[":
        index = ast.get_source_segment(op.source.source, op.node) or ""
        try:
            index_items(index)
        except LayoutError as error:
            raise op.refuse(error.expectation) from None
        yield {"op": "index", "index": index}
        return
    if op.name not in _STEPS:
        raise op.refuse(one_of((*METHODS, "to")))
    if isinstance(op.node, ast.Attribute) and op.name not in _NO_CALL:
        raise op.refuse(phrase("paste.brackets", name=op.name))
    step = _STEPS[op.name]
    given_all = len(op.positional) > 2 or isinstance(
        next(iter(op.positional), None), ast.Tuple | ast.List
    )
    if (numpy or given_all) and op.name == "transpose":  # NumPy's is PyTorch's permute
        step = "permute" if op.positional or op.keywords else "T"
    lists, parameters = _parameters(step)
    if len(lists) > 1:
        op.only(*lists)
        each = dict(zip(lists, op.positional, strict=False)) | dict(op.keywords)
        yield {"op": step} | {name: list(op.listed([node])) for name, node in each.items()}
        return
    if lists:
        [name] = lists
        op.only(name, "size", "axes", "perm")
        found = list(op.listed([*op.positional, *op.keywords.values()]))
        yield from (
            ({"op": step, "dim": d} for d in found)
            if step == "flip"
            else [{"op": step, name: found}]
        )
        return
    op.only(*parameters, *_RENAMED)
    if len(op.positional) > len(parameters):
        raise op.refuse(phrase("paste.arguments", n=len(parameters)))
    given = dict(zip(parameters, op.positional, strict=False))
    given |= {_RENAMED.get(name, name): node for name, node in op.keywords.items()}
    read = {"memory_format": op.memory_format}
    yield {"op": step} | {k: read.get(k, op.integer)(node) for k, node in given.items()}


@cache
def _parameters(step: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A step's lists, and its other parameters in their order. A flip has several here."""
    if step == "flip":
        return ("dims",), ()
    hints = get_type_hints(OPS[step])
    names = tuple(signature(OPS[step]).parameters)[1:]
    lists = tuple(name for name in names if hints[name] == Sequence[int])
    return lists, () if lists else names


def _rearranged(op: SourceOp, shape: Sequence[int] | None) -> Iterator[dict[str, Any]]:
    """The steps of ``rearrange(pattern, name=size, …)`` on a tensor of ``shape``; None if that is
    not known: then the pattern may only permute. Errors: LayoutError with the position."""
    [node, *others] = op.positional or [op.node]
    if others or not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        raise op.refuse(phrase("einops.pattern"))
    left, arrow, right = node.value.partition("->")
    if not arrow:
        raise op.source.refuse(node, phrase("einops.arrow"))
    before = _side(op, node, left, 0)
    after = _side(op, node, right, len(left) + 2)
    plain = all(len(names) == 1 for names in (*before, *after))
    if shape is None and (not plain or (_DOTS,) in before):
        raise op.source.refuse(node, phrase("einops.sizes"))
    if (_DOTS,) in before and shape is not None:
        hidden = tuple(f".{i}" for i in range(len(shape) - len(before) + 1))
        before, after = (_expanded(side, hidden) for side in (before, after))
    flat, wanted = (sum(side, ()) for side in (before, after))
    if sorted(flat) != sorted(wanted) or len(set(flat)) < len(flat):
        raise op.source.refuse(node, phrase("einops.names"))
    sizes = _sizes(op, node, before, shape) if shape is not None else {}
    if any(len(names) != 1 for names in before):
        yield {"op": "reshape", "shape": [sizes[name] for name in flat]}
    order = [flat.index(name) for name in wanted]
    if order != sorted(order):
        yield {"op": "permute", "dims": order}
    if any(len(names) != 1 for names in after):
        merged = [math.prod(sizes[name] for name in names) for names in after]
        yield {"op": "reshape", "shape": merged}


def _expanded(side: _Axes, hidden: tuple[str, ...]) -> _Axes:
    """The dimensions with the names that the dots stand for."""
    found: _Axes = []
    for names in side:
        if names == (_DOTS,):
            found += [(name,) for name in hidden]
        else:
            found.append(tuple(n for name in names for n in (hidden if name == _DOTS else (name,))))
    return found


def _side(op: SourceOp, node: ast.expr, text: str, begin: int) -> _Axes:
    """The dimensions of one side, which begins at ``begin`` of the pattern."""
    found: _Axes = []
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        names = tuple((part["inner"] or part["name"] or part["dots"] or "").split()) if part else ()
        if part is None or not all(map(_NAME.fullmatch, names)):
            error = op.source.refuse(node, phrase("einops.axes"))
            raise error.shifted(begin + skip_blanks(text, at) + 1)
        found.append(tuple(name for name in names if name != "1"))
        at = part.end()
    return found


def _sizes(op: SourceOp, node: ast.expr, before: _Axes, shape: Sequence[int]) -> dict[str, int]:
    """The size of each name; in each dimension, one may follow from the others."""
    if len(before) != len(shape):
        raise op.source.refuse(node, phrase("einops.rank", n=len(shape)))
    sizes = {name: op.integer(size) for name, size in op.keywords.items()}
    for names, whole in zip(before, shape, strict=True):
        open_ = [name for name in names if name not in sizes]
        known = math.prod(sizes[name] for name in names if name in sizes)
        fits = whole == known if not open_ else known > 0 and whole % known == 0
        if len(open_) > 1 or not fits:
            listed = " ".join(names) or "1"
            raise op.source.refuse(node, phrase("einops.size", names=listed, whole=whole))
        sizes |= dict.fromkeys(open_, whole // known if known else 0)
    return sizes
