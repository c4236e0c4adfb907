"""What a named format's summary says of its block, against the digits of the layout."""

import re

from app.engine.model.dtypes import DEFAULT
from app.engine.notation import read_spec
from app.engine.notation.formats import FORMATS
from app.engine.notation.specs import Request

# The block as a summary names it, the innermost dimension last.
BLOCK = re.compile(r"(\d+) (output|input)(?:,| and) (\d+) (output|input) channels")
SIZES = {"O": 32, "I": 32}


def test_a_block_of_two_dimensions_is_named_as_it_lies() -> None:
    checked = 0
    for each in FORMATS:
        if not (block := BLOCK.search(each.summary)):
            continue
        shape = tuple(SIZES.get(dim, 2) for dim in each.dims)
        spec = read_spec(f"{each.system}:{each.name}")
        layout = spec.apply(Request(shape, None, DEFAULT)).layout
        placed = zip(each.dims, layout.digits, strict=True)
        digits = sorted((g.stride, g.extent, dim) for dim, of_dim in placed for g in of_dim)
        outer, inner = digits[1][1:], digits[0][1:]
        said = (int(block[1]), block[2][0].upper()), (int(block[3]), block[4][0].upper())
        assert said == (outer, inner), each
        checked += 1
    assert checked >= 8
