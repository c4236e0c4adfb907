"""Predicates and sizes against PyTorch, oneDNN and counting."""

from dataclasses import replace

import pytest
from hypothesis import given

from app.engine import Layout, describe, offsets_of, parse_dtype
from app.engine.description.properties import OF_PYTORCH, properties
from app.engine.model.layout import Digit, Swizzle
from app.engine.notation import Request, read_layout
from app.engine.notation.orders import Blocking, blocking
from tests.engine.strategies import any_layouts, enumerate_addresses
from tests.examples import examples
from tests.places import golden_rows


def test_pytorch_s_predicates_on_every_golden_row() -> None:
    wrong = []
    for row in golden_rows("torch_predicates"):
        layout = Layout.strided(row["shape"], row["strides"])
        p = properties(layout)
        got = {
            "contiguous": p.contiguous,
            "channels_last": p.channels_last,
            "channels_last_3d": p.channels_last_3d,
            "non_overlapping_and_dense": p.dense,
            "storage_elements": layout.span_elements,
        }
        if any(row[k] != v for k, v in got.items()):
            wrong.append((row, got))
    assert wrong == []


def test_onednn_s_tags_on_every_golden_row() -> None:
    wrong = []
    for row in golden_rows("onednn_tags"):
        dtype = parse_dtype(row["dtype"])
        written = read_layout(row["tag"], Request(tuple(row["shape"]), None, dtype))
        layout = written.layout
        d = describe(written, dtype)
        assert d.blocking is not None
        got = {
            "primary": d.notations["onednn"].get("text"),
            "padded_shape": list(d.padded_shape),
            "strides": list(d.blocking.outer_strides),
            "inner_blocks": [list(b) for b in d.blocking.inner_blocks],
            "buffer_bytes": d.buffer.per_system["onednn"],
            "offsets": offsets_of(layout, row["coordinates"]).tolist(),
        }
        if any(row[k] != v for k, v in got.items()):
            wrong.append((row, got))
    assert wrong == []


@examples(200)
@given(any_layouts())
def test_what_pytorch_reads_from_strides_does_not_apply_without_them(layout: Layout) -> None:
    found = describe(layout, parse_dtype("float32"))
    assert found.not_applicable == (OF_PYTORCH if found.strides is None else ())
    assert not any(getattr(found.properties, name) for name in found.not_applicable)


@examples(500)
@given(any_layouts())
def test_properties_are_those_of_counting(layout: Layout) -> None:
    owners = enumerate_addresses(layout, layout.shape)
    p = properties(layout)
    distinct = len(owners)
    assert p.overlapping == (distinct < layout.elements)
    assert p.packed == (distinct == layout.elements == layout.buffer_elements)
    # With both overlap and unfilled blocks the answer may be left open, never wrong.
    assert p.padded in {layout.buffer_elements > distinct, None}
    if layout.padded_shape == layout.shape:
        assert p.padded is not None


@pytest.mark.parametrize(
    ("strides", "elements", "expected"),
    [
        ((3, 1), 10, {"packed": False, "padded": True, "broadcast": False}),
        ((0, 1), None, {"packed": False, "padded": False, "broadcast": True, "overlapping": True}),
        ((1, 1), None, {"packed": False, "padded": False, "broadcast": False, "overlapping": True}),
        ((1, 3), None, {"packed": False, "padded": True, "overlapping": False}),
    ],
)
def test_properties_of_two_by_three(
    strides: tuple[int, int], elements: int | None, expected: dict[str, bool]
) -> None:
    p = properties(Layout.strided((2, 3), strides), buffer_elements=elements)
    assert {k: getattr(p, k) for k in expected} == expected


def test_padding_among_shared_addresses_of_blocks_not_filled_is_left_open() -> None:
    layout = Layout((2**27 - 1,), "W", ((Digit(2**25, 1), Digit(4, 1)),))
    found = properties(layout)
    assert (found.overlapping, found.packed, found.padded) == (True, False, None)


@pytest.mark.parametrize("most_bits", [0, 1 << 24], ids=["a sorted list", "a set of bits"])
@pytest.mark.parametrize(("step", "padded"), [(1, False), (2, True)])
def test_swizzled_addresses_are_counted_before_the_swizzle(
    monkeypatch: pytest.MonkeyPatch, most_bits: int, step: int, *, padded: bool
) -> None:
    monkeypatch.setattr("app.engine.inverse.overlap._MOST_BITS", most_bits)
    layout = replace(Layout.strided((16, 16), (step, step)), swizzle=Swizzle(1, 0, 1))
    found = properties(layout)
    assert (found.overlapping, found.padded) == (True, padded or layout.buffer_elements > 31)


def test_blocks_of_one_dimension_lie_in_memory_in_their_own_order() -> None:
    digits = (Digit(1, 4), Digit(2, 2), Digit(2, 1))
    assert blocking(Layout((4,), "W", (digits,))) == Blocking((4,), ((2, 0), (2, 0)))
    assert blocking(Layout((4,), "W", ((digits[0], *digits[:0:-1]),))) is None
