"""Links of the explorer and calls of the API say the tensor that they ask for."""

import pytest

from app.engine import LayoutError
from app.engine.notation.paste.reading import read_text
from tests.engine.notation.paste.checks import read_or_refused

PAGE = "http://127.0.0.1:8000"
BODY = '{"shape": [2, 6, 4, 5], "layout": "NCHW4", "dtype": "int8", "dims": "NCHW"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"curl '{PAGE}/api/v1/describe?shape=2,6,3,3&layout=NCHW4&dtype=int8'", "NCHW4"),
        (f"{PAGE}/?shape=2%2C6%2C3%2C3&layout=tvm:NCHW4c&dtype=int8&at=0,1,2,2", "tvm:NCHW4c"),
        ("?shape=2x6x3x3&layout=(54,9,3,1)%2B7&dtype=int8&elements=200", "(54,9,3,1)+7"),
        (
            '{"tensor": {"shape": [2, 6, 3, 3], "layout": {"strides": [54, 9, 3, 1], "offset": 7},'
            ' "dtype": "int8"}, "steps": []}',
            "(54, 9, 3, 1)+7",
        ),
    ],
)
def test_the_tensor_of_a_request_is_read(text: str, expected: str) -> None:
    read = read_text(text)
    assert (read.shape, read.dtype, read.layout) == ((2, 6, 3, 3), "int8", expected)


def test_letters_are_kept_and_float32_is_meant_where_no_type_is_named() -> None:
    [found] = read_text(BODY).tensors
    assert (found.dims, found.dtype) == ("NCHW", "int8")
    [found] = read_text("?shape=2,6&layout=ab&dims=XY").tensors
    assert (found.dims, found.dtype, found.layout) == ("XY", "float32", "ab")


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        (f"{PAGE}/?shape=2,6&layout=HW&steps=T", "paste.no_steps", 23),
        (
            f"""curl '/view' -d '{{"tensor": {BODY}, "steps": [{{"op": "T"}}]}}'""",
            "paste.no_steps",
            115,
        ),
        (f"{PAGE}/?shape=2,-6&layout=HW", "integers.list", 23),
        (f"{PAGE}/?shape=2,6&layout=NCHX", "letters.all", 0),
        ('{"shape": [2, 6], "layout": "NCHW"}', "layout.sizes", 0),
        ('{"shape": [2, 6], "layout": 7}', "layout.source", 28),
    ],
)
def test_what_a_request_says_beyond_a_tensor_is_refused(text: str, code: str, at: int) -> None:
    error = read_or_refused(text)
    assert isinstance(error, LayoutError)
    assert (error.field, error.code, error.position) == ("text", code, at)


def test_several_links_are_several_tensors() -> None:
    links = [f"{PAGE}/?shape={n},3&layout=HW" for n in (2, 4)]
    assert [one.shape for one in read_text("\n".join(links)).tensors] == [(2, 3), (4, 3)]
