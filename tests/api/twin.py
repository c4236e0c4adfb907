"""A NumPy twin of the address rules, written from the formula alone, without a look at the engine.

Every map below is an int64 array of the tensor's logical shape that holds, at each coordinate,
the address of that element in elements.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import numpy as np
from numpy.typing import NDArray

from app.engine import Layout
from tests.engine.strategies import Choice, Nest, nested

Json = dict[str, Any]
IntArray = NDArray[np.int64]

API = "/api/v1"
CANONICAL = "NCDHW"
SPREAD = Nest(first=(1, 2, 3), gaps=(0, 1, 2), signs=(1, -1), offsets=range(4))


@dataclass(frozen=True, slots=True)
class Laid:
    """One layout over one shape: how a request names it and where its elements must lie."""

    id: str
    layout: str | Json
    dims: str
    map: IntArray
    buffer_elems: int

    @property
    def tensor(self) -> Json:
        return {"shape": list(self.map.shape), "layout": self.layout, "dims": self.dims}


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


def blocked(shape: Sequence[int], block: int) -> IntArray:
    """Map of NCHWx: physical shape [N, ceil(C/x), H, W, x]."""
    n, c, h, w = shape
    outer = -(-c // block)
    numbered = np.arange(n * outer * h * w * block, dtype=np.int64)
    split = numbered.reshape(n, outer, h, w, block).transpose(0, 1, 4, 2, 3)
    return split.reshape(n, outer * block, h, w)[:, :c]


def blocked_chwn(shape: Sequence[int], block: int) -> IntArray:
    """Map of CHWNx: physical shape [ceil(C/x), H, W, N, x]."""
    n, c, h, w = shape
    outer = -(-c // block)
    numbered = np.arange(n * outer * h * w * block, dtype=np.int64)
    split = numbered.reshape(outer, h, w, n, block).transpose(3, 0, 4, 1, 2)
    return split.reshape(n, outer * block, h, w)[:, :c]


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


def scattered(
    where: IntArray, values: Sequence[object], buffer_elems: int, empty: object
) -> list[object]:
    """Buffer in address order: the k-th element in row-major order receives the k-th value."""
    buffer = [empty] * buffer_elems
    for address, value in zip(where.ravel().tolist(), values, strict=True):
        buffer[address] = value
    return buffer


def labelled(where: IntArray, buffer_elems: int) -> list[object]:
    """What a reorder without values must answer: row-major labels, null in padding and gaps."""
    return scattered(where, range(where.size), buffer_elems, None)


def named(shape: Sequence[int], order: str) -> Laid:
    """A packed format by name."""
    where = permuted(order, shape)
    return Laid(order, order, canonical(order), where, where.size)


def channel_blocked(shape: Sequence[int], block: int) -> Laid:
    """NCHWx with its padded channels."""
    n, c, h, w = shape
    elems = n * -(-c // block) * block * h * w
    return Laid(f"NCHW{block}", f"NCHW{block}", "NCHW", blocked(shape, block), elems)


def chwn_blocked(shape: Sequence[int], block: int) -> Laid:
    """CHWNx with its padded channels."""
    n, c, h, w = shape
    elems = n * -(-c // block) * block * h * w
    return Laid(f"CHWN{block}", f"CHWN{block}", "NCHW", blocked_chwn(shape, block), elems)


def spelled(layout: Layout) -> Laid:
    """A random layout of one digit per dimension, its addresses by this module's own formula."""
    strides = [digit.stride for (digit,) in layout.digits]
    where = strided(layout.shape, strides, layout.offset)
    spelling: Json = {"strides": strides, "offset": layout.offset}
    return Laid(f"{strides}+{layout.offset}", spelling, layout.dims, where, int(where.max()) + 1)


def spread(choice: Choice, shape: Sequence[int]) -> Laid:
    """Distinct addresses with random order, gaps, flips and a random offset."""
    return spelled(nested(choice, [[n] for n in shape], SPREAD, dims="NCHW"))


def any_laid(choice: Choice, shape: Sequence[int]) -> Laid:
    """Four dimensions in a packed order, in blocks of their channels, or spread."""
    order, block = "".join(choice.order("NCHW")), choice.of(range(1, 9))
    makers: Sequence[Callable[[], Laid]] = (
        lambda: named(shape, order),
        lambda: channel_blocked(shape, block),
        lambda: chwn_blocked(shape, block),
        lambda: spread(choice, shape),
    )
    return choice.of(makers)()
