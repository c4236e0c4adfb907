"""C: the address in elements, as an index expression in the letters of the dimensions.

The letters are the dimensions' (n, c, h, w…), in upper or lower case. A dimension that does not
occur has stride 0. A capital beside its small letter is that dimension's size: h*W + w.
``/`` and ``%`` split one dimension into blocks; a size that is not a multiple of the block is
padded. ``x ^ ((x & mask) >> s)`` is a swizzle.

Grammar:
    index   = sum [ "^" "(" "(" sum "&" mask ")" (">>" | "<<") integer ")" ]
    sum     = ["-"] term { ("+" | "-") term }
    term    = factor { ("*" | "/" | "%" | "<<" | ">>" | "&") integer | "*" factor }
    factor  = integer | letter | "(" sum ")"

Example: n*576 + c/4*36 + h*12 + w*4 + c%4 with shape (2, 64, 3, 3): NCHW4.

Trap: / and * have the same precedence, from left to right: c/4*36 is (c/4)*36, not c/(4*36).
Variables of type int overflow above 2^31-1 elements, long before memory is full: declare them as
size_t or int64_t.

Source: ISO C 6.5.5 to 6.5.12 for precedence; CUTLASS include/cute/swizzle.hpp for the XOR.
"""

from ..grammar import index_dialect
from ..specs import Spec


def read(text: str) -> Spec:
    return index_dialect.read(text, "/", DIALECT)


DIALECT = index_dialect.dialect("c", "C index", "/", read)
