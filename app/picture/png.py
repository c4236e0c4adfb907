"""Pixels as PNG, and a picture as PNG, with a font that a package brings."""

import struct
import zlib
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

_FAMILY: Final = "IBM Plex Mono"
_WEIGHTS: Final = ("Regular", "SemiBold")
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def encoded(pixels: npt.NDArray[np.int64]) -> bytes:
    """A PNG of pixels, words 0xrrggbb of shape (high, wide)."""
    high, wide = pixels.shape
    rows = np.zeros((high, 1 + 3 * wide), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.astype(">u4").view("u1").reshape(high, wide, 4)[..., 1:].reshape(high, -1)
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(map(_chunk, *zip(*parts, strict=True)))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(drawn: str, scale: float = 1) -> bytes:
    """The PNG of an SVG, ``scale`` pixels to one of its own; the same bytes on every machine."""
    import fontpkg_ibm_plex_mono  # noqa: PLC0415  # 3 MB that only this needs
    import resvg_py  # noqa: PLC0415  # as above

    folder = Path(fontpkg_ibm_plex_mono.ROOT) / "files"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=drawn,
            zoom=scale,
            skip_system_fonts=True,
            font_files=[str(folder / f"IBMPlexMono-{weight}.ttf") for weight in _WEIGHTS],
            monospace_family=_FAMILY,
            sans_serif_family=_FAMILY,
            font_family=_FAMILY,
            image_rendering="optimize_speed",
        )
    )
