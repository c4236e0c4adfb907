"""The Description, the names that fit and the words of errors."""

import re
import subprocess
import sys

import pytest

from app import view
from app.engine import LayoutError, describe, parse_dtype, parse_layout
from app.engine.description.names import names_of
from app.engine.model.dtypes import DEFAULT
from app.engine.model.errors import describe_value
from app.engine.model.layout import Digit, Layout
from app.engine.notation import Request, read_layout, read_spec
from app.engine.notation.formats import FORMATS, NamedFormat

FLOAT32 = parse_dtype("float32")


def names(text: str, shape: tuple[int, ...], system: str) -> dict[str, str | None]:
    return {n.name: n.reason for n in names_of(parse_layout(text, shape)).get(system, [])}


@pytest.mark.parametrize("f", FORMATS, ids=lambda f: f"{f.system}:{f.name}")
def test_every_catalogued_format_is_found_again(f: NamedFormat) -> None:
    sizes = dict(zip(f.dims, (96, 128, 3, 5, 7)[: f.rank], strict=True))
    if "DLA_HWC4" in f.name:
        sizes["C"] = 4  # it takes 1, 3 or 4 channels
    if "channel-wise" in f.name:
        sizes |= {"O": 1, "I": 1}
    types = read_spec(f"{f.system}:{f.name}").types or ("float32",)
    dtype, shape = parse_dtype(types[0]), tuple(sizes[c] for c in f.dims)
    layout = parse_layout(f"{f.system}:{f.name}", shape, f.dims, dtype)
    found = {n.name for n in names_of(layout, dtype)[f.system]}
    assert f.name in found


def test_sizes_of_one_fit_several_names_and_say_why() -> None:
    found = names("NCHW", (2, 1, 4, 5), "pytorch")
    assert set(found) == {"contiguous_format", "channels_last"}
    assert all(reason and "C has size 1" in reason for reason in found.values())


def test_a_block_as_wide_as_the_channels_is_the_same_memory() -> None:
    found = names("NCHW64", (2, 64, 3, 3), "letters")
    assert set(found) == {"NHWC", "NCHW64"}
    assert all(reason and "same memory" in reason for reason in found.values())


def test_names_that_always_mean_the_same_are_no_rivals() -> None:
    found = names("NCHW4", (2, 64, 3, 3), "megengine")
    assert found == {"NCHW4": None, "NCHW44": None, "NCHW44_DOT": None}


@pytest.mark.parametrize(
    ("tag", "shape"),
    [
        ("AcdB16a4b", (7, 3, 64, 1)),
        ("aCdeb32c", (8, 1, 8, 20, 1)),
        ("BA16a32b2a", (12, 32)),
    ],
)
def test_the_code_has_the_tag_as_it_was_written_where_the_sizes_leave_its_order_open(
    tag: str, shape: tuple[int, ...]
) -> None:
    found = describe(read_layout(tag, Request(shape)), FLOAT32)
    assert found.notations["onednn"]["text"] == tag
    assert f"memory::format_tag::{tag});" in found.code["onednn"]["text"]


def test_the_buffer_may_be_larger_but_not_smaller() -> None:
    layout = parse_layout("(5, 1)", (2, 3))
    assert describe(layout, FLOAT32, buffer_elements=10).buffer.bytes == 40
    with pytest.raises(LayoutError, match="elements: got 7;"):
        describe(layout, FLOAT32, buffer_elements=7)


@pytest.mark.parametrize(("size", "copies"), [(2, True), (1, False)])
def test_a_flip_says_that_pytorch_copies(size: int, *, copies: bool) -> None:
    flipped = view(parse_layout("HW", (size, 3)), [{"op": "flip", "dim": 0}])
    told = describe(flipped, FLOAT32)
    assert ("its flip makes a copy" in "".join(told.warnings)) == copies
    assert ("no negative strides" in told.code["pytorch"].get("reason", "")) == copies
    assert ("pytorch" in told.buffer.reasons) == copies


def test_byte_strides_are_null_where_fractional() -> None:
    layout = parse_layout("(4, 2)", (2, 2))
    assert describe(layout, parse_dtype("int4")).byte_strides == (2, 1)
    assert describe(parse_layout("HW", (2, 3)), parse_dtype("int4")).byte_strides is None


def test_canonical_spelling_is_what_was_written() -> None:
    for text in ("NCHW4", "nChw4c", "channels_last", "numpy:F", "directml:null"):
        written = read_layout(text, Request((2, 8, 3, 3)))
        assert describe(written, FLOAT32).layout == text
    assert describe(read_layout("5, 1", Request((2, 3))), FLOAT32).layout == "(5, 1)"
    assert describe(parse_layout("nChw4c", (2, 8, 3, 3)), FLOAT32).layout == "NCHW4"


def test_a_layout_that_no_dialect_says_is_not_shown_as_another() -> None:
    layout = Layout((3, 1, 0), "CHW", ((Digit(3, 1),), (Digit(1, 3),), (Digit(1, 0),)))
    described = describe(layout, FLOAT32)
    assert all("reason" in words for words in described.notations.values()), described.notations
    assert described.layout == "[[(3, 1)], [(1, 3)], [(1, 0)]]"
    with pytest.raises(LayoutError):
        parse_layout(described.layout, layout.shape)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing (null)"),
        (True, "a boolean"),
        (10**20 - 1, "9" * 20),
        (-(10**20), "a negative integer of 21 digits"),
        (10**400, "a positive integer of 401 digits"),
        pytest.param(-(10**5000), "a negative integer of about 5000 digits", id="endless"),
        (1.5, "1.5"),
        (float("inf"), "inf"),
        ("secret", "text of 6 characters"),
        ([1, -2], "[1, -2]"),
        ([], "a list of 0 entries"),
        ([1] * 9, "a list of 9 entries"),
        (object(), "a value of type object"),
    ],
)
def test_short_numbers_are_repeated_and_the_rest_is_described(value: object, words: str) -> None:
    assert describe_value(value) == words


def test_the_engine_imports_neither_http_nor_ml_dtypes() -> None:
    code = (
        "import sys, app.engine; "
        "print(sorted({m.split('.')[0] for m in sys.modules} "
        "& {'fastapi', 'pydantic', 'starlette', 'ml_dtypes', 'rich', 'orjson'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.strip() == "[]"


# The block as a summary names it, the innermost dimension last.
BLOCK = re.compile(r"(\d+) (output|input)(?:,| and) (\d+) (output|input) channels")


def test_a_summary_names_a_block_of_two_dimensions_as_it_lies() -> None:
    checked = 0
    for each in FORMATS:
        if not (block := BLOCK.search(each.summary)):
            continue
        shape = tuple(32 if dim in "OI" else 2 for dim in each.dims)
        layout = read_spec(f"{each.system}:{each.name}").apply(Request(shape, None, DEFAULT)).layout
        placed = zip(each.dims, layout.digits, strict=True)
        digits = sorted((g.stride, g.extent, dim) for dim, of_dim in placed for g in of_dim)
        said = (int(block[1]), block[2][0].upper()), (int(block[3]), block[4][0].upper())
        assert said == (digits[1][1:], digits[0][1:]), each
        checked += 1
    assert checked >= 8
