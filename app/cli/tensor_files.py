"""Files of tensors, mapped into memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..engine.dtype_names import parse_dtype
from ..engine.model.errors import Described, LayoutError, Phrase
from ..files import tensor_file
from ..files.tensor_file import Kind, TensorFile
from ..files.zarr.places import is_place
from .whole_file import Bytes, mapped

# Names that promise another kind of file, of those that this program or NumPy knows.
_SUFFIXES = {"npy", "npz", "safetensors", "zarr", "onnx", "pt2", "json"}


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file: the description from its header, and its bytes."""

    said: TensorFile
    content: Bytes


def opened(source: str, *, raw: bool, dtype: str | None) -> MappedFile:
    """Open a file with a header, or with ``raw`` a file that contains only elements of ``dtype``.

    ``source``: its name, or STREAM for what comes from standard input.

    Errors: LayoutError naming dtype, or the file and the wrong part of it; OSError.
    """
    if raw != (dtype is not None):
        expected = Phrase("dtype.with_raw", "--dtype and --raw together, or neither")
        raise LayoutError("dtype", dtype, expected)
    element = None if dtype is None else parse_dtype(dtype)
    content = mapped(source)
    try:
        if element is None:
            said = _read(content)
            expected = Phrase("file.size", "{size}, as its header says", size=said.size_bytes)
        else:
            said = tensor_file.raw(element, len(content) * 8 // element.bits)
            expected = Phrase("dtype.whole", "whole elements of {dtype}", dtype=element.name)
        if said.size_bytes != len(content):
            raise LayoutError("", Described(f"{len(content)} bytes"), expected)
    except LayoutError as error:
        raise error.under(": ".join(filter(None, (source, error.field)))) from None
    return MappedFile(said, content)


def _read(content: Bytes) -> TensorFile:
    prefix = content[: tensor_file.PREFIX_BYTES].tobytes()
    kind = tensor_file.recognised(prefix)
    if kind is None:
        said = "a .npy or .safetensors file, or --raw with --dtype and --shape"
        raise LayoutError("", Described("bytes that begin otherwise"), Phrase("file.kind", said))
    header = content[: tensor_file.header_size(kind, prefix)].tobytes()
    return tensor_file.read(kind, header)


def check_name(target: str, written: Kind) -> None:
    """Raise LayoutError if the name of a file belongs to another kind than ``written``."""
    suffix = "zarr" if is_place(target) else Path(target).suffix.lower().removeprefix(".")
    if suffix in _SUFFIXES - {written}:
        expected = Phrase("file.name", "a name for {kind}: the format stays", kind=written)
        raise LayoutError(target, Described(f"a name of {suffix}"), expected)
