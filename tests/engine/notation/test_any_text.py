"""Any text is read or refused by every dialect, and a mark lies inside the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import LayoutError, parse_layout
from app.engine.notation import DIALECTS
from app.engine.notation.dialect import Dialect
from tests.engine.notation.dialects.dense_checks import check_any_text, hostile_texts
from tests.examples import examples

# The characters of each dialect, and pieces of its texts.
PIECES: dict[str, tuple[str, list[str]]] = {
    "megengine": (
        "NCHWD4_ weights(){},+-0123456789",
        ["NCHW", "44", "_DOT", "weights ", "group ", "channel-wise ", "{2(5)", ",5(1)}", "(20, 4)"],
    ),
    "letters": ("NCDHWGOI0123456789 ", ["NCHW", "OIHW", "4", "64"]),
    "cudnn": (
        "{},/ 0123456789NCHW_x-",
        ["CUDNN_TENSOR_", "NCHW", "_VECT_C", "4", " INT8x4", "{72, 9, 3, 1}", "/"],
    ),
    "tensorrt": ("kCHWDLA_248 .:()", ["k", "TensorFormat.", "CHW", "HWC", "DLA_", "32"]),
    "cutlass": (
        "TensorNCHWx<>0123456789:RowMajrlyut ",
        ["cutlass::", "layout::", "TensorNCxHWx", "RowMajor", "Interleaved", "<", "32", ">"],
    ),
    "tvm": ("NCHWnchw[]0123456789 ", ["NCHW", "16c", "4n", "[4c4n]", "2147483647h"]),
    "onnxruntime": ("NCHWcOIBio0816 ", ["NCHWc", "OIHWBo", "OIHWBiBo", "8", "16"]),
    "cute": ("()0123456789,:_-o <>SwQ?@", ["(2,8,3,4):(96,12,4,1)", "Sw<1,2,3> o "]),
    "xla": ("{}0123456789,:TESDLPM()*#f[]", ["f32[2,8,3,4]", "{3,2,1,0:T(8,128)", "(2,1)}"]),
    "mlir": (
        "()<>[]d0123456789,:-+*? ",
        [
            "affine_map<(d0, d1, d2, d3) -> (",
            "d1 mod 4",
            " floordiv ",
            ")>",
            "strided<[",
            "memref<2x8x3x4xf32, ",
        ],
    ),
    "pytorch": ("torch.Size([]) 0123456789,+channels_last", ["torch.Size([2, 8])", "(5, 1)"]),
    "onednn": ("abcdnchwABCDNCHW0123456789", ["nchw", "16c", "aBcd", "4a8b"]),
    "c": ("nchwNX0123456789+-*/%&^<>() ", ["n*576", " + ", "c/4", "%4", " ^ (("]),
    "python": ("nchwNX0123456789+-*/%&^<>() ", ["n*576", " + ", "c//4", "%4", " ^ (("]),
    "strides": ("(){}[],+-0123456789 offset", ["(72, 9, 3, 1)", "+3", "offset 3"]),
    "numpy": ("{}()[]',: shapetrid_CFONTIGUOUS0123456789None", ["{'shape': (2, 8)", "(96, 12)"]),
    "directml": ("SizesStrides{}(),;= 0123456789nul-", ["Sizes {2, 8} ", "Strides {5, 1}", "null"]),
}


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.system)
@examples(400)
@given(st.data())
def test_no_text_breaks_a_dialect(dialect: Dialect, data: st.DataObject) -> None:
    check_any_text(dialect, data.draw(hostile_texts(*PIECES[dialect.system])))


@examples(500)
@given(st.text(max_size=30) | st.text("NCHWDabcdnchw(){}[],+-0123456789: _", max_size=30))
def test_no_text_breaks_the_choice_of_a_dialect(text: str) -> None:
    position = refusal_of(text)
    assert position is None or 0 <= position <= len(text)


def refusal_of(text: str) -> int | None:
    """Where the text is refused; None if it is read, or refused as a whole."""
    try:
        parse_layout(text, (2, 3, 4, 5))
    except LayoutError as error:
        return error.position
    return None
