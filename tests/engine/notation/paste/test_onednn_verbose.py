"""Tensors of oneDNN's verbose lines, compared with the descriptors that the library was given."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import parse_layout
from app.engine.model.errors import LayoutError
from app.engine.notation.paste.pasted import find_tensors, first_of
from app.engine.notation.paste.reading import read_text
from tests.places import golden_rows

ROWS = golden_rows("onednn_verbose")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['version']}-{row['line'][15:60]}")
def test_every_tensor_of_a_line_is_found_with_its_sizes(row: Mapping[str, Any]) -> None:
    found = read_text(row["line"]).tensors
    said = {one.role: one for one in found if one.problem is None}
    expected = {role: tuple(sizes) for role, sizes in row["sizes"].items()}
    assert {role: one.shape for role, one in said.items()} == expected
    for one in said.values():
        assert one.layout is not None
        assert one.shape is not None
        layout = parse_layout(one.layout, one.shape, one.dims, one.dtype or "")
        assert layout.shape == one.shape
        assert f",{one.source}," in row["line"]


def line_of(primitive: str, descriptors: str, problem: str, auxiliary: str = "") -> str:
    start = f"onednn_verbose,v1,primitive,exec,cpu,{primitive},jit:uni,undef,"
    return f"{start}{descriptors},attr-scratchpad:user,{auxiliary},{problem},0.5"


def test_the_dimensions_of_a_convolution_have_their_letters() -> None:
    line = line_of(
        "convolution",
        "src:f32::blocked:acdb::f0 wei:f32::blocked:abcde::f0 bia:f32::blocked:a::f0 "
        "dst:f32::blocked:acdb::f0",
        "g2mb1_ic4oc8_ih5oh5kh3sh1dh0ph1_iw5ow5kw3sw1dw0pw1",
    )
    assert [one.dims for one in read_text(line).tensors] == ["NCHW", "GOIHW", None, "NCHW"]


def test_what_cannot_be_read_has_its_reason_beside_what_can() -> None:
    line = line_of(
        "convolution",
        "src:f32:a:any:any::f0 wei:f32::wino:::f0 bia:undef::undef::: dst:f32:0:blocked:ab::f0 "
        "ws:u8::blocked:aBcd8b:64x64x8x1:f0 data:f32::blocked:*:f0",
        "mb1_ic4oc8_ih5oh5kh3sh1dh0ph1_iw5ow5kw3sw1dw0pw1",
    )
    problems = {one.role: one.problem or "" for one in read_text(f"{line}\nx.shape (2, 3)").tensors}
    assert "left open" in problems["src"]
    assert "Winograd" in problems["wei"]
    assert "does not print offset0" in problems["dst"]
    assert "blocks are dense" in problems["ws"]
    assert problems["x"] == ""
    with pytest.raises(LayoutError, match="left open") as refused:
        first_of(find_tensors(line))
    assert refused.value.position == line.index("any:any")


LETTERS = [
    ("wei:f32::blocked:abcde::f0", "mb1_g1ic4oc8_ih5oh5kh3_iw5ow5kw2", (1, 8, 4, 3, 2)),
    ("wei:f32::blocked:abcd::f0", "mb1_g2ic4oc8_ih5oh5kh3_iw5ow5kw2", None),
    ("wei:f32::blocked:abcde::f0", "g0mb1_ic4oc8_ih5oh5kh3_iw5ow5kw2", None),
    ("src:f32::blocked:abcd::f0", "mb1_ic4oc8_id1od1kd1_ih5oh5kh3_iw6ow5kw2", (1, 4, 5, 6)),
    ("src:f32::blocked:abc::f0", "b2m3n4k5", (2, 3, 5)),
    ("bia:f32::blocked:ab::f0_mask2", "m3n4k5", (1, 4)),
    ("dst:f32::blocked:ab::f0", "m3n*k5", None),
    ("dst_fused:f32::blocked:abcd::f0", "mb1_ic4oc8_ih5oh5kh1_iw5ow5kw1", None),
    ("src:f32::blocked:ab::f0", "1x" + "9" * 30, None),
]


@pytest.mark.parametrize(("descriptor", "problem", "shape"), LETTERS)
def test_sizes_come_from_the_letters_of_old_and_new_lines(
    descriptor: str, problem: str, shape: tuple[int, ...] | None
) -> None:
    assert first_of(find_tensors(line_of("convolution", descriptor, problem))).shape == shape


@pytest.mark.parametrize(
    ("primitive", "names", "problem", "auxiliary", "shapes"),
    [
        ("binary", "src0:2 src1:2 dst:2", "4x1:1x3", "alg:add", [(4, 1), (1, 3), (4, 3)]),
        ("binary", "src0:2 src1:1 dst:2", "4x3:3", "alg:add", [(4, 3), (3,), None]),
        ("concat", "src:2 src:2 dst:2", "2x3:2x4", "axis:1", [(2, 3), (2, 4), (2, 7)]),
        ("concat", "src:2 src:2 dst:2", "2x3:2x4", "axis:2", [(2, 3), (2, 4), None]),
        ("matmul", "src:2 ws:2", "m2n3k4", "", [(2, 4), None]),
        ("matmul", "src:2 wei:3 dst:3", "2x3:4x3x5", "", [(2, 3), (4, 3, 5), None]),
        ("convolution", "src:4 acc:4", "mb1ic4oc8ih5oh5kh3", "", [(1, 4, 5), None]),
        ("rnn", "src_layer:3", "l1t2mb3sic4slc5dhc6dic6", "", [(2, 3, 5)]),
        ("rnn", "src_layer:3", "t2mb3slc5", "", [None]),
    ],
)
def test_a_size_that_a_line_does_not_give_stays_unknown(
    primitive: str, names: str, problem: str, auxiliary: str, shapes: list[tuple[int, ...] | None]
) -> None:
    descriptors = " ".join(
        f"{name}:f32::blocked:{'abc'[: int(rank)]}::f0"
        for name, rank in (each.split(":") for each in names.split())
    )
    found = read_text(line_of(primitive, descriptors, problem, auxiliary)).tensors
    assert [one.shape for one in found] == shapes


def test_a_field_that_is_no_primitive_is_no_source() -> None:
    [tensor] = read_text(line_of("Foo9", "src:f32::blocked:ab::f0", "2x3")).tensors
    assert (tensor.source, tensor.shape) == (None, (2, 3))


def test_lines_around_a_log_are_read_too_and_positions_are_those_of_the_text() -> None:
    line = line_of("reorder", "src:f32::blocked:ab::f0 dst:f32::blocked:ba::f0", "3x4")
    assert read_text(f"{line}\n{{'shape': (2, 3}}").shape == (3, 4)
    text = f"In [1]: x.shape\nOut[1]: torch.Size([5, 6])\n{line}\nIn [2]: y.shape\ntorch.Size([7])"
    found = find_tensors(text)
    assert [item.role for item in found] == ["x", "src", "dst", "y"]
    assert all(text[item.at :].startswith(("src:", "dst:")) for item in found[1:3])
    assert [one.line for one in read_text(text).tensors] == [2, 3, 3, 5]
