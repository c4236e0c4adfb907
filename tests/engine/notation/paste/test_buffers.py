"""Python's memoryview: strides count bytes, and the text may say how many an element has."""

import pytest

from app.engine import LayoutError, offset_map, parse_layout
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import only, read_or_refused

SESSION = """>>> m = memoryview(a)
>>> m.shape
(2, 3)
>>> m.strides
(24, 8)
>>> m.itemsize
8
>>> m.format
'd'"""


@pytest.mark.parametrize(
    ("text", "dtype", "itemsizes"),
    [
        (SESSION, "float64", None),
        (SESSION.rpartition(">>> m.format")[0], None, (8,)),
        ("m.shape, m.strides, m.itemsize, m.format\n((2, 3), (24, 8), 8, 'd')", "float64", None),
        ("shape=(2, 3) strides=(24, 8) itemsize=8 format='d'", "float64", None),
        ("shape=(2, 3) strides=(24, 8) itemsize=4 format='l'", "int32", None),  # on Windows
        ("shape=(2, 3) strides=(24, 8) itemsize=1 format='d'", None, (1,)),
        ("shape=(2, 3) strides=(24, 8) format='T{i:a:}'", None, (8, 4, 2, 1)),
    ],
)
def test_the_size_and_the_code_of_an_element_are_read(
    text: str, dtype: str | None, itemsizes: tuple[int, ...] | None
) -> None:
    found = only(text)
    assert (found.shape, found.layout) == ((2, 3), "numpy:(24, 8)")
    assert (found.dtype, found.itemsizes) == (dtype, itemsizes)


@pytest.mark.parametrize("strides", ["(24, 8)", "(48, 16)", "(3, 1)"])
def test_an_element_of_a_size_that_does_not_divide_the_strides_is_refused(strides: str) -> None:
    error = read_or_refused(f"shape=(2, 3) strides={strides} itemsize=3")
    assert isinstance(error, LayoutError)
    assert (error.field, error.code) == ("text", "paste.bytes")


@pytest.mark.parametrize(("strides", "sizes"), [((24, 8), (8, 4, 2, 1)), ((0, 2), (2, 1))])
@pytest.mark.parametrize("text", ["shape=(2, 3) strides={}", "strides {}", "2x3 strides {}"])
def test_strides_that_may_be_bytes_are_offered_both_ways(
    text: str, strides: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    found = only(text.format(strides))
    assert (found.layout, found.in_elements) == (f"numpy:{strides}", str(strides))
    assert found.itemsizes == sizes


@pytest.mark.parametrize(
    ("text", "added"), [("shape=(2, 3) strides=", "+8"), ("strides ", ""), ("2x3 strides ", "")]
)
def test_both_ways_begin_where_strides_below_0_fit(text: str, added: str) -> None:
    found = only(f"{text}(12, -4)")
    assert (found.layout, found.in_elements) == (f"numpy:(12, -4){added}", f"(12, -4){added}")
    assert (found.itemsizes, found.least_offset) == ((4, 2, 1), 8 if added else None)


@pytest.mark.parametrize(
    "text",
    [
        "shape=(2, 3) strides=(3, 1)",
        "shape=(2, 3) strides=(12, 8)",  # 12 is no multiple of 8
        "x.shape torch.Size([2, 3]) strides=(24, 8)",
        "UINT sizes[2] = { 2, 3 }; UINT strides[2] = { 24, 8 };",
    ],
)
def test_other_strides_count_elements(text: str) -> None:
    found = only(text)
    assert found.layout is not None
    assert not found.layout.startswith("numpy:")
    assert (found.in_elements, found.itemsizes) == (None, None)


def test_an_offset_behind_strides_belongs_to_them() -> None:
    for text in ("strides:(12, 5)+1", "strides: (12, 5)+1", "strides = (12, 5) + 1"):
        layout = parse_layout(read_text(text).layout or "", (4, 1))
        assert (layout.strides, layout.offset) == ((12, 5), 1)


# x[:, :, ::-1] of a float16 array in the order NHWC, and what prints of it.
UPSIDE_DOWN = "(6144, 2, -192, 6)"


@pytest.mark.parametrize(
    ("text", "layout", "least"),
    [
        ("{'shape': (10, 3, 32, 32), 'typestr': '<f2', 'strides': (6144, 2, -192, 6), "
            "'data': (139872, False), 'version': 3}", f"numpy:{UPSIDE_DOWN}+5952", 5952),
        (f"x.shape (10, 3, 32, 32)\nx.strides {UPSIDE_DOWN}\nx.dtype float16",
            f"numpy:{UPSIDE_DOWN}+5952", 5952),
        ("shape=(10, 3, 32, 32) strides=(3072, 1, -96, 3)", "(3072, 1, -96, 3)+2976", 2976),
        ("shape=(2, 3) strides=(3, -1) storage_offset=5", "(3, -1)+5", None),
        ("{'shape': (2, 0), 'strides': (2, -2), 'typestr': '<f2'}", "numpy:(2, -2)", None),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_strides_below_0_without_an_offset_begin_where_they_fit(
    text: str, layout: str, least: int | None
) -> None:
    read = read_text(text)
    assert (read.layout, read.least_offset) == (layout, least)
    assert all(one.least_offset == least for one in read.tensors)
    assert read.shape is not None
    found = parse_layout(layout, read.shape, None, read.dtype or "float32")
    assert least is None or offset_map(found).min() == 0


@pytest.mark.parametrize(
    ("question", "answer", "layout"),
    [
        ("x.shape, x.stride(), x.storage_offset()", "torch.Size([2, 3]) (5, 1) 32", "(5, 1)+32"),
        ("x.shape, x.stride(), x.storage_offset(), x.dtype",
            "torch.Size([2, 3]) (5, 1) 32 torch.float16", "(5, 1)+32"),
        ("x.shape, x.stride(), x.storage_offset()", "torch.Size([2, 3]) (5, 1) 0", "(5, 1)"),
        ("x.shape, x.stride(), x.data_ptr()", "torch.Size([2, 3]) (5, 1) 139872", "(5, 1)"),
        ("x.shape, x.stride()", "torch.Size([2, 3]) (5, 1) 32", "(5, 1)"),
    ],
)  # fmt: skip  # a row on two lines where it is long
def test_a_number_behind_strides_is_the_offset_that_was_asked_for(
    question: str, answer: str, layout: str
) -> None:
    read = read_text(f"print({question})\n{answer}")
    assert read.layout == layout
    assert ("32" in read.unread) is ("+32" not in layout and "32" in answer)
