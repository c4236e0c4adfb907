"""einops.rearrange as the steps of a view.

    pattern = side "->" side
    side    = {name | "1" | "..." | "(" {name | "1" | "..."} ")"}

Source: einops/einops.py, rearrange and ParsedExpression.
"""

import ast
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..dialect import skip_blanks
from ..phrases import phrase
from .source import SourceOp

_PART = re.compile(r"\s*(?:(?P<group>\((?P<inner>[\w\s.]*)\))|(?P<dots>\.\.\.)|(?P<name>\w+))\s*")
_NAME = re.compile(r"1|\.\.\.|[A-Za-z_]\w*")
_DOTS = "..."
_Axes = list[tuple[str, ...]]  # the names of each dimension, outermost first


def rearranged(op: SourceOp, shape: Sequence[int] | None) -> Iterator[dict[str, Any]]:
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
