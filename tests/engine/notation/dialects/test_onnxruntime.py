"""ONNX Runtime's blocked formats against MLAS's own loops, written with NumPy."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.notation.dialects import onnxruntime
from tests.engine.notation.dialects import dense_checks as checks
from tests.engine.notation.dialects.dense_checks import Malformed, marked, read
from tests.examples import examples

DIALECT = onnxruntime.DIALECT
BLOCKED = [n + b for n in ("NCHWc", "OIHWBo", "OIHWBiBo") for b in ("8", "16")]
TEXTS = ["NCHW", "NHWC", "OIHW", *BLOCKED]


def sizes() -> st.SearchStrategy[tuple[int, ...]]:
    channels = st.one_of(st.integers(0, 40), st.sampled_from([8, 16, 32]))
    return st.tuples(channels, channels, st.integers(0, 3), st.integers(0, 3))


def filled(text: str, x: checks.Array) -> checks.Array:
    """The memory that MLAS's reordering loops produce."""
    if text in ("NCHW", "OIHW"):
        return x
    if text == "NHWC":
        return x.transpose(0, 2, 3, 1)
    name = text.rstrip("0123456789")
    b = int(text[len(name) :])
    if name == "NCHWc":
        return checks.split(x, a1=b).transpose(0, 1, 3, 4, 2)
    if name == "OIHWBo":
        return checks.split(x, a0=b).transpose(0, 2, 3, 4, 1)
    return checks.split(x, a0=b, a1=b).transpose(0, 2, 4, 5, 3, 1)


@examples(1000)
@given(st.sampled_from(TEXTS), sizes())
def test_the_blocks_lie_as_mlas_reorders_them(text: str, shape: tuple[int, ...]) -> None:
    layout = read(DIALECT, text, shape)
    assert layout.dims == ("OIHW" if text.startswith("O") else "NCHW")
    if 0 not in shape:
        checks.check_memory(layout, lambda x: filled(text, x))
    assert checks.check_round_trip(DIALECT, layout)


test_malformed_text_is_marked = marked(
    DIALECT,
    [
        Malformed("NCHWc", 5, "depends on the machine"),
        Malformed("OIHWBiBo", 8, "MlasNchwcGetBlockSize"),
        Malformed("NCHWc4", 5, "one of NCHW"),
        Malformed("NCHWd8", 4, "one of"),
        Malformed("", 0, "one of"),
        Malformed("NCHWc8", None, "4 sizes (N, C, H, W)", (2, 3, 4)),
    ],
)
