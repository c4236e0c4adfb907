"""Pixels as PNG, and a picture as PNG, with a font that a package brings."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_FAMILY: Final = "IBM Plex Mono"
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def encoded(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A PNG of pixels, uint8 of shape (high, wide, 3)."""
    high, wide, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(map(_chunk, *zip(*parts, strict=True)))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(drawn: str, scale: float = 1) -> bytes:
    """The PNG of an SVG, ``scale`` pixels to one of its own; the same bytes on every machine."""
    import resvg_py  # noqa: PLC0415  # 3 MB that only this needs

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=drawn,
            zoom=scale,
            skip_system_fonts=True,
            font_files=_fonts(),
            monospace_family=_FAMILY,
            sans_serif_family=_FAMILY,
            font_family=_FAMILY,
            image_rendering="optimize_speed",
        )
    )


@lru_cache(maxsize=1)
def _fonts() -> list[str]:
    import fontpkg_ibm_plex_mono  # noqa: PLC0415  # as above

    folder = Path(fontpkg_ibm_plex_mono.ROOT) / "files"
    return [str(folder / f"IBMPlexMono-{weight}.ttf") for weight in ("Regular", "SemiBold")]
