"""The text that a description shows for a layout is read as that layout, without further help."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from app.engine import LayoutError, offset_map, parse_dtype
from app.engine.notation import DIALECTS, Request, notations, read_layout
from tests.engine.notation.test_round_trips import named_layout
from tests.engine.strategies import Seeded

TYPES = tuple(map(parse_dtype, ("float32", "int8", "int4")))


def test_the_shown_text_of_a_forced_notation_gives_the_same_addresses() -> None:
    choice, compared = Seeded(9), Counter[str]()
    for _ in range(700):
        layout, dtype = named_layout(choice), choice.of(TYPES)
        for system, said in notations(layout, dtype).items():
            if "text" not in said:
                continue
            for dims in (layout.dims, None):
                request = Request(layout.shape, dims, dtype)
                try:
                    forced = read_layout(f"{system}:{said['text']}", request)
                except LayoutError:
                    assert dims is None  # the text's own names do not fit
                    continue
                again = read_layout(forced.spelling, request)
                assert again.layout == forced.layout
                assert again.spelling == forced.spelling
                assert np.array_equal(offset_map(again.layout), offset_map(forced.layout))
                compared[system] += 1
    assert set(compared) == {d.system for d in DIALECTS}
    assert min(compared.values()) > 20


@pytest.mark.parametrize(
    ("text", "shape", "spelling"),
    [
        ("megengine:(32, 4)", (2, 4), "megengine:(32, 4)"),
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
