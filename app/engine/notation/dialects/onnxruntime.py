"""ONNX Runtime: the blocked formats of its CPU kernels (MLAS), with the block's size.

Grammar:

    text   = blocked size | "NCHW" | "NHWC" | "OIHW"
    blocked = "NCHWc" | "OIHWBo" | "OIHWBiBo"
    size   = "8" | "16"

    NCHWc b     [N][⌈C/b⌉][H][W][b]           activations
    OIHWBo b    [⌈O/b⌉][I][H][W][b]           weights if the input is not blocked, depthwise
    OIHWBiBo b  [⌈O/b⌉][⌈I/b⌉][H][W][b][b]    weights if it is: input channel, then output

Example: NCHWc8 with shape (1, 20, 5, 5) pads 20 channels to 24 in three blocks of 8.

Trap: NCHWc alone does not define a layout. The block is the result of MlasNchwcGetBlockSize on the
machine: 8 on x86-64 up to AVX2, 16 with AVX-512 and in the NEON kernels, 1 if MLAS has no blocked
kernels. A model saved after optimisation has the block of the machine that saved it. In OIHWBiBo
the output channel is innermost, although the order of the letters O, I suggests the input channel.

Source: onnxruntime/core/mlas/lib/reorder.cpp (MlasReorderInputNchw, MlasReorderFilterOIHWBo,
MlasReorderFilterOIHWBiBo) and platform.cpp (NchwcBlockSize).
"""

import re
from typing import Final

from ...model.dtypes import ElementType
from ...model.errors import one_of, phrase, unreadable
from ...model.layout import Layout
from ..dialect import CannotSayError, Dialect
from ..grammar.dense import NamedSpecs, departure
from ..orders import DigitOrder
from ..specs import OrderSpec

_PLAIN: Final = {"NCHW": "NCHW", "NHWC": "NHWC", "OIHW": "OIHW"}
_BLOCKED: Final = {"NCHWc": "NCHW{0}c", "OIHWBo": "OIHW{0}o", "OIHWBiBo": "OIHW{0}i{0}o"}
_BLOCKS: Final = ("8", "16")
_TAGS: Final = _PLAIN | {
    name + block: tag.format(block) for name, tag in _BLOCKED.items() for block in _BLOCKS
}
_SPECS: Final = {
    text: OrderSpec.of_tag(text, tag, "NCHW" if "C" in tag else "OIHW")
    for text, tag in _TAGS.items()
}
_NAMED: Final = NamedSpecs(_SPECS)
_FORM = re.compile(r"(?:NCHWc|OIHW(?:Bi)?Bo)[0-9]*")


def read(text: str) -> OrderSpec:
    spec = _SPECS.get(text)
    if spec is None:
        if text in _BLOCKED:
            raise unreadable(text, len(text), phrase("onnxruntime.block"))
        raise unreadable(text, departure(text, _SPECS), one_of(_SPECS))
    return spec


def write(layout: Layout, dtype: ElementType, _order: DigitOrder | None) -> str:
    if set(layout.dims) not in (set("NCHW"), set("OIHW")):
        raise CannotSayError("onnxruntime.rank")
    return _NAMED.fitting(layout, dtype, "onnxruntime.format")


DIALECT = Dialect(
    "onnxruntime", "ONNX Runtime", "Formats", _FORM.fullmatch, read, write, words=tuple(_SPECS)
)
