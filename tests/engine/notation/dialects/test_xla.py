"""XLA against its documentation's own definition: pad, reshape, transpose, once per tile."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine import LayoutError, offset_map
from app.engine.model.layout import Digit, Layout
from app.engine.notation.dialects import xla
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read, unsaid
from tests.engine.strategies import packed_layouts, shapes
from tests.examples import examples

DIALECT = xla.DIALECT


def tiled(memory: checks.Array, tile: list[int]) -> checks.Array:
    """One tile over the most minor dimensions of a physical array."""
    first = memory.ndim - len(tile)
    minor = memory.shape[first:]
    after = [(0, 0)] * first + [(0, -n % t) for n, t in zip(minor, tile, strict=True)]
    memory = np.pad(memory, after)
    halves = itertools.chain(*((-(-n // t), t) for n, t in zip(minor, tile, strict=True)))
    axes = [*range(first), *range(first, memory.ndim + len(tile), 2)]
    inner = range(first + 1, memory.ndim + len(tile), 2)
    return memory.reshape(*memory.shape[:first], *halves).transpose([*axes, *inner])


def filled(array: checks.Array, minor_to_major: list[int], tiles: list[list[int]]) -> checks.Array:
    memory = array.transpose(minor_to_major[::-1])
    for tile in tiles:
        memory = tiled(memory, tile)
    return memory


def text_of(minor_to_major: list[int], tiles: list[list[int]]) -> str:
    listed = ",".join(map(str, minor_to_major))
    return (
        "{" + listed + (":T" if tiles else "") + "".join(f"({str(t)[1:-1]})" for t in tiles) + "}"
    )


@examples(600)
@given(st.data())
def test_tiles_pad_reshape_and_transpose(data: st.DataObject) -> None:
    shape = data.draw(shapes(most=9, max_rank=3))
    order = list(data.draw(st.permutations(range(len(shape)))))
    tiles: list[list[int]] = []
    rank = len(shape)
    for _ in range(data.draw(st.integers(0, 3)) if shape else 0):
        extents = st.lists(
            st.sampled_from([1, 1, 2, 2, 4, 8, 3]), min_size=1, max_size=min(rank, 5)
        )
        tiles.append(data.draw(extents))
        rank += len(tiles[-1])
    text = text_of(order, tiles)
    assert DIALECT.recognises(text)
    layout = checks.attempt(DIALECT, text, shape)
    if isinstance(layout, LayoutError):
        assert "ragged" in layout.expectation
        assert layout.position is not None
        assert text[layout.position].isdigit()
        return
    checks.check_memory(layout, lambda x: filled(x, order, tiles))
    assert checks.check_round_trip(DIALECT, layout)
    assert checks.respelled(DIALECT, text, shape) == layout


@examples(600)
@given(shapes(most=9, max_rank=4).flatmap(packed_layouts))
@example(Layout.packed((2, 3), "HW", [(0, None), (0, 1), (1, None)] + [(0, 1)] * 9))
@example(Layout.packed((3, 5), "HW", [(1, 2), (0, None), (1, None)]))
def test_every_dense_order_with_blocks_can_be_written(layout: Layout) -> None:
    assert checks.check_round_trip(DIALECT, layout)


@pytest.mark.parametrize(
    ("text", "shape", "coordinate", "address"),
    [
        ("f32[3,5]{1,0:T(2,2)}", (3, 5), (2, 3), 17),
        ("bf16[8,8]{1,0:T(2,4)(2,1,1,1)}", (8, 8), (6, 5), 51),
        ("bf16[4,8]{1,0:T(2,4)(2,1)}", (4, 8), (1, 2), 5),
        ("f32[2,3]{0,1}", (2, 3), (1, 0), 1),
        ("{0:T(1024)(128)(2,1)}", (3000,), (1025,), 1026),
        ("bf16[1,256]{1,0:T(1,128)(2,1)}", (1, 256), (0, 129), 258),
        ("s4[8]{0:E(4)}", (8,), (7,), 7),
        ("f32[16,256]{1,0:T(8,128)S(1)}", (16, 256), (1, 128), 1152),
        ("{}", (), (), 0),
        ("f32[]{:S(1)}", (), (), 0),
    ],
)
def test_figures_of_the_documentation(
    text: str, shape: tuple[int, ...], coordinate: tuple[int, ...], address: int
) -> None:
    assert offset_map(read(DIALECT, text, shape))[coordinate] == address


@pytest.mark.parametrize(
    ("order", "text"),
    [
        ([(0, None), (1, None), (2, None), (3, None), (1, 4)], "{3,2,1,0:T(4,1,1)}"),
        ([(0, None), (2, None), (3, None), (1, None)], "{1,3,2,0}"),
        ([(0, None), (1, None), (2, None), (3, None), (2, 8), (3, 128)], "{3,2,1,0:T(8,128)}"),
        (
            [(0, None), (1, None), (2, None), (3, None), (2, 4), (3, 128), (2, 2)],
            "{3,2,1,0:T(8,128)(2,1)}",
        ),
    ],
)
def test_tiles_are_written_as_xla_does(order: list[tuple[int, int | None]], text: str) -> None:
    layout = Layout.packed((2, 16, 32, 256), "NCHW", order)
    assert xla.DIALECT.write(layout, checks.FLOAT32) == f"f32[2,16,32,256]{text}"


test_a_refusal_to_write_says_why = unsaid(
    DIALECT,
    [
        (Layout.strided((2, 3), (5, 1)), "no gaps"),
        (Layout.strided((2, 3), (0, 1)), "no gaps, no broadcast"),
        (Layout.strided((3,), (-1,), 2), "no negative strides"),
        (Layout.strided((2, 3), (3, 1), 1), "begins at address 0"),
        (Layout.packed((0, 5), "HW", [(1, None), (1, 2), (0, None)]), "extent of 0"),
        # Bits reversed: as many tiles as bits.
        (Layout((2**60,), "W", (tuple(Digit(2, 2**k) for k in range(60)),)), "2048 characters"),
    ],
)


MALFORMED = [
    Malformed("f32[ ] { }", 7, "a scalar has no braces", ()),
    Malformed("f32[]{:T(128)}", 8, "at most 0 extents", ()),
    Malformed("{1,0", 4, "a comma, a colon or }", (2, 3)),
    Malformed("{1,2}", 3, "each dimension from 0 to 1 once", (2, 3)),
    Malformed("{1,0:T(0,2)}", 7, "the extent of a tile, from 1", (2, 3)),
    Malformed("{1,0:T(*,2)}", 7, "* merges dimensions", (2, 3)),
    Malformed("{1,0:T(2,2,2)}", 6, "at most 2 extents", (2, 3)),
    Malformed("{1,0:T(8,128)(3,1)}", 14, "ragged", (20, 300)),
    Malformed("{1,0:T(2,2}", 10, "a comma or )", (2, 3)),
    Malformed("{1,0:T 2}", 7, "(", (2, 3)),
    Malformed("{1,0:S(1)T(2,2)}", 9, "T(...), then", (2, 3)),
    Malformed("{1,0:D(D,C)}", 5, "sparse", (2, 3)),
    Malformed("{1,0:T(2,2)L(4)}", 11, "padding at the end", (2, 3)),
    Malformed("{1,0:SC(0:1)}", 5, "split", (2, 3)),
    Malformed("{1,0:P(f32[2])}", 5, "physical shape", (2, 3)),
    Malformed("{1,0:M(8)}", 5, "dynamic sizes", (2, 3)),
    Malformed("{1,0:E(4)}", 5, "E(32)", (2, 3)),
    Malformed("f32[2,3]{0}", 10, "2 dimensions in braces", (2, 3)),
    Malformed("f32[2,?]{1,0}", 6, "a static size", (2, 3)),
    Malformed("token[]", 0, "an array", (2, 3)),
    Malformed("f32[3,2]{1,0}", None, "(3, 2), the sizes", (2, 3)),
    Malformed("{2,1,0}", None, "3 sizes", (2, 3)),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)


def test_a_hundred_tiles_of_one_are_read_at_once() -> None:
    layout = read(DIALECT, "{0:T" + "(1)" * 300 + "}", (7,))
    assert layout.strides == (1,)
    assert math.prod(layout.padded_shape) == 7
