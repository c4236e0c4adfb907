"""Python: the address as an index expression, in elements, in the letters of the dimensions.

Letters are the dimensions' (n, c, h, w…), in either case; a dimension that does not occur has
stride 0. ``//`` and ``%`` split one dimension into blocks; sizes that these do not divide are
padded. It works on integers and on index arrays alike: ``n, c, h, w = np.indices(shape)``.

Grammar:
    index   = sum [ "^" "(" "(" sum "&" mask ")" (">>" | "<<") integer ")" ]
    sum     = ["-"] term { ("+" | "-") term }
    term    = factor { ("*" | "//" | "%" | "<<" | ">>" | "&") integer | "*" factor }
    factor  = integer | letter | "(" sum ")"

Example: n*576 + c//4*36 + h*12 + w*4 + c%4 with shape (2, 64, 3, 3): NCHW4.

Trap: / makes a fraction in Python; whole division is //. Both of these and % bind as tightly as *
and from the left, and ^ binds more loosely than +.

Source: The Python Language Reference, 6.7 Binary arithmetic operations and 6.17 Precedence.
"""

from __future__ import annotations

from ...dtypes import ElementType
from ...layout import Layout
from ..dialect import Dialect
from ..grammar import index_dialect
from ..grammar.index_dialect import IndexSpec
from ..specs import DigitOrder

_DIVISION = "//"


def recognises(text: str) -> bool:
    """Whether ``text`` is letters and integers with Python's operators between them."""
    return "/" not in text.replace("//", "") and index_dialect.looks_like_index(text)


def read(text: str) -> IndexSpec:
    """An index expression; errors mark the character at fault."""
    return index_dialect.read(text, _DIVISION, "python", recognises)


def write(layout: Layout, _dtype: ElementType, _order: DigitOrder | None) -> str:
    """The expression, outermost in memory first."""
    return index_dialect.write(layout, _DIVISION)


DIALECT = Dialect(
    "python", "Python index", "Index expressions", recognises, read, write, says_swizzle=True
)
