"""Python's calls in a pasted text, read by Python's parser; nothing is evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...model.dtypes import ELEMENT_TYPES, find_dtype
from ...model.errors import LayoutError, Phrase, one_of, phrase, unreadable
from ...model.facts import MEMORY_ORDER
from ...model.layout import INT64_MAX
from ..grammar.cursor import CLOSING
from .unknown import refuse_size

MAX_CALL: Final = 4096
MAX_VIEWS: Final = 64
SIZED = {"empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange"}
START = re.compile(
    r"(?<![\w.])(?:(?:[A-Za-z_]\w{0,60}\.){0,4}_?"
    r"(?:empty_strided(?:_[a-z]{1,20}){0,2}|as_strided(?:\.default)?|reinterpret_tensor)"
    rf"|(?:np|numpy|torch)\.(?:random\.)?(?:{'|'.join(sorted(SIZED))})"
    r"|rand_strided|assert_size_stride)\(",
    re.ASCII,
)
_TOKEN = re.compile(r"'[^'\\\n]*'|\"[^\"\\\n]*\"|[()\[\]{}]")
_MORE = re.compile(r"\s*\.\s*[A-Za-z_]\w{0,60}|[(\[]", re.ASCII)
# Escapes, and what Python's parser would warn about, as 1if.
_ODD = re.compile(r"\\|(?<![\w.])[0-9][0-9.]*(?!e[-+]?[0-9])[A-Za-z_]", re.ASCII)
_IGNORED: Final = {"device", "requires_grad", "pin_memory", "generator", "non_blocking", "copy"}


def end_of(text: str, at: int) -> int:
    """The position after the methods and the brackets at ``at``."""
    most = min(len(text), at + MAX_CALL)
    while more := _MORE.match(text, at):
        if more[0][0] not in "([":
            at = more.end()
            continue
        depth = 0
        for token in _TOKEN.finditer(text, at, most):
            depth += (token[0] in CLOSING) - (token[0] in ")]}")
            if depth <= 0:
                at = token.end()
                break
        else:
            raise unreadable(text, most, phrase("bracket.closing"))
    return at


@dataclass(frozen=True, slots=True)
class Source:
    """The ``source`` of one call, which is at ``start`` of the whole ``text``."""

    text: str
    start: int
    source: str

    def parsed(self) -> ast.expr:
        """Python's tree. Errors: LayoutError."""
        odd = _ODD.search(self.source)
        try:
            if odd is None:
                return ast.parse(self.source, mode="eval").body
            at = odd.start()
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            offset = getattr(error, "offset", None)
            at = min(max((offset or 1) - 1, 0), len(self.source))
        raise unreadable(self.text, max(self.start, 0) + at, phrase("paste.call"))

    def refuse(self, node: ast.expr, expectation: Phrase) -> LayoutError:
        """The error that marks a node: a method at its name."""
        line, column = node.lineno, node.col_offset
        if isinstance(node, ast.Call):
            node = node.func
        if isinstance(node, ast.Attribute):
            line, column = node.end_lineno or line, (node.end_col_offset or 0) - len(node.attr)
        lines = self.source.split("\n")
        before = sum(len(one) + 1 for one in lines[: line - 1])
        column = len(lines[line - 1].encode()[:column].decode())
        return unreadable(self.text, max(self.start + before + column, 0), expectation)


@dataclass(frozen=True, slots=True)
class SourceOp:
    """A call of ``name``, an attribute, or an index (``[``)."""

    name: str
    node: ast.expr
    source: Source
    positional: Sequence[ast.expr] = ()
    keywords: Mapping[str, ast.expr] = field(default_factory=dict)

    def refuse(self, expectation: Phrase) -> LayoutError:
        return self.source.refuse(self.node, expectation)

    def integers(self, node: ast.expr) -> tuple[int, ...] | int:
        """An integer, or a list or torch.Size of integers."""
        if isinstance(node, ast.Call) and len(node.args) == 1 and dotted(node.func)[-4:] == "Size":
            node = node.args[0]
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self.integer(entry) for entry in node.elts)
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        value = node.operand if isinstance(node, ast.UnaryOp) and negative else node
        if not isinstance(value, ast.Constant) or type(value.value) is not int:
            error = self.source.refuse(node, phrase("integer"))
            named = isinstance(node, ast.Name | ast.BinOp)
            raise refuse_size(self.source.text, error.position or 0) if named else error
        if value.value > INT64_MAX:
            raise self.source.refuse(node, phrase("integers.stride"))
        return -value.value if negative else value.value

    def integer(self, node: ast.expr) -> int:
        found = self.integers(node)
        if isinstance(found, tuple):
            raise self.source.refuse(node, phrase("integer"))
        return found

    def listed(self, nodes: Sequence[ast.expr]) -> tuple[int, ...]:
        """The integers of ``2, 3`` or of ``(2, 3)``."""
        if len(nodes) == 1:
            found = self.integers(nodes[0])
            return found if isinstance(found, tuple) else (found,)
        return tuple(self.integer(node) for node in nodes)

    def dtype(self, node: ast.expr) -> str:
        name = str(node.value) if isinstance(node, ast.Constant) else dotted(node)
        # Only NumPy takes a text, so its names decide: 'i8' is int64 there, and float float64.
        scopes = ("<", "np.", "") if isinstance(node, ast.Constant) else ("", "np.")
        known = next(filter(None, (find_dtype(f"{scope}{name}") for scope in scopes)), None)
        if known is None:
            raise self.source.refuse(node, one_of(ELEMENT_TYPES))
        return known.name

    def memory_format(self, node: ast.expr) -> str:
        name = dotted(node).removeprefix("torch.")
        if name not in {*MEMORY_ORDER, "preserve_format"}:
            raise self.source.refuse(node, one_of(MEMORY_ORDER))
        return name

    def only(self, *names: str) -> None:
        for name, node in self.keywords.items():
            if name not in {*names, *_IGNORED}:
                raise self.source.refuse(node, phrase("paste.keyword", name=name))


def dotted(node: ast.expr) -> str:
    """``torch.float16`` of the tree of a name, empty for any other."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def unrolled(
    source: Source, known: Container[str] = (), node: ast.expr | None = None
) -> tuple[SourceOp | str, list[SourceOp]]:
    """The call that makes a tensor, or a variable's name, and the operations on it in order.
    ``known``: variables whose methods make nothing. ``node``: the part to read, by default all."""
    node = node or source.parsed()
    ops: list[SourceOp] = []
    while not isinstance(node, ast.Name):
        if len(ops) > MAX_VIEWS:
            raise source.refuse(node, phrase("paste.most_views", most=MAX_VIEWS))
        if isinstance(node, ast.Call):
            keywords = {k.arg or "**": k.value for k in node.keywords}
            name = dotted(node.func).removesuffix(".default")
            op = SourceOp(name.rpartition(".")[2], node, source, node.args, keywords)
            if START.fullmatch(f"{name}(") and name.partition(".")[0] not in known:
                made = SourceOp(name, node, source, node.args, keywords)
                return made, ops[::-1]
            if isinstance(node.func, ast.Attribute):
                ops.append(SourceOp(node.func.attr, node, source, node.args, keywords))
                node = node.func.value
            elif isinstance(node.func, ast.Name):
                ops.append(op)
                node = node.func
            else:
                raise op.refuse(phrase("paste.method"))
        elif isinstance(node, ast.Subscript):
            ops.append(SourceOp("[", node.slice, source))
            node = node.value
        elif isinstance(node, ast.Attribute):
            ops.append(SourceOp(node.attr, node, source))
            node = node.value
        else:
            raise source.refuse(node, phrase("paste.call"))
    return node.id, ops[::-1]
