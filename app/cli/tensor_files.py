"""Files of tensors, mapped into memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..engine.model.dtypes import parse_dtype
from ..engine.model.errors import Described, LayoutError
from ..files import tensor_file
from ..files.stored import Part
from ..files.tensor_file import SUFFIXES, Kind, TensorFile
from .whole_file import Bytes, mapped


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file: the description from its header, and its bytes."""

    said: TensorFile
    content: Bytes

    def bytes_of(self, part: Part) -> Bytes:
        """The bytes of one tensor."""
        return self.content[part.begin : part.begin + part.size_bytes]


def opened(path: Path, *, raw: bool, dtype: str | None) -> MappedFile:
    """Open a file with a header, or with ``raw`` a file that contains only elements of ``dtype``.

    Errors: LayoutError naming dtype, or the file and the wrong part of it; OSError.
    """
    if raw != (dtype is not None):
        raise LayoutError("dtype", dtype, "--dtype and --raw together, or neither")
    element = None if dtype is None else parse_dtype(dtype)
    content = mapped(path)
    try:
        if element is None:
            said = _read(content)
            expected = f"{said.size_bytes}, as its header says"
        else:
            said = tensor_file.raw(element, len(content) * 8 // element.bits)
            expected = f"whole elements of {element.name}"
        if said.size_bytes != len(content):
            raise LayoutError("", Described(f"{len(content)} bytes"), expected)
    except LayoutError as error:
        raise error.under(": ".join(filter(None, (str(path), error.field)))) from None
    return MappedFile(said, content)


def _read(content: Bytes) -> TensorFile:
    prefix = content[: tensor_file.PREFIX_BYTES].tobytes()
    kind = tensor_file.recognised(prefix)
    if kind is None:
        raise LayoutError(
            "",
            Described("bytes that begin otherwise"),
            "a .npy or .safetensors file, or --raw with --dtype and --shape",
        )
    header = content[: tensor_file.header_size(kind, prefix)].tobytes()
    return tensor_file.read(kind, header)


def check_suffix(path: Path, written: Kind) -> None:
    """Raise LayoutError if the suffix names another kind of file than ``written``."""
    suffix = path.suffix.lower()
    if suffix in {SUFFIXES["npy"], SUFFIXES["safetensors"]} - {SUFFIXES[written]}:
        raise LayoutError(
            str(path),
            Described(f"a name of {suffix[1:]}"),
            f"a name for {written}: the format stays",
        )
