"""Sizes beside a name such as NHWC, which people write in the order of the name or of N, C, H, W.

Elsewhere sizes are always those of N, C, H, W, as in a link of this program and in its command. In
a sentence only equal sizes of H and W tell: in 1x224x224x3 those in the order of the name, in
1x3x224x224 the others. Both readings are listed unless the sizes are equal in the order of N, C, H,
W alone.
"""

import re
from dataclasses import replace

from ...model.dtypes import DEFAULT, parse_dtype
from ...model.errors import LayoutError
from .. import read_spec
from ..specs import Request
from .found import Item
from .listed import Read, tensor_of

_Sizes = tuple[int, ...]
_OWN = re.compile(r"\b(?:shape|layout)=[^\s&]*&|--(?:shape|layout)\b")  # a link, or the command


def in_both_orders(read: Read, text: str) -> Read:
    """The same, with a tensor for each order where the sizes may be in either. The order of the
    name is first where H and W are of one size so, or C is that of an image so and not else."""
    shape, name = read.shape, read.layout or ""
    if shape is None or not name.isalpha() or len(read.tensors) > 1 or _OWN.search(text):
        return read
    dtype = parse_dtype(read.dtype) if read.dtype else DEFAULT
    try:
        dims = read_spec(name).apply(Request(shape, None, dtype)).layout.dims
    except LayoutError:
        return read
    order = name.upper()
    if order == dims or sorted(order) != sorted(dims):
        return read
    named = tuple(shape[order.index(letter)] for letter in dims)
    square = _is_square(shape, order)
    if named == shape or (_is_square(shape, dims) and not square):
        return read
    image = _is_image(shape, order) and not _is_image(shape, dims)
    both = [(named, order), (shape, dims)]
    one = read.tensors[0] if read.tensors else None
    whose, line = (f"{one.role}, " if one and one.role else "", one.line if one else 1)
    tensors = tuple(
        replace(tensor_of(Item(0, sizes, read.dtype, name, f"{whose}sizes as {said}")), line=line)
        for sizes, said in (both if square or image else both[::-1])
    )
    return replace(read, shape=tensors[0].shape, system=None, tensors=tensors)


def _is_square(sizes: _Sizes, order: str) -> bool:
    """Whether sizes in this order have one for H and W."""
    return {"H", "W"} <= {*order} and sizes[order.index("H")] == sizes[order.index("W")]


def _is_image(sizes: _Sizes, order: str) -> bool:
    """Whether sizes in this order have the channels of an image: grey, RGB or RGBA."""
    return "C" in order and sizes[order.index("C")] in {1, 3, 4}
