"""What OpenAPI says of the file reorder."""

from __future__ import annotations

from typing import Any, Final

from ...files.tensor_file import KINDS
from ..problems import MEDIA_TYPE
from .query import MEDIA_TYPES

DESCRIPTION: Final = """
The same kind of file comes back: the tensor with its name and metadata, padding written zero. Its
header's shape is that of memory, outermost first; a layout whose memory no shape says is stored
as one dimension.

The kind of file is what `format` says; else what Content-Type says; else what the first bytes
say: `.npy` by its magic, raw bytes where `dtype` is given, safetensors by the brace after its
length. Raw bytes are exactly the source's buffer, from address 0 to the greatest one; int4 and
uint4 lie two to a byte, the even address in the low half.

The header is checked against the limits and against Content-Length before the rest is read. Sizes
that the layout leaves open (`shape` absent) are read off the header's.
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
    **{
        status: {
            "description": text,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, text in {
            408: "The body stopped coming.",
            413: "The file is over the limit.",
            415: "The body is declared as something else than a file, or compressed.",
            422: "A parameter, a header or a length that the model refuses.",
            503: "Other files hold the server's room for them; Retry-After says when to ask again.",
        }.items()
    },
}


def _parameter(
    name: str, example: str, text: str, *, required: bool = False, values: tuple[str, ...] = ()
) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "example": example}
    if values:
        schema["enum"] = list(values)
    return {
        "name": name, "in": "query", "required": required, "description": text, "schema": schema,
    }  # fmt: skip


PARAMETERS: Final = [
    _parameter("source", "NCHW", "Layout of the file's tensor.", required=True),
    _parameter("target", "NCHW4", "Layout to copy it into.", required=True),
    _parameter("shape", "2,64,3,3", "Logical sizes, where the file's are not they."),
    _parameter("dims", "NCHW", "One letter per logical dimension."),
    _parameter("dtype", "float32", "Element type of raw bytes."),
    _parameter("tensor", "conv1.weight", "Name in a safetensors file of several."),
    _parameter("format", "npy", "Kind of file, whatever Content-Type says.", values=KINDS),
]
