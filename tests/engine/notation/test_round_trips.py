"""What any dialect writes, it reads back, compared address by address."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, offset_map, parse_dtype
from app.engine.notation import DIALECTS, Request, Written, notations, read_layout
from app.engine.notation.dialect import Dialect
from tests.engine.notation.dialects.dense_checks import arbitrary_layouts, check_round_trip
from tests.engine.strategies import REGISTER_BLOCKS, Choice, Nest, Seeded, nested, packed, swizzle
from tests.examples import examples, fewer

LAYOUTS = fewer(2_500)
# An expression of an empty layout may be written again in fewer terms.
WRITTEN_AGAIN = [d for d in DIALECTS if d.family != "Index expressions"]
NAMES = ("W", "HW", "CHW", "NCHW", "NCHW", "NCHW", "NCDHW", "OIHW", "GOIHW", "ab")
SIZES = (1, 2, 3, 4, 5, 8, 12, 16)
STRIDED = Nest(multiples=(0, 1, 1, 2, 3, 5), signs=(1, 1, 1, -1), offsets=(0, 0, 7))


def named_layout(choice: Choice) -> Layout:
    """Blocked, padded, permuted, strided, offset, flipped, broadcast or swizzled."""
    dims = choice.of(NAMES)
    shape = tuple(choice.of(SIZES) for _ in dims)
    if choice.of((1, 1, 1, 0, 0)):
        return packed(choice, shape, dims=dims, blocks=REGISTER_BLOCKS)
    layout = nested(choice, [[n] for n in shape], STRIDED, dims=dims)
    if choice.of((1, 0, 0, 0, 0)):
        return replace(layout, swizzle=swizzle(choice, bits=2, base=3, shift=3))
    return layout


@pytest.mark.parametrize("dialect", WRITTEN_AGAIN, ids=lambda d: d.system)
@examples(500)
@given(arbitrary_layouts(), st.sampled_from(["float32", "int8", "float16", "int4"]))
def test_what_is_written_reads_back_and_is_written_again(
    dialect: Dialect, layout: Layout, dtype: str
) -> None:
    check_round_trip(dialect, layout, parse_dtype(dtype))


def test_every_dialect_reads_what_it_writes() -> None:
    """And what it shows for the text is read as the same layout, without further help."""
    choice = Seeded(3)
    written: Counter[str] = Counter()
    for number in range(LAYOUTS):
        layout = named_layout(choice)
        dtype = parse_dtype(choice.of(("float32", "int8", "float16", "int4")))
        addresses = offset_map(layout)
        for system, words in notations(layout, dtype).items():
            if "text" not in words:
                continue
            text = f"{system}:{words['text']}"
            forced = read_layout(text, Request(layout.shape, layout.dims, dtype))
            again = forced.layout
            assert np.array_equal(offset_map(again), addresses), (text, layout)
            assert again.buffer_elements == layout.buffer_elements, (text, layout)
            written[system] += 1
            if number % 8 == 0:
                check_spelling(text, Request(layout.shape, layout.dims, dtype), forced)
                check_spelling(text, Request(layout.shape, None, dtype), None)
    assert sum(written.values()) >= 4 * LAYOUTS
    assert set(written) == {d.system for d in DIALECTS}
    assert min(written.values()) >= LAYOUTS // 200, written


def check_spelling(text: str, request: Request, forced: Written | None) -> None:
    """The spelling of a forced notation reads as its layout. None: the text's names may not fit."""
    if forced is None:
        try:
            forced = read_layout(text, request)
        except LayoutError:
            return
    again = read_layout(forced.spelling, request)
    assert (again.layout, again.spelling) == (forced.layout, forced.spelling)


@pytest.mark.parametrize(
    ("text", "shape", "spelling"),
    [
        ("megengine:(32, 4)", (2, 4), "megengine:(32, 4)"),
        ("python:w", (2, 3), "python:w"),
        ("python:h*3 + w", (2, 3), "h*3 + w"),
        ("c:3 - w", (2, 3), "c:3 - w"),
        ("tvm:ADBC", (2, 3, 4, 5), "tvm:ADBC"),
        ("cudnn:NCHW", (2, 3, 4), "cudnn:NCHW"),
        ("cudnn:NCHW", (2, 3, 4, 5), "NCHW"),
        ("onednn:nchw", (2, 3, 4, 5), "nchw"),
        ("pytorch: channels_last", (2, 3, 4, 5), "channels_last"),
        ("numpy:(12, 4)", (2, 3), "(3, 1)"),
        ("numpy:C", (2, 3), "numpy:C"),
        ("TVM:ADBC", (2, 3, 4, 5), "tvm:ADBC"),
    ],
)
def test_a_prefix_stays_where_the_text_alone_is_other_memory(
    text: str, shape: tuple[int, ...], spelling: str
) -> None:
    assert read_layout(text, Request(shape)).spelling == spelling
