"""A small program of a user's: its types are checked and it is run, both with the wheel alone."""

from collections.abc import Sequence
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import stridescope
from stridescope import Description, Layout, LayoutError, Owners, Plan

Addresses = npt.NDArray[np.int64]

nchw4: Layout = stridescope.parse_layout("NCHW4", (2, 6, 3, 3))
nhwc = stridescope.parse_layout("NHWC", nchw4.shape, dtype=stridescope.parse_dtype("f32"))
assert_type(nhwc, Layout)
assert_type(nchw4.digits, tuple[tuple[stridescope.Digit, ...], ...])
assert_type(nchw4.physical_shape, tuple[int, ...] | None)
assert_type(nchw4.swizzle, stridescope.Swizzle | None)

described = stridescope.describe(nchw4, dtype="float16")
assert_type(described, Description)
assert_type(stridescope.describe("(5, 1)", [2, 3], elements=20), Description)
assert_type(described.buffer.bytes, int)
assert described.buffer.bytes == 288

at = stridescope.offsets(nchw4, [[1, 5, 0, 2]])
assert_type(at, Addresses)
assert_type(stridescope.offset_map(nchw4), Addresses)
assert_type(stridescope.coordinates(nchw4, at), Addresses)
assert stridescope.offset_map(nchw4)[1, 5, 0, 2] == at[0] == 117

owner = stridescope.owners(nchw4, at)
assert_type(owner, Owners)
assert stridescope.KINDS[owner.kinds[0]] == "element"

planned = stridescope.plan(nchw4, nhwc)
assert_type(planned, Plan)
values: npt.NDArray[np.float32] = np.arange(144, dtype=np.float32)
moved = stridescope.reorder(values, nchw4, nhwc, threads=1)
assert_type(moved, npt.NDArray[Any])
assert moved[stridescope.offsets(nhwc, [[1, 5, 0, 2]])[0]] == 117

steps: Sequence[dict[str, object]] = [{"op": "permute", "dims": [0, 2, 3, 1]}]
assert_type(stridescope.view(nhwc, steps), Layout)
assert stridescope.view(nhwc, steps).strides == (54, 18, 6, 1)
assert stridescope.index_expression(nhwc, "0, ::-1").offsets().shape == (6, 3, 3)
assert stridescope.window(nhwc, (0, 0, 0, 0), nhwc.shape, (1, 2, 1, 1)).shape == (2, 3, 3, 3)
assert_type(stridescope.__version__, str)

try:
    stridescope.parse_layout("NCHX", (2, 6, 3, 3))
except LayoutError as refused:
    found = (refused.field, refused.position)
else:
    raise SystemExit("NCHX was read")
assert_type(found, tuple[str, int | None])
assert found == ("layout", 3)

# What a type checker must refuse; where it would not, --strict calls the comment unused.
try:
    stridescope.ofsets  # type: ignore[attr-defined]  # noqa: B018  # no such name: it has to be refused
except AttributeError:
    print("as expected")  # noqa: T201  # the test reads it
