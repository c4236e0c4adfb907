"""MLIR: a ``memref`` or ``tensor`` type, or only a layout: ``strided<…>``, ``affine_map<…>``.

Grammar:

    text    = memref | tensor | memdesc | layout | swizzle
    memref  = "memref<" {size "x"} type ["," layout] ["," space] ">"
    tensor  = "tensor<" {size "x"} type ">"
    memdesc = "!ttg.memdesc<" {size "x"} type "," swizzle ["," attribute] ["," "mutable"] ">"
    layout  = strided | map
    strided = "strided<[" [integer {"," integer}] "]" ["," "offset:" integer] ">"
    map     = "affine_map<(" [name {"," name}] ")" "->" "(" sum {"," sum} ")>"
    sum     = product {("+" | "-") product}
    product = operand {("*" | "floordiv" | "ceildiv" | "mod") operand}
    operand = "-" operand | "(" sum ")" | name | integer
    space   = integer [":" type] | "#gpu.address_space<" name ">"
    swizzle = ["#" name "="] "#ttg.swizzled_shared<{vec =" n ", perPhase =" n ", maxPhase =" n
              ", order = [" dim {"," dim} "]}>"

    A map with one result gives the address. A map with several results gives coordinates in a
    row-major array. The array's sizes are the ranges of the results: ``d1 floordiv 4`` and
    ``d1 mod 4`` make blocks.

Example: memref<2x3xf32, strided<[5, 1], offset: 3>> with shape (2, 3)

Trap: strides and offset count elements. The offset is part of the type, not of the pointer.
``affine_map<(d0, d1) -> (d1, d0)>`` is column major, written as coordinates. For two rows,
``(d1 * 2 + d0)`` is the same memory, written as an address. A mod of 4 is a whole tile of 4, even
if the size is 3. A question mark is a number known only at run time. A tensor has no memory before
it is bufferised; row major is the layout it gets by default. Triton's #ttg.blocked and the like
distribute elements over registers and lanes: they are no layouts in memory.

Source: llvm-project mlir/include/mlir/IR/BuiltinTypes.td (memref, "Multi-dimensional affine
forms are interpreted in row-major fashion"), BuiltinAttributes.td, docs/Dialects/Affine.md; triton
TritonGPUAttrDefs.td, LinearLayoutConversions.cpp.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...model.digits import Swizzle, places
from ...model.dtypes import ElementType, by_name_in
from ...model.errors import Described, LayoutError, Phrase, phrase, shown_name
from ...model.layout import INT64_MAX, Layout
from ..dialect import CannotSayError, Dialect, match_end, readable
from ..grammar.affine import Expression, Reader, Term, is_sum, order_of, read_names, row_major
from ..grammar.cursor import Cursor
from ..orders import DigitOrder, Order, order_is_layout
from ..specs import Request, Spec, Written, match_count, match_shape, names_for, ordered, strided

_TYPES = by_name_in("mlir")
_TYPES |= {f"s{name}": t for name, t in _TYPES.items() if t.kind == "int"}  # si8 is i8, signed
# Types of MLIR that the engine does not have. Their layouts can still be read.
_OTHER_TYPE = re.compile(
    r"[su]?i[1-9][0-9]{0,7}|tf32|f80|f128|index|f4E2M1FN|f6E2M3FN|f6E3M2FN|f8E3M4|f8E4M3"
    r"|f8E4M3B11FNUZ|f8E4M3FNUZ|f8E5M2FNUZ|f8E8M0FNU|complex<b?f(?:16|80|128)>",
    re.ASCII,
)
# Triton's layout attributes, and the numbers of the one that is an address.
_ATTRIBUTE = re.compile(r"#(?:ttg|triton_gpu)\.(?P<name>\w+)\s*", re.ASCII)
_NUMBERS = ("vec", "perPhase", "maxPhase")
_CLUSTER = ("CTAsPerCGA", "CTASplitNum", "CTAOrder")
_ALIAS = re.compile(r"#\w+\s*=\s*(?=#)", re.ASCII)
_OPENING = re.compile(
    rf"(?:memref|tensor|strided|affine_map|!(?:ttg|triton_gpu)\.memdesc)\s*<"
    rf"|(?:{_ALIAS.pattern})?{_ATTRIBUTE.pattern}",
    re.ASCII,
)
_SHAPED = re.compile(
    r"memref|(?P<tensor>tensor)|(?P<shared>!(?:ttg|triton_gpu)\.memdesc)", re.ASCII
)
_SPACE = re.compile(r"[0-9]+(?:\s*:\s*[a-z0-9]+)?|#gpu\.address_space\s*<\s*\w+\s*>", re.ASCII)


@dataclass(frozen=True, slots=True)
class _SwizzledSpec(Spec):
    """Triton's swizzle of a matrix in shared memory. ``order``: the dimensions, innermost first.

    It moves vectors within a row: vector v of row r is at v ^ (r / perPhase % maxPhase). With sizes
    that are powers of two this is one XOR of address bits. Source: triton TritonGPUAttrDefs.td
    (SwizzledSharedEncoding), LinearLayoutConversions.cpp (swizzledSharedToLinearLayout).
    """

    text: str
    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    shape: tuple[int, ...] | None = None
    dtype: str | None = None

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        shape = request.shape
        match_count(request, len(self.order))
        order: Order = tuple((d, None) for d in reversed(self.order))
        plain = ordered(shape, self.dims_for(request), order, self.text)
        swizzle = self._swizzle(shape)
        if swizzle is None:
            return plain
        made = Layout(shape, plain.layout.dims, plain.layout.digits, 0, swizzle)
        return Written(made, self.text, plain.order)

    def _swizzle(self, shape: tuple[int, ...]) -> Swizzle | None:
        if self.max_phase == 1 or len(shape) < 2:
            return None
        columns, rows = (shape[d] for d in self.order[:2])
        if columns.bit_count() != 1 or rows.bit_count() != 1:
            raise LayoutError("shape", shape, phrase("triton.sizes"))
        # Phases beyond the row's vectors wrap around; those beyond the last row do not occur.
        phases = min(self.max_phase, columns // self.vec, rows // self.per_phase)
        if phases < 2:
            return None
        vector = self.vec.bit_length() - 1
        distance = (columns * self.per_phase).bit_length() - 1 - vector
        return Swizzle(phases.bit_length() - 1, vector, distance)


def _attribute(cursor: Cursor, text: str) -> _SwizzledSpec:
    """The attribute that comes next. Errors: LayoutError with the position."""
    opened = _ATTRIBUTE.match(cursor.rest())
    if opened is None:
        raise cursor.refuse(phrase("triton.start"))
    start = cursor.at
    name = opened["name"]
    if "shared" not in name:
        got = Described(f"{shown_name(name)}, which spreads elements over registers and lanes,")
        raise LayoutError("layout", got, phrase("triton.registers"), position=start)
    if name not in {"swizzled_shared", "shared"}:
        raise cursor.refuse(phrase("triton.linear", name=name), start)
    cursor.at += opened.end()
    cursor.need("<")
    cursor.need("{")
    numbers: dict[str, int] = {}
    order: tuple[int, ...] = ()
    while not cursor.take("}"):
        if numbers or order:
            cursor.need(",", phrase("triton.comma"))
        cursor.rest()
        at, name = cursor.at, cursor.word()
        cursor.need("=", phrase("triton.equals"))
        if name in _NUMBERS:
            numbers[name] = cursor.integer(phrase("triton.power"), least=1)
            if numbers[name].bit_count() != 1:
                raise cursor.refuse(phrase("triton.power"), at)
        elif name == "order" or name in _CLUSTER:
            cursor.need("[")
            items = partial(cursor.integer, phrase("mlir.dimension_number"))
            listed = tuple(cursor.listed("]", items, phrase("comma.bracket")))
            if name == "order":
                order = listed
            elif name != "CTAOrder" and any(n > 1 for n in listed):
                raise cursor.refuse(phrase("triton.one_block", name=name), at)
        elif not (name == "hasLeadingOffset" and cursor.take("false")):
            names = (*_NUMBERS, "order")
            raise cursor.refuse(phrase("triton.names", names=names), at)
    cursor.need(">")
    if len(numbers) < len(_NUMBERS) or sorted(order) != list(range(len(order))) or not order:
        raise cursor.refuse(phrase("triton.all"), start)
    vec, per_phase, max_phase = (numbers[name] for name in _NUMBERS)
    return _SwizzledSpec(text, vec, per_phase, max_phase, order)


@dataclass(frozen=True, slots=True)
class MlirSpec(Spec):
    """Strides, a map, or neither (row major), perhaps in a memref that contains the sizes.

    ``rank``: the number of dimensions of the map or the strides, None if there is neither.
    ``results``: the expressions of a map and their positions. ``order``: the memory order if each
    expression is one digit of a dimension, else None.
    """

    text: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    strides: tuple[int, ...] | None = None
    offset: int = 0
    rank: int | None = None
    results: tuple[tuple[Expression, int], ...] | None = None
    order: Order | None = None

    def order_for(self, dims: str) -> Order | None:
        return self.order if self.shape is None and self.rank == len(dims) else None

    def apply(self, request: Request) -> Written:
        match_shape(self.shape, request)
        match_count(request, self.rank)
        if self.strides is not None:
            return strided(request, self.strides, self.offset, self.text)
        dims = names_for(request)
        if self.results is not None:
            digits, offset = row_major(self.results, request.shape, self.text)
            return Written(Layout(request.shape, dims, digits, offset), self.text)
        order = tuple((d, None) for d in range(len(request.shape)))
        return ordered(request.shape, dims, order, self.text)


def read(text: str) -> Spec:
    cursor = Cursor(text)
    shaped = _SHAPED.match(cursor.rest())
    spec: Spec | None
    if shaped is not None:
        cursor.at += shaped.end()
        sizes, dtype = _sizes_and_type(cursor)
        spec = MlirSpec(text, sizes, dtype)
        spec = _in_memref(cursor, spec) if shaped[0] == "memref" else _in_tensor(cursor, spec)
        if shaped["shared"] and isinstance(spec, MlirSpec):
            raise cursor.refuse(phrase("triton.start"), cursor.at - 1)
    elif cursor.rest().startswith("#"):
        cursor.at += match_end(_ALIAS, cursor.rest())
        spec = _attribute(cursor, text)
    else:
        spec = _layout(cursor, MlirSpec(text))
        if spec is None:
            raise cursor.refuse(phrase("mlir.start"))
    cursor.end()
    return spec


def _in_tensor(cursor: Cursor, spec: MlirSpec) -> Spec:
    """``spec`` with Triton's swizzle, which is the only encoding that gives addresses."""
    found: Spec = spec
    if cursor.take(","):
        if _ATTRIBUTE.match(cursor.rest()) is None:
            raise cursor.refuse(phrase("mlir.encoding"))
        swizzled = _attribute(cursor, spec.text)
        found = replace(swizzled, shape=spec.shape, dtype=spec.dtype)
        while cursor.take(","):
            cursor.take("#")
            cursor.take("ttg.")
            cursor.word()
    cursor.need(">", phrase("comma.greater"))
    return found


def _sizes_and_type(cursor: Cursor) -> tuple[tuple[int, ...], str | None]:
    """Sizes and element type of ``memref<2x3xf32``; None if the engine does not have the type."""
    cursor.need("<")
    sizes: list[int] = []
    while cursor.rest()[:1].isdigit() or cursor.rest().startswith(("?", "*")):
        if cursor.rest().startswith("?"):
            raise _unknown(cursor, phrase("mlir.static"))
        if cursor.rest().startswith("*"):
            raise cursor.refuse(phrase("mlir.ranked"))
        sizes.append(cursor.integer(phrase("size.one")))
        cursor.need("x", phrase("mlir.x"))
    start = cursor.at
    name = cursor.word()
    if name == "complex" and cursor.take("<"):
        name = f"complex<{cursor.word()}>"
        cursor.need(">")
    if not name or cursor.rest().startswith("<"):
        raise cursor.refuse(phrase("mlir.scalar"), start)
    if name not in _TYPES and _OTHER_TYPE.fullmatch(name) is None:
        raise cursor.refuse(phrase("mlir.type"), start)
    return tuple(sizes), _TYPES[name].name if name in _TYPES else None


def _in_memref(cursor: Cursor, spec: MlirSpec) -> MlirSpec:
    """``spec`` with what follows the element type: a layout, a memory space, both or none."""
    if cursor.take(","):
        found = _layout(cursor, spec)
        if found is None or cursor.take(","):
            space = _SPACE.match(cursor.rest())
            if space is None:
                raise cursor.refuse(phrase("mlir.attribute"))
            cursor.at += space.end()
        spec = found or spec
    cursor.need(">", phrase("comma.greater"))
    return spec


def _layout(cursor: Cursor, spec: MlirSpec) -> MlirSpec | None:
    """``spec`` with ``strided`` or ``affine_map``, None if neither comes next."""
    read = _strided if cursor.take("strided") else _map if cursor.take("affine_map") else None
    if read is None:
        return None
    cursor.need("<")
    return read(cursor, spec)


def _unknown(cursor: Cursor, expectation: Phrase) -> LayoutError:
    """The error of a question mark, which MLIR has in the place of a number."""
    return LayoutError("layout", Described("a question mark"), expectation, position=cursor.at)


def _static(cursor: Cursor, what: str) -> int:
    if cursor.rest().startswith("?"):
        raise _unknown(cursor, phrase("mlir.static_number", what=what))
    return cursor.integer(phrase("mlir.number", what=what), least=-INT64_MAX)


def _strided(cursor: Cursor, spec: MlirSpec) -> MlirSpec:
    cursor.need("[")
    strides = cursor.listed("]", lambda: _static(cursor, "stride"), phrase("comma.bracket"))
    _check_rank(cursor, len(strides), spec)
    offset = 0
    if cursor.take(","):
        cursor.need("offset", phrase("mlir.offset"))
        cursor.need(":")
        offset = _static(cursor, "offset")
    cursor.need(">", phrase("mlir.offset_or_end"))
    return replace(spec, strides=tuple(strides), offset=offset, rank=len(strides))


def _check_rank(cursor: Cursor, listed: int, spec: MlirSpec) -> None:
    if spec.shape is not None and len(spec.shape) != listed:
        raise cursor.refuse(phrase("dimensions.as_sizes", n=len(spec.shape)), cursor.at - 1)


def _map(cursor: Cursor, spec: MlirSpec) -> MlirSpec:
    cursor.need("(")
    names = read_names(cursor, ")", phrase("comma.parenthesis"))
    _check_rank(cursor, len(names), spec)
    if cursor.take("[") and not cursor.take("]"):
        raise cursor.refuse(phrase("mlir.symbols"))
    cursor.need("->")
    cursor.need("(")
    result = Reader(cursor, names).result
    results = cursor.listed(")", result, phrase("mlir.operator"))
    cursor.need(">")
    order = order_of([expression for expression, _ in results], len(names))
    return replace(spec, results=tuple(results), rank=len(names), order=order)


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    """The memref type: alone if row major, else with strides, else with a map."""
    head = "".join(f"{size}x" for size in layout.shape) + dtype.mlir
    if order_is_layout(tuple((d, None) for d in range(layout.rank)), layout):
        return f"memref<{head}>"
    strides = layout.strides
    if strides is not None and layout.padded_shape == layout.shape:
        at = f", offset: {layout.offset}" if layout.offset else ""
        return f"memref<{head}, strided<[{', '.join(map(str, strides))}]{at}>>"
    names = ", ".join(f"d{d}" for d in range(layout.rank))
    for broadcast in (False, True):
        terms = _terms(layout, broadcast=broadcast)
        attribute = f"affine_map<({names}) -> ({_sum(terms, layout.offset)})>"
        text = readable(f"memref<{head}, {attribute}>")
        by_dimension: list[dict[tuple[int, int], int]] = [{} for _ in layout.shape]
        for (d, place, modulus), stride in terms:
            by_dimension[d][place, modulus] = stride
        if is_sum(layout, by_dimension):
            return text
    raise CannotSayError("mlir.map")


def _terms(layout: Layout, *, broadcast: bool) -> list[tuple[Term, int]]:
    """Digits as terms, with their strides. ``broadcast``: include those of stride 0, which pad."""
    terms: list[tuple[Term, int]] = []
    for d, (digits, size) in enumerate(zip(layout.digits, layout.shape, strict=True)):
        for k, (place, g) in enumerate(places(digits), start=1):
            if g.extent > 1 and (g.stride or broadcast):
                outermost = all(h.extent == 1 for h in digits[:-k])
                whole = outermost and g.extent == -(-size // place)
                terms.append(((d, place, 0 if whole else g.extent), g.stride))
    return terms


def _sum(terms: Sequence[tuple[Term, int]], offset: int) -> str:
    """The address, largest strides first."""
    written = []
    for (d, place, modulus), stride in sorted(terms, key=lambda pair: -abs(pair[1])):
        term = f"d{d} floordiv {place}" if place > 1 else f"d{d}"
        if modulus:
            term = f"({term}) mod {modulus}" if place > 1 else f"{term} mod {modulus}"
        product = f"({term}) * {stride}" if " " in term else f"{term} * {stride}"
        written.append(term if stride == 1 else product)
    written += [str(offset)] * bool(offset or not terms)
    return " + ".join(written)


DIALECT = Dialect("mlir", "MLIR", "Compilers", _OPENING.match, read, write)
