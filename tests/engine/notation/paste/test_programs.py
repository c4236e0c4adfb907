"""What the program writes itself is read back to the same addresses, or refused with a reason."""

import numpy as np
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from app.engine import Layout, LayoutError, describe, offset_map, parse_dtype, parse_layout
from app.engine.model.layout import Digit, Swizzle
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import read_or_refused
from tests.engine.strategies import small_layouts
from tests.examples import examples

TYPES = ["float32", "float8_e5m2", "bfloat16", "int8", "bool", "int4", "complex64"]


def programs(layout: Layout, dtype: str) -> dict[str, str]:
    code = describe(layout, parse_dtype(dtype)).code
    return {f"{name}, code": said["text"] for name, said in code.items() if "text" in said}


def texts(layout: Layout, dtype: str) -> dict[str, str]:
    """The page's programs, and its notations with their systems before them."""
    notations = describe(layout, parse_dtype(dtype)).notations
    prefixed = {s: f"{s}:{said['text']}" for s, said in notations.items() if "text" in said}
    function = "#include <stddef.h>\n\nsize_t offset({}) {{\n    return {};\n}}\n"
    sizes = ", ".join(f"size_t {dim.lower()}" for dim in layout.dims) or "void"
    c = {"function": function.format(sizes, notations["c"]["text"])} if "c" in prefixed else {}
    return programs(layout, dtype) | prefixed | c


def expect_read(text: str, layout: Layout, dtype: str) -> bool:
    """Whether a text is read, and then as these addresses. A notation may leave out the sizes."""
    read = read_or_refused(text)
    if isinstance(read, LayoutError):
        assert read.field == "text"
        return False
    assert read.shape in {None, layout.shape}
    assert read.dtype in {None, dtype}
    assert (read.layout, read.steps) != (None, ())
    again = parse_layout(read.layout or "", layout.shape, layout.dims, read.dtype or dtype)
    assert np.array_equal(offset_map(again), offset_map(layout))
    return True


@examples(400)
@given(small_layouts(), st.sampled_from(TYPES))
@example(Layout((5,), "W", ((Digit(2, 3), Digit(3, 1)),)), "float32")  # padded, else contiguous
@example(Layout.strided((1, 4, 1, 6), (1, 1, 24, 4)), "bfloat16")  # sizes of 1 between the others
@example(Layout.strided((1, 1), (-1, 2), 1), "int8")
@example(parse_layout("NCHW4", (2, 6, 4, 5)), "int8")
def test_what_is_written_is_read_back_or_refused(layout: Layout, dtype: str) -> None:
    for name, text in texts(layout, dtype).items():
        event(f"{name}: {'read' if expect_read(text, layout, dtype) else 'refused'}")


@pytest.mark.parametrize("language", ["numpy", "pytorch"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "NCHW4", "(100,-9,3,1)+60", "(0,20,5,1)"])
def test_a_program_is_its_layout_with_its_letters(language: str, layout: str) -> None:
    tensor = parse_layout(layout, (2, 6, 4, 5), "NCHW")
    text = programs(tensor, "float16").get(f"{language}, code")
    if text is None:
        assert (language, layout) == ("pytorch", "(100,-9,3,1)+60")
        return
    for blanks in (text, text.replace("\n", "\r\n"), text.replace("\n", " ")):
        read = read_text(blanks)
        [found] = read.tensors
        assert (read.dtype, found.dims, found.role, read.unread) == ("float16", "NCHW", "y", ())
        assert expect_read(blanks, tensor, "float16")


def test_a_program_is_read_with_and_without_what_it_says_of_its_type() -> None:
    tensor = parse_layout("NCHW4", (2, 6, 4, 5))
    for text in programs(tensor, "int8").values():
        said = "; int8 is exact up to 127"
        if said in text:
            assert read_text(text).layout == read_text(text.replace(said, "")).layout == "NCHW4"


def test_a_swizzle_is_read_from_its_program() -> None:
    layout = Layout((8, 8), "HW", ((Digit(8, 8),), (Digit(8, 1),)), swizzle=Swizzle(3, 0, 3))
    read = read_text(programs(layout, "int8")["numpy, code"])
    assert read.layout == "cute:Swizzle<3,0,3> o 0 o (8,8):(8,1)"


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("y = blocks", "z = blocks"),
        ("C, H, W\nbuffer", "C, H\nbuffer"),
        ("(0, 1, 4, 2, 3)", "(0, 1, 4, 2, 5)"),
        ("buffer.", "others."),
    ],
)
def test_another_program_is_read_by_its_calls(written: str, instead: str) -> None:
    text = programs(parse_layout("NCHW4", (2, 6, 4, 5)), "float16")["numpy, code"]
    one = "x = np.arange(1).reshape(()).astype(np.int8)  # logical: one element\nbuffer.reshape(())"
    for other in (text.replace(written, instead), one):
        assert read_text(other).tensors[0].role == "x"


@pytest.mark.parametrize(
    "begin",
    ["x = np.arange(5).reshape((", "sizes_and_strides_ = {size_ = 4, inlineStorage_ = {"],
)
def test_digits_without_a_comma_are_one_number(begin: str) -> None:
    """A text that ends in a long number is refused at once, not after trying each split of it."""
    with pytest.raises(LayoutError):
        read_text(begin + "1" * 200)
