"""Triton's layout attributes, as MLIR prints them: ``#ttg.swizzled_shared<{vec = 8, …}>``.

The swizzle moves vectors within a row: vector v of row r is at v ^ (r / perPhase % maxPhase). With
sizes that are powers of two this is one XOR of address bits. Other attributes are linear layouts
over GF(2) of several XORs, or distribute elements over registers: they are refused.

Source: triton include/triton/Dialect/TritonGPU/IR/TritonGPUAttrDefs.td (SwizzledSharedEncoding),
lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (swizzledSharedToLinearLayout).
"""

import re
from dataclasses import dataclass

from ...model.digits import Swizzle
from ...model.errors import LayoutError
from ...model.layout import Layout
from ..orders import Order
from ..phrases import phrase
from ..specs import Request, Spec, Written, match_count, match_shape, ordered
from .cursor import Cursor

OPENING = re.compile(r"#(?:ttg|triton_gpu)\.(?P<name>\w+)\s*", re.ASCII)
_SHARED = ("swizzled_shared", "shared")
_NUMBERS = ("vec", "perPhase", "maxPhase")
_CLUSTER = ("CTAsPerCGA", "CTASplitNum", "CTAOrder")


@dataclass(frozen=True, slots=True)
class SwizzledSpec(Spec):
    """A swizzle of a matrix in shared memory. ``order``: the dimensions, innermost first."""

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
        plain = ordered(shape, self.names_of(request), order, self.text)
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


def read_attribute(cursor: Cursor, text: str) -> SwizzledSpec:
    """The attribute that comes next. Errors: LayoutError with the position."""
    opened = OPENING.match(cursor.rest())
    if opened is None:
        raise cursor.refuse(phrase("triton.start"))
    start = cursor.at
    if opened["name"] not in _SHARED:
        raise cursor.refuse(phrase("triton.linear", name=opened["name"]), start)
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
            listed = _list(cursor)
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
    return SwizzledSpec(text, vec, per_phase, max_phase, order)


def _list(cursor: Cursor) -> tuple[int, ...]:
    cursor.need("[")
    what = phrase("mlir.dimension_number")
    return tuple(cursor.listed("]", lambda: cursor.integer(what), phrase("comma.bracket")))
