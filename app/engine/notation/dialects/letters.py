"""Letters: dimensions as capitals in memory order, optionally with a block of the channels.

Grammar:

    text     = letters [block] | split | ascend
    ascend   = "NC1HWC0" | "NDC1HWC0" | "NC1HWC0_C04" | "FRACTAL_NZ" | "FRACTAL_Z" | "FRACTAL_Z_3D"
    letters  = distinct letters of N C D H W, or of G O I D H W (weights), outermost first
    block    = a positive integer x: C is split into ⌈C/x⌉, in the place of C, and x, innermost
    split    = letters with the block twice, behind C and at the end: NC/32HW32, NC4HW4

    A size that is not a multiple of the block is padded.

Example: NCHW4 with shape (2, 6, 3, 3) pads 6 channels to two blocks of 4.

Trap: the letters give only the memory order. The logical order is always N, C, D, H, W (weights:
G, O, I, D, H, W), so the shape of NHWC is still in the order N, C, H, W. C0 of Ascend's formats
depends on the element type: 32 bytes, so 16 of float16 and 32 of int8; _C04 has 4. FRACTAL_NZ has
the last two dimensions in columns of fractals, 16 rows by C0: W/C0 H/16 16 C0, whatever stands
before them. FRACTAL_Z of weights is I/C0 H W O/16 16 C0, and FRACTAL_Z_3D D I/C0 H W O/16 16 C0.

Source: DirectML's names of orders; MegEngine's NCHWX and CHWN4; TensorRT's and MNN's NC/xHWx and
NCxHWx; Ascend's CANN, aclFormat, and Ascend C for C0.
"""

import re
from dataclasses import dataclass
from typing import Final

from ...model.dtypes import ElementType
from ...model.errors import LayoutError, phrase, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect, outer_order
from ..orders import DigitOrder, order_is_layout, order_of_tag
from ..specs import OrderSpec, Request, Spec, Written, names_for, ordered

CANONICAL = ("NCDHW", "GOIDHW")
_FORM = re.compile(r"([A-Z]+)([0-9]*)")
_SPLIT = re.compile(r"([A-Z]*C)/?([1-9][0-9]{0,17})([A-Z]+)\2", re.ASCII)
# Ascend's formats: the logical dimensions, and their memory with {0} for C0.
_ASCEND: Final = {
    "NC1HWC0": ("NCHW", "NCHW{0}c"),
    "NDC1HWC0": ("NCDHW", "NDCHW{0}c"),
    "FRACTAL_Z": ("OIHW", "IHWO16o{0}i"),
    "FRACTAL_Z_3D": ("OIDHW", "DIHWO16o{0}i"),
}
_C04 = "_C04"  # a C0 of 4
_FRACTAL_NZ = "FRACTAL_NZ"
_FRACTAL_ROWS = 16
_ASCEND_BITS = 256  # of C0
_WEIGHTS: Final = str.maketrans("OIoi", "NCnc")  # CANN calls the outputs of weights N
_MAX_BLOCK_DIGITS = 18


def recognises(text: str) -> bool:
    """Whether ``text`` is letters of one logical order, then perhaps a number, or C split."""
    text = whole(text)
    if text == _FRACTAL_NZ or _ascend(text):
        return True
    return _FORM.fullmatch(text) is not None and _canonical(letters_of(text)) is not None


def whole(text: str) -> str:
    """NCHW32 for NC/32HW32 and NC32HW32; any other text as it is."""
    split = _SPLIT.fullmatch(text)
    letters = "" if split is None else split[1] + split[3]
    if split is None or _canonical(letters) is None or len(set(letters)) < len(letters):
        return text
    return letters + split[2]


def letters_of(text: str) -> str:
    found = _FORM.match(text)
    return found[1] if found else ""


def _canonical(letters: str) -> str | None:
    """The logical order that contains all letters, None if there is none."""
    return next((c for c in CANONICAL if set(letters) <= set(c)), None)


def _ascend(text: str) -> tuple[str, str] | None:
    """The row of one of Ascend's formats; of those with C1, there is one with a C0 of 4."""
    name = text.removesuffix(_C04)
    return _ASCEND.get(name if "C1" in name else text)


@dataclass(frozen=True, slots=True)
class AscendSpec(Spec):
    """Blocks of C0 elements. ``names``, ``tag``: of a row of ``_ASCEND``, None for FRACTAL_NZ,
    which has the last two of any dimensions in fractals."""

    text: str
    names: str | None = None
    tag: str = ""

    def takes(self, dims: str) -> bool:
        if self.names is None:
            return len(dims) >= 2
        return sorted(dims.translate(_WEIGHTS)) == sorted(self.names.translate(_WEIGHTS))

    def apply(self, request: Request) -> Written:
        block = 4 if self.text.endswith(_C04) else _ASCEND_BITS // request.dtype.bits
        if self.names is not None:
            names, tag = self.names, self.tag.format(block)
            if request.dims and "N" in request.dims:
                names, tag = names.translate(_WEIGHTS), tag.translate(_WEIGHTS)
            return OrderSpec.of_tag(self.text, tag, names).apply(request)
        if len(request.shape) < 2:
            raise LayoutError("shape", request.shape, phrase("letters.matrix"))
        *outer, row, column = range(len(request.shape))
        order: list[tuple[int, int | None]] = [(d, None) for d in (*outer, column, row)]
        order += [(row, _FRACTAL_ROWS), (column, block)]
        return ordered(request.shape, names_for(request), tuple(order), self.text)


def read(text: str) -> Spec:
    if text == _FRACTAL_NZ:
        return AscendSpec(text)
    if ascend := _ascend(text):
        return AscendSpec(text, *ascend)
    text = whole(text)
    letters = letters_of(text)
    if not letters:
        raise unreadable(text, 0, phrase("letters"))
    canonical = _canonical(letters)
    if canonical is None:
        at = next(i for i in range(len(letters)) if _canonical(letters[: i + 1]) is None)
        raise unreadable(text, at, phrase("letters.all"))
    for at, letter in enumerate(letters):
        if letter in letters[:at]:
            raise unreadable(text, at, phrase("letters.once"))
    block = _block(text, letters)
    names = "".join(c for c in canonical if c in letters)
    return OrderSpec.of_tag(text, letters + (f"{block}c" if block else ""), names)


def _block(text: str, letters: str) -> int | None:
    tail = text[len(letters) :]
    if not tail:
        return None
    wrong = next((i for i, c in enumerate(tail) if c not in "0123456789"), None)
    if wrong is not None:
        raise unreadable(text, len(letters) + wrong, phrase("letters.block"))
    if tail.startswith("0") or len(tail) > _MAX_BLOCK_DIGITS:
        raise LayoutError("layout", tail, phrase("letters.block_size"), position=len(letters))
    if "C" not in letters:
        raise unreadable(text, len(letters), phrase("letters.no_block"))
    return int(tail)


def write(layout: Layout, _dtype: ElementType, order: DigitOrder | None) -> str:
    """The letters in memory order, then C's block."""
    if not layout.rank or _canonical(layout.dims) is None:
        raise CannotSayError("letters.names")
    letters = "".join(layout.dims[d] for d in outer_order(layout, order))
    inner = [g.extent for digits in layout.digits for g in digits[1:]]
    block = str(inner[-1]) if inner else ""
    possible = not inner or ("C" in letters and 0 < inner[-1] < 10**_MAX_BLOCK_DIGITS)
    tag = letters + (f"{block}c" if block else "")
    if not possible or not order_is_layout(order_of_tag(tag, layout.dims), layout):
        raise CannotSayError("letters.packed")
    return letters + block


DIALECT = Dialect(
    "letters", "letters", "Formats", recognises, read, write, words=(*_ASCEND, _FRACTAL_NZ)
)
