"""MLIR: a ``memref`` type, or its layout alone, ``strided<…>`` or ``affine_map<…>``.

Grammar:

    text    = memref | layout
    memref  = "memref<" {size "x"} type ["," layout] ["," space] ">"
    layout  = strided | map
    strided = "strided<[" [integer {"," integer}] "]" ["," "offset:" integer] ">"
    map     = "affine_map<(" [name {"," name}] ")" "->" "(" sum {"," sum} ")>"
    sum     = product {("+" | "-") product}
    product = operand {("*" | "floordiv" | "ceildiv" | "mod") operand}
    operand = "-" operand | "(" sum ")" | name | integer
    space   = integer [":" type] | "#gpu.address_space<" name ">"

    A map of one result is the address. A map of several gives coordinates in a row-major array,
    whose sizes are the results' ranges: ``d1 floordiv 4`` and ``d1 mod 4`` make blocks.

Example: memref<2x3xf32, strided<[5, 1], offset: 3>> with shape (2, 3)

Trap: strides and offset count elements; the offset is part of the type, so it is not the
pointer's. ``affine_map<(d0, d1) -> (d1, d0)>`` is column major, by coordinates, and
``(d1 * 2 + d0)`` is the same memory for two rows, by address. A mod of 4 counts a whole tile of 4
even where the size is 3. A question mark is known only at run time.

Source: llvm-project mlir/include/mlir/IR/BuiltinTypes.td (memref, "Multi-dimensional affine
forms are interpreted in row-major fashion"), BuiltinAttributes.td, docs/Dialects/Affine.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ...dtypes import ElementType
from ...errors import LayoutError
from ...layout import INT64_MAX, Layout, checked_product
from ..dialect import CannotSayError, Dialect, TensorText, readable, same_addresses
from ..grammar.affine import Affine, Reader, check_strides, digits_of
from ..grammar.cursor import Cursor, match_shape, names_for

_TYPES = {
    "i1": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"si{bits}": f"int{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (4, 8, 16, 32, 64)},
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
}
# What MLIR has and the engine has no element type for: the layout is read all the same.
_OTHER_TYPE = re.compile(
    r"[su]?i[1-9][0-9]{0,7}|tf32|f80|f128|index|f4E2M1FN|f6E2M3FN|f6E3M2FN|f8E3M4|f8E4M3"
    r"|f8E4M3B11FNUZ|f8E4M3FNUZ|f8E5M2FNUZ|f8E8M0FNU",
    re.ASCII,
)
_NAMES = {name: mlir for mlir, name in _TYPES.items() if not mlir.startswith("si")}
_OPENING = re.compile(r"(?:memref|strided|affine_map)\s*<", re.ASCII)
_SPACE = re.compile(r"[0-9]+(?:\s*:\s*[a-z0-9]+)?|#gpu\.address_space\s*<\s*\w+\s*>", re.ASCII)


def recognises(text: str) -> bool:
    """Whether ``text`` begins as one of the three forms."""
    return _OPENING.match(text) is not None


def parse(text: str, tensor: TensorText) -> Layout:
    """Layout of a memref type, of strides or of a map; errors mark the character at fault."""
    cursor = Cursor(text)
    if not cursor.rest().startswith("memref"):
        layout = _layout(cursor, tensor, None)
        if layout is None:
            raise cursor.refuse("memref<…>, strided<…> or affine_map<…>")
    else:
        own, _ = _memref(cursor)
        match_shape(own, tensor)
        layout = _in_memref(cursor, tensor)
    cursor.end()
    return layout.spelled(text)


def _memref(cursor: Cursor) -> tuple[tuple[int, ...], str]:
    """Sizes and element type of ``memref<2x3xf32``."""
    cursor.need("memref")
    cursor.need("<")
    sizes: list[int] = []
    while cursor.rest()[:1].isdigit() or cursor.rest().startswith(("?", "*")):
        if cursor.rest().startswith("?"):
            raise cursor.refuse("a static size: ? is known only at run time")
        if cursor.rest().startswith("*"):
            raise cursor.refuse("sizes: * is a memref of unknown rank")
        sizes.append(cursor.integer("a size"))
        cursor.need("x", "x behind the size")
    start = cursor.at
    name = cursor.word()
    if not name or cursor.rest().startswith("<"):
        raise cursor.refuse("a scalar element type such as f32", start)
    if name not in _TYPES and _OTHER_TYPE.fullmatch(name) is None:
        raise cursor.refuse("an element type of MLIR's, as f32, bf16 or i8", start)
    return tuple(sizes), name


def _in_memref(cursor: Cursor, tensor: TensorText) -> Layout:
    """What follows the element type: a layout, a memory space, both or none."""
    layout = None
    if cursor.take(","):
        layout = _layout(cursor, tensor, len(tensor.shape))
        if layout is None or cursor.take(","):
            space = _SPACE.match(cursor.rest())
            if space is None:
                raise cursor.refuse(
                    "strided<…>, affine_map<…> or a memory space such as 1: other attributes are "
                    "defined elsewhere"
                )
            cursor.at += space.end()
    cursor.need(">", "a comma or >")
    if layout is None:
        order: list[tuple[int, int | None]] = [(d, None) for d in range(len(tensor.shape))]
        layout = Layout.packed(tensor.shape, names_for(tensor), order)
    return layout


def _layout(cursor: Cursor, tensor: TensorText, rank: int | None) -> Layout | None:
    """``strided`` or ``affine_map``, None if neither comes next.

    ``rank``: how many dimensions the text around it has, None if there is none.
    """
    start = cursor.at
    if cursor.take("strided"):
        cursor.need("<")
        return _strided(cursor, tensor, rank)
    if cursor.take("affine_map"):
        cursor.need("<")
        return _map(cursor, tensor, rank)
    cursor.at = start
    return None


def _static(cursor: Cursor, what: str) -> int:
    if cursor.rest().startswith("?"):
        raise cursor.refuse(f"a static {what}: ? is known only at run time")
    return cursor.integer(f"a {what}", least=-INT64_MAX)


def _strided(cursor: Cursor, tensor: TensorText, rank: int | None) -> Layout:
    cursor.need("[")
    strides: list[int] = []
    while not cursor.take("]"):
        if strides:
            cursor.need(",", "a comma or ]")
        strides.append(_static(cursor, "stride"))
    _check_rank(cursor, len(strides), tensor, rank)
    offset = 0
    if cursor.take(","):
        cursor.need("offset", "offset: and an integer")
        cursor.need(":")
        offset = _static(cursor, "offset")
    cursor.need(">", ", offset: or >")
    return Layout.strided(tensor.shape, strides, offset, dims=names_for(tensor))


def _check_rank(cursor: Cursor, listed: int, tensor: TensorText, rank: int | None) -> None:
    if listed == len(tensor.shape):
        return
    if rank is not None:
        raise cursor.refuse(f"{rank} dimensions, as many as sizes", cursor.at - 1)
    raise LayoutError("shape", tensor.shape, f"{listed} sizes for this layout")


def _map(cursor: Cursor, tensor: TensorText, rank: int | None) -> Layout:
    cursor.need("(")
    names: list[str] = []
    while not cursor.take(")"):
        if names:
            cursor.need(",", "a comma or )")
        cursor.rest()
        at = cursor.at
        name = cursor.word()
        if not name or name in names:
            raise cursor.refuse("the name of a dimension, each once", at)
        names.append(name)
    _check_rank(cursor, len(names), tensor, rank)
    if cursor.take("[") and not cursor.take("]"):
        raise cursor.refuse("->: symbols are known only at run time")
    cursor.need("->")
    cursor.need("(")
    reader = Reader(cursor, names, tensor.shape)
    results: list[Affine] = []
    while not cursor.take(")"):
        if results:
            cursor.need(",", "an operator, a comma or )")
        cursor.rest()
        at = cursor.at
        results.append(reader.sum())
        if results[-1].bounds(tensor.shape)[0] < 0:
            raise cursor.refuse("a result that is never negative", at)
    cursor.need(">")
    return _of_results(results, tensor, cursor)


def _of_results(results: list[Affine], tensor: TensorText, cursor: Cursor) -> Layout:
    """The results as coordinates of a row-major array; a single one is the address."""
    extents = [r.bounds(tensor.shape, whole=True)[1] + 1 for r in results]
    checked_product("layout", extents[1:])
    total = Affine({})
    for i, result in enumerate(results):
        total = total.plus(result, math.prod(extents[i + 1 :]))
    digits = []
    for d, size in enumerate(tensor.shape):
        mine = digits_of(total, d, size)
        if mine is None:
            raise cursor.refuse(
                f"tiles of dimension {d} that divide one another", len(cursor.text) - 1
            )
        check_strides(mine)
        digits.append(mine)
    return Layout(tensor.shape, names_for(tensor), tuple(digits), total.constant)


def _own(text: str) -> tuple[tuple[int, ...], str] | None:
    try:
        return _memref(Cursor(text))
    except LayoutError:
        return None


def own_shape(text: str) -> tuple[int, ...] | None:
    """The sizes of a memref type."""
    own = _own(text)
    return own[0] if own else None


def own_dtype(text: str) -> str | None:
    """The engine's name of a memref's element type, where it has that type."""
    own = _own(text)
    return _TYPES.get(own[1]) if own else None


def write(layout: Layout, dtype: ElementType) -> str:
    """The memref type: row major as it is, else with strides, else with a map."""
    tensor = TensorText(layout.shape, layout.dims, dtype)
    head = "".join(f"{size}x" for size in layout.shape) + _NAMES[dtype.name]
    for attribute in _attributes(layout):
        text = readable(f"memref<{head}{attribute}>")
        try:
            again = parse(text, tensor)
        except LayoutError:
            continue
        if same_addresses(again, layout):
            return text
    raise CannotSayError("No affine map pads or strides these sizes in the same way.")


def _attributes(layout: Layout) -> Iterator[str]:
    """The ways to write the layout, shortest first."""
    yield ""
    strides = layout.strides
    if strides is not None and layout.padded_shape == layout.shape:
        at = f", offset: {layout.offset}" if layout.offset else ""
        yield f", strided<[{', '.join(map(str, strides))}]{at}>"
    names = ", ".join(f"d{d}" for d in range(layout.rank))
    for broadcast in (False, True):
        yield f", affine_map<({names}) -> ({_sum(layout, broadcast=broadcast)})>"


def _sum(layout: Layout, *, broadcast: bool) -> str:
    """The address, terms by falling stride; ``broadcast``: with those of stride 0, which pad."""
    terms: list[tuple[int, str]] = []
    for d, digits in enumerate(layout.digits):
        inside = 1
        for k, g in reversed(list(enumerate(digits))):
            term = f"d{d} floordiv {inside}" if inside > 1 else f"d{d}"
            outermost = all(h.extent == 1 for h in digits[:k])
            if not outermost or g.extent != -(-layout.shape[d] // max(inside, 1)):
                term = f"({term}) mod {g.extent}" if inside > 1 else f"{term} mod {g.extent}"
            if g.extent > 1 and (g.stride or broadcast):
                product = f"({term}) * {g.stride}" if " " in term else f"{term} * {g.stride}"
                terms.append((g.stride, term if g.stride == 1 else product))
            inside *= g.extent
    terms.sort(key=lambda pair: -abs(pair[0]))
    written = [term for _, term in terms] + [str(layout.offset)] * bool(layout.offset or not terms)
    return " + ".join(written)


DIALECT = Dialect("mlir", recognises, parse, write, own_shape=own_shape, own_dtype=own_dtype)
