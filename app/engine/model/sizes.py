"""Sizes and letters of dimensions: what is checked of them, and strides without gaps."""

import math
from collections.abc import Sequence
from typing import Any

from .arrays import INT64_MAX
from .errors import Described, LayoutError, integer_range, phrase, refusal

MAX_RANK = 52
_GENERIC_DIMS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIMS_BY_RANK = ("", "W", "HW", "CHW", "NCHW", "NCDHW")
_MOST_DIMENSIONS = phrase("dimensions.most", most=MAX_RANK)


def default_dims(rank: int) -> str:
    """Names for a layout given by strides alone: W, HW, CHW, NCHW, NCDHW, else a, b, c…"""
    return _DIMS_BY_RANK[rank] if rank < len(_DIMS_BY_RANK) else _GENERIC_DIMS[:rank]


def unused_dim(dims: str) -> str:
    """The first letter that names no dimension of ``dims``."""
    if len(dims) >= MAX_RANK:
        raise LayoutError("dim", Described("one dimension more"), _MOST_DIMENSIONS)
    return next(c for c in _GENERIC_DIMS if c not in dims)


def packed_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides without gaps, in elements; sizes of 0 count as 1, as in NumPy."""
    inside = [1]
    for n in reversed(sizes[1:]):
        inside.append(inside[-1] * (n or 1))
    return tuple(reversed(inside)) if sizes else ()


def check_shape(shape: tuple[Any, ...]) -> None:
    """Check that sizes are integers from 0 to 2^63-1, at most MAX_RANK, product within int64.

    Errors: LayoutError naming ``shape`` or the size.
    """
    if len(shape) > MAX_RANK:
        raise LayoutError("shape", shape, _MOST_DIMENSIONS)
    for d, size in enumerate(shape):
        if type(size) is not int or not 0 <= size <= INT64_MAX:
            raise LayoutError(f"shape[{d}]", size, integer_range(0, "2^63-1"))
    checked_product("shape", shape)


def checked_product(field_name: str, sizes: Sequence[int]) -> int:
    """Product of the sizes; zeros count as 1, as in NumPy.

    Errors: LayoutError naming ``field_name`` if the product exceeds int64.
    """
    product = math.prod(sizes if 0 not in sizes else [n or 1 for n in sizes])
    if product > INT64_MAX:
        got = "sizes whose product (with padding) exceeds 2^63-1"
        raise refusal(field_name, got, "elements.int64")
    return product
