"""Parses the query of a file reorder, and finds the kind of file in its body."""

from dataclasses import dataclass
from typing import Any, Final

from starlette.datastructures import Headers, QueryParams

from ...contract.texts import integers
from ...engine import ElementType, LayoutError, parse_dtype
from ...engine.model.errors import Described, Phrase, one_of
from ...files.reorder import Conversion
from ...files.tensor_file import KINDS, Kind, recognised
from ..problems import RefusedError, documented
from ..query import DIMS, LAYOUT, NAME, SIZES, parameter, values_of_query
from ..transport import check_uncoded

MEDIA_TYPES: Final[dict[Kind, str]] = {
    "npy": "application/x-npy",
    "safetensors": "application/vnd.safetensors",
    "raw": "application/octet-stream",
}
_KIND_OF_MEDIA: Final[dict[str, Kind]] = {
    "application/x-npy": "npy",
    "application/vnd.safetensors": "safetensors",
    "application/x-safetensors": "safetensors",
}
_NO_FILE = ("multipart/", "text/", "application/json")

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
NAMES: Final = [each["name"] for each in PARAMETERS]


@dataclass(frozen=True, slots=True)
class FileQuery(Conversion):
    """The query of a file reorder.

    ``dtype``: element type of raw bytes. ``tensor``: name of a tensor in a safetensors file.
    ``format``: the kind of file, None if not given.
    """

    dtype: ElementType | None = None
    tensor: str | None = None
    format: Kind | None = None


def file_query(query: QueryParams) -> FileQuery:
    """Parse the query of a file reorder.

    Errors: LayoutError naming a parameter that is unknown, repeated, missing or not valid.
    """
    values = values_of_query(query, NAMES)
    for name in ("source", "target"):
        if name not in values:
            expected = Phrase("layout", "a layout such as NCHW, NCHW4 or nChw16c")
            raise LayoutError(name, None, expected)
    kind = next((k for k in KINDS if k == values.get("format")), None)
    if kind is None and "format" in values:
        raise LayoutError("format", values["format"], one_of(KINDS))
    shape = values.get("shape")
    dtype = values.get("dtype")
    return FileQuery(
        values["source"],
        values["target"],
        None if shape is None else tuple(integers("shape", shape)),
        values.get("dims"),
        None if dtype is None else parse_dtype(dtype),
        values.get("tensor"),
        kind,
    )


def media_kind(headers: Headers) -> Kind | None:
    """Return the kind of file that Content-Type gives, or None if it gives none.

    Errors: RefusedError for a media type that is not a file, or an encoded body.
    """
    media = headers.get("content-type", "").split(";")[0].strip().lower()
    if media.startswith(_NO_FILE):
        said = "got another media type; expected {types}"
        phrase = Phrase("media.file", said, types=(*MEDIA_TYPES.values(),))
        raise RefusedError(415, "Content-Type", phrase)
    check_uncoded(headers)
    return _KIND_OF_MEDIA.get(media)


def kind_of(prefix: bytes, dtype: ElementType | None) -> Kind:
    """Return the kind of a body that is not declared.

    It is .npy if it begins with .npy's magic string. Otherwise ``dtype`` means raw bytes.
    Errors: LayoutError naming ``format``.
    """
    found = recognised(prefix)
    if dtype is not None and found != "npy":
        return "raw"
    if found is None:
        got = Described("a body that is neither .npy nor safetensors")
        raise LayoutError("format", got, Phrase("format", "one of the two, or dtype for raw bytes"))
    return found
