"""Python: the address in elements, as an index expression in the letters of the dimensions.

The letters are the dimensions' (n, c, h, w…), in upper or lower case. A dimension that does not
occur has stride 0. A capital beside its small letter is that dimension's size: h*W + w.
``//`` and ``%`` split one dimension into blocks; a size that is not a multiple of the block is
padded. The variables may be integers or index arrays: ``n, c, h, w = np.indices(shape)``.

Grammar:
    index   = sum [ "^" "(" "(" sum "&" mask ")" (">>" | "<<") integer ")" ]
    sum     = ["-"] term { ("+" | "-") term }
    term    = factor { ("*" | "//" | "%" | "<<" | ">>" | "&") integer | "*" factor }
    factor  = integer | letter | "(" sum ")"

Example: n*576 + c//4*36 + h*12 + w*4 + c%4 with shape (2, 64, 3, 3): NCHW4.

Trap: / makes a fraction in Python; integer division is //. The operators /, //, % and * have the
same precedence, from left to right. The precedence of ^ is lower than that of +.

Source: The Python Language Reference, 6.7 Binary arithmetic operations and 6.17 Precedence.
"""

from ..grammar import index_dialect
from ..specs import Spec


def read(text: str) -> Spec:
    return index_dialect.read(text, "//", DIALECT)


DIALECT = index_dialect.dialect("python", "Python index", "//", read)
