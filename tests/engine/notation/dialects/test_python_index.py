"""The index expression in Python: whole division is //, and Python itself is the oracle."""

import pytest

from app.engine import parse_layout
from app.engine.notation.dialects import c_index
from app.engine.notation.dialects.python_index import DIALECT
from tests.engine.notation.dialects.dense_checks import FLOAT32, Malformed, marked, read, spelling


@pytest.mark.parametrize(
    ("source", "shape", "expected"),
    [
        ("NCHW4", (2, 64, 3, 3), "n*576 + c//4*36 + h*12 + w*4 + c%4"),
        ("NHWC", (2, 64, 3, 3), "n*576 + h*192 + w*64 + c"),
        (
            "OIhw4i16o4i",
            (32, 32, 3, 3),
            "o//16*4608 + i//16*2304 + h*768 + w*256 + i//4%4*64 + o%16*4 + i%4",
        ),
        ("(-3, 1)+3", (2, 3), "3 - h*3 + w"),
    ],
)
def test_worked_examples_are_written_so(source: str, shape: tuple[int, ...], expected: str) -> None:
    layout = parse_layout(source, shape)
    assert DIALECT.write(layout, FLOAT32) == expected
    assert read(DIALECT, expected, shape, layout.dims).normal_form == layout.normal_form


MALFORMED = [
    Malformed("n*576 + c/4*36", 9, "//, since / makes fractions"),
    Malformed("c//", 3, "a dimension's letter"),
    Malformed("c///4", 3, "a dimension's letter"),
    Malformed("c//h", 3, "a positive constant"),
    Malformed("c//0", 3, "a positive constant"),
    Malformed("(n + c)//2", 7, "a single dimension"),
    Malformed("c//4%", 5, "a dimension's letter"),
    Malformed("n**2", 2, "a dimension's letter"),
    Malformed("x[0]", 1, "a term such as"),
    Malformed("lambda: n", 1, "an operator"),
    Malformed("__import__", 0, "a term such as"),
    Malformed("n if c else h", 2, "an operator"),
    Malformed("c//4 + c//6", 8, "6 is no multiple of 4"),
    Malformed("n ^ n", 2, "the same x on both sides"),
    Malformed("-w//2", 2, "a single dimension"),
]
test_malformed_text_is_marked = marked(DIALECT, MALFORMED)


def test_c_and_python_are_told_apart_by_their_division() -> None:
    assert DIALECT.recognises("c//4 + h")
    assert not c_index.DIALECT.recognises("c//4 + h")
    assert c_index.DIALECT.recognises("c/4 + h")
    assert not DIALECT.recognises("c/4 + h")
    assert DIALECT.recognises("c%4 + h")
    assert spelling(DIALECT, "w", (2, 3)) == "python:w"
    assert spelling(DIALECT, "h*3 + w", (2, 3)) == "h*3 + w"
