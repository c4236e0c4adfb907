"""The OpenAPI documentation of the file reorder."""

from __future__ import annotations

from typing import Any, Final

from ...files.tensor_file import KINDS
from ..problems import documented
from ..query import DIMS, LAYOUT, NAME, SIZES, parameter
from .query import MEDIA_TYPES

DESCRIPTION: Final = """
Returns the same kind of file: the tensor with its name and metadata, with zeros in the padding.
Of a safetensors file with several tensors, each whose rank fits `source` is reordered, and the
others stay as they are; with `tensor`, the answer holds that one alone.
The header's shape is the shape in memory, outermost dimension first. If no shape describes the
memory of the target layout, the tensor is stored with one dimension.

The kind of file is given by `format`; else by Content-Type; else by the first bytes: the magic
string means `.npy`; otherwise `dtype` means raw bytes; otherwise a brace after the length means
safetensors. Raw bytes are exactly the source's buffer, from address 0 to the greatest address.
Elements of 4 bits are stored two to a byte, the even address in the low half.

The header is checked against the limits and against Content-Length before the rest is read. If
`shape` is absent, the logical sizes are computed from the shape in the header.

The letters of `source` name the axes of the array as NumPy shows them. Which axis of a `.npy` file
lies innermost is read off its header (`fortran_order`). Strides are those of the memory itself.
""".strip()

_BINARY: Final = {"schema": {"type": "string", "format": "binary"}}
_FILES: Final = dict.fromkeys(MEDIA_TYPES.values(), _BINARY)

REQUEST_BODY: Final[dict[str, Any]] = {"required": True, "content": _FILES}

RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The file, with the tensor in the target layout.",
        "content": _FILES,
        "headers": {
            "X-Stridescope-Plan": {
                "description": "How it was copied: kernel, number of elements, backend.",
                "schema": {"type": "string"},
            }
        },
    },
    **documented(
        {
            408: "The rest of the body did not arrive in time.",
            413: "The file is over the limit.",
            415: "The body is declared as another media type, or it is compressed.",
            422: "A parameter, a header or a length is not valid.",
            503: "The server has no room for another file now; Retry-After says when to try again.",
        }
    ),
}

PARAMETERS: Final = [
    parameter("source", "NCHW", "Layout of the file's tensor.", LAYOUT, required=True),
    parameter("target", "NCHW4", "Layout to copy it into.", LAYOUT, required=True),
    parameter("shape", "2,64,3,3", "Logical sizes; by default computed from the header.", SIZES),
    parameter("dims", "NCHW", "One letter per logical dimension.", DIMS),
    parameter("dtype", "float32", "Element type of raw bytes.", NAME),
    parameter("tensor", "conv1.weight", "The only tensor to return of a safetensors file.", {}),
    parameter("format", "npy", "Kind of file; overrides Content-Type.", {"enum": list(KINDS)}),
]
