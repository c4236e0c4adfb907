"""A NumPy twin of the address rules, written from the formula alone, without a look at the engine.

Every map below is an int64 array of the tensor's logical shape that holds, at each coordinate,
the address of that element in elements.
"""

from collections.abc import Sequence
from typing import Any

import httpx2
import numpy as np
from numpy.typing import NDArray

Json = dict[str, Any]
IntArray = NDArray[np.int64]

API = "/api/v1"
CANONICAL = "NCDHW"


def post(client: httpx2.Client, path: str, body: Json) -> Json:
    """Answer of a call that must succeed."""
    response = client.post(f"{API}{path}", json=body)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def describe(
    client: httpx2.Client, shape: Sequence[int], layout: str | Json, **more: object
) -> Json:
    """Description of a tensor that must be accepted."""
    return post(client, "/describe", {"shape": list(shape), "layout": layout, **more})


def canonical(letters: str) -> str:
    """The letters in the order in which a shape lists its sizes."""
    return "".join(sorted(letters, key=CANONICAL.index))


def permuted(order: str, shape: Sequence[int]) -> IntArray:
    """Map of a packed format that names its dimensions from outermost to innermost in memory."""
    dims = canonical(order)
    in_memory = [shape[dims.index(letter)] for letter in order]
    numbered = np.arange(np.prod(in_memory, dtype=np.int64), dtype=np.int64).reshape(in_memory)
    return numbered.transpose([order.index(letter) for letter in dims])


def blocked(shape: Sequence[int], block: int, order: str = "NCHW") -> IntArray:
    """Map of NCHWx, of physical shape [N, ceil(C/x), H, W, x], or of CHWNx."""
    n, c, h, w = shape
    sizes = {"N": n, "C": -(-c // block), "H": h, "W": w}
    in_memory = [sizes[letter] for letter in order] + [block]
    numbered = np.arange(np.prod(in_memory, dtype=np.int64), dtype=np.int64).reshape(in_memory)
    split = numbered.transpose([*map(order.index, "NC"), 4, *map(order.index, "HW")])
    return split.reshape(n, -1, h, w)[:, :c]


def strided(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> IntArray:
    """Map of explicit strides in elements: the dot product of coordinates and strides."""
    where = np.full(tuple(shape), offset, dtype=np.int64)
    for axis, stride in enumerate(strides):
        steps = np.arange(shape[axis], dtype=np.int64) * stride
        where = where + steps.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return where


def decoded(description: Json) -> IntArray:
    """Map that a Description's digits spell: mixed radix per dimension, outermost digit first."""
    assert description["swizzle"] is None
    where = np.array(description["offset"], dtype=np.int64)
    for size, digits in zip(description["shape"], description["digits"], strict=True):
        rest = np.arange(size, dtype=np.int64)
        table = np.zeros(size, dtype=np.int64)
        for digit in reversed(digits):
            table += rest % digit["extent"] * digit["stride"]
            rest //= digit["extent"]
        assert not rest.any(), "the digits' extents do not cover the dimension"
        where = where[..., np.newaxis] + table
    return where


def labelled(where: IntArray, buffer_elems: int) -> list[int | None]:
    """What a reorder without values must answer: row-major labels, null in padding and gaps."""
    buffer: list[int | None] = [None] * buffer_elems
    for label, address in enumerate(where.ravel().tolist()):
        buffer[address] = label
    return buffer
