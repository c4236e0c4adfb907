"""oneDNN's code names only what a header lists; `make conformance` compiles and runs it."""

import ast
import re

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given

from app.engine import offset_map, parse_dtype, parse_layout
from app.engine.description.tensor import parse_tensor
from app.engine.model.layout import Digit, Layout
from app.engine.model.views import NeedsCopy
from app.engine.notation.code.onednn import onednn_c, onednn_code, onednn_descriptor
from app.engine.notation.dialect import CannotSayError
from app.engine.notation.dialects.onednn import TAG_SINCE
from app.engine.notation.paste.reading import read_text
from app.engine.notation.view_steps import permute, submemory
from tests.engine.strategies import small_layouts
from tests.examples import examples

FLOAT32 = parse_dtype("float32")


def numbers(text: str) -> list[int]:
    return list(ast.literal_eval(f"[{text}]"))


def described(code: str) -> npt.NDArray[np.int64] | None:
    """The addresses of the descriptor that the C++ makes, by the engine's own reader of tags."""
    sizes, tag = (
        re.search(r"desc(?: md)?\(\{(.*)\},", code),
        re.search(r"format_tag::(\w+)\)", code),
    )
    assert sizes
    if tag is None:
        return None
    assert tag[1] in TAG_SINCE
    made = parse_layout(f"onednn:{tag[1]}", numbers(sizes[1]))
    axes = re.search(r"permute_axes\(\{(.*)\}\)", code)
    if axes is None:
        return offset_map(made)
    # Dimension i becomes dimension axes[i]; numpy and the engine list where each comes from.
    return offset_map(permute(made, np.argsort(numbers(axes[1])).tolist()))


@examples(300)
@given(small_layouts())
def test_the_code_names_listed_tags_for_the_same_addresses(layout: Layout) -> None:
    try:
        cpp, c = onednn_code(layout, FLOAT32), onednn_c(layout, FLOAT32)
    except CannotSayError:
        return
    found = described(cpp)
    if found is None:
        strides = re.search(r"memory::dims\{(.*)\}", cpp)
        assert strides
        assert f"strides = {{{strides[1]}}};" in c
        return
    assert np.array_equal(found, offset_map(layout))
    tag = re.search(r"format_tag::(\w+)\)", cpp)
    assert tag
    assert f"dnnl_{tag[1]})" in c


@pytest.mark.parametrize(
    ("text", "shape", "tag", "axes"),
    [
        ("NCHW16", (2, 20, 3, 3), "aBcd16b", None),
        ("CHWN4", (2, 6, 3, 3), "Abcd4a", "1, 2, 3, 0"),
        ("aBcd64b", (2, 70, 3, 3), "aBdc64b", "0, 1, 3, 2"),
        ("OIhw4i16o4i", (16, 32, 3, 3), "ABcd4b16a4b", None),
    ],
)
def test_a_layout_without_a_tag_of_its_own_is_a_permuted_one(
    text: str, shape: tuple[int, ...], tag: str, axes: str | None
) -> None:
    code = onednn_code(parse_layout(text, shape), FLOAT32)
    assert f"format_tag::{tag})" in code
    assert (f".permute_axes({{{axes}}});" in code) == (axes is not None)
    c = onednn_c(parse_layout(text, shape), FLOAT32)
    assert f"dnnl_{tag});" in c
    assert ("dnnl_memory_desc_permute_axes(&md, tagged, axes);" in c) == (axes is not None)


def test_blocks_without_any_tag_are_left_to_version_2() -> None:
    layout = parse_layout("BA2b2a", (5, 6))
    for write in (onednn_code, onednn_c):
        with pytest.raises(CannotSayError, match="No header of oneDNN lists a tag for BA2b2a"):
            write(layout, FLOAT32)
    assert ".inner_blks = {2, 2}," in onednn_descriptor(layout, FLOAT32)


def test_the_code_says_which_version_it_needs() -> None:
    plain = parse_layout("NCHW", (1, 2, 3, 4))
    assert "or newer" not in onednn_code(plain, FLOAT32)
    assert "// oneDNN 3.0 or newer\n" in onednn_c(plain, FLOAT32)
    assert "// oneDNN 3.5 or newer\n" in onednn_code(plain, parse_dtype("float8_e5m2"))
    assert "// oneDNN 3.11 or newer\n" in onednn_c(plain, parse_dtype("int64"))
    newest = onednn_code(parse_layout("onednn:Abc32a", (64, 3, 3)), FLOAT32)
    assert "// oneDNN 3.13 or newer\n" in newest
    assert "// oneDNN 2 alone" in onednn_descriptor(plain, FLOAT32)
    with pytest.raises(CannotSayError, match="Version 2 has no data type for float64"):
        onednn_descriptor(plain, parse_dtype("float64"))


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("OIhw4i16o4i", "OIhw4i16o4i"),
        ("dnnl_OIhw4i16o4i", "OIhw4i16o4i"),
        ("onednn:nChw16c", "nChw16c"),
        ("ABcd4b16a4b", None),
        ("NCHW4", None),
    ],
)
def test_a_tag_in_the_names_of_the_dimensions_stands_beside_the_one_of_the_header(
    text: str, alias: str | None
) -> None:
    tensor = parse_tensor((64, 48, 3, 3), text)
    for language in ("onednn", "onednn_c"):
        code = tensor.describe().code[language]["text"]
        assert re.findall(r"\);  // = (\w+)$", code, re.MULTILINE) == ([alias] if alias else [])
        read = read_text(code)
        assert read.layout is not None
        assert not {alias} & {*read.unread}
        made = parse_tensor((64, 48, 3, 3), read.layout).layout
        assert made.normal_form == tensor.layout.normal_form


def test_strides_are_named_and_an_offset_is_added_to_the_buffer() -> None:
    layout = parse_layout("(5, 1)+1", (2, 3))
    cpp, c = onednn_code(layout, FLOAT32), onednn_c(layout, FLOAT32)
    assert "memory::desc md({2, 3},\n" in cpp
    assert "memory::data_type::f32, memory::dims{5, 1});" in cpp
    assert "md.get_size() == 40" in cpp
    assert "static_cast<char *>(buffer) + 4" in cpp
    assert "(char *)buffer + 4)" in c
    assert "// dnnl_memory_desc_get_size(md) == 40" in c


def test_the_list_of_tags_is_that_of_the_header() -> None:
    assert len(TAG_SINCE) == 873
    assert set(TAG_SINCE.values()) <= {
        f"{major}.{minor}" for major in (2, 3) for minor in range(14)
    }


def test_onednn_has_no_part_of_a_layout_that_it_cannot_describe() -> None:
    crossed = Layout((4,), "W", ((Digit(1, 4), Digit(2, 1), Digit(2, 2)),))
    reason = "oneDNN has no blocking descriptor for this layout."
    assert submemory(crossed, [0], [2]) == NeedsCopy(reason)
